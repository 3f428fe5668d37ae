//! Why a certificate is not accepted.

use gambol_reference::ReferenceError;

/// Why a certificate is not accepted.
#[derive(thiserror::Error, Debug)]
pub enum CutRefusal {
    /// It is not what it should be.
    #[error("the certificate is malformed: {0}")]
    Malformed(String),
    /// It was changed or damaged.
    #[error("the digest does not fit: the certificate was changed or damaged")]
    Digest,
    /// A condition does not hold, or could not be shown to.
    #[error("{0}")]
    Condition(String),
    /// The rules cannot be read.
    #[error(transparent)]
    Rules(#[from] ReferenceError),
    /// It was told to stop, or a solver gave up.
    #[error("not everything was checked")]
    Stopped,
}
