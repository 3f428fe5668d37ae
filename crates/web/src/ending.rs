//! How a game ended, in words.

use gambol::ground::RoleId;
use gambol::index::IndexVec;
use gambol::net::Net;

/// The result of a game that is over.
pub(crate) struct Ending {
    pub(crate) words: String,
    /// The only one with the highest goal, or the only player if it has the best goal there is.
    pub(crate) winner: Option<RoleId>,
}

impl Ending {
    pub(crate) fn of(net: &Net, goals: &IndexVec<RoleId, Option<u32>>) -> Self {
        // Chance wants nothing.
        let players: Vec<RoleId> =
            net.roles.ids().filter(|&role| &*net.roles[role] != "random").collect();
        match players.as_slice() {
            &[only] => Self::alone(net, only, goals[only]),
            several => Self::of_several(net, several, goals),
        }
    }

    fn alone(net: &Net, role: RoleId, goal: Option<u32>) -> Self {
        let values = net.goals.iter().filter(|one| one.role == role).map(|one| one.value);
        let (best, goal) = (values.max().unwrap_or(100), goal.unwrap_or(0));
        let words = match goal == best {
            true => format!("Done: {} reaches {goal}, the best there is.", net.roles[role]),
            false => format!("{} gets {goal} of {best}.", net.roles[role]),
        };
        Self { words, winner: (goal == best).then_some(role) }
    }

    fn of_several(net: &Net, players: &[RoleId], goals: &IndexVec<RoleId, Option<u32>>) -> Self {
        let goal = |role: RoleId| goals[role].unwrap_or(0);
        let best = players.iter().map(|&role| goal(role)).max().unwrap_or(0);
        let first: Vec<RoleId> =
            players.iter().copied().filter(|&role| goal(role) == best).collect();
        let all: Vec<String> =
            players.iter().map(|&role| format!("{} {}", net.roles[role], goal(role))).collect();
        let all = all.join(", ");
        match first.as_slice() {
            &[winner] => {
                Self { words: format!("{} wins. {all}", net.roles[winner]), winner: Some(winner) }
            }
            some if some.len() == players.len() => {
                Self { words: format!("A draw. {all}"), winner: None }
            }
            some => {
                let names: Vec<&str> = some.iter().map(|&role| &*net.roles[role]).collect();
                Self {
                    words: format!("{} share the win. {all}", names.join(" and ")),
                    winner: None,
                }
            }
        }
    }
}
