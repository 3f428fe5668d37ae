//! A sample of play: states that are reachable for sure, and steps between them.
//!
//! Random playouts go deep, then all moves are tried in the states found so far, in order. In a
//! small game nothing is left untried and the sample is the whole state space. What fails in the
//! sample is refuted, with the moves that lead there; what holds in it is a candidate for proof.

use gambol_net::{FluentId, GateId, MoveId, Net, RoleId, State};
use rustc_hash::FxHashMap;

use crate::Literal;
use crate::columns::Columns;
use crate::proof::Proof;
use crate::sweep::Sweep;
use crate::verdict::{Verdict, Witness};
use gambol_run::{Deadline, Random};

/// How large a sample may grow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleLimits {
    pub(crate) states: usize,
    pub(crate) steps: usize,
}

/// Bits of fluents by step that a sample may hold; 16 MiB.
const MOST_BITS: usize = 1 << 27;

impl SampleLimits {
    /// The most states; as many steps as fit.
    pub(crate) fn new(net: &Net, states: usize) -> Self {
        let steps = (MOST_BITS / net.next.len().max(1)).min(8 * states);
        Self { states: states.min(steps), steps }
    }
}

/// A joint move from one state of the sample to another.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) moves: Box<[MoveId]>,
}

/// Reachable states and steps. State 0 is the initial one.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) states: Vec<State>,
    pub(crate) steps: Vec<Step>,
    /// Whether this is all there is.
    pub(crate) complete: bool,
    /// Which step found a state; `None` for the initial one.
    found_by: Vec<Option<u32>>,
    known: FxHashMap<State, u32>,
    /// Fluents by state.
    pub(crate) now: Columns,
    /// Fluents by step, before and after it.
    pub(crate) before: Columns,
    pub(crate) after: Columns,
}

/// Joint moves tried per state; more are left to chance.
const JOINT_MOVES: usize = 256;
/// Rounds of 64 playouts without a new state after which playouts find nothing more.
const PATIENCE: usize = 24;

impl Sample {
    /// Plays at random, then tries all moves, within the limits.
    pub(crate) fn of(net: &Net, limits: SampleLimits, seed: u64, deadline: &Deadline) -> Self {
        let mut sample = Self::start(net);
        let mut random = Random::new(seed);
        let half = SampleLimits { states: limits.states / 2, steps: limits.steps / 2 };
        sample.play(net, half, &mut random, &deadline.share(0.5));
        sample.complete = sample.explore(net, limits, &mut random, deadline);
        sample.now = Columns::of(net.next.len(), sample.states.iter());
        (sample.before, sample.after) = sample.ends_of_steps(net);
        sample
    }

    fn start(net: &Net) -> Self {
        let initial = State::initial(net);
        let known = FxHashMap::from_iter([(initial.clone(), 0)]);
        Self {
            states: vec![initial],
            steps: Vec::new(),
            complete: false,
            found_by: vec![None],
            known,
            now: Columns::default(),
            before: Columns::default(),
            after: Columns::default(),
        }
    }

    fn ends_of_steps(&self, net: &Net) -> (Columns, Columns) {
        let states = |pick: fn(&Step) -> u32| {
            let state = self.steps.iter().map(move |step| &self.states[pick(step) as usize]);
            Columns::of(net.next.len(), state)
        };
        (states(|step| step.from), states(|step| step.to))
    }

    fn is_full(&self, limits: SampleLimits) -> bool {
        self.states.len() >= limits.states || self.steps.len() >= limits.steps
    }

    fn play(&mut self, net: &Net, limits: SampleLimits, random: &mut Random, deadline: &Deadline) {
        let mut sweep = Sweep::new(net);
        let mut lanes = [0u32; 64];
        let mut fruitless = 0;
        while fruitless < PATIENCE && !self.is_full(limits) && !deadline.is_over() {
            let known = self.states.len();
            self.play_round(net, &mut sweep, &mut lanes, random);
            fruitless = if self.states.len() == known { fruitless + 1 } else { 0 };
        }
    }

    /// One step of 64 games; those that are over begin again.
    fn play_round(
        &mut self,
        net: &Net,
        sweep: &mut Sweep<'_>,
        lanes: &mut [u32; 64],
        random: &mut Random,
    ) {
        sweep.load(lanes.iter().map(|&state| &self.states[state as usize]));
        let (joint, going) = random_joint_moves(net, sweep, random);
        sweep.step(joint.iter().map(Vec::as_slice));
        for (lane, moves) in joint.into_iter().enumerate() {
            lanes[lane] = match going >> lane & 1 {
                1 => self.record(lanes[lane], sweep.successor(lane), moves.into()),
                _ => 0,
            };
        }
    }

    /// Tries all moves in all states; whether none was left out.
    fn explore(
        &mut self,
        net: &Net,
        limits: SampleLimits,
        random: &mut Random,
        deadline: &Deadline,
    ) -> bool {
        let mut sweep = Sweep::new(net);
        let (mut first, mut all) = (0, true);
        while first < self.states.len() {
            let last = self.states.len().min(first + 64);
            sweep.load(&self.states[first..last]);
            let (joint, whole) = all_joint_moves(net, &sweep, first, last, random);
            all &= whole;
            for chunk in joint.chunks(64) {
                if self.is_full(limits) || deadline.is_over() {
                    return false;
                }
                sweep.load(chunk.iter().map(|trial| &self.states[trial.from as usize]));
                sweep.step(chunk.iter().map(|trial| &*trial.moves));
                for (lane, trial) in chunk.iter().enumerate() {
                    self.record(trial.from, sweep.successor(lane), trial.moves.clone());
                }
            }
            first = last;
        }
        all
    }

