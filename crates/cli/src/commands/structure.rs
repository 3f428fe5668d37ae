//! `gambol structure`: latches, inhibitors, exclusive groups, clocks and turns, proved.

mod tree;

use std::io::Write;
use std::time::Duration;

use clap::Args;
use gambol::analysis::{Budget, Shape, ShapeOptions, explain_latch};
use gambol::net::Net;
use gambol::report::{Family, Sentence, Structure, families, known};
use serde::Serialize;

use crate::game_source::load;
use crate::outcome::Outcome;
use crate::progress::Working;
use crate::session::Session;

/// What to analyse.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// List every fact, even those that differ only in their arguments
    #[arg(long)]
    all: bool,
    /// Show the proof of each latch, and counterexamples for the other fluents
    #[arg(long)]
    explain: bool,
    /// Prove by induction only, even if all states can be enumerated
    #[arg(long)]
    no_listing: bool,
    /// Count the game tree of a puzzle, with and without dead states
    #[arg(long)]
    tree: bool,
}

/// Of more facts of one form than these, some are shown.
const MOST_ALIKE: usize = 12;
const SHOWN: usize = 4;

/// Seconds for the analysis if no limit is given.
const DEFAULT_SECONDS: u64 = 6;

/// What is found, and the size of the game tree if it was asked for.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    structure: Structure<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<tree::Counts<'a>>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    let net = super::net_of(&game, session)?;
    let shape = {
        let working = Working::on("playing", session);
        let options = options(arguments, session);
        super::stage(game.structure_with(&options, &mut |stage| working.now(stage.text())))?
    };
    let counts = arguments.tree.then(|| tree::counts(net, &shape, session)).transpose()?;
    if session.flags.json {
        session.json(&Report { structure: Structure::of(net, &shape), tree: counts })?;
    } else {
        print(net, &shape, arguments, session)?;
        if let Some(counts) = counts {
            writeln!(session.out, "{counts}")?;
        }
    }
    for stage in &shape.cut_short {
        session.warn(&format!(
            "there was too little time for {}: a longer --time may find more",
            stage.text()
        ));
    }
    if !shape.complete {
        return Ok(Outcome::Partial);
    }
    Ok(session.outcome(true))
}

fn options(arguments: &Arguments, session: &Session) -> ShapeOptions {
    // A little is kept back, to write the answer in.
    let time = session.watch.time_left().map(|left| left.mul_f64(0.9));
    let mut options = ShapeOptions::default();
    options.budget = Budget {
        time: Some(time.unwrap_or(Duration::from_secs(DEFAULT_SECONDS))),
        stop: Some(session.watch.flag()),
    };
    options.thorough = time.is_some();
    options.seed = session.flags.seed;
    options.listing = !arguments.no_listing;
    options
}

fn print(
    net: &Net,
    shape: &Shape,
    arguments: &Arguments,
    session: &mut Session,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    for line in lines(net, shape, arguments.all) {
        writeln!(out, "{line}")?;
    }
    if arguments.explain {
        for latch in &shape.latches {
            writeln!(out, "{}", explain_latch(net, shape, latch))?;
        }
    }
    let states = shape.states.map_or(String::new(), |states| format!(" all {states} states met;"));
    writeln!(out, "everything above is proved;{states} {:.3} s", shape.time.as_secs_f64())?;
    Ok(())
}

/// What is proved, most useful first; facts of one form in one line unless all are wanted.
fn lines(net: &Net, shape: &Shape, all: bool) -> Vec<String> {
    let mut proved = known(net, shape);
    proved.retain(|fact| fact.basis == "proved");
    if all {
        return proved.into_iter().map(|fact| fact.text).collect();
    }
    let told = |members: &[usize]| members.iter().map(|&it| proved[it].text.clone()).collect();
    let of_family = |Family { sentence, members }: Family| -> Vec<String> {
        match sentence {
            Some(Sentence { text, range }) => vec![format!("{text}, {range}")],
            None if members.len() > MOST_ALIKE => {
                let mut lines: Vec<String> = told(&members[..SHOWN]);
                let rest = members.len() - SHOWN;
                lines.push(format!("and {rest} more like these; --all lists them"));
                lines
            }
            None => told(&members),
        }
    };
    families(&proved).into_iter().flat_map(of_family).collect()
}
