//! Why a certificate is refused.

use gambol_reference::ReferenceError;

use crate::certificate::{FORMAT, FORMAT_WITHOUT_SENSE, Sense};
use crate::fraction::Fraction;

/// Why a certificate is refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// Another version of the format.
    #[error(
        "format {0} is not known; this program reads formats {FORMAT_WITHOUT_SENSE} and {FORMAT}"
    )]
    Format(u32),
    /// Something was changed after it was written.
    #[error("the digest does not fit: the certificate was changed or damaged")]
    Digest,
    /// A number, name or list that cannot be.
    #[error("the certificate is malformed: {0}")]
    Malformed(String),
    /// Proofs in one sense beside values in another, or proofs in several senses.
    #[error("the certificate mixes senses: {0}")]
    Senses(String),
    /// A claim does not hold.
    #[error("claim {claim} does not hold: {reason}")]
    Claim {
        /// Which claim, from 1.
        claim: usize,
        /// Why not.
        reason: String,
    },
    /// The claims hold but do not prove the value.
    #[error("the claims do not prove that {role} has the value {value} ({sense})")]
    Value {
        /// Whose value.
        role: String,
        /// What it is said to be.
        value: Fraction,
        /// In what sense.
        sense: Sense,
    },
    /// The interpreter has no answer.
    #[error("the rules could not be evaluated: {0}")]
    Reference(#[from] ReferenceError),
}

impl Refusal {
    pub(crate) fn malformed(reason: impl Into<String>) -> Self {
        Self::Malformed(reason.into())
    }

    pub(crate) fn of(claim: usize, fault: Fault) -> Self {
        match fault {
            Fault::Reason(reason) => Self::Claim { claim: claim + 1, reason },
            Fault::Reference(error) => Self::Reference(error),
        }
    }
}

/// Why a claim does not hold, or cannot be checked.
pub(crate) enum Fault {
    Reason(String),
    Reference(ReferenceError),
}

impl From<ReferenceError> for Fault {
    fn from(error: ReferenceError) -> Self {
        Fault::Reference(error)
    }
}

pub(crate) fn fault<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Reason(reason.into()))
}
