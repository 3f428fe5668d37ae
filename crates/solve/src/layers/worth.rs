//! What states are worth, from what follows them.
//!
//! A value says for each role what it can secure, in the worst reading of unclear ends and in the best. A role
//! that chooses takes the most, every other one the least of what follows; a role without a move, or one that can
//! force no end, is sure of 0. Where one role chooses at a time only the order of goals counts: values are ranks,
//! packed into a word ([`Ranks`]). Otherwise they are fractions ([`Fractions`]): where several roles choose at
//! once the value is that of the matrix of the role against all others, and chance is taken on average. Where an exact
//! fraction has too many digits, the two readings become bounds, rounded away from the value.

use std::hash::Hash;

use gambol_verify::{Fraction, HIGHEST_GOAL};

use super::bulk::{Expanded, Look};
use super::layer_file::Range2;
use crate::matrix_game::matrix_value;
use crate::{Payoff, Reading};

/// A way to calculate with values.
pub(crate) trait Arithmetic {
    /// A value of all roles.
    type Value: Clone + Eq + Hash;
    /// The role that moves at random.
    fn chance(&self) -> Option<usize>;
    /// A value that stands in a file; none if it is not one of this game.
    fn read(&self, ranges: &[Range2]) -> Option<Self::Value>;
    /// How it stands in a file.
    fn ranges(&self, value: &Self::Value) -> Vec<Range2>;
    /// The values of some states, from the numbers of the values of their successors; none if they have too many
    /// digits.
    fn values(
        &self,
        states: &Expanded,
        numbers: &[u32],
        next: &[Self::Value],
    ) -> Option<Vec<Self::Value>>;
}

/// Values as ranks of goals. A field for each role and reading, with a bit above it that is never set.
pub(crate) struct Ranks {
    goals: Vec<u32>,
    roles: usize,
    field: u32,
    /// The bits above the fields.
    guards: u64,
    /// For each role the bits of its fields.
    own: Vec<u64>,
}

impl Ranks {
    /// For so many roles with these goals; none if a value does not fit in a word.
    pub(crate) fn new(roles: usize, goals: impl IntoIterator<Item = u32>) -> Option<Self> {
        // An end without a goal is read as either of these.
        let mut goals: Vec<u32> = goals.into_iter().chain([0, HIGHEST_GOAL]).collect();
        goals.sort_unstable();
        goals.dedup();
        let field = goals.len().ilog2() + 2;
        let fields = 2 * roles as u32;
        (fields * field <= 64).then_some(())?;
        let guards = (0..fields).map(|number| 1 << (number * field + field - 1)).sum();
        let all = (1u64 << (field - 1)) - 1;
        let own = |role: u32| all << (2 * role * field) | all << ((2 * role + 1) * field);
        Some(Self { goals, roles, field, guards, own: (0..roles as u32).map(own).collect() })
    }

    /// For how many roles.
    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    fn pack(&self, ranks: impl Iterator<Item = u64>) -> u64 {
        ranks.zip(0..).map(|(rank, number)| rank << (number * self.field)).sum()
    }

    fn rank(&self, goal: u32) -> Option<u64> {
        self.goals.binary_search(&goal).ok().map(|rank| rank as u64)
    }

    /// What an end is worth.
    pub(crate) fn end(&self, payoffs: &[Payoff]) -> u64 {
        let both = payoffs.iter().flat_map(|payoff| [payoff.least, payoff.most]);
        // Goals of ends are goals of the game, or stand for a missing one.
        self.pack(both.map(|goal| self.rank(goal).unwrap_or(0)))
    }

    /// The worst that can come of a choice: nothing for who chooses, everything for the others.
    pub(crate) fn before(&self, role: u8) -> u64 {
        let highest = self.goals.len() as u64 - 1;
        self.pack(
            (0..2 * self.roles).map(|field| if field / 2 == role as usize { 0 } else { highest }),
        )
    }

    /// What a value says of one role.
    #[inline]
    pub(crate) fn of_role(&self, role: usize, value: u64) -> u64 {
        value & self.own[role]
    }

