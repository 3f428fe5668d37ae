//! Where a game comes from: a file, standard input, or the program itself.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, bail};
use gambol::syntax::{Diagnosis, Severity, SyntaxLimits};
use gambol::{Game, LoadError, bundled_game, bundled_games};

use crate::arguments::CaseFlag;
use crate::finding::complain_of;
use crate::outcome::Stop;
use crate::session::Session;

/// A game's text and what to call it in messages.
#[derive(Debug)]
pub(crate) struct GameText {
    /// The file's path, or the bundled game's name.
    pub(crate) name: String,
    /// The rules.
    pub(crate) text: Vec<u8>,
}

/// Reads the text of `GAME`. A file wins over a bundled game of the same name.
pub(crate) fn text_of(name: &str) -> anyhow::Result<GameText> {
    if name == "-" {
        let text = read_bounded(io::stdin().lock()).context("cannot read standard input")?;
        return Ok(GameText { name: "<stdin>".to_string(), text });
    }
    let path = Path::new(name);
    if path.is_file() {
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let text = read_bounded(file).with_context(|| format!("cannot read {name}"))?;
        return Ok(GameText { name: name.to_string(), text });
    }
    match bundled_game(name) {
        Some(game) => Ok(GameText { name: name.to_string(), text: game.rules().into_owned() }),
        None => bail!("{}", not_found(name)),
    }
}

/// One byte more than the reader accepts is enough to be told so.
fn read_bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    reader.take(SyntaxLimits::default().size as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

fn not_found(name: &str) -> String {
    let looks_like_a_path = name.contains(['/', '.']);
    if looks_like_a_path {
        return format!("there is no file {name}");
    }
    let unknown = LoadError::UnknownGame { name: name.to_string() };
    let count = bundled_games().len();
    format!("there is no file {name}, and {unknown} (there are {count})")
}

/// Reads `GAME` as play does, under the run's limits. Warnings are shown unless quiet.
pub(crate) fn load(name: &str, session: &mut Session) -> anyhow::Result<Game> {
    load_with_case(name, CaseFlag::Exact, session)
}

/// Like [`load`], with the reading of case that holds if none is asked for.
pub(crate) fn load_with_case(
    name: &str,
    default: CaseFlag,
    session: &mut Session,
) -> anyhow::Result<Game> {
    read(&text_of(name)?, default, session)
}

/// The game whose text has been read already.
pub(crate) fn load_text(source: &GameText, session: &mut Session) -> anyhow::Result<Game> {
    read(source, CaseFlag::Exact, session)
}

fn read(source: &GameText, default: CaseFlag, session: &mut Session) -> anyhow::Result<Game> {
    match Game::read(&source.text, &session.read_options(default)) {
        Ok(game) => {
            warn_of(source, game.diagnoses(), session);
            session.watch.know("clauses", game.rules().clauses.len());
            let limits = session.ground_limits();
            Ok(game.with_limits(limits))
        }
        Err(LoadError::Invalid(diagnoses)) => {
            complain_of(source, &diagnoses, session);
            Err(Stop::Invalid.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// One line for all warnings: `gambol check` is the place to read them.
fn warn_of(source: &GameText, diagnoses: &[Diagnosis], session: &mut Session) {
    let count = diagnoses.iter().filter(|it| it.severity == Severity::Warning).count();
    if count > 0 {
        let plural = if count == 1 { "warning" } else { "warnings" };
        session.warn(&format!("{}: {count} {plural}; see gambol check --lenient", source.name));
    }
}
