//! Boards as a picture: every place a square, what lies there a tile of its own colour.
//!
//! The picture carries no style of its own beyond what its attributes say, so that it can stand in a
//! page that forbids such styles; [`BoardStyle::standalone`] adds one for use outside.

use std::fmt::{Result, Write};

use gambol_net::{BaseMarking, FluentId, PART_HUES, PartColours, escaped};
use rustc_hash::FxHashSet;

use crate::boards::{Board, Boards};

/// What a picture of the boards shows besides what is true.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoardStyle<'a> {
    /// Frames the places in the colours of the parts of the game.
    pub parts: Option<&'a PartColours>,
    /// Fluents that will keep the value they have: their places are shaded.
    pub latched: Option<&'a FxHashSet<FluentId>>,
    /// Fluents that were true in the state before: what is new is marked.
    pub before: Option<&'a BaseMarking>,
    /// Whether the picture is a document of its own.
    pub standalone: bool,
}

const SQUARE: f64 = 44.0;
const MARGIN: f64 = 30.0;
const HEADING: f64 = 24.0;
const GAP: f64 = 26.0;
/// Boards lie side by side up to this width.
const PAGE: f64 = 900.0;
/// A tile holds so many letters.
const LETTERS: usize = 7;

const STYLE: &str = "\
svg { font: 13px system-ui, \"DejaVu Sans\", sans-serif; fill: #1f2933; background: #fff; }
.place { fill: #f4f6f8; stroke: #b8c2cd; }
.latched { fill: #dfe4ea; }
.tile text { fill: #fff; font-weight: 600; }
.usual { fill: #b8c2cd; }
.axis { fill: #5f6b7a; font-size: 11px; }
.fresh rect { stroke: #1f2933; stroke-width: 2.5; }
@media (prefers-color-scheme: dark) {
  svg { fill: #e4e9ef; background: #14181d; }
  .place { fill: #1d242c; stroke: #46525f; }
  .latched { fill: #2e3843; }
  .fresh rect { stroke: #e4e9ef; }
}
";

/// The hue of what lies on a place: the golden angle keeps neighbours apart.
fn hue(label: usize) -> usize {
    (label * 137 + 212) % 360
}

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

/// Where each board lies, and how large the page is.
struct Page {
    corners: Vec<(f64, f64)>,
    width: f64,
    height: f64,
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
            self.board(number, *corner, out)?;
        }
        writeln!(out, "</svg>")
    }

    fn board(&self, number: usize, (x, y): (f64, f64), out: &mut String) -> Result {
        let board = &self.boards.boards[number];
        let (columns, rows) = (board.columns.len(), board.rows.len());
        writeln!(
            out,
            "<g><text class=\"name\" x=\"{x:.0}\" y=\"{:.0}\">{}</text>",
            y + 15.0,
            escaped(&board.name)
        )?;
        let (left, top) = (x + MARGIN, y + HEADING);
        for place in 0..board.places.len() {
            let (column, row) = (place % columns, place / columns);
            let at = (left + column as f64 * SQUARE, top + (rows - 1 - row) as f64 * SQUARE);
            self.place(number, place, at, out)?;
        }
        for (row, name) in board.rows.iter().enumerate() {
            let y = top + (rows - row) as f64 * SQUARE - SQUARE / 2.0 + 4.0;
            axis(left - 6.0, y, "end", name, out)?;
        }
        for (column, name) in board.columns.iter().enumerate() {
            let x = left + (column as f64 + 0.5) * SQUARE;
            axis(x, top + rows as f64 * SQUARE + 14.0, "middle", name, out)?;
        }
        writeln!(out, "</g>")
    }

    fn place(&self, number: usize, place: usize, (x, y): (f64, f64), out: &mut String) -> Result {
        let board = &self.boards.boards[number];
        let Some(occupants) = &board.places[place] else { return Ok(()) };
        let held: Vec<_> = occupants.iter().filter(|one| self.state.holds(one.fluent)).collect();
        let latched = self.style.latched.is_some_and(|latched| {
            !held.is_empty() && held.iter().all(|one| latched.contains(&one.fluent))
        });
        let fresh = self.style.before.is_some_and(|before| {
            occupants.iter().any(|one| before.holds(one.fluent) != self.state.holds(one.fluent))
        });
        let part = self.style.parts.and_then(|parts| parts.fluents[occupants[0].fluent]);
        let (column, row) = (place % board.columns.len(), place / board.columns.len());
        let words: Vec<&str> = held.iter().map(|one| &*self.boards.labels[one.label]).collect();
        let mut where_it_is =
            format!("{} {} {}", board.name, board.columns[column], board.rows[row]);
        where_it_is.truncate(where_it_is.trim_end().len());
        let told = format!(
            "{where_it_is}: {}",
            if words.is_empty() { "nothing".to_string() } else { words.join(", ") }
        );
        writeln!(
            out,
            "<g class=\"square{}\" data-place=\"{number}-{place}\" tabindex=\"-1\" role=\"img\" aria-label=\"{told}\"><title>{told}</title>",
            if fresh { " fresh" } else { "" },
            told = escaped(&told)
        )?;
        let frame = part.map_or(String::new(), |part| {
            format!(" stroke=\"{}\" stroke-width=\"2\"", PART_HUES[part as usize % PART_HUES.len()])
        });
        writeln!(
            out,
            "<rect class=\"place{}{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"4\"{frame}/>",
            if latched { " latched" } else { "" },
            if part.is_some() { " parted" } else { "" },
            x + 1.5,
            y + 1.5,
            SQUARE - 3.0,
            SQUARE - 3.0
        )?;
        let count = held.len();
        for (at, one) in held.iter().enumerate() {
            let height = (SQUARE - 12.0) / count as f64;
            self.tile(board, one.label, (x + 6.0, y + 6.0 + at as f64 * height), height, out)?;
        }
        writeln!(out, "</g>")
    }

    fn tile(
        &self,
        board: &Board,
        label: usize,
        (x, y): (f64, f64),
        height: f64,
        out: &mut String,
    ) -> Result {
        let (width, text) = (SQUARE - 12.0, &self.boards.labels[label]);
        let (middle, centre) = (x + width / 2.0, y + height / 2.0);
        if board.usual == Some(label) {
            return writeln!(
                out,
                "<circle class=\"usual\" cx=\"{middle:.1}\" cy=\"{centre:.1}\" r=\"2.5\"/>"
            );
        }
        let shown: String = text.chars().take(LETTERS).collect();
        let letters = shown.chars().count() as f64;
        let size = (width / (0.62 * letters)).min(height * 0.62).min(19.0);
        writeln!(
            out,
            "<g class=\"tile\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\" rx=\"7\" \
             fill=\"hsl({} 52% 42%)\"/><text x=\"{middle:.1}\" y=\"{:.1}\" font-size=\"{size:.1}\" \
             text-anchor=\"middle\">{}</text></g>",
            height - 1.0,
            hue(label),
            centre + size * 0.36,
            escaped(&shown)
        )
    }
}

fn axis(x: f64, y: f64, anchor: &str, name: &str, out: &mut String) -> Result {
    let shown: String = name.chars().take(LETTERS).collect();
    writeln!(
        out,
        "<text class=\"axis\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escaped(&shown)
    )
}

/// Families of boards keep their own arrangement; families follow one another as on a page.
fn lay_out(boards: &[Board]) -> Page {
    let mut page = Page { corners: Vec::new(), width: 0.0, height: 0.0 };
    let (mut x, mut y, mut line) = (0.0, 0.0, 0.0f64);
    for family in boards.chunk_by(|one, other| one.family == other.family) {
        let (width, height) = size(&family[0]);
        let columns = family.iter().map(|board| board.position.0 + 1).max().unwrap_or(1);
        let grid = family.iter().any(|board| board.position.1 > 0);
        // A row of many boards is broken.
        let columns = if grid { columns } else { columns.min((PAGE / width).max(1.0) as usize) };
        let place = |board: &Board| match grid {
            true => board.position,
            false => (board.position.0 % columns, board.position.0 / columns),
        };
        let rows = family.iter().map(|board| place(board).1 + 1).max().unwrap_or(1);
        let whole = (columns as f64 * width, rows as f64 * height);
        if x > 0.0 && x + whole.0 > PAGE {
            (x, y, line) = (0.0, y + line, 0.0);
        }
        for board in family {
            let (column, row) = place(board);
            let down = if grid { rows - 1 - row } else { row };
            page.corners.push((x + column as f64 * width, y + down as f64 * height));
        }
        (x, line) = (x + whole.0, line.max(whole.1));
        page.width = page.width.max(x);
        page.height = page.height.max(y + line);
    }
    page
}

fn size(board: &Board) -> (f64, f64) {
    let (columns, rows) = (board.columns.len() as f64, board.rows.len() as f64);
    (MARGIN + columns * SQUARE + GAP, HEADING + rows * SQUARE + GAP)
}
