//! The phases of a game in words and as data.

use gambol_decompose::{Decomposition as Found, Phase, Subgame};
use gambol_index::Id;
use gambol_net::Net;
use serde::Serialize;

use super::decomposition::{SubgameView, names};

/// A phase as data.
#[derive(Serialize, Debug)]
pub(super) struct PhaseView {
    phase: usize,
    /// The crossing point that it begins with, as a condition of rules; none if it is the first.
    begins: Option<String>,
    /// The fluents whose values are handed on to it.
    interface: Vec<String>,
    /// The first and the last step at which it was seen to begin.
    first_step: u32,
    last_step: u32,
    /// What the crossing point and the interface rest on.
    basis: &'static str,
    subgames: Vec<SubgameView>,
    composition: &'static str,
    sound: &'static str,
    classes_exact: &'static str,
    text: String,
}

impl PhaseView {
    pub(super) fn all(net: &Net, found: &Found) -> Vec<Self> {
        let text = phases(net, found);
        let views = found.phases.iter().enumerate().zip(text);
        views.map(|((number, phase), text)| Self::of(net, number, phase, text)).collect()
    }

    fn of(net: &Net, number: usize, phase: &Phase, text: String) -> Self {
        let parts = &phase.parts;
        let subgames = parts.subgames.iter_ids();
        Self {
            phase: number,
            begins: phase.begins.as_ref().map(|begins| begins.text(net)),
            interface: names(net, &phase.interface),
            first_step: phase.steps[0],
            last_step: phase.steps[1],
            basis: phase.basis.as_str(),
            subgames: subgames.map(|(id, one)| SubgameView::of(net, id, one)).collect(),
            composition: parts.composition.as_str(),
            sound: parts.sound.as_str(),
            classes_exact: parts.classes_exact.as_str(),
            text,
        }
    }
}

/// Each phase in one sentence: when it begins, what is handed on to it, and its parts.
pub fn phases(net: &Net, found: &Found) -> Vec<String> {
    let phases = found.phases.iter().enumerate();
    phases.map(|(number, phase)| sentence(net, number, phase)).collect()
}

fn sentence(net: &Net, number: usize, phase: &Phase) -> String {
    let counts = phase.parts.counts();
    let parts = match counts.action_dependent {
        1 => "one part".to_string(),
        some => format!("{some} parts"),
    };
    let clocks = match counts.action_independent {
        0 => String::new(),
        1 => ", one thing changes by itself".to_string(),
        some => format!(", {some} things change by themselves"),
    };
    let begins = match &phase.begins {
        None => "from the start".to_string(),
        Some(begins) => format!("once {} holds{}", begins.text(net), steps(phase.steps)),
    };
    let handed = match (&phase.begins, phase.interface.len()) {
        (None, _) => String::new(),
        (Some(_), 0) => "; nothing is handed on".to_string(),
        (Some(_), 1..=MOST_NAMED) => {
            format!("; handed on: {}", names(net, &phase.interface).join(" "))
        }
        (Some(_), many) => format!("; {many} fluents are handed on"),
    };
    let (point, cut) = (phase.basis.as_str(), phase.parts.sound.as_str());
    let basis = match &phase.begins {
        None => format!("; cut {cut}"),
        Some(_) => format!("; crossing point {point}, cut {cut}"),
    };
    format!("phase {number}, {begins}: {parts}{clocks}{handed}{basis}")
}

/// Fluents of an interface that are named.
const MOST_NAMED: usize = 8;

fn steps([first, last]: [u32; 2]) -> String {
    match first == last {
        true => format!(" (seen at step {first})"),
        false => format!(" (seen at steps {first} to {last})"),
    }
}

/// One line for each part of a phase: what it is and what belongs to it.
pub fn phase_parts(net: &Net, phase: &Phase) -> Vec<(String, Vec<String>)> {
    let kind = |part: &Subgame| if part.action_dependent { "played" } else { "runs by itself" };
    let line = |(id, part): (gambol_decompose::SubgameId, &Subgame)| {
        let number = id.index();
        let (fluents, moves) = (part.fluents.len(), part.moves.len());
        let text = format!(
            "{number}: {}; {fluents} fluents, {moves} moves; {}",
            kind(part),
            part.basis.as_str()
        );
        (text, names(net, &part.fluents))
    };
    phase.parts.subgames.iter_ids().map(line).collect()
}
