//! A game as a graph in memory: its states by number, what was seen in each, and which states follow it.
//!
//! States are met breadth first and numbered in that order. A key is kept as long as its state can be met again: to the
//! end of a layer or, where states return, of the listing. Of a state are kept its *kind*, which tells all that
//! matters but for what follows, and the numbers of its successors, in few bits. So nothing is made twice, and no
//! state is looked up on the way back.
//!
//! Values are the least that satisfy all states: they begin at nothing and rise in sweeps. Where successors have
//! greater numbers one sweep from the last state to the first is enough; where states return, sweeps go back and forth
//! until none raises a value.

use std::collections::BTreeMap;

use gambol_net::Net;
use rustc_hash::FxHashMap;

use super::bulk::{Bulk, Expanded, Layer, Look};
use super::packed::Packed;
use super::plan::{Plan, uncoded};
use super::potential::PRIME;
use super::routing::Routing;
use super::sorted_cells::KeyTable;
use super::worker::ROUND;
use super::worth::{Arithmetic, Ranks};
use crate::limits::Meter;
use crate::store_error::Stopped;
use crate::{Bounds, Unfinished};

/// All that matters of a state, but for which states follow it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Kind {
    /// The role that chooses among what follows; none if nothing does.
    chooser: Option<u8>,
    /// What it is worth before anything that follows is looked at.
    first: u64,
    /// How many successors it has.
    degree: u32,
    /// How many states it stands for.
    weight: u8,
}

/// States that were expanded together.
struct Stretch {
    /// For each the number of its kind.
    kinds: Box<[u16]>,
    /// Their successors, one after the other, as differences to the least.
    successors: Packed,
    least: u32,
}

/// All states of a game.
pub(crate) struct SuccessorGraph<'a> {
    ranks: &'a Ranks,
    /// Whether states return.
    returning: bool,
    kinds: Vec<Kind>,
    numbers: FxHashMap<Kind, u16>,
    stretches: Vec<Stretch>,
    states: usize,
    bytes: usize,
}

