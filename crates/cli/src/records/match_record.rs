//! A match as it is written down: JSON lines, each flushed as soon as it is known. The first says
//! who plays what, each further one is a step, the last is the end. A file without an end is a match
//! that was broken off.
//!
//! Each line ends with `"sum"`, a digest of all that was written before it and of the line itself, so that a
//! damaged record is not taken for another match.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use gambol::net::MoveId;
use gambol::play::{Fault, FaultKind, LocalMatch, Opinion, Prepared, Step};
use gambol::sim::{Evaluator, State};
use gambol::syntax::Rules;
use gambol::syntax::print::to_prefix;
use serde::Serialize;
use serde_json::{Value, json};

use crate::digest::{EMPTY, digest, digest_after};
use crate::files::Growing;

/// Where matches are written to.
pub(crate) struct Writing<W = Growing> {
    to: W,
    /// The digest of the lines so far.
    sum: u64,
}

/// The form of a record; the number changes with the form.
pub(crate) const FORMAT: &str = "gambol-match 1";
const SUM: &str = ",\"sum\":\"";
const SUM_LENGTH: usize = SUM.len() + 16 + 2;

/// A line without its sum, and the sum; none if it has none.
pub(crate) fn split_sum(line: &str) -> Option<(&str, u64)> {
    let line = line.trim_end();
    let (text, sum) = line.split_at_checked(line.len().checked_sub(SUM_LENGTH)?)?;
    let sum = sum.strip_prefix(SUM)?.strip_suffix("\"}")?;
    Some((text, u64::from_str_radix(sum, 16).ok()?))
}

/// A fault as it is shown and written down.
#[derive(Serialize)]
pub(crate) struct FaultLine<'a> {
    pub(crate) step: usize,
    pub(crate) role: &'a str,
    pub(crate) fault: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<&'a str>,
}

pub(crate) fn fault_line(fault: &Fault) -> FaultLine<'_> {
    let (kind, answer) = match &fault.kind {
        FaultKind::Late => ("late", None),
        FaultKind::Absent => ("absent", None),
        FaultKind::Illegal(answer) => ("illegal", Some(answer.as_str())),
    };
    FaultLine { step: fault.step, role: &fault.role, fault: kind, answer }
}

/// What a side expected when it made its move, as it is written down.
#[derive(Serialize)]
struct OpinionLine {
    goal: f64,
    certain: bool,
    playouts: u64,
}

/// Nothing for a side that had no opinion.
fn opinion_line(opinion: &Opinion) -> Option<OpinionLine> {
    let (goal, certain) = opinion.reason.expectation()?;
    Some(OpinionLine { goal: (goal * 100.0).round() / 100.0, certain, playouts: opinion.playouts })
}

impl Writing {
    /// Begins a file.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let file = Growing::create(path);
        Ok(Self::to(file.with_context(|| format!("cannot write {}", path.display()))?))
    }

    /// Goes on in a file whose last whole line ends at `length`, where the digest is `sum`.
    pub(crate) fn resume(path: &Path, length: u64, sum: u64) -> anyhow::Result<Self> {
        let file = Growing::after(path, length);
        let to = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { to, sum })
    }
}

impl<W: Write> Writing<W> {
    /// Begins anywhere.
    pub(crate) fn to(to: W) -> Self {
        Self { to, sum: EMPTY }
    }

    /// What was written to.
    pub(crate) fn into_inner(self) -> W {
        self.to
    }

    pub(crate) fn line(&mut self, value: &Value) -> anyhow::Result<()> {
        let line = serde_json::to_string(value)?;
        self.summed(line.strip_suffix('}').unwrap_or(&line))
    }

    /// A line without its last brace.
    fn summed(&mut self, text: &str) -> anyhow::Result<()> {
        self.sum = digest_after(self.sum, text.as_bytes());
        let line = format!("{text}{SUM}{:016x}\"}}\n", self.sum);
        // In one piece: a reader sees whole lines.
        self.to.write_all(line.as_bytes())?;
        self.to.flush()?;
        Ok(())
    }

    /// Lines that were written elsewhere, with sums that go on from here.
    pub(crate) fn append(&mut self, lines: &[u8]) -> anyhow::Result<()> {
        for line in std::str::from_utf8(lines)?.lines() {
            let (text, _) = split_sum(line).context("a line without its sum")?;
            self.summed(text)?;
        }
        Ok(())
    }

    /// Who plays what.
    pub(crate) fn head(&mut self, head: &Head) -> anyhow::Result<()> {
        self.line(&serde_json::to_value(head)?)
    }

