//! From the spelling of a name to its symbol.

use crate::{Symbol, Symbols};

/// Whether names that differ only in case are different.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Case {
    /// They are; only reserved words may be written in any case.
    #[default]
    Exact,
    /// They are not: all names are read in lower case.
    Fold,
}

impl Case {
    /// The symbol of a variable's name.
    pub(crate) fn variable(self, symbols: &mut Symbols, text: &str) -> Symbol {
        match self {
            Case::Exact => symbols.intern(text),
            Case::Fold => symbols.intern(&text.to_lowercase()),
        }
    }

    /// The symbol of any other name; reserved words are recognised in any case.
    pub(crate) fn name(self, symbols: &mut Symbols, text: &str) -> Symbol {
        Symbols::reserved(text).unwrap_or_else(|| self.variable(symbols, text))
    }
}
