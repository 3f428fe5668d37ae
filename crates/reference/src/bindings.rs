//! Which variables a condition has, needs and binds.

use std::collections::BTreeSet;

use crate::program::{Condition, Pattern, RuleTerm, Slot};

/// Variables of a rule.
pub(crate) type Slots = BTreeSet<Slot>;

/// Finds the atom with this number; the conditions that must hold along with it go to `rest`. Of a
/// disjunction only the part with the atom is kept.
pub(crate) fn focus<'a>(
    condition: &'a Condition,
    number: usize,
    rest: &mut Vec<&'a Condition>,
) -> Option<&'a Pattern> {
    let mut condition = condition;
    if !contains(condition, number) {
        return None;
    }
    loop {
        match condition {
            Condition::Holds(pattern, _) => return Some(pattern),
            Condition::All(parts) | Condition::Any(parts) => {
                let found = parts.iter().position(|part| contains(part, number))?;
                if matches!(condition, Condition::All(_)) {
                    let others = parts.iter().enumerate().filter(|&(place, _)| place != found);
                    rest.extend(others.map(|(_, part)| part));
                }
                condition = &parts[found];
            }
            Condition::Fails(..) | Condition::Equal(..) => return None,
        }
    }
}

pub(crate) fn alone(parts: &[Condition]) -> Vec<Vec<&Condition>> {
    parts.iter().map(|part| vec![part]).collect()
}

fn contains(condition: &Condition, number: usize) -> bool {
    let mut found = false;
    condition.visit_atoms(&mut |other, _, _| found |= other == number);
    found
}

/// Opens nested conjunctions.
pub(crate) fn flatten<'a>(conditions: Vec<&'a Condition>, flat: &mut Vec<&'a Condition>) {
    for condition in conditions {
        match condition {
            Condition::All(parts) => flatten(parts.iter().collect(), flat),
            other => flat.push(other),
        }
    }
}

/// Which columns of a pattern have no unbound variable.
pub(crate) fn bound_columns(pattern: &Pattern, bound: &Slots) -> Vec<bool> {
    let is_bound = |term: &RuleTerm| {
        let mut all = true;
        term.visit_variables(&mut |slot| all &= bound.contains(&slot));
        all
    };
    pattern.arguments.iter().map(is_bound).collect()
}

pub(crate) fn variables(condition: &Condition) -> Slots {
    let mut found = Slots::new();
    condition.visit_variables(&mut |slot| {
        found.insert(slot);
    });
    found
}

/// The unbound variables of a condition that others need.
pub(crate) fn outer_variables(
    condition: &Condition,
    others: &[&Condition],
    bound: &Slots,
    live: &Slots,
) -> Slots {
    let mut needed = live.clone();
    for other in others {
        needed.extend(variables(other));
    }
    variables(condition)
        .intersection(&needed)
        .filter(|slot| !bound.contains(slot))
        .copied()
        .collect()
}

/// The variables a condition binds whichever way it is met.
pub(crate) fn binds(condition: &Condition) -> Slots {
    match condition {
        Condition::Holds(..) => variables(condition),
        Condition::Fails(..) | Condition::Equal(..) => Slots::new(),
        Condition::All(parts) => parts.iter().flat_map(binds).collect(),
        Condition::Any(parts) => {
            let all = parts.iter().map(binds);
            all.reduce(|one, other| &one & &other).unwrap_or_default()
        }
    }
}

/// Whether negations and comparisons have their variables bound.
pub(crate) fn is_safe(condition: &Condition, bound: &Slots) -> bool {
    match condition {
        Condition::Holds(..) => true,
        Condition::Fails(..) | Condition::Equal(..) => variables(condition).is_subset(bound),
        Condition::All(parts) => {
            let bound = bound | &binds(condition);
            parts.iter().all(|part| is_safe(part, &bound))
        }
        Condition::Any(parts) => parts.iter().all(|part| is_safe(part, bound)),
    }
}

/// Conditions connected by unbound variables.
pub(crate) struct Group<'a> {
    pub(crate) conditions: Vec<&'a Condition>,
    pub(crate) open: Slots,
}

pub(crate) fn groups<'a>(rest: &[&'a Condition], bound: &Slots) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for &condition in rest {
        let mut open = variables(condition);
        open.retain(|slot| !bound.contains(slot));
        let touches = |group: &Group<'a>| group.open.intersection(&open).next().is_some();
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(touches);
        groups = apart;
        let mut conditions = Vec::new();
        for group in joined {
            conditions.extend(group.conditions);
            open.extend(group.open);
        }
        conditions.push(condition);
        groups.push(Group { conditions, open });
    }
    groups
}
