//! What is known about the structure of a game, fact by fact, in sections.

use gambol_analysis::{FactKind, Shape, facts};
use gambol_net::Net;
use serde::Serialize;

/// Facts of one kind.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The kind.
    pub title: &'static str,
    /// What facts of this kind are good for.
    pub about: &'static str,
    /// The facts, most useful first.
    pub facts: Vec<Fact>,
}

/// One fact.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The fact in words.
    pub text: String,
    /// Why it holds.
    pub why: String,
    /// `proved` or `sampled`.
    pub basis: &'static str,
    /// The fluents it is about.
    pub fluents: Vec<String>,
    /// Their gates in the net.
    pub gates: Vec<u32>,
}

/// Kinds of facts, what to call them, and what they are good for.
const KINDS: [(FactKind, &str, &str); 8] = [
    (FactKind::Latch, "Latches", "What can never change back, and what is lost with it."),
    (FactKind::GroupLatch, "Latches of groups", "What lasts together, and what is lost with it."),
    (FactKind::Goal, "Goals that are lost", "Search need not look behind these."),
    (FactKind::Turn, "Turns", "Who can choose when."),
    (FactKind::Clock, "Clocks", "What changes by itself, whatever is played."),
    (FactKind::Exclusive, "Exclusive groups", "The variables that the rules never name."),
    (FactKind::Inhibitor, "Inhibitors", "What keeps something else away for a step."),
    (FactKind::Open, "Not decided", "Seen in every random game, and not proved."),
];

/// What is known about a game, by kind; kinds without facts are left out.
pub fn sections(net: &Net, shape: &Shape) -> Vec<Section> {
    let all = facts(net, shape);
    let section = |&(kind, title, about): &(FactKind, &'static str, &'static str)| {
        let facts = all.iter().filter(|fact| fact.kind == kind);
        let facts: Vec<Fact> = facts.map(|fact| Fact::of(net, fact)).collect();
        (!facts.is_empty()).then_some(Section { title, about, facts })
    };
    KINDS.iter().filter_map(section).collect()
}

/// What is known about a game, most useful first; at the end what is not decided.
pub fn known(net: &Net, shape: &Shape) -> Vec<Fact> {
    facts(net, shape).iter().map(|fact| Fact::of(net, fact)).collect()
}

impl Fact {
    fn of(net: &Net, fact: &gambol_analysis::Fact) -> Self {
        let fluents = || fact.fluents.iter();
        Self {
            text: fact.text.clone(),
            why: fact.why.clone(),
            basis: if fact.proved { "proved" } else { "sampled" },
            fluents: fluents().map(|&fluent| net.fluents[fluent].to_string()).collect(),
            gates: fluents().map(|&fluent| net.fluent_gate(fluent).number()).collect(),
        }
    }
}
