//! A finding as text: what, where, the line with the place marked, and what to do.
//!
//! ```text
//! error[static.unsafe]: no positive condition binds the variable x
//!  --> game.kif:4:15
//!   |
//! 4 | (<= (next (at ?x)) (does r go))
//!   |               ^^
//!   = hint: add a condition that names the values of x
//! ```
//!
//! Control characters are escaped, tabs become blanks, and of a very long line only the part around
//! the place is shown.

use std::fmt::Write as _;

use crate::source::{first_characters, push_escaped};
use crate::{Diagnosis, Severity, Source, Span};

/// Whether to colour a report for a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    /// Plain text.
    Never,
    /// With escape sequences.
    Always,
}

/// How many characters of a line are shown.
const WIDTH: u32 = 100;
/// How many of them before the place, if the line is longer.
const BEFORE: u32 = 40;

/// What a report says: a [`Diagnosis`], or the finding of a later stage.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Whether it stops the game.
    pub severity: Severity,
    /// The stable name of its kind.
    pub category: &'a str,
    /// Where; nowhere if it is about the whole text.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: &'a str,
    /// What to do about it.
    pub hint: Option<&'a str>,
    /// The other place concerned.
    pub also: Option<Span>,
}

impl<'a> From<&'a Diagnosis> for Parts<'a> {
    fn from(diagnosis: &'a Diagnosis) -> Self {
        Self {
            severity: diagnosis.severity,
            category: diagnosis.category.as_str(),
            span: diagnosis.span,
            message: &diagnosis.message,
            hint: diagnosis.hint.as_deref(),
            also: diagnosis.also,
        }
    }
}

/// Renders a diagnosis about the text called `name`. The last line ends with a line end.
pub fn report(diagnosis: &Diagnosis, source: &Source<'_>, name: &str, colour: Colour) -> String {
    render(&Parts::from(diagnosis), source, name, colour)
}

/// Renders a finding of any stage about the text called `name`.
pub fn render(finding: &Parts<'_>, source: &Source<'_>, name: &str, colour: Colour) -> String {
    let paint = Paint { colour, severity: finding.severity };
    let kind = format!("{}[{}]", finding.severity.as_str(), finding.category);
    let mut text = format!("{}: {}\n", paint.severity(&kind), paint.bold(finding.message));
    let name = crate::source::shown(name);
    match finding.span {
        Some(span) => push_place(&mut text, span, source, &name, &paint),
        None => text += &format!(" {} {name}\n", paint.dim("-->")),
    }
    if let Some(hint) = finding.hint {
        let margin = margin(finding.span, source);
        text += &format!("{margin} {} hint: {hint}\n", paint.dim("="));
    }
    if let Some(also) = finding.also {
        let margin = margin(finding.span, source);
        let (line, column) = source.line_column(also.start);
        let shown = Excerpt::of(source, also.start, line, column);
        let line = format!("line {line}: {}", shown.text.trim());
        text += &format!("{margin} {} see also {line}\n", paint.dim("="));
    }
    text
}

fn margin(span: Option<Span>, source: &Source<'_>) -> String {
    let line = span.map_or(1, |span| source.line_column(span.start).0);
    " ".repeat(line.to_string().len())
}

