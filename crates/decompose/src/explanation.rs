//! Why two fluents are in one part, or in two.
//!
//! In one part: a chain from the first to the second, of ties that lines of play show and of conditions for points that
//! look at several fluents together. In two parts: what is claimed of the cut, and what that rests on.

use gambol_index::Id;
use gambol_net::{FluentId, Net, RoleId};
use rustc_hash::FxHashMap;

use crate::decomposition::{Basis, Decomposition, SubgameId, Tie};
use crate::evaluate::lanes::cone;
use crate::goals::subgoal::{Condition, conditions};

/// Why two fluents are where they are.
#[derive(Clone, PartialEq, Debug)]
pub enum Explanation {
    /// They are in one part.
    Together {
        /// The part.
        part: SubgameId,
        /// What leads from the first to the second, in order; nothing if no such chain is known.
        chain: Vec<Link>,
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

/// What holds two fluents together.
#[derive(Clone, PartialEq, Debug)]
pub enum Link {
    /// Play does.
    Tie(Tie),
    /// A condition for points looks at both.
    Condition {
        /// The two fluents.
        fluents: [FluentId; 2],
        /// All fluents that it looks at, sorted.
        reads: Vec<FluentId>,
    },
}

impl Link {
    /// The two fluents.
    pub fn fluents(&self) -> [FluentId; 2] {
        match self {
            Self::Tie(tie) => tie.fluents,
            Self::Condition { fluents, .. } => *fluents,
        }
    }
}

/// Explains where two fluents are.
pub fn explain_fluents(net: &Net, found: &Decomposition, fluents: [FluentId; 2]) -> Explanation {
    let part_of = found.subgame_of_fluents(net.next.len());
    let parts = fluents.map(|fluent| part_of[fluent]);
    match parts {
        [Some(one), Some(other)] if one == other => Explanation::Together {
            part: one,
            chain: chain(net, found, one, fluents),
            scores: scores_of_both(net, fluents),
        },
        [Some(one), Some(other)] => {
            Explanation::Apart { parts: [one, other], claims: found.claims() }
        }
        [None, _] => Explanation::InNoPart(fluents[0]),
        [_, None] => Explanation::InNoPart(fluents[1]),
    }
}

/// The shortest chain of ties between two fluents of a part; where there is none, of ties and conditions.
fn chain(net: &Net, found: &Decomposition, part: SubgameId, fluents: [FluentId; 2]) -> Vec<Link> {
    let part = &found.subgames[part];
    let played = Links { ties: &part.ties, conditions: Vec::new() };
    let scored = || {
        let of_net = conditions(net, &|_| None, &|_| false);
        let mut conditions = [of_net.subgoals, of_net.victories].concat();
        for condition in &mut conditions {
            condition.fluents.retain(|fluent| part.fluents.binary_search(fluent).is_ok());
        }
        Links { conditions, ..played }.between(fluents)
    };
    played.between(fluents).or_else(scored).unwrap_or_default()
}

/// The ties of a part, and the conditions for points that look at it.
struct Links<'a> {
    ties: &'a [Tie],
    conditions: Vec<Condition>,
}

impl Links<'_> {
    /// The shortest way from one fluent to another.
    fn between(&self, [from, to]: [FluentId; 2]) -> Option<Vec<Link>> {
        let mut came_by: FxHashMap<FluentId, Option<Link>> = FxHashMap::default();
        came_by.insert(from, None);
        let (mut open, mut next) = (vec![from], 0);
        while let Some(&here) = open.get(next) {
            next += 1;
            for (there, link) in self.from(here) {
                came_by.entry(there).or_insert_with(|| {
                    open.push(there);
                    Some(link)
                });
            }
            if came_by.contains_key(&to) {
                break;
            }
        }
        let (mut chain, mut here) = (Vec::new(), to);
        while let Some(link) = came_by.get(&here)?.clone() {
            here = other_end(link.fluents(), here);
            chain.push(link);
        }
        chain.reverse();
        Some(chain)
    }

    /// The fluents that are linked to one, and by what.
    fn from(&self, here: FluentId) -> Vec<(FluentId, Link)> {
        let ties = self.ties.iter().filter(|tie| tie.fluents.contains(&here));
        let mut links: Vec<(FluentId, Link)> =
            ties.map(|tie| (other_end(tie.fluents, here), Link::Tie(tie.clone()))).collect();
        let with = self.conditions.iter().filter(|one| one.fluents.binary_search(&here).is_ok());
        for condition in with {
            let others = condition.fluents.iter().filter(|&&there| there != here);
            links.extend(others.map(|&there| {
                let reads = condition.fluents.clone();
                (there, Link::Condition { fluents: [here, there], reads })
            }));
        }
        links
    }
}

fn other_end(fluents: [FluentId; 2], one: FluentId) -> FluentId {
    if fluents[0] == one { fluents[1] } else { fluents[0] }
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
