//! The boards of a game and the fluents beside them.

use gambol_net::FluentId;
use rustc_hash::FxHashMap;

use crate::look::Look;
use crate::words::Ink;

/// Something that can lie on a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occupant {
    /// It lies there while this is true.
    pub fluent: FluentId,
    /// What it is; an index of [`Boards::labels`].
    pub label: usize,
}

/// How the places of a board touch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Lattice {
    /// Four neighbours each, or eight.
    #[default]
    Squares,
    /// Six: each row is half a place further to the right than the one below, or to the left.
    Hexagons {
        /// To the right.
        rightwards: bool,
    },
    /// Dots with lines between them and boxes between the lines: rows and columns of lines alternate with those of
    /// boxes.
    Dots,
}

/// Places that lie as a graph does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Where each place is, in hundredths of the distance between neighbours; up is positive.
    pub places: Vec<(i32, i32)>,
    /// Which places are joined, each pair once.
    pub lines: Vec<(usize, usize)>,
    /// Whether all lines go along a few axes.
    pub lattice: bool,
}

/// Whose edges a board has: the number of the role that connects them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Edges {
    /// Left and right.
    pub across: Option<usize>,
    /// Bottom and top.
    pub upwards: Option<usize>,
}

/// A grid of places, or a row of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// What the rules call it.
    pub name: String,
    /// From left to right.
    pub columns: Vec<String>,
    /// From bottom to top; a row of places has one without a name.
    pub rows: Vec<String>,
    /// What can lie on each place, row by row from the bottom; `None` where there is no place.
    pub places: Vec<Option<Vec<Occupant>>>,
    /// What each place is called.
    pub titles: Vec<String>,
    /// What most places hold at the start.
    pub usual: Option<usize>,
    /// Boards of one family have the same number.
    pub family: usize,
    /// Where it lies among its family: column and row from the bottom.
    pub position: (usize, usize),
    /// Which places are neighbours.
    pub lattice: Lattice,
    /// Where the places lie, if neither in a row nor in rows and columns.
    pub plan: Option<Plan>,
    /// Whether something moves askew on it.
    pub chequered: bool,
    /// Whether a place may hold several things, one above the other.
    pub crowded: bool,
    /// Whether a place holds one thing or nothing.
    pub bare: bool,
    /// Who has to connect which edges.
    pub edges: Edges,
}

impl Board {
    /// Whether its places lie side by side.
    pub fn is_row(&self) -> bool {
        self.rows.len() == 1 && self.plan.is_none()
    }
}

/// A place: the number of its board, and its own.
pub type Spot = (usize, usize);

/// Fluents that lie on no board and differ in their arguments only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestGroup {
    /// The first word of their names.
    pub name: String,
    /// The fluents.
    pub fluents: Vec<FluentId>,
    /// Whether they tell which role is to move.
    pub turn: bool,
}

/// What a game looks like.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Boards {
    /// The boards, in the order of the rules.
    pub boards: Vec<Board>,
    /// What can lie on them.
    pub labels: Vec<String>,
    /// What each of these looks like.
    pub looks: Vec<Look>,
    /// The colour of each role.
    pub role_inks: Vec<Ink>,
    /// All other fluents.
    pub rest: Vec<RestGroup>,
    /// The place with these coordinates.
    pub(crate) addresses: FxHashMap<String, Spot>,
    /// The place of a board with these coordinates, the board being known.
    pub(crate) nearby: FxHashMap<(usize, String), usize>,
}

impl Boards {
    /// The board and place of each fluent that lies on one.
    pub fn places_of_fluents(&self) -> FxHashMap<FluentId, Spot> {
        let occupants = self.occupants();
        occupants.map(|(spot, occupant)| (occupant.fluent, spot)).collect()
    }

    /// Everything that can lie somewhere.
    pub(crate) fn occupants(&self) -> impl Iterator<Item = (Spot, &Occupant)> {
        self.boards.iter().enumerate().flat_map(|(number, board)| {
            let places = board.places.iter().enumerate();
            places.flat_map(move |(place, occupants)| {
                occupants.iter().flatten().map(move |one| ((number, place), one))
            })
        })
    }

    /// The places that the leaves of a name spell out, in order: `1 2 1 3` are two of them.
    pub(crate) fn named(&self, leaves: &[&str]) -> Vec<Spot> {
        let mut found: Vec<Spot> = Vec::new();
        let mut at = 0;
        while at < leaves.len() {
            match self.address(&leaves[at..], found.last().map(|spot| spot.0)) {
                Some((spot, length)) => {
                    found.push(spot);
                    at += length;
                }
                None => at += 1,
            }
        }
        found
    }

    /// The place that the first leaves spell out, and how many of them do: as many as possible.
    fn address(&self, leaves: &[&str], board: Option<usize>) -> Option<(Spot, usize)> {
        (1..=leaves.len().min(5)).rev().find_map(|length| {
            let key = leaves[..length].join(" ");
            let near = || {
                let board = board?;
                self.nearby.get(&(board, key.clone())).map(|&place| (board, place))
            };
            self.addresses.get(&key).copied().or_else(near).map(|spot| (spot, length))
        })
    }
}

/// Whether a place between dots is a box, not a line.
pub(crate) fn is_box(board: &Board, place: usize) -> bool {
    place % board.columns.len() % 2 == 1 && place / board.columns.len() % 2 == 1
}

/// Whether a place is a dot, at which lines meet.
pub(crate) fn is_dot(board: &Board, place: usize) -> bool {
    let columns = board.columns.len();
    (place % columns).is_multiple_of(2) && (place / columns).is_multiple_of(2)
}