impl<'a> SuccessorGraph<'a> {
    /// Lists the states of a game. It must be one in which roles choose in turn.
    pub(crate) fn list(
        (net, plan, ranks): (&Net, &Plan, &'a Ranks),
        bulk: &mut Bulk<'_>,
        meter: &Meter,
    ) -> Result<Self, Stopped> {
        let returning = plan.states_return();
        let mut graph = Self {
            ranks,
            returning,
            kinds: Vec::new(),
            numbers: FxHashMap::default(),
            stretches: Vec::new(),
            states: 0,
            bytes: 0,
        };
        let mut moment = plan.first_moment();
        let first = plan.key(plan.start(), &moment);
        let mut front = vec![first.ok_or(Stopped::Unfit("the first state has no code"))?];
        let mut met = Met::new(plan, &front);
        let mut expanded = Expanded::default();
        let mut depth = 0;
        while !front.is_empty() {
            if !returning {
                met = Met::after(&met, plan, front.len());
            }
            let mut next = returning.then(|| moment.clone());
            for keys in front.chunks(ROUND) {
                let mut layer = Layer { depth, moment: &moment, next: &mut next };
                bulk.expand(keys, &mut layer, &mut expanded)
                    .map_err(|state| uncoded(net, state))?;
                met.number(&expanded.keys).ok_or(Unfinished::Memory)?;
                graph.add(&expanded, &met)?;
                meter.check(graph.bytes + met.bytes() + 8 * front.len())?;
            }
            front = std::mem::take(&mut met.fresh);
            moment = next.unwrap_or(moment);
            depth += 1;
            if !returning && u64::from(depth) + 1 >= PRIME {
                return Err(Stopped::Unfit("the game has too many steps for layers"));
            }
        }
        Ok(graph)
    }

    /// Adds states, whose successors have been numbered.
    fn add(&mut self, expanded: &Expanded, met: &Met) -> Result<(), Stopped> {
        let mut degrees = vec![0u32; expanded.looks.len()];
        expanded.places.iter().for_each(|&place| degrees[place as usize] += 1);
        let kinds = self.kinds_of(expanded, &degrees)?;
        let (mut places, mut end) = (degrees, 0);
        for place in &mut places {
            let degree = std::mem::replace(place, end);
            end += degree;
        }
        // From here on `places` tells where the next successor of each state goes.
        let least = met.numbers.iter().copied().min().unwrap_or(0);
        let mut successors = vec![0; met.numbers.len()];
        for (&place, &number) in expanded.places.iter().zip(&met.numbers) {
            let at = &mut places[place as usize];
            successors[*at as usize] = number - least;
            *at += 1;
        }
        let base = met.base.checked_add(least);
        let least = base.ok_or(Stopped::Unfit("there are more states than numbers"))?;
        let stretch = Stretch { kinds, successors: Packed::of(&successors), least };
        self.states += stretch.kinds.len();
        self.bytes += 2 * stretch.kinds.len() + stretch.successors.bytes() + 32;
        self.stretches.push(stretch);
        Ok(())
    }

    fn kinds_of(&mut self, expanded: &Expanded, degrees: &[u32]) -> Result<Box<[u16]>, Stopped> {
        let mut ends = expanded.payoffs.chunks_exact(self.ranks.roles());
        let mut kinds = Vec::with_capacity(degrees.len());
        for (place, look) in expanded.looks.iter().enumerate() {
            let (chooser, first) = match look {
                Look::Over => (None, self.ranks.end(ends.next().unwrap_or_default())),
                Look::Stuck => (None, 0),
                Look::Chooses(role) => (Some(*role), self.ranks.before(*role)),
                Look::AtOnce => return Err(Stopped::Unfit("several roles choose at once")),
            };
            // At most 16 states are symmetric to one another.
            let weight = expanded.weight(place) as u8;
            let kind = Kind { chooser, first, degree: degrees[place], weight };
            let (numbers, known) = (&mut self.numbers, &mut self.kinds);
            let number = match numbers.get(&kind) {
                Some(&number) => number,
                None => {
                    let number = u16::try_from(known.len());
                    let number =
                        number.map_err(|_| Stopped::Unfit("states are of too many kinds"))?;
                    known.push(kind);
                    numbers.insert(kind, number);
                    number
                }
            };
            kinds.push(number);
        }
        Ok(kinds.into())
    }

    /// How many states there are between which bounds.
    pub(crate) fn solve(&self, meter: &Meter) -> Result<BTreeMap<Vec<Bounds>, u64>, Stopped> {
        meter.check(self.bytes + 2 * self.states)?;
        let mut values = Values::nothing(self.states);
        let mut order = Order::Backward;
        while self.sweep(&mut values, order)? && self.returning {
            meter.check_time()?;
            order = order.other();
        }
        Ok(self.counts(&values))
    }

    /// Looks at every state once; whether a value has risen.
    fn sweep(&self, values: &mut Values, order: Order) -> Result<bool, Stopped> {
        let (mut risen, count) = (false, self.stretches.len());
        let mut first = if order == Order::Backward { self.states } else { 0 };
        for place in 0..count {
            let stretch = &self.stretches[order.place(place, count)];
            if order == Order::Backward {
                first -= stretch.kinds.len();
            }
            risen |= self.sweep_stretch(stretch, first, values, order)?;
            if order == Order::Forward {
                first += stretch.kinds.len();
            }
        }
        Ok(risen)
    }

    fn sweep_stretch(
        &self,
        stretch: &Stretch,
        first: usize,
        values: &mut Values,
        order: Order,
    ) -> Result<bool, Stopped> {
        let (mut risen, count) = (false, stretch.kinds.len());
        let mut at = if order == Order::Backward { stretch.successors.len() } else { 0 };
        for place in 0..count {
            let place = order.place(place, count);
            let kind = self.kinds[stretch.kinds[place] as usize];
            let degree = kind.degree as usize;
            if order == Order::Backward {
                at -= degree;
            }
            let mut value = kind.first;
            if let Some(role) = kind.chooser {
                for edge in at..at + degree {
                    let after = values.of(stretch.least + stretch.successors.get(edge));
                    value = self.ranks.combine(role, value, after);
                }
            }
            risen |= values.set(first + place, value)?;
            if order == Order::Forward {
                at += degree;
            }
        }
        Ok(risen)
    }

    fn counts(&self, values: &Values) -> BTreeMap<Vec<Bounds>, u64> {
        let mut states = vec![0u64; values.palette.len()];
        let kinds = self.stretches.iter().flat_map(|stretch| &stretch.kinds);
        for (kind, &number) in kinds.zip(&values.of_states) {
            states[number as usize] += u64::from(self.kinds[*kind as usize].weight);
        }
        let bounds = |value: &u64| {
            let ranges = self.ranks.ranges(value);
            ranges.into_iter().map(|[least, most]| Bounds { least, most }).collect()
        };
        values.palette.iter().map(bounds).zip(states).collect()
    }
}

/// The order in which states are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Backward,
    Forward,
}

