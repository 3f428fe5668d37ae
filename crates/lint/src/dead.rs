//! Rules whose conditions can each be met, and never together.

use gambol_ground::Extent;
use gambol_syntax::{Category, Clause, Diagnosis, Literal, Rules, Symbol, keyword, may_unify};

use crate::notes::Notes;

pub(crate) fn look(rules: &Rules, extent: &Extent, notes: &mut Notes) {
    if notes.suspicious {
        return;
    }
    let idle = |clause: &Clause| extent.applies(rules, clause) == Some(false);
    let idle: Vec<usize> =
        (0..rules.clauses.len()).filter(|&index| idle(&rules.clauses[index])).collect();
    if idle.len() > MOST_IDLE {
        return;
    }
    let mut steps = MOST_STEPS;
    let mut dead: Vec<(usize, bool)> = Vec::new();
    for &index in &idle {
        let clause = &rules.clauses[index];
        let explained = notes.clauses.contains(&index) || notes.unmet.contains(&index);
        if !explained && asks_for_atoms(rules, clause) {
            dead.push((index, waits(rules, index, &idle, &mut steps)));
        }
    }
    // What waits for a rule that never applies may follow from it; of a circle one is enough.
    let roots = dead.iter().filter(|(_, waits)| !waits).count();
    let told = if roots > 0 { roots } else { 1 };
    for (index, _) in dead.into_iter().filter(|&(_, waits)| !waits || roots == 0).take(told) {
        let clause = &rules.clauses[index];
        let message = "the conditions of this rule never hold together, so it never applies";
        let finding = Diagnosis::warning(Category::DeadRule, clause.head.span, message);
        notes.add(index, finding);
    }
}

/// With more rules that never apply, the text was not written by hand.
const MOST_IDLE: usize = 1_000;
/// How many steps comparing conditions with heads may take.
const MOST_STEPS: usize = 2_000_000;

/// Whether some condition could be provided by a rule that never applies.
fn waits(rules: &Rules, index: usize, idle: &[usize], steps: &mut usize) -> bool {
    let mut conditions = rules.conditions(&rules.clauses[index].body);
    conditions.any(|condition| {
        let Literal::Atom(atom) = rules.literal(condition.literal) else { return false };
        idle.iter().any(|&other| {
            let head = &rules.clauses[other].head;
            provides(head.relation, atom.relation)
                && may_unify(rules, &atom.arguments, &head.arguments, steps)
        })
    })
}

fn provides(head: Symbol, condition: Symbol) -> bool {
    match condition {
        keyword::TRUE => head == keyword::NEXT || head == keyword::INIT,
        keyword::DOES => head == keyword::LEGAL,
        relation => head == relation,
    }
}

/// Whether some condition is an atom. A rule without any is a fact, or nothing.
fn asks_for_atoms(rules: &Rules, clause: &Clause) -> bool {
    let mut conditions = rules.conditions(&clause.body);
    conditions.any(|it| !it.negated && matches!(rules.literal(it.literal), Literal::Atom(_)))
}
