//! Checkpoints: what a run has done, to be taken up again.
//!
//! ```text
//! gambol-checkpoint 1
//! regressions 4711
//! done 24             (regions)
//! …                   (a policy that is not complete)
//! ```

use crate::automaton::Automaton;
use crate::class::ClassStore;
use crate::file::to_text;
use crate::policy::Policy;
use crate::policy_file::{PolicyFileError, policy_from_text, policy_to_text};

/// The first words of a checkpoint.
const HEADER: &str = "gambol-checkpoint 1";

/// What a run has done.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    pub(crate) store: ClassStore,
    pub(crate) regressions: u64,
    pub(crate) done: usize,
}

/// Why a run cannot be taken up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Another format.
    #[error("this is not a checkpoint: it does not begin with `{HEADER}`")]
    NotACheckpoint,
    /// A count that is none.
    #[error("the counts at the beginning of the checkpoint are damaged")]
    Counts,
    /// The policy in it is damaged.
    #[error(transparent)]
    Policy(#[from] PolicyFileError),
    /// It belongs to another run.
    #[error("the checkpoint is that of another automaton, or distances counted there and not here")]
    Other,
}

pub(crate) fn checkpoint_to_text(policy: &Policy, regressions: u64, done: usize) -> String {
    format!("{HEADER}\nregressions {regressions}\ndone {done}\n{}", policy_to_text(policy))
}

/// Reads a checkpoint of a run on this automaton.
pub fn read_checkpoint(
    text: &str,
    automaton: &Automaton,
    distances: bool,
) -> Result<Checkpoint, CheckpointError> {
    let mut parts = text.splitn(4, '\n');
    if parts.next() != Some(HEADER) {
        return Err(CheckpointError::NotACheckpoint);
    }
    let mut count = |name: &str| {
        let line = parts.next().and_then(|line| line.strip_prefix(name));
        line.and_then(|number| number.trim().parse::<u64>().ok()).ok_or(CheckpointError::Counts)
    };
    let (regressions, done) = (count("regressions ")?, count("done ")? as usize);
    let policy = policy_from_text(parts.next().unwrap_or_default())?;
    if to_text(&policy.automaton) != to_text(automaton) || policy.distances != distances {
        return Err(CheckpointError::Other);
    }
    Ok(Checkpoint { store: policy.store, regressions, done })
}
