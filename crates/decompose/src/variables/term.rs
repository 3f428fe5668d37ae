//! The outermost shape of a fluent's name: its function and its arguments, as text.

/// A term cut into its function and its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Term {
    pub(crate) function: String,
    pub(crate) arguments: Vec<String>,
}

/// What terms of one kind have in common: function and number of arguments.
pub(crate) type Shape<'a> = (&'a str, usize);

impl Term {
    /// Reads GDL prefix text with single blanks, as names are spelt.
    pub(crate) fn read(text: &str) -> Self {
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let Some(inner) = inner else {
            return Self { function: text.to_string(), arguments: Vec::new() };
        };
        let mut pieces = split(inner).into_iter();
        let function = pieces.next().unwrap_or_default();
        Self { function, arguments: pieces.collect() }
    }

    pub(crate) fn shape(&self) -> Shape<'_> {
        (&self.function, self.arguments.len())
    }
}

/// Cuts at the blanks that are in no parenthesis.
fn split(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut depth = 0u32;
    for letter in text.chars() {
        match letter {
            ' ' if depth == 0 => pieces.push(String::new()),
            _ => {
                depth = match letter {
                    '(' => depth + 1,
                    ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                pieces.last_mut().expect("there is always a last piece").push(letter);
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_arguments_stay_whole() {
        let term = Term::read("(at (square 1 2) x)");
        assert_eq!(term.shape(), ("at", 2));
        assert_eq!(term.arguments, ["(square 1 2)", "x"]);
    }
}
