//! What a role knows of a state in a game with hidden information.

use gambol::ground::{FluentId, MoveId, RoleId};
use gambol::net::{BaseMarking, Net};
use gambol::play::Worlds;
use rustc_hash::FxHashSet;

use crate::refusal::Refusal;

/// More joint moves than this are not followed.
const LONGEST: usize = 2_000;
/// Worlds are sampled with the same numbers each time, so that the page shows the same twice.
const SEED: u64 = 7;

/// A state as one role knows it.
pub(crate) struct Sight {
    /// The fluents that are true as far as it knows.
    pub(crate) known: BaseMarking,
    /// The fluents of which it does not know.
    pub(crate) unknown: FxHashSet<FluentId>,
    /// What it saw last and what remains open.
    pub(crate) words: String,
}

impl Sight {
    pub(crate) fn of(net: &Net, worlds: &Worlds) -> Self {
        let known: Vec<FluentId> =
            net.fluents.ids().filter(|&one| worlds.knows(one) == Some(true)).collect();
        let unknown = net.fluents.ids().filter(|&one| worlds.knows(one).is_none()).collect();
        let words = words(net, worlds);
        Self { known: BaseMarking::of(net, &known), unknown, words }
    }
}

/// The worlds that a role cannot tell apart after these joint moves.
pub(crate) fn worlds(net: &Net, viewer: u32, history: &[Vec<u32>]) -> Result<Worlds, Refusal> {
    let senseless = || Refusal::Senseless("there is no such role, or no such history".to_string());
    let known = |&number: &u32| (number as usize) < net.moves.len();
    let fits = (viewer as usize) < net.roles.len()
        && history.len() <= LONGEST
        && history.iter().flatten().all(known);
    if !fits {
        return Err(senseless());
    }
    let joints: Vec<Vec<MoveId>> = history
        .iter()
        .map(|joint| joint.iter().map(|&number| MoveId::new(number)).collect())
        .collect();
    Worlds::after(net, RoleId::new(viewer), &joints, SEED).ok_or_else(senseless)
}

fn words(net: &Net, worlds: &Worlds) -> String {
    let seen: Vec<&str> = worlds.seen().iter().map(|&row| &*net.percepts[row].name).collect();
    let seen = match seen.is_empty() {
        true => String::new(),
        false => format!("You saw {}. ", seen.join(", ")),
    };
    let open = match (worlds.count(), worlds.is_exact()) {
        (1, true) => "You know everything there is to know.".to_string(),
        (count, true) => format!("{count} states agree with what you have seen."),
        (count, false) => format!("More than {count} states agree with what you have seen."),
    };
    format!("{seen}{open}")
}
