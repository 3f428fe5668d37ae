//! The circuit of a game as [`Dynamics`]: one sweep answers for as many states as there are lanes.

use gambol_index::{Id, bits};
use gambol_net::{MoveId, Net};
use gambol_sim::{Circuit, Slots, Sweep};

use crate::{Dynamics, Looks, Payoff};

/// The circuit of a game and the lanes it runs in.
pub struct CircuitDynamics<'a> {
    sweep: Sweep<'a>,
    slots: Slots,
    start: Vec<u64>,
    width: usize,
    roles: usize,
    /// For each role the moves it has, as places among the computed moves.
    computed_of: Vec<std::ops::Range<usize>>,
    /// For each role the moves that are always legal.
    always_of: Vec<Vec<u32>>,
    /// Role and value of each goal.
    goals: Vec<(usize, u32)>,
}

impl<'a> CircuitDynamics<'a> {
    /// A game, from its net and the circuit made of it.
    pub fn new(net: &Net, circuit: &'a Circuit) -> Self {
        let sweep = Sweep::new(circuit);
        let role_of = |action: &u32| net.moves[MoveId::new(*action)].role.index();
        let computed = sweep.computed_moves();
        let computed_of = (0..net.roles.len()).map(|role| {
            let first = computed.partition_point(|action| role_of(action) < role);
            first..computed.partition_point(|action| role_of(action) <= role)
        });
        let always_of = (0..net.roles.len()).map(|role| {
            let always = sweep.always_legal().iter().copied();
            always.filter(|action| role_of(action) == role).collect()
        });
        let goals = circuit.goals().iter().map(|goal| (goal.role.index(), goal.value)).collect();
        Self {
            slots: sweep.slots(),
            start: circuit.initial().words().to_vec(),
            width: net.fluents.len().div_ceil(64).max(1),
            roles: net.roles.len(),
            computed_of: computed_of.collect(),
            always_of: always_of.collect(),
            goals,
            sweep,
        }
        .with_some_words()
    }

    /// A game without fluents has states all the same.
    fn with_some_words(mut self) -> Self {
        self.start.resize(self.width, 0);
        self
    }

    fn lanes(&self) -> usize {
        64 * self.sweep.parts()
    }

    fn look_at_some(&mut self, states: &[u64], looks: &mut Looks) {
        self.sweep.load_states(states);
        self.sweep.legality();
        let count = states.len() / self.width;
        if self.is_any(self.slots.terminal, count) {
            self.sweep.goals();
        }
        let mut legal = Vec::new();
        self.sweep.read_legal(count, &mut legal);
        let legal_width = self.sweep.legal_width();
        for (lane, legal) in legal.chunks_exact(legal_width).take(count).enumerate() {
            if self.is_set(self.slots.terminal, lane) {
                looks.push_end((0..self.roles).map(|role| self.goal(role, lane)));
            } else {
                let moves = (0..self.roles).map(|role| self.moves(role, legal));
                looks.push_open(moves);
            }
        }
    }

    fn moves<'b>(&'b self, role: usize, legal: &'b [u64]) -> impl Iterator<Item = u32> + 'b {
        let places = self.computed_of[role].clone();
        let computed = places.filter(|place| bits::is_set(legal, *place));
        let computed = computed.map(|place| self.sweep.computed_moves()[place]);
        computed.chain(self.always_of[role].iter().copied())
    }

    fn goal(&self, role: usize, lane: usize) -> Payoff {
        let slots = self.slots.goals.clone();
        let own = self.goals.iter().zip(slots).filter(|(goal, _)| goal.0 == role);
        let holding = own.filter(|&(_, slot)| self.is_set(slot, lane));
        Payoff::of(holding.map(|(goal, _)| goal.1))
    }

    fn is_set(&self, slot: usize, lane: usize) -> bool {
        bits::is_set(&self.sweep.words()[slot * self.sweep.parts()..], lane)
    }

    fn is_any(&self, slot: usize, lanes: usize) -> bool {
        let parts = self.sweep.parts();
        let words = &self.sweep.words()[slot * parts..][..lanes.div_ceil(64)];
        let below = |part: usize| u64::MAX >> (64 - (lanes - 64 * part).min(64));
        words.iter().enumerate().any(|(part, word)| word & below(part) != 0)
    }

    fn step_some(&mut self, states: &[u64], joint_moves: &[u32], next: &mut Vec<u64>) {
        self.sweep.load_states(states);
        let (parts, moves) = (self.sweep.parts(), self.slots.moves);
        let words = self.sweep.words_mut();
        for (lane, joint_move) in joint_moves.chunks(self.roles).enumerate() {
            for &action in joint_move {
                words[(moves + action as usize) * parts + lane / 64] |= 1 << (lane % 64);
            }
        }
        self.sweep.transition();
        let words = self.sweep.words_mut();
        for &action in joint_moves {
            words[(moves + action as usize) * parts..][..parts].fill(0);
        }
        let count = states.len() / self.width;
        self.sweep.read_states(count, next);
    }
}

impl Dynamics for CircuitDynamics<'_> {
    fn roles(&self) -> usize {
        self.roles
    }

    fn width(&self) -> usize {
        self.width
    }

    fn start(&self) -> Vec<u64> {
        self.start.clone()
    }

    fn look(&mut self, states: &[u64]) -> Looks {
        let mut looks = Looks::new(self.roles);
        for some in states.chunks(self.width * self.lanes()) {
            self.look_at_some(some, &mut looks);
        }
        looks
    }

    fn step(&mut self, states: &[u64], joint_moves: &[u32]) -> Vec<u64> {
        let mut next = Vec::with_capacity(states.len());
        let lanes = self.lanes();
        let moves = joint_moves.chunks(self.roles * lanes);
        for (some, moves) in states.chunks(self.width * lanes).zip(moves) {
            self.step_some(some, moves, &mut next);
        }
        next
    }
}
