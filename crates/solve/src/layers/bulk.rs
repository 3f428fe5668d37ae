//! Bulk expansion: what follows all states of a batch, in lanes from the first bit to the last.
//!
//! A batch fills all lanes once. If the legal moves fill a third of the lanes or more, each move is made in
//! all lanes in which it is legal, and the states are copied back in between. Otherwise each pair of a state
//! and a move gets a lane, as does each joint move where several roles choose at once.

use gambol_index::Id;
use gambol_net::{MoveId, Net};
use gambol_sim::{Circuit, Slots, Sweep};

use super::key_code::{KeyCode, Moment, Uncoded};
use super::lanes::Wiring;
use crate::Payoff;

/// What was seen in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// The game is over.
    Over,
    /// A role has no move.
    Stuck,
    /// This role has a choice, or nobody has.
    Chooses(u8),
    /// Several roles have a choice.
    AtOnce,
}

/// What follows some states.
#[derive(Default, Debug)]
pub(crate) struct Expanded {
    /// For each state what was seen in it.
    pub(crate) looks: Vec<Look>,
    /// For each end what it is worth to each role, in the order of the states.
    pub(crate) payoffs: Vec<Payoff>,
    /// For each state in which several roles choose the number of moves of each role.
    pub(crate) counts: Vec<u32>,
    /// For each successor the state it follows; those of one state in the order of its joint moves.
    pub(crate) places: Vec<u32>,
    /// For each successor its key.
    pub(crate) keys: Vec<u64>,
}

impl Expanded {
    fn clear(&mut self) {
        self.looks.clear();
        self.payoffs.clear();
        self.counts.clear();
        self.places.clear();
        self.keys.clear();
    }
}

/// Where a layer stands: what its states have in common, and those of the next one as far as that is known.
pub(crate) struct Layer<'a> {
    pub(crate) depth: u32,
    pub(crate) moment: &'a Moment,
    pub(crate) next: &'a mut Option<Moment>,
}

/// A role's moves: the place of each among those whose legality is computed, none if it is always legal.
type Moves = Vec<(Option<usize>, usize)>;

/// The circuit of a game, its lanes, and a code of its states.
pub(crate) struct Bulk<'a> {
    code: &'a KeyCode,
    start: Vec<u64>,
    wiring: Wiring,
    sweep: Sweep<'a>,
    slots: Slots,
    roles: Vec<Moves>,
    goals: Vec<(usize, u32)>,
    /// The fluents and the legal moves of the batch, which transitions overwrite.
    fluents: Vec<u64>,
    legal: Vec<u64>,
    slices: Vec<u64>,
    rows: Vec<u64>,
}

/// A move with the lanes it is made in.
struct Made<const P: usize> {
    action: usize,
    lanes: [u64; P],
}

impl<'a> Bulk<'a> {
    /// Lanes for a game whose play begins in this state.
    pub(crate) fn new(net: &Net, circuit: &'a Circuit, code: &'a KeyCode, start: &[u64]) -> Self {
        let sweep = Sweep::new(circuit);
        let mut roles: Vec<Moves> = vec![Vec::new(); net.roles.len()];
        let role = |action: u32| net.moves[MoveId::new(action)].role.index();
        let computed =
            sweep.computed_moves().iter().enumerate().map(|(place, &action)| (Some(place), action));
        for (place, action) in
            computed.chain(sweep.always_legal().iter().map(|&action| (None, action)))
        {
            roles[role(action)].push((place, action as usize));
        }
        roles
            .iter_mut()
            .for_each(|moves| moves.sort_by_key(|&(place, action)| (place.is_none(), action)));
        let wiring = Wiring::new(code);
        Self {
            code,
            start: start.to_vec(),
            slices: vec![0; wiring.slices() * sweep.parts()],
            wiring,
            slots: sweep.slots(),
            roles,
            goals: circuit.goals().iter().map(|goal| (goal.role.index(), goal.value)).collect(),
            fluents: Vec::new(),
            legal: Vec::new(),
            rows: Vec::new(),
            sweep,
        }
    }

    /// How many roles there are.
    pub(crate) fn roles(&self) -> usize {
        self.roles.len()
    }

    /// How many states are expanded at a time.
    pub(crate) fn lanes(&self) -> usize {
        64 * self.sweep.parts()
    }

