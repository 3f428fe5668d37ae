//! Why two fluents are in one part, or in two.
//!
//! In one part: a chain of ties from the first to the second, each shown by lines of play; where play does not
//! show one, the scores that look at both. In two parts: what is claimed of the cut, and what that rests on.

use gambol_index::Id;
use gambol_net::{FluentId, Net, RoleId};
use rustc_hash::FxHashMap;

use crate::decomposition::{Basis, Decomposition, SubgameId, Tie};
use crate::evaluate::lanes::cone;

/// Why two fluents are where they are.
#[derive(Clone, PartialEq, Debug)]
pub enum Explanation {
    /// They are in one part.
    Together {
        /// The part.
        part: SubgameId,
        /// Ties that lead from the first to the second, in order; none if play shows no such chain.
        chain: Vec<Tie>,
        /// The roles one of whose scores looks at both.
        scores: Vec<RoleId>,
    },
    /// They are in different parts.
    Apart {
        /// The parts, in the order in which the fluents were given.
        parts: [SubgameId; 2],
        /// What is claimed of the cut, claim by claim.
        claims: [(&'static str, Basis); 3],
    },
    /// One of them is in no part: it never changes, or nothing was learnt about it.
    InNoPart(FluentId),
}

/// Explains where two fluents are.
pub fn explain_fluents(net: &Net, found: &Decomposition, fluents: [FluentId; 2]) -> Explanation {
    let part_of = found.subgame_of_fluents(net.next.len());
    let parts = fluents.map(|fluent| part_of[fluent]);
    match parts {
        [Some(one), Some(other)] if one == other => Explanation::Together {
            part: one,
            chain: chain(&found.subgames[one].ties, fluents).unwrap_or_default(),
            scores: scores_of_both(net, fluents),
        },
        [Some(one), Some(other)] => {
            Explanation::Apart { parts: [one, other], claims: found.claims() }
        }
        [None, _] => Explanation::InNoPart(fluents[0]),
        [_, None] => Explanation::InNoPart(fluents[1]),
    }
}

/// The shortest way from one fluent to another along ties.
fn chain(ties: &[Tie], [from, to]: [FluentId; 2]) -> Option<Vec<Tie>> {
    let mut came_by: FxHashMap<FluentId, Option<usize>> = FxHashMap::default();
    came_by.insert(from, None);
    let (mut open, mut next) = (vec![from], 0);
    while let Some(&here) = open.get(next) {
        next += 1;
        for (number, tie) in ties.iter().enumerate().filter(|(_, tie)| tie.fluents.contains(&here))
        {
            let there = other_end(tie, here);
            came_by.entry(there).or_insert_with(|| {
                open.push(there);
                Some(number)
            });
        }
    }
    let (mut chain, mut here) = (Vec::new(), to);
    while let Some(number) = *came_by.get(&here)? {
        chain.push(ties[number].clone());
        here = other_end(&ties[number], here);
    }
    chain.reverse();
    Some(chain)
}

fn other_end(tie: &Tie, one: FluentId) -> FluentId {
    if tie.fluents[0] == one { tie.fluents[1] } else { tie.fluents[0] }
}

/// The roles one of whose scores looks at both fluents.
fn scores_of_both(net: &Net, fluents: [FluentId; 2]) -> Vec<RoleId> {
    let looks_at_both = |role: &RoleId| {
        net.goals.iter().filter(|goal| goal.role == *role).any(|goal| {
            let read = cone(net, [goal.gate]);
            fluents.iter().all(|&fluent| read[net.fluent_gate(fluent).index()])
        })
    };
    net.roles.ids().filter(looks_at_both).collect()
}
