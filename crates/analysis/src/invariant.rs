//! Invariants: clauses that hold in every reachable state, proved together by induction.
//!
//! All candidates are assumed in a state; the solver looks for a step after which one of them is
//! broken. Whatever a model breaks is dropped, until nothing is broken any more. Then the rest holds
//! at the start and is handed on by every step (Flanagan and Leino 2001).
//!
//! Candidates stand in *blocks*. A block's proof names the blocks it rests on, so when a candidate
//! is dropped only the proofs that rest on its block are made again; and when the time runs out,
//! the blocks that rest on proved blocks alone are proved all the same.

use gambol_net::{MoveId, Net};
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
/// Every block is an assumption of every question, so there should not be too many.
const MOST_BLOCKS: usize = 192;
/// Decisions for a chunk, and for one candidate of a chunk that was too hard.
const CHUNK_EFFORT: u64 = 2_000;
const SINGLE_EFFORT: u64 = 8_000;
/// Decisions for a question about all candidates at once.
const HUNT_EFFORT: u64 = 1_000;
/// Steps played on from a counterexample without dropping anything.
const PATIENCE: usize = 6;

/// What is proved so far, and the solver that proves more.
pub(crate) struct Invariants<'a> {
    net: &'a Net,
    /// One step from a state that satisfies all that is proved.
    encoding: Encoding<'a>,
    proved: Vec<Clause>,
    tried: FxHashSet<Clause>,
    initial: State,
    sweep: Sweep<'a>,
    random: Random,
    /// How many clauses may still take the place of dropped constants.
    weaker_left: usize,
    candidates: Vec<Candidate>,
    blocks: Vec<Block>,
    /// Clauses that may take the place of dropped constants.
    weaker: Vec<Clause>,
}

struct Candidate {
    clause: Clause,
    block: usize,
    live: bool,
}

struct Block {
    members: Vec<usize>,
    /// If this is true, the live members hold before the step.
    active: Lit,
    /// The blocks that the proof rests on, if there is one.
    rests_on: Option<Vec<usize>>,
}

impl<'a> Invariants<'a> {
    pub(crate) fn new(net: &'a Net, deadline: &Deadline) -> Self {
        Self {
            net,
            encoding: Encoding::of_steps(net, 1, &[], deadline),
            proved: Vec::new(),
            tried: FxHashSet::default(),
            initial: State::initial(net),
            sweep: Sweep::new(net),
            random: Random::new(2),
            weaker_left: 0,
            candidates: Vec::new(),
            blocks: Vec::new(),
            weaker: Vec::new(),
        }
    }

    /// Proves as many of the clauses as it can; whether the time was enough to settle all. Up to
    /// `weaker` clauses may take the place of dropped constants.
    pub(crate) fn prove(
        &mut self,
        clauses: Vec<Clause>,
        weaker: usize,
        deadline: &Deadline,
    ) -> bool {
        self.weaker_left = weaker;
        self.tried = self.proved.iter().cloned().collect();
        self.encoding.solver.set_deadline(deadline);
        self.add_candidates(clauses);
        self.hunt(deadline);
        let finished = self.settle(deadline);
        self.keep_proved();
        finished
    }

    /// All that is proved, and a solver that knows one step between states that satisfy it.
    pub(crate) fn finish(mut self, deadline: &Deadline) -> (Vec<Clause>, Encoding<'a>) {
        self.encoding.solver.set_deadline(deadline);
        self.encoding.assume(THEN, &self.proved);
        self.proved.sort_unstable();
        (self.proved, self.encoding)
    }

    fn add_candidates(&mut self, clauses: Vec<Clause>) {
        let initial = &self.initial;
        let tried = &mut self.tried;
        let fresh = |clause: &Clause| holds_in(initial, clause) && tried.insert(clause.clone());
        let clauses: Vec<Clause> = clauses.into_iter().filter(fresh).collect();
        let room = MOST_BLOCKS.saturating_sub(self.blocks.len()).max(16);
        let size = clauses.len().div_ceil(room).max(CHUNK);
        for members in clauses.chunks(size) {
            let first = self.candidates.len();
            let block = self.blocks.len();
            let candidate =
                |clause: &Clause| Candidate { clause: clause.clone(), block, live: true };
            self.candidates.extend(members.iter().map(candidate));
            let members = (first..self.candidates.len()).collect();
            self.blocks.push(Block { members, active: self.encoding.fresh(), rests_on: None });
            self.assume_if_active(block);
        }
    }

