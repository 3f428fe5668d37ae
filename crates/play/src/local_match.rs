//! Matches without a network: all sides think in this process, in turn, on one clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, RoleId};
use gambol_sim::Evaluator;

use crate::agent::prepared::Prepared;
use crate::agent::settings::{Settings, Way};
use crate::agent::{Agent, Effort};

/// How long a side may think.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Clock {
    /// For each move.
    Time(Duration),
    /// Random games for each move.
    Playouts(u64),
}

/// What came of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalMatch {
    /// The joint moves.
    pub moves: Vec<Vec<MoveId>>,
    /// Every role's goal at the end; nothing if the match was called off.
    pub goals: Option<IndexVec<RoleId, Option<u32>>>,
    /// Random games of each role.
    pub playouts: IndexVec<RoleId, u64>,
    /// Time in which each role was to think.
    pub thought: IndexVec<RoleId, Duration>,
}

/// Plays one match: the settings of each role's side, in the order of the roles. Sides do not think
/// while others do. All have the same clock, unless a setting gives one of them more.
pub fn local_match(
    prepared: &Arc<Prepared>,
    sides: &[Settings],
    clock: Clock,
    most_steps: usize,
    stop: &AtomicBool,
) -> LocalMatch {
    let roles = prepared.net().roles.len();
    let mut agents: Vec<Agent<'_>> =
        sides.iter().map(|settings| Agent::new(prepared, settings.clone())).collect();
    let mut played = LocalMatch {
        moves: Vec::new(),
        goals: None,
        playouts: IndexVec::filled(0, roles),
        thought: IndexVec::filled(Duration::ZERO, roles),
    };
    while !agents[0].is_over() && played.moves.len() < most_steps && !stop.load(Ordering::Relaxed) {
        let mut joint = Vec::with_capacity(roles);
        for (role, agent) in agents.iter_mut().enumerate() {
            let role = RoleId::from_index(role);
            let Some(action) = decide(agent, role, clock, stop, &mut played) else { return played };
            joint.push(action);
        }
        agents.iter_mut().for_each(|agent| agent.advance(&joint));
        played.moves.push(joint);
    }
    if agents[0].is_over() {
        let goals = Evaluator::new(prepared.circuit()).goals(agents[0].state());
        played.goals = Some(goals);
    }
    played
}

fn decide(
    agent: &mut Agent<'_>,
    role: RoleId,
    clock: Clock,
    stop: &AtomicBool,
    played: &mut LocalMatch,
) -> Option<MoveId> {
    let (begun, before) = (Instant::now(), agent.playouts());
    let times = agent.settings.times;
    let effort = match clock {
        Clock::Time(time) => Effort::Until(begun + time * times),
        Clock::Playouts(playouts) => Effort::Playouts(playouts.saturating_mul(times.into())),
    };
    let decision = agent.decide(role, effort, stop)?;
    if agent.playouts() > before {
        played.thought[role] += begun.elapsed();
        played.playouts[role] += agent.playouts() - before;
    }
    Some(decision.action)
}

/// Whether a side needs the structure of the game.
pub fn needs_study(settings: &Settings) -> bool {
    settings.way == Way::Search && (settings.decompose || settings.latches)
}

/// Whether a side evaluates states.
pub fn needs_lesson(settings: &Settings) -> bool {
    settings.way == Way::Search && settings.evaluate
}
