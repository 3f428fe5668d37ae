//! Do the three engines agree? Random games on all of them at once, compared state by state.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{Engine, EngineKind, Game, MachineError, StageError, State};

/// How many games to compare.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The number of random games.
    pub games: u64,
    /// Makes the games repeatable.
    pub seed: u64,
    /// A game is cut off after this many steps.
    pub max_steps: u32,
    /// No step is begun after this time. The machines are made ready before it begins.
    pub time: Option<Duration>,
    /// Raised from outside to stop.
    pub stop: Option<&'a AtomicBool>,
}

/// What was compared without finding a difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Agreement {
    /// Games begun.
    pub games: u64,
    /// States compared.
    pub states: u64,
}

/// Why the engines cannot be said to agree.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Disagreement {
    /// There is no such engine for this game.
    #[error("{0}")]
    Stage(#[from] StageError),
    /// An engine failed to answer.
    #[error("{0}")]
    Machine(#[from] MachineError),
    /// Two engines answer differently.
    #[error(
        "{engine} and interpreter differ in {what} of the state {state}: {found} against {expected}"
    )]
    Differs {
        /// Who differs from the interpreter.
        engine: &'static str,
        /// In which answer.
        what: &'static str,
        /// The fluents of the state.
        state: String,
        /// The interpreter's answer.
        expected: String,
        /// The other's.
        found: String,
    },
}

/// Plays random games on all three engines at once; the interpreter is the judge.
pub fn compare_engines(
    game: &Game,
    comparison: &Comparison<'_>,
) -> Result<Agreement, Disagreement> {
    compare_with(game, comparison, &[EngineKind::Net, EngineKind::Circuit])
}

/// Plays random games on the interpreter and on these engines at once.
pub fn compare_with(
    game: &Game,
    comparison: &Comparison<'_>,
    engines: &[EngineKind],
) -> Result<Agreement, Disagreement> {
    let mut judge = game.engine(EngineKind::Reference)?;
    let mut others = Vec::with_capacity(engines.len());
    for &kind in engines {
        others.push((kind.as_str(), game.engine(kind)?));
    }
    // The circuit makes its code when it is first asked.
    for (_, engine) in &mut others {
        let start = engine.initial()?;
        engine.terminal(&start)?;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(comparison.seed);
    let mut agreement = Agreement::default();
    let started = Instant::now();
    let stopped = || {
        comparison.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || comparison.time.is_some_and(|time| started.elapsed() >= time)
    };
    while agreement.games < comparison.games && !stopped() {
        agreement.games += 1;
        let mut state = judge.initial()?;
        for (name, engine) in &mut others {
            differ(name, "the fluents", &state, &state, &engine.initial()?)?;
        }
        for _ in 0..comparison.max_steps {
            agreement.states += 1;
            let view = View::of(judge.as_mut(), &state)?;
            for (name, engine) in &mut others {
                view.compare(name, engine.as_mut(), &state)?;
            }
            let Some(joint) = view.choose(&mut random).filter(|_| !stopped()) else { break };
            let seen = judge.percepts(&state, &joint)?;
            let next = judge.next(&state, &joint)?;
            for (name, engine) in &mut others {
                differ(name, "the percepts", &state, &seen, &engine.percepts(&state, &joint)?)?;
                differ(name, "the successor", &state, &next, &engine.next(&state, &joint)?)?;
            }
            state = next;
        }
    }
    Ok(agreement)
}

/// What an engine says about a state.
struct View {
    terminal: bool,
    legal: Vec<Vec<String>>,
    goals: Vec<Option<u32>>,
}

impl View {
    fn of(engine: &mut dyn Engine, state: &State) -> Result<Self, MachineError> {
        Ok(Self {
            terminal: engine.terminal(state)?,
            legal: engine.legal(state)?,
            goals: engine.goals(state)?,
        })
    }

    fn compare(
        &self,
        name: &'static str,
        engine: &mut dyn Engine,
        state: &State,
    ) -> Result<(), Disagreement> {
        let found = View::of(engine, state)?;
        differ(name, "the end", state, &self.terminal, &found.terminal)?;
        differ(name, "the legal moves", state, &self.legal, &found.legal)?;
        differ(name, "the goals", state, &self.goals, &found.goals)
    }

    /// One legal move per role, unless the game is over or stuck.
    fn choose(&self, random: &mut Xoshiro256PlusPlus) -> Option<Vec<String>> {
        if self.terminal || self.legal.iter().any(Vec::is_empty) {
            return None;
        }
        let choose = |moves: &Vec<String>| moves[random.random_range(0..moves.len())].clone();
        Some(self.legal.iter().map(choose).collect())
    }
}

fn differ<T: PartialEq + std::fmt::Debug>(
    engine: &'static str,
    what: &'static str,
    state: &State,
    expected: &T,
    found: &T,
) -> Result<(), Disagreement> {
    if expected == found {
        return Ok(());
    }
    Err(Disagreement::Differs {
        engine,
        what,
        state: state.join(" "),
        expected: format!("{expected:?}"),
        found: format!("{found:?}"),
    })
}
