//! Turns: which role can choose when.

use gambol_net::{FluentId, MoveId, Net, RoleId};
use rustsat::types::Lit;

use crate::Literal;
use crate::encode::{Encoding, NOW};
use crate::exclusive::Exclusive;
use crate::solver::Answer;

/// While a fluent is true only this role has more than one move, or no role has. Proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The turn marker.
    pub fluent: FluentId,
    /// Who chooses; `None` if all have at most one move.
    pub role: Option<RoleId>,
}

/// The most members of a turn marker.
const MOST_MEMBERS: usize = 32;
/// Decisions per question.
const EFFORT: u64 = 10_000;

/// A group of turn markers, if there is one: exactly one of them is true, each leaves the choice to
/// at most one role, and not to the same one.
pub(crate) fn turns(net: &Net, states: &mut Encoding<'_>, exclusive: &Exclusive) -> Vec<Turn> {
    if net.roles.len() < 2 {
        return Vec::new();
    }
    let choices: Vec<Lit> = net.roles.ids().map(|role| has_choice(net, states, role)).collect();
    let mut groups: Vec<_> = exclusive.exactly_one.iter().collect();
    groups.retain(|group| group.len() <= MOST_MEMBERS);
    groups.sort_by_key(|group| group.len());
    groups.into_iter().find_map(|group| turns_of(net, states, group, &choices)).unwrap_or_default()
}

fn turns_of(
    net: &Net,
    states: &mut Encoding<'_>,
    group: &[FluentId],
    choices: &[Lit],
) -> Option<Vec<Turn>> {
    let mut turns = Vec::new();
    for &fluent in group {
        let choosing: Vec<RoleId> = net
            .roles
            .ids()
            .zip(choices)
            .filter(|(_, choice)| may_choose(net, states, fluent, **choice))
            .map(|(role, _)| role)
            .collect();
        match choosing.as_slice() {
            [] => turns.push(Turn { fluent, role: None }),
            [role] => turns.push(Turn { fluent, role: Some(*role) }),
            _ => return None,
        }
    }
    let first = turns.iter().find_map(|turn| turn.role)?;
    turns.iter().any(|turn| turn.role.is_some_and(|role| role != first)).then_some(turns)
}

fn may_choose(net: &Net, states: &mut Encoding<'_>, fluent: FluentId, choice: Lit) -> bool {
    let going = !states.gate(NOW, net.terminal);
    let now = states.literal(NOW, Literal::is(fluent));
    states.solve(&[going, now, choice], EFFORT) != Answer::NoModel
}

/// A literal that says that a role has two legal moves.
fn has_choice(net: &Net, states: &mut Encoding<'_>, role: RoleId) -> Lit {
    let none = states.solver.constant(false);
    let (mut one, mut two) = (none, none);
    for action in net.moves_of(role).map(MoveId::new) {
        let legal = states.gate(NOW, net.legal[action]);
        let second = states.and(vec![one, legal]);
        two = states.or(vec![two, second]);
        one = states.or(vec![one, legal]);
    }
    two
}
