//! A net as boxes and arrows, before anybody knows where they go on the page.
//!
//! Three ways to look at a net: *whole*, in the manner of chapter 9, with every proposition and gate;
//! by *relations*, with one box for all propositions of a name; or *around* one gate of it.

mod neighbourhood;
mod parts;
mod relations;
mod whole;

use gambol_index::{IndexVec, define_id};

use crate::{FluentId, GateId, Marking, MoveId, Net};

define_id! {
    /// A box or gate of a diagram.
    pub(crate) struct NodeId;
}

/// What a node represents, and so how it is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Base,
    Input,
    View,
    /// Legality, goals, end, percepts: what the players look at.
    Answer,
    Transition,
    And,
    Or,
    Not,
}

impl Shape {
    /// The word for it, used as a style class and in tooltips.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Shape::Base => "base",
            Shape::Input => "input",
            Shape::View => "view",
            Shape::Answer => "answer",
            Shape::Transition => "transition",
            Shape::And => "and",
            Shape::Or => "or",
            Shape::Not => "not",
        }
    }

    pub(crate) fn is_gate(self) -> bool {
        matches!(self, Shape::And | Shape::Or | Shape::Not)
    }
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) shape: Shape,
    pub(crate) label: String,
    /// A second, smaller line.
    pub(crate) note: String,
    /// Said when one points at it.
    pub(crate) title: String,
    /// Its value, if a marking is shown.
    pub(crate) value: Option<bool>,
    /// The part of the game it belongs to, if parts are shown.
    pub(crate) part: Option<u32>,
    /// The gate it shows, unless it represents several.
    pub(crate) gate: Option<GateId>,
}

/// An arrow. `weight` is how many connections it represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) weight: u32,
}

/// Nodes and edges. The edges that are not marked as going back form no cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Diagram {
    pub(crate) nodes: IndexVec<NodeId, Node>,
    pub(crate) edges: Vec<Edge>,
    /// Recursive rules: edges against the direction of reading.
    pub(crate) back: Vec<Edge>,
    /// From a transition to the base proposition it sets.
    pub(crate) feedback: Vec<Edge>,
}

/// How much of a net to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Detail {
    /// Everything if it fits on a page, else relations.
    #[default]
    Auto,
    /// Every proposition and gate, up to a few thousand.
    Whole,
    /// One box for all propositions of a relation.
    Relations,
    /// A gate, what it reads, and what reads it.
    Around(GateId),
}

/// The parts of a game, each to be drawn in a colour of its own.
#[derive(Clone, Debug, Default)]
pub struct PartColours {
    /// The part of each fluent, if it belongs to one.
    pub fluents: IndexVec<FluentId, Option<u32>>,
    /// The part in which each move acts, if there is exactly one.
    pub moves: IndexVec<MoveId, Option<u32>>,
}

/// How to draw a net.
#[derive(Clone, Copy, Debug, Default)]
pub struct PictureOptions<'a> {
    /// How much to show.
    pub detail: Detail,
    /// Fill what is true under this marking. Shown only if the net is drawn whole.
    pub marking: Option<&'a Marking>,
    /// Colour the parts of the game.
    pub parts: Option<&'a PartColours>,
    /// Of the relations show only those whose name contains this word, and what they read or are read by.
    pub relation: Option<&'a str>,
    /// The name of the game.
    pub title: Option<&'a str>,
}

/// More gates and propositions than this do not fit on a page.
const PAGE: usize = 120;
/// More than this are drawn by relations whatever is asked: no viewer shows so many boxes.
const LARGEST: usize = 5000;

/// The diagram that the options ask for.
pub(crate) fn diagram(net: &Net, options: &PictureOptions) -> Diagram {
    let size = net.gate_count() + net.legal.len() + net.next.len();
    let limit = match options.detail {
        Detail::Auto => PAGE,
        Detail::Whole => LARGEST,
        Detail::Relations => 0,
        Detail::Around(gate) => return whole::around(net, gate, options),
    };
    if size <= limit {
        whole::whole(net, options)
    } else {
        relations::relations(net, options.parts, options.relation)
    }
}
