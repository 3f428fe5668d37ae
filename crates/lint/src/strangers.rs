//! Those who are given moves and are no roles.

use gambol_ground::{Extent, GroundGame};
use gambol_syntax::{Category, Diagnosis, Rules, TermId, keyword, shown};
use rustc_hash::FxHashSet;

use crate::notes::Notes;

pub(crate) fn look(rules: &Rules, game: &GroundGame, extent: &Extent, notes: &mut Notes) {
    if notes.suspicious {
        return;
    }
    let roles: FxHashSet<&str> = game.roles.iter().map(|role| &**role).collect();
    let names = extent.names();
    let mut strangers: Vec<&str> = Vec::new();
    for (functor, arity) in extent.shapes(keyword::LEGAL) {
        let table = extent.shape(keyword::LEGAL, functor, arity);
        for row in table.into_iter().flat_map(|table| table.rows()) {
            let name = names.symbols().text(names.functor(row.term(0)));
            if !roles.contains(name) && !strangers.contains(&name) {
                strangers.push(name);
            }
        }
    }
    for stranger in strangers {
        let Some((clause, term)) = beside_a_role(rules, &roles, stranger) else { continue };
        let name = shown(stranger);
        let message = format!("{name} is given legal moves, and is no role");
        let finding = Diagnosis::warning(Category::UnknownRole, rules.term_span(term), message);
        notes.add(clause, finding.with_hint(format!("add (role {name})")));
    }
}

/// Where a fact names a constant beside a role: `(opponent ann bob)`. What rules can derive says too much, so that a
/// stranger that no such fact names may be one in appearance only.
fn beside_a_role(
    rules: &Rules,
    roles: &FxHashSet<&str>,
    constant: &str,
) -> Option<(usize, TermId)> {
    rules.clauses.iter().enumerate().find_map(|(index, clause)| {
        let terms = || clause.head.arguments.iter().copied();
        let text = |term: TermId| rules.constant(term).map(|name| rules.symbols.text(name));
        let own = !clause.head.relation.is_game_relation() && clause.body.is_empty();
        let place = terms().find(|&term| text(term) == Some(constant)).filter(|_| own)?;
        let beside = terms().filter_map(text).any(|name| roles.contains(name));
        beside.then_some((index, place))
    })
}
