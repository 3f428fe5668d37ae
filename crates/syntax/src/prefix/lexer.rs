//! Tokens of the prefix notation: parentheses and words.

use crate::comments::Layout;
use crate::diagnosis::Findings;
use crate::lexer::{Cursor, check_word, closing_sign, is_white, offset};
use crate::{Category, Diagnosis, Span, SyntaxLimits};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    Open,
    Close,
    Word,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) layout: Layout,
}

pub(super) fn lex(bytes: &[u8], limits: &SyntaxLimits, findings: &mut Findings) -> Lexed {
    let mut cursor = Cursor::new(bytes, b';');
    let mut tokens = Vec::new();
    let mut last_line = usize::MAX;
    let mut depth = 0_usize;
    while let Some(byte) = cursor.skip_blanks() {
        let start = cursor.position;
        // Outside all lists such a sign is no name that anybody means.
        if depth == 0 && last_line != cursor.line_start && cursor.skip_foreign_comment(findings) {
            continue;
        }
        last_line = cursor.line_start;
        let kind = match byte {
            b'(' => TokenKind::Open,
            b')' => TokenKind::Close,
            _ => TokenKind::Word,
        };
        match kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            TokenKind::Word => {}
        }
        cursor.position = if kind == TokenKind::Word { word_end(bytes, start) } else { start + 1 };
        let span = cursor.span_from(start);
        if kind == TokenKind::Word {
            check(bytes, span, limits, findings);
        }
        tokens.push(Token { kind, span });
    }
    Lexed { tokens, layout: cursor.finish() }
}

/// A quoted text is one word, blanks and all, so that one mistake gives one message.
fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut position = start;
    while let Some(&byte) = bytes.get(position) {
        match byte {
            b'"' | b'|' => position = quote_end(bytes, position),
            b'(' | b')' | b';' => break,
            byte if is_white(byte) => break,
            _ => position += 1,
        }
    }
    position
}

/// One past the closing quote if it is on the same line, else one past the opening quote.
fn quote_end(bytes: &[u8], quote: usize) -> usize {
    closing_sign(bytes, quote, bytes[quote]).unwrap_or(quote) + 1
}

fn check(bytes: &[u8], span: Span, limits: &SyntaxLimits, findings: &mut Findings) {
    let word = &bytes[span.start as usize..span.end as usize];
    if let Some(quote) = word.iter().position(|&byte| byte == b'"' || byte == b'|') {
        let start = span.start + offset(quote);
        findings.add(
            Diagnosis::error(Category::String, Span::new(start, span.end), "a quoted name")
                .with_hint("names are not quoted; write it as one word, such as two_words"),
        );
    }
    if word == b"?" {
        findings.add(
            Diagnosis::error(Category::Variable, span, "a variable without a name")
                .with_hint("write a name after the question mark, such as ?x"),
        );
    }
    check_word(bytes, span, limits, findings);
}
