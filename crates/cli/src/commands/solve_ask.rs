//! `gambol solve GAME --store DIR`: what a store says of a state and its moves.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use gambol::Game;
use gambol::net::Net;
use gambol::report::{Number, value_in_words};
use gambol::solve::layers::{Answers, LayeredGame, StateAnswer, ask, is_chance};
use gambol::solve::{Bounds, SolveOptions};
use serde::Serialize;

use crate::folder_shelf::FolderShelf;
use crate::numbers::counted;
use crate::outcome::Outcome;
use crate::session::Session;

/// What each role can secure; none if that is not known yet.
type Values<'a> = Option<BTreeMap<&'a str, [Number; 2]>>;

#[derive(Serialize)]
struct Report<'a> {
    /// Whether the store lists the state.
    found: bool,
    /// How many steps lead to it.
    layer: Option<u32>,
    bounds: Values<'a>,
    /// Who has a choice.
    choosers: Vec<&'a str>,
    moves: Vec<MoveView<'a>>,
    seconds: f64,
}

#[derive(Serialize)]
struct MoveView<'a> {
    #[serde(rename = "move")]
    joint: Vec<&'a str>,
    bounds: Values<'a>,
    /// Whether no other move is better for the only role that chooses.
    best: bool,
    #[serde(skip)]
    words: Vec<String>,
}

/// Looks a state up.
pub(super) fn run(
    folder: &Path,
    game: &Game,
    options: &SolveOptions,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let (net, circuit) = (super::net_of(game, session)?, super::stage(game.circuit())?);
    let layered = LayeredGame::new(net, circuit, options)?;
    let shelf = FolderShelf::open(folder)?;
    let started = Instant::now();
    let plan = layered.plan_to_ask(&shelf)?;
    let answers = Answers::new(&plan, &shelf)?;
    let found = ask(&answers, net, circuit, layered.start())?;
    let mut report = report(net, found.as_ref());
    report.seconds = started.elapsed().as_secs_f64();
    if session.flags.json {
        session.json(&report)?;
    } else {
        show(net, found.as_ref(), &report, session)?;
    }
    Ok(session.outcome(report.found))
}

fn report<'a>(net: &'a Net, found: Option<&StateAnswer>) -> Report<'a> {
    let bounds = |values: &Option<Vec<Bounds>>| {
        let both = |bounds: &Bounds| [bounds.least, bounds.most].map(Number::from);
        let names = net.roles.iter().map(|role| &**role);
        values.as_ref().map(|values| names.zip(values.iter().map(both)).collect())
    };
    let role = |role: &usize| net.roles.iter().nth(*role).map(|role| &**role);
    let moves = found.map_or(&[][..], |found| &found.moves).iter().map(|made| MoveView {
        joint: made.joint.iter().map(|&action| &*net.moves[action].name).collect(),
        bounds: bounds(&made.values),
        best: made.best,
        words: made.values.iter().flatten().map(value_in_words).collect(),
    });
    Report {
        found: found.is_some(),
        layer: found.map(|found| found.answer.layer),
        bounds: found.and_then(|found| bounds(&found.answer.values)),
        choosers: found.map_or(&[][..], |found| &found.choosers).iter().filter_map(role).collect(),
        moves: moves.collect(),
        seconds: 0.0,
    }
}

fn show(
    net: &Net,
    found: Option<&StateAnswer>,
    report: &Report<'_>,
    session: &mut Session,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    let Some(found) = found else {
        writeln!(out, "the store does not list this state: no play from its start leads to it")?;
        return Ok(());
    };
    for (role, name) in net.roles.iter().enumerate().filter(|(role, _)| !is_chance(net, *role)) {
        let value = found.answer.values.as_ref().and_then(|values| values.get(role));
        writeln!(out, "{name}: {}", value.map_or("not known yet".to_string(), value_in_words))?;
    }
    for made in &report.moves {
        let words = if made.words.is_empty() { "?".to_string() } else { made.words.join(", ") };
        let best = if made.best { "  best" } else { "" };
        writeln!(out, "  {}: {words}{best}", made.joint.join(", "))?;
    }
    let (steps, seconds) = (counted(found.answer.layer as usize, "step"), report.seconds);
    writeln!(out, "{steps} from the start, asked in {:.1} ms", seconds * 1e3)?;
    Ok(())
}
