//! `gambol lsp`: a language server for rules, on standard input and output.

use std::io::{self, BufReader};

use clap::Args;

use crate::language_server::serve;
use crate::outcome::Outcome;
use crate::session::Session;

/// Editors add this; there is no other way to speak.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Speak on standard input and output, as always
    #[arg(long)]
    stdio: bool,
}

pub(crate) fn run(_: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let read = session.read_options(crate::flags::CaseFlag::Exact);
    let polite = serve(BufReader::new(io::stdin()), io::stdout(), read)?;
    Ok(Outcome::of(polite))
}
