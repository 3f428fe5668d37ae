//! `gambol verify GAME DIR`: a sample of the states of a store against the plain interpreter.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use gambol::Game;
use gambol::ground::FluentId;
use gambol::index::Id;
use gambol::index::bits::ones_of_row;
use gambol::reference::Interpreter;
use gambol::solve::SolveOptions;
use gambol::solve::layers::{Answers, LayeredGame};
use gambol::verify::{Fraction, check_entry};
use serde::Serialize;

use crate::folder_shelf::FolderShelf;
use crate::numbers::{counted, grouped};
use crate::outcome::Outcome;
use crate::session::Session;

#[derive(Serialize)]
struct Report {
    accepted: bool,
    /// Whether no limit cut the check short.
    finished: bool,
    /// What is wrong with which state.
    reason: Option<String>,
    state: Option<String>,
    /// How many states were checked, of how many.
    checked: u64,
    states: u64,
    /// Whether all layers are listed and have values.
    complete: bool,
    seconds: f64,
}

/// Checks so many states, the same number of each layer.
pub(super) fn run(
    folder: &Path,
    game: &Game,
    sample: usize,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let shelf = FolderShelf::open(folder)?;
    let (net, circuit) = (super::net_of(game, session)?, super::stage(game.circuit())?);
    let options = SolveOptions::default();
    let layered = LayeredGame::new(net, circuit, &options)?;
    let plan = layered.plan_to_ask(&shelf)?;
    let answers = Answers::new(&plan, &shelf)?;
    let (layers, _) = answers.progress();
    let mut judge =
        Judge { game, answers: &answers, interpreter: super::stage(game.interpreter())? };
    let mut report = Report {
        accepted: false,
        finished: true,
        reason: None,
        state: None,
        checked: 0,
        states: answers.states(),
        complete: answers.is_complete(),
        seconds: 0.0,
    };
    'layers: for layer in 0..layers as u32 {
        for state in answers.some_states(layer, sample.div_ceil(layers), session.flags.seed)? {
            if session.watch.met().is_some() {
                report.finished = false;
                break 'layers;
            }
            let names =
                ones_of_row(&state).map(|fluent| &*net.fluents[FluentId::from_index(fluent)]);
            let text = names.collect::<Vec<_>>().join(" ");
            match judge.check(&state, &text)? {
                Verdict::NoValue => continue 'layers,
                Verdict::Right => report.checked += 1,
                Verdict::Wrong(reason) => {
                    (report.reason, report.state) = (Some(reason), Some(text));
                    break 'layers;
                }
            }
        }
    }
    report.accepted = report.reason.is_none() && report.finished && report.checked > 0;
    report.seconds = started.elapsed().as_secs_f64();
    if session.flags.json {
        session.json(&report)?;
    } else {
        show(&report, session)?;
    }
    Ok(session.outcome(report.accepted))
}

enum Verdict {
    Right,
    Wrong(String),
    /// The layer has no values yet.
    NoValue,
}

struct Judge<'a> {
    game: &'a Game,
    answers: &'a Answers<'a>,
    interpreter: Interpreter,
}

impl Judge<'_> {
    fn check(&mut self, state: &[u64], text: &str) -> anyhow::Result<Verdict> {
        let Some(said) = ranges(self.answers, state).map_err(anyhow::Error::msg)? else {
            return Ok(Verdict::NoValue);
        };
        let (game, answers, width) = (self.game, self.answers, state.len());
        let mut lookup = |names: &[String]| {
            let position = game.state(&names.join(" ")).map_err(|error| error.to_string())?;
            let mut words = position.state().words().to_vec();
            words.resize(width, 0);
            ranges(answers, &words)
        };
        Ok(match check_entry(&mut self.interpreter, text, &said, &mut lookup) {
            Ok(()) => Verdict::Right,
            Err(wrong) => Verdict::Wrong(wrong.to_string()),
        })
    }
}

/// What a store says of a state, in both readings.
fn ranges(answers: &Answers<'_>, state: &[u64]) -> Result<Option<Vec<[Fraction; 2]>>, String> {
    let found = answers.of(state).map_err(|error| error.to_string())?;
    let values = found.and_then(|answer| answer.values);
    let both = |values: Vec<gambol::solve::Bounds>| {
        values.iter().map(|bounds| [bounds.least, bounds.most]).collect()
    };
    Ok(values.map(both))
}

fn show(report: &Report, session: &mut Session) -> anyhow::Result<()> {
    let out = &mut session.out;
    let checked = counted(report.checked as usize, "state");
    match (&report.reason, &report.state) {
        (Some(reason), Some(state)) => writeln!(out, "refused: {reason}\nstate  {state}")?,
        _ if !report.finished => writeln!(out, "open: {checked} were checked and are right")?,
        _ if report.checked == 0 => writeln!(out, "open: no state has a value yet")?,
        _ => {
            let all = grouped(report.states);
            writeln!(out, "accepted: the rules bear out {checked} of {all}, chosen at random")?;
            if !report.complete {
                writeln!(out, "not all states of the game have values yet")?;
            }
        }
    }
    Ok(())
}
