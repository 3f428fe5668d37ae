//! The text of a message: atoms and lists, with comments and any blanks.
//!
//! Messages come from the network. Nothing here recurses, so depth is no danger.

/// An element of a list, as a piece of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Element<'a> {
    /// A name or number.
    Atom(&'a str),
    /// A list, with its parentheses.
    List(&'a str),
}

impl<'a> Element<'a> {
    /// The text.
    pub(crate) fn text(self) -> &'a str {
        match self {
            Self::Atom(text) | Self::List(text) => text,
        }
    }

    /// The term with single blanks, as terms are printed everywhere.
    pub(crate) fn spelt(self) -> String {
        let mut spelt = String::new();
        for token in Tokens::of(self.text()) {
            let closes = token == ")";
            if !closes && !spelt.is_empty() && !spelt.ends_with('(') {
                spelt.push(' ');
            }
            spelt.push_str(token);
        }
        spelt
    }
}

/// The elements of a text, or of the list that it is; `None` if its parentheses do not match.
pub(crate) fn elements(text: &str) -> Option<Vec<Element<'_>>> {
    let inner = match only_list(text) {
        Some(inner) => inner,
        None => text,
    };
    split(inner)
}

/// What is between the parentheses of a text that is one list.
fn only_list(text: &str) -> Option<&str> {
    match split(text)?.as_slice() {
        [Element::List(list)] => Some(&list[1..list.len() - 1]),
        _ => None,
    }
}

fn split(text: &str) -> Option<Vec<Element<'_>>> {
    let (mut elements, mut depth, mut first) = (Vec::new(), 0usize, 0);
    for token in Tokens::of(text) {
        let start = token.as_ptr() as usize - text.as_ptr() as usize;
        match token {
            "(" => {
                if depth == 0 {
                    first = start;
                }
                depth += 1;
            }
            ")" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    elements.push(Element::List(&text[first..=start]));
                }
            }
            atom if depth == 0 => elements.push(Element::Atom(atom)),
            _ => {}
        }
    }
    (depth == 0).then_some(elements)
}

/// Parentheses and atoms, without blanks and comments.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix(';') {
                Some(comment) => {
                    let end = comment.find(['\n', '\r']).unwrap_or(comment.len());
                    self.rest = &comment[end..];
                }
                None => break,
            }
        }
        let ends = |letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | ';');
        let length = match self.rest.chars().next()? {
            '(' | ')' => 1,
            _ => self.rest.find(ends).unwrap_or(self.rest.len()),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_split_whatever_its_blanks_and_comments() {
        let text = "( PLAY demo.1 ; a comment (\r\n ( (mark 2  2) noop ) )\r\n";
        let found = elements(text).expect("it is balanced");
        assert_eq!(found.len(), 3);
        assert_eq!(found[1], Element::Atom("demo.1"));
        let moves: Vec<String> =
            elements(found[2].text()).expect("balanced").into_iter().map(Element::spelt).collect();
        assert_eq!(moves, ["(mark 2 2)", "noop"]);
    }

    #[test]
    fn unbalanced_text_is_refused() {
        assert_eq!(elements("(play x"), None);
        assert_eq!(elements("play x)"), None);
        assert_eq!(elements(&"(".repeat(100_000)), None);
    }
}
