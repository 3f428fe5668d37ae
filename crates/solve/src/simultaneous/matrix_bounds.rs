//! Bounds for the value of a matrix game whose entries are only known within bounds.
//!
//! Numbers are whole multiples of a small unit. A mixture of rows gives each column an average of lower
//! bounds; the least of them, rounded down, is a lower bound whatever the mixture is. So mixtures may come
//! from floating-point numbers, and the better they are, the nearer the bounds.

use gambol_verify::Fraction;

use crate::matrix_game::proposed_mixtures;

/// One is this many units.
pub(crate) const UNIT: i64 = 1 << 44;
/// Shares of a mixture add up to this.
const WHOLE: i64 = 1 << 50;
/// Smaller shares come from rounding.
const LEAST_SHARE: i64 = 1 << 10;

/// A value lies between these, in units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) least: i64,
    pub(crate) most: i64,
}

impl Span {
    /// Exactly a goal value.
    pub(crate) fn exact(goal: u32) -> Self {
        let value = i64::from(goal) * UNIT;
        Self { least: value, most: value }
    }

    /// From one goal value to another.
    pub(crate) fn between(least: u32, most: u32) -> Self {
        Self { least: Self::exact(least).least, most: Self::exact(most).most }
    }

    /// The lower bound as a fraction.
    pub(crate) fn least_fraction(self) -> Option<Fraction> {
        Fraction::new(self.least.into(), UNIT.into())
    }

    /// The upper bound as a fraction.
    pub(crate) fn most_fraction(self) -> Option<Fraction> {
        Fraction::new(self.most.into(), UNIT.into())
    }
}

/// What is known of the value of a matrix, and which entries to ask for more.
pub(crate) struct Outlook {
    pub(crate) span: Span,
    /// Rows the first player would mix if all entries were as good as they can be.
    pub(crate) hopeful_rows: Vec<usize>,
    /// Columns the second player would mix if all entries were as low as they can be.
    pub(crate) hopeful_columns: Vec<usize>,
}

/// Bounds for the value of a matrix, given row after row; the first player chooses the row and wants
/// more.
///
/// If every entry in which a hopeful row meets a hopeful column is known, the bounds meet: against the
/// hopeful rows no column does better than the upper bound, against the hopeful columns no row better
/// than the lower one, and what the two mixtures give against one another is known.
pub(crate) fn outlook(entries: &[Span], columns: usize) -> Outlook {
    let pure = pure_bounds(entries, columns);
    let lows: Vec<i64> = entries.iter().map(|span| span.least).collect();
    let highs: Vec<i64> = entries.iter().map(|span| span.most).collect();
    let (rows, hopeful_columns) = mixtures(&lows, columns);
    let (hopeful_rows, shares) = mixtures(&highs, columns);
    let least = (0..columns)
        .map(|column| average(&rows, lows[column..].iter().step_by(columns).copied()))
        .map(|sum| sum.div_euclid(WHOLE.into()))
        .min();
    let most = highs
        .chunks_exact(columns)
        .map(|row| average(&shares, row.iter().copied()))
        .map(|sum| -(-sum).div_euclid(WHOLE.into()))
        .max();
    let span = Span {
        least: pure.least.max(least.map_or(i64::MIN, |least| least as i64)),
        most: pure.most.min(most.map_or(i64::MAX, |most| most as i64)),
    };
    Outlook {
        span,
        hopeful_rows: support(&hopeful_rows),
        hopeful_columns: support(&hopeful_columns),
    }
}

/// Shares of rows and of columns that are about the best.
fn mixtures(entries: &[i64], columns: usize) -> (Vec<i64>, Vec<i64>) {
    if let Some((row, column)) = saddle(entries, columns) {
        let pure = |count: usize, chosen: usize| {
            (0..count).map(|place| if place == chosen { WHOLE } else { 0 }).collect()
        };
        return (pure(entries.len() / columns, row), pure(columns, column));
    }
    let about: Vec<f64> = entries.iter().map(|&entry| entry as f64 / UNIT as f64).collect();
    let all = || (vec![1.0; entries.len() / columns], vec![1.0; columns]);
    let (rows, shares) = proposed_mixtures(&about, columns).unwrap_or_else(all);
    (whole_shares(&rows), whole_shares(&shares))
}

