//! `gambol store`: what a store of `gambol solve --strong --store` holds.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gambol::solve::layers::{Answers, LayerCounts, Plan};
use serde::Serialize;

use super::solve::{StrongView, strong_views};
use crate::folder_shelf::FolderShelf;
use crate::numbers::{counted, grouped};
use crate::outcome::Outcome;
use crate::session::Session;

/// Which store.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A folder filled by `gambol solve GAME --strong --store`
    folder: PathBuf,
}

#[derive(Serialize)]
struct Report<'a> {
    folder: &'a PathBuf,
    roles: &'a [String],
    bits: u32,
    /// Whether all states are listed, and whether all have values.
    listed: bool,
    complete: bool,
    states: u64,
    /// How many of them files hold; the others are symmetric to these.
    stored: u64,
    successors: u64,
    bytes: u64,
    layers: Vec<LayerView<'a>>,
    /// How many states of all layers that have values are worth what.
    strong: Vec<StrongView<'a>>,
}

#[derive(Serialize)]
struct LayerView<'a> {
    layer: u32,
    states: u64,
    stored: u64,
    bytes: u64,
    classes: Option<Vec<StrongView<'a>>>,
    /// For each partition a digest of its bytes; the same however many workers wrote them.
    keys: Vec<Option<String>>,
    values: Vec<Option<String>>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let shelf = FolderShelf::open(&arguments.folder)?;
    let plan = Plan::on(&shelf)?;
    let answers = Answers::new(&plan, &shelf)?;
    let layers = answers.layers()?;
    let roles = plan.roles().iter().map(String::as_str);
    let report = Report {
        folder: &arguments.folder,
        roles: plan.roles(),
        bits: plan.bits(),
        listed: answers.is_listed(),
        complete: answers.is_complete(),
        states: answers.states(),
        stored: answers.stored(),
        successors: answers.successors(),
        bytes: layers.iter().map(|layer| layer.bytes).sum(),
        strong: strong_views(roles.clone(), &answers.classes()?),
        layers: layers.iter().map(|layer| view(roles.clone(), layer)).collect(),
    };
    if session.flags.json {
        session.json(&report)?;
    } else {
        show(&report, session)?;
    }
    Ok(session.outcome(report.complete))
}

fn view<'a>(roles: impl Iterator<Item = &'a str> + Clone, layer: &LayerCounts) -> LayerView<'a> {
    let hexadecimal = |which: usize| {
        let digest =
            move |digests: &[Option<u64>; 2]| digests[which].map(|sum| format!("{sum:016x}"));
        layer.digests.iter().map(digest).collect()
    };
    LayerView {
        layer: layer.layer,
        states: layer.states,
        stored: layer.stored,
        bytes: layer.bytes,
        classes: layer.classes.as_ref().map(|classes| strong_views(roles, classes)),
        keys: hexadecimal(0),
        values: hexadecimal(1),
    }
}

/// The widest bar of the plot.
const WIDEST: u64 = 60;
/// How the parts of a bar are drawn, by value; a layer without values is drawn in the last way.
const SHADES: [char; 4] = ['█', '▓', '▒', '░'];
const NO_VALUE: char = '·';

fn show(report: &Report<'_>, session: &mut Session) -> anyhow::Result<()> {
    let out = &mut session.out;
    let most = report.layers.iter().map(|layer| layer.states).max().unwrap_or(0).max(1);
    let worths: Vec<String> = report.strong.iter().map(StrongView::worth).collect();
    for layer in &report.layers {
        let bar = bar(layer, &worths, most);
        writeln!(out, "{:>5} {:>15} {bar}", layer.layer, grouped(layer.states))?;
    }
    for (class, worth) in report.strong.iter().zip(&worths) {
        let shade = shade(&worths, worth);
        writeln!(out, "{shade} {}: {worth}", counted(class.states as usize, "state"))?;
    }
    let state = match (report.complete, report.listed) {
        (true, _) => "complete",
        (false, true) => "all states are listed, not all have values",
        (false, false) => "not all states are listed",
    };
    let bits = (report.bytes * 8) as f64 / report.states.max(1) as f64;
    writeln!(
        out,
        "{} in {}, {bits:.1} bits each: {state}",
        counted(report.states as usize, "state"),
        counted(report.layers.len(), "layer")
    )?;
    Ok(())
}

fn shade(worths: &[String], worth: &String) -> char {
    let place = worths.iter().position(|other| other == worth).unwrap_or(0);
    SHADES[place % SHADES.len()]
}

/// A bar as long as the layer is large, in parts by value. What is there at all is seen.
fn bar(layer: &LayerView<'_>, worths: &[String], most: u64) -> String {
    let length = |states: u64| (states * WIDEST).div_ceil(most) as usize;
    let Some(classes) = &layer.classes else {
        return NO_VALUE.to_string().repeat(length(layer.states));
    };
    let part = |class: &StrongView<'_>| {
        shade(worths, &class.worth()).to_string().repeat(length(class.states))
    };
    classes.iter().map(part).collect()
}
