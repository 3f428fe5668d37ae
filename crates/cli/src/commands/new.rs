//! `gambol new`: a small game to start from.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use gambol::syntax::{ReadOptions, print, read};

use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// The name of the new game.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The file to make; without an ending it gets .kif. With .hrf the game is written in infix
    name: String,
}

/// A race that is valid, ends, and can be won: something to change step by step.
const TEMPLATE: &str = include_str!("new_game.kif");

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let name = &arguments.name;
    if name.is_empty() || name.ends_with('/') || name == "-" {
        return Err(Stop::Usage("give the new game a name, such as my-game".to_string()).into());
    }
    let file_name = match Path::new(name).extension() {
        Some(_) => name.clone(),
        None => format!("{name}.kif"),
    };
    let text = if file_name.ends_with(".hrf") { in_infix()? } else { TEMPLATE.to_string() };
    let path = Path::new(&file_name);
    if path.symlink_metadata().is_ok() {
        bail!("{file_name} is there already; nothing was written");
    }
    files::replace(path, text.as_bytes()).with_context(|| format!("cannot make {file_name}"))?;
    if session.flags.json {
        session.json(&serde_json::json!({ "file": file_name }))?;
        return Ok(Outcome::Yes);
    }
    writeln!(
        session.out,
        "{file_name} is a small race for two. What to do next:\n\n  \
         gambol check {file_name}    are the rules right?\n  \
         gambol play {file_name}     play it\n  \
         gambol serve                see it: Rules, open {file_name}\n  \
         gambol fmt --write {file_name}\n\n\
         docs/writing-games.md explains the language."
    )?;
    Ok(Outcome::Yes)
}

fn in_infix() -> anyhow::Result<String> {
    let reading = read(TEMPLATE.as_bytes(), &ReadOptions::default());
    let rules = reading.rules.context("the game to start from does not parse")?;
    Ok(print::to_infix(&rules))
}
