//! A family with coordinates: which of its leaves is the column, which the row, and what its boards hold.

use rustc_hash::FxHashMap;

use crate::boards::{Board, Edges, Lattice, Occupant};
use crate::find::coordinates::Reading;
use crate::find::family::{Family, pick};
use crate::find::order::{Known, Orders};

/// A family with coordinates.
pub(crate) struct Laid<'f, 'a> {
    pub(crate) family: &'f Family<'a>,
    pub(crate) reading: Reading,
    pub(crate) columns: Vec<&'a str>,
    pub(crate) rows: Vec<&'a str>,
}

impl<'f, 'a> Laid<'f, 'a> {
    pub(crate) fn of(family: &'f Family<'a>, reading: Reading, orders: &Orders<'a>) -> Self {
        let columns = orders.sorted(family.domain(reading.column)).0;
        let Some(row) = reading.row else {
            return Self { family, reading, columns, rows: vec![""] };
        };
        let (mut rows, known) = orders.sorted(family.domain(row));
        // Rows are counted from the bottom; what has no order is read from the top.
        if known == Known::Named {
            rows.reverse();
        }
        let mut laid = Self { family, reading, columns, rows };
        if laid.is_a_triangle(row) {
            (laid.reading.column, laid.reading.row) = (row, Some(laid.reading.column));
            std::mem::swap(&mut laid.columns, &mut laid.rows);
            laid.rows.reverse();
        }
        laid
    }

    /// Whether row and column have the same names and the row never exceeds the column: the column counts the
    /// rows of a triangle, whose tip belongs on top.
    fn is_a_triangle(&self, row: usize) -> bool {
        let at = |name: &str| self.columns.iter().position(|one| *one == name);
        self.columns == self.rows
            && self.columns.len() > 2
            && self
                .family
                .members
                .iter()
                .all(|(_, leaves)| at(leaves[row]) <= at(leaves[self.reading.column]))
    }

    /// The leaves that select each board, in order.
    pub(crate) fn boards(&self, orders: &Orders<'a>) -> Vec<Vec<&'a str>> {
        let selectors = &self.reading.selectors;
        let members = self.family.members.iter();
        let mut boards: Vec<Vec<&str>> =
            members.map(|(_, leaves)| pick(leaves, selectors)).collect();
        let order: Vec<Vec<&str>> =
            selectors.iter().map(|&place| orders.sorted(self.family.domain(place)).0).collect();
        let place = |board: &Vec<&str>| -> Vec<usize> {
            let places = board.iter().zip(&order);
            places
                .map(|(name, order)| order.iter().position(|one| one == name).unwrap_or(0))
                .collect()
        };
        boards.sort_by_cached_key(place);
        boards.dedup();
        boards
    }

    /// Two leaves that select a board make a grid of boards: so many columns and rows.
    pub(crate) fn across(&self, orders: &Orders<'a>) -> Option<(usize, usize)> {
        let [column, row] = self.reading.selectors.as_slice() else { return None };
        let size = |place| self.family.domain(place).len();
        let (columns, rows) = (size(*column), size(*row));
        (self.boards(orders).len() == columns * rows).then_some((columns, rows))
    }

    pub(crate) fn empty_board(&self, selectors: &[&str], family: usize) -> Board {
        let (columns, rows) = self.extent(selectors);
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let mut name = vec![self.family.function];
        name.extend(selectors);
        Board {
            name: name.join(" "),
            columns: owned(&columns),
            rows: owned(&rows),
            places: vec![None; columns.len() * rows.len()],
            titles: vec![String::new(); columns.len() * rows.len()],
            usual: None,
            family,
            position: (0, 0),
            lattice: Lattice::Squares,
            plan: None,
            chequered: false,
            crowded: self.reading.row.is_none()
                && !self.reading.planned
                && !self.reading.full
                && !self.reading.content.is_empty(),
            bare: false,
            edges: Edges::default(),
        }
    }

    /// The columns and rows that a board has: boards of a family may differ in size.
    fn extent(&self, selectors: &[&str]) -> (Vec<&'a str>, Vec<&'a str>) {
        let own = |names: &[&'a str], place: usize| -> Vec<&'a str> {
            let members = || self.family.members.iter();
            let used = |name: &&str| {
                members().any(|(_, leaves)| {
                    leaves[place] == *name && pick(leaves, &self.reading.selectors) == selectors
                })
            };
            names.iter().copied().filter(used).collect()
        };
        let rows = self.reading.row.map_or_else(|| vec![""], |row| own(&self.rows, row));
        (own(&self.columns, self.reading.column), rows)
    }

    /// How a place is spelt in full and without what selects the board, and its number.
    pub(crate) fn addresses(&self, selectors: &[&str]) -> Vec<(String, String, usize)> {
        let mut short: Vec<usize> =
            [Some(self.reading.column), self.reading.row].into_iter().flatten().collect();
        short.sort_unstable();
        let mut whole = short.clone();
        whole.extend(&self.reading.selectors);
        whole.sort_unstable();
        let place = self.places(selectors);
        let members = self.family.members.iter();
        members
            .filter(|(_, leaves)| pick(leaves, &self.reading.selectors) == selectors)
            .map(|(_, leaves)| {
                (pick(leaves, &whole).join(" "), pick(leaves, &short).join(" "), place(leaves))
            })
            .collect()
    }

    /// The number of the place at which a member of a board lies.
    fn places(&self, selectors: &[&str]) -> impl Fn(&[&'a str]) -> usize {
        let index = |names: &[&'a str]| -> FxHashMap<&'a str, usize> {
            names.iter().enumerate().map(|(at, &name)| (name, at)).collect()
        };
        let (columns, rows) = self.extent(selectors);
        let (columns, rows) = (index(&columns), index(&rows));
        let (column, row) = (self.reading.column, self.reading.row);
        move |leaves: &[&'a str]| {
            row.map_or(0, |row| rows[leaves[row]]) * columns.len() + columns[leaves[column]]
        }
    }

    /// Puts the family's fluents on their places.
    pub(crate) fn lie(
        &self,
        board: &mut Board,
        selectors: &[&str],
        by_name: bool,
        labels: &mut Vec<String>,
    ) {
        let place_of = self.places(selectors);
        for (fluent, leaves) in &self.family.members {
            if pick(leaves, &self.reading.selectors) != selectors {
                continue;
            }
            let place = place_of(leaves);
            let content = pick(leaves, &self.reading.content).join(" ");
            let text = match (content.is_empty(), by_name) {
                (true, _) => self.family.function.to_string(),
                (false, true) => format!("{} {content}", self.family.function),
                (false, false) => content,
            };
            let occupant = Occupant { fluent: *fluent, label: number_of(text, labels) };
            board.places[place].get_or_insert_default().push(occupant);
            let (column, row) = (place % board.columns.len(), place / board.columns.len());
            let title = [&board.name, &board.columns[column], &board.rows[row]];
            let title: Vec<&str> = title.into_iter().map(String::as_str).collect();
            board.titles[place] = title.join(" ").trim_end().to_string();
        }
    }
}

fn number_of(text: String, labels: &mut Vec<String>) -> usize {
    labels.iter().position(|label| *label == text).unwrap_or_else(|| {
        labels.push(text);
        labels.len() - 1
    })
}
