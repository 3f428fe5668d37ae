//! How the rows that match a condition are found: by an index on the terms known when the
//! condition is tried, and by comparing what the index gives with the whole pattern.

use gambol_syntax::Symbol;

use crate::bindings::Slots;
use crate::program::{Pattern, RelationId, RuleTerm, Slot};
use crate::table::{Descent, Path, Probe};
use crate::terms::GroundTerm;

/// A term to be compared with one of a row.
#[derive(Clone, Debug)]
pub(crate) enum Match {
    /// The variable's first occurrence: it takes the term.
    Bind(Slot),
    /// The variable's value must be the term.
    Check(Slot),
    /// This must be the term.
    Is(GroundTerm),
    /// The term must be made by this function of matching arguments.
    Function(Symbol, Vec<Match>),
}

/// Rows of a relation that match a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) relation: RelationId,
    /// The index that finds them; none to look at all rows.
    pub(crate) index: Option<usize>,
    /// The terms that make its key.
    pub(crate) key: Vec<RuleTerm>,
    pub(crate) columns: Vec<Match>,
}

/// What an index can ask of the rows of a pattern, and the terms that make the key.
pub(crate) fn probes(pattern: &Pattern, bound: &Slots) -> (Vec<Probe>, Vec<RuleTerm>) {
    let (mut probes, mut key) = (Vec::new(), Vec::new());
    for (column, argument) in pattern.arguments.iter().enumerate() {
        let path = Path { column, descents: Vec::new() };
        add_probes(argument, path, bound, &mut probes, &mut key);
    }
    (probes, key)
}

fn add_probes(
    term: &RuleTerm,
    path: Path,
    bound: &Slots,
    probes: &mut Vec<Probe>,
    key: &mut Vec<RuleTerm>,
) {
    let (mut any_bound, mut all_bound) = (matches!(term, RuleTerm::Ground(_)), true);
    term.visit_variables(&mut |slot| {
        any_bound |= bound.contains(&slot);
        all_bound &= bound.contains(&slot);
    });
    if all_bound {
        probes.push(Probe::Key(path));
        key.push(term.clone());
        return;
    }
    let RuleTerm::Function(name, arguments) = term else { return };
    if !any_bound && !arguments.iter().any(has_ground) {
        probes.push(Probe::Function(path, *name, arguments.len()));
        return;
    }
    for (place, argument) in arguments.iter().enumerate() {
        let mut path = path.clone();
        path.descents.push(Descent { name: *name, arity: arguments.len(), argument: place });
        add_probes(argument, path, bound, probes, key);
    }
}

fn has_ground(term: &RuleTerm) -> bool {
    match term {
        RuleTerm::Ground(_) => true,
        RuleTerm::Variable(_) => false,
        RuleTerm::Function(_, arguments) => arguments.iter().any(has_ground),
    }
}

/// The term to compare, noting which variables it binds.
pub(crate) fn matcher(term: &RuleTerm, bound: &mut Slots) -> Match {
    match term {
        RuleTerm::Ground(term) => Match::Is(*term),
        RuleTerm::Variable(slot) if bound.insert(*slot) => Match::Bind(*slot),
        RuleTerm::Variable(slot) => Match::Check(*slot),
        RuleTerm::Function(name, arguments) => {
            let arguments = arguments.iter().map(|term| matcher(term, bound)).collect();
            Match::Function(*name, arguments)
        }
    }
}