    fn record(&mut self, from: u32, successor: State, moves: Box<[MoveId]>) -> u32 {
        let step = self.steps.len() as u32;
        let fresh = self.states.len() as u32;
        let to = *self.known.entry(successor.clone()).or_insert(fresh);
        if to == fresh {
            self.states.push(successor);
            self.found_by.push(Some(step));
        }
        self.steps.push(Step { from, to, moves });
        to
    }

    /// The verdict on what nothing in the sample breaks and nothing else proves.
    pub(crate) fn verdict(&self) -> Verdict {
        match self.complete {
            true => Verdict::Proved(Proof::by_listing("holds in every state")),
            false => Verdict::Unknown,
        }
    }

    /// The moves that lead from the start to a state.
    pub(crate) fn path_to(&self, state: u32) -> Witness {
        let mut moves = Vec::new();
        let mut at = state;
        while let Some(step) = self.found_by[at as usize] {
            let step = &self.steps[step as usize];
            moves.push(step.moves.clone());
            at = step.from;
        }
        moves.reverse();
        Witness { moves }
    }

    /// The moves that lead through a step.
    pub(crate) fn path_through(&self, step: usize) -> Witness {
        let step = &self.steps[step];
        let mut witness = self.path_to(step.from);
        witness.moves.push(step.moves.clone());
        witness
    }

    pub(crate) fn fluent_count(&self) -> usize {
        self.now.rows()
    }

    /// Whether some state has the literal.
    pub(crate) fn meets(&self, literal: Literal) -> bool {
        self.now.first_with(&[literal]).is_some()
    }

    /// Whether the sample has states with the fluent and states without it.
    pub(crate) fn varies(&self, fluent: FluentId) -> bool {
        self.meets(Literal::is(fluent)) && self.meets(Literal::is_not(fluent))
    }

    /// The values of gates that look at the state only, in every state of the sample.
    pub(crate) fn gate_columns(&self, net: &Net, gates: &[GateId]) -> Columns {
        let mut columns = Columns::empty(gates.len(), self.states.len());
        let mut sweep = Sweep::new(net);
        for (word, states) in self.states.chunks(64).enumerate() {
            sweep.load(states);
            let mask = if states.len() == 64 { !0 } else { (1 << states.len()) - 1 };
            for (row, &gate) in gates.iter().enumerate() {
                columns.set_word(row, word, sweep.value(gate) & mask);
            }
        }
        columns
    }
}

/// For each lane one random legal move per role, and the lanes whose game goes on.
pub(crate) fn random_joint_moves(
    net: &Net,
    sweep: &Sweep<'_>,
    random: &mut Random,
) -> (Vec<Vec<MoveId>>, u64) {
    let mut joint = vec![Vec::new(); 64];
    let mut going = !sweep.value(net.terminal);
    for role in net.roles.ids() {
        let mut seen = [0usize; 64];
        let mut chosen = [MoveId::new(0); 64];
        for action in net.moves_of(role).map(MoveId::new) {
            let mut legal = sweep.value(net.legal[action]) & going;
            while legal != 0 {
                let lane = legal.trailing_zeros() as usize;
                legal &= legal - 1;
                seen[lane] += 1;
                // Each of the moves met so far is the chosen one with equal chance.
                if random.below(seen[lane]) == 0 {
                    chosen[lane] = action;
                }
            }
        }
        for lane in 0..64 {
            match seen[lane] {
                0 => going &= !(1 << lane),
                _ => joint[lane].push(chosen[lane]),
            }
        }
    }
    (joint, going)
}

/// A joint move to be tried in a state.
struct Trial {
    from: u32,
    moves: Box<[MoveId]>,
}

/// The joint moves of the states that are loaded, and whether these are all.
fn all_joint_moves(
    net: &Net,
    sweep: &Sweep<'_>,
    first: usize,
    last: usize,
    random: &mut Random,
) -> (Vec<Trial>, bool) {
    let mut joint = Vec::new();
    let mut whole = true;
    for lane in 0..last - first {
        if sweep.value(net.terminal) >> lane & 1 == 1 {
            continue;
        }
        let legal: Vec<Vec<MoveId>> =
            net.roles.ids().map(|role| legal_moves(net, sweep, role, lane)).collect();
        let count = legal.iter().fold(1usize, |count, moves| count.saturating_mul(moves.len()));
        whole &= count <= JOINT_MOVES;
        for number in 0..count.min(JOINT_MOVES) {
            let number = if count <= JOINT_MOVES { number } else { random.below(count) };
            let moves = nth_joint_move(&legal, number);
            joint.push(Trial { from: (first + lane) as u32, moves });
        }
    }
    (joint, whole)
}

fn legal_moves(net: &Net, sweep: &Sweep<'_>, role: RoleId, lane: usize) -> Vec<MoveId> {
    let moves = net.moves_of(role).map(MoveId::new);
    moves.filter(|&action| sweep.value(net.legal[action]) >> lane & 1 == 1).collect()
}

fn nth_joint_move(legal: &[Vec<MoveId>], mut number: usize) -> Box<[MoveId]> {
    let mut pick = |moves: &Vec<MoveId>| {
        let action = moves[number % moves.len()];
        number /= moves.len();
        action
    };
    legal.iter().map(&mut pick).collect()
}
