//! Groups of fluents of which at most one is true, and fluents that the step alone decides, as a sample
//! suggests them.

use std::collections::BTreeMap;

use gambol_index::Id;
use gambol_net::{FluentId, Net};
use serde::{Deserialize, Serialize};

use super::sample::{Sample, holds};

/// A group has no more members than this, so that its code fits in a table.
const MOST_MEMBERS: usize = 1 << 12;
/// What the step alone decides must have been seen in so many states.
const SEEN: usize = 50;

/// Fluents of which at most one is true.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    /// The fluents.
    pub(crate) members: Vec<u32>,
    /// Whether exactly one of them is true.
    pub(crate) exact: bool,
}

impl Group {
    /// How many values there are: which member is true, or first of all that none is.
    pub(crate) fn values(&self) -> usize {
        self.members.len() + usize::from(!self.exact)
    }

    /// The value that stands for a member.
    pub(crate) fn value_of(&self, place: usize) -> u32 {
        (place + usize::from(!self.exact)) as u32
    }

    /// The member that a value stands for; none if no member is true.
    pub(crate) fn member(&self, value: u32) -> Option<u32> {
        let place = (value as usize).checked_sub(usize::from(!self.exact))?;
        self.members.get(place).copied()
    }

    /// How many bits a value takes.
    pub(crate) fn width(&self) -> u32 {
        bits_for(self.values())
    }

    /// The value in a state; none if the group is not what it is said to be.
    pub(crate) fn value_in(&self, row: &[u64]) -> Option<u32> {
        let mut held = (0..self.members.len()).filter(|&place| holds(row, self.members[place]));
        match (held.next(), held.next()) {
            (None, _) if !self.exact => Some(0),
            (Some(place), None) => Some(self.value_of(place)),
            _ => None,
        }
    }
}

/// How many bits it takes to tell so many things apart.
pub(crate) fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// The fluents that have the same value in all states of a step.
pub(crate) fn timed(sample: &Sample, fluents: usize) -> Vec<u32> {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut varies, mut seen) = (vec![false; fluents], vec![0; fluents]);
    for (place, (row, depth)) in sample.iter().enumerate() {
        let of_step = sample.row(*first.entry(depth).or_insert(place));
        for fluent in 0..fluents {
            let value = holds(row, fluent as u32);
            seen[fluent] += usize::from(value);
            varies[fluent] |= value != holds(of_step, fluent as u32);
        }
    }
    (0..fluents)
        .filter(|&fluent| !varies[fluent] && seen[fluent] >= SEEN)
        .map(|f| f as u32)
        .collect()
}

/// Groups that hold each of the other fluents once. Candidates are fluents whose names differ in one word; those that
/// save most come first, and what is left stands alone.
pub(crate) fn groups(net: &Net, sample: &Sample, timed: &[u32]) -> Vec<Group> {
    let mut taken = vec![false; net.fluents.len()];
    timed.iter().for_each(|&fluent| taken[fluent as usize] = true);
    let mut found: Vec<Group> = candidates(net, &taken);
    found.retain_mut(|group| is_exclusive(group, sample));
    found.sort_by_key(|group| (std::cmp::Reverse(saving(group)), group.members.clone()));
    let mut groups = Vec::new();
    for mut group in found {
        let before = group.members.len();
        group.members.retain(|&member| !taken[member as usize]);
        // Of an exactly-one group with members elsewhere at most one is left.
        group.exact &= group.members.len() == before;
        if group.members.len() > 1 {
            group.members.iter().for_each(|&member| taken[member as usize] = true);
            groups.push(group);
        }
    }
    groups.extend(plain(net.fluents.len(), |fluent| !taken[fluent]));
    groups.sort_by_key(|group| group.members[0]);
    groups
}

/// Each fluent alone.
pub(crate) fn plain(fluents: usize, wanted: impl Fn(usize) -> bool) -> Vec<Group> {
    let alone = |fluent| Group { members: vec![fluent as u32], exact: false };
    (0..fluents).filter(|&fluent| wanted(fluent)).map(alone).collect()
}

fn saving(group: &Group) -> u32 {
    group.members.len() as u32 - group.width()
}

/// Fluents that are called the same but for one word.
fn candidates(net: &Net, taken: &[bool]) -> Vec<Group> {
    let mut alike: BTreeMap<(usize, String), Vec<u32>> = BTreeMap::new();
    for fluent in (0..taken.len()).filter(|&fluent| !taken[fluent]) {
        let name = &net.fluents[FluentId::from_index(fluent)];
        let words: Vec<&str> = name.split_whitespace().collect();
        for place in 0..words.len() {
            let mut rest = words.clone();
            rest[place] = "?";
            alike.entry((place, rest.join(" "))).or_default().push(fluent as u32);
        }
    }
    let several = |members: &Vec<u32>| (2..=MOST_MEMBERS).contains(&members.len());
    let groups = alike.into_values().filter(several);
    groups.map(|members| Group { members, exact: true }).collect()
}

/// Whether no two members were ever true together; says whether one always was.
fn is_exclusive(group: &mut Group, sample: &Sample) -> bool {
    for (row, _) in sample.iter() {
        let held = group.members.iter().filter(|&&member| holds(row, member)).take(2).count();
        if held == 2 {
            return false;
        }
        group.exact &= held == 1;
    }
    true
}
