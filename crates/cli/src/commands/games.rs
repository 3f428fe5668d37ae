//! `gambol games`: the games that come with the program.

use std::io::Write;

use clap::Args;
use gambol::bundled_games;
use serde::Serialize;

use crate::numbers::counted;
use crate::outcome::Outcome;
use crate::session::Session;

/// Nothing to choose.
#[derive(Args, Debug)]
pub(crate) struct Arguments {}

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    roles: Vec<String>,
    about: String,
}

pub(crate) fn run(_: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let games = bundled_games();
    let width = games.iter().map(|game| game.name().len()).max().unwrap_or(0);
    for game in &games {
        let facts = game.facts()?;
        if session.flags.json {
            session.json(&Line { name: game.name(), roles: facts.roles, about: facts.about })?;
        } else {
            let (name, players) = (game.name(), counted(facts.roles.len(), "player"));
            writeln!(session.out, "{name:width$}  {players:<9}  {}", facts.about)?;
        }
    }
    Ok(Outcome::Yes)
}
