//! Why files of a store cannot be used, and why a run stops.

use std::io;

use crate::Unfinished;

/// What is wrong with a file of a store.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be read or written.
    #[error("cannot {0}: {1}")]
    File(String, String),
    /// It is not there.
    #[error("{0} is missing from the store")]
    Missing(String),
    /// It is not whole.
    #[error("{0} is damaged: it was cut short or altered; remove the store to begin anew")]
    Damaged(String),
    /// It is of another game, state or plan.
    #[error("{0} belongs to another game, another state or another plan; nothing was changed")]
    Other(String),
    /// It was written by another version.
    #[error("{0} was written by another version of gambol; nothing was changed")]
    Version(String),
}

impl StoreError {
    pub(crate) fn read(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(name.to_string()),
            _ => Self::File(format!("read {name}"), error.to_string()),
        }
    }

    pub(crate) fn write(name: &str, error: &io::Error) -> Self {
        Self::File(format!("write {name}"), error.to_string())
    }
}

/// Why a run over layers stops before its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Stopped {
    /// A limit was met. What is finished is kept.
    #[error("{0}")]
    Limit(#[from] Unfinished),
    /// A file cannot be used.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// A state has no code.
    #[error("the code of states has no room for this one, {depth} steps from the start: {state}")]
    Uncoded {
        /// The fluents that are true.
        state: String,
        /// How many steps led to it.
        depth: u32,
        /// The state as words.
        row: Vec<u64>,
    },
    /// The game is not one for layers.
    #[error("{0}")]
    Unfit(&'static str),
    /// Another worker stopped, and says why.
    #[error("another worker stopped: {0}")]
    Elsewhere(String),
}
