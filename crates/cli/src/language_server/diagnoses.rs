//! What is wrong with a text, and the corrections that are offered.

use std::time::Duration;

use gambol::ground::Limits;
use gambol::syntax::{Severity, Span};
use gambol::{Examination, Finding, examine};
use serde_json::{Value, json};

use super::document::Document;
use super::wire::Refusal;

/// So long grounding may take: somebody is typing.
const PATIENCE: Duration = Duration::from_secs(2);
const MEMORY_MIB: u64 = 512;

impl Document {
    /// Checks the text, and keeps what is found. That rules are too large for a quick look is no
    /// fault of theirs.
    pub(super) fn diagnose(&mut self) -> Value {
        let limits =
            Limits { time: Some(PATIENCE), memory_mib: Some(MEMORY_MIB), ..Limits::default() };
        let examination =
            Examination { read: self.options.clone(), limits, ..Examination::default() };
        let mut findings = examine(self.text.as_bytes(), &examination);
        findings.retain(|finding| finding.category != "ground.limit");
        self.findings = findings;
        self.findings.iter().map(|finding| self.diagnostic(finding)).collect()
    }

    fn diagnostic(&self, finding: &Finding) -> Value {
        let severity = match finding.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
            Severity::Note => 3,
        };
        let hint = finding.hint.as_ref().map_or(String::new(), |hint| format!("\n{hint}"));
        json!({
            "range": self.range(finding.span.unwrap_or_default()),
            "severity": severity,
            "code": finding.category,
            "source": "gambol",
            "message": format!("{}{hint}", finding.message),
        })
    }

    /// What a click mends: a name for which another was meant.
    pub(super) fn code_actions(&self, parameters: &Value) -> Result<Value, Refusal> {
        let range = &parameters["range"];
        let byte = |end: &str| {
            let number = |key: &str| range[end][key].as_u64().ok_or_else(Refusal::invalid);
            Ok(self.byte_at(number("line")?, number("character")?))
        };
        let (start, end) = (byte("start")?, byte("end")?);
        let touches = |span: Span| span.start as usize <= end && start <= span.end as usize;
        let near = |finding: &&Finding| finding.span.is_some_and(touches);
        Ok(self
            .findings
            .iter()
            .filter(near)
            .filter_map(|finding| self.correction(finding))
            .collect())
    }

    fn correction(&self, finding: &Finding) -> Option<Value> {
        let meant = meant(finding.hint.as_deref()?)?;
        let place = self.name_at(finding.span?.start as usize + 1)?.span;
        let edit = json!({ "range": self.range(place), "newText": meant });
        Some(json!({
            "title": format!("Change to {meant}"),
            "kind": "quickfix",
            "diagnostics": [self.diagnostic(finding)],
            "edit": { "changes": { &self.address: [edit] } },
        }))
    }
}

/// The name in `did you mean NAME?`.
fn meant(hint: &str) -> Option<&str> {
    let name = hint.strip_prefix("did you mean ")?.strip_suffix('?')?;
    (!name.contains([' ', '(', '…'])).then_some(name)
}
