//! Invariants: clauses that hold in every reachable state, proved together by induction.
//!
//! All candidates are assumed in a state; the solver looks for a step after which one of them is
//! broken. Whatever a model breaks is dropped, and the next round assumes only what is left, until
//! a round drops nothing. Then the rest holds at the start and is handed on by every step.

use gambol_net::Net;
use rustc_hash::FxHashSet;
use rustsat::types::Lit;

use crate::Literal;
use crate::budget::Deadline;
use crate::encode::{Encoding, NOW, THEN};
use crate::literal::Clause;
use crate::random::Random;
use crate::sample::random_joint_moves;
use crate::solver::Answer;
use crate::state::State;
use crate::sweep::Sweep;

/// Candidates per question: large enough to save questions, small enough for a quick "no".
const CHUNK: usize = 16;
/// Decisions for a chunk, and for one candidate of a chunk that was too hard.
const CHUNK_EFFORT: u64 = 5_000;
const SINGLE_EFFORT: u64 = 20_000;

/// The largest set of the candidates that proves itself, given what is known; nothing if the
/// deadline passed, since an unfinished round proves nothing. Up to `most_weakened` clauses may take
/// the place of dropped constants.
pub(crate) fn prove_invariants(
    net: &Net,
    candidates: Vec<Clause>,
    known: &[Clause],
    mut most_weakened: usize,
    deadline: &Deadline,
) -> Option<Vec<Clause>> {
    let initial = State::initial(net);
    let mut live: Vec<Clause> = candidates;
    live.retain(|clause| holds_in(&initial, clause));
    let mut tried: FxHashSet<Clause> = live.iter().cloned().collect();
    loop {
        let kept = Round::new(net, &live, known, deadline).run(deadline)?;
        if kept.iter().all(|&kept| kept) {
            return Some(live);
        }
        let dropped = live.iter().zip(&kept).filter(|(_, kept)| !**kept);
        let dropped = dropped.map(|(clause, _)| clause);
        let weaker = weakened(net, dropped, &live, &kept, most_weakened);
        most_weakened -= weaker.len();
        let mut place = kept.iter();
        live.retain(|_| *place.next().expect("one flag per candidate"));
        let fresh = |clause: &Clause| holds_in(&initial, clause) && tried.insert(clause.clone());
        live.extend(weaker.into_iter().filter(fresh));
    }
}

fn holds_in(state: &State, clause: &Clause) -> bool {
    clause.iter().any(|&literal| state.satisfies(literal))
}

/// What can be said in place of dropped constants: "not f, or some other literal". A fluent that
/// random play never met is often exclusive with others though it is not always false.
fn weakened<'c>(
    net: &Net,
    dropped: impl Iterator<Item = &'c Clause>,
    live: &[Clause],
    kept: &[bool],
    most: usize,
) -> Vec<Clause> {
    let constant: FxHashSet<_> = live
        .iter()
        .zip(kept)
        .filter(|(clause, kept)| clause.len() == 1 && **kept)
        .map(|(clause, _)| clause[0].fluent)
        .collect();
    let mut weaker = Vec::new();
    for literal in dropped.filter(|clause| clause.len() == 1).map(|clause| clause[0]) {
        let others = net.fluents.ids().filter(|other| !constant.contains(other));
        for other in others.filter(|&other| other != literal.fluent) {
            for holds in [false, true] {
                let mut clause = [literal, Literal { fluent: other, holds }];
                clause.sort_unstable();
                weaker.push(clause[..].into());
            }
        }
        if weaker.len() >= most {
            break;
        }
    }
    weaker.truncate(most);
    weaker
}

/// One round: fixed assumptions, and which candidates are still thought to survive a step.
struct Round<'a> {
    net: &'a Net,
    candidates: &'a [Clause],
    encoding: Encoding<'a>,
    /// True if the candidate is broken after the step.
    broken: Vec<Lit>,
    kept: Vec<bool>,
    sweep: Sweep<'a>,
    random: Random,
}

impl<'a> Round<'a> {
    fn new(net: &'a Net, candidates: &'a [Clause], known: &[Clause], deadline: &Deadline) -> Self {
        let mut encoding = Encoding::of_steps(net, 1, known, deadline);
        encoding.assume(NOW, candidates);
        encoding.observe(THEN);
        let broken = candidates.iter().map(|clause| broken_after(&mut encoding, clause)).collect();
        let kept = vec![true; candidates.len()];
        let (sweep, random) = (Sweep::new(net), Random::new(2));
        Self { net, candidates, encoding, broken, kept, sweep, random }
    }

    /// Which candidates no model breaks.
    fn run(mut self, deadline: &Deadline) -> Option<Vec<bool>> {
        let all: Vec<usize> = (0..self.candidates.len()).collect();
        for chunk in all.chunks(CHUNK) {
            if !self.settle(chunk, CHUNK_EFFORT) {
                chunk.iter().for_each(|&one| {
                    // What is too hard alone is dropped, which is safe.
                    if !self.settle(&[one], SINGLE_EFFORT) {
                        self.kept[one] = false;
                    }
                });
            }
            if deadline.is_over() {
                return None;
            }
        }
        Some(self.kept)
    }

    /// Drops candidates of a chunk until the rest is proved; whether that succeeded.
    fn settle(&mut self, chunk: &[usize], effort: u64) -> bool {
        loop {
            let open: Vec<Lit> =
                chunk.iter().filter(|&&one| self.kept[one]).map(|&one| self.broken[one]).collect();
            if open.is_empty() {
                return true;
            }
            let some = self.encoding.or(open.clone());
            match self.encoding.solve(&[some], effort) {
                Answer::NoModel => {
                    open.iter().for_each(|&broken| self.encoding.solver.add(&[!broken]));
                    return true;
                }
                Answer::Model => self.drop_broken(chunk),
                Answer::Unknown => return false,
            }
        }
    }

    /// Drops what the model breaks, and what other steps from the same state break.
    fn drop_broken(&mut self, chunk: &[usize]) {
        let violated: Vec<usize> = chunk
            .iter()
            .copied()
            .filter(|&one| self.encoding.solver.value(self.broken[one]))
            .collect();
        let (before, after) =
            (self.encoding.state_in_model(NOW), self.encoding.state_in_model(THEN));
        violated.into_iter().for_each(|one| self.kept[one] = false);
        self.sweep.load_everywhere(&before);
        let (joint, going) = random_joint_moves(self.net, &self.sweep, &mut self.random);
        self.sweep.step(joint.iter().map(Vec::as_slice));
        for (place, clause) in self.candidates.iter().enumerate() {
            let broken = self.kept[place]
                && (!holds_in(&after, clause) || self.broken_by_sweep(clause, going));
            self.kept[place] &= !broken;
        }
    }

    fn broken_by_sweep(&self, clause: &Clause, going: u64) -> bool {
        let false_in = |literal: &Literal| {
            let next = self.sweep.value(self.net.next[literal.fluent]);
            if literal.holds { !next } else { next }
        };
        clause.iter().fold(going, |all, literal| all & false_in(literal)) != 0
    }
}

/// A literal that can be true only if the clause is broken after the step.
fn broken_after(encoding: &mut Encoding<'_>, clause: &Clause) -> Lit {
    let literals =
        clause.iter().map(|&literal| encoding.literal(THEN, literal.negated())).collect();
    encoding.and(literals)
}
