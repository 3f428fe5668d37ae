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
    (
        FactKind::Latch,
        "Latches",
        "Facts that can never change back, and the goals that are lost with them.",
    ),
    (
        FactKind::GroupLatch,
        "Latches of groups",
        "Groups of facts that last once all of them hold, and the goals that are lost with them.",
    ),
    (
        FactKind::Goal,
        "Goals that are lost",
        "Scores that are out of reach from then on: a search need not look any further.",
    ),
    (FactKind::Turn, "Turns", "Which role has a choice, and when."),
    (FactKind::Clock, "Clocks", "Facts that change by themselves, whatever is played."),
    (
        FactKind::Exclusive,
        "Exclusive groups",
        "Groups of which at most one fact holds at a time, like the values of a variable.",
    ),
    (
        FactKind::Inhibitor,
        "Inhibitors",
        "Facts or moves that rule out another fact in the next state.",
    ),
    (FactKind::Open, "Not decided", "True in every random game, but not proved."),
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
