//! What can be said on the command line.

use clap::{Args, ColorChoice, Parser, Subcommand, ValueEnum};
use gambol::EngineKind;
use gambol::sim::{Code, Width};

use crate::commands;

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
3 a limit was reached (or Ctrl-C), the result is partial; 4 cannot, with the reason, or the
answer was given but a file beside it could not be written; 75 a process of the same team was
lost, the same command goes on.";

/// The flags of every command.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Print one JSON object (or JSON lines) instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No warnings, no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Stop after so many seconds, with what is finished by then
    #[arg(long, global = true, value_name = "S", value_parser = positive_seconds)]
    pub(crate) time: Option<f64>,
    /// Stop when the program holds so much memory
    #[arg(long, global = true, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) memory: Option<u64>,
    /// Whether names that differ only in case are different
    #[arg(long, global = true, value_name = "HOW")]
    pub(crate) case: Option<CaseFlag>,
    /// Makes every random choice repeatable
    #[arg(long, global = true, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many threads to use [default: all cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
}

/// How names are compared.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseFlag {
    /// As spelt.
    Exact,
    /// All names in lower case.
    Fold,
}

/// Which engine is to answer.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineFlag {
    /// The plain interpreter of the rules.
    Reference,
    /// The propositional net, one marking at a time.
    Net,
    /// The compiled circuit, many games at once.
    Circuit,
}

impl From<EngineFlag> for EngineKind {
    fn from(flag: EngineFlag) -> Self {
        match flag {
            EngineFlag::Reference => EngineKind::Reference,
            EngineFlag::Net => EngineKind::Net,
            EngineFlag::Circuit => EngineKind::Circuit,
        }
    }
}

/// How the circuit engine runs its gates.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeFlag {
    /// The fastest that this processor has.
    Auto,
    /// A table of gates and a loop.
    Table,
    /// Machine code of AVX2 instructions.
    Avx2,
    /// Machine code of AVX-512 instructions.
    Avx512,
    /// Machine code of AArch64's vector instructions.
    Neon,
}

impl CodeFlag {
    /// The code asked for, if this processor can run it.
    pub(crate) fn available(self) -> anyhow::Result<Code> {
        let code = match self {
            CodeFlag::Auto => Code::Auto,
            CodeFlag::Table => Code::Table,
            CodeFlag::Avx2 => Code::Avx2,
            CodeFlag::Avx512 => Code::Avx512,
            CodeFlag::Neon => Code::Neon,
        };
        if !code.is_available() {
            let name =
                self.to_possible_value().map_or(String::new(), |value| value.get_name().into());
            anyhow::bail!("this processor cannot run {name} code; try --engine-code auto");
        }
        Ok(code)
    }
}

/// How many games run side by side.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LanesFlag {
    /// 64 games, by the table.
    #[value(name = "64")]
    L64,
    /// 256 games.
    #[value(name = "256")]
    L256,
    /// 512 games.
    #[value(name = "512")]
    L512,
}

impl From<LanesFlag> for Width {
    fn from(flag: LanesFlag) -> Self {
        match flag {
            LanesFlag::L64 => Width::W64,
            LanesFlag::L256 => Width::W256,
            LanesFlag::L512 => Width::W512,
        }
    }
}

/// One variant per command; each has its file in `commands`.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// The whole story of one game on one screen
    Tour(commands::tour::Arguments),
    /// List the bundled games
    Games(commands::games::Arguments),
    /// What a game is about, and its rules
    Show(commands::show::Arguments),
    /// Make a small game to start from
    New(commands::new::Arguments),
    /// Check the rules of a game: errors, misspelt names, and a few games played
    Check(commands::check::Arguments),
    /// Pretty-print the rules, or translate between the two syntaxes
    Fmt(commands::fmt::Arguments),
    /// Answer an editor: diagnoses, hover, definitions, rename, format (language server protocol)
    Lsp(commands::lsp::Arguments),
    /// Instantiate the rules: roles, fluents, moves, ground rules
    Ground(commands::ground::Arguments),
    /// Build the propositional net, and draw it
    Net(commands::net::Arguments),
    /// One state: what is true, legal, terminal, worth, and next
    Step(commands::step::Arguments),
    /// Prove the structure of a game: latches, inhibitors, mutexes, clocks, turns
    Structure(commands::structure::Arguments),
    /// Compute the game-theoretic value of a game, with proof
    Solve(commands::solve::Arguments),
    /// What a store of `solve --strong --store` holds: states by layer and value
    Store(commands::store::Arguments),
    /// Check a certificate, or a sample of a store, with the plain interpreter
    Verify(commands::verify::Arguments),
    /// Decompose a game into independent subgames, and prove it
    Decompose(commands::decompose::Arguments),
    /// Write one subgame as a game of its own, in GDL
    Subgame(commands::subgame::Arguments),
    /// Goal regression over an automaton or a game: an exact policy, with rules to read
    Regress(commands::regress::Arguments),
    /// The same game in other words, shown to have the same net
    Scramble(commands::scramble::Arguments),
    /// Questions about a game with checked answers, as JSON lines
    Quiz(commands::quiz::Arguments),
    /// Play against the engine, in the terminal
    Play(commands::play::Arguments),
    /// Wait for matches on a port, and play them (GGP protocol)
    Player(commands::player::Arguments),
    /// Referee a match between players on the GGP protocol, or between engines
    Match(commands::match_play::Arguments),
    /// Rate several players over several games: round robin or ladder; resumable
    Tournament(commands::tournament::Arguments),
    /// Compare recorded playouts with our engines
    Replay(commands::replay::Arguments),
    /// Random playouts, as fast as possible
    Simulate(commands::simulate::Arguments),
    /// Every rulesheet under a directory, one process each; resumable
    Corpus(commands::corpus::Arguments),
    /// The explorer: see a game's structure in the browser
    Serve(commands::serve::Arguments),
    /// Measure our own speed, with the answers asserted
    Bench(commands::bench::Arguments),
    /// What a shell needs to complete commands, options and games
    Completions(commands::completions::Arguments),
    /// The manual page
    Man(commands::man::Arguments),
    #[command(hide = true)]
    CorpusGame(commands::corpus_game::Arguments),
}

pub(crate) fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("give a positive number of seconds".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
