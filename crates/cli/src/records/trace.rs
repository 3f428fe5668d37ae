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

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::digest::{EMPTY, digest_after};
use crate::records::match_record::{Head, split_sum};
use crate::records::tournament_plan::Plan;

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
    /// What went wrong in it.
    #[serde(default)]
    pub(crate) faults: Vec<RecordedFault>,
}

/// A player's fault.
#[derive(Deserialize, Debug)]
pub(crate) struct RecordedFault {
    /// Whose.
    pub(crate) role: String,
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
    Plan { tournament: Plan },
    Step(Step),
}

/// All that a file holds.
#[derive(Debug)]
pub(crate) struct Recording {
    /// The tournament whose matches it holds.
    pub(crate) plan: Option<Plan>,
    pub(crate) matches: Vec<(Head, Playout, Place)>,
    /// Where the first line, or the last match that came to its end, ends.
    pub(crate) whole: Place,
}

/// Reads all playouts and matches of a file.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Playout>> {
    Ok(recording(path)?.matches.into_iter().map(|(_, playout, _)| playout).collect())
}

/// Where the last whole line of a match ends, and the digest up to there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) length: u64,
    pub(crate) sum: u64,
}

/// The match at the end of a file, if it was broken off: who plays what, what was played, and where
/// in the file it ends.
pub(crate) fn broken_off(path: &Path) -> anyhow::Result<Option<(Head, Playout, Place)>> {
    let last = recording(path)?.matches.pop();
    Ok(last.filter(|(_, playout, _)| playout.broken_off))
}

/// Reads a whole file.
pub(crate) fn recording(path: &Path) -> anyhow::Result<Recording> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot open {shown}"))?;
    recorded(&mut unpacked(file, path), &shown.to_string())
}

/// The matches in some lines.
pub(crate) fn matches_of(lines: &[u8]) -> anyhow::Result<Vec<(Head, Playout, Place)>> {
    Ok(recorded(&mut BufReader::new(lines), "the record")?.matches)
}

fn recorded(lines: &mut dyn BufRead, shown: &str) -> anyhow::Result<Recording> {
    let (mut place, mut sums) = (Place { length: 0, sum: EMPTY }, None);
    let mut found = Recording { plan: None, matches: Vec::new(), whole: place };
    for number in 1.. {
        let mut line = String::new();
        let read = lines.read_line(&mut line).with_context(|| format!("cannot read {shown}"))?;
        let is_last = !line.ends_with('\n');
        if read == 0 {
            break;
        }
        if line.trim().is_empty() {
            place.length += read as u64;
            continue;
        }
        // The writer was killed while it wrote.
        let open = found.matches.last().is_some_and(|(_, playout, _)| playout.broken_off);
        let open = open || found.plan.is_some();
        let torn = is_last && open && split_sum(&line).is_none();
        let parsed = serde_json::from_str(&line);
        if torn && (parsed.is_err() || sums == Some(true)) {
            break;
        }
        if !is_whole(&line, &mut place.sum, &mut sums) {
            bail!("{shown}, line {number}: the record is damaged");
        }
        let parsed =
            parsed.with_context(|| format!("{shown}, line {number}: not a recorded playout"))?;
        place.length += read as u64;
        take(parsed, &mut found, place)
            .with_context(|| format!("{shown}, line {number}: a step of no match"))?;
    }
    Ok(found)
}

/// Whether the sum of a line is right. Where the first line has one all lines must; recordings of others have none.
fn is_whole(line: &str, sum: &mut u64, sums: &mut Option<bool>) -> bool {
    let Some((text, claimed)) = split_sum(line) else { return !*sums.get_or_insert(false) };
    *sum = digest_after(*sum, text.as_bytes());
    *sums.get_or_insert(true) && *sum == claimed
}

