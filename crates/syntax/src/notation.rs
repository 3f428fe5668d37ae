//! The two ways to write a rulesheet, told apart by how the text begins.

use crate::lexer::is_white;
use crate::source::BYTE_ORDER_MARK;

/// A way to write rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// `(<= (next p) (true q))`
    Prefix,
    /// `next(p) :- true(q)`
    Infix,
}

impl Notation {
    /// The notation of a text, by what stands first behind the comments. A parenthesis begins prefix
    /// text. A name begins either: in infix a parenthesis, an arrow or a full stop follows. Where
    /// there is nothing else, comments that begin with `%` are infix.
    pub fn of(source: &[u8]) -> Self {
        let source = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
        let mut text = skip_white(source);
        let comments: [&[u8]; 4] = [b";", b"%", b"#", b"//"];
        let infix = text.starts_with(b"%");
        while comments.iter().any(|sign| text.starts_with(sign)) {
            let end = text.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(text.len());
            text = skip_white(&text[end..]);
        }
        match text.first() {
            None if infix => Notation::Infix,
            None | Some(b'(' | b')' | b'?') => Notation::Prefix,
            Some(b':' | b'~') => Notation::Infix,
            Some(_) => Self::after_name(text),
        }
    }

    fn after_name(text: &[u8]) -> Self {
        let ends = |byte: &u8| is_white(*byte) || b"();:%,&|~".contains(byte);
        let end = text.iter().position(ends).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let behind = skip_white(rest);
        let applied = rest.starts_with(b"(");
        if name.ends_with(b".") || applied || behind.starts_with(b":-") || behind.starts_with(b"%")
        {
            Notation::Infix
        } else if behind.starts_with(b"(") && !has_prefix_rule(behind) {
            // `role (x)` in infix, or the facts `open (role x)` in prefix: a rule tells.
            if has_infix_rule(behind) { Notation::Infix } else { Notation::Prefix }
        } else if has_infix_rule(behind) && !has_prefix_rule(behind) {
            Notation::Infix
        } else {
            Notation::Prefix
        }
    }
}

fn has_prefix_rule(text: &[u8]) -> bool {
    text.windows(3).any(|window| window == b"(<=")
}

fn has_infix_rule(text: &[u8]) -> bool {
    text.windows(2).any(|window| window == b":-")
}

fn skip_white(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_white(byte)).unwrap_or(text.len());
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_tells_the_notation() {
        for text in [
            "(role r)",
            "; x\n(role r)",
            "% x\n(role r)",
            "// x\n(role r)",
            "open (role r) (<= a b)",
            "",
            "\u{feff} (p)",
        ] {
            assert_eq!(Notation::of(text.as_bytes()), Notation::Prefix, "{text}");
        }
        for text in [
            "role(r)",
            "% x\nrole(r)",
            "p :- q",
            "ready.",
            ":- p",
            "role (r) p :- q",
            "a b :- c",
            "; x\nrole(r)",
            "# x\nrole(r)",
            "% x",
        ] {
            assert_eq!(Notation::of(text.as_bytes()), Notation::Infix, "{text}");
        }
    }
}
