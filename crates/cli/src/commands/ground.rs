//! `gambol ground`: the rules without variables.

use std::io::Write;
use std::time::Instant;

use clap::Args;
use gambol::ground::{Formula, GroundGame, Signal};
use serde::Serialize;

use crate::game_source::load;
use crate::outcome::Outcome;
use crate::progress::Working;
use crate::session::Session;
use gambol_system::peak_mib;

/// What to ground.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// List fluents and moves
    #[arg(long)]
    list: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    roles: Vec<&'a str>,
    fluents: usize,
    moves: usize,
    rules: usize,
    formulas: usize,
    seconds: f64,
    peak_mib: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fluent_names: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    move_names: Option<Vec<(&'a str, &'a str)>>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    let started = Instant::now();
    let working = Working::on("grounding", session);
    let ground = super::stage(game.ground().map_err(Into::into))?;
    drop(working);
    let seconds = started.elapsed().as_secs_f64();
    let report = Report {
        roles: ground.roles.iter().map(AsRef::as_ref).collect(),
        fluents: ground.fluents.len(),
        moves: ground.moves.len(),
        rules: rule_count(ground),
        formulas: ground.formulas.len(),
        seconds,
        peak_mib: peak_mib(),
        fluent_names: arguments.list.then(|| ground.fluents.iter().map(AsRef::as_ref).collect()),
        move_names: arguments.list.then(|| move_names(ground)),
    };
    if session.flags.json {
        session.json(&report)?;
    } else {
        print(&report, session)?;
    }
    Ok(session.outcome(true))
}

fn move_names(ground: &GroundGame) -> Vec<(&str, &str)> {
    let moves = ground.moves.iter();
    moves.map(|action| (&*ground.roles[action.role], &*action.name)).collect()
}

/// The ground rules: for each atom the number of alternatives that make it hold.
pub(crate) fn rule_count(ground: &GroundGame) -> usize {
    let heads = ground.next.iter().chain(&ground.legal).copied().chain([ground.terminal]);
    let goals = ground.goals.iter().map(|goal| goal.when);
    let percepts = ground.percepts.iter().map(|percept| percept.when);
    let views = ground.views.iter().map(|view| view.when);
    heads.chain(goals).chain(percepts).chain(views).map(|when| alternatives(ground, when)).sum()
}

fn alternatives(ground: &GroundGame, when: Signal) -> usize {
    if when == Signal::FALSE {
        return 0;
    }
    match ground.formulas.formula(when.formula()) {
        Formula::Or(inputs) if !when.is_negated() => inputs.len(),
        _ => 1,
    }
}

fn print(report: &Report<'_>, session: &mut Session) -> anyhow::Result<()> {
    let out = &mut session.out;
    writeln!(out, "roles    {}", report.roles.join(" "))?;
    writeln!(out, "fluents  {}", report.fluents)?;
    writeln!(out, "moves    {}", report.moves)?;
    writeln!(out, "rules    {}", report.rules)?;
    writeln!(out, "{:.3} s, {:.0} MiB", report.seconds, report.peak_mib)?;
    for name in report.fluent_names.iter().flatten() {
        writeln!(out, "fluent {name}")?;
    }
    for (role, name) in report.move_names.iter().flatten() {
        writeln!(out, "move {role} {name}")?;
    }
    Ok(())
}
