//! Flags that several commands have.

use clap::{Args, ColorChoice, ValueEnum};
use gambol::EngineKind;
use gambol::sim::{Code, Width};

/// The flags of every command.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Print one JSON object (or JSON lines) instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show no warnings and no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Stop after this many seconds, and report what is finished by then
    #[arg(long, global = true, value_name = "S", value_parser = positive_seconds)]
    pub(crate) time: Option<f64>,
    /// Stop when the program uses this much memory
    #[arg(long, global = true, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) memory: Option<u64>,
    /// Whether names that differ only in case are different names
    #[arg(long, global = true, value_name = "HOW")]
    pub(crate) case: Option<CaseFlag>,
    /// The seed of all random choices; the same seed repeats them
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

pub(crate) fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("give a positive number of seconds".to_string()),
    }
}
