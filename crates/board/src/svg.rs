//! Boards as a picture: every place in its shape, what lies there drawn as what it is.
//!
//! The picture carries no style of its own beyond what its attributes say, so that it can stand in a
//! page that forbids such styles; [`BoardStyle::standalone`] adds one for use outside.

use std::fmt::{Result, Write};

use gambol_net::{BaseMarking, FluentId, PART_HUES, PartColours, escaped};
use rustc_hash::FxHashSet;

use crate::boards::{Board, Boards, Lattice, Occupant, Plan, Spot, is_box, is_dot};
use crate::glyph::glyph;
use crate::layout::{AXIS_LETTERS, HEXAGON, centre, lay_out, margin, place_size};
use crate::look::{Look, Shape};
use crate::words::Ink;

/// What a picture of the boards shows besides what is true.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoardStyle<'a> {
    /// Frames the places in the colours of the parts of the game.
    pub parts: Option<&'a PartColours>,
    /// Fluents that will keep the value they have: their places are shaded.
    pub latched: Option<&'a FxHashSet<FluentId>>,
    /// Fluents that were true in the state before: what is new is marked.
    pub before: Option<&'a BaseMarking>,
    /// Places that decided the game.
    pub decided: &'a [Spot],
    /// Fluents of which the one who looks does not know whether they are true.
    pub unknown: Option<&'a FxHashSet<FluentId>>,
    /// Whether the picture is a document of its own.
    pub standalone: bool,
}

