//! Interned names. The reserved words of GDL are interned first, so that each is a constant here.

use string_interner::{DefaultSymbol, StringInterner, Symbol as _, backend::StringBackend};

/// An interned name: a relation, function, object or variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(u32);

macro_rules! keywords {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        /// The reserved words. Readers map every spelling (`ROLE`, `Role`) to these.
        pub mod keyword {
            use super::Symbol;
            $(
                #[doc = concat!("`", $text, "`")]
                pub const $name: Symbol = Symbol($number);
            )*
        }
        /// In the order of their numbers.
        const RESERVED: &[&str] = &[$($text),*];
    };
}

keywords! {
    ROLE = 0, "role";
    INIT = 1, "init";
    TRUE = 2, "true";
    DOES = 3, "does";
    NEXT = 4, "next";
    LEGAL = 5, "legal";
    GOAL = 6, "goal";
    TERMINAL = 7, "terminal";
    BASE = 8, "base";
    INPUT = 9, "input";
    SEES = 10, "sees";
    IF = 11, "<=";
    NOT = 12, "not";
    OR = 13, "or";
    AND = 14, "and";
    DISTINCT = 15, "distinct";
}

impl Symbol {
    /// Whether this is one of the game relations `role` … `sees`.
    pub fn is_game_relation(self) -> bool {
        self.0 <= keyword::SEES.0
    }

    /// Whether this is `<=`, `not`, `or`, `and` or `distinct`.
    pub fn is_connective(self) -> bool {
        (keyword::IF.0..=keyword::DISTINCT.0).contains(&self.0)
    }
}

/// All names of one rulesheet.
#[derive(Clone, Debug)]
pub struct Symbols {
    interner: StringInterner<StringBackend<DefaultSymbol>, rustc_hash::FxBuildHasher>,
}

impl Symbols {
    /// The reserved words only.
    pub fn new() -> Self {
        let mut symbols = Self { interner: StringInterner::new() };
        for word in RESERVED {
            symbols.intern(word);
        }
        symbols
    }

    /// The reserved word that is spelt like this but for case.
    pub fn reserved(text: &str) -> Option<Symbol> {
        let index = RESERVED.iter().position(|word| word.eq_ignore_ascii_case(text))?;
        u32::try_from(index).ok().map(Symbol)
    }

    /// The symbol of this spelling.
    pub fn intern(&mut self, text: &str) -> Symbol {
        Symbol(number(self.interner.get_or_intern(text)))
    }

    /// The symbol of this spelling, if it occurs.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.interner.get(text).map(|symbol| Symbol(number(symbol)))
    }

    /// The spelling.
    pub fn text(&self, symbol: Symbol) -> &str {
        DefaultSymbol::try_from_usize(symbol.0 as usize)
            .and_then(|symbol| self.interner.resolve(symbol))
            .unwrap_or("")
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Self::new()
    }
}

fn number(symbol: DefaultSymbol) -> u32 {
    u32::try_from(symbol.to_usize()).expect("fewer than 2^32 names")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_have_their_numbers() {
        let symbols = Symbols::new();
        for (index, word) in RESERVED.iter().enumerate() {
            assert_eq!(symbols.find(word), Some(Symbol(u32::try_from(index).unwrap())));
        }
        assert_eq!(symbols.text(keyword::DISTINCT), "distinct");
    }
}
