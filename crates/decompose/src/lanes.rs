//! A net evaluated in 512 states at once: bit `i % 64` of word `i / 64` of a gate belongs to state `i`.

use std::ops::Range;

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};

use crate::state::State;

/// Words of a gate.
const WORDS: usize = 8;
/// States evaluated together.
pub(crate) const LANES: usize = 64 * WORDS;

/// One bit per lane.
pub(crate) type Word = [u64; WORDS];

pub(crate) const NONE: Word = [0; WORDS];
pub(crate) const ALL: Word = [!0; WORDS];

/// The lanes below a number.
pub(crate) fn first_lanes(count: usize) -> Word {
    std::array::from_fn(|word| match count.saturating_sub(64 * word) {
        0 => 0,
        rest if rest >= 64 => !0,
        rest => (1 << rest) - 1,
    })
}

/// The lanes that are set, ascending.
pub(crate) fn lanes_of(word: &Word) -> impl Iterator<Item = usize> {
    word.iter().enumerate().flat_map(|(part, &bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(64 * part + bit)
        })
    })
}

pub(crate) fn and(one: &Word, other: &Word) -> Word {
    std::array::from_fn(|part| one[part] & other[part])
}

pub(crate) fn and_not(one: &Word, other: &Word) -> Word {
    std::array::from_fn(|part| one[part] & !other[part])
}

pub(crate) fn xor(one: &Word, other: &Word) -> Word {
    std::array::from_fn(|part| one[part] ^ other[part])
}

pub(crate) fn is_none(word: &Word) -> bool {
    *word == NONE
}

#[inline]
pub(crate) fn holds(word: &Word, lane: usize) -> bool {
    word[lane / 64] >> (lane % 64) & 1 == 1
}

#[inline]
pub(crate) fn set(word: &mut Word, lane: usize) {
    word[lane / 64] |= 1 << (lane % 64);
}

/// The gates that a question looks at, in evaluation order: single gates and whole cycles.
struct Plan {
    pieces: Vec<Range<u32>>,
}

/// The values of the gates in all lanes.
pub(crate) struct Lanes<'a> {
    net: &'a Net,
    values: Vec<Word>,
    /// What termination and legality look at.
    legality: Plan,
    /// What the transitions look at besides.
    transition: Plan,
}

impl<'a> Lanes<'a> {
    pub(crate) fn new(net: &'a Net) -> Self {
        let mut values = vec![NONE; net.gate_count()];
        values[1] = ALL;
        let state_roots = net.legal.iter().copied().chain([net.terminal]);
        let for_legality = cone(net, state_roots);
        let for_transition = cone(net, net.next.iter().copied());
        let rest = for_transition.iter().zip(&for_legality).map(|(&used, &known)| used && !known);
        Self {
            net,
            values,
            transition: Plan::of(net, &rest.collect::<Vec<_>>()),
            legality: Plan::of(net, &for_legality),
        }
    }

