//! Why parts were joined, in words.

use gambol_net::{MoveId, Net};

use crate::decomposition::{Repair, Requirement};

/// Moves that are named at most.
const MOST_MOVES: usize = 4;

impl Repair {
    /// What its lines of play show, in one sentence without an end.
    pub fn reason(&self, net: &Net) -> String {
        let fluent = self.fluent.map_or("it", |fluent| &*net.fluents[fluent]);
        let role = self.role.map_or("a role", |role| &*net.roles[role]);
        let played = |place: usize| self.moves.get(place).map(|moves| spelt(net, moves));
        let played = |place: usize| played(place).unwrap_or_default();
        match self.requirement {
            Requirement::Clock => format!(
                "{fluent} does not run by itself, as {} and then {} show",
                played(0),
                played(1)
            ),
            Requirement::Closure => {
                format!("{fluent} depends on the other part, as {} shows", played(0))
            }
            Requirement::Availability => {
                format!("the other part decides whether what {} does is possible", played(0))
            }
            Requirement::LosslessJoin => {
                format!("{} do not do all combinations of what they do in the parts", played(0))
            }
            Requirement::Scores => format!(
                "what {role} needs in one part depends on the other: the first and the last of these \
                 lines win, the two others do not"
            ),
        }
    }
}

/// Moves as they are written, in their order.
fn spelt(net: &Net, moves: &[MoveId]) -> String {
    let names: Vec<&str> =
        moves.iter().take(MOST_MOVES).map(|&action| &*net.moves[action].name).collect();
    let more = if moves.len() > MOST_MOVES { " …" } else { "" };
    format!("{}{more}", names.join(" "))
}
