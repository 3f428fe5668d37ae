//! How `gambol decompose` tells of parts that a failed proof has joined.

use std::io::Write;

use gambol::decompose::{Line, Repair};
use gambol::ground::MoveId;
use gambol::net::Net;
use serde::Serialize;

use super::decompose::{names, shortened, steps};

#[derive(Serialize)]
pub(crate) struct RepairView {
    requirement: &'static str,
    joined: Vec<Vec<String>>,
    fluent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    moves: Vec<Vec<String>>,
    start: Vec<String>,
    lines: Vec<LineView>,
}

#[derive(Serialize)]
pub(crate) struct LineView {
    moves: Vec<Vec<String>>,
    state: Vec<String>,
}

impl LineView {
    pub(crate) fn of(net: &Net, line: &Line) -> Self {
        Self {
            moves: line.moves.iter().map(|joint| spelt(net, joint)).collect(),
            state: names(net, &line.state),
        }
    }
}

impl RepairView {
    pub(crate) fn of(net: &Net, repair: &Repair) -> Self {
        Self {
            requirement: repair.requirement.as_str(),
            joined: repair.joined.iter().map(|part| names(net, part)).collect(),
            fluent: repair.fluent.map(|fluent| net.fluents[fluent].to_string()),
            role: repair.role.map(|role| net.roles[role].to_string()),
            moves: repair.moves.iter().map(|moves| spelt(net, moves)).collect(),
            start: names(net, &repair.start),
            lines: repair.lines.iter().map(|line| LineView::of(net, line)).collect(),
        }
    }
}

/// Moves as they are written, in their order.
pub(crate) fn spelt(net: &Net, moves: &[MoveId]) -> Vec<String> {
    moves.iter().map(|&action| net.moves[action].name.to_string()).collect()
}

pub(crate) fn print(net: &Net, repair: &Repair, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "  joined by the proof: {}", repair.reason(net))?;
    for part in &repair.joined {
        writeln!(out, "     {}", shortened(&names(net, part)))?;
    }
    let from = if repair.start == net.initial { "" } else { " from a state met in play" };
    for line in &repair.lines {
        let played: Vec<String> =
            line.moves.iter().map(|joint| spelt(net, joint).join(" ")).collect();
        let after = steps(played.len() as u32);
        writeln!(out, "     after {after}{from}: {}", shortened(&played))?;
    }
    Ok(())
}
