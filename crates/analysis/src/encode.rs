//! Consecutive states of play as clauses.
//!
//! A free state has a variable for each fluent. In a state that follows another, a fluent is the
//! literal of its transition there, so it needs no variables of its own. Gates are encoded when
//! first asked for: what a question does not look at costs nothing. Equal conjunctions are one.
//!
//! Recursive gates mean their least fixpoint. Small cycles are unrolled, one layer per gate, which
//! is exact. Large ones only have to be *some* fixpoint: every real play is still a model, so "no
//! model" remains a proof, while a model may be spurious and proves nothing.

use std::ops::Range;

use gambol_index::{Id, IndexVec, define_id};
use gambol_net::{Condition, FluentId, Gate, GateId, MoveId, Net, State};
use rustc_hash::{FxHashMap, FxHashSet};
use rustsat::types::Lit;
use smallvec::SmallVec;

use crate::Literal;
use crate::literal::Clause;
use crate::proof::Proof;
use crate::solver::{Answer, Solver};
use gambol_run::{Budget, Deadline};

/// Gates of a cycle that is unrolled exactly.
const EXACT_CYCLE: u32 = 48;
/// Gates between two looks at the clock.
const LOOK: usize = 1 << 12;
/// Nets with more gates than this are encoded loosely.
const LARGE_NET: usize = 100_000;
/// In a loose encoding a move's legality is left out if it looks at more gates than this.
const SMALL_CONE: usize = 256;

define_id! {
    /// A state, or a moment of play, that an [`Encoding`] speaks about.
    pub struct Frame;
}

/// The first frame of an encoding of steps.
pub(crate) const NOW: Frame = Frame::new(0);
/// The frame after the first step.
pub(crate) const THEN: Frame = Frame::new(1);

/// A solver that speaks about states of a net and steps between them.
///
/// ```
/// use gambol_analysis::{Answer, Budget, Encoding};
/// use gambol_net::NetBuilder;
///
/// // A lamp that can be lit and not put out.
/// let mut net = NetBuilder::new();
/// let player = net.role("player");
/// let lit = net.fluent("lit");
/// let (press, rest) = (net.action(player, "press"), net.action(player, "rest"));
/// let (lit_now, pressed, always) = (net.truth(lit), net.does(press), net.constant(true));
/// let stays_lit = net.or([lit_now, pressed]);
/// net.next(lit, stays_lit);
/// net.legal(press, always);
/// net.legal(rest, always);
/// let net = net.finish()?;
///
/// let mut encoding = Encoding::new(&net, &Budget::default());
/// let now = encoding.state();
/// let then = encoding.step(now);
/// let (before, after) = (encoding.fluent(now, lit), encoding.fluent(then, lit));
/// assert_eq!(encoding.solve(&[before, !after], 1_000), Answer::NoModel);
/// assert_eq!(encoding.solve(&[!before, after], 1_000), Answer::Model);
/// assert_eq!(encoding.moves_in_model(now), [press]);
/// # Ok::<(), gambol_net::NetError>(())
/// ```
pub struct Encoding<'a> {
    net: &'a Net,
    pub(crate) solver: Solver,
    frames: IndexVec<Frame, FrameRow>,
    /// The conjunctions made so far. Frames that agree on what a gate reads share the gate.
    conjunctions: FxHashMap<SmallVec<[Lit; 4]>, Lit>,
    /// How many invariants its states satisfy.
    invariants: usize,
}

struct FrameRow {
    /// The literal of each gate that is encoded.
    gates: Vec<Option<Lit>>,
    /// The frame whose transitions give this state; none if the state is free.
    after: Option<Frame>,
}

impl<'a> Encoding<'a> {
    /// No state yet. Questions asked after the budget has run out are not answered.
    pub fn new(net: &'a Net, budget: &Budget) -> Self {
        Self::until(net, &Deadline::start(budget))
    }

    pub(crate) fn until(net: &'a Net, deadline: &Deadline) -> Self {
        let solver = Solver::new(deadline);
        let (frames, conjunctions) = (IndexVec::new(), FxHashMap::default());
        Self { net, solver, frames, conjunctions, invariants: 0 }
    }

