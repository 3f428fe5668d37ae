//! Goal regression: a policy for the whole game, and the rule that covers a state.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use gambol::analysis::ShapeOptions;
use gambol::net::Net;
use gambol::regress::{
    Limits, Options, Policy, automaton_of_game, compare_with_circuit, find_policy, read_facts,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::job::{Job, Telling};
use crate::lock::lock;
use crate::refusal::Refusal;
use crate::structure::analysed;
use crate::workshop::{Opened, Workshop};

/// Random games played on both the circuit and the automaton made of it.
const COMPARED_GAMES: usize = 100;

/// The answer of the job.
#[derive(Serialize)]
pub(crate) struct Regressed {
    classes: usize,
    regressions: u64,
    variables: usize,
    complete: bool,
    value: Option<String>,
    method: &'static str,
    seconds: f64,
}

/// Regresses the goals, and keeps the policy.
pub(crate) fn regression(
    opened: &Opened,
    job: &Arc<Job>,
    time: Duration,
    memory_mib: u64,
) -> Result<Regressed, Refusal> {
    let net = opened.net()?;
    let circuit = opened.circuit()?;
    let share = 0.2 * time.as_secs_f64();
    let shape = analysed(opened, job, ShapeOptions::default().seconds(share))?;
    let limits = Limits { time: Some(time), memory_mib: Some(memory_mib), stop: Some(job.flag()) };
    let beyond = |error: &dyn std::fmt::Display| Refusal::Beyond(error.to_string());
    let made = automaton_of_game(&opened.title, net, &shape, &limits);
    let made = made.map_err(|error| beyond(&error))?;
    compare_with_circuit(&made, net, circuit, COMPARED_GAMES, 1).map_err(|error| beyond(&error))?;
    let options = Options { limits, ..Options::default() };
    let mut telling = Telling::of(job);
    let found = find_policy(&made.automaton, &options, &mut |progress| {
        telling.progress(|| {
            json!({
                "stage": "regressing", "seconds": job.seconds(), "share": progress.share,
                "nodes": progress.classes, "mib": progress.bytes as f64 / 1048576.0
            })
        });
    });
    let found = found.map_err(|error| beyond(&error))?;
    let policy = Arc::new(found.policy);
    let value = policy.start_value().map(|value| outcome(&policy, value));
    let regressed = Regressed {
        classes: policy.store.len(),
        regressions: found.regressions,
        variables: policy.automaton.variables.len(),
        complete: policy.complete,
        value,
        method: policy.method.word(),
        seconds: job.seconds(),
    };
    *lock(&opened.policy) = Some(policy);
    Ok(regressed)
}

fn outcome(policy: &Policy, value: gambol::regress::Value) -> String {
    policy.automaton.outcomes[value.outcome].name.to_string()
}

/// Which state.
#[derive(Deserialize)]
pub(crate) struct Asked {
    state: Option<Vec<u32>>,
}

/// What the policy says about a state.
#[derive(Serialize)]
pub(crate) struct Ruled {
    outcome: String,
    best: Option<String>,
    rule: Option<String>,
}

/// `POST /api/games/{id}/rule`
pub(crate) async fn rule(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Json(asked): Json<Asked>,
) -> Result<Json<Option<Ruled>>, Refusal> {
    let opened = workshop.game(id)?;
    let Some(policy) = lock(&opened.policy).clone() else { return Ok(Json(None)) };
    let net = opened.net()?;
    let state = opened.state(asked.state.as_deref())?;
    Ok(Json(ruled(net, &policy, &state)))
}

/// Variables made of fluents are named `"(cell 1 1 ?)"`: their values are put where they belong.
fn in_terms(rule: &str) -> String {
    let mut text = String::new();
    let mut rest = rule;
    while let Some((before, quoted)) = rest.split_once('"') {
        text += before;
        let Some((name, after)) = quoted.split_once('"') else { break };
        let value = after
            .strip_prefix('=')
            .map(|after| after.split_at(after.find([' ', ',', '|']).unwrap_or(after.len())));
        match value {
            Some((value, after)) if name.contains('?') && !after.starts_with('|') => {
                text += &name.replacen('?', value, 1);
                rest = after;
            }
            _ => {
                text += &format!("\"{name}\"");
                rest = after;
            }
        }
    }
    text + rest
}

fn ruled(net: &Net, policy: &Policy, state: &gambol::net::BaseMarking) -> Option<Ruled> {
    let names: Vec<String> =
        state.fluents().iter().map(|&fluent| net.fluents[fluent].to_string()).collect();
    let (node, cube) = read_facts(&policy.automaton, &names).ok()?;
    let answer = policy.query(node, &cube)?;
    Some(Ruled {
        outcome: outcome(policy, answer.value),
        best: answer.transition.map(|id| policy.automaton.transitions[id].name.to_string()),
        rule: answer.class.map(|class| in_terms(&policy.rule(class))),
    })
}

#[cfg(test)]
mod tests {
    use super::in_terms;

    #[test]
    fn a_rule_speaks_of_fluents() {
        let rule =
            "at (turn x) when \"(cell 1 1 ?)\"=empty \"(left ?)\"=3, nothing else: (put 1 1)";
        let said = "at (turn x) when (cell 1 1 empty) (left 3), nothing else: (put 1 1)";
        assert_eq!(in_terms(rule), said);
        assert_eq!(in_terms("when \"a ?\"=1|2 then"), "when \"a ?\"=1|2 then");
    }
}
