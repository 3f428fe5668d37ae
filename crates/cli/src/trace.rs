//! Recorded playouts: JSON lines, plain or packed by gzip.
//!
//! One line is one playout. Its first step, its last and each `detail_every`-th carry the complete
//! state and legal moves; the others carry the joint move alone.
//!
//! A match takes several lines, written as it is played: who plays what, the steps, the end. Without
//! an end it was broken off, and its last line may be torn.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use crate::commands::match_record::Head;

/// One recorded playout.
#[derive(Deserialize, Debug)]
pub(crate) struct Playout {
    /// The players, in the order of the rules.
    pub(crate) roles: Vec<String>,
    /// What happened.
    pub(crate) steps: Vec<Step>,
    /// How it ended.
    pub(crate) end: End,
    /// Whether it is a match, written down by this program.
    #[serde(skip)]
    pub(crate) is_match: bool,
    /// Whether it is a match that was broken off.
    #[serde(skip)]
    pub(crate) broken_off: bool,
}

/// One step of a playout.
#[derive(Deserialize, Debug)]
pub(crate) struct Step {
    /// The fluents that were true, sorted.
    pub(crate) state: Option<Vec<String>>,
    /// The legal moves of each role, sorted.
    pub(crate) legal: Option<BTreeMap<String, Vec<String>>>,
    /// What the roles did, in their order. Absent where a role had no legal move.
    pub(crate) joint: Option<Vec<String>>,
}

/// The last state of a playout.
#[derive(Deserialize, Debug, Default)]
pub(crate) struct End {
    /// The fluents that were true, sorted.
    pub(crate) state: Option<Vec<String>>,
    /// Whether the game was over; absent or null: not recorded.
    pub(crate) terminal: Option<bool>,
    /// What each role had got; null where there was no value or several.
    #[serde(default)]
    pub(crate) goals: BTreeMap<String, Option<i64>>,
}

/// One line of a file.
#[derive(Deserialize, Debug)]
#[serde(untagged)]
enum Line {
    Playout(Playout),
    Head(Head),
    End { end: End },
    Step(Step),
}

/// Reads all playouts and matches of a file.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Playout>> {
    Ok(read_matches(path)?.into_iter().map(|(_, playout, _)| playout).collect())
}

/// The match at the end of a file, if it was broken off: who plays what, what was played, and where
/// in the file its last whole line ends.
pub(crate) fn broken_off(path: &Path) -> anyhow::Result<Option<(Head, Playout, u64)>> {
    let last = read_matches(path)?.pop();
    Ok(last.filter(|(_, playout, _)| playout.broken_off))
}

fn read_matches(path: &Path) -> anyhow::Result<Vec<(Head, Playout, u64)>> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let mut lines = unpacked(file, path);
    let (mut found, mut length): (Vec<(Head, Playout, u64)>, u64) = (Vec::new(), 0);
    for number in 1.. {
        let mut line = String::new();
        let read = lines.read_line(&mut line).with_context(|| format!("cannot read {shown}"))?;
        let is_last = !line.ends_with('\n');
        if read == 0 {
            break;
        }
        if line.trim().is_empty() {
            length += read as u64;
            continue;
        }
        let line = match serde_json::from_str(&line) {
            Ok(line) => line,
            // The writer was killed while it wrote.
            Err(_) if is_last && found.last().is_some_and(|(_, playout, _)| playout.broken_off) => {
                break;
            }
            Err(error) => {
                let message = format!("{shown}, line {number}: not a recorded playout");
                return Err(error).context(message);
            }
        };
        length += read as u64;
        take(line, &mut found, length)
            .with_context(|| format!("{shown}, line {number}: a step of no match"))?;
    }
    Ok(found)
}

/// Adds a line to what was read before.
fn take(line: Line, found: &mut Vec<(Head, Playout, u64)>, length: u64) -> Option<()> {
    match line {
        Line::Playout(playout) => found.push((Head::default(), playout, length)),
        Line::Head(head) => {
            let roles = head.roles.clone();
            let (steps, end) = (Vec::new(), End::default());
            let playout = Playout { roles, steps, end, is_match: true, broken_off: true };
            found.push((head, playout, length));
        }
        Line::Step(step) => {
            let (_, playout, end) = found.last_mut().filter(|(_, open, _)| open.broken_off)?;
            playout.steps.push(step);
            *end = length;
        }
        Line::End { end } => {
            let (_, playout, _) = found.last_mut().filter(|(_, open, _)| open.broken_off)?;
            playout.end = end;
            playout.broken_off = false;
        }
    }
    Some(())
}

fn unpacked(file: File, path: &Path) -> BufReader<Box<dyn Read>> {
    let is_packed = path.extension().is_some_and(|ending| ending == "gz");
    let reader: Box<dyn Read> =
        if is_packed { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) };
    BufReader::new(reader)
}
