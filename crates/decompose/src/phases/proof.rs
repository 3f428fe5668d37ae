//! Proof of crossing points: what is passed stays passed, in this order, and what is handed on is what was seen.
//!
//! What never changes within a phase is proved first, by induction over its steps: it holds where the phase begins,
//! and no step that stays in the phase changes it. Whatever is asked about states of the phase may rely on it.

use gambol_analysis::{Answer, Budget, Clause, Encoding, Frame, Lit, Literal, Proof};
use gambol_net::{Net, State};

use crate::evaluate::scope::Scope;
use crate::phases::crossing::Crossing;
use crate::prove::prover::EFFORT;

/// What proofs of crossing points have in common.
pub(crate) struct Points<'a> {
    pub(crate) net: &'a Net,
    /// Clauses that hold in every state of play.
    pub(crate) invariants: &'a [Clause],
    pub(crate) budget: &'a Budget,
}

impl Points<'_> {
    /// Proves the crossing point that a phase ends with. The phase is given what never changes in it, of what was
    /// seen; `begun` are the values that it is known to begin with. Of the values that seem to be the same whenever
    /// the crossing point is passed, those that are proved to be are left. None unless play forgets there by what is
    /// proved.
    pub(crate) fn prove(
        &self,
        scope: &mut Scope,
        begun: &[Literal],
        crossing: &mut Crossing,
    ) -> Option<Proof> {
        if crossing.condition.holds(&State::initial(self.net)) {
            return None;
        }
        let stays = self.stays_passed(scope, crossing)?;
        let begins = |literal: &&Literal| begun.binary_search(literal).is_ok();
        let candidates = crossing.constant.iter().filter(begins).copied().collect();
        let constant = self.constant(scope, candidates);
        scope.facts = constant.literals;
        let entry = self.entry_values(scope, crossing)?;
        crossing.entry = entry.literals;
        let proofs = constant.proofs.into_iter().chain(entry.proofs);
        Proof::all("a crossing point", proofs.chain([stays]))
    }

    /// Whether no step leads back, and none leads past this crossing point unless the one before is passed already:
    /// then each phase begins in a state that follows one of the phase before.
    fn stays_passed(&self, scope: &Scope, crossing: &Crossing) -> Option<Proof> {
        let mut encoding = self.encoding();
        let state = encoding.state();
        encoding.assume(state, self.invariants);
        let now = encoding.condition(state, &crossing.condition);
        let earlier = scope.begins.as_ref().map(|begins| encoding.condition(state, begins));
        if let Some(earlier) = earlier {
            encoding.add(&[!now, earlier]);
        }
        let next = encoding.step(state);
        encoding.assume(next, self.invariants);
        let then = encoding.condition(next, &crossing.condition);
        let stays = encoding.prove("what is passed stays passed", &[now, !then], EFFORT)?;
        let Some(earlier) = earlier else { return Some(stays) };
        let order = encoding.prove("crossing points come in order", &[then, !earlier], EFFORT)?;
        Some(stays.and(order))
    }

    /// Those of some literals that no step within the phase breaks, if all of them hold before it.
    pub(crate) fn constant(&self, scope: &Scope, mut candidates: Vec<Literal>) -> Kept {
        loop {
            let within = Scope { facts: candidates.clone(), ..scope.clone() };
            let (mut encoding, state) = self.state_of(&within);
            let next = encoding.step(state);
            Scope { facts: Vec::new(), ..scope.clone() }.assume(&mut encoding, next);
            let of = "it does not change in a phase";
            let Some(kept) = kept(&mut encoding, next, &candidates, of, &mut |_| true) else {
                return Kept { literals: Vec::new(), proofs: Vec::new() };
            };
            if kept.literals.len() == candidates.len() {
                return kept;
            }
            candidates = kept.literals;
        }
    }

    /// The values that are the same whenever the crossing point is passed; `None` if play does not forget there. What
    /// players have moved is asked about first, since the rest is no matter if too much of it is handed on.
    fn entry_values(&self, scope: &Scope, crossing: &Crossing) -> Option<Kept> {
        let (mut encoding, state) = self.state_of(scope);
        let next = encoding.step(state);
        encoding.assume(next, self.invariants);
        let then = encoding.condition(next, &crossing.condition);
        encoding.add(&[then]);
        let (moved, others): (Vec<Literal>, Vec<Literal>) =
            crossing.entry.iter().partition(|literal| crossing.is_moved(literal));
        let mut forgets = |left: &[Literal]| crossing.forgets(self.net, left.iter().chain(&others));
        let of = "it always begins with this value";
        let first = kept(&mut encoding, next, &moved, of, &mut forgets)?;
        let mut forgets =
            |left: &[Literal]| crossing.forgets(self.net, left.iter().chain(&first.literals));
        let second = kept(&mut encoding, next, &others, of, &mut forgets)?;
        Some(first.and(second))
    }

    fn encoding(&self) -> Encoding<'_> {
        Encoding::new(self.net, self.budget)
    }

    /// A state of a phase.
    fn state_of(&self, scope: &Scope) -> (Encoding<'_>, Frame) {
        let mut encoding = self.encoding();
        let state = encoding.state();
        encoding.assume(state, self.invariants);
        scope.assume(&mut encoding, state);
        (encoding, state)
    }
}

/// The literals of some that hold in all states that are asked about, with the answers that say so.
pub(crate) struct Kept {
    pub(crate) literals: Vec<Literal>,
    proofs: Vec<Proof>,
}

impl Kept {
    /// Both, in order.
    fn and(mut self, other: Self) -> Self {
        self.literals.extend(other.literals);
        self.literals.sort_unstable();
        self.proofs.extend(other.proofs);
        self
    }
}

/// The literals that surely hold in a state; `None` as soon as those that are left will not do. All are asked about at
/// once: a model refutes all that fail in it, so that few questions are needed. If that question is too hard each is
/// asked about by itself.
fn kept(
    encoding: &mut Encoding<'_>,
    state: Frame,
    literals: &[Literal],
    of: &'static str,
    will_do: &mut dyn FnMut(&[Literal]) -> bool,
) -> Option<Kept> {
    let mut left = literals.to_vec();
    let mut proofs = Vec::new();
    while !left.is_empty() {
        let holds: Vec<Lit> = left.iter().map(|&one| encoding.literal(state, one)).collect();
        let fails = encoding.or(holds.iter().map(|&holds| !holds).collect());
        match encoding.solve(&[fails], EFFORT) {
            Answer::Model => {
                let mut holds = holds.iter();
                left.retain(|_| holds.next().is_some_and(|&holds| encoding.value(holds)));
            }
            Answer::NoModel => {
                // Asked once more for the evidence, which takes next to nothing: the solver has learnt that it is so.
                proofs.push(encoding.prove(of, &[fails], EFFORT)?);
                break;
            }
            Answer::Unknown => {
                let prove = |&literal: &Literal| {
                    let holds = encoding.literal(state, literal);
                    encoding.prove(of, &[!holds], EFFORT).map(|proof| (literal, proof))
                };
                (left, proofs) = left.iter().filter_map(prove).unzip();
                break;
            }
        }
        if !will_do(&left) {
            return None;
        }
    }
    will_do(&left).then_some(Kept { literals: left, proofs })
}
