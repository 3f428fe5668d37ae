//! Lines as words and signs, each with its column.

use super::Problem;

/// A word or a sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Word(String),
    Equals,
    Differs,
    Comma,
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl Placed {
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem { line: self.line, column: self.column, message: message.into() }
    }

    pub(super) fn word(&self) -> Option<&str> {
        match &self.token {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }
}

/// The tokens of a line; a comment ends it.
pub(super) fn tokens(text: &str, line: u32) -> Result<Vec<Placed>, Problem> {
    let characters: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < characters.len() && characters[at] != '#' {
        let column = at as u32 + 1;
        let problem = |message: &str| Problem { line, column, message: message.to_string() };
        let (token, length) = match characters[at] {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            '=' => (Token::Equals, 1),
            ',' => (Token::Comma, 1),
            '!' if characters.get(at + 1) == Some(&'=') => (Token::Differs, 2),
            '!' => return Err(problem("a lone `!`; write v!=a")),
            '"' => quoted(&characters[at..])
                .ok_or_else(|| problem("the quoted name has no end on this line"))?,
            _ => bare(&characters[at..]),
        };
        found.push(Placed { token, line, column });
        at += length;
    }
    Ok(found)
}

fn bare(characters: &[char]) -> (Token, usize) {
    let ends = |c: &char| c.is_whitespace() || matches!(c, '=' | '!' | ',' | '#' | '"');
    let length = characters.iter().position(ends).unwrap_or(characters.len());
    (Token::Word(characters[..length].iter().collect()), length)
}

fn quoted(characters: &[char]) -> Option<(Token, usize)> {
    let (mut word, mut at) = (String::new(), 1);
    loop {
        match *characters.get(at)? {
            '"' => return Some((Token::Word(word), at + 1)),
            '\\' => {
                word.push(*characters.get(at + 1)?);
                at += 2;
            }
            c => {
                word.push(c);
                at += 1;
            }
        }
    }
}
