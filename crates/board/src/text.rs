//! Boards in letters, for a terminal.

use std::collections::BTreeSet;

use gambol_net::{BaseMarking, Net};

use crate::boards::{Board, Boards};

/// What is on the boards in a state, and below them every other fluent that is true.
pub fn draw(net: &Net, boards: &Boards, state: &BaseMarking) -> String {
    let mut text = String::new();
    for board in &boards.boards {
        text += &draw_board(boards, board, state);
        text.push('\n');
    }
    for group in &boards.rest {
        let held = group.fluents.iter().filter(|&&fluent| state.holds(fluent));
        let names: Vec<&str> = held.map(|&fluent| &*net.fluents[fluent]).collect();
        if !names.is_empty() {
            text += &names.join(" ");
            text.push('\n');
        }
    }
    text
}

fn draw_board(boards: &Boards, board: &Board, state: &BaseMarking) -> String {
    let used = labels_of(board);
    let short = abbreviations(boards, board, &used);
    let on_place = |place: usize| -> String {
        let Some(occupants) = &board.places[place] else { return String::new() };
        let held = occupants.iter().filter(|one| state.holds(one.fluent));
        let texts: Vec<&str> = held.map(|one| &*short[one.label]).collect();
        if texts.is_empty() { "·".to_string() } else { texts.join("+") }
    };
    let width = board.columns.len();
    let places: Vec<String> = (0..board.places.len()).map(on_place).collect();
    let letters = places.iter().chain(&board.columns).map(|text| text.chars().count());
    let cell = letters.max().unwrap_or(1);
    let margin = board.rows.iter().map(|row| row.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}\n", board.name);
    for row in (0..board.rows.len()).rev() {
        text += &line(&board.rows[row], margin, &places[row * width..(row + 1) * width], cell);
    }
    text += &line("", margin, &board.columns, cell);
    text + &legend(boards, &used, &short)
}

fn line(name: &str, margin: usize, cells: &[String], width: usize) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:^width$}")).collect();
    let line = format!("{name:>margin$}  {}", cells.join(" "));
    format!("{}\n", line.trim_end())
}

fn labels_of(board: &Board) -> Vec<usize> {
    let occupants = board.places.iter().flatten().flatten();
    occupants.map(|one| one.label).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What stands for each label: nothing much for the usual, else as few letters as tell it apart.
fn abbreviations(boards: &Boards, board: &Board, used: &[usize]) -> Vec<String> {
    let mut short = vec![String::new(); boards.labels.len()];
    for &label in used {
        short[label] = if board.usual == Some(label) {
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
