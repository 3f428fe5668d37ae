//! The boards of a game and the fluents beside them.

use gambol_net::{BaseMarking, FluentId, Net};
use gambol_syntax::Rules;
use rustc_hash::FxHashMap;

use crate::coordinates::{Reading, coordinates};
use crate::family::{Family, families, pick};
use crate::order::Orders;
use crate::overlay::overlay;
use crate::sample::sample;

/// Something that can lie on a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occupant {
    /// It lies there while this is true.
    pub fluent: FluentId,
    /// What it is; an index of [`Boards::labels`].
    pub label: usize,
}

/// A grid of places, or a strip of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// What the rules call it.
    pub name: String,
    /// From left to right.
    pub columns: Vec<String>,
    /// From bottom to top; a strip has one row without a name.
    pub rows: Vec<String>,
    /// What can lie on each place, row by row from the bottom; `None` where there is no place.
    pub places: Vec<Option<Vec<Occupant>>>,
    /// What most places hold at the start.
    pub usual: Option<usize>,
    /// Boards of one family have the same number.
    pub family: usize,
    /// Where it lies among its family: column and row from the bottom.
    pub position: (usize, usize),
}

/// Fluents that lie on no board and differ in their arguments only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestGroup {
    /// The first word of their names.
    pub name: String,
    /// The fluents.
    pub fluents: Vec<FluentId>,
}

/// What a game looks like.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Boards {
    /// The boards, in the order of the rules.
    pub boards: Vec<Board>,
    /// What can lie on them.
    pub labels: Vec<String>,
    /// All other fluents.
    pub rest: Vec<RestGroup>,
}

/// A family with coordinates.
pub(crate) struct Laid<'f, 'a> {
    pub(crate) family: &'f Family<'a>,
    pub(crate) reading: Reading,
    pub(crate) columns: Vec<&'a str>,
    pub(crate) rows: Vec<&'a str>,
}

/// A coordinate, a row's worth of them, and the boards of one family.
type Selected<'a> = Vec<Vec<&'a str>>;

impl Boards {
    /// Finds the boards of a game.
    pub fn find(net: &Net, rules: &Rules) -> Self {
        let (orders, states, families) = (Orders::of(rules), sample(net), families(net));
        let mut laid = Vec::new();
        let mut boards = Self::default();
        for family in &families {
            match coordinates(family, &orders, &states) {
                Some(reading) => laid.push(Laid::of(family, reading, &orders)),
                None => boards.rest.push(RestGroup {
                    name: family.function.to_string(),
                    fluents: family.members.iter().map(|(fluent, _)| *fluent).collect(),
                }),
            }
        }
        for layers in overlay(net, laid) {
            boards.add(&layers, &orders, &states[0]);
        }
        boards
    }

    /// The board and place of each fluent that lies on one.
    pub fn places_of_fluents(&self) -> FxHashMap<FluentId, (usize, usize)> {
        let mut found = FxHashMap::default();
        for (number, board) in self.boards.iter().enumerate() {
            for (place, occupants) in board.places.iter().enumerate() {
                for occupant in occupants.iter().flatten() {
                    found.insert(occupant.fluent, (number, place));
                }
            }
        }
        found
    }

    /// Adds the boards of families that share their places.
    fn add<'a>(&mut self, layers: &[Laid<'_, 'a>], orders: &Orders<'a>, start: &BaseMarking) {
        let Some(base) = layers.first() else { return };
        let selected = base.boards(orders);
        let number = self.boards.len();
        let across = base.across(orders);
        for (place, selectors) in selected.iter().enumerate() {
            let mut board = base.empty_board(selectors, number);
            board.position = match across {
                Some((columns, rows)) => (place / rows % columns, place % rows),
                None => (place, 0),
            };
            for layer in layers {
                let by_name = layers.len() > 1;
                layer.lie(&mut board, selectors, by_name, &mut self.labels);
            }
            board.usual = usual(&board, start);
            self.boards.push(board);
        }
    }
}

impl<'f, 'a> Laid<'f, 'a> {
    fn of(family: &'f Family<'a>, reading: Reading, orders: &Orders<'a>) -> Self {
        let columns = orders.sorted(family.domain(reading.column)).0;
        let rows = reading.row.map(|row| orders.sorted(family.domain(row)).0);
        Self { family, reading, columns, rows: rows.unwrap_or_else(|| vec![""]) }
    }

    /// The leaves that select each board, in order.
    fn boards(&self, orders: &Orders<'a>) -> Selected<'a> {
        let selectors = &self.reading.selectors;
        let members = self.family.members.iter();
        let mut boards: Selected<'_> = members.map(|(_, leaves)| pick(leaves, selectors)).collect();
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
    fn across(&self, orders: &Orders<'a>) -> Option<(usize, usize)> {
        let [column, row] = self.reading.selectors.as_slice() else { return None };
        let size = |place| self.family.domain(place).len();
        let (columns, rows) = (size(*column), size(*row));
        (self.boards(orders).len() == columns * rows).then_some((columns, rows))
    }

    fn empty_board(&self, selectors: &[&str], family: usize) -> Board {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let mut name = vec![self.family.function];
        name.extend(selectors);
        Board {
            name: name.join(" "),
            columns: owned(&self.columns),
            rows: owned(&self.rows),
            places: vec![None; self.columns.len() * self.rows.len()],
            usual: None,
            family,
            position: (0, 0),
        }
    }

    /// Puts the family's fluents on their places.
    fn lie(&self, board: &mut Board, selectors: &[&str], by_name: bool, labels: &mut Vec<String>) {
        let index = |names: &[&'a str]| -> FxHashMap<&'a str, usize> {
            names.iter().enumerate().map(|(at, &name)| (name, at)).collect()
        };
        let (columns, rows) = (index(&self.columns), index(&self.rows));
        for (fluent, leaves) in &self.family.members {
            if pick(leaves, &self.reading.selectors) != selectors {
                continue;
            }
            let row = self.reading.row.map_or(0, |row| rows[leaves[row]]);
            let place = row * columns.len() + columns[leaves[self.reading.column]];
            let content = pick(leaves, &self.reading.content).join(" ");
            let text = match (content.is_empty(), by_name) {
                (true, _) => self.family.function.to_string(),
                (false, true) => format!("{} {content}", self.family.function),
                (false, false) => content,
            };
            let occupant = Occupant { fluent: *fluent, label: number_of(text, labels) };
            board.places[place].get_or_insert_default().push(occupant);
        }
    }
}

fn number_of(text: String, labels: &mut Vec<String>) -> usize {
    labels.iter().position(|label| *label == text).unwrap_or_else(|| {
        labels.push(text);
        labels.len() - 1
    })
}

/// What at least two in five places hold at the start, and more of them than hold anything else.
fn usual(board: &Board, start: &BaseMarking) -> Option<usize> {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for occupant in board.places.iter().flatten().flatten() {
        if start.holds(occupant.fluent) {
            *counts.entry(occupant.label).or_default() += 1;
        }
    }
    let mut counts: Vec<(usize, usize)> =
        counts.into_iter().map(|(label, count)| (count, label)).collect();
    counts.sort_unstable();
    let (most, label) = counts.pop()?;
    let places = board.places.iter().flatten().count();
    let alone = counts.last().is_none_or(|&(next, _)| next < most);
    (alone && 5 * most >= 2 * places && board.rows.len() > 1).then_some(label)
}
