//! Matrix games: two players choose a row and a column at once; the entry is what the first gets.
//!
//! Solved by the simplex method with the least-index rule (Bland), which cannot go round in circles:
//! exactly on fractions, or nearly on floating-point numbers. What comes of the latter is no more than
//! a proposal.

use gambol_verify::Fraction;

/// Why simultaneous moves have no value here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoMatrixValue {
    /// Play can go on for ever.
    #[error("players choose at the same time and play can go on for ever")]
    Endless,
    /// An end without exactly one goal for the role.
    #[error("players choose at the same time and some end has several goals, or none")]
    Goal,
    /// The fractions have too many digits.
    #[error("the exact value has too many digits")]
    Digits,
}

/// Numbers to calculate with; nothing where a result cannot be told.
pub(crate) trait Number: Copy + PartialOrd {
    const ZERO: Self;
    const ONE: Self;
    fn plus(self, other: Self) -> Option<Self>;
    fn minus(self, other: Self) -> Option<Self>;
    fn times(self, other: Self) -> Option<Self>;
    fn over(self, other: Self) -> Option<Self>;
    fn sign(self) -> i128;
}

impl Number for Fraction {
    const ZERO: Self = Fraction::ZERO;
    const ONE: Self = Fraction::ONE;

    fn plus(self, other: Self) -> Option<Self> {
        Fraction::plus(self, other)
    }

    fn minus(self, other: Self) -> Option<Self> {
        Fraction::minus(self, other)
    }

    fn times(self, other: Self) -> Option<Self> {
        Fraction::times(self, other)
    }

    fn over(self, other: Self) -> Option<Self> {
        Fraction::over(self, other)
    }

    fn sign(self) -> i128 {
        Fraction::sign(self)
    }
}

/// Floating-point numbers this near to 0 count as 0.
const NEARLY_ZERO: f64 = 1e-11;

impl Number for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn plus(self, other: Self) -> Option<Self> {
        Some(self + other)
    }

    fn minus(self, other: Self) -> Option<Self> {
        Some(self - other)
    }

    fn times(self, other: Self) -> Option<Self> {
        Some(self * other)
    }

    fn over(self, other: Self) -> Option<Self> {
        Some(self / other)
    }

    fn sign(self) -> i128 {
        if self > NEARLY_ZERO { 1 } else { -i128::from(self < -NEARLY_ZERO) }
    }
}

/// The value of a matrix game and optimal mixtures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixSolution {
    /// What the first player gets on average.
    pub value: Fraction,
    /// How often the first player takes each row.
    pub rows: Vec<Fraction>,
    /// How often the second player takes each column.
    pub columns: Vec<Fraction>,
}

/// Solves a matrix given row after row. `None` if it is empty or the fractions have too many
/// digits.
pub fn matrix_value(entries: &[Fraction], columns: usize) -> Option<MatrixSolution> {
    if columns == 0 || entries.is_empty() {
        return None;
    }
    match saddle(entries, columns) {
        Some(solution) => Some(solution),
        None => {
            let (value, rows, columns) = Tableau::of(entries, columns)?.solve()?;
            Some(MatrixSolution { value, rows, columns })
        }
    }
}

/// About the best mixtures of rows and columns, in floating-point numbers.
pub(crate) fn proposed_mixtures(entries: &[f64], columns: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let (_, rows, columns) = Tableau::of(entries, columns)?.solve()?;
    Some((rows, columns))
}

/// A row and a column from which neither player wants to go away.
fn saddle(entries: &[Fraction], columns: usize) -> Option<MatrixSolution> {
    let rows = entries.len() / columns;
    let row_least = |row: usize| entries[row * columns..(row + 1) * columns].iter().min().copied();
    let column_most = |column: usize| entries[column..].iter().step_by(columns).max().copied();
    let row = (0..rows).max_by_key(|&row| (row_least(row), std::cmp::Reverse(row)))?;
    let column = (0..columns).min_by_key(|&column| (column_most(column), column))?;
    let value = row_least(row)?;
    (Some(value) == column_most(column)).then(|| MatrixSolution {
        value,
        rows: pure(rows, row),
        columns: pure(columns, column),
    })
}

fn pure(count: usize, chosen: usize) -> Vec<Fraction> {
    (0..count).map(|place| if place == chosen { Fraction::ONE } else { Fraction::ZERO }).collect()
}

/// Maximise the sum of y with A y <= 1, y >= 0, for the matrix shifted to be positive. Then the
/// value is 1 / sum, y / sum the second player's mixture, and the dual the first player's.
struct Tableau<N> {
    rows: usize,
    columns: usize,
    shift: N,
    /// `rows` constraints and the objective last; `columns` variables, `rows` slacks, right side.
    cells: Vec<N>,
    basis: Vec<usize>,
}

/// The more pivots, the more rounding; no exact solution takes as many either.
const MOST_PIVOTS: usize = 20_000;

/// The value and the mixtures of rows and of columns.
type Solved<N> = (N, Vec<N>, Vec<N>);

