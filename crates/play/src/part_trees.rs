//! A tree for each part of a game: what was seen of each class of moves in each state of a part,
//! whatever the other parts were doing.
//!
//! A move of the whole game has a class in every part, if only that of leaving the part alone. How
//! much better than usual its classes did, added up over the parts, is what the trees say of a move,
//! also in a state of the whole game that was never seen. Games are still played as a whole, so the
//! true goals and the true end are what counts, and a wrong cut costs time but not soundness.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use gambol_index::Id;
use gambol_net::RoleId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::factors::{Factors, PartState};
use crate::node::{Node, Tried};

/// The trees of all parts.
pub(crate) struct PartTrees {
    factors: Arc<Factors>,
    roles: usize,
    /// The states of each part that were seen.
    known: Vec<FxHashMap<PartState, PartNode>>,
    /// All statistics in one row.
    tried: Vec<Tried>,
}

/// A state of a part.
struct PartNode {
    /// The statistics of each role's choices together, role after role.
    first_total: u32,
    /// Classes of moves and their statistics, sorted.
    classes: Vec<(u32, u32)>,
}

/// Where the statistics of a node's moves are in the trees of the parts.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    parts: usize,
    /// Role after role, part after part.
    totals: Vec<u32>,
    /// Move after move, part after part.
    arms: Vec<u32>,
}

/// What is usual in each part: the mean goal as a share of the best, and the logarithm of the visits.
pub(crate) struct Outlook {
    parts: SmallVec<[(f64, f64); 4]>,
    best_goal: f64,
}

/// Statistics of a part, and whose goal they are about.
pub(crate) type Touched = (RoleId, u32);

impl PartTrees {
    pub(crate) fn new(factors: Arc<Factors>, roles: usize) -> Self {
        let known = (0..factors.count()).map(|_| FxHashMap::default()).collect();
        Self { factors, roles, known, tried: Vec::new() }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.known.iter_mut().for_each(FxHashMap::clear);
        self.tried.clear();
    }

    /// How much they hold.
    pub(crate) fn size(&self) -> usize {
        self.tried.len()
    }

    /// Finds the moves of a node in the trees, which grow by what is new.
    pub(crate) fn links(&mut self, node: &Node) -> Links {
        let parts = self.factors.count();
        let mut totals = vec![0; self.roles * parts];
        let mut arms = vec![0; node.arms.len() * parts];
        for part in 0..parts {
            let seen = self.factors.seen(part, &node.state);
            let known = match self.known[part].entry(seen) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    let first_total = self.tried.len() as u32;
                    self.tried.resize(self.tried.len() + self.roles, Tried::default());
                    free.insert(PartNode { first_total, classes: Vec::new() })
                }
            };
            for role in 0..self.roles {
                totals[role * parts + part] = known.first_total + role as u32;
            }
            for role in node.choosing() {
                let range = node.of_role[role].clone();
                for place in range.start as usize..range.end as usize {
                    let class = self.factors.class(part, node.arms[place].action);
                    arms[place * parts + part] = known.class(class, &mut self.tried);
                }
            }
        }
        Links { parts, totals, arms }
    }

    /// Whether every role that has a choice has been in all these states of the parts before.
    pub(crate) fn are_familiar(&self, node: &Node, links: &Links, visits: u32) -> bool {
        node.choosing().all(|role| {
            links.totals(role).iter().all(|&total| self.tried[total as usize].visits >= visits)
        })
    }

    /// What is usual for a role in the states of the parts.
    pub(crate) fn outlook(&self, links: &Links, role: RoleId, best_goal: f64) -> Outlook {
        let parts = links.totals(role).iter().map(|&total| {
            let total = &self.tried[total as usize];
            let usual = total.goals / f64::from(total.visits.max(1)) / best_goal;
            (usual, (1.0 + f64::from(total.visits)).ln())
        });
        Outlook { parts: parts.collect(), best_goal }
    }

    /// How much better than usual the classes of a move did, each with its upper bound.
    pub(crate) fn advantage(
        &self,
        outlook: &Outlook,
        links: &Links,
        arm: usize,
        exploration: f64,
    ) -> f64 {
        let pairs = outlook.parts.iter().zip(links.arm(arm));
        let advantages = pairs.map(|(&(usual, log), &tried)| {
            let tried = &self.tried[tried as usize];
            let (visits, gain) = match tried.visits {
                0 => (0.5, 0.0),
                visits => {
                    let visits = f64::from(visits);
                    (visits, tried.goals / visits / outlook.best_goal - usual)
                }
            };
            gain + exploration * (log / visits).sqrt()
        });
        advantages.sum()
    }

    /// Takes a way to lead through these moves of a node.
    pub(crate) fn begin(
        &mut self,
        node: &Node,
        links: &Links,
        places: &[u32],
        touched: &mut Vec<Touched>,
    ) {
        for role in node.choosing() {
            let arm = (node.of_role[role].start + places[role.index()]) as usize;
            for &statistics in links.totals(role).iter().chain(links.arm(arm)) {
                self.tried[statistics as usize].begin();
                touched.push((role, statistics));
            }
        }
    }

    /// What the way has brought.
    pub(crate) fn end(&mut self, touched: &[Touched], goals: Option<&[f64]>) {
        for &(role, statistics) in touched {
            self.tried[statistics as usize].end(goals.map(|goals| goals[role.index()]));
        }
    }
}

impl PartNode {
    /// The statistics of a class.
    fn class(&mut self, class: u32, tried: &mut Vec<Tried>) -> u32 {
        match self.classes.binary_search_by_key(&class, |known| known.0) {
            Ok(place) => self.classes[place].1,
            Err(place) => {
                let fresh = tried.len() as u32;
                tried.push(Tried::default());
                self.classes.insert(place, (class, fresh));
                fresh
            }
        }
    }
}

impl Links {
    fn totals(&self, role: RoleId) -> &[u32] {
        &self.totals[role.index() * self.parts..][..self.parts]
    }

    fn arm(&self, arm: usize) -> &[u32] {
        &self.arms[arm * self.parts..][..self.parts]
    }
}
