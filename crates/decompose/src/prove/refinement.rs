//! Refinement of classes: moves that are not alike after all.
//!
//! Classes are made from a sample of states. A state in which two moves of one class do different
//! things to a part splits the class; finer classes are always right, whether or not that state occurs
//! in play. But a move that acts in one more part takes freedom away.

use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net, RoleId, State};

use crate::decomposition::{MetaAction, Subgame};
use crate::evaluate::lanes::{LANES, Lanes, Trial};

/// Two joint moves in a state that make a part different although their classes are the same.
pub(crate) struct Unlike {
    pub(crate) state: State,
    pub(crate) moves: [Vec<MoveId>; 2],
}

/// Splits a class of moves by what they do in a state; whether there was one to split. Of idle moves
/// most remain idle.
pub(crate) fn split(lanes: &mut Lanes<'_>, unlike: &Unlike, subgame: &mut Subgame) -> bool {
    let [mut moves, others] = unlike.moves.clone();
    for (role, &other) in (0..).zip(&others) {
        let Some(&one) = moves.get(role as usize) else { return false };
        let Some(place) = subgame.meta_actions.iter().position(|class| {
            [one, other].iter().all(|one| class.moves.binary_search(one).is_ok())
        }) else {
            return false;
        };
        let class = &subgame.meta_actions[place].moves;
        let role = RoleId::new(role);
        let groups = effects(lanes, &unlike.state, &moves, role, class, &subgame.fluents);
        if groups.len() > 1 {
            replace(subgame, place, groups);
            return true;
        }
        moves[role.index()] = other;
    }
    false
}

/// What some moves of a role make of some fluents in a state, the other roles' moves being fixed:
/// each effect with the moves that have it.
pub(crate) fn effects(
    lanes: &mut Lanes<'_>,
    state: &State,
    fixed: &[MoveId],
    role: RoleId,
    moves: &[MoveId],
    fluents: &[FluentId],
) -> Vec<(Vec<bool>, Vec<MoveId>)> {
    let mut after: Vec<(Vec<bool>, MoveId)> = Vec::new();
    for chunk in moves.chunks(LANES) {
        let trial = |&action: &MoveId| {
            let mut moves = fixed.to_vec();
            moves[role.index()] = action;
            Trial { state, moves }
        };
        let trials: Vec<Trial<'_>> = chunk.iter().map(trial).collect();
        let states = lanes.successors(&trials);
        after.extend(states.iter().map(|s| s.values(fluents)).zip(chunk.iter().copied()));
    }
    after.sort_unstable();
    let groups = after.chunk_by(|one, other| one.0 == other.0);
    let moves = |group: &[(Vec<bool>, MoveId)]| group.iter().map(|one| one.1).collect();
    groups.map(|group| (group[0].0.clone(), moves(group))).collect()
}

/// Puts groups in the place of a class.
fn replace(subgame: &mut Subgame, place: usize, groups: Vec<(Vec<bool>, Vec<MoveId>)>) {
    let MetaAction { role, idle, .. } = subgame.meta_actions.remove(place);
    let largest = groups.iter().map(|(_, moves)| moves.len()).max();
    let mut idle = idle;
    for (_, moves) in groups {
        let stays = idle && Some(moves.len()) == largest;
        // Only one class is idle.
        idle &= !stays;
        subgame.meta_actions.push(MetaAction { role, moves, idle: stays });
    }
    subgame.settle_classes();
}

impl Subgame {
    /// Brings the classes into order; the moves that act are those that are not idle.
    pub(crate) fn settle_classes(&mut self) {
        self.meta_actions.iter_mut().for_each(|class| class.moves.sort_unstable());
        self.meta_actions.sort_by_key(|one| (one.role, one.idle, one.moves.first().copied()));
        let acting = self.meta_actions.iter().filter(|class| !class.idle);
        self.moves = acting.flat_map(|class| class.moves.iter().copied()).collect();
        self.moves.sort_unstable();
    }

    /// Makes idle classes ordinary ones, unless nothing happens while they are played.
    pub(crate) fn activate_unless(&mut self, quiet: bool) {
        if !quiet {
            self.meta_actions.iter_mut().for_each(|class| class.idle = false);
            self.settle_classes();
        }
    }
}

/// A joint move in the order of the roles.
pub(crate) fn joint(net: &Net, mut moves: Vec<MoveId>) -> Vec<MoveId> {
    moves.sort_unstable_by_key(|&action| net.moves[action].role);
    moves
}