impl<N: Number> Tableau<N> {
    fn of(entries: &[N], columns: usize) -> Option<Self> {
        let rows = entries.len() / columns;
        let least = entries.iter().copied().reduce(|a, b| if b < a { b } else { a })?;
        let shift = N::ONE.minus(least)?;
        let width = columns + rows + 1;
        let mut cells = vec![N::ZERO; (rows + 1) * width];
        for row in 0..rows {
            for column in 0..columns {
                cells[row * width + column] = entries[row * columns + column].plus(shift)?;
            }
            cells[row * width + columns + row] = N::ONE;
            cells[row * width + width - 1] = N::ONE;
        }
        for column in 0..columns {
            cells[rows * width + column] = N::ZERO.minus(N::ONE)?;
        }
        Some(Self { rows, columns, shift, cells, basis: (columns..columns + rows).collect() })
    }

    fn width(&self) -> usize {
        self.columns + self.rows + 1
    }

    fn at(&self, row: usize, column: usize) -> N {
        self.cells[row * self.width() + column]
    }

    fn solve(mut self) -> Option<Solved<N>> {
        let mut pivots = 0;
        while let Some(column) = (0..self.width() - 1).find(|&c| self.at(self.rows, c).sign() < 0) {
            pivots += 1;
            if pivots > MOST_PIVOTS {
                return None;
            }
            let row = self.leaving(column)?;
            self.pivot(row, column)?;
        }
        let last = self.width() - 1;
        let sum = self.at(self.rows, last);
        let mut mixture = vec![N::ZERO; self.columns];
        for row in 0..self.rows {
            if self.basis[row] < self.columns {
                mixture[self.basis[row]] = self.at(row, last).over(sum)?;
            }
        }
        let dual = (0..self.rows).map(|row| self.at(self.rows, self.columns + row).over(sum));
        let value = N::ONE.over(sum)?.minus(self.shift)?;
        Some((value, dual.collect::<Option<_>>()?, mixture))
    }

    /// The row whose variable reaches 0 first; among equals the least variable.
    fn leaving(&self, column: usize) -> Option<usize> {
        let last = self.width() - 1;
        let mut best: Option<(N, usize, usize)> = None;
        for row in (0..self.rows).filter(|&row| self.at(row, column).sign() > 0) {
            let ratio = self.at(row, last).over(self.at(row, column))?;
            let candidate = (ratio, self.basis[row], row);
            if best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        best.map(|(_, _, row)| row)
    }

    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let width = self.width();
        let pivot = self.at(row, column);
        for cell in &mut self.cells[row * width..(row + 1) * width] {
            *cell = cell.over(pivot)?;
        }
        for other in (0..=self.rows).filter(|&other| other != row) {
            let factor = self.at(other, column);
            if factor.sign() == 0 {
                continue;
            }
            for place in 0..width {
                let change = self.at(row, place).times(factor)?;
                self.cells[other * width + place] = self.at(other, place).minus(change)?;
            }
        }
        self.basis[row] = column;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn solve(entries: &[i128], columns: usize) -> MatrixSolution {
        let entries: Vec<Fraction> =
            entries.iter().map(|&entry| Fraction::new(entry, 1).unwrap()).collect();
        matrix_value(&entries, columns).unwrap()
    }

    #[test]
    fn matching_pennies_is_even() {
        let solution = solve(&[100, 0, 0, 100], 2);
        assert_eq!(solution.value, Fraction::from(50));
        assert_eq!(solution.rows, solution.columns);
    }

    #[test]
    fn a_saddle_needs_no_mixture() {
        assert_eq!(solve(&[3, 5, 1, 9], 2).value, Fraction::from(3));
    }

    #[test]
    fn rock_paper_scissors_with_a_well() {
        // The well beats rock and scissors and loses to paper: rock is never worth it.
        let matrix = [50, 0, 100, 0, 100, 50, 0, 100, 0, 100, 50, 0, 100, 0, 100, 50];
        let solution = solve(&matrix, 4);
        assert_eq!(solution.value, Fraction::from(50));
        assert_eq!(solution.rows[0], Fraction::ZERO);
    }

    proptest! {
        /// The mixtures prove the value: no pure answer does better against them.
        #[test]
        fn mixtures_guarantee_the_value(
            rows in 1usize..5, columns in 1usize..5, seed in prop::collection::vec(-20i128..20, 16)
        ) {
            let entries = &seed[..rows * columns];
            let solution = solve(entries, columns);
            let entry = |row: usize, column: usize| {
                Fraction::new(entries[row * columns + column], 1).unwrap()
            };
            let sum = |terms: Vec<Fraction>| {
                terms.into_iter().fold(Fraction::ZERO, |sum, term| sum.plus(term).unwrap())
            };
            prop_assert_eq!(sum(solution.rows.clone()), Fraction::ONE);
            prop_assert_eq!(sum(solution.columns.clone()), Fraction::ONE);
            prop_assert!(solution.rows.iter().chain(&solution.columns).all(|part| part.sign() >= 0));
            for column in 0..columns {
                let terms = (0..rows).map(|row| entry(row, column).times(solution.rows[row]).unwrap());
                prop_assert!(sum(terms.collect()) >= solution.value);
            }
            for row in 0..rows {
                let terms = (0..columns)
                    .map(|column| entry(row, column).times(solution.columns[column]).unwrap());
                prop_assert!(sum(terms.collect()) <= solution.value);
            }
        }
    }
}
