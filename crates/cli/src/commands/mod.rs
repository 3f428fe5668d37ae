//! One file per command.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod corpus;
pub(crate) mod corpus_game;
pub(crate) mod decompose;
mod decompose_explain;
mod decompose_relations;
mod decompose_steps;
pub(crate) mod fmt;
pub(crate) mod games;
pub(crate) mod ground;
pub(crate) mod lsp;
pub(crate) mod man;
pub(crate) mod match_local;
pub(crate) mod match_play;
pub(crate) mod net;
pub(crate) mod new;
pub(crate) mod play;
pub(crate) mod player;
pub(crate) mod quiz;
pub(crate) mod regress;
pub(crate) mod replay;
pub(crate) mod scramble;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod solve;
mod solve_ask;
mod solve_store;
pub(crate) mod step;
pub(crate) mod store;
pub(crate) mod structure;
pub(crate) mod subgame;
pub(crate) mod tour;
pub(crate) mod tournament;
pub(crate) mod verify;
pub(crate) mod verify_cut;
mod verify_store;

use gambol::ground::FluentId;
use gambol::net::Net;
use gambol::{Game, PositionError, StageError};

use crate::outcome::Stop;
use crate::session::Session;
use crate::watch::Watch;

/// The net of a game. How large the game is, is known from then on, whatever else there is time for.
pub(crate) fn net_of<'g>(game: &'g Game, session: &Session) -> anyhow::Result<&'g Net> {
    net_within(game, &session.watch)
}

/// The same, for work beside the thread of the session.
pub(crate) fn net_within<'g>(game: &'g Game, watch: &Watch) -> anyhow::Result<&'g Net> {
    let ground = stage(game.ground().map_err(Into::into))?;
    watch.know("fluents", ground.fluents.len());
    watch.know("moves", ground.moves.len());
    let net = stage(game.net())?;
    watch.know("gates", net.gate_count());
    Ok(net)
}

/// What a stage made, or why it could not: a limit (exit 3) or the game (exit 4).
fn stage<T>(result: Result<T, StageError>) -> anyhow::Result<T> {
    result.map_err(|error| {
        if error.is_limit() { Stop::Limit(error.to_string()).into() } else { error.into() }
    })
}

/// The fluents of a state that was given as text; wrong usage if it is no state of the game.
fn state(text: &str, game: &Game) -> anyhow::Result<Vec<FluentId>> {
    match game.state(text) {
        Ok(position) => Ok(position.fluent_ids()),
        Err(PositionError::Stage(error)) => stage(Err(error)),
        Err(error) => Err(Stop::Usage(error.to_string()).into()),
    }
}
