//! `gambol step`: one state and what follows from it.

use std::collections::BTreeMap;
use std::io::Write;

use clap::Args;
use gambol::{Engine, EngineKind, State, terms};
use serde::Serialize;

use crate::flags::{CaseFlag, EngineFlag};
use crate::game_source::load;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// Which state, and which moves from it.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// The state, as in "(cell 1 1 x) (control o)" [default: the start]
    #[arg(long, value_name = "TERMS", allow_hyphen_values = true)]
    state: Option<String>,
    /// One move per role in the order of the rules, as in "(mark 1 1) noop"
    #[arg(long, value_name = "TERMS", allow_hyphen_values = true)]
    moves: Option<String>,
    /// Also show the derived facts that hold
    #[arg(long)]
    views: bool,
    /// Which engine answers
    #[arg(long, default_value = "reference")]
    engine: EngineFlag,
}

#[derive(Serialize)]
struct Report {
    engine: &'static str,
    roles: Vec<String>,
    state: State,
    legal: BTreeMap<String, Vec<String>>,
    terminal: bool,
    goals: BTreeMap<String, Option<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    views: Option<Vec<String>>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    let kind = EngineKind::from(arguments.engine);
    let mut engine = super::stage(game.engine(kind))?;
    let moves = arguments.moves.as_deref().map(|moves| given(moves, session)).transpose()?;
    let state = match &arguments.state {
        Some(state) => {
            let mut state = given(state, session)?;
            state.sort_unstable();
            state.dedup();
            state
        }
        None => engine.initial()?,
    };
    let views = if arguments.views { Some(game.views(&state, moves.as_deref())?) } else { None };
    let report = report(kind, engine.as_mut(), state, moves.as_deref(), views)?;
    if session.flags.json {
        session.json(&report)?;
    } else {
        print(&report, session)?;
    }
    Ok(session.outcome(true))
}

/// Terms from the command line, in the case in which the rules were read.
fn given(text: &str, session: &Session) -> anyhow::Result<Vec<String>> {
    let options = session.read_options(CaseFlag::Exact);
    terms(text, &options).map_err(|error| Stop::Usage(error.to_string()).into())
}

fn report(
    kind: EngineKind,
    engine: &mut dyn Engine,
    state: State,
    moves: Option<&[String]>,
    views: Option<Vec<String>>,
) -> anyhow::Result<Report> {
    let roles = engine.roles().to_vec();
    let legal = engine.legal(&state)?;
    let goals = engine.goals(&state)?;
    let next = moves.map(|moves| next(engine, &legal, &state, moves)).transpose()?;
    Ok(Report {
        engine: kind.as_str(),
        terminal: engine.terminal(&state)?,
        legal: roles.iter().cloned().zip(legal).collect(),
        goals: roles.iter().cloned().zip(goals).collect(),
        roles,
        state,
        next,
        views,
    })
}

/// Moves that are not legal have no meaning, so they are refused.
fn next(
    engine: &mut dyn Engine,
    legal: &[Vec<String>],
    state: &State,
    moves: &[String],
) -> anyhow::Result<State> {
    for ((role, legal), action) in engine.roles().iter().zip(legal).zip(moves) {
        if !legal.contains(action) {
            return Err(Stop::Usage(format!("{action} is not legal for {role}")).into());
        }
    }
    engine.next(state, moves).map_err(|error| Stop::Usage(error.to_string()).into())
}

fn print(report: &Report, session: &mut Session) -> anyhow::Result<()> {
    let out = &mut session.out;
    writeln!(out, "state     {}", report.state.join(" "))?;
    writeln!(out, "terminal  {}", if report.terminal { "yes" } else { "no" })?;
    for role in &report.roles {
        let goal = report.goals[role].map_or("none".to_string(), |value| value.to_string());
        writeln!(out, "{role}: goal {goal}, legal: {}", report.legal[role].join(" "))?;
    }
    if let Some(views) = &report.views {
        writeln!(out, "views     {}", views.join(" "))?;
    }
    if let Some(next) = &report.next {
        writeln!(out, "next      {}", next.join(" "))?;
    }
    Ok(())
}
