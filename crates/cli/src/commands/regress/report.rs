//! What a run found, in words and as JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use gambol::regress::{Automaton, Method, Policy, Value};
use serde::Serialize;

use super::query::{AnswerView, FeatureView};
use crate::numbers::grouped;
use crate::session::Session;
use gambol_system::peak_mib;

#[derive(Serialize)]
pub(super) struct Report {
    automaton: String,
    backend: &'static str,
    method: &'static str,
    /// One reward per agent; `None` if the run ended before the start was decided.
    value: Option<BTreeMap<String, i64>>,
    outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    pub(super) classes: Option<usize>,
    pub(super) exclusions: Option<usize>,
    pub(super) regressions: Option<u64>,
    pub(super) nodes: Option<usize>,
    pub(super) peak_nodes: Option<usize>,
    pub(super) states: Option<f64>,
    pub(super) seconds: f64,
    pub(super) peak_mib: f64,
    pub(super) complete: bool,
    basis: &'static str,
    literals: Option<u64>,
    /// Classes and literals before compression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) compressed_from: Option<(usize, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) answers: Vec<AnswerView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rules: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) features: Vec<FeatureView>,
}

pub(super) fn rewards(automaton: &Automaton, value: Value) -> BTreeMap<String, i64> {
    let rewards = automaton.outcomes[value.outcome].rewards.iter();
    automaton.agents.iter().map(ToString::to_string).zip(rewards.copied()).collect()
}

impl Report {
    pub(super) fn new(
        automaton: &Automaton,
        backend: &'static str,
        method: &'static str,
        time: Duration,
    ) -> Self {
        Self {
            automaton: automaton.name.to_string(),
            backend,
            method,
            value: None,
            outcome: None,
            distance: None,
            classes: None,
            exclusions: None,
            regressions: None,
            nodes: None,
            peak_nodes: None,
            states: None,
            seconds: time.as_secs_f64(),
            peak_mib: peak_mib(),
            complete: false,
            basis: "proved",
            literals: None,
            compressed_from: None,
            policy: None,
            answers: Vec::new(),
            rules: Vec::new(),
            features: Vec::new(),
        }
    }

    pub(super) fn of_policy(policy: &Policy, time: Duration) -> Self {
        let automaton = &policy.automaton;
        let mut report = Self::new(automaton, "classes", policy.method.word(), time);
        report.set_value(automaton, policy.start_value(), policy.distances);
        report.classes = Some(policy.store.len());
        report.exclusions = Some(policy.store.exclusion_count());
        report.literals = Some(policy.literals());
        report.complete = policy.complete;
        // For several agents the published algorithm proves nothing.
        if policy.method == Method::Published && automaton.agents.len() > 1 {
            report.basis = "assumed";
        }
        report
    }

    pub(super) fn set_value(
        &mut self,
        automaton: &Automaton,
        value: Option<Value>,
        distances: bool,
    ) {
        let Some(value) = value else { return };
        self.value = Some(rewards(automaton, value));
        self.outcome = Some(automaton.outcomes[value.outcome].name.to_string());
        self.distance = (distances && value.distance > 0).then_some(value.distance);
    }

    pub(super) fn show(&self, session: &mut Session) -> anyhow::Result<()> {
        if session.flags.json {
            return session.json(self);
        }
        let out = &mut session.out;
        match (&self.outcome, &self.value) {
            (Some(outcome), Some(value)) => {
                let worth: Vec<String> =
                    value.iter().map(|(who, n)| format!("{who} {n}")).collect();
                let distance = self.distance.map_or(String::new(), |n| format!(" in {n}"));
                writeln!(out, "{}: {outcome}{distance} ({})", self.automaton, worth.join(", "))?;
            }
            _ => writeln!(out, "{}: the start is not decided", self.automaton)?,
        }
        let mut counts = Vec::new();
        let mut count = |number: Option<u64>, what: &str| {
            counts.extend(number.map(|number| format!("{} {what}", grouped(number))));
        };
        count(self.classes.map(|n| n as u64), "classes");
        count(self.states.map(|n| n as u64), "states");
        count(self.nodes.map(|n| n as u64), "nodes");
        count(self.regressions, "regressions");
        writeln!(
            out,
            "{} by {}, {}; {:.3} s, {:.0} MiB",
            counts.join(", "),
            self.method,
            if self.complete { "complete" } else { "not complete" },
            self.seconds,
            self.peak_mib
        )?;
        if let (Some((classes, literals)), Some(now)) = (self.compressed_from, self.literals) {
            let (classes, literals) = (grouped(classes as u64), grouped(literals));
            writeln!(
                out,
                "compressed from {classes} classes with {literals} literals to {} literals",
                grouped(now)
            )?;
        }
        for feature in &self.features {
            let FeatureView { condition, rules, saved_literals } = feature;
            writeln!(out, "in {rules} rules, saving {saved_literals} literals: {condition}")?;
        }
        for rule in &self.rules {
            writeln!(out, "{rule}")?;
        }
        self.answers.iter().try_for_each(|answer| show_answer(answer, out))?;
        if let Some(path) = &self.policy {
            writeln!(out, "the policy is in {path}")?;
        }
        Ok(())
    }
}

fn show_answer(answer: &AnswerView, out: &mut impl Write) -> anyhow::Result<()> {
    let distance = answer.distance.map_or(String::new(), |n| format!(" in {n}"));
    writeln!(out, "{}", answer.state)?;
    writeln!(out, "  worth {}{distance}", answer.outcome)?;
    if let Some(best) = &answer.best {
        writeln!(out, "  best  {best}")?;
    }
    if let Some(rule) = &answer.rule {
        writeln!(out, "  rule  {rule}")?;
    }
    Ok(writeln!(out, "  found in {:.1} microseconds", answer.microseconds)?)
}
