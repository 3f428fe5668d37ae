//! `gambol verify`: checks a certificate of `gambol solve` with the plain interpreter only.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use gambol::solve::{Certificate, Refusal, verify};
use serde::Serialize;

use crate::game_source::load;
use crate::outcome::Outcome;
use crate::session::Session;

/// Which game, and what is said to be proved about it.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// A file written by `gambol solve --certificate`
    certificate: PathBuf,
}

#[derive(Serialize)]
struct Report {
    accepted: bool,
    reason: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    let path = &arguments.certificate;
    let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut interpreter = super::stage(game.interpreter())?;
    let checked = match serde_json::from_slice::<Certificate>(&text) {
        Ok(certificate) => verify(&mut interpreter, &certificate),
        Err(error) => Err(Refusal::Malformed(error.to_string())),
    };
    let report = Report { accepted: checked.is_ok(), reason: checked.err().map(|e| e.to_string()) };
    if session.flags.json {
        session.json(&report)?;
    } else if let Some(reason) = &report.reason {
        writeln!(session.out, "refused: {reason}")?;
    } else {
        writeln!(session.out, "accepted: the rules bear out every claim of the certificate")?;
    }
    Ok(session.outcome(report.accepted))
}
