//! Conditions that hold if all of some set hold, and what is left of them.
//!
//! Where some fluents have their value for good, sets that cannot hold any more are gone, the others ask
//! for what is still open, and a set that asks for more than another says nothing. Conditions of which
//! the same sets are left are the same from then on.

use gambol_index::{Id, IndexVec, define_id};
use gambol_net::{FluentId, Gate, GateId, Net};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use gambol_index::bits::ones_of_row;

define_id! {
    /// Some sets of a cover; the same sets have the same number.
    pub(crate) struct SetsId;
}

/// What a set asks for: the fluents that must be true, then those that must be false, as words.
type Row = SmallVec<[u64; 4]>;

/// An OR of sets of fluents.
pub(crate) struct Cover {
    pub(crate) gate: GateId,
    sets: Vec<Row>,
    /// The fluents the sets ask for.
    fluents: Row,
    /// The words of rows that are not 0 in all of them.
    used: Vec<usize>,
    /// Inputs that are no such sets.
    pub(crate) rest: Vec<GateId>,
}

/// All of a net, and what was met of them.
pub(crate) struct Covers {
    covers: Vec<Cover>,
    number: IndexVec<GateId, Option<u32>>,
    /// The sets that were left somewhere, after the number of their cover.
    known: FxHashMap<Box<[u64]>, SetsId>,
    /// For each of them the fluents they ask for.
    asked_for: IndexVec<SetsId, Row>,
    /// The sets of covers of which nothing is settled.
    whole: Vec<SetsId>,
    words: usize,
}

impl Covers {
    pub(crate) fn of(net: &Net, width: usize) -> Self {
        let covers: Vec<Cover> =
            net.state_gates().filter_map(|gate| Cover::of(net, GateId::new(gate), width)).collect();
        let mut number = IndexVec::filled(None, net.gate_count());
        for (place, cover) in covers.iter().enumerate() {
            number[cover.gate] = Some(place as u32);
        }
        let (known, asked_for) = (FxHashMap::default(), IndexVec::new());
        let mut all = Self { covers, number, known, asked_for, whole: Vec::new(), words: 0 };
        let (open, sure) = (vec![u64::MAX; width], vec![0; width]);
        let whole: Vec<_> = all.covers.iter().map(|cover| cover.left(&open, &sure)).collect();
        let whole = whole.iter().enumerate();
        all.whole = whole.map(|(place, sets)| all.number_of(place, sets, width)).collect();
        all
    }

    /// The cover that a gate is.
    pub(crate) fn at(&self, gate: GateId) -> Option<&Cover> {
        self.number[gate].map(|number| &self.covers[number as usize])
    }

    /// What is left of the covers whose gates are open, where some fluents are open and some of the
    /// others true.
    pub(crate) fn left(
        &mut self,
        is_open: impl Fn(GateId) -> bool,
        open: &[u64],
        sure: &[u64],
    ) -> Vec<(usize, SetsId)> {
        let mut left = Vec::new();
        for place in 0..self.covers.len() {
            let cover = &self.covers[place];
            if !is_open(cover.gate) {
                continue;
            }
            let settled =
                cover.fluents.iter().zip(open).any(|(fluents, open)| fluents & !open != 0);
            left.push((
                place,
                match settled {
                    false => self.whole[place],
                    true => {
                        let sets = cover.left(open, sure);
                        self.number_of(place, &sets, open.len())
                    }
                },
            ));
        }
        left
    }

    fn number_of(&mut self, place: usize, sets: &[(u32, Row)], width: usize) -> SetsId {
        let used = &self.covers[place].used;
        let words = sets.iter().flat_map(|(_, row)| used.iter().map(|&word| row[word]));
        let words: Vec<u64> = std::iter::once(place as u64).chain(words).collect();
        if let Some(&known) = self.known.get(&words[..]) {
            return known;
        }
        let mut asked_for = Row::from_elem(0, width);
        for (_, row) in sets {
            row.iter().enumerate().for_each(|(place, word)| asked_for[place % width] |= word);
        }
        self.words += words.len() + width;
        let fresh = self.asked_for.push(asked_for);
        self.known.insert(words.into(), fresh);
        fresh
    }

    /// The fluents that sets ask for.
    pub(crate) fn asked_for(&self, sets: SetsId) -> impl Iterator<Item = FluentId> + '_ {
        ones_of_row(&self.asked_for[sets]).map(FluentId::from_index)
    }

    /// Words in use.
    pub(crate) fn words(&self) -> usize {
        self.words
    }
}

impl Cover {
    /// Worth while if there are several sets of more than one fluent.
    fn of(net: &Net, gate: GateId, width: usize) -> Option<Self> {
        let Gate::Or(inputs) = net.gate(gate) else { return None };
        let (mut sets, mut rest) = (Vec::new(), Vec::new());
        for &input in inputs {
            match set(net, input, width) {
                Some(row) => sets.push(row),
                None => rest.push(input),
            }
        }
        let several = |row: &&Row| row.iter().map(|word| word.count_ones()).sum::<u32>() > 1;
        let mut fluents = Row::from_elem(0, width);
        for row in &sets {
            row.iter().enumerate().for_each(|(place, word)| fluents[place % width] |= word);
        }
        let used = (0..2 * width).filter(|&word| sets.iter().any(|row| row[word] != 0)).collect();
        let worth_while = sets.iter().filter(several).count() > 1;
        worth_while.then_some(Self { gate, sets, fluents, used, rest })
    }

    /// The least sets that are left, in one order, where some fluents are open and some of the others
    /// true.
    fn left(&self, open: &[u64], sure: &[u64]) -> Vec<(u32, Row)> {
        let width = open.len();
        let can_hold = |row: &&Row| {
            let (yes, no) = row.split_at(width);
            let mut words = yes.iter().zip(no).zip(open.iter().zip(sure));
            words.all(|((yes, no), (open, sure))| {
                yes & !(open | sure) == 0 && no & sure & !open == 0
            })
        };
        let asks = |row: &Row| {
            let row: Row = row.iter().zip(open.iter().chain(open)).map(|(a, b)| a & b).collect();
            (row.iter().map(|word| word.count_ones()).sum(), row)
        };
        let mut left: Vec<(u32, Row)> = self.sets.iter().filter(can_hold).map(asks).collect();
        left.sort_unstable();
        left.dedup();
        let mut kept = 0;
        for place in 0..left.len() {
            let (smaller, row) = (&left[..kept], &left[place].1);
            let within = |other: &Row| other.iter().zip(row).all(|(other, own)| other & !own == 0);
            if !smaller.iter().any(|(_, other)| within(other)) {
                left.swap(kept, place);
                kept += 1;
            }
        }
        left.truncate(kept);
        left
    }
}

/// The fluents that a gate asks for, if it is no more than that.
fn set(net: &Net, gate: GateId, width: usize) -> Option<Row> {
    let mut row = Row::from_elem(0, 2 * width);
    let mut add = |gate: GateId| {
        let (fluent, side) = match net.gate(gate) {
            Gate::Fluent(fluent) => (fluent, 0),
            Gate::Not(input) => match net.gate(input) {
                Gate::Fluent(fluent) => (fluent, width),
                _ => return None,
            },
            _ => return None,
        };
        row[side + fluent.index() / 64] |= 1 << (fluent.index() % 64);
        Some(())
    };
    match net.gate(gate) {
        Gate::And(inputs) => inputs.iter().try_for_each(|&input| add(input))?,
        _ => add(gate)?,
    }
    Some(row)
}