/// Adds a line to what was read before.
fn take(line: Line, recording: &mut Recording, place: Place) -> Option<()> {
    let found = &mut recording.matches;
    match line {
        Line::Plan { tournament } => {
            recording.plan = Some(tournament);
            recording.whole = place;
        }
        Line::Playout(playout) => found.push((Head::default(), playout, place)),
        Line::Head(head) => {
            let roles = head.roles.clone();
            let (steps, end) = (Vec::new(), End::default());
            let playout = Playout { roles, steps, end, is_match: true, broken_off: true };
            found.push((head, playout, place));
        }
        Line::Step(step) => {
            let (_, playout, end) = found.last_mut().filter(|(_, open, _)| open.broken_off)?;
            playout.steps.push(step);
            *end = place;
        }
        Line::End { end } => {
            let (_, playout, _) = found.last_mut().filter(|(_, open, _)| open.broken_off)?;
            playout.end = end;
            playout.broken_off = false;
            recording.whole = place;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::match_record::Writing;

    const RECORD: &str = r#"{"match":"m","game":"g","roles":["a","b"],"players":["random","random"],"seed":1}
{"state":["p"],"legal":{"a":["x"],"b":["y"]},"joint":["x","y"]}
{"end":{"state":["q"],"terminal":true,"goals":{"a":100,"b":null}}}
{"roles":["a"],"steps":[{"joint":["x"]}],"end":{"terminal":false}}
"#;

    #[test]
    fn damaged_recordings_are_refused_without_panic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recording");
        std::fs::write(&path, RECORD).unwrap();
        assert_eq!(read(&path).unwrap().len(), 2);
        let pieces =
            ["{", "}", "[", "null", "-1", "\n", "\"", "1e999", "\"sum\":\"0000000000000000\"}"];
        for case in 0..1000 {
            let (place, piece) = (case * 7919 % RECORD.len(), pieces[case % pieces.len()]);
            let mut damaged = RECORD.as_bytes().to_vec();
            match case % 3 {
                0 => damaged[place] ^= 1 << (case % 8),
                1 => drop(damaged.splice(place..place, piece.bytes())),
                _ => drop(damaged.splice(place..(place + 9).min(RECORD.len()), piece.bytes())),
            }
            std::fs::write(&path, damaged).unwrap();
            let _ = (read(&path), broken_off(&path).is_ok());
        }
    }

    /// Two matches of a tournament, each line with its sum.
    fn summed() -> Vec<u8> {
        let mut out = Writing::to(Vec::new());
        let plan = r#"{"tournament":{"format":"gambol-tournament 1","games":[],"players":["p","q"],"rounds":1,
            "ladder":false,"clock":1.0,"playouts":null,"start_clock":1,"play_clock":1,"seed":1,"most_steps":9}}"#;
        for line in [plan].into_iter().chain(RECORD.lines().take(3)).chain(RECORD.lines().take(3)) {
            out.line(&serde_json::from_str(line).unwrap()).unwrap();
        }
        out.into_inner()
    }

    /// What a record says, line by line; the end of a match that was broken off says nothing.
    fn said(recording: &Recording) -> Vec<String> {
        let mut lines = vec![format!("{:?}", recording.plan)];
        for (head, playout, _) in &recording.matches {
            lines.push(format!("{head:?}"));
            lines.extend(playout.steps.iter().map(|step| format!("{step:?}")));
            lines.extend((!playout.broken_off).then(|| format!("{:?}", playout.end)));
        }
        lines
    }

    /// `GAMBOL_CASES` says how many flips and truncations are tried.
    #[test]
    fn of_a_damaged_record_nothing_is_taken_but_whole_lines() {
        let file = summed();
        let taken = |bytes: &[u8]| recorded(&mut BufReader::new(bytes), "the record");
        let whole = said(&taken(&file).unwrap());
        assert_eq!(whole.len(), 7);
        let cases = std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse().ok());
        for case in 0..cases.unwrap_or(1000) {
            let (mut damaged, place) = (file.clone(), case * 7919 % file.len());
            match case % 4 {
                3 => damaged.truncate(place),
                _ => damaged[place] ^= 1 << (case % 8),
            }
            if let Ok(found) = taken(&damaged) {
                let found = said(&found);
                let begins_so = found[..] == ["None"] || whole.starts_with(&found);
                assert!(begins_so, "case {case}, byte {place}: {found:?}");
            }
        }
    }
}
