//! Matches without a network: all sides think in this process, in turn, on one clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, RoleId};
use gambol_sim::Evaluator;

use crate::mind::{Effort, Mind};
use crate::prepared::Prepared;
use crate::settings::{Settings, Way};

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
    let mut minds: Vec<Mind<'_>> =
        sides.iter().map(|settings| Mind::new(prepared, settings.clone())).collect();
    let mut played = LocalMatch {
        moves: Vec::new(),
        goals: None,
        playouts: IndexVec::filled(0, roles),
        thought: IndexVec::filled(Duration::ZERO, roles),
    };
    while !minds[0].is_over() && played.moves.len() < most_steps && !stop.load(Ordering::Relaxed) {
        let mut joint = Vec::with_capacity(roles);
        for (role, mind) in minds.iter_mut().enumerate() {
            let role = RoleId::from_index(role);
            let Some(action) = decide(mind, role, clock, stop, &mut played) else { return played };
            joint.push(action);
        }
        minds.iter_mut().for_each(|mind| mind.advance(&joint));
        played.moves.push(joint);
    }
    if minds[0].is_over() {
        let goals = Evaluator::new(prepared.circuit()).goals(minds[0].state());
        played.goals = Some(goals);
    }
    played
}

fn decide(
    mind: &mut Mind<'_>,
    role: RoleId,
    clock: Clock,
    stop: &AtomicBool,
    played: &mut LocalMatch,
) -> Option<MoveId> {
    let (begun, before) = (Instant::now(), mind.playouts());
    let times = mind.settings.times;
    let effort = match clock {
        Clock::Time(time) => Effort::Until(begun + time * times),
        Clock::Playouts(playouts) => Effort::Playouts(playouts.saturating_mul(times.into())),
    };
    let decision = mind.decide(role, effort, stop)?;
    if mind.playouts() > before {
        played.thought[role] += begun.elapsed();
        played.playouts[role] += mind.playouts() - before;
    }
    Some(decision.action)
}

/// Whether a side needs the structure of the game.
pub fn needs_study(settings: &Settings) -> bool {
    settings.way == Way::Search && (settings.decompose || settings.latches)
}
