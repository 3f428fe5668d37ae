//! Which leaves of a family are coordinates.
//!
//! Every pair of places is judged by what it has in common with a board: alike domains, an order,
//! few missing places, and one thing at a time on each place. What is no board may be a small table
//! of lamps, or a row of places ([`row`](crate::find::row)).

use gambol_net::BaseMarking;

use crate::find::family::Family;
use crate::find::order::{Known, Orders};

/// How the leaves of a family are to be read.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The places of column and row; a strip has no row.
    pub(crate) column: usize,
    pub(crate) row: Option<usize>,
    /// The places that tell which of several boards.
    pub(crate) selectors: Vec<usize>,
    /// The places that tell what lies there.
    pub(crate) content: Vec<usize>,
    /// Whether nearly every place has something on it at all times.
    pub(crate) full: bool,
    /// Whether the column tells a place of a graph.
    pub(crate) planned: bool,
    pub(crate) score: f64,
}

/// Boards are at most so wide and high.
const LONGEST: usize = 40;
/// Tables of lamps are at most so wide and high.
const LONGEST_TABLE: usize = 12;
/// Families of more boards than this are no boards.
const MOST_BOARDS: usize = 81;
/// What a pair of places must reach.
const GOOD_ENOUGH: f64 = 3.0;
/// A place that always holds something, but for moments.
pub(crate) const FULL: f64 = 0.9;

/// The best reading of a family as a board, if there is a good one.
pub(crate) fn coordinates(
    family: &Family<'_>,
    orders: &Orders<'_>,
    states: &[BaseMarking],
) -> Option<Reading> {
    let pairs = (0..family.arity).flat_map(|row| (0..row).map(move |column| (column, row)));
    let readings = pairs.filter_map(|(column, row)| grid(family, orders, states, column, row));
    let best = readings.max_by(|one, other| {
        // Of equals the leftmost pair.
        let places = |reading: &Reading| std::cmp::Reverse((reading.row, reading.column));
        one.score.total_cmp(&other.score).then(places(one).cmp(&places(other)))
    });
    best.or_else(|| lamps(family, states))
}

fn grid(
    family: &Family<'_>,
    orders: &Orders<'_>,
    states: &[BaseMarking],
    column: usize,
    row: usize,
) -> Option<Reading> {
    let (columns, rows) = (family.domain(column), family.domain(row));
    let size = 2..=LONGEST;
    if !size.contains(&columns.len()) || !size.contains(&rows.len()) {
        return None;
    }
    let covered = family.combinations(&[column, row]) as f64;
    let coverage = covered / (columns.len() * rows.len()) as f64;
    if coverage < 0.5 || is_a_table(family, states, column, row) {
        return None;
    }
    let shared = columns.iter().filter(|name| rows.binary_search(name).is_ok()).count();
    let alike = 2.0 * shared as f64 / columns.len().max(rows.len()) as f64;
    let ordered = |names| f64::from(u8::from(orders.sorted(names).1 == Known::Ordered));
    let order = ordered(columns) + ordered(rows);
    let beside = if row == column + 1 { 0.5 } else { 0.0 };
    let mut reading = occupants(family, states, column, row)?;
    reading.score += alike + order + beside + coverage - 1.0;
    (reading.score >= GOOD_ENOUGH).then_some(reading)
}

/// Two leaves of which one always has exactly one value for each value of the other are a table of
/// numbers, not a board with marks: heaps and their sizes.
fn is_a_table(family: &Family<'_>, states: &[BaseMarking], column: usize, row: usize) -> bool {
    let full = |place| {
        let fill = family.determined_by(&[place], states);
        fill.is_some_and(|fill| fill.mean >= FULL)
    };
    family.arity == 2 && (full(column) || full(row))
}

/// Splits the other leaves into those that tell the board and those that tell what lies there.
fn occupants(
    family: &Family<'_>,
    states: &[BaseMarking],
    column: usize,
    row: usize,
) -> Option<Reading> {
    let others: Vec<usize> =
        (0..family.arity).filter(|&place| place != column && place != row).collect();
    let reading = |selectors: Vec<usize>, content: Vec<usize>, fill: Option<f64>| Reading {
        column,
        row: Some(row),
        score: 2.0 * fill.unwrap_or(0.0) + if selectors.is_empty() { 0.5 } else { 0.0 },
        full: fill.is_some_and(|fill| fill >= FULL),
        planned: false,
        selectors,
        content,
    };
    // What is never in two places lies on the board, even if two of its kind may meet.
    let moves_about = |&place: &usize| family.determined_by(&[place], states).is_some();
    let candidates: Vec<usize> = others.iter().copied().filter(|one| !moves_about(one)).collect();
    // Where each place holds one thing at the start, several later are several things and not several boards.
    let at_start = family.determined_by(&[column, row], &states[..1]);
    if let Some(fill) = at_start.filter(|fill| fill.mean >= FULL)
        && !others.is_empty()
        && family.determined_by(&[column, row], states).is_none()
    {
        return Some(Reading { full: false, ..reading(Vec::new(), others, Some(fill.mean)) });
    }
    // Fewer selectors first; with all of them a place holds something or nothing.
    for count in 0..=candidates.len() {
        for selectors in subsets(&candidates, count) {
            let mut key = vec![column, row];
            key.extend(&selectors);
            let Some(fill) = family.determined_by(&key, states) else { continue };
            if !selectors.is_empty() && family.combinations(&selectors) > MOST_BOARDS {
                continue;
            }
            let content: Vec<usize> =
                others.iter().copied().filter(|place| !selectors.contains(place)).collect();
            return Some(reading(selectors, content, Some(fill.mean)));
        }
    }
    Some(reading(Vec::new(), others, None))
}

/// Rows of lamps: two leaves in all combinations, any number of which may be true.
fn lamps(family: &Family<'_>, states: &[BaseMarking]) -> Option<Reading> {
    if family.arity != 2 {
        return None;
    }
    let (rows, columns) = (family.domain(0).len(), family.domain(1).len());
    let size = 2..=LONGEST_TABLE;
    let whole = size.contains(&rows) && size.contains(&columns);
    let free = |place| family.determined_by(&[place], states).is_none();
    (whole && family.members.len() == rows * columns && free(0) && free(1)).then(|| Reading {
        column: 1,
        row: Some(0),
        selectors: Vec::new(),
        content: Vec::new(),
        full: false,
        planned: false,
        score: 0.0,
    })
}

/// All ways to take so many of the places, in order.
fn subsets(places: &[usize], count: usize) -> Vec<Vec<usize>> {
    match (count, places.split_first()) {
        (0, _) => vec![Vec::new()],
        (_, None) => Vec::new(),
        (_, Some((&first, rest))) => {
            let with = subsets(rest, count - 1).into_iter().map(|mut some| {
                some.insert(0, first);
                some
            });
            with.chain(subsets(rest, count)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_all_there_and_in_order() {
        assert_eq!(subsets(&[1, 2, 3], 2), [vec![1, 2], vec![1, 3], vec![2, 3]]);
        assert_eq!(subsets(&[1, 2], 0), [Vec::<usize>::new()]);
        assert!(subsets(&[1], 2).is_empty());
    }
}
