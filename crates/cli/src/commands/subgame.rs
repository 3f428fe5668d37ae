//! `gambol subgame`: one part of a game as a game of its own.

use std::io::Write;

use clap::Args;
use gambol::decompose::{SubgameId, finite_subgame_net, write_gdl};
use gambol::index::Id;

use super::decompose::How;
use crate::game_source::load;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// Which part of which game.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// The number of the subgame, as `gambol decompose` gives it
    id: u32,
    /// The syntax to write
    #[arg(long, default_value = "kif")]
    to: Syntax,
    #[command(flatten)]
    how: How,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Syntax {
    /// Prefix.
    Kif,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    let net = super::net_of(&game, session)?;
    let options = arguments.how.options(&game, session)?;
    let found = super::stage(game.subgames_with(&options, &mut |_| {}))?;
    let id = SubgameId::from_index(arguments.id as usize);
    if found.subgames.get(id).is_none() {
        let message = format!("there are {} subgames, numbered from 0", found.subgames.len());
        return Err(Stop::Usage(message).into());
    }
    let part = finite_subgame_net(net, &found, id)?;
    let basis = found.sound.and(found.classes_exact);
    if !basis.is_proved() {
        let basis = basis.as_str();
        session.warn(&format!(
            "the part is {basis}: it need not be what it seems; --prove makes sure"
        ));
        writeln!(session.out, "; part {} of {}, {basis}", arguments.id, arguments.game)?;
    }
    match arguments.to {
        Syntax::Kif => write!(session.out, "{}", write_gdl(&part))?,
    }
    Ok(session.outcome(true))
}