const STYLE: &str = "\
svg { font: 13px system-ui, \"DejaVu Sans\", sans-serif; fill: #1f2933; background: #fff; }
.place { fill: #f4f6f8; stroke: #b8c2cd; }
.dark .place { fill: #d5dde6; }
.latched { fill: #dfe4ea; }
.fresh .place { fill: #fff3c4; }
.decided .place { fill: #bfe8cd; stroke: #1c7a45; stroke-width: 2.5; }
.word { font-weight: 600; }
.axis { fill: #5f6b7a; font-size: 11px; }
.reach { display: none; }
.dot { fill: #5f6b7a; }
.link { stroke: #b8c2cd; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  svg { fill: #e4e9ef; background: #14181d; }
  .place { fill: #1d242c; stroke: #46525f; }
  .dark .place { fill: #33404d; }
  .latched { fill: #2e3843; }
  .fresh .place { fill: #4d431d; }
  .decided .place { fill: #1f4d31; stroke: #62bf85; }
}
";

/// All boards in a state.
pub fn svg(boards: &Boards, state: &BaseMarking, style: &BoardStyle<'_>) -> String {
    let mut text = String::new();
    Picture { boards, state, style }.write(&mut text).expect("a string takes all text");
    text
}

struct Picture<'a> {
    boards: &'a Boards,
    state: &'a BaseMarking,
    style: &'a BoardStyle<'a>,
}

impl Picture<'_> {
    fn write(&self, out: &mut String) -> Result {
        let page = lay_out(&self.boards.boards);
        let (width, height) = (page.width, page.height);
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"boards\" viewBox=\"0 0 {width:.0} \
             {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"group\" \
             aria-label=\"the board\">"
        )?;
        if self.style.standalone {
            writeln!(out, "<style>\n{STYLE}</style>")?;
        }
        for (number, corner) in page.corners.iter().enumerate() {
            self.board(number, *corner, page.heading, out)?;
        }
        writeln!(out, "</svg>")
    }

    fn board(&self, number: usize, (x, y): (f64, f64), heading: f64, out: &mut String) -> Result {
        let board = &self.boards.boards[number];
        writeln!(out, "<g>")?;
        // The name of a board that stands alone tells nothing.
        if self.boards.boards.len() > 1 {
            let name = escaped(&board.name);
            writeln!(
                out,
                "<text class=\"name\" x=\"{:.0}\" y=\"{:.0}\">{name}</text>",
                x + margin(board),
                y + 15.0
            )?;
        }
        let corner = (x + margin(board), y + heading);
        if let Some(plan) = &board.plan {
            links(board, plan, corner, out)?;
        }
        for place in 0..board.places.len() {
            self.place((number, place), corner, out)?;
        }
        if board.lattice == Lattice::Dots {
            dots(board, corner, out)?;
        }
        if let Lattice::Hexagons { rightwards } = board.lattice {
            self.edges(board, rightwards, corner, out)?;
        }
        axes(board, corner, out)?;
        writeln!(out, "</g>")
    }

    /// The outline of a board of hexagons in the colours of those who have to connect its edges.
    fn edges(
        &self,
        board: &Board,
        rightwards: bool,
        (left, top): (f64, f64),
        out: &mut String,
    ) -> Result {
        for place in 0..board.places.len() {
            for (side, role) in outer_sides(board, rightwards, place) {
                let Some(ink) = role.and_then(|role| self.boards.role_inks.get(role)) else {
                    continue;
                };
                let (x, y) = centre(board, place);
                let [from, to] = [side, side + 1].map(|corner| {
                    let (across, down) = hexagon_corner(corner, HEXAGON);
                    format!("{:.1} {:.1}", left + x + across, top + y + down)
                });
                writeln!(
                    out,
                    "<path class=\"edge\" d=\"M{from} L{to}\" stroke=\"{}\" stroke-width=\"5\" \
                     stroke-linecap=\"round\" fill=\"none\" pointer-events=\"none\"/>",
                    ink.fill()
                )?;
            }
        }
        Ok(())
    }

    fn place(&self, spot: Spot, (left, top): (f64, f64), out: &mut String) -> Result {
        let (number, place) = spot;
        let board = &self.boards.boards[number];
        let Some(occupants) = &board.places[place] else { return Ok(()) };
        let held: Vec<&Occupant> =
            occupants.iter().filter(|one| self.state.holds(one.fluent)).collect();
        let (x, y) = centre(board, place);
        let told = escaped(&self.told(spot, &held)).to_string();
        writeln!(
            out,
            "<g class=\"square{}\" data-place=\"{number}-{place}\" transform=\"translate({:.1} {:.1})\" \
             tabindex=\"-1\" role=\"img\" aria-label=\"{told}\"><title>{told}</title>",
            self.classes(spot, occupants),
            left + x,
            top + y
        )?;
        self.ground(spot, occupants, &held, out)?;
        if board.lattice != Lattice::Dots || is_box(board, place) {
            write!(out, "<g class=\"things\">")?;
            self.things(number, occupants, &held, out)?;
            writeln!(out, "</g>")?;
        }
        // Where things are piled up there is room above them only.
        let above = if board.crowded { place_size(board, place).1 / 2.0 - 11.0 } else { 0.0 };
        // Where a lamp or a hole is drawn although it is dark or empty, a ring around it is easier to see.
        let drawn = held.is_empty() && self.boards.absent(number) != Shape::Nothing;
        let empty = !drawn && held.iter().all(|one| self.boards.is_nothing(number, one.label));
        let radius = if empty || board.crowded { 6.0 } else { 19.0 };
        writeln!(out, "<circle class=\"reach\" cy=\"{:.0}\" r=\"{radius:.0}\"/></g>", -above)
    }

    /// What a place is called and what lies there.
    fn told(&self, (number, place): Spot, held: &[&Occupant]) -> String {
        let words: Vec<&str> = held.iter().map(|one| &*self.boards.labels[one.label]).collect();
        let what = if words.is_empty() { "nothing".to_string() } else { words.join(", ") };
        format!("{}: {what}", self.boards.boards[number].titles[place])
    }

    fn classes(&self, spot: Spot, occupants: &[Occupant]) -> String {
        let board = &self.boards.boards[spot.0];
        let (column, row) = (spot.1 % board.columns.len(), spot.1 / board.columns.len());
        let fresh = self.style.before.is_some_and(|before| {
            occupants.iter().any(|one| before.holds(one.fluent) != self.state.holds(one.fluent))
        });
        let classes = [
            (board.chequered && (column + row) % 2 == 0, " dark"),
            (fresh, " fresh"),
            (self.style.decided.contains(&spot), " decided"),
        ];
        classes.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name).collect()
    }

    /// The place itself.
    fn ground(
        &self,
        spot: Spot,
        occupants: &[Occupant],
        held: &[&Occupant],
        out: &mut String,
    ) -> Result {
        let board = &self.boards.boards[spot.0];
        let latched = self.style.latched.is_some_and(|latched| {
            !held.is_empty() && held.iter().all(|one| latched.contains(&one.fluent))
        });
        let part = self.style.parts.and_then(|parts| parts.fluents[occupants[0].fluent]);
        let frame = part.map_or(String::new(), |part| {
            format!(" stroke=\"{}\" stroke-width=\"2\"", PART_HUES[part as usize % PART_HUES.len()])
        });
        let class = format!(
            "place{}{}",
            if latched { " latched" } else { "" },
            if part.is_some() { " parted" } else { "" }
        );
        let (width, height) = place_size(board, spot.1);
        match board.lattice {
            Lattice::Hexagons { .. } => {
                writeln!(out, "<path class=\"{class}\" d=\"{}\"{frame}/>", hexagon(HEXAGON - 1.0))
            }
            _ if board.plan.is_some() => {
                writeln!(out, "<circle class=\"{class}\" r=\"{:.0}\"{frame}/>", width / 2.0 - 2.0)
            }
            Lattice::Dots if !is_box(board, spot.1) => {
                self.line(held, (width, height), &frame, out)
            }
            _ => {
                let round = if board.chequered { 0.0 } else { 4.0 };
                let inset = if board.chequered { 0.25 } else { 1.5 };
                rectangle(&class, (width - 2.0 * inset, height - 2.0 * inset), round, &frame, out)
            }
        }
    }

    /// A line between two dots: drawn if it is true, faint otherwise.
    fn line(
        &self,
        held: &[&Occupant],
        (width, height): (f64, f64),
        frame: &str,
        out: &mut String,
    ) -> Result {
        let class = if held.is_empty() { "place line" } else { "place line drawn" };
        let thin = |side: f64, other: f64| if side < other { 6.0 } else { side };
        rectangle(class, (thin(width, height), thin(height, width)), 3.0, frame, out)
    }

    fn things(
        &self,
        number: usize,
        all: &[Occupant],
        held: &[&Occupant],
        out: &mut String,
    ) -> Result {
        let board = &self.boards.boards[number];
        let unknown = self
            .style
            .unknown
            .is_some_and(|unknown| all.iter().any(|one| unknown.contains(&one.fluent)));
        if held.is_empty() {
            let shape =
                if unknown { Shape::Token("?".to_string()) } else { self.boards.absent(number) };
            return glyph(&Look { shape, ink: Ink::Grey }, out);
        }
        if board.crowded {
            return self.pile(board, held, out);
        }
        // Walls and traces lie below; of the rest, several on one place shrink and stand side by side.
        let is_below = |one: &&&Occupant| {
            matches!(
                self.boards.looks[one.label].shape,
                Shape::Block | Shape::Mark | Shape::Nothing
            )
        };
        let (below, above): (Vec<&Occupant>, Vec<&Occupant>) =
            held.iter().partition(|one| is_below(one));
        for one in below
            .iter()
            .filter(|one| above.is_empty() || self.boards.looks[one.label].shape == Shape::Block)
        {
            glyph(&self.boards.looks[one.label], out)?;
        }
        let above = self.men_first(above);
        let count = above.len() as f64;
        for (at, one) in above.iter().enumerate() {
            let look = &self.boards.looks[one.label];
            if above.len() == 1 {
                glyph(look, out)?;
                continue;
            }
            let x = (at as f64 - (count - 1.0) / 2.0) * 40.0 / count;
            write!(out, "<g transform=\"translate({x:.1} 0) scale({:.2})\">", 1.1 / count)?;
            glyph(look, out)?;
            write!(out, "</g>")?;
        }
        Ok(())
    }

    /// Beside a man or a disc, words that end in a number only say something about it.
    fn men_first<'o>(&self, above: Vec<&'o Occupant>) -> Vec<&'o Occupant> {
        let is_remark = |one: &&Occupant| match &self.boards.looks[one.label].shape {
            Shape::Token(text) => text.ends_with(|letter: char| letter.is_ascii_digit()),
            _ => false,
        };
        let (remarks, men): (Vec<&Occupant>, Vec<&Occupant>) =
            above.into_iter().partition(is_remark);
        if men.is_empty() { remarks } else { men }
    }

    /// Things one above the other, the widest at the bottom; words side by side.
    fn pile(&self, board: &Board, held: &[&Occupant], out: &mut String) -> Result {
        let height = place_size(board, 0).1;
        let mut held = held.to_vec();
        held.sort_by_key(|one| std::cmp::Reverse(one.label));
        for (at, one) in held.iter().enumerate() {
            let look = &self.boards.looks[one.label];
            let (x, y, scale) = match look.shape {
                Shape::Slab(..) => (0.0, height / 2.0 - 13.0 - 14.0 * at as f64, 1.0),
                _ => {
                    let (column, row) = (at % 2, at / 2);
                    (column as f64 * 40.0 - 20.0, height / 2.0 - 20.0 - 27.0 * row as f64, 0.8)
                }
            };
            write!(out, "<g transform=\"translate({x:.1} {y:.1}) scale({scale})\">")?;
            glyph(look, out)?;
            write!(out, "</g>")?;
        }
        Ok(())
    }
}

fn rectangle(
    class: &str,
    (width, height): (f64, f64),
    round: f64,
    frame: &str,
    out: &mut String,
) -> Result {
    writeln!(
        out,
        "<rect class=\"{class}\" x=\"{:.2}\" y=\"{:.2}\" width=\"{width:.2}\" \
         height=\"{height:.2}\" rx=\"{round:.0}\"{frame}/>",
        -width / 2.0,
        -height / 2.0
    )
}

/// A hexagon that stands on one of its corners.
fn hexagon(radius: f64) -> String {
    let corners = (0..6).map(|number| {
        let (x, y) = hexagon_corner(number, radius);
        format!("{x:.1} {y:.1}")
    });
    format!("M{}Z", corners.collect::<Vec<_>>().join(" L"))
}

/// The corners of a hexagon clockwise from the top.
fn hexagon_corner(number: u32, radius: f64) -> (f64, f64) {
    let angle = (60.0 * f64::from(number) - 90.0).to_radians();
    (radius * angle.cos(), radius * angle.sin())
}

/// The sides of a hexagon behind which there is no other, by their first corners, and the role whose edge they are.
fn outer_sides(board: &Board, rightwards: bool, place: usize) -> Vec<(u32, Option<usize>)> {
    let (columns, rows) = (board.columns.len(), board.rows.len());
    let (column, row) = (place % columns, place / columns);
    // Behind the sides from the upper right one on, clockwise: steps in columns and rows.
    let steps: [(isize, isize); 6] = match rightwards {
        true => [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)],
        false => [(1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0), (0, 1)],
    };
    let outside = |(across, up): (isize, isize)| {
        let column = column.checked_add_signed(across).filter(|&column| column < columns);
        column.is_none() || row.checked_add_signed(up).is_none_or(|row| row >= rows)
    };
    let owner = |side: usize| match side {
        0 | 5 if row + 1 == rows => board.edges.upwards,
        2 | 3 if row == 0 => board.edges.upwards,
        _ => board.edges.across,
    };
    let sides = (0..6).filter(|&side| outside(steps[side]));
    sides.map(|side| (side as u32, owner(side))).collect()
}

/// The lines between the places of a plan.
fn links(board: &Board, plan: &Plan, (left, top): (f64, f64), out: &mut String) -> Result {
    for &(from, to) in &plan.lines {
        let ((x1, y1), (x2, y2)) = (centre(board, from), centre(board, to));
        writeln!(
            out,
            "<path class=\"link\" d=\"M{:.1} {:.1} L{:.1} {:.1}\"/>",
            left + x1,
            top + y1,
            left + x2,
            top + y2
        )?;
    }
    Ok(())
}

fn dots(board: &Board, (left, top): (f64, f64), out: &mut String) -> Result {
    for place in (0..board.places.len()).filter(|place| is_dot(board, *place)) {
        let (x, y) = centre(board, place);
        writeln!(
            out,
            "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"/>",
            left + x,
            top + y
        )?;
    }
    Ok(())
}

/// The names of rows and columns; the places of a plan have names of their own.
fn axes(board: &Board, (left, top): (f64, f64), out: &mut String) -> Result {
    if board.plan.is_some() {
        return Ok(());
    }
    let columns = board.columns.len();
    for (row, name) in board.rows.iter().enumerate() {
        let places = (0..columns).map(|column| row * columns + column);
        let there =
            |place: &usize| board.lattice == Lattice::Dots || board.places[*place].is_some();
        let first = places.into_iter().find(there);
        let (x, y) = centre(board, first.unwrap_or(row * columns));
        let edge = x - place_size(board, row * columns).0 / 2.0;
        axis(left + edge - 6.0, top + y + 4.0, "end", name, out)?;
    }
    for (column, name) in board.columns.iter().enumerate() {
        let (x, y) = centre(board, column);
        let below = if let Lattice::Hexagons { .. } = board.lattice {
            HEXAGON
        } else {
            place_size(board, column).1 / 2.0
        };
        axis(left + x, top + y + below + 13.0, "middle", name, out)?;
    }
    Ok(())
}

fn axis(x: f64, y: f64, anchor: &str, name: &str, out: &mut String) -> Result {
    if name.is_empty() {
        return Ok(());
    }
    let shown: String = name.chars().take(AXIS_LETTERS).collect();
    writeln!(
        out,
        "<text class=\"axis\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(&shown)
    )
}
