//! What is proved about a game, fact by fact, each with its reason.

use std::sync::Arc;

use gambol::analysis::{Shape, ShapeOptions};
use gambol::report::{Family, Section, families, sections};
use serde::Serialize;
use serde_json::json;

use crate::job::{Job, Telling};
use crate::refusal::Refusal;
use crate::workshop::Opened;

/// The answer of the job.
#[derive(Serialize)]
pub(crate) struct Structure {
    sections: Vec<Shown>,
    states: Option<usize>,
    complete: bool,
    /// The searches that the clock ended, in words.
    cut_short: Vec<&'static str>,
    seconds: f64,
}

const MOST_FACTS: usize = 400;

/// Facts of one kind, as many as the page can show.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    section: Section,
    /// Those that differ only in their arguments, together.
    families: Vec<Family>,
    /// Facts that are not listed.
    more: usize,
}

impl From<Section> for Shown {
    fn from(mut section: Section) -> Self {
        let families = families(&section.facts);
        let more = section.facts.len().saturating_sub(MOST_FACTS);
        section.facts.truncate(MOST_FACTS);
        Self { section, families, more }
    }
}

/// Analyses the game, and keeps what it finds.
pub(crate) fn structure(
    opened: &Opened,
    job: &Arc<Job>,
    seconds: f64,
    thorough: bool,
) -> Result<Structure, Refusal> {
    let net = opened.net()?;
    let mut options = ShapeOptions::default().seconds(seconds.clamp(0.5, 120.0));
    options.thorough = thorough;
    let shape = analysed(opened, job, options)?;
    Ok(Structure {
        sections: sections(net, &shape).into_iter().map(Shown::from).collect(),
        states: shape.states,
        complete: shape.complete,
        cut_short: shape.cut_short.iter().map(|stage| stage.text()).collect(),
        seconds: shape.time.as_secs_f64(),
    })
}

/// The shape of the game, from before if there is one.
pub(crate) fn analysed(
    opened: &Opened,
    job: &Arc<Job>,
    mut options: ShapeOptions,
) -> Result<Arc<Shape>, Refusal> {
    options.budget.stop = Some(job.flag());
    let mut telling = Telling::of(job);
    let found = opened.game.structure_with(&options, &mut |stage| {
        telling.say(json!({ "stage": stage.text(), "seconds": job.seconds() }));
    });
    found.map_err(|error| Refusal::Beyond(error.to_string()))
}
