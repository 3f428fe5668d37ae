//! Matrix games: two players choose a row and a column at once; the entry is what the first gets.
//!
//! Solved exactly, by the simplex method on fractions with the least-index rule (Bland), which
//! cannot go round in circles.

use crate::fraction::Fraction;

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

/// Solves a matrix given row after row. Nothing if it is empty or the fractions have too many
/// digits.
pub fn matrix_value(entries: &[Fraction], columns: usize) -> Option<MatrixSolution> {
    if columns == 0 || entries.is_empty() {
        return None;
    }
    match saddle(entries, columns) {
        Some(solution) => Some(solution),
        None => Tableau::of(entries, columns)?.solve(),
    }
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
struct Tableau {
    rows: usize,
    columns: usize,
    shift: Fraction,
    /// `rows` constraints and the objective last; `columns` variables, `rows` slacks, right side.
    cells: Vec<Fraction>,
    basis: Vec<usize>,
}

impl Tableau {
    fn of(entries: &[Fraction], columns: usize) -> Option<Self> {
        let rows = entries.len() / columns;
        let shift = Fraction::ONE.minus(*entries.iter().min()?)?;
        let width = columns + rows + 1;
        let mut cells = vec![Fraction::ZERO; (rows + 1) * width];
        for row in 0..rows {
            for column in 0..columns {
                cells[row * width + column] = entries[row * columns + column].plus(shift)?;
            }
            cells[row * width + columns + row] = Fraction::ONE;
            cells[row * width + width - 1] = Fraction::ONE;
        }
        for column in 0..columns {
            cells[rows * width + column] = Fraction::ZERO.minus(Fraction::ONE)?;
        }
        Some(Self { rows, columns, shift, cells, basis: (columns..columns + rows).collect() })
    }

    fn width(&self) -> usize {
        self.columns + self.rows + 1
    }

    fn at(&self, row: usize, column: usize) -> Fraction {
        self.cells[row * self.width() + column]
    }

    fn solve(mut self) -> Option<MatrixSolution> {
        while let Some(column) = (0..self.width() - 1).find(|&c| self.at(self.rows, c).sign() < 0) {
            let row = self.leaving(column)?;
            self.pivot(row, column)?;
        }
        let last = self.width() - 1;
        let sum = self.at(self.rows, last);
        let mut mixture = vec![Fraction::ZERO; self.columns];
        for row in 0..self.rows {
            if self.basis[row] < self.columns {
                mixture[self.basis[row]] = self.at(row, last).over(sum)?;
            }
        }
        let dual = (0..self.rows).map(|row| self.at(self.rows, self.columns + row).over(sum));
        Some(MatrixSolution {
            value: Fraction::ONE.over(sum)?.minus(self.shift)?,
            rows: dual.collect::<Option<_>>()?,
            columns: mixture,
        })
    }

    /// The row whose variable reaches 0 first; among equals the least variable.
    fn leaving(&self, column: usize) -> Option<usize> {
        let last = self.width() - 1;
        let mut best: Option<(Fraction, usize, usize)> = None;
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
