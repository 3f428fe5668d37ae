//! Invariants: clauses that hold in every reachable state, proved together by induction.
//!
//! All candidates are assumed in a state; the solver looks for a step after which one of them is
//! broken. Whatever a model breaks is dropped, until nothing is broken any more. Then the rest holds
//! at the start and is handed on by every step (Flanagan and Leino 2001).
//!
//! Candidates are assumed in *blocks*, most often of one, and proved in *lots* of several blocks. The
//! proof of a lot names the blocks it rests on, so when a candidate is dropped only the proofs that
//! rest on its block are made again; and when the time runs out, the lots that rest on proved lots
//! alone are proved all the same.

use gambol_net::{MoveId, Net, State};
use rustc_hash::FxHashSet;
use rustsat::types::Lit;

use crate::Literal;
use crate::encode::{Encoding, NOW, THEN};
use crate::literal::Clause;
use crate::sample::random_joint_moves;
use crate::solver::Answer;
use crate::sweep::Sweep;
use gambol_run::{Deadline, Random};

/// Candidates per question: large enough to save questions, small enough for a quick "no".
const CHUNK: usize = 16;
/// Every block is an assumption of every question, so there should not be too many.
const MOST_BLOCKS: usize = 768;
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
    lots: Vec<Lot>,
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
    lot: usize,
    /// If this is true, the live members hold before the step.
    active: Lit,
}

struct Lot {
    members: Vec<usize>,
    /// The blocks that the proof rests on, sorted, if there is one.
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
            lots: Vec::new(),
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
        let room = MOST_BLOCKS.saturating_sub(self.blocks.len()).max(64);
        let block_size = clauses.len().div_ceil(room).max(1);
        let lot_size = (CHUNK / block_size).max(1) * block_size;
        for clauses in clauses.chunks(lot_size) {
            let first = self.candidates.len();
            for clauses in clauses.chunks(block_size) {
                self.add_block(clauses);
            }
            let members = (first..self.candidates.len()).collect();
            self.lots.push(Lot { members, rests_on: None });
        }
    }

    /// A block of the lot that is added next.
    fn add_block(&mut self, clauses: &[Clause]) {
        let (first, block) = (self.candidates.len(), self.blocks.len());
        let candidate = |clause: &Clause| Candidate { clause: clause.clone(), block, live: true };
        self.candidates.extend(clauses.iter().map(candidate));
        let members = (first..self.candidates.len()).collect();
        let (lot, active) = (self.lots.len(), self.encoding.fresh());
        self.blocks.push(Block { members, lot, active });
        self.assume_if_active(block);
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

    /// Proves or drops until all lots are proved; whether it came to that.
    fn settle(&mut self, deadline: &Deadline) -> bool {
        let mut place = 0;
        loop {
            // Round and round: what is dropped early spoils few proofs.
            let after = (place..self.lots.len()).chain(0..place);
            let Some(lot) = after.into_iter().find(|&lot| self.lots[lot].rests_on.is_none()) else {
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
            self.settle_lot(lot);
            place = lot + 1;
        }
    }

    /// Tries to prove a lot as it is. If some of its members are dropped meanwhile it stays open.
    fn settle_lot(&mut self, lot: usize) {
        let members = self.lots[lot].members.clone();
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
        self.lots[lot].rests_on = Some(rests_on);
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
        let some_broken = self.encoding.fresh();
        self.encoding.add(&[&broken[..], &[!some_broken]].concat());
        assumptions.push(some_broken);
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
        self.encoding.add(&[!some_broken]);
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
        for lot in &mut self.lots {
            let fallen = |on: &Vec<usize>| on.iter().any(|on| changed.binary_search(on).is_ok());
            if lot.rests_on.as_ref().is_some_and(fallen) {
                lot.rests_on = None;
            }
        }
    }

    /// Puts the live members of a block in place of what it said before.
    fn renew(&mut self, number: usize) {
        let candidates = &self.candidates;
        let is_live = |&member: &usize| candidates[member].live;
        let block = &mut self.blocks[number];
        block.members.retain(is_live);
        self.lots[block.lot].members.retain(is_live);
        self.encoding.add(&[!block.active]);
        block.active = match block.members.is_empty() {
            true => self.encoding.solver.truth(),
            false => self.encoding.fresh(),
        };
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

    /// The proved lots that rest on proved lots alone are proved for good; the others go.
    fn keep_proved(&mut self) {
        let good = self.lots_proved_for_good();
        for block in std::mem::take(&mut self.blocks) {
            let good = good[block.lot] || block.members.is_empty();
            self.encoding.add(&[if good { block.active } else { !block.active }]);
            if good {
                let clauses = block.members.iter().map(|&member| &self.candidates[member].clause);
                self.proved.extend(clauses.cloned());
            }
        }
        self.lots.clear();
        self.candidates.clear();
        self.weaker.clear();
    }

    fn lots_proved_for_good(&self) -> Vec<bool> {
        let mut good: Vec<bool> = self.lots.iter().map(|lot| lot.rests_on.is_some()).collect();
        let mut falling = true;
        while std::mem::take(&mut falling) {
            for (number, lot) in self.lots.iter().enumerate() {
                let stands = |&on: &usize| good[self.blocks[on].lot];
                if good[number] && !lot.rests_on.iter().flatten().all(stands) {
                    good[number] = false;
                    falling = true;
                }
            }
        }
        good
    }
}

fn holds_in(state: &State, clause: &Clause) -> bool {
    clause.iter().any(|&literal| literal.holds_in(state))
}

/// The states that follow in some lanes; lanes that ended get a copy of another one.
fn successors(sweep: &Sweep<'_>, going: u64) -> Vec<State> {
    let lanes = (0..64).filter(|lane| going >> lane & 1 == 1);
    let states: Vec<State> = lanes.map(|lane| sweep.successor(lane)).collect();
    states.iter().cycle().take(64).cloned().collect()
}
