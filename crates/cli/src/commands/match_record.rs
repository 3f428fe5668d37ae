//! A match as it is written down: JSON lines, each flushed as soon as it is known. The first says
//! who plays what, each further one is a step, the last is the end. A file without an end is a match
//! that was broken off.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use gambol::net::MoveId;
use gambol::play::{Fault, FaultKind, LocalMatch, Prepared, Step};
use gambol::sim::{Evaluator, State};
use serde::Serialize;
use serde_json::{Value, json};

/// A file that matches are written to.
pub(crate) struct Writing {
    file: BufWriter<File>,
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

impl Writing {
    /// Begins a file.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file: BufWriter::new(file) })
    }

    /// Goes on in a file whose last whole line ends at `length`.
    pub(crate) fn resume(path: &Path, length: u64) -> anyhow::Result<Self> {
        let file = OpenOptions::new().append(true).open(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        file.set_len(length)?;
        Ok(Self { file: BufWriter::new(file) })
    }

    fn line(&mut self, value: &Value) -> anyhow::Result<()> {
        serde_json::to_writer(&mut self.file, value)?;
        self.file.write_all(b"\n")?;
        self.file.flush()?;
        Ok(())
    }

    /// Who plays what.
    pub(crate) fn head(&mut self, head: &Head) -> anyhow::Result<()> {
        self.line(&serde_json::to_value(head)?)
    }

    /// One step, with what went wrong in it.
    pub(crate) fn step(
        &mut self,
        roles: &[String],
        step: &Step,
        faults: &[Fault],
    ) -> anyhow::Result<()> {
        let legal: BTreeMap<&String, &Vec<String>> = roles.iter().zip(&step.legal).collect();
        let mut line = json!({ "state": step.state, "legal": legal, "joint": step.joint });
        if !faults.is_empty() {
            line["faults"] =
                serde_json::to_value(faults.iter().map(fault_line).collect::<Vec<_>>())?;
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
        game: &str,
        id: &str,
        players: Vec<String>,
        prepared: &Prepared,
        played: &LocalMatch,
    ) -> anyhow::Result<()> {
        let roles = roles_of(prepared);
        let head = Head { players, ..Head::new(game, id, &roles) };
        self.head(&head)?;
        let last = self.moves(prepared, &roles, &played.moves)?;
        let goals: Vec<Option<u32>> =
            played.goals.as_ref().map_or_else(Vec::new, |goals| goals.iter().copied().collect());
        self.end(&roles, &last, &goals, played.goals.is_some())
    }

    /// The steps of these moves from the start of the game; the state they lead to.
    pub(crate) fn moves(
        &mut self,
        prepared: &Prepared,
        roles: &[String],
        moves: &[Vec<MoveId>],
    ) -> anyhow::Result<Vec<String>> {
        let mut evaluator = Evaluator::new(prepared.circuit());
        let mut state = prepared.circuit().initial();
        for joint in moves {
            let mut legal = vec![Vec::new(); roles.len()];
            for action in evaluator.legal(&state) {
                let role = prepared.net().moves[action].role.number() as usize;
                legal[role].push(prepared.name(action).to_string());
            }
            legal.iter_mut().for_each(|moves| moves.sort_unstable());
            let names = joint.iter().map(|&action| prepared.name(action).to_string()).collect();
            let step = Step { state: texts(prepared, &state), legal, joint: names };
            self.step(roles, &step, &[])?;
            state = evaluator.next(&state, joint);
        }
        Ok(texts(prepared, &state))
    }
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
}

impl Head {
    pub(crate) fn new(game: &str, id: &str, roles: &[String]) -> Self {
        let (id, game, roles) = (id.to_string(), game.to_string(), roles.to_vec());
        Self { id, game, roles, ..Self::default() }
    }
}
