//! Ground terms from text in prefix form: `(cell 1 1 x) (control o)`.

use gambol_syntax::{Symbol, Symbols};

use crate::ReferenceError;
use crate::program::Program;
use crate::terms::GroundTerm;

/// Reads a list of terms.
pub(crate) fn read_terms(
    program: &mut Program,
    text: &str,
) -> Result<Vec<GroundTerm>, ReferenceError> {
    let mut terms = Vec::new();
    let mut open: Vec<(Symbol, Vec<GroundTerm>)> = Vec::new();
    let mut tokens = Tokens { text, at: 0 };
    while let Some((at, token)) = tokens.next() {
        let problem = |problem| Err(ReferenceError::Text { at, problem });
        let made = match token {
            "(" => match tokens.next() {
                Some((_, name)) if is_name(name) => {
                    open.push((intern(&mut program.symbols, name), Vec::new()));
                    None
                }
                _ => return problem("a name must follow the bracket"),
            },
            ")" => match open.pop() {
                Some(closed) => Some(closed),
                None => return problem("no bracket is open here"),
            },
            name if is_name(name) => Some((intern(&mut program.symbols, name), Vec::new())),
            _ => return problem("a variable has no value here"),
        };
        if let Some((name, arguments)) = made {
            let Program { symbols, terms: store, .. } = &mut *program;
            let term = store.make(symbols, name, &arguments);
            match open.last_mut() {
                Some((_, arguments)) => arguments.push(term),
                None => terms.push(term),
            }
        }
    }
    if open.is_empty() {
        return Ok(terms);
    }
    Err(ReferenceError::Text { at: text.len(), problem: "a bracket is not closed" })
}

fn is_name(token: &str) -> bool {
    !token.starts_with(['(', ')', '?'])
}

/// Reserved words are known in every spelling, as in rulesheets.
fn intern(symbols: &mut Symbols, name: &str) -> Symbol {
    let reserved = symbols.find(&name.to_ascii_lowercase());
    match reserved.filter(|word| word.is_game_relation() || word.is_connective()) {
        Some(word) => word,
        None => symbols.intern(name),
    }
}

/// Brackets and names, with the byte each begins at.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let start = self.at + rest.find(|c: char| !c.is_whitespace())?;
        let rest = &self.text[start..];
        let end = if rest.starts_with(['(', ')']) {
            1
        } else {
            rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len())
        };
        self.at = start + end;
        Some((start, &rest[..end]))
    }
}