    /// In the fields of the role that chooses the greater, in all others the lesser.
    #[inline]
    pub(crate) fn combine(&self, role: u8, one: u64, other: u64) -> u64 {
        // A guard stays set where the first field is not less than the second.
        let not_less = ((one | self.guards) - other) & self.guards;
        let first_wins = (not_less - (not_less >> (self.field - 1))) ^ !self.own[role as usize];
        one & first_wins | other & !first_wins
    }
}

impl Arithmetic for Ranks {
    type Value = u64;

    fn chance(&self) -> Option<usize> {
        None
    }

    fn read(&self, ranges: &[Range2]) -> Option<u64> {
        let rank = |value: &Fraction| self.rank(u32::try_from(value.whole()?).ok()?);
        let ranks: Option<Vec<u64>> = ranges.iter().flatten().map(rank).collect();
        ranks
            .filter(|ranks| ranks.len() == 2 * self.roles)
            .map(|ranks| self.pack(ranks.into_iter()))
    }

    fn ranges(&self, value: &u64) -> Vec<Range2> {
        let all = (1u64 << (self.field - 1)) - 1;
        let rank = |number: usize| (value >> (number as u32 * self.field) & all) as usize;
        let goal = |number: usize| Fraction::from(self.goals[rank(number)]);
        (0..self.roles).map(|role| [goal(2 * role), goal(2 * role + 1)]).collect()
    }

    fn values(&self, states: &Expanded, numbers: &[u32], next: &[u64]) -> Option<Vec<u64>> {
        let mut ends = states.payoffs.chunks_exact(self.roles);
        let first = |look: &Look| match look {
            Look::Over => ends.next().map_or(0, |payoffs| self.end(payoffs)),
            Look::Stuck | Look::AtOnce => 0,
            Look::Chooses(role) => self.before(*role),
        };
        let mut values: Vec<u64> = states.looks.iter().map(first).collect();
        for (&place, &number) in states.places.iter().zip(numbers) {
            if let Look::Chooses(role) = states.looks[place as usize] {
                let value = &mut values[place as usize];
                *value = self.combine(role, *value, next[number as usize]);
            }
        }
        Some(values)
    }
}

/// Values as fractions, for choices at the same time and for chance.
pub(crate) struct Fractions {
    pub(crate) roles: usize,
    /// The role that moves at random, each move as likely as the others.
    pub(crate) chance: Option<usize>,
}

impl Arithmetic for Fractions {
    type Value = Vec<Range2>;

    fn chance(&self) -> Option<usize> {
        self.chance
    }

    fn read(&self, ranges: &[Range2]) -> Option<Vec<Range2>> {
        (ranges.len() == self.roles).then(|| ranges.to_vec())
    }

    fn ranges(&self, value: &Vec<Range2>) -> Vec<Range2> {
        value.clone()
    }

    fn values(
        &self,
        states: &Expanded,
        numbers: &[u32],
        next: &[Vec<Range2>],
    ) -> Option<Vec<Vec<Range2>>> {
        let mut successors: Vec<Vec<&Vec<Range2>>> = vec![Vec::new(); states.looks.len()];
        for (&place, &number) in states.places.iter().zip(numbers) {
            successors[place as usize].push(&next[number as usize]);
        }
        let mut ends = states.payoffs.chunks_exact(self.roles);
        let mut counts = states.counts.chunks_exact(self.roles);
        let mut values = Vec::with_capacity(states.looks.len());
        for (look, next) in states.looks.iter().zip(&successors) {
            values.push(match look {
                Look::Over => self.end(ends.next()?),
                Look::Stuck => vec![[Fraction::ZERO; 2]; self.roles],
                Look::Chooses(role) => {
                    let mut counts = vec![1; self.roles];
                    counts[*role as usize] = next.len() as u32;
                    self.secured(&counts, next)?
                }
                Look::AtOnce => self.secured(counts.next()?, next)?,
            });
        }
        Some(values)
    }
}

