//! Yes or no: whether the first agent gets at least so much.
//!
//! A threshold makes two outcomes of many. What an explanation has to exclude becomes less, so each
//! question takes fewer classes than all values at once; to know the value, one question is asked for
//! every value but the worst. That is sound for one agent and for two with opposed rewards: whoever can
//! secure a value can secure all worse ones, so the best that is secured is the value.

use crate::automaton::{AgentId, Automaton};
use crate::value::Preferences;
use gambol_index::Id;

/// The rewards that can be asked for, best first: all but the worst. None where a question would
/// not be about what the others want as well.
pub fn thresholds(automaton: &Automaton) -> Option<Vec<i64>> {
    let agent = AgentId::from_index(0);
    if !Preferences::of(automaton, false).are_opposed() {
        return None;
    }
    let rewards = automaton.outcomes.iter().map(|outcome| outcome.rewards[agent]);
    let mut rewards: Vec<i64> = rewards.collect();
    rewards.sort_unstable();
    rewards.dedup();
    Some(rewards.into_iter().skip(1).rev().collect())
}

/// The automaton in which the first agent wins, with 1, by getting at least so much, and gets 0
/// otherwise; a second one gets the opposite.
pub fn at_least(automaton: &Automaton, least: i64) -> Automaton {
    let mut asked = automaton.clone();
    let mut names = [Some("less".to_string()), Some(format!("at-least-{least}"))];
    for outcome in asked.outcomes.iter_mut() {
        let enough = outcome.rewards[AgentId::from_index(0)] >= least;
        for (place, reward) in outcome.rewards.iter_mut().enumerate() {
            *reward = i64::from(enough) * if place == 0 { 1 } else { -1 };
        }
        // The first of several equal outcomes stands for them all.
        if let Some(name) = names[usize::from(enough)].take() {
            outcome.name = name.into();
        }
    }
    asked
}
