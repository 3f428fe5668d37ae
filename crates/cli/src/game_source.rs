//! The game that a command is about, read as play does.

use gambol::syntax::{Diagnosis, Severity};
use gambol::{Game, LoadError};

use crate::finding::complain_of;
use crate::flags::CaseFlag;
use crate::game_text::{GameText, text_of};
use crate::outcome::Stop;
use crate::session::Session;

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
