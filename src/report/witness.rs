//! Lines of play that show something about a cut: that parts had to be joined, or hold together.

use gambol_decompose::{Line, Repair as FoundRepair, SubgameId, Tie, TieKind};
use gambol_index::Id;
use gambol_net::{MoveId, Net};
use serde::Serialize;

use super::decomposition::names;

/// A line of play.
#[derive(Serialize, Debug)]
struct LineView {
    moves: Vec<Vec<String>>,
    state: Vec<String>,
}

impl LineView {
    fn of(net: &Net, line: &Line) -> Self {
        Self {
            moves: line.moves.iter().map(|joint| spelt(net, joint)).collect(),
            state: names(net, &line.state),
        }
    }
}

/// Parts that a failed proof has joined.
#[derive(Serialize, Debug)]
pub struct Repair {
    /// Why, in words.
    reason: String,
    requirement: &'static str,
    joined: Vec<Vec<String>>,
    fluent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    moves: Vec<Vec<String>>,
    start: Vec<String>,
    /// Whether the lines begin where the game does.
    from_the_start: bool,
    lines: Vec<LineView>,
}

impl Repair {
    /// The same in names.
    pub fn of(net: &Net, repair: &FoundRepair) -> Self {
        Self {
            reason: repair.reason(net),
            requirement: repair.requirement.as_str(),
            joined: repair.joined.iter().map(|part| names(net, part)).collect(),
            fluent: repair.fluent.map(|fluent| net.fluents[fluent].to_string()),
            role: repair.role.map(|role| net.roles[role].to_string()),
            moves: repair.moves.iter().map(|moves| spelt(net, moves)).collect(),
            start: names(net, &repair.start),
            from_the_start: repair.start == net.initial,
            lines: repair.lines.iter().map(|line| LineView::of(net, line)).collect(),
        }
    }
}

/// Play that shows that two fluents of a part belong together.
#[derive(Serialize, Debug)]
pub(super) struct TieView {
    subgame: usize,
    kind: &'static str,
    fluents: [String; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    lines: Vec<LineView>,
    moves: Vec<Vec<String>>,
}

impl TieView {
    pub(super) fn of(net: &Net, id: SubgameId, tie: &Tie) -> Self {
        let role = match tie.kind {
            TieKind::Choice(role) => Some(net.roles[role].to_string()),
            TieKind::Reading => None,
        };
        Self {
            subgame: id.index(),
            kind: tie.kind.as_str(),
            fluents: tie.fluents.map(|fluent| net.fluents[fluent].to_string()),
            role,
            lines: tie.lines.iter().map(|line| LineView::of(net, line)).collect(),
            moves: tie.moves.iter().map(|joint| spelt(net, joint)).collect(),
        }
    }
}

/// Moves as they are written, in their order.
fn spelt(net: &Net, moves: &[MoveId]) -> Vec<String> {
    moves.iter().map(|&action| net.moves[action].name.to_string()).collect()
}

/// Joint moves in words, one text for each step.
pub fn joint_moves(net: &Net, line: &[Vec<MoveId>]) -> Vec<String> {
    line.iter().map(|joint| spelt(net, joint).join(" ")).collect()
}
