//! Families of automata, written out for any size.

use std::fmt::Write;

/// A family of automata and the sizes of one member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Family {
    /// Connect `k` stones in a row on a board on which stones fall.
    Connect {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
        /// Stones in a row.
        row: usize,
    },
    /// The same without gravity: tic-tac-toe is 3 3 3.
    Place {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
        /// Stones in a row.
        row: usize,
    },
    /// Nim with these heaps; who cannot move loses.
    Nim {
        /// Objects in each heap.
        heaps: Vec<usize>,
    },
    /// Lights out: a press turns a light and its neighbours; all must go out.
    Lights {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The sliding puzzle: one cell is free, a neighbour may slide in.
    Slide {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
}

/// A family that does not exist, or a size it does not have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FamilyError {
    /// No such family.
    #[error("there is no family `{0}`; there are connect, place, nim, lights and slide")]
    Unknown(String),
    /// The wrong number of sizes.
    #[error("`{0}` takes {1}")]
    Count(&'static str, &'static str),
    /// A size out of bounds.
    #[error("sizes run from 1 to 26, and a board has at most 128 cells")]
    Size,
}

impl Family {
    /// The family of this name and these sizes.
    pub fn named(name: &str, sizes: &[usize]) -> Result<Self, FamilyError> {
        let bounded = sizes.iter().all(|size| (1..=26).contains(size));
        let board = |family: Family| match sizes {
            [width, height, ..] if !bounded || width * height > 128 => Err(FamilyError::Size),
            _ => Ok(family),
        };
        match (name, sizes) {
            ("connect", &[width, height, row]) => board(Family::Connect { width, height, row }),
            ("place", &[width, height, row]) => board(Family::Place { width, height, row }),
            ("connect", _) => Err(FamilyError::Count("connect", "width, height and row length")),
            ("place", _) => Err(FamilyError::Count("place", "width, height and row length")),
            ("nim", []) => Err(FamilyError::Count("nim", "one size per heap")),
            ("nim", _) if !bounded || sizes.len() > 128 => Err(FamilyError::Size),
            ("nim", heaps) => Ok(Family::Nim { heaps: heaps.to_vec() }),
            ("lights", &[width, height]) => board(Family::Lights { width, height }),
            ("slide", &[width, height]) => board(Family::Slide { width, height }),
            ("lights", _) => Err(FamilyError::Count("lights", "width and height")),
            ("slide", _) => Err(FamilyError::Count("slide", "width and height")),
            _ => Err(FamilyError::Unknown(name.to_string())),
        }
    }

    /// The automaton as text.
    pub fn text(&self) -> String {
        match self {
            Family::Connect { width, height, row } => board_game(*width, *height, *row, true),
            Family::Place { width, height, row } => board_game(*width, *height, *row, false),
            Family::Nim { heaps } => nim(heaps),
            Family::Lights { width, height } => lights(*width, *height),
            Family::Slide { width, height } => slide(*width, *height),
        }
    }
}

type Cell = (usize, usize);

/// `a1` is the lowest cell of the first column.
fn cell((column, row): Cell) -> String {
    format!("{}{}", char::from(b'a' + column as u8), row + 1)
}

fn cells(width: usize, height: usize) -> impl Iterator<Item = Cell> {
    (0..width).flat_map(move |column| (0..height).map(move |row| (column, row)))
}

/// All lines of `length` cells.
fn lines(width: usize, height: usize, length: usize) -> Vec<Vec<Cell>> {
    let mut lines = Vec::new();
    for (column, row) in cells(width, height) {
        for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            let step = |step: usize| {
                let column = column.checked_add_signed(right * step as isize)?;
                let row = row.checked_add_signed(up * step as isize)?;
                (column < width && row < height).then_some((column, row))
            };
            let line: Option<Vec<Cell>> = (0..length).map(step).collect();
            // A line of one cell is the same in every direction.
            lines.extend(line.filter(|_| length > 1 || (right, up) == (1, 0)));
        }
    }
    lines
}

