//! What is wrong with a rulesheet, as people and programs get to see it.

use gambol::Finding;
use gambol::syntax::{Colour, Diagnosis, Parts, Source, Span, render};
use serde::Serialize;

use crate::game_text::GameText;
use crate::session::Session;

/// A finding with its place in lines and columns.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Located {
    category: &'static str,
    /// From 1; none if it is about the whole text.
    line: Option<u32>,
    /// In characters, from 1.
    column: Option<u32>,
    message: String,
    hint: Option<String>,
    /// The other place concerned, by line and column.
    also: Option<(u32, u32)>,
}

/// Finds lines and columns.
pub(crate) fn locate(source: &GameText, finding: &Finding) -> Located {
    let line_column = |span: Span| Source::new(&source.text).line_column(span.start);
    let place = finding.span.map(line_column);
    Located {
        category: finding.category,
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        message: finding.message.clone(),
        hint: finding.hint.clone(),
        also: finding.also.map(line_column),
    }
}

/// The finding with its line of the source, underlined.
pub(crate) fn show(source: &GameText, finding: &Finding, colour: bool) -> String {
    let parts = Parts {
        severity: finding.severity,
        category: finding.category,
        span: finding.span,
        message: &finding.message,
        hint: finding.hint.as_deref(),
        also: finding.also,
    };
    let colour = if colour { Colour::Always } else { Colour::Never };
    render(&parts, &Source::new(&source.text), &source.name, colour)
}

/// Shows the errors among the diagnoses on standard error.
pub(crate) fn complain_of(source: &GameText, diagnoses: &[Diagnosis], session: &mut Session) {
    let colour = session.err_has_colour();
    for diagnosis in diagnoses.iter().filter(|diagnosis| diagnosis.is_error()) {
        let text = show(source, &Finding::from(diagnosis), colour);
        session.complain(&text);
    }
}