    pub(crate) fn net(&self) -> &'a Net {
        self.net
    }

    /// Puts states into the lanes, one each, and evaluates legality and termination.
    pub(crate) fn load<'s>(&mut self, states: impl IntoIterator<Item = &'s State>) {
        let first = self.net.fluent_gate(FluentId::new(0)).index();
        self.values[first..first + self.net.next.len()].fill(NONE);
        for (lane, state) in states.into_iter().enumerate() {
            for fluent in state.ones() {
                set(&mut self.values[first + fluent], lane);
            }
        }
        self.view();
    }

    /// Does joint moves, one per lane, and evaluates the transitions.
    pub(crate) fn step<'m>(&mut self, moves: impl IntoIterator<Item = &'m [MoveId]>) {
        let first = self.net.move_gate(MoveId::new(0)).index();
        self.values[first..first + self.net.legal.len()].fill(NONE);
        for (lane, joint) in moves.into_iter().enumerate() {
            for action in joint {
                set(&mut self.values[first + action.index()], lane);
            }
        }
        run(self.net, &mut self.values, &self.transition);
    }

    /// The states that follow, as one word per fluent.
    pub(crate) fn next_words(&self) -> IndexVec<FluentId, Word> {
        self.net.next.iter().map(|gate| self.values[gate.index()]).collect::<Vec<_>>().into()
    }

    /// Moves on to these states, but only in the lanes that go on; the others begin again.
    pub(crate) fn advance(
        &mut self,
        next: &IndexVec<FluentId, Word>,
        going: &Word,
        beginning: &State,
    ) {
        let first = self.net.fluent_gate(FluentId::new(0)).index();
        for (fluent, next) in next.iter_ids() {
            let restart = if beginning.holds(fluent) { !0 } else { 0 };
            self.values[first + fluent.index()] =
                std::array::from_fn(|part| next[part] & going[part] | restart & !going[part]);
        }
        self.view();
    }

    fn view(&mut self) {
        run(self.net, &mut self.values, &self.legality);
    }

    /// The value of a gate in all lanes.
    #[inline]
    pub(crate) fn value(&self, gate: GateId) -> &Word {
        &self.values[gate.index()]
    }

    pub(crate) fn fluent(&self, fluent: FluentId) -> &Word {
        self.value(self.net.fluent_gate(fluent))
    }

    pub(crate) fn next(&self, fluent: FluentId) -> &Word {
        self.value(self.net.next[fluent])
    }

    pub(crate) fn legal(&self, action: MoveId) -> &Word {
        self.value(self.net.legal[action])
    }

    pub(crate) fn terminal(&self) -> &Word {
        self.value(self.net.terminal)
    }

    /// The states that are loaded in some lanes.
    pub(crate) fn states_in(&self, lanes: &[usize]) -> Vec<State> {
        let mut states = vec![State::empty(self.net.next.len()); lanes.len()];
        for fluent in self.net.fluents.ids() {
            let word = self.fluent(fluent);
            for (state, &lane) in states.iter_mut().zip(lanes) {
                if holds(word, lane) {
                    state.set(fluent);
                }
            }
        }
        states
    }
}

impl Plan {
    /// The gates that are used, without propositions and constants.
    fn of(net: &Net, used: &[bool]) -> Self {
        let mut pieces: Vec<Range<u32>> = Vec::new();
        let mut row = net.state_gates().start;
        while row < net.gate_count() as u32 {
            let piece = match net.cycle_of(GateId::new(row)) {
                Some(cycle) => net.cycles[cycle].clone(),
                None => row..row + 1,
            };
            if piece.clone().any(|gate| used[gate as usize]) {
                pieces.push(piece.clone());
            }
            row = piece.end;
        }
        Self { pieces }
    }
}

/// Which gates can be reached backwards from these.
pub(crate) fn cone(net: &Net, roots: impl IntoIterator<Item = GateId>) -> Vec<bool> {
    let mut used = vec![false; net.gate_count()];
    let mut open: Vec<GateId> = roots.into_iter().collect();
    while let Some(gate) = open.pop() {
        if !std::mem::replace(&mut used[gate.index()], true) {
            open.extend(net.inputs_of(gate).iter().filter(|input| !used[input.index()]));
        }
    }
    used
}

fn run(net: &Net, values: &mut [Word], plan: &Plan) {
    for piece in &plan.pieces {
        if piece.len() == 1 {
            let row = piece.start;
            values[row as usize] = computed(net, values, GateId::new(row));
        } else {
            settle(net, values, piece.clone());
        }
    }
}

/// The least fixpoint of gates that read one another: up from false until nothing changes.
fn settle(net: &Net, values: &mut [Word], cycle: Range<u32>) {
    values[cycle.start as usize..cycle.end as usize].fill(NONE);
    loop {
        let mut changed = false;
        for row in cycle.clone() {
            let value = computed(net, values, GateId::new(row));
            changed |= value != values[row as usize];
            values[row as usize] = value;
        }
        if !changed {
            return;
        }
    }
}

#[inline]
fn computed(net: &Net, values: &[Word], gate: GateId) -> Word {
    match net.gate(gate) {
        Gate::And(inputs) => {
            inputs.iter().fold(ALL, |all, input| and(&all, &values[input.index()]))
        }
        Gate::Or(inputs) => inputs.iter().fold(NONE, |any, input| {
            let value = &values[input.index()];
            std::array::from_fn(|part| any[part] | value[part])
        }),
        Gate::Not(input) => values[input.index()].map(|part| !part),
        Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => values[gate.index()],
    }
}