    /// The members of a block hold before the step if its literal is true.
    fn assume_if_active(&mut self, block: usize) {
        let block = &self.blocks[block];
        for &member in &block.members {
            let clause = self.candidates[member].clause.iter();
            let mut literals: Vec<Lit> =
                clause.map(|&literal| self.encoding.literal(NOW, literal)).collect();
            literals.push(!block.active);
            self.encoding.add(&literals);
        }
    }

    /// Drops what is easily broken before anything is proved that would rest on it. One question
    /// about all candidates finds models quickly, but is a slow way to learn that there are none.
    fn hunt(&mut self, deadline: &Deadline) {
        loop {
            let live: Vec<usize> =
                (0..self.candidates.len()).filter(|&member| self.candidates[member].live).collect();
            if live.is_empty() || deadline.is_over() {
                return;
            }
            if self.ask(&live, HUNT_EFFORT, &mut Vec::new()) != Answer::Model {
                return;
            }
        }
    }

    /// Proves or drops until all blocks are proved; whether it came to that.
    fn settle(&mut self, deadline: &Deadline) -> bool {
        loop {
            let Some(block) = self.blocks.iter().position(|block| block.rests_on.is_none()) else {
                let weaker = std::mem::take(&mut self.weaker);
                if weaker.is_empty() {
                    return true;
                }
                self.add_candidates(weaker);
                continue;
            };
            if deadline.is_over() {
                return false;
            }
            self.settle_block(block);
        }
    }

    /// Tries to prove a block as it is. If candidates are dropped meanwhile it stays open.
    fn settle_block(&mut self, block: usize) {
        let members = self.blocks[block].members.clone();
        let mut rests_on = Vec::new();
        for chunk in members.chunks(CHUNK) {
            match self.ask(chunk, CHUNK_EFFORT, &mut rests_on) {
                Answer::NoModel => {}
                Answer::Model => return,
                Answer::Unknown => {
                    if !self.settle_singly(chunk, &mut rests_on) {
                        return;
                    }
                }
            }
        }
        rests_on.sort_unstable();
        rests_on.dedup();
        self.blocks[block].rests_on = Some(rests_on);
    }

    /// Asks about the members of a chunk one by one and drops what is too hard, which is safe;
    /// whether nothing was dropped.
    fn settle_singly(&mut self, chunk: &[usize], rests_on: &mut Vec<usize>) -> bool {
        for &member in chunk {
            match self.ask(&[member], SINGLE_EFFORT, rests_on) {
                Answer::NoModel => {}
                Answer::Model => return false,
                Answer::Unknown => {
                    self.drop_all(&[member]);
                    return false;
                }
            }
        }
        true
    }

    /// Whether some of these candidates can be broken by a step; drops them if so.
    fn ask(&mut self, chunk: &[usize], effort: u64, rests_on: &mut Vec<usize>) -> Answer {
        let broken: Vec<Lit> = chunk.iter().map(|&member| self.broken_after(member)).collect();
        let mut assumptions: Vec<Lit> = self.blocks.iter().map(|block| block.active).collect();
        assumptions.push(self.encoding.or(broken.clone()));
        let answer = self.encoding.solve(&assumptions, effort);
        match answer {
            Answer::NoModel => {
                let needed = self.encoding.solver.in_core(&assumptions);
                rests_on.extend((0..self.blocks.len()).filter(|&block| needed[block]));
            }
            Answer::Model => {
                let is_broken = |place: &usize| self.encoding.value(broken[*place]);
                let violated: Vec<usize> =
                    (0..chunk.len()).filter(is_broken).map(|place| chunk[place]).collect();
                self.learn_from_model(violated);
            }
            Answer::Unknown => {}
        }
        answer
    }

    /// A literal that is true exactly if a candidate is broken after the step.
    fn broken_after(&mut self, member: usize) -> Lit {
        let clause = self.candidates[member].clause.clone();
        let literals =
            clause.iter().map(|&literal| self.encoding.literal(THEN, literal.negated())).collect();
        self.encoding.and(literals)
    }

