//! A recorded playout against an engine.

use std::collections::BTreeSet;

use gambol::{Engine, EngineKind, MachineError, State};
use serde::Serialize;

use crate::records::trace::{Playout, Step};

/// Where an engine and a recording part.
#[derive(Serialize, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) engine: &'static str,
    pub(crate) playout: usize,
    pub(crate) step: usize,
    pub(crate) what: String,
    pub(crate) expected: serde_json::Value,
    pub(crate) found: serde_json::Value,
}

/// What came of replaying one playout.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    /// How many recorded steps were compared.
    pub(crate) steps: usize,
    /// Everything in which engine and recording differ.
    pub(crate) differences: Vec<Difference>,
}

/// Replays playout number `number` for as long as `goes_on` says so.
pub(crate) fn replay(
    kind: EngineKind,
    engine: &mut dyn Engine,
    number: usize,
    playout: &Playout,
    goes_on: &dyn Fn() -> bool,
) -> Replayed {
    let mut replay = Replay { kind, number, step: 0, differences: Vec::new(), goes_on };
    let result = replay.run(engine, playout);
    // What an engine says when it was stopped is no difference.
    if !goes_on() {
        return Replayed { steps: replay.step, differences: Vec::new() };
    }
    if let Err(error) = result {
        replay.differs("error", "an answer", error.to_string());
    }
    Replayed { steps: replay.step, differences: replay.differences }
}

/// One playout on one engine.
struct Replay<'a> {
    kind: EngineKind,
    number: usize,
    step: usize,
    differences: Vec<Difference>,
    goes_on: &'a dyn Fn() -> bool,
}

impl Replay<'_> {
    /// Follows the recorded moves. After a wrong state there is nothing left to compare.
    fn run(&mut self, engine: &mut dyn Engine, playout: &Playout) -> Result<(), MachineError> {
        if engine.roles() != playout.roles {
            self.differs("roles", &playout.roles, engine.roles());
            return Ok(());
        }
        let mut state = engine.initial()?;
        for (number, step) in playout.steps.iter().enumerate() {
            self.step = number;
            if !(self.goes_on)() {
                return Ok(());
            }
            if !self.same_list("state", step.state.as_deref(), &state) {
                return Ok(());
            }
            self.compare_step(engine, &state, step)?;
            let Some(joint) = &step.joint else { break };
            state = engine.next(&state, joint)?;
        }
        self.step = playout.steps.len();
        self.compare_end(engine, &state, playout)
    }

    fn compare_step(
        &mut self,
        engine: &mut dyn Engine,
        state: &State,
        step: &Step,
    ) -> Result<(), MachineError> {
        if engine.terminal(state)? {
            self.differs("terminal", false, true);
        }
        let Some(expected) = &step.legal else { return Ok(()) };
        let found = engine.legal(state)?;
        for (role, found) in engine.roles().iter().zip(&found) {
            let what = format!("legal moves of {role}");
            self.same_list(&what, expected.get(role).map(Vec::as_slice), found);
        }
        Ok(())
    }

    fn compare_end(
        &mut self,
        engine: &mut dyn Engine,
        state: &State,
        playout: &Playout,
    ) -> Result<(), MachineError> {
        let end = &playout.end;
        if !self.same_list("state", end.state.as_deref(), state) {
            return Ok(());
        }
        if let Some(expected) = end.terminal {
            let found = engine.terminal(state)?;
            if found != expected {
                self.differs("terminal", expected, found);
            }
        }
        if end.goals.is_empty() {
            return Ok(());
        }
        let found = engine.goals(state)?;
        for (role, found) in engine.roles().iter().zip(found) {
            let expected = end.goals.get(role).copied();
            if expected.is_some_and(|expected| expected != found.map(i64::from)) {
                self.differs(&format!("goal of {role}"), expected, found);
            }
        }
        Ok(())
    }

    /// Compares sorted lists; a difference names only the members that one side has.
    fn same_list(&mut self, what: &str, expected: Option<&[String]>, found: &[String]) -> bool {
        let Some(expected) = expected.filter(|&expected| expected != found) else { return true };
        let missing = without(expected, found);
        let surplus = without(found, expected);
        if missing.is_empty() && surplus.is_empty() {
            return true;
        }
        self.differs(what, missing, surplus);
        false
    }

    fn differs(&mut self, what: &str, expected: impl Serialize, found: impl Serialize) {
        self.differences.push(Difference {
            engine: self.kind.as_str(),
            playout: self.number,
            step: self.step,
            what: what.to_string(),
            expected: serde_json::json!(expected),
            found: serde_json::json!(found),
        });
    }
}

fn without<'a>(list: &'a [String], other: &[String]) -> Vec<&'a String> {
    let other: BTreeSet<&String> = other.iter().collect();
    list.iter().filter(|member| !other.contains(member)).collect()
}