/// A row and a column from which neither player wants to go away.
fn saddle(entries: &[i64], columns: usize) -> Option<(usize, usize)> {
    let row_least = |row: usize| entries[row * columns..(row + 1) * columns].iter().min();
    let column_most = |column: usize| entries[column..].iter().step_by(columns).max();
    let rows = entries.len() / columns;
    let row = (0..rows).max_by_key(|&row| (row_least(row), usize::MAX - row))?;
    let column = (0..columns).min_by_key(|&column| (column_most(column), column))?;
    (row_least(row) == column_most(column)).then_some((row, column))
}

/// The places with a share.
fn support(shares: &[i64]) -> Vec<usize> {
    (0..shares.len()).filter(|&place| shares[place] > LEAST_SHARE).collect()
}

/// What single rows and columns guarantee.
fn pure_bounds(entries: &[Span], columns: usize) -> Span {
    let row_least = |row: &[Span]| row.iter().map(|span| span.least).min();
    let column_most =
        |column: usize| entries[column..].iter().step_by(columns).map(|span| span.most).max();
    let least = entries.chunks_exact(columns).filter_map(row_least).max();
    let most = (0..columns).filter_map(column_most).min();
    Span { least: least.unwrap_or(0), most: most.unwrap_or(i64::MAX) }
}

/// Shares near to a mixture that are not negative and make one whole.
fn whole_shares(mixture: &[f64]) -> Vec<i64> {
    let all: f64 = mixture.iter().map(|part| part.max(0.0)).sum();
    let share = |&part: &f64| ((part / all * WHOLE as f64) as i64).clamp(0, WHOLE);
    let mut shares: Vec<i64> = mixture.iter().map(share).collect();
    let mut missing = WHOLE - shares.iter().sum::<i64>();
    // Too much is taken from the largest shares, too little added to the first of them.
    while missing != 0 {
        let Some(largest) =
            (0..shares.len()).max_by_key(|&place| (shares[place], usize::MAX - place))
        else {
            return shares;
        };
        let change = missing.max(-shares[largest]);
        shares[largest] += change;
        missing -= change;
    }
    shares
}

fn average(shares: &[i64], values: impl Iterator<Item = i64>) -> i128 {
    shares.iter().zip(values).map(|(&share, value)| i128::from(share) * i128::from(value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix_game::matrix_value;
    use proptest::prelude::*;

    proptest! {
        /// The exact value lies within the bounds, and these are near to one another.
        #[test]
        fn the_value_lies_within_narrow_bounds(
            rows in 1usize..6, columns in 1usize..6, seed in prop::collection::vec(0u32..101, 25)
        ) {
            let goals = &seed[..rows * columns];
            let spans: Vec<Span> = goals.iter().map(|&goal| Span::exact(goal)).collect();
            let exact: Vec<Fraction> = goals.iter().map(|&goal| Fraction::from(goal)).collect();
            let value = matrix_value(&exact, columns).unwrap().value;
            let found = outlook(&spans, columns).span;
            prop_assert!(found.least_fraction().unwrap() <= value);
            prop_assert!(found.most_fraction().unwrap() >= value);
            prop_assert!(found.most - found.least < UNIT / 1_000_000_000);
        }

        /// Whatever the entries are within their bounds, the value is within those of the whole.
        #[test]
        fn wider_entries_give_wider_bounds(
            columns in 1usize..4, seed in prop::collection::vec((0u32..101, 0u32..9, 0u32..9), 12)
        ) {
            let columns = columns.min(seed.len());
            let seed = &seed[..seed.len() / columns * columns];
            let wide = |&(goal, down, up): &(u32, u32, u32)| Span {
                least: Span::exact(goal).least - i64::from(down) * UNIT,
                most: Span::exact(goal).most + i64::from(up) * UNIT,
            };
            let spans: Vec<Span> = seed.iter().map(wide).collect();
            let exact: Vec<Fraction> = seed.iter().map(|&(goal, ..)| goal.into()).collect();
            let value = matrix_value(&exact, columns).unwrap().value;
            let found = outlook(&spans, columns).span;
            prop_assert!(found.least_fraction().unwrap() <= value);
            prop_assert!(found.most_fraction().unwrap() >= value);
        }
    }

    #[test]
    fn a_saddle_is_exact() {
        let spans = [3, 5, 1, 9].map(Span::exact);
        assert_eq!(outlook(&spans, 2).span, Span::exact(3));
    }
}