impl Order {
    fn other(self) -> Self {
        match self {
            Order::Backward => Order::Forward,
            Order::Forward => Order::Backward,
        }
    }

    /// The place that is looked at after so many of all.
    #[inline]
    fn place(self, done: usize, all: usize) -> usize {
        match self {
            Order::Backward => all - 1 - done,
            Order::Forward => done,
        }
    }
}

/// States that can be met again, by their keys, and the numbers of those that were met last.
struct Met {
    table: KeyTable,
    /// The number of the first state of the table, and how many it has.
    base: u32,
    next: u64,
    /// The numbers of the keys that were asked for last, from the base on.
    numbers: Vec<u32>,
    /// Keys that were new, and are still to be expanded.
    fresh: Vec<u64>,
}

impl Met {
    fn table(plan: &Plan, expected: usize) -> KeyTable {
        let (bits, partition_bits) = (plan.bits(), plan.partition_bits());
        let routing = Routing::new(bits - partition_bits, partition_bits, (1, 0), (1, 0));
        KeyTable::growing(routing, expected)
    }

    /// The first state.
    fn new(plan: &Plan, keys: &[u64]) -> Self {
        let (numbers, fresh) = (Vec::new(), Vec::new());
        let mut met = Self { table: Self::table(plan, 1), base: 0, next: 0, numbers, fresh };
        met.table.number_all(keys, &mut met.next, &mut met.numbers, &mut met.fresh);
        met.fresh.clear();
        met
    }

    /// The layer after one of so many states.
    fn after(before: &Self, plan: &Plan, states: usize) -> Self {
        let (numbers, fresh) = (Vec::new(), Vec::new());
        let base = before.base.saturating_add(before.next as u32);
        Self { table: Self::table(plan, states), base, next: 0, numbers, fresh }
    }

    /// Numbers keys; none if there are too many.
    fn number(&mut self, keys: &[u64]) -> Option<()> {
        self.table.number_all(keys, &mut self.next, &mut self.numbers, &mut self.fresh)
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + 8 * self.fresh.capacity()
    }
}

/// What states are worth, as numbers into a palette. Number 0 is worth nothing.
struct Values {
    of_states: Vec<u16>,
    palette: Vec<u64>,
    numbers: FxHashMap<u64, u16>,
}

impl Values {
    fn nothing(states: usize) -> Self {
        let numbers = FxHashMap::from_iter([(0, 0)]);
        Self { of_states: vec![0; states], palette: vec![0], numbers }
    }

    #[inline]
    fn of(&self, state: u32) -> u64 {
        self.palette[self.of_states[state as usize] as usize]
    }

    /// Whether that is another value than before.
    #[inline]
    fn set(&mut self, state: usize, value: u64) -> Result<bool, Stopped> {
        if self.palette[self.of_states[state] as usize] == value {
            return Ok(false);
        }
        let number = match self.numbers.get(&value) {
            Some(&number) => number,
            None => self.add(value)?,
        };
        self.of_states[state] = number;
        Ok(true)
    }

    #[cold]
    fn add(&mut self, value: u64) -> Result<u16, Stopped> {
        let number = u16::try_from(self.palette.len());
        let number = number.map_err(|_| Stopped::Unfit("there are too many different values"))?;
        self.palette.push(value);
        self.numbers.insert(value, number);
        Ok(number)
    }
}