    /// Drops what the model breaks, and all that play from there breaks.
    ///
    /// The state before the step satisfies all candidates. So does the state after it, once those
    /// that it breaks are dropped; hence the step after that is a counterexample to what it breaks,
    /// and so on.
    fn learn_from_model(&mut self, violated: Vec<usize>) {
        let before = self.encoding.state_in_model(NOW);
        let moves = self.encoding.moves_in_model(NOW);
        self.drop_all(&violated);
        self.sweep.load_everywhere(&before);
        let (mut joint, mut going) = random_joint_moves(self.net, &self.sweep, &mut self.random);
        if moves.len() == self.net.roles.len() {
            joint[0] = moves;
            going |= 1;
        }
        let mut patience = PATIENCE;
        while going != 0 && patience > 0 {
            self.sweep.step(joint.iter().map(Vec::<MoveId>::as_slice));
            let broken: Vec<usize> = (0..self.candidates.len())
                .filter(|&member| self.is_broken_by_sweep(member, going))
                .collect();
            patience = if broken.is_empty() { patience - 1 } else { PATIENCE };
            self.drop_all(&broken);
            let states = successors(&self.sweep, going);
            self.sweep.load(&states);
            (joint, going) = random_joint_moves(self.net, &self.sweep, &mut self.random);
        }
    }

    /// Whether a live candidate fails in a state that follows in one of these lanes.
    fn is_broken_by_sweep(&self, member: usize, lanes: u64) -> bool {
        let candidate = &self.candidates[member];
        candidate.live && self.broken_lanes(&candidate.clause, lanes) != 0
    }

    fn broken_lanes(&self, clause: &Clause, lanes: u64) -> u64 {
        clause.iter().fold(lanes, |all, literal| all & !self.next_value(*literal))
    }

    fn next_value(&self, literal: Literal) -> u64 {
        let next = self.sweep.value(self.net.next[literal.fluent]);
        if literal.holds { next } else { !next }
    }

    fn drop_all(&mut self, members: &[usize]) {
        let mut changed: Vec<usize> = Vec::new();
        for &member in members {
            let candidate = &mut self.candidates[member];
            if std::mem::replace(&mut candidate.live, false) {
                changed.push(candidate.block);
                if let [literal] = candidate.clause[..] {
                    self.weaken(literal);
                }
            }
        }
        changed.sort_unstable();
        changed.dedup();
        for &block in &changed {
            self.renew(block);
        }
        for block in &mut self.blocks {
            let fallen = |on: &Vec<usize>| on.iter().any(|on| changed.binary_search(on).is_ok());
            if block.rests_on.as_ref().is_some_and(fallen) {
                block.rests_on = None;
            }
        }
    }

    /// Puts the live members of a block in place of what it said before.
    fn renew(&mut self, number: usize) {
        let block = &mut self.blocks[number];
        let candidates = &self.candidates;
        block.members.retain(|&member| candidates[member].live);
        block.rests_on = None;
        self.encoding.add(&[!block.active]);
        block.active = self.encoding.fresh();
        self.assume_if_active(number);
    }

    /// What can be said in place of a dropped constant: "it holds, or some other literal does". A
    /// fluent that random play never met is often exclusive with others though it is not always
    /// false.
    fn weaken(&mut self, literal: Literal) {
        let others = self.net.fluents.ids().filter(|&other| other != literal.fluent);
        for other in others {
            for holds in [false, true] {
                if self.weaker_left == 0 {
                    return;
                }
                let mut clause = [literal, Literal { fluent: other, holds }];
                clause.sort_unstable();
                self.weaker.push(clause[..].into());
                self.weaker_left -= 1;
            }
        }
    }

    /// The proved blocks that rest on proved blocks alone are proved for good; the others go.
    fn keep_proved(&mut self) {
        let mut good: Vec<bool> =
            self.blocks.iter().map(|block| block.rests_on.is_some()).collect();
        loop {
            let falls = |(number, block): (usize, &Block)| {
                let rests_on = block.rests_on.iter().flatten();
                good[number] && rests_on.into_iter().any(|&on| !good[on])
            };
            let Some(number) = self.blocks.iter().enumerate().position(falls) else { break };
            good[number] = false;
        }
        for (block, good) in std::mem::take(&mut self.blocks).into_iter().zip(good) {
            self.encoding.add(&[if good { block.active } else { !block.active }]);
            if good {
                let clauses = block.members.iter().map(|&member| &self.candidates[member].clause);
                self.proved.extend(clauses.cloned());
            }
        }
        self.candidates.clear();
        self.weaker.clear();
    }
}

fn holds_in(state: &State, clause: &Clause) -> bool {
    clause.iter().any(|&literal| state.satisfies(literal))
}

/// The states that follow in some lanes; lanes that ended get a copy of another one.
fn successors(sweep: &Sweep<'_>, going: u64) -> Vec<State> {
    let lanes = (0..64).filter(|lane| going >> lane & 1 == 1);
    let states: Vec<State> = lanes.map(|lane| sweep.successor(lane)).collect();
    states.iter().cycle().take(64).cloned().collect()
}
