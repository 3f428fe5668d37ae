//! A tree for each part of a game: how much each class of moves was found to add in each state of a
//! part, whatever the other parts were doing.
//!
//! A move of the whole game has a class in every part, if only that of leaving the part alone. What the
//! games after a move brought, less what is usual in that state of the whole game, is taken for the sum of
//! what its classes add, and whatever the sum was wrong by is shared among them. So a state that is good
//! because of one part does not make the moves in another look good, and something is known of the moves
//! of a state that was never seen. Games are still played as a whole, so the true goals and the true end are
//! what counts, and a wrong cut costs time but not soundness.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use gambol_index::{Id, IndexVec};
use gambol_net::RoleId;
use rustc_hash::FxHashMap;

use crate::factors::{Factors, PartState};
use crate::node::Node;
use crate::part_worth::Worth;

/// The trees of all parts.
pub(crate) struct PartTrees {
    factors: Arc<Factors>,
    /// The states of each part that were seen.
    known: Vec<FxHashMap<PartState, PartNode>>,
    /// What the classes of all states add, in one row.
    added: Vec<Added>,
    worth: Worth,
}

/// The classes of moves in a state of a part and where their records are, sorted.
type PartNode = Vec<(u32, u32)>;

/// What a class of moves adds in a state of a part.
#[derive(Clone, Copy, Debug, Default)]
struct Added {
    /// How often it was found out.
    times: u32,
    /// As a share of the best goal.
    share: f32,
}

/// What the trees of the parts say of a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advice {
    /// What its classes add, as a share of the best goal.
    pub(crate) share: f64,
    /// How many visits that is worth.
    pub(crate) trust: f64,
}

/// Where the records of a node's moves are in the trees of the parts: move after move, part after part.
#[derive(Clone, Debug)]
pub(crate) struct Links(Box<[u32]>);

/// What was found out long ago counts for less: as if it had been so many times at most.
const MEMORY: u32 = 256;
/// Advice is worth this much even if there is none: a move must not look certain.
const LEAST_TRUST: f64 = 0.2;

impl PartTrees {
    pub(crate) fn new(factors: Arc<Factors>) -> Self {
        let known = (0..factors.count()).map(|_| FxHashMap::default()).collect();
        Self { factors, known, added: Vec::new(), worth: Worth::default() }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.known.iter_mut().for_each(FxHashMap::clear);
        self.added.clear();
    }

    /// How much they hold.
    pub(crate) fn size(&self) -> usize {
        self.added.len()
    }

    /// Finds the moves of a node in the trees, which grow by what is new.
    pub(crate) fn links(&mut self, node: &Node) -> Links {
        let parts = self.factors.count();
        let mut arms = vec![0; node.arms.len() * parts].into_boxed_slice();
        for part in 0..parts {
            let known = match self.known[part].entry(self.factors.seen(part, &node.state)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(PartNode::new()),
            };
            for role in node.choosing() {
                let range = node.of_role[role].clone();
                for place in range.start as usize..range.end as usize {
                    let class = self.factors.class(part, node.arms[place].action);
                    arms[place * parts + part] = record_of(class, known, &mut self.added);
                }
            }
        }
        Links(arms)
    }

    /// What the classes of a move add. How far that is to be believed is measured unless it is given.
    pub(crate) fn advice(&self, links: &Links, arm: usize, trust: Option<f64>) -> Advice {
        let (share, times) = self.sum(links, arm);
        let trust = trust.unwrap_or(self.worth.visits).min(f64::from(times)).max(LEAST_TRUST);
        Advice { share: share * self.worth.slope, trust }
    }

    fn sum(&self, links: &Links, arm: usize) -> (f64, u32) {
        self.of_arm(links, arm).iter().fold((0.0, u32::MAX), |(sum, least), &record| {
            let Added { times, share } = self.added[record as usize];
            (sum + f64::from(share), least.min(times))
        })
    }

    /// What a way through these places of a node has brought.
    pub(crate) fn take_up(
        &mut self,
        node: &Node,
        places: &[u32],
        goals: &[f64],
        best_goals: &IndexVec<RoleId, u32>,
    ) {
        let Some(links) = &node.links else { return };
        for role in node.choosing() {
            let best = f64::from(best_goals[role].max(1));
            let (goal, usual) = (goals[role.index()] / best, node.usual(role) / best);
            let arm = (node.of_role[role].start + places[role.index()]) as usize;
            let tried = &node.arms[arm].tried;
            let (share, times) = self.sum(links, arm);
            if tried.visits == tried.pending && times > 0 {
                self.worth.note(share, goal - usual);
            }
            self.learn(links, arm, goal - usual - share);
        }
    }

    /// The classes of a move added so much more than expected.
    fn learn(&mut self, links: &Links, arm: usize, wrong_by: f64) {
        let parts = self.factors.count();
        for record in &links.0[arm * parts..][..parts] {
            let added = &mut self.added[*record as usize];
            added.times = added.times.saturating_add(1);
            let times = added.times.min(MEMORY) as usize + parts - 1;
            added.share += (wrong_by / times as f64) as f32;
        }
    }

    fn of_arm<'l>(&self, links: &'l Links, arm: usize) -> &'l [u32] {
        let parts = self.factors.count();
        &links.0[arm * parts..][..parts]
    }
}

/// The record of a class in a state of a part.
fn record_of(class: u32, known: &mut PartNode, added: &mut Vec<Added>) -> u32 {
    match known.binary_search_by_key(&class, |one| one.0) {
        Ok(place) => known[place].1,
        Err(place) => {
            let fresh = added.len() as u32;
            added.push(Added::default());
            known.insert(place, (class, fresh));
            fresh
        }
    }
}