// Writing to a string cannot fail, which is why the results are dropped in what follows.

fn board_game(width: usize, height: usize, length: usize, gravity: bool) -> String {
    let kind = if gravity { "connect" } else { "place" };
    let mut text = format!("autre 1\nname {kind}-{width}x{height}-{length}\nplayers X O\n");
    for place in cells(width, height) {
        let _ = writeln!(text, "var {} empty x o", cell(place));
    }
    text += "outcome X-wins X=1 O=-1\noutcome draw X=0 O=0\noutcome O-wins X=-1 O=1\n";
    text += "node X-moves X\nnode O-moves O\ngoal won-by-X X-wins\ngoal drawn draw\ngoal won-by-O O-wins\n";
    text += "start X-moves";
    cells(width, height).for_each(|place| {
        let _ = write!(text, " {}=empty", cell(place));
    });
    text.push('\n');
    if gravity {
        for (column, row) in cells(width, height).filter(|place| place.1 > 0) {
            let (above, below) = (cell((column, row)), cell((column, row - 1)));
            let _ = writeln!(text, "never {above}!=empty {below}=empty");
        }
    }
    for (mover, stone, other) in [("X", "x", "O"), ("O", "o", "X")] {
        let _ = writeln!(text, "from {mover}-moves");
        write_lines(&mut text, &lines(width, height, length));
        text += "  else\n  move full to drawn when";
        let last = |place: &Cell| !gravity || place.1 + 1 == height;
        cells(width, height).filter(last).for_each(|place| {
            let _ = write!(text, " {}!=empty", cell(place));
        });
        text += "\n  else\n";
        for (column, row) in cells(width, height) {
            let place = cell((column, row));
            let _ = write!(
                text,
                "  move {place} to {other}-moves set {place}={stone} when {place}=empty"
            );
            if gravity && row > 0 {
                let _ = write!(text, " {}!=empty", cell((column, row - 1)));
            }
            text.push('\n');
        }
    }
    text
}

/// A player with a line has won, whoever is to move.
fn write_lines(text: &mut String, lines: &[Vec<Cell>]) {
    for (owner, stone) in [("X", "x"), ("O", "o")] {
        for line in lines {
            let _ = write!(text, "  move line to won-by-{owner} when");
            line.iter().for_each(|&place| {
                let _ = write!(text, " {}={stone}", cell(place));
            });
            text.push('\n');
        }
    }
}

fn nim(heaps: &[usize]) -> String {
    let sizes: Vec<String> = heaps.iter().map(ToString::to_string).collect();
    let mut text = format!("autre 1\nname nim-{}\nplayers A B\n", sizes.join("-"));
    for (heap, &size) in heaps.iter().enumerate() {
        let _ = write!(text, "var heap{}", heap + 1);
        (0..=size).for_each(|left| {
            let _ = write!(text, " {left}");
        });
        text.push('\n');
    }
    text += "outcome A-wins A=1 B=-1\noutcome B-wins A=-1 B=1\n";
    text +=
        "node A-moves A\nnode B-moves B\ngoal won-by-A A-wins\ngoal won-by-B B-wins\nstart A-moves";
    for (heap, size) in heaps.iter().enumerate() {
        let _ = write!(text, " heap{}={size}", heap + 1);
    }
    text.push('\n');
    for (mover, other) in [("A", "B"), ("B", "A")] {
        let _ = write!(text, "from {mover}-moves\n  move stop to won-by-{other} when");
        (1..=heaps.len()).for_each(|heap| {
            let _ = write!(text, " heap{heap}=0");
        });
        text += "\n  else\n";
        for (heap, &size) in heaps.iter().enumerate() {
            for (from, left) in (1..=size).flat_map(|from| (0..from).map(move |left| (from, left)))
            {
                let heap = heap + 1;
                let _ = writeln!(
                    text,
                    "  move take-{}-of-heap{heap} to {other}-moves set heap{heap}={left} when heap{heap}={from}",
                    from - left
                );
            }
        }
    }
    text
}