    /// Expands states of a layer, given by their keys.
    pub(crate) fn expand(
        &mut self,
        keys: &[u64],
        layer: &mut Layer<'_>,
        found: &mut Expanded,
    ) -> Result<(), Uncoded> {
        found.clear();
        for (batch, keys) in keys.chunks(self.lanes()).enumerate() {
            let first = (batch * self.lanes()) as u32;
            match self.sweep.parts() {
                1 => self.expand_some::<1>(keys, first, layer, found)?,
                2 => self.expand_some::<2>(keys, first, layer, found)?,
                4 => self.expand_some::<4>(keys, first, layer, found)?,
                8 => self.expand_some::<8>(keys, first, layer, found)?,
                parts => unreachable!("lanes come in powers of two up to 512, not {}", 64 * parts),
            }
        }
        Ok(())
    }

    fn expand_some<const P: usize>(
        &mut self,
        keys: &[u64],
        first: u32,
        layer: &mut Layer<'_>,
        found: &mut Expanded,
    ) -> Result<(), Uncoded> {
        let width = self.code.row_words;
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(keys.len() * width, 0);
        keys.iter()
            .zip(rows.chunks_exact_mut(width))
            .for_each(|(&key, row)| self.code.row(key, row));
        self.load::<P>(&rows, layer.moment);
        let (parts, fluents) = (self.sweep.parts(), self.slots.fluents.clone());
        self.fluents.clear();
        self.fluents
            .extend_from_slice(&self.sweep.words()[fluents.start * parts..fluents.end * parts]);
        self.sweep.legality();
        let legal = self.slots.legal..self.slots.legal + self.sweep.computed_moves().len();
        self.legal.clear();
        self.legal.extend_from_slice(&self.sweep.words()[legal.start * parts..legal.end * parts]);
        let present: [u64; P] = std::array::from_fn(|part| below(keys.len(), part));
        let terminal = self.slot::<P>(self.slots.terminal);
        let over: [u64; P] = std::array::from_fn(|part| terminal[part] & present[part]);
        let open: [u64; P] = std::array::from_fn(|part| present[part] & !over[part]);
        let choosers = self.choosers::<P>(&open);
        if over.iter().any(|&word| word != 0) {
            self.sweep.goals();
        }
        for lane in 0..keys.len() {
            let look = self.look(lane, &over, &choosers, found);
            found.looks.push(look);
        }
        let mut sink = Sink { first, layer, found };
        let result = self.make_all::<P>(&choosers, &rows, &mut sink);
        self.rows = rows;
        result
    }

    fn load<const P: usize>(&mut self, rows: &[u64], moment: &Moment) {
        let slices = self.slices.as_chunks_mut::<P>().0;
        self.wiring.load(rows, moment, slices, &mut self.sweep);
    }

    fn slot<const P: usize>(&self, slot: usize) -> [u64; P] {
        self.sweep.words().as_chunks::<P>().0[slot]
    }

    /// The lanes in which a move is legal.
    fn legal<const P: usize>(&self, place: Option<usize>) -> [u64; P] {
        place.map_or([u64::MAX; P], |place| self.legal.as_chunks::<P>().0[place])
    }

    /// For each role the lanes in which it alone chooses, the first role also those in which nobody does; last of
    /// all those in which several roles choose.
    fn choosers<const P: usize>(&self, open: &[u64; P]) -> Vec<[u64; P]> {
        let mut choosers = Vec::with_capacity(self.roles.len() + 1);
        let (mut going, mut some, mut several) = (*open, [0; P], [0; P]);
        for moves in &self.roles {
            let (mut one, mut two) = ([0; P], [0; P]);
            for &(place, _) in moves {
                let legal = self.legal::<P>(place);
                for part in 0..P {
                    two[part] |= one[part] & legal[part];
                    one[part] |= legal[part];
                }
            }
            for part in 0..P {
                going[part] &= one[part];
                several[part] |= some[part] & two[part];
                some[part] |= two[part];
            }
            choosers.push(two);
        }
        for part in 0..P {
            choosers[0][part] |= !some[part];
            choosers.iter_mut().for_each(|lanes| lanes[part] &= going[part] & !several[part]);
            several[part] &= going[part];
        }
        choosers.push(several);
        choosers
    }

    fn look<const P: usize>(
        &self,
        lane: usize,
        over: &[u64; P],
        choosers: &[[u64; P]],
        found: &mut Expanded,
    ) -> Look {
        let set = |lanes: &[u64; P]| lanes[lane / 64] >> (lane % 64) & 1 == 1;
        if set(over) {
            found.payoffs.extend((0..self.roles.len()).map(|role| self.payoff::<P>(role, lane)));
            return Look::Over;
        }
        match choosers.iter().position(set) {
            Some(role) if role < self.roles.len() => Look::Chooses(role as u8),
            Some(_) => {
                let counts = self.roles.iter().map(|moves| {
                    let legal = moves.iter().filter(|&&(place, _)| set(&self.legal::<P>(place)));
                    legal.count() as u32
                });
                found.counts.extend(counts);
                Look::AtOnce
            }
            None => Look::Stuck,
        }
    }

