//! Evidence: why a claim holds.
//!
//! Only the provers of this crate make a [`Proof`], where their work is done: its fields are private, and it has no
//! public constructor. Whatever carries one has been proved.
//!
//! A [`Proof`] is handed out by the provers of this crate where their work is done, and by nobody else:
//! its fields are private and it has no public constructor. What carries one has been proved.

use std::fmt;

/// Why a claim holds. It cannot be written down by hand:
///
/// ```compile_fail
/// let proof = gambol_analysis::Proof { of: "anything", ..Default::default() };
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    of: &'static str,
    gates: bool,
    listing: bool,
    depth: u32,
    questions: u32,
    invariants: u32,
}

impl Proof {
    const NOTHING: Self =
        Self { of: "", gates: false, listing: false, depth: 0, questions: 0, invariants: 0 };

    /// What gates read, and what they hand on, leaves no other possibility.
    pub(crate) fn by_gates(of: &'static str) -> Self {
        Self { of, gates: true, ..Self::NOTHING }
    }

    /// All reachable states were listed.
    pub(crate) fn by_listing(of: &'static str) -> Self {
        Self { of, listing: true, ..Self::NOTHING }
    }

    /// No state that satisfies the invariants, reached by `depth - 1` steps from others, breaks it;
    /// and no play of fewer steps from the start does.
    pub(crate) fn by_induction(of: &'static str, depth: u32, invariants: usize) -> Self {
        Self { of, depth, invariants: count(invariants), ..Self::NOTHING }
    }

    /// A question about states that satisfy the invariants has no model.
    pub(crate) fn by_question(of: &'static str, invariants: usize) -> Self {
        Self { of, questions: 1, invariants: count(invariants), ..Self::NOTHING }
    }

    /// What follows from several claims that are proved; `None` if there are none.
    pub fn all(of: &'static str, proofs: impl IntoIterator<Item = Self>) -> Option<Self> {
        let together = proofs.into_iter().reduce(Self::and)?;
        Some(Self { of, ..together })
    }

    /// Both claims.
    pub fn and(self, other: Self) -> Self {
        Self {
            of: self.of,
            gates: self.gates || other.gates,
            listing: self.listing || other.listing,
            depth: self.depth.max(other.depth),
            questions: self.questions.saturating_add(other.questions),
            invariants: self.invariants.max(other.invariants),
        }
    }

    /// What was proved.
    pub fn of(&self) -> &'static str {
        self.of
    }

    /// How many consecutive steps an induction looks at; none if there is no induction in it.
    pub fn depth(&self) -> Option<u32> {
        (self.depth > 0).then_some(self.depth)
    }

    /// How many questions a solver answered with "no model".
    pub fn questions(&self) -> u32 {
        self.questions
    }

    /// How many proved invariants the states that were looked at satisfy.
    pub fn invariants(&self) -> u32 {
        self.invariants
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// How it was proved.
impl fmt::Display for Proof {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut means = Vec::new();
        if self.listing {
            means.push("listing".to_string());
        }
        if self.depth > 0 {
            means.push(format!("induction over {}", self.depth));
        }
        match (self.questions, self.invariants) {
            (0, _) => {}
            (1, 0) => means.push("1 question".to_string()),
            (some, 0) => means.push(format!("{some} questions")),
            (some, known) => means.push(format!("{some} questions under {known} invariants")),
        }
        if means.is_empty() {
            means.push("gates".to_string());
        }
        write!(out, "{}", means.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_proofs_are_as_long_as_all_of_them() {
        let two = Proof::by_question("one", 3).and(Proof::by_question("two", 5));
        assert_eq!((two.questions(), two.invariants()), (2, 5));
        let all = Proof::all("both", [two, Proof::by_induction("three", 2, 0)]);
        assert_eq!(
            all.map(|proof| proof.to_string()).as_deref(),
            Some("induction over 2 and 2 questions under 5 invariants")
        );
        assert_eq!(Proof::all("nothing", []), None);
        assert_eq!(Proof::by_gates("this").to_string(), "gates");
    }
}
