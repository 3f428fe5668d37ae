//! `gambol fmt`: the rules, printed anew.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::{Args, ValueEnum};
use gambol::syntax::{Notation, has_errors, print, read};

use crate::files;
use crate::finding::complain_of;
use crate::flags::CaseFlag;
use crate::game_text::{GameText, text_of};
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// What to print, and how.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Files, - or bundled games
    #[arg(required = true, value_name = "GAME")]
    games: Vec<String>,
    /// The syntax to print [default: as it is]
    #[arg(long, value_name = "SYNTAX")]
    to: Option<Syntax>,
    /// Write the result to the files instead of printing it
    #[arg(long, short, conflicts_with = "to")]
    write: bool,
    /// Change nothing; name the files that would change, and exit with 1 if there are any
    #[arg(long, conflicts_with_all = ["to", "write"])]
    check: bool,
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
    let mut formatted = true;
    for game in &arguments.games {
        let source = text_of(game)?;
        let text = anew(&source, arguments.to, session)?;
        let same = source.text == text.as_bytes();
        if arguments.check {
            formatted &= same;
            if !same {
                writeln!(session.out, "{}", source.name)?;
            }
        } else if arguments.write {
            let path = Path::new(game);
            if !path.is_file() {
                let message = format!("{game} is no file that could be written");
                return Err(Stop::Usage(message).into());
            }
            if !same {
                let written = files::replace(path, text.as_bytes());
                written.with_context(|| format!("cannot write {game}"))?;
            }
        } else {
            write!(session.out, "{text}")?;
        }
    }
    Ok(Outcome::of(formatted))
}

/// The rules, printed.
fn anew(source: &GameText, to: Option<Syntax>, session: &mut Session) -> anyhow::Result<String> {
    let reading = read(&source.text, &session.read_options(CaseFlag::Exact));
    let Some(rules) = reading.rules.filter(|_| !has_errors(&reading.diagnoses)) else {
        complain_of(source, &reading.diagnoses, session);
        return Err(Stop::Invalid.into());
    };
    let to = to.unwrap_or(match Notation::of(&source.text) {
        Notation::Prefix => Syntax::Kif,
        Notation::Infix => Syntax::Hrf,
    });
    Ok(match to {
        Syntax::Kif => print::to_prefix(&rules),
        Syntax::Hrf => print::to_infix(&rules),
    })
}