    fn payoff<const P: usize>(&self, role: usize, lane: usize) -> Payoff {
        let own =
            self.goals.iter().zip(self.slots.goals.clone()).filter(|(goal, _)| goal.0 == role);
        let holds = |slot: usize| self.slot::<P>(slot)[lane / 64] >> (lane % 64) & 1 == 1;
        Payoff::of(own.filter(|&(_, slot)| holds(slot)).map(|(goal, _)| goal.1))
    }

    fn make_all<const P: usize>(
        &mut self,
        choosers: &[[u64; P]],
        rows: &[u64],
        sink: &mut Sink<'_, '_>,
    ) -> Result<(), Uncoded> {
        for (role, lanes) in choosers[..self.roles.len()].iter().enumerate() {
            let made = self.made::<P>(role, lanes);
            let pairs: u32 = made.iter().flat_map(|made| made.lanes).map(u64::count_ones).sum();
            if pairs as usize * 3 >= made.len() * self.lanes() {
                self.by_move(role, &made, sink)?;
            } else {
                let pairs = self.pairs(role, &made);
                self.by_pair::<P>(&pairs, rows, sink)?;
            }
        }
        let at_once = choosers[self.roles.len()];
        if at_once.iter().any(|&word| word != 0) {
            let pairs = self.joint_pairs::<P>(&at_once);
            self.by_pair::<P>(&pairs, rows, sink)?;
        }
        Ok(())
    }

    /// The moves of a role that are legal where it chooses.
    fn made<const P: usize>(&self, role: usize, chooses: &[u64; P]) -> Vec<Made<P>> {
        let mut made = Vec::new();
        if chooses.iter().all(|&word| word == 0) {
            return made;
        }
        for &(place, action) in &self.roles[role] {
            let legal = self.legal::<P>(place);
            let lanes: [u64; P] = std::array::from_fn(|part| chooses[part] & legal[part]);
            if lanes.iter().any(|&word| word != 0) {
                made.push(Made { action, lanes });
            }
        }
        made
    }

    /// One transition per move, in the lanes in which it is legal.
    fn by_move<const P: usize>(
        &mut self,
        role: usize,
        made: &[Made<P>],
        sink: &mut Sink<'_, '_>,
    ) -> Result<(), Uncoded> {
        // In these lanes all others have one move.
        for other in (0..self.roles.len()).filter(|&other| other != role) {
            for move_of in 0..self.roles[other].len() {
                let (place, action) = self.roles[other][move_of];
                *self.does::<P>(action) = self.legal::<P>(place);
            }
        }
        let fluents = self.slots.fluents.start * self.sweep.parts();
        let mut result = Ok(());
        for Made { action, lanes } in made {
            let kept = &self.fluents;
            self.sweep.words_mut()[fluents..fluents + kept.len()].copy_from_slice(kept);
            *self.does::<P>(*action) = *lanes;
            self.sweep.transition();
            *self.does::<P>(*action) = [0; P];
            result = self.emit::<P>(lanes, |lane| lane as u32, sink);
            if result.is_err() {
                break;
            }
        }
        self.nobody_does::<P>();
        result
    }

    fn does<const P: usize>(&mut self, action: usize) -> &mut [u64; P] {
        &mut self.sweep.words_mut().as_chunks_mut::<P>().0[self.slots.moves + action]
    }

    fn nobody_does<const P: usize>(&mut self) {
        for role in 0..self.roles.len() {
            for place in 0..self.roles[role].len() {
                *self.does::<P>(self.roles[role][place].1) = [0; P];
            }
        }
    }

    /// Each move of each state with the only moves of the others.
    fn pairs<const P: usize>(&self, role: usize, made: &[Made<P>]) -> Vec<(u32, Vec<u32>)> {
        let mut pairs = Vec::new();
        for Made { action, lanes } in made {
            for lane in set_bits(lanes) {
                let mut joint = Vec::with_capacity(self.roles.len());
                for other in 0..self.roles.len() {
                    let own = other == role;
                    joint.push(if own { *action as u32 } else { self.moves::<P>(other, lane)[0] });
                }
                pairs.push((lane, joint));
            }
        }
        pairs
    }

    /// Each joint move of each state.
    fn joint_pairs<const P: usize>(&self, lanes: &[u64; P]) -> Vec<(u32, Vec<u32>)> {
        let mut pairs = Vec::new();
        for lane in set_bits(lanes) {
            let mut all: Vec<Vec<u32>> = vec![Vec::new()];
            for role in 0..self.roles.len() {
                let moves = self.moves::<P>(role, lane);
                let with = |joint: &Vec<u32>, action: u32| [&joint[..], &[action]].concat();
                let longer = all
                    .iter()
                    .flat_map(|joint| moves.iter().map(move |&action| with(joint, action)));
                all = longer.collect();
            }
            pairs.extend(all.into_iter().map(|joint| (lane, joint)));
        }
        pairs
    }

