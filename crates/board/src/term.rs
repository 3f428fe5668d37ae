//! A fluent's name cut into its skeleton and its leaves: `(at (square 1 2) x)` is `(at (square · ·) ·)`
//! with the leaves `1`, `2` and `x`.

/// A name, cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Term<'a> {
    /// What is left when the leaves are taken out.
    pub(crate) skeleton: String,
    /// The first word.
    pub(crate) function: &'a str,
    /// The constants in argument places, from left to right.
    pub(crate) leaves: Vec<&'a str>,
}

impl<'a> Term<'a> {
    /// Cuts prefix text with single blanks, as names are spelt.
    pub(crate) fn read(text: &'a str) -> Self {
        let mut term = Self { skeleton: String::new(), function: "", leaves: Vec::new() };
        let mut opened = true;
        for word in words(text) {
            match word {
                "(" => opened = true,
                ")" => opened = false,
                name if opened => {
                    term.head(name);
                    opened = false;
                }
                leaf => {
                    term.skeleton.push('·');
                    term.leaves.push(leaf);
                    continue;
                }
            }
            if matches!(word, "(" | ")") {
                term.skeleton.push_str(word);
            }
        }
        term
    }

    fn head(&mut self, name: &'a str) {
        if self.function.is_empty() {
            self.function = name;
        }
        self.skeleton.push_str(name);
        self.skeleton.push(' ');
    }
}

/// Parentheses and names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split_inclusive(['(', ')', ' ']);
    pieces.flat_map(|piece| {
        let (name, mark) = match piece.char_indices().next_back() {
            Some((at, '(' | ')' | ' ')) => piece.split_at(at),
            _ => (piece, ""),
        };
        [name, mark].into_iter().filter(|word| !matches!(*word, "" | " "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_taken_out_at_any_depth() {
        let term = Term::read("(at (square 1 2) x)");
        assert_eq!(term.function, "at");
        assert_eq!(term.leaves, ["1", "2", "x"]);
        assert_eq!(term.skeleton, Term::read("(at (square b c) y)").skeleton);
        assert_ne!(term.skeleton, Term::read("(at (round 1 2) x)").skeleton);
    }

    #[test]
    fn a_word_is_its_own_skeleton() {
        let term = Term::read("dark");
        assert_eq!((term.function, term.leaves.len()), ("dark", 0));
        assert_ne!(term.skeleton, Term::read("lit").skeleton);
    }
}
