//! Tokens of the infix notation.

use crate::comments::Layout;
use crate::diagnosis::Findings;
use crate::lexer::{Cursor, check_word, closing_sign, line_end, offset};
use crate::source::{characters, push_escaped};
use crate::{Category, Diagnosis, Span, SyntaxLimits};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Name,
    Variable,
    /// `_`
    Anonymous,
    Open,
    Close,
    Comma,
    Stop,
    Arrow,
    And,
    Or,
    Not,
    /// Something that was reported already.
    Bad,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
    /// Whether it is the first of its line.
    pub(super) begins_line: bool,
    /// Bytes between the beginning of the line and the token.
    pub(super) indent: u32,
}

pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) layout: Layout,
}

pub(super) fn lex(bytes: &[u8], limits: &SyntaxLimits, findings: &mut Findings) -> Lexed {
    let mut cursor = Cursor::new(bytes, b'%');
    let mut tokens = Vec::new();
    let mut last_line = usize::MAX;
    while let Some(byte) = cursor.skip_blanks() {
        let start = cursor.position;
        // Behind a token a semicolon may be meant as an operator; on a line of its own it is a comment.
        if last_line != cursor.line_start && cursor.skip_foreign_comment(findings) {
            continue;
        }
        let (kind, end) = token(bytes, start, byte);
        cursor.position = end;
        let span = cursor.span_from(start);
        match kind {
            TokenKind::Name | TokenKind::Variable => check_word(bytes, span, limits, findings),
            TokenKind::Bad => findings.add(complaint(bytes, span)),
            _ => {}
        }
        let begins_line = last_line != cursor.line_start;
        last_line = cursor.line_start;
        tokens.push(Token { kind, span, begins_line, indent: offset(start - cursor.line_start) });
    }
    Lexed { tokens, layout: cursor.finish() }
}

/// The kind of the token at `start`, and where it ends.
fn token(bytes: &[u8], start: usize, byte: u8) -> (TokenKind, usize) {
    let single = match byte {
        b'(' => TokenKind::Open,
        b')' => TokenKind::Close,
        b',' => TokenKind::Comma,
        b'&' => TokenKind::And,
        b'|' => TokenKind::Or,
        b'~' => TokenKind::Not,
        b'.' if is_full_stop(bytes, start) => TokenKind::Stop,
        b':' if bytes.get(start + 1) == Some(&b'-') => return (TokenKind::Arrow, start + 2),
        _ => return word(bytes, start),
    };
    (single, start + 1)
}

/// A full stop is one unless it is part of a name; behind `)` it never is.
fn is_full_stop(bytes: &[u8], position: usize) -> bool {
    let behind_list = position > 0 && bytes[position - 1] == b')';
    behind_list || !is_letter_or_digit(character(bytes, position + 1))
}

fn word(bytes: &[u8], start: usize) -> (TokenKind, usize) {
    let mut end = start;
    while let Some(next) = name_character(bytes, end) {
        end += next.len_utf8();
    }
    let first = character(bytes, start).and_then(Result::ok);
    match &bytes[start..end] {
        b"" => (TokenKind::Bad, foreign_end(bytes, start)),
        b"_" => (TokenKind::Anonymous, end),
        _ if first.is_some_and(char::is_uppercase) => (TokenKind::Variable, end),
        _ => (TokenKind::Name, end),
    }
}

fn character(bytes: &[u8], position: usize) -> Option<Result<char, u8>> {
    match *bytes.get(position)? {
        ascii @ 0..=127 => Some(Ok(char::from(ascii))),
        _ => characters(&bytes[position..bytes.len().min(position + 4)]).next(),
    }
}

/// The character at a position if a name may go on with it.
fn name_character(bytes: &[u8], position: usize) -> Option<char> {
    let character = character(bytes, position)?.ok()?;
    let belongs = match character {
        '_' | '+' | '-' | '*' | '/' => true,
        '.' => !is_full_stop(bytes, position),
        _ => character.is_alphanumeric(),
    };
    belongs.then_some(character)
}

fn is_letter_or_digit(character: Option<Result<char, u8>>) -> bool {
    matches!(character, Some(Ok(letter)) if letter.is_alphanumeric())
}

/// Whether the text is a constant of this notation.
pub(crate) fn is_constant(text: &str) -> bool {
    !text.is_empty() && word(text.as_bytes(), 0) == (TokenKind::Name, text.len())
}

/// The end of something foreign: a quotation, a list, an operator, or a single character.
fn foreign_end(bytes: &[u8], start: usize) -> usize {
    let closed_by = |sign: u8| closing_sign(bytes, start, sign).map(|end| end + 1 - start);
    let length = match bytes[start] {
        quote @ (b'"' | b'\'') => closed_by(quote),
        b'[' => closed_by(b']'),
        b';' => Some(line_end(bytes, start) - start),
        b'\\' if bytes.get(start + 1) == Some(&b'+') => Some(2),
        byte if OPERATOR.contains(&byte) => {
            let rest = bytes[start..].iter();
            Some(rest.take_while(|byte| OPERATOR.contains(byte)).count())
        }
        _ => None,
    };
    let single = character(bytes, start).map_or(1, |first| first.map_or(1, char::len_utf8));
    start + length.unwrap_or(single)
}

const OPERATOR: &[u8] = b"=<>:!?#";

fn complaint(bytes: &[u8], span: Span) -> Diagnosis {
    let first = character(bytes, span.start as usize).unwrap_or(Err(0));
    let (category, what) = match first {
        Err(byte) => (Category::Encoding, format!("the byte {byte:#04x} is not UTF-8")),
        Ok('"' | '\'') => (Category::String, "a quoted name".to_owned()),
        Ok(control) if control.is_control() => {
            (Category::Control, format!("the control character U+{:04X}", control as u32))
        }
        Ok(character) => {
            let mut text = String::new();
            push_escaped(&mut text, Ok(character));
            (Category::Character, format!("{text} has no meaning in the infix notation"))
        }
    };
    let diagnosis = Diagnosis::error(category, span, what);
    match advice(&bytes[span.start as usize..span.end as usize]) {
        Some(hint) => diagnosis.with_hint(hint),
        None => diagnosis,
    }
}

fn advice(foreign: &[u8]) -> Option<&'static str> {
    let hint = match foreign {
        b"\\+" | b"!" => "negation is written ~",
        b"=" | b"==" => "use the same variable twice for equality, distinct for difference",
        b"!=" | b"<>" | b"\\" => "write distinct(X,Y)",
        b"<=" => "the arrow of this notation is :-",
        b"==>" | b"=>" | b":=" | b"::" | b"#" => "this belongs to a richer language than GDL",
        b"?" => "variables begin with a capital letter",
        [b'[', ..] => "there are no lists; write a function such as pair(a,b)",
        [b';', ..] => "comments begin with %, alternatives are joined with |",
        [b'"' | b'\'', ..] => "names are not quoted; write it as one word, such as two_words",
        _ => return None,
    };
    Some(hint)
}
