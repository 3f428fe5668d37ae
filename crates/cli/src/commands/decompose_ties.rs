//! How `gambol decompose` tells whether a cut is the finest: the lines of play that hold its parts together.

use gambol::decompose::{Decomposition, SubgameId, Tie, TieKind};
use gambol::index::Id;
use gambol::net::Net;
use serde::Serialize;

use super::decompose_repair::{LineView, spelt};

#[derive(Serialize)]
pub(crate) struct FinestView {
    /// Whether no part that is played can be cut further; if not, it is not known.
    known: bool,
    witnesses: Vec<TieView>,
}

#[derive(Serialize)]
struct TieView {
    subgame: usize,
    kind: &'static str,
    fluents: [String; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    lines: Vec<LineView>,
    moves: Vec<Vec<String>>,
}

impl FinestView {
    pub(crate) fn of(net: &Net, found: &Decomposition) -> Self {
        let parts = found.subgames.iter_ids();
        let ties = parts.flat_map(|(id, part)| part.ties.iter().map(move |tie| (id, tie)));
        Self {
            known: found.is_finest(),
            witnesses: ties.map(|(id, tie)| TieView::of(net, id, tie)).collect(),
        }
    }
}

impl TieView {
    fn of(net: &Net, id: SubgameId, tie: &Tie) -> Self {
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
