//! Matches without a network: all sides think in this process, in turn, on one clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, RoleId};
use gambol_sim::Evaluator;

use crate::agent::prepared::Prepared;
use crate::agent::settings::{Settings, Way};
use crate::agent::{Agent, Effort, Reason};

/// How long a side may think.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Clock {
    /// For each move.
    Time(Duration),
    /// Random games for each move.
    Playouts(u64),
}

/// What a side thought of its move.
#[derive(Clone, PartialEq, Debug)]
pub struct Opinion {
    /// Why it made the move.
    pub reason: Reason,
    /// Random games played for it.
    pub playouts: u64,
}

/// What came of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalMatch {
    /// The joint moves.
    pub moves: Vec<Vec<MoveId>>,
    /// What each role thought of its move, step by step.
    pub opinions: Vec<Vec<Opinion>>,
    /// Every role's goal at the end; `None` if the match was called off.
    pub goals: Option<IndexVec<RoleId, Option<u32>>>,
    /// Random games of each role.
    pub playouts: IndexVec<RoleId, u64>,
    /// Time in which each role was to think.
    pub thought: IndexVec<RoleId, Duration>,
}

/// Plays one match: the settings of each role's side, in the order of the roles. Sides do not think
/// while others do. All have the same clock, unless a setting gives one of them more. `show` is told of
/// each step as it is made.
pub fn local_match(
    prepared: &Arc<Prepared>,
    sides: &[Settings],
    clock: Clock,
    most_steps: usize,
    stop: &AtomicBool,
    show: &mut dyn FnMut(&[MoveId], &[Opinion]),
) -> LocalMatch {
    let roles = prepared.net().roles.len();
    let mut agents: Vec<Agent<'_>> =
        sides.iter().map(|settings| Agent::new(prepared, settings.clone())).collect();
    let mut played = LocalMatch {
        moves: Vec::new(),
        opinions: Vec::new(),
        goals: None,
        playouts: IndexVec::filled(0, roles),
        thought: IndexVec::filled(Duration::ZERO, roles),
    };
    while !agents[0].is_over() && played.moves.len() < most_steps && !stop.load(Ordering::Relaxed) {
        let (mut joint, mut opinions) = (Vec::with_capacity(roles), Vec::with_capacity(roles));
        for (role, agent) in agents.iter_mut().enumerate() {
            let role = RoleId::from_index(role);
            let decided = decide(agent, role, clock, stop, &mut played);
            let Some((action, opinion)) = decided else { return played };
            joint.push(action);
            opinions.push(opinion);
        }
        agents.iter_mut().for_each(|agent| agent.advance(&joint));
        show(&joint, &opinions);
        played.moves.push(joint);
        played.opinions.push(opinions);
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
) -> Option<(MoveId, Opinion)> {
    let (begun, before) = (Instant::now(), agent.playouts());
    let times = agent.settings.times;
    let effort = match clock {
        Clock::Time(time) => Effort::Until(begun + time * times),
        Clock::Playouts(playouts) => Effort::Playouts(playouts.saturating_mul(times.into())),
    };
    let decision = agent.decide(role, effort, stop)?;
    let playouts = agent.playouts() - before;
    if playouts > 0 {
        played.thought[role] += begun.elapsed();
        played.playouts[role] += playouts;
    }
    Some((decision.action, Opinion { reason: decision.reason, playouts }))
}

/// Finds out about a game what the sides can use: its structure, and on a clock also what states are worth.
/// Learning takes as long as some moves do; how far it gets depends on the processor, so that games by numbers of
/// playouts, which can be repeated, do without.
pub fn study_for(
    prepared: &Prepared,
    sides: &[Settings],
    clock: Clock,
    longest: Duration,
    stop: &Arc<AtomicBool>,
) {
    let searches = |settings: &&Settings| settings.way == Way::Search;
    let structure = |side: &Settings| side.decompose || side.latches;
    if sides.iter().filter(searches).any(structure) {
        prepared.study(longest, stop);
    }
    let learns = sides.iter().filter(searches).any(|side| side.evaluate);
    if let Clock::Time(time) = clock
        && learns
    {
        prepared.learn((time * LESSON).min(LONGEST_LESSON), stop);
    }
}

/// Learning takes as long as this many moves, within a limit.
const LESSON: u32 = 200;
const LONGEST_LESSON: Duration = Duration::from_secs(10);
