//! One yes-or-no question for each value, beside all values at once.

use std::io::Write;
use std::time::Instant;

use gambol::regress::{
    Automaton, Options, Preferences, at_least, find_policy, regress_in_layers, regress_to_fixpoint,
    thresholds,
};
use serde::Serialize;

use super::{Arguments, Backend, limits, stop};
use crate::numbers::grouped;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// What one run took.
#[derive(Serialize)]
struct Row {
    /// The reward that was asked for; nothing if all values were wanted.
    at_least: Option<i64>,
    /// What the first agent gets, or 1 for yes.
    value: Option<i64>,
    /// Classes, or nodes of diagrams.
    size: usize,
    regressions: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct View {
    automaton: String,
    backend: &'static str,
    /// What the questions say together.
    value: Option<i64>,
    rows: Vec<Row>,
    seconds: f64,
}

/// The automaton of one question.
pub(super) fn asked(automaton: &Automaton, least: i64) -> anyhow::Result<Automaton> {
    questions(automaton)?;
    Ok(at_least(automaton, least))
}

fn questions(automaton: &Automaton) -> anyhow::Result<Vec<i64>> {
    let text = "yes or no is asked of one agent, or of two with opposed rewards; \
                leave out --thresholds and --at-least";
    thresholds(automaton).ok_or_else(|| Stop::Usage(text.to_string()).into())
}

pub(super) fn run(
    arguments: &Arguments,
    automaton: &Automaton,
    started: Instant,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let asked = questions(automaton)?;
    let mut rows = Vec::new();
    for &least in &asked {
        let question = at_least(automaton, least);
        rows.push(Row { at_least: Some(least), ..measured(arguments, &question, session)? });
    }
    let secured = rows.iter().find(|row| row.value == Some(1)).and_then(|row| row.at_least);
    let worst = automaton.outcomes.iter().filter_map(|one| one.rewards.iter().next()).min();
    let all = measured(arguments, automaton, session)?;
    let value = secured.or(worst.copied());
    if value != all.value {
        anyhow::bail!("the questions say {value:?}, all values at once {:?}", all.value);
    }
    rows.push(all);
    let backend = match arguments.backend {
        Backend::Classes => "classes",
        Backend::Diagram => "diagram",
    };
    let (automaton, seconds) = (automaton.name.to_string(), started.elapsed().as_secs_f64());
    View { automaton, backend, value, rows, seconds }.show(session)
}

fn measured(
    arguments: &Arguments,
    automaton: &Automaton,
    session: &Session,
) -> anyhow::Result<Row> {
    let started = Instant::now();
    let limits = limits(session);
    let preferences = Preferences::of(automaton, false);
    let acyclic = gambol::regress::Potential::of(automaton).is_acyclic();
    let start = (automaton.start_node, &automaton.start);
    let (value, size, regressions) = match arguments.backend {
        Backend::Classes => {
            let (threads, only_start) = (session.threads(), arguments.start_only);
            let options = Options {
                distances: false,
                published: false,
                only_start,
                threads,
                undivided: arguments.undivided,
                limits,
            };
            let found = find_policy(automaton, &options, &mut |_| ()).map_err(stop)?;
            if let Some(halt) = found.halt {
                return Err(Stop::Limit(halt.to_string()).into());
            }
            (found.policy.start_value(), found.policy.store.len(), found.regressions)
        }
        Backend::Diagram if acyclic && !arguments.all_states => {
            let found = regress_in_layers(automaton, &preferences, &limits, &mut |_| ());
            let found = found.map_err(stop)?;
            (found.value(start.0, start.1), found.nodes, found.regressions())
        }
        Backend::Diagram => {
            let found = regress_to_fixpoint(automaton, &preferences, &limits, &mut |_| ());
            let found = found.map_err(stop)?;
            (found.value(start.0, start.1), found.nodes, found.regressions())
        }
    };
    let reward = |value: gambol::regress::Value| {
        automaton.outcomes[value.outcome].rewards.iter().next().copied()
    };
    let (value, seconds) = (value.and_then(reward), started.elapsed().as_secs_f64());
    Ok(Row { at_least: None, value, size, regressions, seconds })
}

impl View {
    fn show(&self, session: &mut Session) -> anyhow::Result<Outcome> {
        if session.flags.json {
            session.json(self)?;
            return Ok(session.outcome(true));
        }
        let out = &mut session.out;
        let kind = if self.backend == "classes" { "classes" } else { "nodes" };
        writeln!(
            out,
            "{:14} {:>7} {kind:>12} {:>12} {:>9}",
            "question", "answer", "regressions", "seconds"
        )?;
        for row in &self.rows {
            let question =
                row.at_least.map_or("every value".into(), |least| format!("at least {least}"));
            let answer = match (row.at_least, row.value) {
                (_, None) => "?".to_string(),
                (Some(_), Some(value)) => if value == 1 { "yes" } else { "no" }.to_string(),
                (None, Some(value)) => value.to_string(),
            };
            let (size, regressions) = (grouped(row.size as u64), grouped(row.regressions));
            writeln!(
                out,
                "{question:14} {answer:>7} {size:>12} {regressions:>12} {:>9.2}",
                row.seconds
            )?;
        }
        Ok(session.outcome(true))
    }
}