impl Fractions {
    /// What an end is worth.
    pub(crate) fn end(&self, payoffs: &[Payoff]) -> Vec<Range2> {
        let mut values: Vec<Range2> = payoffs.iter().map(|&payoff| range(payoff)).collect();
        if let Some(chance) = self.chance {
            values[chance] = [Fraction::ZERO; 2];
        }
        values
    }

    /// What each role secures where the roles have so many moves each and these values follow, the last role's move
    /// changing fastest.
    pub(crate) fn secured(&self, counts: &[u32], next: &[&Vec<Range2>]) -> Option<Vec<Range2>> {
        let of_role = |role: usize| {
            if self.chance == Some(role) {
                // Chance wants nothing.
                return Some([Fraction::ZERO; 2]);
            }
            let of_reading = |reading: usize| {
                let counts: Vec<usize> = counts.iter().map(|&count| count as usize).collect();
                let entries: Vec<Fraction> =
                    next.iter().map(|value| value[role][reading]).collect();
                let exact = self.exact(&entries, &counts, role);
                exact.or_else(|| self.rounded(&entries, &counts, role, ROUNDINGS[reading]))
            };
            Some([of_reading(0)?, of_reading(1)?])
        };
        (0..self.roles).map(of_role).collect()
    }
}

impl Fractions {
    /// The exact value; none if it has too many digits.
    fn exact(&self, entries: &[Fraction], counts: &[usize], role: usize) -> Option<Fraction> {
        let Some(chance) = self.chance else { return game_value(entries, counts, role) };
        let mut counts = counts.to_vec();
        let entries = average(entries, &counts, chance)?;
        counts[chance] = 1;
        game_value(&entries, &counts, role)
    }

    /// A bound on the value in parts of 2^-[`FINE`], by pure strategies where roles choose at once.
    fn rounded(
        &self,
        entries: &[Fraction],
        counts: &[usize],
        role: usize,
        rounding: Rounding,
    ) -> Option<Fraction> {
        let parts = |entry: &Fraction| {
            let (parts, whole) = entry.parts(FINE)?;
            Some(parts + i128::from(rounding == Rounding::Up && !whole))
        };
        let parts: Vec<i128> = entries.iter().map(parts).collect::<Option<_>>()?;
        let throws = self.chance.map_or(1, |chance| counts[chance]);
        let columns = entries.len() / counts[role] / throws;
        let mut cells = vec![0i128; counts[role] * columns];
        for (number, &value) in parts.iter().enumerate() {
            let (row, column) = self.cell(number, counts, role);
            cells[row * columns + column] += value;
        }
        let row = |row: usize| cells[row * columns..(row + 1) * columns].iter().copied();
        let column = |column: usize| cells[column..].iter().step_by(columns).copied();
        let throws = throws as i128;
        let value = match rounding {
            Rounding::Down => {
                (0..counts[role]).filter_map(|place| row(place).min()).max()?.div_euclid(throws)
            }
            Rounding::Up => {
                let most = (0..columns).filter_map(|place| column(place).max()).min()?;
                (most + throws - 1).div_euclid(throws)
            }
        };
        Fraction::new(value, 1 << FINE)
    }

    /// The row and the column of a joint move in the matrix of a role against all others, chance left out.
    fn cell(&self, mut number: usize, counts: &[usize], role: usize) -> (usize, usize) {
        let (mut row, mut column, mut scale) = (0, 0, 1);
        for other in (0..counts.len()).rev() {
            let one = number % counts[other];
            number /= counts[other];
            if other == role {
                row = one;
            } else if self.chance != Some(other) {
                column += one * scale;
                scale *= counts[other];
            }
        }
        (row, column)
    }
}

/// Bounds have so many binary places.
const FINE: u32 = 40;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Down,
    Up,
}

/// What is surely secured is rounded down, what may be secured up.
const ROUNDINGS: [Rounding; 2] = [Rounding::Down, Rounding::Up];

fn range(payoff: Payoff) -> Range2 {
    [Reading::Least, Reading::Most].map(|reading| Fraction::from(payoff.read(reading)))
}

/// How many joint moves of the roles after this one there are.
fn later(counts: &[usize], role: usize) -> usize {
    counts[role + 1..].iter().product()
}

