//! Why a game has no value here.

use crate::matrix_game::NoMatrixValue;

/// Why a solver refuses a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolveError {
    /// A player does not see everything.
    #[error(
        "{0} cannot always tell the state: a game with hidden information has no value of this \
         kind; gambol play and gambol match play it"
    )]
    HiddenInformation(String),
    /// A role moves at random, and states return or averages have too many digits.
    #[error(
        "random moves, and states return or averages have too many digits: no strong solution; \
         `gambol solve` without --strong bounds the value of the start"
    )]
    Chance,
    /// The state has the wrong number of words, or fluents the game does not have.
    #[error("the state is not one of this game")]
    State,
    /// The method does not fit the game.
    #[error("{method} does not fit this game: {reason}; --method auto chooses one that does")]
    Method {
        /// The method asked for.
        method: &'static str,
        /// Why it does not fit.
        reason: String,
    },
    /// The checkpoint cannot be used.
    #[error("{0}")]
    Checkpoint(#[from] BadCheckpoint),
    /// A strong solution layer by layer stopped.
    #[error("{0}")]
    Layers(#[from] crate::store_error::Stopped),
    /// A file of a store cannot be used.
    #[error("{0}")]
    Store(#[from] crate::store_error::StoreError),
    /// Nobody knows a value for this kind of game.
    #[error("{0}")]
    NoMatrixValue(#[from] NoMatrixValue),
}

/// Why a checkpoint cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadCheckpoint {
    /// It is not whole.
    #[error("the checkpoint is damaged; remove it to begin anew")]
    Damaged,
    /// It is of another game, state or way to solve.
    #[error("the checkpoint belongs to another game, state or method; remove it to begin anew")]
    Other,
}
