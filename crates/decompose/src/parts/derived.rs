//! Derived variables: parts in which no move acts, but which are not clocks either.
//!
//! A position follows its speed, a score the board, a lock the end of the first game of a series. A
//! follower for which no tie was seen belongs to the one part that it reads. In a series it belongs
//! to the part that is played while it changes; if it only marks the change-over, to the part before.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net};

use crate::evaluate::lanes::{Lanes, cone};
use crate::goals::joins::parts_read;
use crate::partition::Partition;
use crate::sample::interventions::Met;
use crate::sample::outcome::{PartOf, situations};

/// What is known of the pieces.
pub(crate) struct Followers<'a> {
    pub(crate) net: &'a Net,
    pub(crate) pieces: &'a [Vec<FluentId>],
    pub(crate) part_of: &'a PartOf,
    /// The pieces that each move acts on.
    pub(crate) acts_on: &'a IndexVec<MoveId, Vec<u32>>,
    /// Whether moves act in the part that a piece stands for.
    pub(crate) acted_in: &'a [bool],
    /// The stage of the part that a piece stands for.
    pub(crate) stages: &'a [Option<u32>],
}

/// States that are looked at.
const STATES: usize = 1_500;

impl Followers<'_> {
    /// Joins the followers with what they follow; those that follow nothing, or several parts, are
    /// returned: they are adrift.
    pub(crate) fn join(&self, active: &[Active<'_>], parts: &mut Partition) -> Vec<u32> {
        let mut adrift = Vec::new();
        for set in parts.sets() {
            if self.acted_in[set[0] as usize] {
                continue;
            }
            let fluents: Vec<FluentId> =
                set.iter().flat_map(|&piece| self.pieces[piece as usize].iter().copied()).collect();
            match self.leader(&fluents, active) {
                Some(part) => {
                    parts.join(part, set[0]);
                }
                None => adrift.extend(set),
            }
        }
        adrift
    }

    /// The only part that fluents follow.
    fn leader(&self, fluents: &[FluentId], active: &[Active<'_>]) -> Option<u32> {
        let gates = fluents.iter().map(|&fluent| self.net.next[fluent]);
        let mut read = parts_read(self.net, gates, self.part_of);
        read.retain(|&part| self.acted_in[part as usize]);
        if read.is_empty() {
            read = self.parts_of_moves_read(fluents);
        }
        if !active.is_empty() && !changes_once(fluents, active) {
            let stages = stages_of_changes(fluents, active);
            read.retain(|&part| stages.contains(&self.stages[part as usize]));
        }
        match read.as_slice() {
            [part] => Some(*part),
            _ => None,
        }
    }
}

impl Followers<'_> {
    /// The parts in which the moves act that fluents look at.
    fn parts_of_moves_read(&self, fluents: &[FluentId]) -> Vec<u32> {
        let read = cone(self.net, fluents.iter().map(|&fluent| self.net.next[fluent]));
        let moves = self.net.moves.ids();
        let moves = moves.filter(|&action| read[self.net.move_gate(action).index()]);
        let mut parts: Vec<u32> = moves
            .flat_map(|action| &self.acts_on[action])
            .filter_map(|&piece| self.part_of[*self.pieces[piece as usize].first()?])
            .collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

/// A state with the stage that is played in it.
pub(crate) struct Active<'a> {
    met: &'a Met,
    stage: Option<u32>,
}

/// The stages in which the states of a series are played.
pub(crate) fn active<'a>(
    lanes: &mut Lanes<'_>,
    met: &'a [Met],
    stage_of: &dyn Fn(MoveId) -> Option<u32>,
) -> Vec<Active<'a>> {
    let met = &met[..met.len().min(STATES)];
    let found = situations(lanes, met.iter().map(|met| met.state.clone()).collect());
    let stage = |legal: &[MoveId]| legal.iter().filter_map(|&action| stage_of(action)).max();
    met.iter()
        .zip(found)
        .map(|(met, situation)| Active {
            met,
            stage: situation.legal.iter().filter_map(|legal| stage(legal)).max(),
        })
        .collect()
}

fn changes(fluents: &[FluentId], met: &Met) -> bool {
    fluents.iter().any(|&fluent| met.state.holds(fluent) != met.next.holds(fluent))
}

/// Whether the fluents are only ever seen to become true.
fn changes_once(fluents: &[FluentId], active: &[Active<'_>]) -> bool {
    active.iter().all(|one| {
        fluents.iter().all(|&fluent| !one.met.state.holds(fluent) || one.met.next.holds(fluent))
    })
}

fn stages_of_changes(fluents: &[FluentId], active: &[Active<'_>]) -> Vec<Option<u32>> {
    let changing = active.iter().filter(|one| one.stage.is_some() && changes(fluents, one.met));
    let mut stages: Vec<Option<u32>> = changing.map(|one| one.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    stages
}
