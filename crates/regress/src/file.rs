//! Automata as text.
//!
//! ```text
//! autre 1
//! players A B
//! var v lo hi
//! outcome WA A=1 B=-1
//! node x A
//! goal wa WA
//! start x v=lo
//! from x
//!   move end to wa when v=lo
//!   else
//!   move up to x set v=lo when v in lo,hi
//! ```
//!
//! `else` opens the next priority group, `never` declares what no state in play satisfies,
//! `endless` the rewards of play without end. Of an automaton made of a game `fact TERM v=a`, `fact TERM at NODE` and
//! `fact TERM always` say where its terms are true. Conditions are `v=a`, `v!=a` and `v in a,b`; names
//! with blanks or signs stand in quotes. `#` starts a comment. Order does not matter.

mod lexer;
mod names;
mod print;
mod read;

pub(crate) use print::condition;
pub use print::to_text;
pub use read::read_automaton;

/// A node's name, if one is given, and pairs of variable and value.
pub(crate) type NodeAndValues = (Option<String>, Vec<(String, String)>);

/// The words of `NODE v=a u=b`: the node, if one is named, and the pairs.
pub(crate) fn words(text: &str) -> Result<NodeAndValues, String> {
    let tokens = lexer::tokens(text, 1).map_err(|problem| problem.message)?;
    let word = |at: usize| tokens.get(at).and_then(|placed| placed.word()).map(str::to_string);
    let is_sign = |at: usize| tokens.get(at).is_some_and(|one| one.token == lexer::Token::Equals);
    let (mut node, mut pairs, mut at) = (None, Vec::new(), 0);
    while at < tokens.len() {
        let Some(name) = word(at) else {
            return Err(format!("a name is expected at column {}", tokens[at].column));
        };
        if is_sign(at + 1) {
            let value = word(at + 2).ok_or_else(|| format!("`{name}=` needs a value"))?;
            pairs.push((name, value));
            at += 3;
        } else if at == 0 {
            node = Some(name);
            at += 1;
        } else {
            return Err(format!("`{name}` has no value"));
        }
    }
    Ok((node, pairs))
}

/// One thing wrong with an automaton file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Problem {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// What is wrong, and what to do.
    pub message: String,
}

/// All that is wrong with an automaton file, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct FileError(pub Vec<Problem>);
