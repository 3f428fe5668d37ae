//! Verdicts: what is known of a claim. Never a guess.

use gambol_net::{MoveId, Net};

use crate::proof::Proof;

/// What is known of a claim about all reachable states or steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds.
    Proved(Proof),
    /// It fails, and this is how to see it fail.
    Refuted(Witness),
    /// Neither a proof nor a counterexample was found.
    Unknown,
}

impl Verdict {
    /// Whether the claim holds for sure.
    pub fn is_proved(&self) -> bool {
        matches!(self, Verdict::Proved(_))
    }

    /// Whether the claim fails for sure.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Verdict::Refuted(_))
    }
}

/// Joint moves from the start. A claim about a state fails in the state they lead to, one about a
/// step fails in the last of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// One move for each role, step by step.
    pub moves: Vec<Box<[MoveId]>>,
}

impl Witness {
    /// The joint moves as GDL text, each role's move separated by a blank.
    pub fn text(&self, net: &Net) -> Vec<String> {
        let name = |action: &MoveId| net.moves[*action].name.to_string();
        self.moves.iter().map(|step| step.iter().map(name).collect::<Vec<_>>().join(" ")).collect()
    }
}
