//! The prefix notation (KIF): text to tokens, tokens to nested forms, forms to clauses.

mod clauses;
mod forms;
mod lexer;

use crate::diagnosis::Findings;
use crate::{ReadOptions, Rules, TermId};

/// Reads a rulesheet. What is broken is reported and left out.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions, findings: &mut Findings) -> Rules {
    let mut rules = Rules::new();
    let lexed = lexer::lex(bytes, &options.limits, findings);
    let mut form_reader = forms::FormReader::new(bytes, &lexed.tokens, options);
    while let Some(root) = form_reader.next_form(&mut rules, findings) {
        clauses::add_clause(&form_reader.forms, root, &mut rules, findings);
    }
    rules.set_layout(lexed.layout);
    rules
}

/// Reads a sequence of terms into an empty rulesheet.
pub(crate) fn read_terms(
    bytes: &[u8],
    options: &ReadOptions,
    findings: &mut Findings,
) -> (Rules, Vec<TermId>) {
    let mut rules = Rules::new();
    let lexed = lexer::lex(bytes, &options.limits, findings);
    let mut form_reader = forms::FormReader::new(bytes, &lexed.tokens, options);
    let mut terms = Vec::new();
    while let Some(root) = form_reader.next_form(&mut rules, findings) {
        terms.extend(clauses::term(&form_reader.forms, root, &mut rules, findings));
    }
    (rules, terms)
}
