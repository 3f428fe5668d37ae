//! Strong solutions: what every state is worth, not only the first.

use gambol_net::Net;
use gambol_sim::Circuit;

use super::answers::Answers;
use super::run::{LayeredGame, solve_alone};
use super::shelf::MemoryShelf;
use crate::listing::strong::{StrongClass, classes_of, strong_by_listing};
use crate::problem::chance_role;
use crate::store_error::Stopped;
use crate::{Solution, SolveError, SolveOptions, Unfinished};

/// Solves every state that can be reached, and counts states of equal worth, the best of the first role first: from
/// the graph of all states where roles choose in turn and memory holds it, otherwise layer by layer where states tell
/// their step, otherwise by a listing. Nothing but the limit that was met if there are too many states.
pub fn strong(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
) -> Result<Result<Vec<StrongClass>, Unfinished>, SolveError> {
    let mut game = LayeredGame::new(net, circuit, options)?.returning();
    // Listings know nothing of chance.
    let mut game = if chance_role(net).is_some() {
        game
    } else {
        match by_graph(&mut game, u64::MAX, false)? {
            Ok(Some((classes, _))) => return Ok(Ok(classes)),
            Ok(None) => game.not_returning(),
            Err(unfinished) => return Ok(Err(unfinished)),
        }
    };
    let shelf = MemoryShelf::new();
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

/// The same, from the graph of all states in so many MiB or not at all, with the value of the game and best play where
/// these are seen as well. None if that is no way for this game.
pub fn strong_by_graph(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
    most_mib: u64,
) -> Result<Result<Option<Found>, Unfinished>, SolveError> {
    by_graph(&mut LayeredGame::new(net, circuit, options)?.returning(), most_mib, true)
}

/// How many states are worth what, and the value of the game if that is seen.
pub type Found = (Vec<StrongClass>, Option<Solution>);

fn by_graph(
    game: &mut LayeredGame<'_>,
    most_mib: u64,
    with_play: bool,
) -> Result<Result<Option<Found>, Unfinished>, SolveError> {
    match game.by_graph(most_mib, with_play) {
        Ok(found) => Ok(Ok(found.map(|(counts, solution)| (classes_of(counts), solution)))),
        Err(Stopped::Limit(unfinished)) => Ok(Err(unfinished)),
        Err(stopped) => Err(stopped.into()),
    }
}