/// The entries on average over the moves of one role.
fn average(entries: &[Fraction], counts: &[usize], role: usize) -> Option<Vec<Fraction>> {
    let (moves, later) = (counts[role], later(counts, role));
    let share = Fraction::new(1, moves as i128)?;
    let mean = |block: usize, place: usize| {
        let entry = |number| entries[(block * moves + number) * later + place];
        let sum = (0..moves).try_fold(Fraction::ZERO, |sum, number| sum.plus(entry(number)))?;
        sum.times(share)
    };
    let blocks = entries.len() / (moves * later);
    (0..blocks)
        .flat_map(|block| (0..later).map(move |place| (block, place)))
        .map(|(b, p)| mean(b, p))
        .collect()
}

/// The value of the matrix game of a role against all others.
fn game_value(entries: &[Fraction], counts: &[usize], role: usize) -> Option<Fraction> {
    let (rows, later) = (counts[role], later(counts, role));
    let blocks = entries.len() / (rows * later);
    if rows == entries.len() {
        return entries.iter().max().copied();
    }
    if rows == 1 {
        return entries.iter().min().copied();
    }
    let cells = |row: usize| {
        let block =
            move |block: usize| entries[(block * rows + row) * later..][..later].iter().copied();
        (0..blocks).flat_map(block)
    };
    let matrix: Vec<Fraction> = (0..rows).flat_map(cells).collect();
    matrix_value(&matrix, blocks * later).map(|solution| solution.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_chooses_takes_the_most_and_all_others_the_least() {
        let ranks = Ranks::new(2, [100, 50, 0]).expect("it fits");
        let value = |goals: [u32; 4]| {
            ranks.end(&[
                Payoff { least: goals[0], most: goals[1] },
                Payoff { least: goals[2], most: goals[3] },
            ])
        };
        let one = value([0, 100, 50, 50]);
        let other = value([50, 50, 0, 100]);
        assert_eq!(ranks.combine(0, one, other), value([50, 100, 0, 50]));
        assert_eq!(ranks.combine(1, one, other), value([0, 50, 50, 100]));
        assert_eq!(ranks.combine(1, ranks.before(1), one), one);
        assert_eq!(ranks.read(&ranks.ranges(&other)), Some(other));
    }

    #[test]
    fn what_has_too_many_digits_lies_between_bounds() {
        let arithmetic = Fractions { roles: 2, chance: Some(1) };
        let (prime, other) = ((1i128 << 89) - 1, (1i128 << 61) - 1);
        let [third, odd] = [(other / 3, other), (prime / 2, prime)]
            .map(|(one, other)| [Fraction::new(one, other).expect("a fraction"); 2]);
        let nothing = [Fraction::ZERO; 2];
        let (one, other) = (vec![third, nothing], vec![odd, nothing]);
        let value = arithmetic.secured(&[1, 2], &[&one, &other]).expect("bounds");
        let [least, most] = value[0];
        assert!(least < most && (most.as_f64() - least.as_f64()) < 1e-11);
        assert!(least.as_f64() <= 5.0 / 12.0 && most.as_f64() >= 5.0 / 12.0);
        // The role chooses the better of two, so that no rounding adds up.
        let chosen = Fractions { roles: 2, chance: None }.secured(&[2, 1], &[&one, &other]);
        assert_eq!(chosen.expect("a value")[0], odd);
    }

    #[test]
    fn chance_is_taken_on_average_and_choices_at_once_are_a_matrix() {
        let whole =
            |values: &[u32]| values.iter().map(|&value| Fraction::from(value)).collect::<Vec<_>>();
        let entries = whole(&[100, 0, 0, 100]);
        assert_eq!(game_value(&entries, &[2, 2], 0), Some(Fraction::from(50)));
        assert_eq!(average(&entries, &[2, 2], 1), Some(whole(&[50, 50])));
        assert_eq!(game_value(&whole(&[1, 2, 3]), &[1, 3], 0), Some(Fraction::from(1)));
        assert_eq!(game_value(&whole(&[1, 2, 3]), &[1, 3], 1), Some(Fraction::from(3)));
    }
}
