//! Questions to a policy.

use std::time::Instant;

use anyhow::anyhow;
use gambol::regress::{
    Automaton, ClassRef, Cube, DiagramPolicy, NodeId, Policy, Value, read_query,
};
use serde::Serialize;

use super::report::rewards;
use crate::flags::CaseFlag;
use crate::outcome::Stop;
use crate::session::Session;

/// What the policy says about a state.
#[derive(Serialize)]
pub(super) struct AnswerView {
    pub(super) state: String,
    pub(super) value: std::collections::BTreeMap<String, i64>,
    pub(super) outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) distance: Option<u32>,
    #[serde(rename = "move")]
    pub(super) best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule: Option<String>,
    pub(super) microseconds: f64,
}

/// A state that is asked about.
pub(super) struct Question {
    node: NodeId,
    state: Cube,
    described: String,
}

/// Reads `NODE v=a …`, or the terms that are true. Questions are read before the work, which a slip in one of them
/// must not cost.
pub(super) fn questions(
    texts: &[String],
    automaton: &Automaton,
    session: &Session,
) -> anyhow::Result<Vec<Question>> {
    let options = session.read_options(CaseFlag::Exact);
    let terms = |text: &str| gambol::terms(text, &options).map_err(|error| error.to_string());
    let question = |text: &String| {
        let found = read_query(automaton, text, terms);
        let (node, state) = found.map_err(|error| Stop::Usage(error.to_string()))?;
        let described = automaton.describe(node, &state);
        match automaton.is_possible(&state) {
            true => Ok(Question { node, state, described }),
            false => Err(anyhow!("an invariant forbids {described}")),
        }
    };
    texts.iter().map(question).collect()
}

/// What the policy says, or why it says nothing.
pub(super) fn answer(policy: &Policy, question: &Question) -> Result<AnswerView, String> {
    let automaton = &policy.automaton;
    let Question { node, state, described } = question;
    let started = Instant::now();
    let answer = policy.query(*node, state);
    let microseconds = started.elapsed().as_secs_f64() * 1e6;
    let unknown = || format!("the policy is not complete and has no class for {described}");
    let answer = answer.ok_or_else(unknown)?;
    let mut view = view(automaton, described.clone(), answer.value, policy.distances);
    view.best = answer.transition.map(|id| automaton.transitions[id].name.to_string());
    view.rule = answer.class.map(|class| policy.rule(class));
    view.microseconds = microseconds;
    Ok(view)
}

fn view(automaton: &Automaton, state: String, value: Value, distances: bool) -> AnswerView {
    AnswerView {
        state,
        value: rewards(automaton, value),
        outcome: automaton.outcomes[value.outcome].name.to_string(),
        distance: (distances && value.distance > 0).then_some(value.distance),
        best: None,
        rule: None,
        microseconds: 0.0,
    }
}

/// Answers from diagrams: the best move is the one that leads to the best value.
pub(super) fn diagram_answer(
    policy: &DiagramPolicy,
    question: &Question,
) -> Result<AnswerView, String> {
    let automaton = &policy.automaton;
    let Question { node, state, described } = question;
    let started = Instant::now();
    let (value, best) = (policy.value(*node, state), policy.best(*node, state));
    let microseconds = started.elapsed().as_secs_f64() * 1e6;
    let unmet = || format!("{described} is not met in play; --all-states decides it");
    let value = value.ok_or_else(unmet)?;
    let mut view = view(automaton, described.clone(), value, policy.distances);
    view.best = best.map(|id| automaton.transitions[id].name.to_string());
    view.microseconds = microseconds;
    Ok(view)
}

/// The first rules, list by list, in the order in which they are consulted.
pub(super) fn rules(policy: &Policy, most: usize) -> Vec<String> {
    let store = &policy.store;
    let all = store.list_ids().flat_map(|list| {
        (0..store.classes(list).len() as u32).rev().map(move |place| ClassRef { list, place })
    });
    all.take(most).map(|at| policy.rule(at)).collect()
}

/// A condition that many rules share.
#[derive(Serialize)]
pub(super) struct FeatureView {
    pub(super) condition: String,
    pub(super) rules: usize,
    pub(super) saved_literals: usize,
}

pub(super) fn features(policy: &Policy, most: usize) -> Vec<FeatureView> {
    let found = gambol::regress::features(policy, most).into_iter();
    found
        .map(|feature| FeatureView {
            condition: feature.text,
            rules: feature.rules,
            saved_literals: feature.saved,
        })
        .collect()
}
