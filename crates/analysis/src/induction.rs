//! Proofs about all reachable states and steps, by induction over the net.
//!
//! A claim is proved if no state that satisfies the invariants breaks it. If that is not enough, the
//! place where it fails is asked to be the end of some steps in which the claim held; plays too
//! short for that are checked from the start. This is k-induction (Sheeran, Singh and Stålmarck
//! 2000), strengthened by invariants.

use gambol_net::{Net, State};
use rustsat::types::Lit;

use crate::claim::Claim;
use crate::encode::{Encoding, Frame, NOW};
use crate::literal::Clause;
use crate::proof::Proof;
use crate::sample::Sample;
use crate::solver::Answer;
use crate::verdict::Verdict;
use gambol_run::{Budget, Deadline};

/// Decisions for one question.
const EFFORT: u64 = 20_000;

/// Proves claims about a net, given invariants that are proved already.
///
/// ```
/// use gambol_analysis::{Budget, Claim, Condition, Induction, Literal, ShapeOptions, shape};
/// # use gambol_net::NetBuilder;
/// # let mut net = NetBuilder::new();
/// # let player = net.role("player");
/// # let lit = net.fluent("lit");
/// # let (press, rest) = (net.action(player, "press"), net.action(player, "rest"));
/// # let (lit_now, pressed, always) = (net.truth(lit), net.does(press), net.constant(true));
/// # let stays_lit = net.or([lit_now, pressed]);
/// # net.next(lit, stays_lit);
/// # net.legal(press, always);
/// # net.legal(rest, always);
/// # let net = net.finish()?;
/// let shape = shape(&net, &ShapeOptions::default());
/// let mut induction = Induction::new(&net, &shape.invariants, 2, &Budget::default());
/// let stays_lit = Claim::latches(Condition::Literal(Literal::is(lit)));
/// assert!(induction.prove(&stays_lit).is_some());
/// # Ok::<(), gambol_net::NetError>(())
/// ```
pub struct Induction<'a> {
    net: &'a Net,
    invariants: &'a [Clause],
    deadline: Deadline,
    /// `plays[n]` looks at `n` consecutive steps. Made when first needed.
    plays: Vec<Option<Encoding<'a>>>,
    most_depth: usize,
}

impl<'a> Induction<'a> {
    /// For claims about a net all of whose reachable states satisfy the invariants. Proofs look at
    /// up to `most_depth` consecutive places of a play, at least 1.
    pub fn new(net: &'a Net, invariants: &'a [Clause], most_depth: usize, budget: &Budget) -> Self {
        Self::until(net, invariants, most_depth, &Deadline::start(budget))
    }

    fn until(
        net: &'a Net,
        invariants: &'a [Clause],
        most_depth: usize,
        deadline: &Deadline,
    ) -> Self {
        Self { net, invariants, deadline: deadline.clone(), plays: Vec::new(), most_depth }
    }

    /// The same, with a solver that knows one step between states that satisfy the invariants.
    pub(crate) fn with_step(
        net: &'a Net,
        invariants: &'a [Clause],
        step: Encoding<'a>,
        most_depth: usize,
        deadline: &Deadline,
    ) -> Self {
        let mut induction = Self::until(net, invariants, most_depth, deadline);
        induction.plays = vec![None, Some(step)];
        induction
    }

    /// The solver for this number of steps.
    pub(crate) fn steps(&mut self, steps: usize) -> &mut Encoding<'a> {
        if self.plays.len() <= steps {
            self.plays.resize_with(steps + 1, || None);
        }
        self.plays[steps].get_or_insert_with(|| {
            Encoding::of_steps(self.net, steps, self.invariants, &self.deadline)
        })
    }

    /// From now on questions are given up at this deadline.
    pub(crate) fn set_deadline(&mut self, deadline: &Deadline) {
        self.deadline = deadline.clone();
        self.plays.iter_mut().flatten().for_each(|play| play.solver.set_deadline(deadline));
    }

    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_over()
    }

    /// Why a claim holds; `None` if no proof was found within the means.
    pub fn prove(&mut self, claim: &Claim) -> Option<Proof> {
        match self.holds(claim) {
            true => Some(self.proof(1)),
            false => self.prove_deeper(claim),
        }
    }

    /// The same, of a claim that one place alone does not prove.
    fn prove_deeper(&mut self, claim: &Claim) -> Option<Proof> {
        for depth in 1..self.most_depth {
            if self.is_over() || !self.holds_early(claim, depth - 1) {
                break;
            }
            if self.cannot_fail(claim, depth, Vec::new()) {
                return Some(self.proof(depth as u32 + 1));
            }
        }
        None
    }

    /// To be called where it is proved that so many places in a row cannot break a claim.
    pub(crate) fn proof(&self, depth: u32) -> Proof {
        Proof::by_induction("holds in all play", depth, self.invariants.len())
    }

    /// The verdict on a claim that nothing in the sample breaks.
    pub(crate) fn verdict(&mut self, sample: &Sample, claim: &Claim) -> Verdict {
        self.prove(claim).map_or_else(|| sample.verdict(), Verdict::Proved)
    }

    /// The same, of a claim that one place alone does not prove.
    pub(crate) fn deeper_verdict(&mut self, sample: &Sample, claim: &Claim) -> Verdict {
        self.prove_deeper(claim).map_or_else(|| sample.verdict(), Verdict::Proved)
    }

    /// Whether the invariants and one place alone prove the claim.
    pub fn holds(&mut self, claim: &Claim) -> bool {
        self.cannot_fail(claim, 0, Vec::new())
    }

    /// Whether the claim holds after `place` steps from the start.
    fn holds_early(&mut self, claim: &Claim, place: usize) -> bool {
        let start = State::initial(self.net);
        let start = self.steps(place + claim.steps()).is_state(NOW, &start);
        self.cannot_fail(claim, place, start)
    }

    /// Whether the claim cannot fail at a place before which it held.
    fn cannot_fail(&mut self, claim: &Claim, place: usize, given: Vec<Lit>) -> bool {
        let steps = place + claim.steps();
        let frames: Vec<Frame> = (0..=steps as u32).map(Frame::new).collect();
        let encoding = self.steps(steps);
        let mut assumptions = given;
        for earlier in 0..place {
            let mut fails = Vec::new();
            claim.fails_at(encoding, &frames, earlier, &mut fails);
            assumptions.push(!encoding.and(fails));
        }
        claim.fails_at(encoding, &frames, place, &mut assumptions);
        encoding.solve(&assumptions, EFFORT) == Answer::NoModel
    }
}
