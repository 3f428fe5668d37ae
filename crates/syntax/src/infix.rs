//! The infix notation (HRF): `next(p) :- true(q) & ~does(R,m)`.
//!
//! Full stops are optional: a statement ends where the next token cannot continue it. After an
//! error reading goes on at the next line that begins no further right than the broken statement.

mod lexer;
mod statements;
mod terms;

use crate::diagnosis::Findings;
use crate::{ReadOptions, Rules, Span};
use lexer::{Token, TokenKind};

pub(crate) use lexer::is_constant;

/// Reads a rulesheet. What is broken is reported and left out.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions, findings: &mut Findings) -> Rules {
    let lexed = lexer::lex(bytes, &options.limits, findings);
    let mut reader = Reader {
        bytes,
        tokens: &lexed.tokens,
        position: 0,
        options,
        rules: Rules::new(),
        findings,
        anonymous: 0,
    };
    reader.read_statements();
    let mut rules = reader.rules;
    rules.set_layout(lexed.layout);
    rules
}

/// A position among the tokens, and what was read so far.
struct Reader<'a> {
    bytes: &'a [u8],
    tokens: &'a [Token],
    position: usize,
    options: &'a ReadOptions,
    rules: Rules,
    findings: &'a mut Findings,
    /// How many variables without a name the current statement has.
    anonymous: u32,
}

/// Something was wrong; it has been reported.
struct Broken;

impl Reader<'_> {
    fn peek(&self) -> TokenKind {
        self.tokens.get(self.position).map_or(TokenKind::End, |token| token.kind)
    }

    fn peek_second(&self) -> TokenKind {
        self.tokens.get(self.position + 1).map_or(TokenKind::End, |token| token.kind)
    }

    /// Where the current token stands; behind the last one at the end.
    fn span(&self) -> Span {
        match (self.tokens.get(self.position), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => Span::new(last.span.end, last.span.end),
            (None, None) => Span::default(),
        }
    }

    /// Whether the current token is the first of its line and stands at the margin.
    fn is_at_margin(&self) -> bool {
        self.tokens.get(self.position).is_some_and(|token| token.begins_line && token.indent == 0)
    }

    fn text(&self, span: Span) -> &str {
        std::str::from_utf8(&self.bytes[span.start as usize..span.end as usize]).unwrap_or("")
    }
}
