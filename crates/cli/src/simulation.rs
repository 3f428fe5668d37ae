//! Random games on any of the engines, and what they come to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gambol::sim::{self, PlayoutOptions, Tally};
use gambol::{
    EngineKind, Game, Machine, NetMachine, Outcomes, RandomPlay, ReferenceMachine, StageError,
    play_at_random,
};
use serde::Serialize;

use crate::session::Session;

/// How much to play.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Amount {
    /// So many games.
    Playouts(u64),
    /// For so long.
    Seconds(f64),
    /// So many games, but no longer than so long. For the engines that play one at a time.
    Either(u64, f64),
}

/// How to play.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) amount: Amount,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) max_steps: u32,
    /// How the circuit's gates are run, and how many games side by side.
    pub(crate) code: sim::Code,
    pub(crate) width: sim::Width,
    pub(crate) stop: Arc<AtomicBool>,
}

impl Plan {
    /// With the seed and the threads of the session, on whatever is fastest.
    pub(crate) fn new(amount: Amount, max_steps: u32, session: &Session) -> Self {
        Self {
            amount,
            seed: session.flags.seed,
            threads: session.threads(),
            max_steps,
            code: sim::Code::Auto,
            width: sim::Width::Auto,
            stop: session.watch.flag(),
        }
    }
}

/// What the games came to.
#[derive(Serialize, Debug)]
pub(crate) struct Report {
    pub(crate) engine: &'static str,
    /// What ran the gates; null unless the circuit played.
    pub(crate) code: Option<&'static str>,
    pub(crate) playouts: u64,
    pub(crate) steps: u64,
    pub(crate) seconds: f64,
    pub(crate) playouts_per_second: f64,
    pub(crate) steps_per_second: f64,
    pub(crate) mean_length: f64,
    /// By role; null where no game had exactly one value.
    pub(crate) mean_goals: BTreeMap<String, Option<f64>>,
    /// Games in which a role had no legal move though the game was not over.
    pub(crate) stuck: u64,
    /// Games cut off by `--max-steps`.
    pub(crate) capped: u64,
    /// Games at the end of which a role had no goal value or several.
    pub(crate) undefined_goals: u64,
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
    pub(crate) basis: &'static str,
    /// Why another engine than the one asked for played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fallback: Option<String>,
}

/// The games of one engine.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) outcomes: Outcomes,
    pub(crate) roles: Vec<String>,
    /// What ran the gates, if the circuit played.
    pub(crate) code: Option<&'static str>,
    /// How many games a thread plays at once.
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
    /// What one thread had of a processor, on average.
    pub(crate) processor_seconds: f64,
}

/// Plays on the engine asked for.
pub(crate) fn play(game: &Game, kind: EngineKind, plan: &Plan) -> Result<Played, StageError> {
    match kind {
        EngineKind::Reference => {
            one_at_a_time(&mut ReferenceMachine::new(game.interpreter()?), plan)
        }
        EngineKind::Net => one_at_a_time(&mut NetMachine::new(game.net()?), plan),
        EngineKind::Circuit => {
            let roles: Vec<_> = game.net()?.roles.iter().map(ToString::to_string).collect();
            let tally = sim::playouts(game.circuit()?, &options(plan));
            let outcomes = outcomes_of(&tally, roles.len());
            let (lanes, threads) = (tally.lanes, tally.threads);
            let processor_seconds = tally.thread_seconds / threads.max(1) as f64;
            let code = Some(tally.engine);
            Ok(Played { outcomes, roles, code, lanes, threads, processor_seconds })
        }
    }
}

/// Plays on the engine asked for, and reports.
pub(crate) fn simulate(game: &Game, kind: EngineKind, plan: &Plan) -> Result<Report, StageError> {
    Ok(Report::of(kind, play(game, kind, plan)?))
}

fn one_at_a_time<M: Machine>(machine: &mut M, plan: &Plan) -> Result<Played, StageError> {
    let (playouts, seconds) = match plan.amount {
        Amount::Playouts(playouts) => (Some(playouts), None),
        Amount::Seconds(seconds) => (None, Some(seconds)),
        Amount::Either(playouts, seconds) => (Some(playouts), Some(seconds)),
    };
    let play = RandomPlay {
        playouts,
        time: seconds.map(Duration::from_secs_f64),
        seed: plan.seed,
        max_steps: plan.max_steps,
        stop: Some(&plan.stop),
    };
    let outcomes = play_at_random(machine, &play)?;
    let (roles, processor_seconds) = (machine.role_names(), outcomes.seconds);
    Ok(Played { outcomes, roles, code: None, lanes: 1, threads: 1, processor_seconds })
}

fn options(plan: &Plan) -> PlayoutOptions {
    let amount = match plan.amount {
        Amount::Playouts(playouts) | Amount::Either(playouts, _) => sim::Amount::Playouts(playouts),
        Amount::Seconds(seconds) => sim::Amount::Seconds(seconds),
    };
    PlayoutOptions {
        amount,
        seed: plan.seed,
        threads: plan.threads,
        width: plan.width,
        code: plan.code,
        max_steps: plan.max_steps,
        stop: Some(Arc::clone(&plan.stop)),
    }
}

impl Report {
    fn of(kind: EngineKind, played: Played) -> Self {
        let Played { outcomes, roles, code, lanes, threads, .. } = played;
        let seconds = outcomes.seconds.max(1e-9);
        Self {
            engine: kind.as_str(),
            code,
            playouts: outcomes.playouts,
            steps: outcomes.steps,
            seconds: outcomes.seconds,
            playouts_per_second: outcomes.playouts as f64 / seconds,
            steps_per_second: outcomes.steps as f64 / seconds,
            mean_length: outcomes.mean_length(),
            mean_goals: roles.into_iter().zip(outcomes.mean_goals()).collect(),
            stuck: outcomes.stuck,
            capped: outcomes.capped,
            undefined_goals: outcomes.undefined_goals,
            lanes,
            threads,
            basis: "sampled",
            fallback: None,
        }
    }
}

/// The circuit's tally in the form of the other engines'.
fn outcomes_of(tally: &Tally, roles: usize) -> Outcomes {
    let mut goals = vec![BTreeMap::new(); roles];
    for goal in &tally.goals {
        goals[gambol::index::Id::index(goal.role)].insert(goal.value, goal.count);
    }
    Outcomes {
        playouts: tally.playouts,
        steps: tally.steps,
        lengths: tally.lengths.clone(),
        goals,
        stuck: tally.stuck,
        capped: tally.capped,
        undefined_goals: tally.undefined_goals,
        seconds: tally.seconds,
    }
}
