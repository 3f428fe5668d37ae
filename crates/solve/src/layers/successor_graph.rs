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
use super::worth::{Arithmetic, Ranks};
use crate::limits::Meter;
use crate::store_error::Stopped;
use crate::{Bounds, Payoff, Unfinished};

/// So many states are expanded together: what is known of their successors stays small.
const TOGETHER: usize = 1 << 12;

/// All that matters of a state, but for which states follow it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Kind {
    /// The role that chooses among what follows; none if nothing does.
    pub(super) chooser: Option<u8>,
    /// What it is worth before anything that follows is looked at.
    pub(super) first: u64,
    /// How many successors it has.
    degree: u32,
    /// How many states it stands for.
    weight: u8,
}

/// States of a layer that were expanded together.
struct Stretch {
    /// The number of the first of them, and of their layer.
    first: u32,
    depth: u32,
    /// For each the number of its kind.
    kinds: Box<[u16]>,
    /// Their successors, one after the other, as differences to the least.
    successors: Packed,
    least: u32,
}

/// All states of a game.
pub(crate) struct SuccessorGraph<'a> {
    pub(super) ranks: &'a Ranks,
    /// Whether states return.
    pub(super) returning: bool,
    /// What the goals of two roles add up to in every end, as far as that is the same and clear.
    pub(super) sum: EndSum,
    kinds: Vec<Kind>,
    numbers: FxHashMap<Kind, u16>,
    stretches: Vec<Stretch>,
    states: usize,
    pub(super) bytes: usize,
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
            sum: EndSum::NoEnd,
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
            for keys in front.chunks(TOGETHER) {
                let mut layer = Layer { depth, moment: &moment, next: &mut next };
                bulk.expand(keys, &mut layer, &mut expanded)
                    .map_err(|state| uncoded(net, state))?;
                met.number(&expanded.keys).ok_or(Unfinished::Memory)?;
                graph.add(&expanded, &met, depth)?;
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
    fn add(&mut self, expanded: &Expanded, met: &Met, depth: u32) -> Result<(), Stopped> {
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
        // There are no more states than numbers for those that follow them, and one.
        let first = self.states as u32;
        let stretch = Stretch { first, depth, kinds, successors: Packed::of(&successors), least };
        self.states += stretch.kinds.len();
        self.bytes += 2 * stretch.kinds.len() + stretch.successors.bytes() + size_of::<Stretch>();
        self.stretches.push(stretch);
        Ok(())
    }

    fn kinds_of(&mut self, expanded: &Expanded, degrees: &[u32]) -> Result<Box<[u16]>, Stopped> {
        let mut ends = expanded.payoffs.chunks_exact(self.ranks.roles());
        let mut kinds = Vec::with_capacity(degrees.len());
        for (place, look) in expanded.looks.iter().enumerate() {
            let (chooser, first) = match look {
                Look::Over => {
                    let payoffs = ends.next().unwrap_or_default();
                    self.sum = self.sum.with(payoffs);
                    (None, self.ranks.end(payoffs))
                }
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

    /// What each state is worth.
    pub(crate) fn solve(&self, meter: &Meter) -> Result<Values, Stopped> {
        meter.check(self.bytes + 2 * self.states)?;
        let mut values = Values::nothing(self.states);
        let mut order = Order::Backward;
        while self.sweep(&mut values, order)? && self.returning {
            meter.check_time()?;
            order = order.other();
        }
        Ok(values)
    }

    /// Looks at every state once; whether a value has risen.
    fn sweep(&self, values: &mut Values, order: Order) -> Result<bool, Stopped> {
        let mut risen = false;
        self.for_each(order, |state, kind, successors| {
            let mut value = kind.first;
            if let Some(role) = kind.chooser {
                for next in successors.iter() {
                    value = self.ranks.combine(role, value, values.of(next));
                }
            }
            risen |= values.set(state as usize, value)?;
            Ok(())
        })?;
        Ok(risen)
    }

    /// Looks at all states in this order.
    #[inline]
    pub(super) fn for_each(
        &self,
        order: Order,
        mut look: impl FnMut(u32, Kind, Successors<'_>) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        for place in 0..self.stretches.len() {
            let stretch = &self.stretches[order.place(place, self.stretches.len())];
            let count = stretch.kinds.len();
            let mut at = if order == Order::Backward { stretch.successors.len() } else { 0 };
            for place in 0..count {
                let place = order.place(place, count);
                let kind = self.kinds[stretch.kinds[place] as usize];
                let degree = kind.degree as usize;
                if order == Order::Backward {
                    at -= degree;
                }
                let successors = Successors { stretch, first: at, degree };
                look(stretch.first + place as u32, kind, successors)?;
                if order == Order::Forward {
                    at += degree;
                }
            }
        }
        Ok(())
    }

    /// A state: its kind, and what follows it.
    pub(super) fn state(&self, state: u32) -> (Kind, Successors<'_>) {
        let stretch = &self.stretches[self.stretch_of(state)];
        let kind = |place: usize| self.kinds[stretch.kinds[place] as usize];
        let place = (state - stretch.first) as usize;
        let first = (0..place).map(|place| kind(place).degree as usize).sum();
        let kind = kind(place);
        (kind, Successors { stretch, first, degree: kind.degree as usize })
    }

    /// The first end that is worth so much.
    pub(super) fn first_end(&self, worth: u64) -> Option<u32> {
        self.stretches.iter().find_map(|stretch| {
            let is_end = |kind: &u16| {
                let kind = self.kinds[*kind as usize];
                kind.chooser.is_none() && kind.first == worth
            };
            let place = stretch.kinds.iter().position(is_end)?;
            Some(stretch.first + place as u32)
        })
    }

    /// From each state of the shortest way to a state the place of the successor that is taken. States are numbered
    /// breadth first, so that of those before it one is in the layer before.
    pub(super) fn way_to(&self, state: u32) -> Vec<usize> {
        let mut target = (state, self.stretches[self.stretch_of(state)].depth);
        let mut taken = Vec::new();
        for stretch in self.stretches.iter().rev().filter(|stretch| stretch.first < state) {
            if stretch.depth + 1 == target.1
                && let Some((place, number)) = self.before(stretch, target.0)
            {
                taken.push(number);
                target = (stretch.first + place as u32, stretch.depth);
            }
        }
        taken.reverse();
        taken
    }

    /// A state that another one follows, by its place, and as which of its successors.
    fn before(&self, stretch: &Stretch, state: u32) -> Option<(usize, usize)> {
        let offset = state.checked_sub(stretch.least)?;
        let successors = &stretch.successors;
        let mut number = (0..successors.len()).find(|&edge| successors.get(edge) == offset)?;
        for (place, &kind) in stretch.kinds.iter().enumerate() {
            let degree = self.kinds[kind as usize].degree as usize;
            if number < degree {
                return Some((place, number));
            }
            number -= degree;
        }
        None
    }

    /// The stretch that a state is in.
    fn stretch_of(&self, state: u32) -> usize {
        self.stretches.partition_point(|stretch| stretch.first <= state) - 1
    }

    /// How many states there are between which bounds.
    pub(crate) fn counts(&self, values: &Values) -> BTreeMap<Vec<Bounds>, u64> {
        let mut states = vec![0u64; values.palette.len()];
        let kinds = self.stretches.iter().flat_map(|stretch| &stretch.kinds);
        for (kind, &number) in kinds.zip(&values.of_states) {
            states[number as usize] += u64::from(self.kinds[*kind as usize].weight);
        }
        values.palette.iter().map(|value| self.bounds(*value)).zip(states).collect()
    }

    /// What a value means for each role.
    pub(super) fn bounds(&self, value: u64) -> Vec<Bounds> {
        let ranges = self.ranks.ranges(&value);
        ranges.into_iter().map(|[least, most]| Bounds { least, most }).collect()
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.states
    }
}

/// What the goals of two roles add up to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum EndSum {
    /// There is no end.
    NoEnd,
    /// This, in every end.
    Always(u32),
    /// It varies, or is not clear, or there are not two roles.
    Varies,
}

impl EndSum {
    /// The same with one more end.
    fn with(self, payoffs: &[Payoff]) -> Self {
        let sum = match payoffs {
            [one, other] => one.value().zip(other.value()).map(|(one, other)| one + other),
            _ => None,
        };
        match (self, sum) {
            (EndSum::NoEnd, Some(sum)) => EndSum::Always(sum),
            (EndSum::Always(known), Some(sum)) if known == sum => self,
            _ => EndSum::Varies,
        }
    }
}

/// The states that follow a state.
#[derive(Clone, Copy)]
pub(super) struct Successors<'a> {
    stretch: &'a Stretch,
    first: usize,
    degree: usize,
}

impl<'a> Successors<'a> {
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = u32> + use<'a> {
        let Stretch { least, successors, .. } = self.stretch;
        (self.first..self.first + self.degree).map(move |edge| least + successors.get(edge))
    }
}

/// The order in which states are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Backward,
    Forward,
}

impl Order {
    pub(super) fn other(self) -> Self {
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
pub(crate) struct Values {
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
    pub(super) fn of(&self, state: u32) -> u64 {
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
