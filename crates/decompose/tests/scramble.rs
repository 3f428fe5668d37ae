//! A game with all its words exchanged for others comes apart in the same way.

use std::collections::{BTreeMap, BTreeSet};

use gambol_decompose::{DecomposeOptions, Subgame, decompose};
use gambol_net::Net;

const KEYWORDS: [&str; 17] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "not",
    "or", "distinct", "sees", "random", "<=", "=",
];

fn net_of(text: &str) -> Net {
    let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules.expect("it parses");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("it grounds");
    gambol_net::simplify(&gambol_net::build(&ground).expect("it is a net"))
}

fn bundled(name: &str) -> String {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the game is bundled");
    text.lines().map(|line| line.split(';').next().unwrap_or_default().to_string() + "\n").collect()
}

/// New words for old ones; a seed gives them another order.
struct Scramble {
    seed: u64,
    words: BTreeMap<String, String>,
}

impl Scramble {
    fn word(&mut self, old: &str) -> String {
        let keeps = KEYWORDS.contains(&old)
            || old.starts_with('?')
            || old.chars().all(|letter| letter.is_ascii_digit());
        if keeps {
            return old.to_string();
        }
        let number = self.words.len() as u64;
        let shuffled = (number + 1).wrapping_mul(self.seed | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.words
            .entry(old.to_string())
            .or_insert(format!("w{:05x}q{number}", shuffled >> 44))
            .clone()
    }

    fn text(&mut self, text: &str) -> String {
        let mut found = String::new();
        let mut word = String::new();
        for letter in text.chars().chain([' ']) {
            if letter.is_whitespace() || letter == '(' || letter == ')' {
                found.push_str(&if word.is_empty() { String::new() } else { self.word(&word) });
                word.clear();
                found.push(letter);
            } else {
                word.push(letter);
            }
        }
        found.trim_end().to_string()
    }
}

/// What is said of each part, with its fluents as `spell` writes them.
fn parts(net: &Net, mut spell: impl FnMut(&str) -> String) -> BTreeSet<(bool, bool, Vec<String>)> {
    let mut options = DecomposeOptions::default();
    options.playouts = 1_000;
    let found = decompose(net, &options);
    let mut view = |part: &Subgame| {
        let names = part.fluents.iter().map(|&fluent| spell(&net.fluents[fluent]));
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        (part.action_dependent, part.useful, names)
    };
    found.subgames.iter().map(&mut view).collect()
}

#[test]
fn words_do_not_matter() {
    let games = [
        "joint-buttons-and-lights",
        "joint-buttons-and-lights-gap",
        "joint-buttons-and-lights-latin",
        "multiple-buttons-and-lights",
        "multiple-tic-tac-toe",
        "noughts-and-heap",
        "joint-tic-tac-toe",
        "four-lamps",
        "double-tic-tac-toe",
        "untwisty-corridor",
    ];
    for game in games {
        let text = bundled(game);
        for seed in [0x1234_5677, 0xdead_beef] {
            let mut scramble = Scramble { seed, words: BTreeMap::new() };
            let scrambled = net_of(&scramble.text(&text));
            let expected = parts(&net_of(&text), |name| scramble.text(name));
            let found = parts(&scrambled, str::to_string);
            assert_eq!(found, expected, "{game}, seed {seed:x}");
        }
    }
}
