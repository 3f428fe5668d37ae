//! `gambol subgame`: one part of a game, or one phase of it, as a game of its own.

use std::io::Write;

use clap::Args;
use gambol::Game;
use gambol::decompose::{
    Decomposition, SubgameId, finite_subgame_net, phase_entry, phase_net, write_gdl,
};
use gambol::index::Id;
use gambol::net::{Net, State};

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
    #[arg(required_unless_present = "phase")]
    id: Option<u32>,
    /// A phase instead: what is played from one crossing point to the next
    #[arg(long, value_name = "N", conflicts_with = "id")]
    phase: Option<usize>,
    /// What is handed on to the phase, as in "(left c 2) (turn first)" [default: as it was seen]
    #[arg(long, value_name = "TERMS", requires = "phase", allow_hyphen_values = true)]
    interface: Option<String>,
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
    let Some(id) = arguments.id else { return write_phase(arguments, &game, net, &found, session) };
    let id = SubgameId::from_index(id as usize);
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
        writeln!(session.out, "; part {} of {}, {basis}", id.index(), arguments.game)?;
    }
    match arguments.to {
        Syntax::Kif => write!(session.out, "{}", write_gdl(&part))?,
    }
    Ok(session.outcome(true))
}

/// Writes a phase, from the state in which it begins with what is handed on.
fn write_phase(
    arguments: &Arguments,
    game: &Game,
    net: &Net,
    found: &Decomposition,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let number = arguments.phase.unwrap_or_default();
    let Some(phase) = found.phases.get(number) else {
        let message = match found.phases.len() {
            0 => "no phases were found".to_string(),
            count => format!("there are {count} phases, numbered from 0"),
        };
        return Err(Stop::Usage(message).into());
    };
    let handed = match &arguments.interface {
        Some(text) => super::state(text, game)?,
        None => phase.seen.clone(),
    };
    if !phase.basis.is_proved() {
        let basis = phase.basis.as_str();
        session.warn(&format!(
            "the phase is {basis}: it need not be what it seems; --prove makes sure"
        ));
        writeln!(session.out, "; phase {number} of {}, {basis}", arguments.game)?;
    }
    let entry = phase_entry(net, phase, &State::of(net, &handed));
    let part = phase_net(net, found.phases.get(number + 1), &entry.fluents(), &[]);
    write!(session.out, "{}", write_gdl(&part))?;
    Ok(session.outcome(true))
}
