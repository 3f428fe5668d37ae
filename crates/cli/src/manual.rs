//! The command line as it is explained: examples for each command, and short pages.

use clap::{Command, CommandFactory};

use crate::arguments::Arguments;

/// For each command what one would type.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    ("tour", &[("gambol tour domineering-four-boards", "a game that falls into four")]),
    ("games", &[("gambol games", ""), ("gambol games --json", "for programs")]),
    (
        "check",
        &[
            ("gambol check my-game.kif", "what is wrong, where, and what was meant"),
            ("gambol check my-game.kif --play 200", "and 200 games, whose faults count"),
            ("gambol check old.kif --lenient", "as a player reads it"),
            ("gambol check --explain warn.never-true", ""),
        ],
    ),
    (
        "fmt",
        &[
            ("gambol fmt --write *.kif", "in place"),
            ("gambol fmt --check *.kif", "ends with 1 if a file would change"),
            ("gambol fmt nim --to hrf", "in infix notation"),
        ],
    ),
    ("lsp", &[("gambol lsp", "started by an editor, which speaks to it on standard input")]),
    ("new", &[("gambol new my-game", "makes my-game.kif"), ("gambol new my-game.hrf", "in infix")]),
    ("show", &[("gambol show nim", "")]),
    ("ground", &[("gambol ground connect-four", "")]),
    ("net", &[("gambol net buttons-and-lights --svg net.svg", "")]),
    ("step", &[("gambol step tic-tac-toe --moves '(put 2 2) wait'", "")]),
    (
        "structure",
        &[
            ("gambol structure untwisty-corridor --tree", "and how much of its tree is left"),
            ("gambol structure connect-four --time 10", "looks on until the time is over"),
        ],
    ),
    (
        "solve",
        &[
            ("gambol solve nim", ""),
            ("gambol solve domineering-four-boards --time 60", "part by part"),
            ("gambol solve connect-four-4x4 --certificate c4.cert", "to be checked by verify"),
            ("gambol solve connect-four-5x4 --strong --store c4", "every state, in files; goes on"),
            ("gambol solve connect-four-5x4 --store c4", "what the store says of the start"),
        ],
    ),
    ("store", &[("gambol store c4", "states by layer and value")]),
    (
        "verify",
        &[
            ("gambol verify connect-four-4x4 c4.cert", ""),
            ("gambol verify connect-four-5x4 c4", "a sample of a store"),
        ],
    ),
    ("decompose", &[("gambol decompose double-tic-tac-toe --prove", "")]),
    ("subgame", &[("gambol subgame double-tic-tac-toe 0", "")]),
    ("regress", &[("gambol regress tic-tac-toe", "")]),
    ("play", &[("gambol play connect-four", ""), ("gambol play nim --as second --clock 2", "")]),
    ("player", &[("gambol player --port 9147", "")]),
    ("match", &[("gambol match tic-tac-toe --local mcts random --games 20", "")]),
    (
        "tournament",
        &[
            (
                "gambol tournament nim connect-four-4x4 --players mcts random --rounds 4 --out t.jsonl",
                "",
            ),
            ("gambol tournament --resume t.jsonl --html t.html", "goes on, or shows it again"),
        ],
    ),
    (
        "scramble",
        &[("gambol scramble tic-tac-toe --seed 7 > other.kif", "the same game in other words")],
    ),
    (
        "quiz",
        &[
            ("gambol quiz nim --questions 50 > nim.jsonl", "questions with their answers"),
            ("gambol quiz tic-tac-toe --kinds value,best", "what is it worth, and what to play"),
        ],
    ),
    ("replay", &[("gambol replay tic-tac-toe games.jsonl.gz", "")]),
    ("simulate", &[("gambol simulate connect-four --seconds 5", "")]),
    ("corpus", &[("gambol corpus games/ --out results.sqlite", "")]),
    (
        "bench",
        &[
            ("gambol bench", "three games in ten seconds"),
            ("gambol bench reversi --seconds 2 --compare", "all ways to run its gates"),
        ],
    ),
    ("serve", &[("gambol serve", "then open the address it prints")]),
    (
        "completions",
        &[("gambol completions bash > ~/.local/share/bash-completion/completions/gambol", "")],
    ),
    ("man", &[("gambol man > gambol.1", ""), ("gambol man | man -l -", "read it at once")]),
];

/// The command line with examples. The short help of a command lists its own options only.
pub(crate) fn command() -> Command {
    let mut command = Arguments::command().mut_args(|argument| {
        let everywhere = argument.is_global_set();
        argument.hide_short_help(everywhere)
    });
    for (name, examples) in EXAMPLES {
        command = command.mut_subcommand(name, |it| it.after_help(text(examples)));
    }
    command
}

fn text(examples: &[(&str, &str)]) -> String {
    let width = examples.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    let mut text = String::from("Examples:");
    for (line, comment) in examples {
        let comment = if comment.is_empty() { String::new() } else { format!("   # {comment}") };
        text += &format!("\n  {}", format!("{line:width$}{comment}").trim_end());
    }
    text + "\n\nOptions of every command (--json, --time, --seed, …): gambol --help"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_can_be_said() {
        for (name, examples) in EXAMPLES {
            for (line, _) in *examples {
                let words =
                    line.split(['|', '>']).next().unwrap_or("").replace("'(put 2 2) wait'", "x");
                let parsed = command().try_get_matches_from(words.split_whitespace());
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                assert!(words.split_whitespace().nth(1) == Some(name), "{line}");
            }
        }
    }

    #[test]
    fn every_command_has_an_example() {
        for subcommand in Arguments::command().get_subcommands().filter(|it| !it.is_hide_set()) {
            let known = EXAMPLES.iter().any(|(name, _)| *name == subcommand.get_name());
            assert!(known || subcommand.get_name() == "bench", "{}", subcommand.get_name());
        }
    }
}
