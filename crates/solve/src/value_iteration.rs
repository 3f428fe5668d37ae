//! Bounds on what roles get on average where states return, by optimistic value iteration (Hartmanns and Kaminski,
//! 2020).
//!
//! What a role secures is the least fixpoint of the rule that a state is worth the most, the least or the average of
//! what follows; play without an end is worth 0. Iteration from 0 stays below it. Values that the rule does not
//! raise anywhere are above it: they are guessed from the lower ones, a little higher, and then checked. Numbers
//! are whole, in parts of 2^-40, and rounded away from the value, so that both bounds are proved. Where several roles
//! choose at once, mixtures that are about the best bound the value of the matrix.

use gambol_verify::Fraction;

use crate::limits::Meter;
use crate::listing::Listing;
use crate::simultaneous::matrix_bounds::{Span, outlook};
use crate::{Bounds, Payoff, Reading, Unfinished};

/// Parts of a goal value.
const ONE: u64 = 1 << 40;
/// Bounds this near are near enough.
const NEAR: u64 = ONE >> 22;
/// The rounds the first guess may take to settle, and the factor for each later guess.
const ROUNDS: usize = 64;
const MORE: usize = 8;

/// States by number, with what follows them.
#[derive(Default)]
pub(crate) struct Arena {
    pub(crate) roles: usize,
    /// The role that moves at random.
    pub(crate) chance: Option<usize>,
    /// For each state how many moves each role has; all 0 in an end, and where a role has no move.
    counts: Vec<u32>,
    /// The successors of state `s`, in the order of the joint moves, are `next[first[s]..first[s + 1]]`.
    first: Vec<usize>,
    next: Vec<u32>,
    /// For each state the place of its payoffs, for ends.
    ends: Vec<Option<u32>>,
    payoffs: Vec<Payoff>,
}

impl Arena {
    /// No states yet.
    pub(crate) fn new(roles: usize, chance: Option<usize>) -> Self {
        Self { roles, chance, first: vec![0], ..Self::default() }
    }

    /// Adds an end.
    pub(crate) fn add_end(&mut self, payoffs: &[Payoff]) {
        self.ends.push(Some((self.payoffs.len() / self.roles) as u32));
        self.payoffs.extend_from_slice(payoffs);
        self.counts.resize(self.counts.len() + self.roles, 0);
        self.first.push(self.next.len());
    }

    /// Adds a state that is no end. Without successors a role has no move there.
    pub(crate) fn add_state(
        &mut self,
        counts: impl Iterator<Item = u32>,
        next: impl Iterator<Item = u32>,
    ) {
        self.ends.push(None);
        self.counts.extend(counts);
        self.next.extend(next);
        self.first.push(self.next.len());
    }

    /// The states of a listing.
    pub(crate) fn of(listing: &Listing, chance: usize) -> Self {
        let mut arena = Self::new(listing.roles, Some(chance));
        for state in listing.states() {
            if listing.over(state) {
                let payoffs: Vec<Payoff> =
                    (0..listing.roles).map(|role| listing.goal(state, role)).collect();
                arena.add_end(&payoffs);
            } else {
                let counts = (0..listing.roles).map(|role| listing.moves(state, role).len() as u32);
                let next = listing.successors(state).iter().map(|next| next.number());
                arena.add_state(counts, next);
            }
        }
        arena
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.counts.len() + self.next.len()) + 16 * self.ends.len()
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn payoff(&self, state: usize, role: usize) -> Option<Payoff> {
        self.ends[state].map(|end| self.payoffs[end as usize * self.roles + role])
    }

    fn next(&self, state: usize) -> &[u32] {
        &self.next[self.first[state]..self.first[state + 1]]
    }

    fn count(&self, state: usize, role: usize) -> usize {
        self.counts[state * self.roles + role] as usize
    }

    fn has_clear_ends(&self) -> bool {
        self.payoffs.iter().all(|payoff| payoff.value().is_some())
    }
}

/// Whose bounds are to be near one another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    FirstState,
    AllStates,
}

/// For each role what it gets on average from each state on, and the limit that was met, if any.
pub(crate) fn bounds(
    arena: &Arena,
    wanted: Wanted,
    meter: &Meter,
) -> (Vec<Vec<Bounds>>, Option<Unfinished>) {
    let mut met = None;
    let fraction = |parts: u64| Fraction::new(parts.into(), ONE.into()).unwrap_or(Fraction::ZERO);
    let of_role = |role: usize| {
        if arena.chance == Some(role) {
            return vec![Bounds::exact(0); arena.len()];
        }
        let mut of_reading = |reading: Reading| {
            let (values, limit) = Rule { arena, role, reading }.iterate(wanted, meter);
            met = met.or(limit);
            values
        };
        let [least, mut most] = of_reading(Reading::Least);
        if !arena.has_clear_ends() {
            [_, most] = of_reading(Reading::Most);
        }
        let both = least.into_iter().zip(most);
        both.map(|(least, most)| Bounds { least: fraction(least), most: fraction(most) }).collect()
    };
    ((0..arena.roles).map(of_role).collect(), met)
}

/// How the worth of a state for one role follows from that of the next ones.
struct Rule<'a> {
    arena: &'a Arena,
    role: usize,
    reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Down,
    Up,
}