    /// The legal moves of a role in a lane.
    fn moves<const P: usize>(&self, role: usize, lane: u32) -> Vec<u32> {
        let (part, bit) = (lane as usize / 64, lane % 64);
        let legal = |place: Option<usize>| self.legal::<P>(place)[part] >> bit & 1 == 1;
        let moves = self.roles[role].iter().filter(|&&(place, _)| legal(place));
        moves.map(|&(_, action)| action as u32).collect()
    }

    /// Each joint move in a lane of its own.
    fn by_pair<const P: usize>(
        &mut self,
        pairs: &[(u32, Vec<u32>)],
        rows: &[u64],
        sink: &mut Sink<'_, '_>,
    ) -> Result<(), Uncoded> {
        let width = self.code.row_words;
        let mut copies = Vec::new();
        for some in pairs.chunks(64 * P) {
            copies.clear();
            for &(lane, _) in some {
                copies.extend_from_slice(&rows[lane as usize * width..][..width]);
            }
            self.load::<P>(&copies, sink.layer.moment);
            for (lane, (_, joint)) in some.iter().enumerate() {
                for &action in joint {
                    self.does::<P>(action as usize)[lane / 64] |= 1 << (lane % 64);
                }
            }
            self.sweep.transition();
            self.nobody_does::<P>();
            let lanes: [u64; P] = std::array::from_fn(|part| below(some.len(), part));
            self.emit::<P>(&lanes, |lane| some[lane].0, sink)?;
        }
        Ok(())
    }

    /// Codes the states that some lanes hold now.
    fn emit<const P: usize>(
        &mut self,
        lanes: &[u64; P],
        state: impl Fn(usize) -> u32,
        sink: &mut Sink<'_, '_>,
    ) -> Result<(), Uncoded> {
        let depth = sink.layer.depth + 1;
        if sink.layer.next.is_none()
            && let Some(lane) = set_bits(lanes).next()
        {
            let shown = self.state_in(lane as usize);
            *sink.layer.next = Some(self.code.moment(&shown, &self.start, depth));
        }
        let Some(moment) = &*sink.layer.next else { return Ok(()) };
        let slices = self.slices.as_chunks_mut::<P>().0;
        let wrong = self.wiring.read(&self.sweep, moment, slices);
        let width = self.code.row_words;
        let mut rows = vec![0; 64 * width];
        for part in (0..P).filter(|&part| lanes[part] != 0) {
            if wrong[part] & lanes[part] != 0 {
                let lane = 64 * part + (wrong[part] & lanes[part]).trailing_zeros() as usize;
                return Err(Uncoded { row: self.state_in(lane), depth });
            }
            self.wiring.rows(self.slices.as_chunks::<P>().0, part, &mut rows);
            let mut rest = lanes[part];
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                match self.code.key(&rows[lane * width..(lane + 1) * width]) {
                    Some((key, potential)) if potential == moment.potential => {
                        sink.found.places.push(sink.first + state(64 * part + lane));
                        sink.found.keys.push(key);
                    }
                    _ => return Err(Uncoded { row: self.state_in(64 * part + lane), depth }),
                }
            }
        }
        Ok(())
    }

    /// The state that a lane holds.
    fn state_in(&self, lane: usize) -> Vec<u64> {
        let parts = self.sweep.parts();
        let mut state = vec![0; self.slots.fluents.len().div_ceil(64).max(1)];
        for (fluent, slot) in self.slots.fluents.clone().enumerate() {
            let bit = self.sweep.words()[slot * parts + lane / 64] >> (lane % 64) & 1;
            state[fluent / 64] |= bit << (fluent % 64);
        }
        state
    }
}

/// Where successors go.
struct Sink<'a, 'b> {
    /// The place of the first lane's state.
    first: u32,
    layer: &'a mut Layer<'b>,
    found: &'a mut Expanded,
}

/// The lanes of a part that are among the first `count`.
fn below(count: usize, part: usize) -> u64 {
    match count.saturating_sub(64 * part) {
        0 => 0,
        some if some >= 64 => u64::MAX,
        some => (1 << some) - 1,
    }
}

/// The lanes that are set, in order.
fn set_bits<const P: usize>(lanes: &[u64; P]) -> impl Iterator<Item = u32> + use<P> {
    let lanes = *lanes;
    lanes.into_iter().enumerate().flat_map(|(part, word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let lane = (rest != 0).then(|| 64 * part as u32 + rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(lane)
        })
    })
}
