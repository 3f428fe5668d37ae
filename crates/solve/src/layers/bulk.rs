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
use super::plan::Plan;
use super::symmetries::{image, inverse};
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
    /// For each state how many it stands for, itself and those symmetric to it. Empty if there are no symmetries.
    pub(crate) weights: Vec<u8>,
}

impl Expanded {
    fn clear(&mut self) {
        self.looks.clear();
        self.payoffs.clear();
        self.counts.clear();
        self.places.clear();
        self.keys.clear();
        self.weights.clear();
    }

    /// How many states a state stands for.
    pub(crate) fn weight(&self, place: usize) -> u64 {
        self.weights.get(place).map_or(1, |&weight| weight.into())
    }

    /// How many states all of these stand for.
    pub(crate) fn meant(&self) -> u64 {
        match self.weights.is_empty() {
            true => self.looks.len() as u64,
            false => self.weights.iter().map(|&weight| u64::from(weight)).sum(),
        }
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
    start: &'a [u64],
    /// The symmetries, and for the states as they are and for each symmetry how images are read.
    symmetries: &'a [Vec<u32>],
    wirings: Vec<Wiring>,
    sweep: Sweep<'a>,
    slots: Slots,
    roles: Vec<Moves>,
    /// For each role its goals, each with its slot.
    goals: Vec<Vec<(u32, usize)>>,
    /// The fluents and the legal moves of the batch, which transitions overwrite.
    fluents: Vec<u64>,
    legal: Vec<u64>,
    /// For each wiring.
    slices: Vec<Vec<u64>>,
    rows: Vec<u64>,
}

/// A move with the lanes it is made in.
struct Made<const P: usize> {
    action: usize,
    lanes: [u64; P],
}

/// Joint moves, each with the lane of its state; a joint move is one move for each role.
#[derive(Default)]
struct Pairs {
    lanes: Vec<u32>,
    joint: Vec<u32>,
}

impl<'a> Bulk<'a> {
    /// Lanes for a game whose states are coded by a plan.
    pub(crate) fn new(net: &Net, circuit: &'a Circuit, plan: &'a Plan) -> Self {
        let (code, symmetries) = (&plan.code, plan.symmetries());
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
        let slots = sweep.slots();
        let mut goals = vec![Vec::new(); roles.len()];
        for (goal, slot) in circuit.goals().iter().zip(slots.goals.clone()) {
            goals[goal.role.index()].push((goal.value, slot));
        }
        let mut wirings = vec![Wiring::new(code, |fluent| fluent)];
        wirings.extend(symmetries.iter().map(|symmetry| {
            let origins = inverse(symmetry);
            Wiring::new(code, |fluent| origins[fluent as usize])
        }));
        Self {
            code,
            start: plan.start(),
            symmetries,
            slices: vec![vec![0; wirings[0].slices() * sweep.parts()]; wirings.len()],
            wirings,
            slots,
            roles,
            goals,
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
        self.look::<P>(keys.len(), &over, &choosers, found);
        if !self.symmetries.is_empty() {
            self.weigh::<P>(keys, layer, found)?;
        }
        let mut sink = Sink { first, layer, found };
        let result = self.make_all::<P>(&choosers, &rows, &mut sink);
        self.rows = rows;
        result
    }

    fn load<const P: usize>(&mut self, rows: &[u64], moment: &Moment) {
        let slices = self.slices[0].as_chunks_mut::<P>().0;
        self.wirings[0].load(rows, moment, slices, &mut self.sweep);
    }

    /// How many states each state of the batch stands for. The lanes still hold the fluents of the batch.
    fn weigh<const P: usize>(
        &mut self,
        keys: &[u64],
        layer: &Layer<'_>,
        found: &mut Expanded,
    ) -> Result<(), Uncoded> {
        let present: [u64; P] = std::array::from_fn(|part| below(keys.len(), part));
        let mut fixed = vec![1; keys.len()];
        for wiring in 1..self.wirings.len() {
            self.read::<P>(wiring, &present, layer.moment, layer.depth)?;
            for part in (0..P).filter(|&part| present[part] != 0) {
                self.codes::<P>(
                    wiring,
                    part,
                    (present[part], layer.moment, layer.depth),
                    |lane, code| {
                        let place = 64 * part + lane;
                        fixed[place] += usize::from(self.code.mix(code) == keys[place]);
                    },
                )?;
            }
        }
        found.weights.extend(fixed.iter().map(|&fixed| (self.wirings.len() / fixed) as u8));
        Ok(())
    }

    /// Reads the slices of all lanes in one way, and checks what the code supposes in some lanes.
    fn read<const P: usize>(
        &mut self,
        wiring: usize,
        lanes: &[u64; P],
        moment: &Moment,
        depth: u32,
    ) -> Result<(), Uncoded> {
        let slices = self.slices[wiring].as_chunks_mut::<P>().0;
        let wrong = self.wirings[wiring].read(&self.sweep, moment, slices);
        for part in 0..P {
            if wrong[part] & lanes[part] != 0 {
                let lane = 64 * part + (wrong[part] & lanes[part]).trailing_zeros() as usize;
                return Err(Uncoded { row: self.image_in(wiring, lane), depth });
            }
        }
        Ok(())
    }

    /// The codes of the states of some of 64 lanes, whose slices were read in one way.
    #[inline]
    fn codes<const P: usize>(
        &self,
        wiring: usize,
        part: usize,
        (lanes, moment, depth): (u64, &Moment, u32),
        mut tell: impl FnMut(usize, u64),
    ) -> Result<(), Uncoded> {
        let width = self.code.row_words;
        let mut buffer = [0; 64];
        let mut more = Vec::new();
        let rows: &mut [u64] = if width == 1 {
            &mut buffer
        } else {
            more.resize(64 * width, 0);
            &mut more
        };
        self.wirings[wiring].rows(self.slices[wiring].as_chunks::<P>().0, part, rows);
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            match self.code.code(&rows[lane * width..(lane + 1) * width]) {
                Some((code, potential)) if potential == moment.potential => tell(lane, code),
                _ => return Err(Uncoded { row: self.image_in(wiring, 64 * part + lane), depth }),
            }
        }
        Ok(())
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

    /// What is seen in the states of the batch.
    fn look<const P: usize>(
        &self,
        states: usize,
        over: &[u64; P],
        choosers: &[[u64; P]],
        found: &mut Expanded,
    ) {
        let first = found.looks.len();
        found.looks.resize(first + states, Look::Stuck);
        let looks = &mut found.looks[first..];
        for lane in set_bits(over) {
            looks[lane as usize] = Look::Over;
            found.payoffs.extend(self.goals.iter().map(|goals| self.payoff::<P>(goals, lane)));
        }
        for (role, lanes) in choosers[..self.roles.len()].iter().enumerate() {
            set_bits(lanes).for_each(|lane| looks[lane as usize] = Look::Chooses(role as u8));
        }
        for lane in set_bits(&choosers[self.roles.len()]) {
            looks[lane as usize] = Look::AtOnce;
            let legal = |place| self.legal::<P>(place)[lane as usize / 64] >> (lane % 64) & 1;
            let count = |moves: &Moves| moves.iter().map(|&(place, _)| legal(place) as u32).sum();
            found.counts.extend(self.roles.iter().map(count).collect::<Vec<u32>>());
        }
    }

    /// What an end is worth to a role with these goals, each with its slot.
    fn payoff<const P: usize>(&self, goals: &[(u32, usize)], lane: u32) -> Payoff {
        let words = self.sweep.words().as_chunks::<P>().0;
        let holds = |slot: usize| words[slot][lane as usize / 64] >> (lane % 64) & 1 == 1;
        Payoff::of(goals.iter().filter(|&&(_, slot)| holds(slot)).map(|goal| goal.0))
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
    fn pairs<const P: usize>(&self, role: usize, made: &[Made<P>]) -> Pairs {
        let mut only = vec![0u32; self.roles.len() * self.lanes()];
        for (other, moves) in self.roles.iter().enumerate().filter(|&(other, _)| other != role) {
            for &(place, action) in moves {
                for lane in set_bits(&self.legal::<P>(place)) {
                    only[lane as usize * self.roles.len() + other] = action as u32;
                }
            }
        }
        let mut pairs = Pairs::default();
        for Made { action, lanes } in made {
            for lane in set_bits(lanes) {
                let first = lane as usize * self.roles.len();
                only[first + role] = *action as u32;
                pairs.lanes.push(lane);
                pairs.joint.extend_from_slice(&only[first..first + self.roles.len()]);
            }
        }
        pairs
    }

    /// Each joint move of each state.
    fn joint_pairs<const P: usize>(&self, lanes: &[u64; P]) -> Pairs {
        let mut pairs = Pairs::default();
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
            for joint in all {
                pairs.lanes.push(lane);
                pairs.joint.extend(joint);
            }
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
        pairs: &Pairs,
        rows: &[u64],
        sink: &mut Sink<'_, '_>,
    ) -> Result<(), Uncoded> {
        let width = self.code.row_words;
        let mut copies = Vec::new();
        let joint = pairs.joint.chunks(64 * P * self.roles.len());
        for (some, joint) in pairs.lanes.chunks(64 * P).zip(joint) {
            copies.clear();
            for &lane in some {
                copies.extend_from_slice(&rows[lane as usize * width..][..width]);
            }
            self.load::<P>(&copies, sink.layer.moment);
            for (lane, joint) in joint.chunks_exact(self.roles.len()).enumerate() {
                for &action in joint {
                    self.does::<P>(action as usize)[lane / 64] |= 1 << (lane % 64);
                }
            }
            self.sweep.transition();
            self.nobody_does::<P>();
            let lanes: [u64; P] = std::array::from_fn(|part| below(some.len(), part));
            self.emit::<P>(&lanes, |lane| some[lane], sink)?;
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
            *sink.layer.next = Some(self.code.moment(&shown, self.start, depth));
        }
        let Some(moment) = sink.layer.next.clone() else { return Ok(()) };
        for wiring in 0..self.wirings.len() {
            self.read::<P>(wiring, lanes, &moment, depth)?;
        }
        for part in (0..P).filter(|&part| lanes[part] != 0) {
            let mut codes = [u64::MAX; 64];
            for wiring in 0..self.wirings.len() {
                // Of all that are symmetric to one another the one with the least code is listed.
                self.codes::<P>(wiring, part, (lanes[part], &moment, depth), |lane, code| {
                    codes[lane] = codes[lane].min(code);
                })?;
            }
            let mut rest = lanes[part];
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                sink.found.places.push(sink.first + state(64 * part + lane));
                sink.found.keys.push(self.code.mix(codes[lane]));
            }
        }
        Ok(())
    }

    /// The image of the state that a lane holds.
    fn image_in(&self, wiring: usize, lane: usize) -> Vec<u64> {
        let state = self.state_in(lane);
        match wiring.checked_sub(1) {
            None => state,
            Some(symmetry) => image(&self.symmetries[symmetry], &state),
        }
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
