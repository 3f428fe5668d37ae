//! Bounds on what roles get on average where states return, by optimistic value iteration (Hartmanns and Kaminski,
//! 2020).
//!
//! What a role secures is the least fixpoint of the rule that a state is worth the most, the least or the average of
//! what follows; play without an end is worth 0. Iteration from 0 stays below it. Values that the rule does not
//! raise anywhere are above it: they are guessed from the lower ones, a little higher, and then checked. Numbers
//! are whole, in parts of 2^-40, and rounded away from the value, so that both bounds are proved. Where several roles
//! choose at once pure strategies bound what mixed ones do.

use gambol_index::Id;
use gambol_verify::Fraction;

use crate::limits::Meter;
use crate::listing::Listing;
use crate::listing::store::StateId;
use crate::{Bounds, Limits, Reading, Unfinished};

/// Parts of a goal value.
const ONE: u64 = 1 << 40;
/// Bounds this near are near enough.
const NEAR: u64 = ONE >> 22;
/// So many rounds the first guess may take to settle, and each later one so many times as many as the one before.
const ROUNDS: usize = 64;
const MORE: usize = 8;

/// What each role gets on average from the first state on, and the limit that was met, if any.
pub(super) fn bounds(
    listing: &Listing,
    chance: usize,
    limits: &Limits,
) -> (Vec<Bounds>, Option<Unfinished>) {
    let meter = Meter::start(limits);
    let mut met = None;
    let of_role = |role: usize| {
        if role == chance {
            return Bounds::exact(0);
        }
        let mut of_reading = |reading: Reading| {
            let rule = Rule { listing, role, chance, reading };
            let (values, limit) = rule.iterate(&meter);
            met = met.or(limit);
            values
        };
        let [least, mut most] = of_reading(Reading::Least);
        if !listing.has_clear_ends() {
            most = of_reading(Reading::Most)[1];
        }
        let fraction =
            |parts: u64| Fraction::new(parts.into(), ONE.into()).unwrap_or(Fraction::ZERO);
        Bounds { least: fraction(least), most: fraction(most) }
    };
    ((0..listing.roles).map(of_role).collect(), met)
}

/// How the worth of a state for one role follows from that of the next ones.
struct Rule<'a> {
    listing: &'a Listing,
    role: usize,
    chance: usize,
    reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Down,
    Up,
}

impl Rule<'_> {
    /// A lower and an upper bound for the first state.
    fn iterate(&self, meter: &Meter) -> ([u64; 2], Option<Unfinished>) {
        let ends = |state: StateId| match self.listing.over(state) {
            true => u64::from(self.listing.goal(state, self.role).read(self.reading)) * ONE,
            false => 0,
        };
        let mut lower: Vec<u64> = self.listing.states().map(ends).collect();
        let highest = lower.iter().copied().max().unwrap_or(0);
        let (mut gap, mut upper, mut rounds) = (NEAR, highest, ROUNDS);
        loop {
            // Nearer and nearer, until no state gains more than a part of the gap.
            loop {
                if let Err(unfinished) = meter.check_time() {
                    return ([lower[0], upper], Some(unfinished));
                }
                if self.raise(&mut lower) <= gap >> 8 {
                    break;
                }
            }
            match self.guess(&lower, gap, highest, rounds, meter) {
                Ok(Some(found)) => upper = upper.min(found),
                Ok(None) => {}
                Err(unfinished) => return ([lower[0], upper], Some(unfinished)),
            }
            if upper - lower[0].min(upper) <= 2 * NEAR {
                return ([lower[0], upper], None);
            }
            if gap <= 1 << 10 {
                // Whole numbers are not fine enough for more.
                return ([lower[0], upper], Some(Unfinished::Time));
            }
            (gap, rounds) = (gap >> 2, rounds * MORE);
        }
    }

    /// Applies the rule to all states, the last ones first; the most that any of them gained.
    fn raise(&self, values: &mut [u64]) -> u64 {
        let mut gained = 0;
        for state in self.open_states() {
            let value = self.worth(state, values, Round::Down);
            let known = &mut values[state.index()];
            if value > *known {
                gained = gained.max(value - *known);
                *known = value;
            }
        }
        gained
    }

    /// Values a little higher than the lower ones that the rule does not raise; that of the first state. None if that
    /// was too little.
    fn guess(
        &self,
        lower: &[u64],
        gap: u64,
        highest: u64,
        rounds: usize,
        meter: &Meter,
    ) -> Result<Option<u64>, Unfinished> {
        let higher = |state: StateId| {
            let known = lower[state.index()];
            if self.listing.over(state) { known } else { (known + gap).min(highest) }
        };
        let mut upper: Vec<u64> = self.listing.states().map(higher).collect();
        for _ in 0..rounds {
            meter.check_time()?;
            let mut raised = false;
            for state in self.open_states() {
                let value = self.worth(state, &upper, Round::Up);
                let known = &mut upper[state.index()];
                raised |= value > *known;
                *known = value.min(*known);
            }
            // Lowering a value never makes the rule raise another one, so one round without raising is a proof.
            if !raised {
                return Ok(Some(upper[0]));
            }
            if self.listing.states().any(|state| upper[state.index()] < lower[state.index()]) {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn open_states(&self) -> impl Iterator<Item = StateId> {
        self.listing.states().rev().filter(|&state| {
            !self.listing.over(state) && !self.listing.successors(state).is_empty()
        })
    }

    /// The worth of a state by the rule, rounded.
    fn worth(&self, state: StateId, values: &[u64], round: Round) -> u64 {
        let count = |role: usize| self.listing.moves(state, role).len();
        let next: Vec<u64> =
            self.listing.successors(state).iter().map(|next| values[next.index()]).collect();
        let throws = count(self.chance);
        let (own, columns) = (count(self.role), next.len() / count(self.role) / throws);
        // A cell for each own move and what the others do, added up over what chance does.
        let mut cells = vec![0u64; own * columns];
        for (number, &value) in next.iter().enumerate() {
            let (mut rest, mut row, mut column, mut scale) = (number, 0, 0, 1);
            for role in (0..self.listing.roles).rev() {
                let (one, moves) = (rest % count(role), count(role));
                rest /= moves;
                if role == self.role {
                    row = one;
                } else if role != self.chance {
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
        let value = match round {
            Round::Down => (0..own).filter_map(|number| row(number).min()).max(),
            Round::Up => (0..columns).filter_map(|number| column(number).max()).min(),
        };
        mean(value.unwrap_or(0))
    }
}
