//! Refinement of classes: moves that are not alike after all.
//!
//! Classes are made from a sample of states. A state in which two moves of one class do different
//! things to a part splits the class; finer classes are always right, whether or not that state occurs
//! in play. Idle moves are left together: a move that acts in one more part takes freedom away.

use gambol_net::{MoveId, Net};

use crate::decomposition::{MetaAction, Subgame};
use crate::lanes::{LANES, Lanes};
use crate::outcome::Trial;
use crate::state::State;

/// Two joint moves in a state that make a part different although their classes are the same.
pub(crate) struct Unlike {
    pub(crate) state: State,
    pub(crate) moves: [Vec<MoveId>; 2],
}

/// Splits a class of moves by what they do in a state; whether there was one to split.
pub(crate) fn split(lanes: &mut Lanes<'_>, unlike: &Unlike, subgame: &mut Subgame) -> bool {
    let [mut moves, others] = unlike.moves.clone();
    for role in 0..moves.len().min(others.len()) {
        let Some(place) = subgame.meta_actions.iter().position(|class| {
            [moves[role], others[role]].iter().all(|one| class.moves.binary_search(one).is_ok())
        }) else {
            return false;
        };
        let groups = groups(lanes, unlike, &moves, role, &subgame.meta_actions[place], subgame);
        if groups.len() > 1 && !subgame.meta_actions[place].idle {
            replace(subgame, place, groups);
            return true;
        }
        moves[role] = others[role];
    }
    false
}

/// The moves of a class by what they make of the part, the other roles' moves being fixed.
fn groups(
    lanes: &mut Lanes<'_>,
    unlike: &Unlike,
    fixed: &[MoveId],
    role: usize,
    class: &MetaAction,
    subgame: &Subgame,
) -> Vec<Vec<MoveId>> {
    let mut after: Vec<(Vec<bool>, MoveId)> = Vec::new();
    for chunk in class.moves.chunks(LANES) {
        let trial = |&action: &MoveId| {
            let mut moves = fixed.to_vec();
            moves[role] = action;
            Trial { state: &unlike.state, moves }
        };
        let trials: Vec<Trial<'_>> = chunk.iter().map(trial).collect();
        let states = lanes.successors(&trials);
        after.extend(states.iter().map(|s| s.values(&subgame.fluents)).zip(chunk.iter().copied()));
    }
    after.sort_unstable();
    let groups = after.chunk_by(|one, other| one.0 == other.0);
    groups.map(|group| group.iter().map(|&(_, action)| action).collect()).collect()
}

/// Puts groups in the place of a class.
fn replace(subgame: &mut Subgame, place: usize, groups: Vec<Vec<MoveId>>) {
    let MetaAction { role, idle, .. } = subgame.meta_actions.remove(place);
    let classes = groups.into_iter().map(|moves| MetaAction { role, moves, idle });
    subgame.meta_actions.extend(classes);
    subgame.meta_actions.sort_by_key(|one| (one.role, one.idle, one.moves.first().copied()));
}

/// A joint move in the order of the roles.
pub(crate) fn joint(net: &Net, mut moves: Vec<MoveId>) -> Vec<MoveId> {
    moves.sort_unstable_by_key(|&action| net.moves[action].role);
    moves
}
