//! `gambol scramble`: the same game in other words.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use gambol::{ScrambleError, scramble};

use crate::game_source::load;
use crate::outcome::Outcome;
use crate::session::Session;

/// What to put in other words. `--seed` chooses the words.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// Write the dictionary (which word stands for which) to this file, as JSON
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    session.will_write(arguments.names.as_deref())?;
    let game = load(&arguments.game, session)?;
    super::net_of(&game, session)?;
    let other = match scramble(&game, session.flags.seed) {
        Err(ScrambleError::Stage(error)) => super::stage(Err(error))?,
        other => other?,
    };
    if session.flags.json {
        session.json(&serde_json::json!({ "rules": other.text, "names": other.names }))?;
    } else {
        writeln!(session.out, "{}", other.text.trim_end())?;
    }
    if let Some(path) = &arguments.names {
        session.write_beside(path, &serde_json::to_vec_pretty(&other.names)?);
    }
    Ok(session.outcome(true))
}