    /// One step, with what went wrong in it and what the sides expected.
    pub(crate) fn step(
        &mut self,
        roles: &[String],
        step: &Step,
        faults: &[Fault],
        opinions: &[Opinion],
    ) -> anyhow::Result<()> {
        let legal: BTreeMap<&String, &Vec<String>> = roles.iter().zip(&step.legal).collect();
        let mut line = json!({ "state": step.state, "legal": legal, "joint": step.joint });
        if !faults.is_empty() {
            line["faults"] =
                serde_json::to_value(faults.iter().map(fault_line).collect::<Vec<_>>())?;
        }
        let opinions: Vec<Option<OpinionLine>> = opinions.iter().map(opinion_line).collect();
        if opinions.iter().any(Option::is_some) {
            line["opinions"] = serde_json::to_value(opinions)?;
        }
        self.line(&line)
    }

    /// How it ended.
    pub(crate) fn end(
        &mut self,
        roles: &[String],
        state: &[String],
        goals: &[Option<u32>],
        completed: bool,
    ) -> anyhow::Result<()> {
        let goals: BTreeMap<&String, &Option<u32>> = match completed {
            true => roles.iter().zip(goals).collect(),
            false => BTreeMap::new(),
        };
        let mut line = json!({
            "end": { "state": state, "terminal": completed, "goals": goals },
        });
        if !completed {
            line["called_off"] = true.into();
        }
        self.line(&line)
    }

    /// A match that was played in this process.
    pub(crate) fn local(
        &mut self,
        head: &Head,
        prepared: &Prepared,
        played: &LocalMatch,
    ) -> anyhow::Result<()> {
        self.head(head)?;
        let roles = &head.roles;
        let last = self.moves(prepared, roles, &played.moves, &played.opinions)?;
        let goals: Vec<Option<u32>> =
            played.goals.as_ref().map_or_else(Vec::new, |goals| goals.iter().copied().collect());
        self.end(roles, &last, &goals, played.goals.is_some())
    }

    /// The steps of these moves from the start of the game; the state they lead to.
    pub(crate) fn moves(
        &mut self,
        prepared: &Prepared,
        roles: &[String],
        moves: &[Vec<MoveId>],
        opinions: &[Vec<Opinion>],
    ) -> anyhow::Result<Vec<String>> {
        let mut evaluator = Evaluator::new(prepared.circuit());
        let mut state = prepared.circuit().initial();
        for (number, joint) in moves.iter().enumerate() {
            let mut legal = vec![Vec::new(); roles.len()];
            for action in evaluator.legal(&state) {
                let role = prepared.net().moves[action].role.number() as usize;
                legal[role].push(prepared.name(action).to_string());
            }
            legal.iter_mut().for_each(|moves| moves.sort_unstable());
            let names = joint.iter().map(|&action| prepared.name(action).to_string()).collect();
            let step = Step { state: texts(prepared, &state), legal, joint: names };
            let opinions = opinions.get(number).map_or(&[][..], Vec::as_slice);
            self.step(roles, &step, &[], opinions)?;
            state = evaluator.next(&state, joint);
        }
        Ok(texts(prepared, &state))
    }
}

/// What tells rules apart, however they are laid out.
pub(crate) fn fingerprint(rules: &Rules) -> String {
    format!("{:016x}", digest(to_prefix(rules).as_bytes()))
}

/// The names of the roles.
pub(crate) fn roles_of(prepared: &Prepared) -> Vec<String> {
    prepared.net().roles.iter().map(ToString::to_string).collect()
}

/// What is true, sorted.
fn texts(prepared: &Prepared, state: &State) -> Vec<String> {
    let fluents = prepared.circuit().fluents_of(state).into_iter();
    let mut texts: Vec<String> =
        fluents.map(|fluent| prepared.net().fluents[fluent].to_string()).collect();
    texts.sort_unstable();
    texts
}

/// The first line of a match.
#[derive(Serialize, serde::Deserialize, Clone, Debug, Default)]
pub(crate) struct Head {
    /// Its name.
    #[serde(rename = "match")]
    pub(crate) id: String,
    /// The form, [`FORMAT`]; records of earlier forms say nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<String>,
    /// The digest of the rules; records of earlier forms say nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rules: Option<String>,
    /// The game, as it was named on the command line.
    pub(crate) game: String,
    /// The roles, in the order of the rules.
    pub(crate) roles: Vec<String>,
    /// Who plays them.
    #[serde(default)]
    pub(crate) players: Vec<String>,
    /// Seconds until the first step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) start_clock: Option<u64>,
    /// Seconds for each move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) play_clock: Option<u64>,
    /// For the moves that the referee chooses.
    #[serde(default)]
    pub(crate) seed: u64,
    /// The round of the tournament that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) round: Option<u32>,
}

impl Head {
    pub(crate) fn new(game: &str, id: &str, roles: &[String]) -> Self {
        let (id, game, roles) = (id.to_string(), game.to_string(), roles.to_vec());
        Self { id, game, roles, format: Some(FORMAT.to_string()), ..Self::default() }
    }
}