    /// `steps` legal steps one after the other, every state satisfying the invariants. If the net is
    /// large, moves need not be legal and states before a step may be terminal where that would
    /// take many gates to say: what holds of these steps holds of the legal ones.
    pub(crate) fn of_steps(
        net: &'a Net,
        steps: usize,
        invariants: &[Clause],
        deadline: &Deadline,
    ) -> Self {
        let mut encoding = Self::until(net, deadline);
        let mut frame = encoding.state();
        encoding.assume(frame, invariants);
        for _ in 0..steps {
            frame = match net.gate_count() > LARGE_NET {
                true => encoding.loose_step(frame),
                false => encoding.step(frame),
            };
            encoding.assume(frame, invariants);
        }
        encoding
    }

    /// A new state, about which nothing is said.
    pub fn state(&mut self) -> Frame {
        let frame = self.push_frame(None);
        for fluent in self.net.fluents.ids() {
            let variable = self.solver.fresh();
            self.set(frame, self.net.fluent_gate(fluent), variable);
        }
        frame
    }

    /// A new state in which exactly these fluents are true.
    pub fn state_of(&mut self, fluents: &[FluentId]) -> Frame {
        let frame = self.push_frame(None);
        for fluent in self.net.fluents.ids() {
            let value = self.solver.constant(fluents.contains(&fluent));
            self.set(frame, self.net.fluent_gate(fluent), value);
        }
        frame
    }

    /// A new state that agrees with another on some fluents. What depends on these alone is encoded
    /// once for both.
    pub fn state_sharing(&mut self, other: Frame, shared: impl Fn(FluentId) -> bool) -> Frame {
        let frame = self.push_frame(None);
        for fluent in self.net.fluents.ids() {
            let literal = match shared(fluent) {
                true => self.fluent(other, fluent),
                false => self.solver.fresh(),
            };
            self.set(frame, self.net.fluent_gate(fluent), literal);
        }
        frame
    }

    fn push_frame(&mut self, after: Option<Frame>) -> Frame {
        let mut gates = vec![None; self.net.gate_count()];
        gates[0] = Some(self.solver.constant(false));
        gates[1] = Some(self.solver.constant(true));
        self.frames.push(FrameRow { gates, after })
    }

    fn set(&mut self, frame: Frame, gate: GateId, literal: Lit) {
        self.frames[frame].gates[gate.index()] = Some(literal);
    }

    fn get(&self, frame: Frame, gate: GateId) -> Option<Lit> {
        self.frames[frame].gates[gate.index()]
    }

    /// In this state the game goes on and every role makes one legal move; returns the state that
    /// follows.
    pub fn step(&mut self, frame: Frame) -> Frame {
        self.choose(frame);
        let terminal = self.gate(frame, self.net.terminal);
        self.solver.add(&[!terminal]);
        self.following(frame)
    }

    /// The same, but what takes many gates to say is left out.
    fn loose_step(&mut self, frame: Frame) -> Frame {
        self.choose_among(frame, SMALL_CONE);
        if self.is_small_cone(self.net.terminal, LARGE_NET / 4) {
            let terminal = self.gate(frame, self.net.terminal);
            self.solver.add(&[!terminal]);
        }
        self.following(frame)
    }

    /// Whether the cone of a gate has at most this many gates.
    fn is_small_cone(&self, gate: GateId, most: usize) -> bool {
        let mut open = vec![gate];
        let mut seen = FxHashSet::default();
        while let Some(gate) = open.pop() {
            if seen.len() > most {
                return false;
            }
            if seen.insert(gate) {
                open.extend(self.net.inputs_of(gate));
            }
        }
        true
    }

    /// In this state every role makes one legal move. To be called once per frame, before anything
    /// that depends on the moves is asked for.
    pub fn choose(&mut self, frame: Frame) {
        self.choose_among(frame, usize::MAX);
    }

