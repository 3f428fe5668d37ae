//! Rules whose conditions can each be met, and never together.

use gambol_ground::Extent;
use gambol_syntax::{Category, Diagnosis, Literal, Rules};

use crate::notes::Notes;

pub(crate) fn look(rules: &Rules, extent: &Extent, notes: &mut Notes) {
    for (index, clause) in rules.clauses.iter().enumerate() {
        if notes.clauses.contains(&index)
            || notes.unmet.contains(&index)
            || extent.applies(rules, clause) != Some(false)
            || !asks_for_atoms(rules, clause)
        {
            continue;
        }
        let message = "the conditions of this rule never hold together, so it never applies";
        let finding = Diagnosis::warning(Category::DeadRule, clause.head.span, message);
        notes.add(index, finding);
    }
}

/// Whether some condition is an atom. A rule without any is a fact, or nothing.
fn asks_for_atoms(rules: &Rules, clause: &gambol_syntax::Clause) -> bool {
    let mut conditions = rules.conditions(&clause.body);
    conditions.any(|it| !it.negated && matches!(rules.literal(it.literal), Literal::Atom(_)))
}
