//! The portfolio: which method fits a game, and in what order methods are tried.

mod one_role;
mod phased;
mod several_roles;
mod strong;

use gambol_net::Net;
use gambol_sim::Circuit;

use self::one_role::one_role;
use self::phased::phased;
use self::several_roles::several_roles;
pub use self::strong::look_at_all;
use crate::chance::with_chance;
use crate::factored::{factored, hint};
use crate::problem::{Choice, SolveOptions, Task, chance_role, start_of};
use crate::rounds::nobody;
use crate::{Observer, Solution, SolveError, Unobserved};

/// Solves a game.
pub fn solve(net: &Net, circuit: &Circuit, options: &SolveOptions) -> Result<Solution, SolveError> {
    solve_observed(net, circuit, options, None, &mut Unobserved)
}

/// Solves a game, continues from a checkpoint if there is one, and reports progress to an observer.
pub fn solve_observed(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    let start = start_of(net, circuit, options)?;
    let task = Task { net, circuit, start: &start, options };
    if chance_role(net).is_some() || !net.percepts.is_empty() {
        return with_chance(&task);
    }
    if options.choice == Choice::Factored {
        let found = factored(&task, &hint(&task), &options.limits, observer, &mut nobody);
        return found.unwrap_or_else(|reason| {
            Err(SolveError::Method { method: "factored", reason: reason.to_string() })
        });
    }
    if options.choice == Choice::Phased {
        let found = phased(&task, &options.limits, observer);
        return found
            .map_err(|reason| SolveError::Method { method: "phases", reason: reason.to_string() });
    }
    match net.roles.len() {
        1 => one_role(&task, resume, observer),
        _ => several_roles(&task, resume, observer),
    }
}
