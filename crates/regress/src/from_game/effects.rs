//! Effects: the cases in which what a joint move does to the variables is constant.

use gambol_net::Net;
use oxidd::BooleanFunction;

use super::GameError;
use super::gates::Gates;
use super::variables::Variables;
use crate::cube::{ValueIndex, VariableId};
use crate::diagram::encode::{Encoding, Set};

/// What is assigned.
pub(super) type Effect = Vec<(VariableId, ValueIndex)>;

/// The most different effects of one move.
const MOST_CASES: usize = 10_000;

/// Splits the states in which a joint move is made by what it does.
///
/// A variable that keeps its value is not assigned, wherever that is true of a whole case.
pub(super) fn effects(
    net: &Net,
    encoding: &mut Encoding<'_>,
    variables: &Variables,
    after: &Gates,
    states: Set,
    name: &str,
) -> Result<Vec<(Set, Effect)>, GameError> {
    let mut cases = vec![(states, Effect::new())];
    for (variable, group) in variables.groups().iter_ids() {
        let mut becomes = Vec::new();
        let mut none = encoding.everything();
        for fluent in group.iter().flatten() {
            let next = none.and(after.get(net.next[*fluent]))?;
            none = next.imp_strict(&none)?;
            becomes.push(next);
        }
        if let Some(place) = group.iter().position(Option::is_none) {
            becomes.insert(place, none);
        }
        cases = split(encoding, variable, &becomes, cases)?;
        if cases.len() > MOST_CASES {
            return Err(GameError::Cases { action: name.to_string(), most: MOST_CASES });
        }
        encoding.look()?;
    }
    Ok(cases)
}

/// Each case by what one variable becomes.
fn split(
    encoding: &Encoding<'_>,
    variable: VariableId,
    becomes: &[Set],
    cases: Vec<(Set, Effect)>,
) -> Result<Vec<(Set, Effect)>, GameError> {
    let mut kept = encoding.nothing();
    for (value, next) in becomes.iter().enumerate() {
        kept = kept.or(&encoding.value(variable, value as ValueIndex)?.and(next)?)?;
    }
    let mut parts = Vec::new();
    for (states, effect) in cases {
        let mut rest = kept.imp_strict(&states)?;
        if !rest.satisfiable() {
            parts.push((states, effect));
            continue;
        }
        let with = |value: usize| [effect.clone(), vec![(variable, value as ValueIndex)]].concat();
        // If it becomes this in the whole case, that it sometimes was this before is no matter.
        if let Some(value) = becomes_always(becomes, &states)? {
            parts.push((states, with(value)));
            continue;
        }
        for (value, next) in becomes.iter().enumerate() {
            let here = rest.and(next)?;
            rest = here.imp_strict(&rest)?;
            parts.push((here, with(value)));
        }
        parts.push((states.and(&kept)?, effect));
    }
    parts.retain(|(states, _)| states.satisfiable());
    Ok(parts)
}

/// The value that all these states lead to.
fn becomes_always(becomes: &[Set], states: &Set) -> Result<Option<usize>, GameError> {
    for (value, next) in becomes.iter().enumerate() {
        if !next.imp_strict(states)?.satisfiable() {
            return Ok(Some(value));
        }
    }
    Ok(None)
}
