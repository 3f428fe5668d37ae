//! One step of regression by sets: the states of a node by outcome, from those of its successors.

use gambol_index::IndexVec;
use oxidd::BooleanFunction;

use super::encode::{Encoding, Set};
use crate::automaton::{NodeId, OutcomeId};
use crate::error::RegressError;
use crate::value::Preferences;

/// For each outcome the states that are worth it.
pub(crate) type ByOutcome = IndexVec<OutcomeId, Set>;

pub(crate) fn no_states(encoding: &Encoding<'_>) -> ByOutcome {
    encoding.automaton.outcomes.iter().map(|_| encoding.nothing()).collect()
}

/// All states of a goal node are worth its outcome.
pub(crate) fn goal_states(
    encoding: &Encoding<'_>,
    preferences: &Preferences,
    outcome: OutcomeId,
) -> ByOutcome {
    let mut sets = no_states(encoding);
    sets[preferences.goal(outcome).outcome] = encoding.everything();
    sets
}

/// The states of `domain` at a node by outcome. The agent takes the best outcome that some
/// transition of the group in effect leads to; where nothing can be done nothing ever ends.
pub(crate) fn back_up(
    encoding: &mut Encoding<'_>,
    preferences: &Preferences,
    node: NodeId,
    domain: &Set,
    next: &IndexVec<NodeId, ByOutcome>,
) -> Result<ByOutcome, RegressError> {
    let automaton = encoding.automaton;
    let agent = automaton.agent_of(node).expect("goals are not backed up");
    let mut found = no_states(encoding);
    let mut rest = domain.clone();
    for group in 0..automaton.group_count(node) {
        let guard = encoding.group_guard(node, group)?;
        let mut open = rest.and(&guard)?;
        rest = guard.imp_strict(&rest)?;
        let ranking = preferences.ranking(agent);
        let reached = |outcome: OutcomeId| {
            let mut targets =
                automaton.group(node, group).map(|id| automaton.transitions[id].target);
            targets.any(|target| next[target][outcome].satisfiable())
        };
        let ranking: Vec<OutcomeId> = ranking.into_iter().filter(|&one| reached(one)).collect();
        for (place, &outcome) in ranking.iter().enumerate() {
            if !open.satisfiable() {
                break;
            }
            // Every successor is worth something: what is not worth more is worth the least.
            if place + 1 == ranking.len() {
                found[outcome] = found[outcome].or(&open)?;
                break;
            }
            let mut leads = encoding.nothing();
            for id in automaton.group(node, group) {
                let target = automaton.transitions[id].target;
                if next[target][outcome].satisfiable() {
                    let before = encoding.regress(id, &next[target][outcome])?;
                    let here = open.and(encoding.guard(id))?;
                    leads = leads.or(&before.and(&here)?)?;
                }
                encoding.look()?;
            }
            open = leads.imp_strict(&open)?;
            found[outcome] = found[outcome].or(&leads)?;
        }
    }
    let endless = preferences.endless().outcome;
    found[endless] = found[endless].or(&rest)?;
    Ok(found)
}
