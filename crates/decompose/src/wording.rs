//! What is known of a cut, and why parts were joined, in words.

use gambol_index::Id;
use gambol_net::{MoveId, Net};

use crate::decomposition::{Basis, Decomposition, Repair, Requirement};

/// Moves that are named at most.
const MOST_MOVES: usize = 4;

impl Decomposition {
    /// What is claimed of the cut, claim by claim.
    pub fn claims(&self) -> [(&'static str, Basis); 3] {
        [
            ("no part affects another", self.sound),
            ("moves of one class have the same effect", self.classes_exact),
            ("the parts decide the scores one by one", self.scores_split),
        ]
    }

    /// Whether the cut is the finest, in one sentence without an end.
    pub fn finest_text(&self) -> String {
        let played = || self.subgames.iter_ids().filter(|(_, part)| part.action_dependent);
        let ties: usize = played().map(|(_, part)| part.ties.len()).sum();
        let open: Vec<String> = played()
            .filter(|(_, part)| !part.finest)
            .map(|(id, _)| id.index().to_string())
            .collect();
        match (self.is_finest(), ties) {
            (true, 0) => "finest: every part is a single fluent".to_string(),
            (true, 1) => "finest: one tie in play holds the parts together".to_string(),
            (true, ties) => format!("finest: {ties} ties in play hold the parts together"),
            (false, _) if open.is_empty() => "not known to be finest".to_string(),
            (false, _) => {
                format!("not known to be finest: what ties part {} is open", open.join(", "))
            }
        }
    }
}

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
