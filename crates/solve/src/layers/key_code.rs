//! A code of states in few bits.
//!
//! Fluents that the step decides are left out; groups of which one member is true share a value; groups
//! that restrict one another are coded by the combinations that occur. What comes of it is mixed by a bijection
//! on exactly the bits of the code, so that keys are spread evenly: the top bits choose a partition, tables
//! need no other hash, and sorted keys are gaps of known mean.
//!
//! Everything the code supposes is checked for every state that is coded ([`Uncoded`]), so that
//! `decode(encode(state)) = state` wherever there is a code at all. How good the suppositions are decides on the
//! number of bits and nothing else.

use serde::{Deserialize, Serialize};

use super::combinations::{Combined, MOST, width};
use super::groups::Group;
use super::potential::{PRIME, total};
use super::sample::holds;

/// Keys have fewer bits than this.
pub(crate) const MOST_BITS: u32 = 62;
/// Set in the entry of a combination that has no code.
const NO_CODE: u32 = 1 << 15;

/// What a code is made of. Everything else follows from it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    /// How many fluents the game has.
    pub(crate) fluents: usize,
    /// Fluents that have one value in all states of a layer.
    pub(crate) timed: Vec<u32>,
    /// The tables: groups that are coded together, and the combinations that have a code.
    pub(crate) tables: Vec<(Vec<Group>, Vec<u32>)>,
    /// For each fluent its number in the potential; empty if there is none.
    pub(crate) potential: Vec<u16>,
}

/// A code of states.
#[derive(Clone, Debug)]
pub(crate) struct KeyCode {
    pub(crate) parts: Parts,
    tables: Vec<Table>,
    /// How many words a row has: the values of all groups side by side.
    pub(crate) row_words: usize,
    /// How many bits a key has.
    pub(crate) bits: u32,
    inverse: [u64; 2],
}

/// Values of some groups, which stand in one word of a row, to a code and back.
#[derive(Clone, Debug)]
struct Table {
    word: usize,
    shift: u32,
    width: u32,
    bits: u32,
    /// For each row the code in the low bits and its potential above, or [`NO_CODE`].
    entries: Vec<u32>,
    rows: Vec<u32>,
}

/// What all states of a layer have in common.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Moment {
    /// The timed fluents, as bits.
    pub(crate) timed: Vec<u64>,
    /// What the potential of the other fluents adds up to.
    pub(crate) potential: u32,
}

impl Moment {
    /// Whether a timed fluent is true.
    pub(crate) fn holds(&self, place: usize) -> bool {
        holds(&self.timed, place as u32)
    }
}

/// A state the code has no room for. It is named, never miscoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Uncoded {
    pub(crate) row: Vec<u64>,
    pub(crate) depth: u32,
}

const MIX: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

impl KeyCode {
    /// A code of certain parts; none if they do not fit together or need too many bits.
    pub(crate) fn new(parts: Parts) -> Option<Self> {
        parts.is_sound().then_some(())?;
        let (mut tables, mut word, mut used) = (Vec::new(), 0, 0);
        for (groups, rows) in &parts.tables {
            let width = width(groups);
            if used + width > 64 {
                (word, used) = (word + 1, 0);
            }
            tables.push(Table::new(&parts, groups, rows, (word, used, width)));
            used += width;
        }
        let bits: u32 = tables.iter().map(|table| table.bits).sum();
        let code = Self {
            tables,
            row_words: word + 1,
            bits: bits.max(2),
            inverse: MIX.map(inverse),
            parts,
        };
        (bits < MOST_BITS).then_some(code)
    }

    /// A code whose tables are these.
    pub(crate) fn of(
        fluents: usize,
        timed: Vec<u32>,
        potential: Vec<u16>,
        tables: Vec<Combined>,
    ) -> Option<Self> {
        let tables = tables.into_iter().map(|table| (table.groups, table.rows)).collect();
        Self::new(Parts { fluents, timed, tables, potential })
    }

