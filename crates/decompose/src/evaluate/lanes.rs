//! A net evaluated in 512 states at once: bit `i % 64` of word `i / 64` of a gate belongs to state `i`.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, GateId, MoveId, Net, State};

use crate::evaluate::plan::{Plan, Row};
use crate::evaluate::scope::Scope;

/// Words of a gate.
pub(crate) const WORDS: usize = 8;
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

pub(crate) fn or(one: &Word, other: &Word) -> Word {
    std::array::from_fn(|part| one[part] | other[part])
}

pub(crate) fn xor(one: &Word, other: &Word) -> Word {
    std::array::from_fn(|part| one[part] ^ other[part])
}

pub(crate) fn is_none(word: &Word) -> bool {
    word.iter().fold(0, |any, part| any | part) == 0
}

/// The states in some lanes, each named once, of fluents given as words.
pub(crate) fn gathered<'w>(
    words: impl ExactSizeIterator<Item = &'w Word>,
    lanes: &[usize],
) -> Vec<State> {
    let mut states = vec![State::empty(words.len()); lanes.len()];
    let (mut wanted, mut place) = (NONE, [0u16; LANES]);
    for (number, &lane) in (0..).zip(lanes) {
        set(&mut wanted, lane);
        place[lane] = number;
    }
    for (fluent, word) in words.enumerate() {
        for lane in lanes_of(&and(word, &wanted)) {
            states[usize::from(place[lane])].set(FluentId::from_index(fluent));
        }
    }
    states
}

#[inline]
pub(crate) fn holds(word: &Word, lane: usize) -> bool {
    word[lane / 64] >> (lane % 64) & 1 == 1
}

#[inline]
pub(crate) fn set(word: &mut Word, lane: usize) {
    word[lane / 64] |= 1 << (lane % 64);
}

/// A joint move in a state, to be tried.
pub(crate) struct Trial<'s> {
    pub(crate) state: &'s State,
    pub(crate) moves: Vec<MoveId>,
}

/// The values of the gates in all lanes.
pub(crate) struct Lanes<'a> {
    net: &'a Net,
    values: Vec<Row>,
    /// What termination and legality look at.
    legality: Plan,
    /// What the transitions look at besides.
    transition: Plan,
    /// All that the transitions look at.
    passage: Plan,
    effort: u64,
    /// The phase that is looked at, if not the whole game.
    scope: Option<Scope>,
}

impl<'a> Lanes<'a> {
    /// For a game, or a phase of it.
    pub(crate) fn within(net: &'a Net, scope: Option<Scope>) -> Self {
        let mut values = vec![Row(NONE); net.gate_count()];
        values[1] = Row(ALL);
        let state_roots: Vec<GateId> = net.legal.iter().copied().chain([net.terminal]).collect();
        let mut known = vec![false; net.gate_count()];
        let legality = Plan::of(net, &state_roots, &mut known);
        let transition = Plan::of(net, net.next.as_slice(), &mut known);
        let passage = Plan::of(net, net.next.as_slice(), &mut vec![false; net.gate_count()]);
        Self { net, values, legality, transition, passage, effort: 0, scope }
    }

    /// What was read of gates so far, in all lanes together. Unlike time, it is the same on every machine.
    pub(crate) fn effort(&self) -> u64 {
        self.effort
    }

