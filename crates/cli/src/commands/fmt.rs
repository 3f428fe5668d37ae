//! `gambol fmt`: the rules, printed anew.

use std::io::Write;

use clap::{Args, ValueEnum};
use gambol::syntax::{Notation, has_errors, print, read};

use crate::arguments::CaseFlag;
use crate::finding::complain_of;
use crate::game_source::text_of;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// What to print, and how.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// The syntax to print [default: as it is]
    #[arg(long, value_name = "SYNTAX")]
    to: Option<Syntax>,
}

/// The two syntaxes.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Syntax {
    /// Prefix.
    Kif,
    /// Infix.
    Hrf,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let source = text_of(&arguments.game)?;
    let reading = read(&source.text, &session.read_options(CaseFlag::Exact));
    let Some(rules) = reading.rules.filter(|_| !has_errors(&reading.diagnoses)) else {
        complain_of(&source, &reading.diagnoses, session);
        return Err(Stop::Invalid.into());
    };
    let to = arguments.to.unwrap_or(match Notation::of(&source.text) {
        Notation::Prefix => Syntax::Kif,
        Notation::Infix => Syntax::Hrf,
    });
    let text = match to {
        Syntax::Kif => print::to_prefix(&rules),
        Syntax::Hrf => print::to_infix(&rules),
    };
    write!(session.out, "{text}")?;
    Ok(Outcome::Yes)
}
