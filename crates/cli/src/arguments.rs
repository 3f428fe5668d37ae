//! The commands that can be given.

use clap::{Parser, Subcommand};

use crate::commands;
use crate::flags::Global;

/// Takes games apart: reads GDL rules, grounds them, builds the propositional net, and runs it.
#[derive(Parser, Debug)]
#[command(name = "gambol", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
GAME is a file (.kif prefix or .hrf infix), - for standard input, or the name of a bundled game.

Exit codes: 0 done, and the answer is yes; 1 done, and the answer is no; 2 wrong usage;
3 a limit was reached (or Ctrl-C), the result is partial; 4 it cannot be done, for the reason given,
or the answer was given but a file could not be written; 75 another process of the team was lost,
run the same command again to go on.";

/// One variant per command; each has its file in `commands`.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Tell the whole story of one game on one screen
    Tour(commands::tour::Arguments),
    /// List the bundled games
    Games(commands::games::Arguments),
    /// Show what a game is about, and its rules
    Show(commands::show::Arguments),
    /// Make a small game to start from
    New(commands::new::Arguments),
    /// Check the rules of a game: errors, misspelt names, and a few games played
    Check(commands::check::Arguments),
    /// Pretty-print the rules, or translate between the two syntaxes
    Fmt(commands::fmt::Arguments),
    /// Run the language server for editors: diagnoses, hover, definitions, rename, format
    Lsp(commands::lsp::Arguments),
    /// Instantiate the rules: roles, fluents, moves, ground rules
    Ground(commands::ground::Arguments),
    /// Build the propositional net, and draw it
    Net(commands::net::Arguments),
    /// Show one state: what is true and legal, what it is worth, and what comes next
    Step(commands::step::Arguments),
    /// Prove the structure of a game: latches, inhibitors, mutexes, clocks, turns
    Structure(commands::structure::Arguments),
    /// Compute the game-theoretic value of a game, with proof
    Solve(commands::solve::Arguments),
    /// Show what a store of `solve --strong --store` holds: states by layer and value
    Store(commands::store::Arguments),
    /// Check a certificate, or a sample of a store, with the plain interpreter
    Verify(commands::verify::Arguments),
    /// Decompose a game into independent subgames, and prove it
    Decompose(commands::decompose::Arguments),
    /// Write one subgame as a game of its own, in GDL
    Subgame(commands::subgame::Arguments),
    /// Goal regression over an automaton or a game: an exact policy, with rules to read
    Regress(commands::regress::Arguments),
    /// Write the same game in other words, shown to have the same net
    Scramble(commands::scramble::Arguments),
    /// Ask questions about a game, with checked answers, as JSON lines
    Quiz(commands::quiz::Arguments),
    /// Play against the engine, in the terminal
    Play(commands::play::Arguments),
    /// Wait for matches on a port, and play them (GGP protocol)
    Player(commands::player::Arguments),
    /// Referee a match between players on the GGP protocol, or between engines
    Match(commands::match_play::Arguments),
    /// Rate several players over several games: round robin or ladder; resumable
    Tournament(commands::tournament::Arguments),
    /// Compare recorded playouts with the engines
    Replay(commands::replay::Arguments),
    /// Play random games, as fast as possible
    Simulate(commands::simulate::Arguments),
    /// Process every rulesheet under a directory, one process each; resumable
    Corpus(commands::corpus::Arguments),
    /// Start the explorer: play games and see their structure in the browser
    Serve(commands::serve::Arguments),
    /// Measure the speed of this program, and check its answers
    Bench(commands::bench::Arguments),
    /// Print what a shell needs to complete commands, options and games
    Completions(commands::completions::Arguments),
    /// Print the manual page
    Man(commands::man::Arguments),
    #[command(hide = true)]
    CorpusGame(commands::corpus_game::Arguments),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
