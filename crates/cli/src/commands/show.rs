//! `gambol show`: what a game is about, and its rules.

use std::io::Write;

use clap::Args;
use gambol::bundled_game;
use gambol::syntax::{Notation, print, read};

use crate::finding::complain_of;
use crate::flags::CaseFlag;
use crate::game_text::text_of;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// What to show.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let source = text_of(&arguments.game)?;
    let facts = bundled_game(&source.name).map(|game| game.facts()).transpose()?;
    let about = facts.map(|facts| facts.about);
    let reading = read(&source.text, &session.read_options(CaseFlag::Exact));
    let Some(rules) = reading.rules else {
        complain_of(&source, &reading.diagnoses, session);
        return Err(Stop::Invalid.into());
    };
    // The author's own lines, unless they are no UTF-8.
    let text = String::from_utf8(source.text.clone()).unwrap_or_else(|_| print::to_prefix(&rules));
    if session.flags.json {
        let object = serde_json::json!({ "name": source.name, "about": about, "rules": text });
        session.json(&object)?;
        return Ok(Outcome::Yes);
    }
    if let Some(about) = about {
        let sign = if Notation::of(&source.text) == Notation::Prefix { ';' } else { '%' };
        writeln!(session.out, "{sign} {}: {about}\n", source.name)?;
    }
    writeln!(session.out, "{}", text.trim_end())?;
    Ok(Outcome::Yes)
}
