//! Recorded playouts: JSON lines, plain or packed by gzip.
//!
//! One line is one playout. Its first step, its last and each `detail_every`-th carry the complete
//! state and legal moves; the others carry the joint move alone.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// One recorded playout.
#[derive(Deserialize, Debug)]
pub(crate) struct Playout {
    /// The players, in the order of the rules.
    pub(crate) roles: Vec<String>,
    /// What happened.
    pub(crate) steps: Vec<Step>,
    /// How it ended.
    pub(crate) end: End,
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
#[derive(Deserialize, Debug)]
pub(crate) struct End {
    /// The fluents that were true, sorted.
    pub(crate) state: Option<Vec<String>>,
    /// Whether the game was over; absent or null: not recorded.
    pub(crate) terminal: Option<bool>,
    /// What each role had got; null where there was no value or several.
    #[serde(default)]
    pub(crate) goals: BTreeMap<String, Option<i64>>,
}

/// Reads all playouts of a file.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Playout>> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
    let mut lines = Vec::new();
    for (number, line) in unpacked(file, path).lines().enumerate() {
        let line = line.with_context(|| format!("cannot read {shown}"))?;
        if line.trim().is_empty() {
            continue;
        }
        let playout = serde_json::from_str(&line)
            .with_context(|| format!("{shown}, line {}: not a recorded playout", number + 1))?;
        lines.push(playout);
    }
    Ok(lines)
}

fn unpacked(file: File, path: &Path) -> BufReader<Box<dyn Read>> {
    let is_packed = path.extension().is_some_and(|ending| ending == "gz");
    let reader: Box<dyn Read> =
        if is_packed { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) };
    BufReader::new(reader)
}
