//! What the words of the language mean, one sentence each.

const MEANINGS: [(&str, &str); 14] = [
    (
        "role",
        "`(role r)`: r is a player. The role `random` is chance: its legal moves are equally likely.",
    ),
    ("init", "`(init f)`: the fluent f is true in the first state."),
    ("true", "`(true f)`: f is true in the current state."),
    ("legal", "`(legal r m)`: r may make the move m."),
    ("does", "`(does r m)`: r makes the move m in this step."),
    ("next", "`(next f)`: f is true in the next state. What no rule makes true is false."),
    ("terminal", "`terminal`: the game is over."),
    ("goal", "`(goal r n)`: the state is worth n to r, from 0 to 100."),
    ("base", "`(base f)`: f is a fluent of the game. Optional."),
    ("input", "`(input r m)`: m is a move of r. Optional."),
    ("sees", "`(sees r p)`: r perceives p in this step. For games with hidden information."),
    ("distinct", "`(distinct s t)`: the terms s and t differ."),
    ("not", "`(not c)`: c does not hold. Its variables must be bound by another condition."),
    ("or", "`(or c d …)`: one of the conditions holds."),
];

/// What a word of the language means, in Markdown.
pub fn keyword_meaning(word: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|&(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use gambol_syntax::Symbols;

    #[test]
    fn every_word_explained_is_a_word_of_the_language() {
        for (word, _) in super::MEANINGS {
            assert!(Symbols::reserved(word).is_some(), "{word}");
        }
    }
}