    /// The same, but a move need not be legal if the cone of its legality has more gates than this.
    fn choose_among(&mut self, frame: Frame, most: usize) {
        let net = self.net;
        for action in net.moves.ids() {
            let variable = self.solver.fresh();
            self.set(frame, net.move_gate(action), variable);
        }
        for role in net.roles.ids() {
            self.choose_one(frame, net.moves_of(role), most);
        }
    }

    /// The state that follows the moves made in this one.
    pub fn following(&mut self, frame: Frame) -> Frame {
        self.push_frame(Some(frame))
    }

    fn choose_one(&mut self, frame: Frame, moves: Range<u32>, most: usize) {
        let moves = moves.map(MoveId::new);
        let mut done = Vec::with_capacity(moves.len());
        for action in moves {
            let chosen = self.gate(frame, self.net.move_gate(action));
            let legal = self.net.legal[action];
            // Once the time is over nothing is proved any more, and less may be said.
            let small = most == usize::MAX || self.is_small_cone(legal, most);
            if small && !self.solver.is_over() {
                let legal = self.gate(frame, legal);
                self.solver.add(&[!chosen, legal]);
            }
            done.push(chosen);
        }
        self.solver.add(&done);
        self.solver.at_most_one(&done);
    }

    /// These clauses, say [`Shape::invariants`](crate::Shape::invariants), hold in a state.
    pub fn assume(&mut self, frame: Frame, clauses: &[Clause]) {
        self.invariants = self.invariants.max(clauses.len());
        for clause in clauses {
            let literals: Vec<Lit> =
                clause.iter().map(|&literal| self.literal(frame, literal)).collect();
            self.solver.add(&literals);
        }
    }

    /// One of these literals is true from now on.
    pub fn add(&mut self, clause: &[Lit]) {
        self.solver.add(clause);
    }

    /// A new variable of no meaning, say to select clauses by.
    pub fn fresh(&mut self) -> Lit {
        self.solver.fresh()
    }

    /// A fluent in a state.
    pub fn fluent(&mut self, frame: Frame, fluent: FluentId) -> Lit {
        self.gate(frame, self.net.fluent_gate(fluent))
    }

    /// Whether a move is made in a state; see [`choose`](Self::choose).
    pub fn does(&mut self, frame: Frame, action: MoveId) -> Lit {
        self.gate(frame, self.net.move_gate(action))
    }

    /// A fluent's value in a state.
    pub fn literal(&mut self, frame: Frame, literal: Literal) -> Lit {
        let gate = self.fluent(frame, literal.fluent);
        if literal.holds { gate } else { !gate }
    }

    /// Whether a condition holds in a state.
    pub fn condition(&mut self, frame: Frame, condition: &Condition) -> Lit {
        match condition {
            Condition::Is(fluent, holds) => {
                self.literal(frame, Literal { fluent: *fluent, holds: *holds })
            }
            Condition::All(parts) => {
                let parts = parts.iter().map(|part| self.condition(frame, part)).collect();
                self.and(parts)
            }
            Condition::Any(parts) => {
                let parts = parts.iter().map(|part| self.condition(frame, part)).collect();
                self.or(parts)
            }
        }
    }

    /// The literals that say that a frame is this state.
    pub(crate) fn is_state(&mut self, frame: Frame, state: &State) -> Vec<Lit> {
        let value = |fluent| Literal { fluent, holds: state.holds(fluent) };
        self.net.fluents.ids().map(|fluent| self.literal(frame, value(fluent))).collect()
    }

    /// Whether everything said so far, with these literals, has a model. It gives up after an
    /// effort, counted in decisions beyond those that one model needs, and at the deadline.
    ///
    /// "No model" is a proof about all states and steps. A model may break the rules of recursion
    /// where a large part of the net is recursive, and its states need not be reachable.
    pub fn solve(&mut self, assumptions: &[Lit], effort: u64) -> Answer {
        self.solver.solve(assumptions, effort)
    }

    /// The decisions made for all questions so far. Unlike time, they are the same on every machine.
    pub fn spent(&self) -> u64 {
        self.solver.spent()
    }

