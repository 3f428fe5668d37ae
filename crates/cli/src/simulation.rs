//! Random games on any of the engines, and what they come to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gambol::index::Id;
use gambol::net::RoleId;
use gambol::sim::{self, PlayoutOptions, Tally};
use gambol::{
    EngineKind, Game, Machine, NetMachine, RandomPlay, ReferenceMachine, StageError, play_at_random,
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
    /// Of the games that came to their end.
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

/// Plays on the engine asked for.
pub(crate) fn play(game: &Game, kind: EngineKind, plan: &Plan) -> Result<Tally, StageError> {
    match kind {
        EngineKind::Reference => {
            one_at_a_time(&mut ReferenceMachine::new(game.interpreter()?), plan)
        }
        EngineKind::Net => one_at_a_time(&mut NetMachine::new(game.net()?), plan),
        EngineKind::Circuit => game.playouts(&options(plan)),
    }
}

/// Plays on the engine asked for, and reports.
pub(crate) fn simulate(game: &Game, kind: EngineKind, plan: &Plan) -> Result<Report, StageError> {
    // Asked first: once the time is over the interpreter answers no more.
    let roles = roles_of(game, kind)?;
    Ok(Report::of(kind, &roles, &play(game, kind, plan)?))
}

/// The names of the roles, as the engine knows them: not every game that can be played has a net.
fn roles_of(game: &Game, kind: EngineKind) -> Result<Vec<String>, StageError> {
    Ok(match kind {
        EngineKind::Reference => ReferenceMachine::new(game.interpreter()?).role_names(),
        EngineKind::Net | EngineKind::Circuit => {
            game.roles()?.into_iter().map(str::to_string).collect()
        }
    })
}

fn one_at_a_time<M: Machine>(machine: &mut M, plan: &Plan) -> Result<Tally, StageError> {
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
    Ok(play_at_random(machine, &play)?)
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
    fn of(kind: EngineKind, roles: &[String], tally: &Tally) -> Self {
        let seconds = tally.seconds.max(1e-9);
        let mean_goals = roles.iter().enumerate().map(|(place, role)| {
            let place = RoleId::from_index(place);
            let has_goal = tally.goals.iter().any(|goal| goal.role == place && goal.count > 0);
            (role.clone(), has_goal.then(|| tally.mean_goal(place)))
        });
        Self {
            engine: kind.as_str(),
            code: (kind == EngineKind::Circuit).then_some(tally.engine),
            playouts: tally.playouts,
            steps: tally.steps,
            seconds: tally.seconds,
            playouts_per_second: tally.playouts as f64 / seconds,
            steps_per_second: tally.steps as f64 / seconds,
            mean_length: tally.mean_length(),
            mean_goals: mean_goals.collect(),
            stuck: tally.stuck,
            capped: tally.capped,
            undefined_goals: tally.undefined_goals,
            lanes: tally.lanes,
            threads: tally.threads,
            basis: "sampled",
            fallback: None,
        }
    }
}