    pub(crate) fn net(&self) -> &'a Net {
        self.net
    }

    /// Puts states into the lanes, one each, and evaluates legality and termination.
    pub(crate) fn load<'s>(&mut self, states: impl IntoIterator<Item = &'s State>) {
        self.put_states(states);
        self.view();
    }

    fn put_states<'s>(&mut self, states: impl IntoIterator<Item = &'s State>) {
        let first = self.net.fluent_gate(FluentId::new(0)).index();
        self.values[first..first + self.net.next.len()].fill(Row(NONE));
        let (mut lane, mut states) = (0, states.into_iter().peekable());
        while let Some(state) = states.next() {
            // Several moves are often tried in one state.
            let begin = lane;
            lane += 1;
            while states.next_if(|next| std::ptr::eq(*next, state)).is_some() {
                lane += 1;
            }
            let run = and_not(&first_lanes(lane), &first_lanes(begin));
            for fluent in state.ones() {
                let row = &mut self.values[first + fluent].0;
                (0..WORDS).for_each(|part| row[part] |= run[part]);
            }
        }
    }

    fn put_moves<'m>(&mut self, moves: impl IntoIterator<Item = &'m [MoveId]>) {
        let first = self.net.move_gate(MoveId::new(0)).index();
        self.values[first..first + self.net.legal.len()].fill(Row(NONE));
        for (lane, joint) in moves.into_iter().enumerate() {
            for action in joint {
                set(&mut self.values[first + action.index()].0, lane);
            }
        }
    }

    /// Does joint moves, one per lane, in the states that are loaded.
    pub(crate) fn step<'m>(&mut self, moves: impl IntoIterator<Item = &'m [MoveId]>) {
        self.put_moves(moves);
        self.transition.run(&mut self.values);
        self.effort += self.transition.effort();
    }

    /// Does joint moves in states, one per lane. Of legality and termination nothing is said.
    pub(crate) fn pass<'s, 'm>(
        &mut self,
        states: impl IntoIterator<Item = &'s State>,
        moves: impl IntoIterator<Item = &'m [MoveId]>,
    ) {
        self.put_states(states);
        self.put_moves(moves);
        self.passage.run(&mut self.values);
        self.effort += self.passage.effort();
    }

    /// The states that follow up to 512 trials.
    pub(crate) fn successors(&mut self, trials: &[Trial<'_>]) -> Vec<State> {
        let moves = trials.iter().map(|trial| trial.moves.as_slice());
        self.pass(trials.iter().map(|trial| trial.state), moves);
        let mut states = vec![State::empty(self.net.next.len()); trials.len()];
        let used = first_lanes(trials.len());
        for (fluent, &gate) in self.net.next.iter_ids() {
            for lane in lanes_of(&and(self.value(gate), &used)) {
                states[lane].set(fluent);
            }
        }
        states
    }

    /// The states that follow, as one word per fluent.
    pub(crate) fn next_words(&self) -> IndexVec<FluentId, Word> {
        self.net.next.iter().map(|gate| self.values[gate.index()].0).collect::<Vec<_>>().into()
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
            self.values[first + fluent.index()].0 =
                std::array::from_fn(|part| next[part] & going[part] | restart & !going[part]);
        }
        self.effort += 8 * next.len() as u64;
        self.view();
    }

    fn view(&mut self) {
        self.legality.run(&mut self.values);
        self.effort += self.legality.effort();
    }

    /// The lanes whose states belong to the phase that is looked at.
    pub(crate) fn inside(&self) -> Word {
        self.scope.as_ref().map_or(ALL, |scope| scope.lanes(&|fluent| self.fluent(fluent)))
    }

    /// The lanes whose next states do.
    pub(crate) fn inside_next(&self) -> Word {
        self.scope.as_ref().map_or(ALL, |scope| scope.lanes(&|fluent| self.next(fluent)))
    }

    /// Which of some trials lead out of the phase.
    pub(crate) fn leaving(&mut self, trials: &[Trial<'_>]) -> Vec<bool> {
        if self.scope.is_none() {
            return vec![false; trials.len()];
        }
        let mut leaving = Vec::with_capacity(trials.len());
        for chunk in trials.chunks(LANES) {
            let moves = chunk.iter().map(|trial| trial.moves.as_slice());
            self.pass(chunk.iter().map(|trial| trial.state), moves);
            let inside = self.inside_next();
            leaving.extend((0..chunk.len()).map(|lane| !holds(&inside, lane)));
        }
        leaving
    }

    /// The value of a gate in all lanes.
    #[inline]
    pub(crate) fn value(&self, gate: GateId) -> &Word {
        &self.values[gate.index()].0
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

    /// The states that are loaded in some lanes, each named once.
    pub(crate) fn states_in(&self, lanes: &[usize]) -> Vec<State> {
        let first = self.net.fluent_gate(FluentId::new(0)).index();
        let words = self.values[first..first + self.net.next.len()].iter();
        gathered(words.map(|row| &row.0), lanes)
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