fn push_place(text: &mut String, span: Span, source: &Source<'_>, name: &str, paint: &Paint) {
    let (line, column) = source.line_column(span.start);
    let (end_line, end_column) = source.line_column(span.end);
    let shown = Excerpt::of(source, span.start, line, column);
    let length = if end_line == line { end_column - column } else { u32::MAX };
    let marks = "^".repeat(shown.width_of(length).max(1));
    let margin = margin(Some(span), source);
    let bar = paint.dim("|");
    let written = writeln!(
        text,
        "{margin}{arrow} {name}:{line}:{column}\n{margin} {bar}\n{number} {bar} {shown}\n{margin} {bar} {blanks}{marks}",
        arrow = paint.dim("-->"),
        number = paint.dim(&line.to_string()),
        shown = shown.text,
        blanks = " ".repeat(shown.width_before),
        marks = paint.severity(&marks),
    );
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

/// The shown part of a line.
struct Excerpt {
    text: String,
    /// Width of what is shown before the place.
    width_before: usize,
    /// The widths of the characters shown from the place on.
    widths: Vec<usize>,
}

impl Excerpt {
    fn of(source: &Source<'_>, place: u32, line: u32, column: u32) -> Self {
        let before = if column > WIDTH - 20 { BEFORE } else { column - 1 };
        let start = source.back(place, before);
        let mut excerpt = Self { text: String::new(), width_before: 0, widths: Vec::new() };
        if before < column - 1 {
            excerpt.text.push('…');
            excerpt.width_before = 1;
        }
        let mut rest = first_characters(source.line_from(line, start), WIDTH as usize + 1);
        for (index, character) in (0..WIDTH).zip(&mut rest) {
            let width = excerpt.push(character);
            if index < before {
                excerpt.width_before += width;
            } else {
                excerpt.widths.push(width);
            }
        }
        if rest.next().is_some() {
            excerpt.text.push('…');
        }
        excerpt
    }

    /// Appends a character and returns its width.
    fn push(&mut self, character: Result<char, u8>) -> usize {
        let before = self.text.chars().count();
        match character {
            Ok('\t') => self.text.push(' '),
            character => push_escaped(&mut self.text, character),
        }
        self.text.chars().count() - before
    }

    /// The width of the first characters from the place on.
    fn width_of(&self, length: u32) -> usize {
        self.widths.iter().take(length as usize).sum()
    }
}

struct Paint {
    colour: Colour,
    severity: Severity,
}

impl Paint {
    fn wrap(&self, code: &str, text: &str) -> String {
        match self.colour {
            Colour::Never => text.to_owned(),
            Colour::Always => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }

    fn severity(&self, text: &str) -> String {
        let code = match self.severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;36",
        };
        self.wrap(code, text)
    }

    fn bold(&self, text: &str) -> String {
        self.wrap("1", text)
    }

    fn dim(&self, text: &str) -> String {
        self.wrap("34", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, check, read};

    fn first_report(text: &[u8]) -> String {
        let reading = read(text, &ReadOptions::default());
        let mut findings = reading.diagnoses;
        findings.extend(reading.rules.iter().flat_map(check));
        let error = findings.iter().find(|finding| finding.is_error()).unwrap();
        report(error, &Source::new(text), "game.kif", Colour::Never)
    }

    #[test]
    fn the_place_is_marked() {
        assert_eq!(
            first_report(b"(role r)\r\n\t(<= (p ?xy) q)"),
            "error[static.unsafe]: no positive condition binds the variable xy\n \
             --> game.kif:2:9\n  |\n2 |  (<= (p ?xy) q)\n  |         ^^^\n  \
             = hint: add a condition that names the values of xy\n"
        );
    }

    #[test]
    fn control_characters_are_never_printed() {
        let shown = first_report(b"(role \x1b[31mred)");
        assert!(!shown.contains('\x1b') && shown.contains("\\u{1b}[31mred"), "{shown}");
        assert!(shown.contains(" ^^^^^^\n"), "{shown}");
    }

    #[test]
    fn only_part_of_a_long_line_is_shown() {
        let text = format!("{}(){}", "(p) ".repeat(50_000), " (p)".repeat(50_000));
        let shown = first_report(text.as_bytes());
        assert!(shown.contains(":1:200001"));
        assert!(shown.lines().all(|line| line.chars().count() < 120), "{shown}");
        let marked = shown.lines().find(|line| line.contains('^')).unwrap();
        let line = shown.lines().find(|line| line.contains("()")).unwrap();
        let place = |text: &str, mark: &str| text[..text.find(mark).unwrap()].chars().count();
        assert_eq!(place(marked, "^"), place(line, "()"));
    }

    #[test]
    fn a_finding_about_the_whole_text_has_no_line() {
        let shown = first_report(b"(role r) (legal r a) (goal r 100)");
        assert_eq!(
            shown,
            "error[static.missing-terminal]: the game never ends\n --> game.kif\n  \
             = hint: add a rule (<= terminal condition \u{2026})\n"
        );
    }
}