    /// All groups, each with the word and the bit at which its value begins.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (&Group, usize, u32)> {
        self.parts.tables.iter().zip(&self.tables).flat_map(|((groups, _), table)| {
            let mut shift = table.shift;
            groups.iter().map(move |group| {
                shift += group.width();
                (group, table.word, shift - group.width())
            })
        })
    }

    /// The code of a row, and what its potential adds up to; none if a combination has no code.
    #[inline]
    pub(crate) fn code(&self, row: &[u64]) -> Option<(u64, u32)> {
        let (mut code, mut at, mut potential, mut seen) = (0, 0, 0, 0);
        for table in &self.tables {
            let value = row[table.word] >> table.shift & ((1 << table.width) - 1);
            let entry = table.entries[value as usize];
            seen |= entry;
            code |= u64::from(entry & (NO_CODE - 1)) << at;
            potential += entry >> 16;
            at += table.bits;
        }
        (seen & NO_CODE == 0).then(|| (code, potential % PRIME as u32))
    }

    /// Writes the row of a key. The key must be one of this code.
    #[inline]
    pub(crate) fn row(&self, key: u64, row: &mut [u64]) {
        let mut code = self.unmix(key);
        row.fill(0);
        for table in &self.tables {
            let place = code as usize & ((1 << table.bits) - 1);
            // Keys from files are checked when they are read; a place that has no row reads as the first.
            let value = table.rows.get(place).or(table.rows.first()).copied().unwrap_or(0);
            row[table.word] |= u64::from(value) << table.shift;
            code >>= table.bits;
        }
    }

    /// What the states after so many steps have in common, as one of them shows.
    pub(crate) fn moment(&self, state: &[u64], start: &[u64], depth: u32) -> Moment {
        let timed = &self.parts.timed;
        let mut words = vec![0; timed.len().div_ceil(64)];
        for (place, &fluent) in timed.iter().enumerate() {
            words[place / 64] |= u64::from(holds(state, fluent)) << (place % 64);
        }
        let mut only_timed = vec![0; state.len()];
        for &fluent in timed.iter().filter(|&&fluent| holds(state, fluent)) {
            only_timed[fluent as usize / 64] |= 1 << (fluent % 64);
        }
        let numbers = &self.parts.potential;
        let all = (total(numbers, start) + u64::from(depth)) % PRIME;
        let potential = (all + PRIME - total(numbers, &only_timed)) % PRIME;
        let potential = if numbers.is_empty() { 0 } else { potential as u32 };
        Moment { timed: words, potential }
    }

    /// The code of a single state; none if it is not one of the moment or has no code.
    pub(crate) fn encode(&self, state: &[u64], moment: &Moment) -> Option<u64> {
        let mut on_time = self.parts.timed.iter().enumerate();
        on_time.all(|(place, &fluent)| holds(state, fluent) == moment.holds(place)).then_some(())?;
        let mut row = vec![0; self.row_words];
        for (group, word, shift) in self.groups() {
            row[word] |= u64::from(group.value_in(state)?) << shift;
        }
        let (code, potential) = self.code(&row)?;
        (potential == moment.potential).then_some(code)
    }

    /// The state that a key stands for, in a moment.
    pub(crate) fn decode(&self, key: u64, moment: &Moment) -> Vec<u64> {
        let mut row = vec![0; self.row_words];
        self.row(key, &mut row);
        let mut state = vec![0; self.parts.fluents.div_ceil(64).max(1)];
        let timed = self.parts.timed.iter().enumerate();
        let on_time = timed.filter(|&(place, _)| moment.holds(place)).map(|(_, &fluent)| fluent);
        let held = self.groups().filter_map(|(group, word, shift)| {
            group.member((row[word] >> shift & ((1 << group.width()) - 1)) as u32)
        });
        for fluent in on_time.chain(held) {
            state[fluent as usize / 64] |= 1 << (fluent % 64);
        }
        state
    }

    fn half(&self) -> u32 {
        self.bits.div_ceil(2)
    }

    fn mask(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// The key of a code, by a bijection on its bits: products with odd numbers, and the upper half added to the lower.
    #[inline]
    pub(crate) fn mix(&self, mut key: u64) -> u64 {
        for factor in MIX {
            key ^= key >> self.half();
            key = key.wrapping_mul(factor) & self.mask();
        }
        key ^ key >> self.half()
    }

    /// The code of a key.
    #[inline]
    pub(crate) fn unmix(&self, key: u64) -> u64 {
        let mut key = key ^ key >> self.half();
        for factor in self.inverse.iter().rev() {
            key = key.wrapping_mul(*factor) & self.mask();
            key ^= key >> self.half();
        }
        key
    }
}

/// The inverse of an odd number, by Newton's method: each step doubles the bits that are right.
fn inverse(factor: u64) -> u64 {
    (0..6)
        .fold(factor, |guess, _| guess.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(guess))))
}

impl Table {
    fn new(parts: &Parts, groups: &[Group], rows: &[u32], at: (usize, u32, u32)) -> Self {
        let (word, shift, width) = at;
        let mut entries = vec![NO_CODE; 1 << width];
        for (code, &row) in rows.iter().enumerate() {
            entries[row as usize] = code as u32 | potential_of(parts, groups, row) << 16;
        }
        let bits = super::groups::bits_for(rows.len());
        Self { word, shift, width, bits, entries, rows: rows.to_vec() }
    }
}

/// What the potential of a combination of values adds up to.
fn potential_of(parts: &Parts, groups: &[Group], row: u32) -> u32 {
    let (mut potential, mut shift) = (0, 0);
    for group in groups {
        let value = row >> shift & ((1 << group.width()) - 1);
        let number = group.member(value).and_then(|member| parts.potential.get(member as usize));
        potential += u64::from(number.copied().unwrap_or(0));
        shift += group.width();
    }
    (potential % PRIME) as u32
}

impl Parts {
    /// Whether every fluent is coded exactly once, and every row is one of its groups.
    fn is_sound(&self) -> bool {
        let grouped = self.tables.iter().flat_map(|(groups, _)| groups);
        let members = grouped.clone().flat_map(|group| &group.members);
        let mut met = vec![0u32; self.fluents];
        for &fluent in self.timed.iter().chain(members) {
            match met.get_mut(fluent as usize) {
                Some(count) => *count += 1,
                None => return false,
            }
        }
        let once = met.iter().all(|&count| count == 1);
        let numbers = [0, self.fluents].contains(&self.potential.len());
        let groups = grouped.clone().all(|group| !group.members.is_empty());
        once && numbers && groups && self.tables.iter().all(|(groups, rows)| is_table(groups, rows))
    }
}

/// Whether the rows are combinations of values of the groups, each once.
fn is_table(groups: &[Group], rows: &[u32]) -> bool {
    let values: u64 = groups.iter().map(|group| u64::from(group.width())).sum();
    if values > 16 || rows.is_empty() || rows.len() > MOST.max(1 << 13) {
        return false;
    }
    let fits = |row: u32| {
        let mut rest = row;
        groups.iter().all(|group| {
            let value = rest & ((1 << group.width()) - 1);
            rest >>= group.width();
            (value as usize) < group.values()
        }) && rest == 0
    };
    let mut sorted = rows.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|two| two[0] < two[1]) && rows.iter().all(|&row| fits(row))
}
