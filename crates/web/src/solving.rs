//! What the players get when all play best.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use gambol::net::Net;
use gambol::report::{line_in_words, value_in_words};
use gambol::solve::{
    Choice, Limits, Observer, Solution, SolveError, SolveOptions, Unfinished, solve_observed,
};
use serde::Serialize;
use serde_json::json;

use crate::job::{Job, Telling};
use crate::refusal::Refusal;
use crate::workshop::Opened;

/// The answer of the job.
#[derive(Serialize)]
pub(crate) struct Solved {
    values: Vec<RoleValue>,
    exact: bool,
    meaning: &'static str,
    method: &'static str,
    /// Best play, as numbers of joint moves and in words.
    line: Vec<Vec<u32>>,
    words: Vec<String>,
    nodes: u64,
    states: u64,
    seconds: f64,
    unfinished: Option<String>,
    notes: Vec<String>,
    basis: &'static str,
}

#[derive(Serialize)]
struct RoleValue {
    role: String,
    /// The value, or its bounds.
    text: String,
}

/// What the page asks for.
pub(crate) struct Wish {
    pub(crate) factored: bool,
    pub(crate) state: Option<Vec<u32>>,
    pub(crate) time: Duration,
    pub(crate) memory_mib: u64,
    pub(crate) memory_used: fn() -> f64,
}

/// Solves the game from a state.
pub(crate) fn solving(opened: &Opened, job: &Arc<Job>, wish: &Wish) -> Result<Solved, Refusal> {
    let net = opened.net()?;
    let circuit = opened.circuit()?;
    let mut options = SolveOptions::default();
    options.at = match &wish.state {
        Some(state) => Some(opened.state(Some(state))?.fluents()),
        None => None,
    };
    options.choice = if wish.factored { Choice::Factored } else { Choice::Auto };
    options.factoring = wish.factored;
    options.limits =
        Limits { time: Some(wish.time), memory_mib: wish.memory_mib / 2, stop: Some(job.flag()) };
    let mut watching = Watching { telling: Telling::of(job), job, used: wish.memory_used };
    watching.progress(0, "beginning");
    let solution = solve_observed(net, circuit, &options, None, &mut watching);
    let solution = solution.map_err(|error| match error {
        SolveError::Method { reason, .. } => {
            Refusal::Beyond(format!("{reason}: solve the whole game instead"))
        }
        SolveError::HiddenInformation(role) => Refusal::Beyond(format!(
            "{role} cannot always tell the state: a game with hidden information has no value of \
             this kind. Play and Match show it as each role sees it."
        )),
        other => Refusal::Beyond(other.to_string()),
    })?;
    let mut solved = solved(net, &solution, job.seconds());
    if solution.unfinished == Some(Unfinished::Time) && job.flag().load(Ordering::Relaxed) {
        solved.unfinished = Some("it was stopped".to_string());
    }
    Ok(solved)
}

/// Tells the page how far the search is.
struct Watching<'a> {
    telling: Telling<'a>,
    job: &'a Arc<Job>,
    used: fn() -> f64,
}

impl Observer for Watching<'_> {
    fn progress(&mut self, nodes: u64, stage: &str) {
        let (job, used) = (self.job, self.used);
        self.telling.progress(
            || json!({ "nodes": nodes, "stage": stage, "seconds": job.seconds(), "mib": used() }),
        );
    }
}

/// Values, method and cost, for a report.
pub(crate) fn in_one_line(net: &Net, solution: &Solution, seconds: f64) -> String {
    let solved = solved(net, solution, seconds);
    let values: Vec<String> =
        solved.values.iter().map(|one| format!("{}: {}", one.role, one.text)).collect();
    let basis = if solved.exact { "proved" } else { "bounds: time ended the search" };
    let Solved { method, nodes, .. } = solved;
    format!("{} ({basis}; by {method}, {nodes} nodes, {seconds:.2} s)", values.join(", "))
}

fn solved(net: &Net, solution: &Solution, seconds: f64) -> Solved {
    let values = net
        .roles
        .iter()
        .zip(&solution.values)
        .map(|(role, bounds)| RoleValue { role: role.to_string(), text: value_in_words(bounds) });
    let numbers =
        |joint: &Vec<gambol::ground::MoveId>| joint.iter().map(|action| action.number()).collect();
    Solved {
        values: values.collect(),
        exact: solution.is_exact(),
        meaning: solution.meaning.in_words(),
        method: solution.method.as_str(),
        line: solution.line.iter().map(numbers).collect(),
        words: line_in_words(net, solution),
        nodes: solution.nodes,
        states: solution.states,
        seconds,
        unfinished: solution.unfinished.map(|reason| reason.to_string()),
        notes: solution.notes.clone(),
        basis: "proved",
    }
}