    /// Evidence that nothing said so far goes with these literals; `None` if something may, or if the
    /// solver gave up. It is for the caller to see to it that what was said leaves some state: of no
    /// state everything is true.
    pub fn prove(&mut self, of: &'static str, refused: &[Lit], effort: u64) -> Option<Proof> {
        let proved = self.solve(refused, effort) == Answer::NoModel;
        proved.then(|| Proof::by_question(of, self.invariants))
    }

    /// The value of a literal in the model just found.
    pub fn value(&self, literal: Lit) -> bool {
        self.solver.value(literal)
    }

    /// The fluents that are true in a state of the model just found; see [`observe`](Self::observe).
    pub fn fluents_in_model(&self, frame: Frame) -> Vec<FluentId> {
        let state = self.state_in_model(frame);
        state.ones().map(FluentId::from_index).collect()
    }

    /// The moves made in a state of the model just found.
    pub fn moves_in_model(&self, frame: Frame) -> Vec<MoveId> {
        let done = |&action: &MoveId| {
            let literal = self.get(frame, self.net.move_gate(action));
            literal.is_some_and(|literal| self.solver.value(literal))
        };
        self.net.moves.ids().filter(done).collect()
    }

    /// The state of a frame in the model just found.
    pub(crate) fn state_in_model(&self, frame: Frame) -> State {
        let mut state = State::empty(self.net.next.len());
        for fluent in self.net.fluents.ids() {
            let gate = self.get(frame, self.net.fluent_gate(fluent));
            // A fluent without a literal occurs in no clause; any value will do.
            if gate.is_some_and(|literal| self.solver.value(literal)) {
                state.set(fluent);
            }
        }
        state
    }

    /// Makes sure that the whole state of a frame can be read from models.
    pub fn observe(&mut self, frame: Frame) {
        for fluent in self.net.fluents.ids() {
            self.fluent(frame, fluent);
        }
    }

    /// The literal of a gate in a frame. Its cone is encoded if it is not yet; after the deadline it
    /// may be anything.
    pub fn gate(&mut self, frame: Frame, gate: GateId) -> Lit {
        let mut open = vec![(frame, gate)];
        let mut encoded = 0;
        while let Some(&(at, next)) = open.last() {
            encoded += 1;
            if encoded % LOOK == 0 && self.solver.is_over() {
                // A gate that may have any value admits more models: proofs stay proofs.
                let anything = self.solver.fresh();
                self.set(frame, gate, anything);
                return anything;
            }
            let (frame, gate) = (at, next);
            if self.get(frame, gate).is_none() && !self.needs(frame, gate, &mut open) {
                self.define(frame, gate);
            }
            if open.last() == Some(&(frame, gate)) {
                open.pop();
            }
        }
        self.known(frame, gate)
    }

    fn known(&self, frame: Frame, gate: GateId) -> Lit {
        self.get(frame, gate).expect("inputs are encoded before the gates that read them")
    }

    /// Opens the gates that must be encoded before this one; whether there are any.
    fn needs(&self, frame: Frame, gate: GateId, open: &mut Vec<(Frame, GateId)>) -> bool {
        let before = open.len();
        let mut need = |frame: Frame, gate: GateId| {
            if self.get(frame, gate).is_none() {
                open.push((frame, gate));
            }
        };
        if let Some(cycle) = self.net.cycle_of(gate) {
            let cycle = self.net.cycles[cycle].clone();
            for member in cycle.clone().map(GateId::new) {
                let outside = |input: &&GateId| !cycle.contains(&input.number());
                let inputs = self.net.inputs_of(member);
                inputs.iter().filter(outside).for_each(|&input| need(frame, input));
            }
        } else if let Gate::Fluent(fluent) = self.net.gate(gate) {
            let before = self.frames[frame].after.expect("the fluents of a free state are known");
            need(before, self.net.next[fluent]);
        } else {
            self.net.inputs_of(gate).iter().for_each(|&input| need(frame, input));
        }
        open.len() > before
    }