impl Rule<'_> {
    /// Lower and upper bounds for all states.
    fn iterate(&self, wanted: Wanted, meter: &Meter) -> ([Vec<u64>; 2], Option<Unfinished>) {
        let states = 0..self.arena.len();
        let ends = |state: usize| {
            let payoff = self.arena.payoff(state, self.role);
            payoff.map_or(0, |payoff| u64::from(payoff.read(self.reading)) * ONE)
        };
        let mut lower: Vec<u64> = states.clone().map(ends).collect();
        let highest = lower.iter().copied().max().unwrap_or(0);
        let highest_or_end = |state: usize| match self.is_open(state) {
            true => highest,
            false => lower[state],
        };
        let mut upper: Vec<u64> = states.map(highest_or_end).collect();
        let (mut gap, mut rounds) = (NEAR, ROUNDS);
        loop {
            // Nearer and nearer, until no state gains more than a part of the gap.
            loop {
                if let Err(unfinished) = meter.check_time() {
                    return ([lower, upper], Some(unfinished));
                }
                if self.raise(&mut lower) <= gap >> 8 {
                    break;
                }
            }
            match self.guess(&lower, gap, highest, rounds, meter) {
                Ok(Some(found)) => {
                    upper
                        .iter_mut()
                        .zip(found)
                        .for_each(|(upper, found)| *upper = found.min(*upper));
                }
                Ok(None) => {}
                Err(unfinished) => return ([lower, upper], Some(unfinished)),
            }
            let mut widths =
                lower.iter().zip(&upper).map(|(lower, upper)| upper.saturating_sub(*lower));
            let width = match wanted {
                Wanted::FirstState => widths.next(),
                Wanted::AllStates => widths.max(),
            };
            if width.unwrap_or(0) <= 2 * NEAR {
                return ([lower, upper], None);
            }
            if gap <= 1 << 10 {
                // Whole numbers are not fine enough for more.
                return ([lower, upper], Some(Unfinished::Time));
            }
            (gap, rounds) = (gap >> 2, rounds * MORE);
        }
    }

    /// Applies the rule to all states, the last ones first; the most that any of them gained.
    fn raise(&self, values: &mut [u64]) -> u64 {
        let mut gained = 0;
        for state in self.open_states() {
            let value = self.worth(state, values, Round::Down);
            if value > values[state] {
                gained = gained.max(value - values[state]);
                values[state] = value;
            }
        }
        gained
    }

    /// Values a little higher than the lower ones that the rule does not raise. None if that was too little.
    fn guess(
        &self,
        lower: &[u64],
        gap: u64,
        highest: u64,
        rounds: usize,
        meter: &Meter,
    ) -> Result<Option<Vec<u64>>, Unfinished> {
        let higher = |state: usize| match self.is_open(state) {
            true => (lower[state] + gap).min(highest),
            false => lower[state],
        };
        let mut upper: Vec<u64> = (0..self.arena.len()).map(higher).collect();
        for _ in 0..rounds {
            meter.check_time()?;
            let mut raised = false;
            for state in self.open_states() {
                let value = self.worth(state, &upper, Round::Up);
                raised |= value > upper[state];
                upper[state] = value.min(upper[state]);
            }
            // Lowering a value never makes the rule raise another one, so one round without raising is a proof.
            if !raised {
                return Ok(Some(upper));
            }
            if upper.iter().zip(lower).any(|(upper, lower)| upper < lower) {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Whether something follows a state. An end is worth its goal, a state in which a role has no move 0.
    fn is_open(&self, state: usize) -> bool {
        !self.arena.next(state).is_empty()
    }

    fn open_states(&self) -> impl Iterator<Item = usize> {
        (0..self.arena.len()).rev().filter(|&state| self.is_open(state))
    }

    /// The worth of a state by the rule, rounded.
    fn worth(&self, state: usize, values: &[u64], round: Round) -> u64 {
        let count = |role: usize| self.arena.count(state, role);
        let next = self.arena.next(state).iter().map(|&next| values[next as usize]);
        let throws = self.arena.chance.map_or(1, count);
        let (own, columns) = (count(self.role), next.len() / count(self.role) / throws);
        // A cell for each own move and what the others do, added up over what chance does.
        let mut cells = vec![0u64; own * columns];
        for (number, value) in next.enumerate() {
            let (mut rest, mut row, mut column, mut scale) = (number, 0, 0, 1);
            for role in (0..self.arena.roles).rev() {
                let (one, moves) = (rest % count(role), count(role));
                rest /= moves;
                if role == self.role {
                    row = one;
                } else if self.arena.chance != Some(role) {
                    column += one * scale;
                    scale *= moves;
                }
            }
            cells[row * columns + column] += value;
        }
        let mean = |sum: u64| match round {
            Round::Down => sum / throws as u64,
            Round::Up => sum.div_ceil(throws as u64),
        };
        let row = |row: usize| cells[row * columns..(row + 1) * columns].iter().copied();
        let column = |column: usize| cells[column..].iter().step_by(columns).copied();
        let least = (0..own).filter_map(|number| row(number).min()).max().unwrap_or(0);
        let most = (0..columns).filter_map(|number| column(number).max()).min().unwrap_or(0);
        let fits = cells.iter().all(|&cell| cell < 1 << 62);
        if least == most || !fits {
            return mean(if round == Round::Down { least } else { most });
        }
        let spans = cells.iter().map(|&cell| Span { least: cell as i64, most: cell as i64 });
        let mixed = outlook(&spans.collect::<Vec<_>>(), columns).span;
        mean(match round {
            Round::Down => mixed.least as u64,
            Round::Up => mixed.most as u64,
        })
    }
}
