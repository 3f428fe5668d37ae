//! Boards in letters, for a terminal.

use std::collections::BTreeSet;

use gambol_net::{BaseMarking, Net};

use crate::boards::{Board, Boards, Lattice, Plan, is_dot};
use crate::words::Ink;

/// What is on the boards in a state, and below them every other fluent that is true.
pub fn draw(net: &Net, boards: &Boards, state: &BaseMarking) -> String {
    Text { net, boards, state, colour: false }.all()
}

/// The same with the colours of things, as a terminal understands them.
pub fn draw_in_colour(net: &Net, boards: &Boards, state: &BaseMarking) -> String {
    Text { net, boards, state, colour: true }.all()
}

struct Text<'a> {
    net: &'a Net,
    boards: &'a Boards,
    state: &'a BaseMarking,
    colour: bool,
}

/// Places of a plan that differ less in height, in hundredths of a step, stand on one line.
const SAME_LINE: u32 = 25;

/// What stands on a place: the letters, and their colour.
type Cell = (String, Option<Ink>);

impl Text<'_> {
    fn all(&self) -> String {
        let mut text = String::new();
        for number in 0..self.boards.boards.len() {
            text += &self.board(number);
            text.push('\n');
        }
        for group in &self.boards.rest {
            let held = group.fluents.iter().filter(|&&fluent| self.state.holds(fluent));
            let names: Vec<&str> = held.map(|&fluent| &*self.net.fluents[fluent]).collect();
            if !names.is_empty() {
                text += &names.join(" ");
                text.push('\n');
            }
        }
        text
    }

    fn board(&self, number: usize) -> String {
        let board = &self.boards.boards[number];
        let used = labels_of(board);
        let short = abbreviations(self.boards, number, &used);
        let width = board.columns.len();
        let places: Vec<Cell> =
            (0..board.places.len()).map(|place| self.cell(board, place, &short)).collect();
        let letters = places.iter().map(|(text, _)| text).chain(&board.columns);
        let cell = letters.map(|text| text.chars().count()).max().unwrap_or(1);
        if let Some(plan) = &board.plan {
            let drawn = self.plan(board, plan, &places, cell);
            return format!("{}\n{drawn}{}", board.name, legend(self.boards, &used, &short));
        }
        let margin = board.rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
        let mut text = format!("{}\n", board.name);
        for row in (0..board.rows.len()).rev() {
            text += &indent(board, row, cell);
            text +=
                &self.line(&board.rows[row], margin, &places[row * width..(row + 1) * width], cell);
        }
        let names: Vec<Cell> = board.columns.iter().map(|name| (name.clone(), None)).collect();
        text += &indent(board, 0, cell);
        text += &self.line("", margin, &names, cell);
        text + &legend(self.boards, &used, &short)
    }

    /// The places of a plan, each about where it lies; an empty one shows its name.
    fn plan(&self, board: &Board, plan: &Plan, places: &[Cell], cell: usize) -> String {
        let least = plan.places.iter().map(|place| place.0).min().unwrap_or(0);
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|&place| (-plan.places[place].1, plan.places[place].0));
        let mut text = String::new();
        // Places of nearly the same height share a line.
        let same = |one: &usize, other: &usize| {
            plan.places[*one].1.abs_diff(plan.places[*other].1) < SAME_LINE
        };
        for line in order.chunk_by(same) {
            let mut line = line.to_vec();
            line.sort_by_key(|&place| plan.places[place].0);
            let mut written = 0;
            for place in line {
                let across = usize::try_from(plan.places[place].0 - least).unwrap_or(0);
                let at = (across * (cell + 1) / 50).max(written);
                let (letters, ink) = &places[place];
                let (letters, ink) = match letters.as_str() {
                    "·" => (&board.columns[place], None),
                    _ => (letters, *ink),
                };
                text += &" ".repeat(at - written);
                text += &self.painted(&format!("{letters:^cell$} "), ink);
                written = at + cell + 1;
            }
            text = format!("{}\n", text.trim_end());
        }
        text
    }

    fn painted(&self, text: &str, ink: Option<Ink>) -> String {
        match ink.filter(|_| self.colour) {
            Some(ink) => format!("\x1b[1;{}m{text}\x1b[0m", code(ink)),
            None => text.to_string(),
        }
    }

    fn cell(&self, board: &Board, place: usize, short: &[String]) -> Cell {
        let Some(occupants) = &board.places[place] else {
            let dot = board.lattice == Lattice::Dots && is_dot(board, place);
            return (if dot { "+".to_string() } else { String::new() }, None);
        };
        let held = || occupants.iter().filter(|one| self.state.holds(one.fluent));
        let texts: Vec<&str> = held().map(|one| &*short[one.label]).collect();
        let ink = held().map(|one| self.boards.looks[one.label].ink).next();
        if texts.is_empty() { ("·".to_string(), None) } else { (texts.join("+"), ink) }
    }

    fn line(&self, name: &str, margin: usize, cells: &[Cell], width: usize) -> String {
        let cell = |(text, ink): &Cell| {
            self.painted(&format!("{text:^width$}"), ink.filter(|_| text != "."))
        };
        let cells: Vec<String> = cells.iter().map(cell).collect();
        let line = format!("{name:>margin$}  {}", cells.join(" "));
        format!("{}\n", line.trim_end())
    }
}

/// Rows of hexagons are shifted by half a place each.
fn indent(board: &Board, row: usize, cell: usize) -> String {
    let Lattice::Hexagons { rightwards } = board.lattice else { return String::new() };
    let pushes = if rightwards { row } else { board.rows.len() - 1 - row };
    " ".repeat(pushes * (cell + 1) / 2)
}

/// The nearest of the colours that every terminal has.
fn code(ink: Ink) -> u8 {
    match ink {
        Ink::White => 97,
        Ink::Black | Ink::Grey => 90,
        Ink::Red => 91,
        Ink::Yellow | Ink::Brown | Ink::Orange => 93,
        Ink::Blue => 94,
        Ink::Green => 92,
        Ink::Purple | Ink::Pink => 95,
        Ink::Cyan => 96,
    }
}

fn labels_of(board: &Board) -> Vec<usize> {
    let occupants = board.places.iter().flatten().flatten();
    occupants.map(|one| one.label).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What stands for each label: nothing much for the usual, else as few letters as tell it apart.
fn abbreviations(boards: &Boards, board: usize, used: &[usize]) -> Vec<String> {
    let mut short = vec![String::new(); boards.labels.len()];
    for &label in used {
        short[label] = if boards.is_nothing(board, label) {
            ".".to_string()
        } else {
            shortest_prefix(boards, used, label)
        };
    }
    short
}

fn shortest_prefix(boards: &Boards, used: &[usize], label: usize) -> String {
    let text = &boards.labels[label];
    let count = text.chars().count();
    let prefix = |length: usize| text.chars().take(length).collect::<String>();
    let unique = |length: &usize| {
        let start = prefix(*length);
        used.iter().all(|&other| other == label || !boards.labels[other].starts_with(&start))
    };
    prefix((1..=count).find(unique).unwrap_or(count))
}

/// What the letters stand for, where they are not the words themselves.
fn legend(boards: &Boards, used: &[usize], short: &[String]) -> String {
    let pairs: Vec<String> = used
        .iter()
        .filter(|&&label| short[label] != boards.labels[label])
        .map(|&label| format!("{} {}", short[label], boards.labels[label]))
        .collect();
    if pairs.is_empty() { String::new() } else { format!("({})\n", pairs.join(", ")) }
}
