//! Checkpoints: the state of a run, from which it can be continued.
//!
//! ```text
//! gambol-checkpoint 2
//! regressions 4711
//! done 24             (regions)
//! …                   (a policy that is not complete)
//! sum 0123456789abcdef      (the digest of everything above)
//! ```

use crate::automaton::Automaton;
use crate::class::ClassStore;
use crate::file::to_text;
use crate::policy::Policy;
use crate::policy_file::{PolicyFileError, policy_from_text, policy_to_text};
use crate::seal::{seal, unsealed};

/// The first words of a checkpoint.
const HEADER: &str = "gambol-checkpoint 2";

/// What a run has done.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    pub(crate) store: ClassStore,
    pub(crate) regressions: u64,
    pub(crate) done: usize,
}

/// Why a run cannot be continued.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// Another format.
    #[error("this is not a checkpoint: it does not begin with `{HEADER}`")]
    NotACheckpoint,
    /// Its digest does not fit.
    #[error("the checkpoint is damaged: its content and its sum do not belong together")]
    Sum,
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
    let mut text =
        format!("{HEADER}\nregressions {regressions}\ndone {done}\n{}", policy_to_text(policy));
    text += &seal(text.as_bytes());
    text
}

/// Reads a checkpoint of a run on this automaton.
pub fn read_checkpoint(
    text: &str,
    automaton: &Automaton,
    distances: bool,
) -> Result<Checkpoint, CheckpointError> {
    if text.lines().next() != Some(HEADER) {
        return Err(CheckpointError::NotACheckpoint);
    }
    let content = unsealed(text.as_bytes()).and_then(|content| std::str::from_utf8(content).ok());
    let mut parts = content.ok_or(CheckpointError::Sum)?.splitn(4, '\n').skip(1);
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