    fn define(&mut self, frame: Frame, gate: GateId) {
        if let Some(cycle) = self.net.cycle_of(gate) {
            let cycle = self.net.cycles[cycle].clone();
            return match cycle.len() as u32 <= EXACT_CYCLE {
                true => self.define_layers(frame, cycle),
                false => self.define_some_fixpoint(frame, cycle),
            };
        }
        let literal = match self.net.gate(gate) {
            Gate::Fluent(fluent) => {
                let before =
                    self.frames[frame].after.expect("the fluents of a free state are known");
                self.known(before, self.net.next[fluent])
            }
            Gate::Does(_) => self.solver.constant(false),
            _ => self.combine(gate, |encoding, input| encoding.known(frame, input)),
        };
        self.set(frame, gate, literal);
    }

    /// Layer `n` holds what `n` rounds from false can derive.
    fn define_layers(&mut self, frame: Frame, cycle: Range<u32>) {
        let mut layer = vec![self.solver.constant(false); cycle.len()];
        for _ in 0..cycle.len() {
            let next: Vec<Lit> = cycle
                .clone()
                .map(|member| {
                    self.combine(GateId::new(member), |encoding, input| {
                        match cycle.contains(&input.number()) {
                            true => layer[(input.number() - cycle.start) as usize],
                            false => encoding.known(frame, input),
                        }
                    })
                })
                .collect();
            if next == layer {
                break;
            }
            layer = next;
        }
        for (member, literal) in cycle.zip(layer) {
            self.set(frame, GateId::new(member), literal);
        }
    }

    fn define_some_fixpoint(&mut self, frame: Frame, cycle: Range<u32>) {
        for member in cycle.clone() {
            let variable = self.solver.fresh();
            self.set(frame, GateId::new(member), variable);
        }
        for member in cycle.map(GateId::new) {
            let value = self.combine(member, |encoding, input| encoding.known(frame, input));
            let variable = self.known(frame, member);
            self.solver.add(&[!variable, value]);
            self.solver.add(&[variable, !value]);
        }
    }

    fn combine(&mut self, gate: GateId, input: impl Fn(&Self, GateId) -> Lit) -> Lit {
        match self.net.gate(gate) {
            Gate::And(inputs) => {
                let inputs: Vec<Lit> = inputs.iter().map(|&gate| input(self, gate)).collect();
                self.and(inputs)
            }
            Gate::Or(inputs) => {
                let inputs: Vec<Lit> = inputs.iter().map(|&gate| !input(self, gate)).collect();
                !self.and(inputs)
            }
            Gate::Not(gate) => !input(self, gate),
            Gate::Constant(value) => self.solver.constant(value),
            Gate::Fluent(_) | Gate::Does(_) => self.solver.constant(false),
        }
    }

    /// A literal that is true exactly if all of these are.
    pub fn and(&mut self, mut inputs: Vec<Lit>) -> Lit {
        let truth = self.solver.truth();
        inputs.retain(|&input| input != truth);
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.windows(2).any(|pair| pair[0] == !pair[1]) || inputs.contains(&!truth) {
            return !truth;
        }
        match inputs.as_slice() {
            [] => truth,
            [only] => *only,
            _ => self.conjunction(&inputs),
        }
    }

    fn conjunction(&mut self, inputs: &[Lit]) -> Lit {
        if let Some(&known) = self.conjunctions.get(inputs) {
            return known;
        }
        let all = self.solver.fresh();
        self.conjunctions.insert(inputs.into(), all);
        inputs.iter().for_each(|&input| self.solver.add(&[!all, input]));
        let mut clause: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
        clause.push(all);
        self.solver.add(&clause);
        all
    }

    /// A literal that is true exactly if one of these is.
    pub fn or(&mut self, inputs: Vec<Lit>) -> Lit {
        !self.and(inputs.into_iter().map(|input| !input).collect())
    }

    /// A literal that is true exactly if two literals differ.
    pub fn differ(&mut self, one: Lit, other: Lit) -> Lit {
        let (left, right) = (self.and(vec![one, !other]), self.and(vec![!one, other]));
        self.or(vec![left, right])
    }
}
