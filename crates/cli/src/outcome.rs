//! How a run ends, and the exit code that says so.

use std::io;

/// What a finished command has to say to the shell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Done; the answer is yes.
    Yes,
    /// Done; the answer is no.
    No,
    /// A limit was reached; the result is partial.
    Partial,
}

impl Outcome {
    /// Yes or no.
    pub(crate) fn of(answer: bool) -> Self {
        if answer { Outcome::Yes } else { Outcome::No }
    }

    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Outcome::Yes => 0,
            Outcome::No => 1,
            Outcome::Partial => LIMIT_CODE,
        }
    }
}

/// The exit code of a run that met a limit.
pub(crate) const LIMIT_CODE: u8 = 3;

/// The exit code of a run that lost a process it worked with. The same command goes on.
pub(crate) const LOST_CODE: u8 = 75;

/// The exit code of a run that gave its answer, but not all that was asked for: a file could not be written, say.
pub(crate) const SHORT_CODE: u8 = 4;

/// Reasons to stop that are not "cannot" (exit code 4).
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// The words on the command line do not fit together.
    #[error("{0}")]
    Usage(String),
    /// The rules are not those of a valid game; they have been reported.
    #[error("the rules are not valid")]
    Invalid,
    /// A process this one works with is not there.
    #[error("{0}")]
    Lost(String),
    /// A limit was met before there was anything to report.
    #[error("{0}")]
    Limit(String),
}

/// The exit code for an error, and whether to stay silent about it.
pub(crate) fn code_of(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Stop>() {
        Some(Stop::Usage(_)) => 2,
        Some(Stop::Limit(_)) => LIMIT_CODE,
        Some(Stop::Lost(_)) => LOST_CODE,
        Some(Stop::Invalid) | None => 4,
    }
}

/// Whether the reader of our output has gone away (`gambol … | head`).
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
