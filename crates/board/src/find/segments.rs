//! Lines that are given by their ends: `(line 1 2 1 3)`. Two pairs of coordinates, equal in one and next to each other
//! in the other: places between dots.

use gambol_net::FluentId;

use crate::boards::{Board, Boards, Edges, Lattice, Occupant};
use crate::find::family::Family;
use crate::find::order::{Known, Orders};

/// Grids of dots are at most so wide and high.
const LONGEST: usize = 20;

/// A family of lines.
pub(crate) struct Segments<'f, 'a> {
    family: &'f Family<'a>,
    columns: Vec<&'a str>,
    rows: Vec<&'a str>,
    /// For each member its place between the dots.
    at: Vec<(FluentId, usize, usize)>,
}

impl<'f, 'a> Segments<'f, 'a> {
    /// A family of four leaves that are lines, some upright and some flat.
    pub(crate) fn of(family: &'f Family<'a>, orders: &Orders<'a>) -> Option<Self> {
        if family.arity != 4 {
            return None;
        }
        let axis = |one: usize, other: usize| {
            let names = [family.domain(one), family.domain(other)].concat();
            let (names, known) = orders.sorted(names);
            (known == Known::Ordered && (2..=LONGEST).contains(&names.len())).then_some(names)
        };
        let (columns, rows) = (axis(0, 2)?, axis(1, 3)?);
        let index = |names: &[&str], name: &str| names.iter().position(|one| *one == name);
        let place = |(fluent, leaves): &(FluentId, Vec<&str>)| {
            let (x, y) = (index(&columns, leaves[0])?, index(&rows, leaves[1])?);
            let (x2, y2) = (index(&columns, leaves[2])?, index(&rows, leaves[3])?);
            (x.abs_diff(x2) + y.abs_diff(y2) == 1).then_some((*fluent, x + x2, y + y2))
        };
        let at: Vec<(FluentId, usize, usize)> =
            family.members.iter().map(place).collect::<Option<_>>()?;
        let upright = at.iter().any(|(_, _, row)| row % 2 == 1);
        let flat = at.iter().any(|(_, column, _)| column % 2 == 1);
        (upright && flat).then_some(Self { family, columns, rows, at })
    }
}

impl Boards {
    /// Adds a board of dots with lines between them; boxes may be put in later.
    pub(crate) fn add_segments(&mut self, lines: &Segments<'_, '_>) {
        let number = self.boards.len();
        let between = |dots: &[&str]| -> Vec<String> {
            let names = dots.iter().flat_map(|name| [name.to_string(), String::new()]);
            names.take(2 * dots.len() - 1).collect()
        };
        let (columns, rows) = (between(&lines.columns), between(&lines.rows));
        self.labels.push(lines.family.function.to_string());
        let label = self.labels.len() - 1;
        let mut places: Vec<Option<Vec<Occupant>>> = vec![None; columns.len() * rows.len()];
        let mut titles = vec![String::new(); places.len()];
        for ((fluent, column, row), (_, leaves)) in lines.at.iter().zip(&lines.family.members) {
            let place = row * columns.len() + column;
            places[place].get_or_insert_default().push(Occupant { fluent: *fluent, label });
            titles[place] = format!("{} {}", lines.family.function, leaves.join(" "));
            self.addresses.entry(leaves.join(" ")).or_insert((number, place));
            self.nearby.insert((number, leaves.join(" ")), place);
        }
        self.boards.push(Board {
            name: lines.family.function.to_string(),
            columns,
            rows,
            places,
            titles,
            usual: None,
            family: number,
            position: (0, 0),
            lattice: Lattice::Dots,
            plan: None,
            chequered: false,
            crowded: false,
            bare: true,
            edges: Edges::default(),
        });
    }
}
