//! A solver in the background: the game is solved from the current state in a thread of its own. When that is done,
//! best play is known for as long as all players follow it.
//! that is done, best play is known for as long as everybody follows it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, RoleId};
use gambol_sim::{Evaluator, State};
use gambol_solve::{Choice, Limits, Meaning, Solution, SolveOptions, solve};
use gambol_system::yield_to_others;
use rustc_hash::FxHashMap;

use crate::agent::prepared::Prepared;

/// Best play from a state.
#[derive(Clone, Debug, Default)]
struct Plan {
    /// What to do in the states of best play.
    moves: FxHashMap<State, Vec<MoveId>>,
    values: IndexVec<RoleId, u32>,
}

/// Solves a game beside the search, one state at a time: what is not wanted any more may take a while to
/// stop, and nothing new is begun before.
pub(crate) struct BackgroundSolver {
    desk: Arc<Desk>,
}

/// What is wanted, and what was found.
#[derive(Default)]
struct Desk {
    work: Mutex<Work>,
    news: Condvar,
}

#[derive(Default)]
struct Work {
    /// The state to be solved next.
    wanted: Option<State>,
    plan: Option<Plan>,
    /// Stops what is being solved.
    stop: Arc<AtomicBool>,
    /// Whether the agent is gone.
    over: bool,
}

impl Desk {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a state to solve; `None` if there will be none.
    fn next(&self) -> Option<(State, Arc<AtomicBool>)> {
        let mut work = self.work();
        loop {
            if work.over {
                return None;
            }
            if let Some(state) = work.wanted.take() {
                work.stop = Arc::default();
                return Some((state, Arc::clone(&work.stop)));
            }
            work = self.news.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The time for solving one state.
const LONGEST: Duration = Duration::from_secs(60);
/// The time for solving part by part before anything else: a total over all states, until one is solved so.
const BY_PARTS: Duration = Duration::from_secs(1);
const MOST_MEMORY_MIB: u64 = 512;
/// Nets with more gates are not tried.
const LARGEST: usize = 20_000;

impl BackgroundSolver {
    /// Begins to solve a game from a state; `None` if there is no hope.
    pub(crate) fn begin(prepared: &Arc<Prepared>, state: &State, factoring: bool) -> Option<Self> {
        let net = prepared.net();
        if net.gate_count() > LARGEST || net.roles.len() > 2 {
            return None;
        }
        let desk = Arc::new(Desk::default());
        desk.work().wanted = Some(state.clone());
        let (prepared, working) = (Arc::clone(prepared), Arc::clone(&desk));
        let work = move || {
            // On a single core half of the time would be lost to positions that are far too large.
            yield_to_others();
            let mut by_parts = BY_PARTS;
            while let Some((state, stop)) = working.next() {
                let options = options(&prepared, &state, factoring, stop);
                let found = solved(&prepared, options, &mut by_parts)
                    .and_then(|solution| planned(&prepared, &state, &solution));
                if found.is_some() {
                    working.work().plan = found;
                }
            }
        };
        // Without the thread there is no solution, and that is all.
        let _ = thread::Builder::new().spawn(work);
        Some(Self { desk })
    }

    /// The play has come to a state: if that was not foreseen, it is solved anew.
    pub(crate) fn follow(&mut self, state: &State) {
        let mut work = self.desk.work();
        if work.plan.as_ref().is_some_and(|plan| plan.moves.contains_key(state)) {
            return;
        }
        work.stop.store(true, Ordering::Relaxed);
        (work.wanted, work.plan) = (Some(state.clone()), None);
        self.desk.news.notify_one();
    }

    /// A role's best move in a state and what it secures, if that is known.
    pub(crate) fn best(&self, state: &State, role: RoleId) -> Option<(MoveId, u32)> {
        let work = self.desk.work();
        let plan = work.plan.as_ref()?;
        Some((*plan.moves.get(state)?.get(role.index())?, plan.values[role]))
    }
}

impl Drop for BackgroundSolver {
    fn drop(&mut self) {
        let mut work = self.desk.work();
        work.stop.store(true, Ordering::Relaxed);
        work.over = true;
        self.desk.news.notify_one();
    }
}

fn options(
    prepared: &Prepared,
    state: &State,
    factoring: bool,
    stop: Arc<AtomicBool>,
) -> SolveOptions {
    let mut options = SolveOptions::default();
    options.factoring = factoring;
    options.at = Some(prepared.circuit().fluents_of(state));
    if factoring {
        options.parts = prepared.known_factors().map(|factors| factors.fluents());
    }
    let (stop, time) = (Some(stop), Some(LONGEST));
    options.limits = Limits { time, memory_mib: MOST_MEMORY_MIB, stop };
    options
}

/// What is known to fall into parts is solved by them first: that is done at once, or not at all. Once that
/// patience is used up in vain the parts are left alone, and ends of games are found by the search of the
/// whole. One player's plans are found sooner breadth first, and the clock may leave a moment only.
fn solved(
    prepared: &Prepared,
    mut options: SolveOptions,
    patience: &mut Duration,
) -> Option<Solution> {
    if options.parts.is_some() && prepared.net().roles.len() > 1 {
        let (begun, longest) = (Instant::now(), options.limits.time);
        (options.limits.time, options.choice) = (Some(*patience), Choice::Factored);
        let found = match patience.is_zero() {
            true => None,
            false => solve(prepared.net(), prepared.circuit(), &options).ok(),
        };
        if found.is_some() {
            *patience = BY_PARTS;
            return found;
        }
        *patience = patience.saturating_sub(begun.elapsed());
        (options.limits.time, options.choice) = (longest, Choice::Auto);
        options.factoring = !patience.is_zero();
    }
    solve(prepared.net(), prepared.circuit(), &options).ok()
}

/// The states of best play. Only values that a player can secure by itself are of use.
fn planned(prepared: &Prepared, start: &State, solution: &Solution) -> Option<Plan> {
    if !matches!(solution.meaning, Meaning::Best | Meaning::Opposed) {
        return None;
    }
    let whole = |value: gambol_solve::Fraction| u32::try_from(value.whole()?).ok();
    let values: Option<Vec<u32>> =
        solution.values.iter().map(|bounds| whole(bounds.value()?)).collect();
    let mut evaluator = Evaluator::new(prepared.circuit());
    let (mut moves, mut state) = (FxHashMap::default(), start.clone());
    for joint in &solution.line {
        let next = evaluator.next(&state, joint);
        moves.insert(state, joint.clone());
        state = next;
    }
    (!moves.is_empty()).then_some(Plan { moves, values: values?.into() })
}
