//! Strong solutions: what every state is worth, not only the first.

use gambol_net::Net;
use gambol_sim::Circuit;

use super::answers::Answers;
use super::run::{LayeredGame, solve_alone};
use super::shelf::MemoryShelf;
use crate::listing::strong::{StrongClass, strong_by_listing};
use crate::problem::chance_role;
use crate::store_error::Stopped;
use crate::{SolveError, SolveOptions, Unfinished};

/// Solves every state that can be reached, and counts states of equal worth, the best of the first
/// role first: layer by layer where states tell their step, otherwise by a listing. Nothing but the limit that
/// was met if there are too many states.
pub fn strong(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Result<Vec<StrongClass>, Unfinished>, SolveError> {
    let shelf = MemoryShelf::new();
    let game = LayeredGame::new(net, circuit, options)?;
    // Listings know nothing of chance.
    let mut game = if chance_role(net).is_some() { game.returning() } else { game };
    match solve_alone(&mut game, &shelf, &mut |_| {}) {
        Ok(None) => strong_by_listing(net, circuit, options),
        Ok(Some(plan)) => {
            let classes = Answers::new(&plan, &shelf).and_then(|answers| answers.classes());
            Ok(Ok(classes?))
        }
        Err(Stopped::Limit(unfinished)) => Ok(Err(unfinished)),
        Err(stopped) => Err(stopped.into()),
    }
}