fn beside(width: usize, height: usize, (column, row): Cell) -> Vec<Cell> {
    let near = |other: &Cell| column.abs_diff(other.0) + row.abs_diff(other.1) == 1;
    cells(width, height).filter(near).collect()
}

/// One move per press and per state of the lights it turns, since a light that turns becomes what
/// it was not.
fn lights(width: usize, height: usize) -> String {
    let mut text = format!("autre 1\nname lights-out-{width}x{height}\nplayers P\n");
    for place in cells(width, height) {
        let _ = writeln!(text, "var {} off on", cell(place));
    }
    text += "outcome solved P=1\nnode board P\ngoal dark solved\nstart board";
    cells(width, height).for_each(|place| {
        let _ = write!(text, " {}=on", cell(place));
    });
    text += "\nfrom board\n  move done to dark when";
    cells(width, height).for_each(|place| {
        let _ = write!(text, " {}=off", cell(place));
    });
    text += "\n  else\n";
    for pressed in cells(width, height) {
        let mut turned = beside(width, height, pressed);
        turned.push(pressed);
        turned.sort_unstable();
        for lit in 0..1_u32 << turned.len() {
            let state =
                |bit: usize| if lit >> bit & 1 == 1 { ("on", "off") } else { ("off", "on") };
            let _ = write!(text, "  move press-{} to board set", cell(pressed));
            turned.iter().enumerate().for_each(|(bit, &place)| {
                let _ = write!(text, " {}={}", cell(place), state(bit).1);
            });
            text += " when";
            turned.iter().enumerate().for_each(|(bit, &place)| {
                let _ = write!(text, " {}={}", cell(place), state(bit).0);
            });
            text.push('\n');
        }
    }
    text
}

fn slide(width: usize, height: usize) -> String {
    let count = width * height;
    let mut text = format!("autre 1\nname slide-{width}x{height}\nplayers P\n");
    // Row by row from the top, as the puzzle is usually drawn.
    let order: Vec<Cell> =
        (0..height).rev().flat_map(|row| (0..width).map(move |column| (column, row))).collect();
    let tile = |place: usize| {
        if place + 1 == count { "free".to_string() } else { (place + 1).to_string() }
    };
    for &place in &order {
        let _ = write!(text, "var {}", cell(place));
        (0..count).for_each(|value| {
            let _ = write!(text, " {}", tile(value));
        });
        text.push('\n');
    }
    text += "outcome solved P=1\nnode board P\ngoal ordered solved\nstart board";
    // The tiles in reverse, the free cell where it is.
    order.iter().enumerate().for_each(|(at, &place)| {
        let tile = if at + 1 == count { tile(at) } else { tile(count - 2 - at) };
        let _ = write!(text, " {}={tile}", cell(place));
    });
    text.push('\n');
    for (one, first) in order.iter().enumerate() {
        for second in &order[one + 1..] {
            for value in 0..count {
                let (first, second) = (cell(*first), cell(*second));
                let _ = writeln!(text, "never {first}={0} {second}={0}", tile(value));
            }
        }
    }
    text += "from board\n  move done to ordered when";
    order.iter().enumerate().for_each(|(at, &place)| {
        let _ = write!(text, " {}={}", cell(place), tile(at));
    });
    text += "\n  else\n";
    for &from in &order {
        for to in beside(width, height, from) {
            let (from, to) = (cell(from), cell(to));
            for value in 0..count - 1 {
                let tile = tile(value);
                let _ = writeln!(
                    text,
                    "  move {tile}-from-{from} to board set {from}=free {to}={tile} when {from}={tile} {to}=free"
                );
            }
        }
    }
    text
}
