//! Clauses that stand twice, up to the names of their variables.
//!
//! A rule without variables is one of a list of cases, mostly written by a program: a case that stands twice is
//! only noted.

use std::fmt::Write as _;

use gambol_syntax::{Category, Clause, Diagnosis, Rules, Span, keyword, print};
use rustc_hash::FxHashMap;

use crate::notes::Notes;

pub(crate) fn look(rules: &Rules, notes: &mut Notes) {
    let mut seen: FxHashMap<String, Span> = FxHashMap::default();
    for clause in rules.clauses.iter().filter(|clause| clause.head.relation != keyword::ROLE) {
        let text = normal(rules, clause);
        if let Some(&first) = seen.get(&text) {
            let what = if clause.body.is_empty() { "fact" } else { "rule" };
            let message = format!("this {what} stands above already");
            let is_case = !clause.body.is_empty() && !text.contains('?');
            let say = if is_case { Diagnosis::note } else { Diagnosis::warning };
            let finding = say(Category::DuplicateRule, clause.span, message);
            let finding = finding.with_hint("remove it, or correct what should differ");
            notes.add_aside(finding.with_also(first));
        } else {
            seen.insert(text, clause.span);
        }
    }
}

/// The text of a clause with its variables numbered in the order of their occurrence.
fn normal(rules: &Rules, clause: &Clause) -> String {
    let mut text = rules.symbols.text(clause.head.relation).to_owned();
    for &argument in &clause.head.arguments {
        text += " ";
        text += &print::term(rules, argument);
    }
    for &literal in &clause.body {
        text += " <= ";
        text += &print::literal(rules, literal);
    }
    let mut variables: Vec<&str> = Vec::new();
    let mut numbered = String::new();
    for word in text.split_inclusive([' ', '(', ')']) {
        let name = word.trim_end_matches([' ', '(', ')']);
        if name.starts_with('?') {
            let number = variables.iter().position(|&other| other == name).unwrap_or_else(|| {
                variables.push(name);
                variables.len() - 1
            });
            let written = write!(numbered, "?{number}{}", &word[name.len()..]);
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        } else {
            numbered += word;
        }
    }
    numbered
}
