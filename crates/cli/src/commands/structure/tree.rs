//! The size of a puzzle's game tree, whole and without dead states.

use std::fmt;

use anyhow::bail;
use gambol::analysis::{Budget, DeadStates, Shape, TreeSize, tree_size};
use gambol::net::Net;
use serde::Serialize;

use crate::session::Session;

/// States that are looked at, for either count.
const MOST_STATES: usize = 400_000;

/// What is left of a game tree without the states that are dead for the best goal.
#[derive(Serialize)]
pub(super) struct Counts<'a> {
    role: &'a str,
    goal: u32,
    whole: Count,
    pruned: Count,
}

/// Nothing where there were more than could be counted; no nodes where a state can come back.
#[derive(Serialize)]
struct Count {
    nodes: Option<u128>,
    states: Option<usize>,
}

/// Counts the tree of a game for one player.
pub(super) fn counts<'a>(
    net: &'a Net,
    shape: &Shape,
    session: &Session,
) -> anyhow::Result<Counts<'a>> {
    if net.roles.len() != 1 {
        bail!("--tree is for one player: with several, a dead state may still decide the game");
    }
    let Some(best) = shape.goals.iter().find(|facts| !facts.unreachable) else {
        bail!("nothing is known of the goals of this game; --time gives more time to find out");
    };
    let budget = Budget { time: session.watch.time_left(), stop: Some(session.watch.flag()) };
    let count = |dead: &DeadStates| Count::of(tree_size(net, dead, MOST_STATES, &budget));
    Ok(Counts {
        role: &net.roles[best.goal.role],
        goal: best.goal.value,
        whole: count(&DeadStates::none()),
        pruned: count(&DeadStates::of(best)),
    })
}

impl Count {
    fn of(size: Option<TreeSize>) -> Self {
        Self { nodes: size.and_then(|size| size.nodes), states: size.map(|size| size.states) }
    }
}

impl fmt::Display for Counts<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, goal, whole, pruned } = self;
        write!(out, "the game tree has {whole}; where {role} can still reach {goal}, {pruned}")
    }
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.nodes, self.states) {
            (Some(nodes), Some(states)) => write!(out, "{nodes} nodes and {states} states"),
            (None, Some(states)) => write!(out, "no end of nodes, and {states} states"),
            (_, None) => write!(out, "more states than were counted"),
        }
    }
}
