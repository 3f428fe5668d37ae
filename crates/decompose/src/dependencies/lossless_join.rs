//! Lossless join (chapter 11.4): may each part go where it can, whatever the others do?
//!
//! In a state the moves of one role are tried, the other roles' moves being fixed. Two parts are free
//! if every change of one goes with every change of the other, in one move or in two, one after the
//! other, each leaving the other part as it is. For three parts and more it is not enough to look
//! at pairs: all combinations must exist.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::partition::Partition;
use crate::sample::outcome::{Outcome, UNCHANGED, change_of};

/// What counts as leaving a part alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Idle {
    /// The part keeps its value, or does what others make of it.
    Unchanged,
    /// The part does what it does under most moves.
    Usual,
}

/// What happens to parts while a role leaves them alone, because others act there; nothing elsewhere.
pub(crate) type Meanwhile = FxHashMap<u32, u64>;

/// What happens to these parts, in which others act, while the role acts elsewhere; left out where that is not
/// always the same. `acts` says of an outcome, by its place, whether it comes from a move that acts in a part.
pub(crate) fn meanwhile(
    outcomes: &[Outcome],
    theirs: impl IntoIterator<Item = u32>,
    acts: impl Fn(usize, u32) -> bool,
) -> Meanwhile {
    let usual = |part: u32| {
        let elsewhere = outcomes.iter().enumerate().filter(|(place, _)| !acts(*place, part));
        let mut changes = elsewhere.map(|(_, outcome)| change_of(outcome, part));
        let first = changes.next()?;
        changes.all(|change| change == first).then_some((part, first))
    };
    theirs.into_iter().filter_map(usual).collect()
}

/// Joins pairs of parts that are not free of one another in this state; the pairs that were looked at.
pub(crate) fn join_bound_pairs(
    outcomes: &[Outcome],
    idle: Idle,
    meanwhile: &Meanwhile,
    parts: &mut Partition,
) -> Vec<(u32, u32)> {
    let choices = Choices::of(outcomes, idle, meanwhile);
    let pairs = choices.active_together(outcomes);
    for &(one, other) in &pairs {
        if parts.find(one) != parts.find(other)
            && !choices.is_lossless(&projected(outcomes, one, other), &[vec![one], vec![other]])
        {
            parts.join(one, other);
        }
    }
    pairs
}

/// Pairs of parts with a choice in which a move acts at once.
pub(crate) fn active_pairs(
    outcomes: &[Outcome],
    idle: Idle,
    meanwhile: &Meanwhile,
) -> Vec<(u32, u32)> {
    Choices::of(outcomes, idle, meanwhile).active_together(outcomes)
}

/// What outcomes do to two parts, without repetitions: there are few such pairs of changes.
fn projected(outcomes: &[Outcome], one: u32, other: u32) -> Vec<Outcome> {
    let both = |outcome: &Outcome| (change_of(outcome, one), change_of(outcome, other));
    let mut pairs: Vec<(u64, u64)> = outcomes.iter().map(both).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.into_iter().map(|(first, second)| vec![(one, first), (other, second)]).collect()
}

/// Whether every change of one part goes with every change of the other in one move.
pub(crate) fn is_product(outcomes: &[Outcome], one: u32, other: u32) -> bool {
    let both = |outcome: &Outcome| (change_of(outcome, one), change_of(outcome, other));
    let pairs: FxHashSet<(u64, u64)> = outcomes.iter().map(both).collect();
    let firsts: FxHashSet<u64> = pairs.iter().map(|pair| pair.0).collect();
    let seconds: FxHashSet<u64> = pairs.iter().map(|pair| pair.1).collect();
    pairs.len() == firsts.len() * seconds.len()
}

/// The parts that are up to a role, sorted.
pub(crate) fn open_parts(outcomes: &[Outcome]) -> Vec<u32> {
    let mut parts: Vec<u32> =
        Choices::of(outcomes, Idle::Unchanged, &Meanwhile::default()).changes.into_keys().collect();
    parts.sort_unstable();
    parts
}

/// Joins three and more parts, as few as possible, that are not free of one another although all
/// pairs are; whether there were any.
pub(crate) fn join_bound_clusters(
    outcomes: &[Outcome],
    idle: Idle,
    meanwhile: &Meanwhile,
    parts: &mut Partition,
) -> bool {
    let choices = Choices::of(outcomes, idle, meanwhile);
    let mut changed = false;
    for cluster in choices.clusters(outcomes) {
        changed |= choices.join_cluster(outcomes, &cluster, parts);
    }
    changed
}

/// In clusters beyond this size it is not tried which two to join.
const LARGEST_CLUSTER: usize = 24;

/// The changes that each part can undergo.
struct Choices {
    /// For each part with a choice, its changes and the one that counts as idle.
    changes: FxHashMap<u32, (Vec<u64>, u64)>,
}

impl Choices {
    fn of(outcomes: &[Outcome], idle: Idle, meanwhile: &Meanwhile) -> Self {
        let mut counts: FxHashMap<u32, FxHashMap<u64, usize>> = FxHashMap::default();
        for &(part, change) in outcomes.iter().flatten() {
            *counts.entry(part).or_default().entry(change).or_default() += 1;
        }
        let mut changes = FxHashMap::default();
        #[expect(clippy::iter_over_hash_type, reason = "the entries do not depend on one another")]
        for (part, counts) in counts {
            let mut counted: Vec<(usize, u64)> =
                counts.into_iter().map(|(change, count)| (count, change)).collect();
            let met: usize = counted.iter().map(|&(count, _)| count).sum();
            if met < outcomes.len() {
                counted.push((outcomes.len() - met, UNCHANGED));
            }
            counted.sort_unstable();
            let usual = counted.last().map_or(UNCHANGED, |&(_, change)| change);
            let unchanged = meanwhile.get(&part).copied().unwrap_or(UNCHANGED);
            let idle = if idle == Idle::Usual { usual } else { unchanged };
            if counted.len() > 1 {
                changes
                    .insert(part, (counted.into_iter().map(|(_, change)| change).collect(), idle));
            }
        }
        Self { changes }
    }

    fn is_active(&self, part: u32, change: u64) -> bool {
        self.changes.get(&part).is_some_and(|&(_, idle)| change != idle)
    }

    /// The parts with a choice that an outcome does not leave alone.
    fn active(&self, outcome: &Outcome) -> Vec<u32> {
        // Under most moves a part may change; then leaving it unchanged is not idle.
        let mut active: Vec<u32> = outcome
            .iter()
            .filter(|&&(part, change)| self.is_active(part, change))
            .map(|&(part, _)| part)
            .collect();
        if active.len() < self.changes.len() {
            let fading = self.changes.iter().filter(|(part, (_, idle))| {
                *idle != UNCHANGED && change_of(outcome, **part) == UNCHANGED
            });
            active.extend(fading.map(|(&part, _)| part));
            active.sort_unstable();
        }
        active
    }

    fn active_together(&self, outcomes: &[Outcome]) -> Vec<(u32, u32)> {
        let mut pairs = FxHashSet::default();
        for outcome in outcomes {
            let active = self.active(outcome);
            for (place, &one) in active.iter().enumerate() {
                pairs.extend(active[place + 1..].iter().map(|&other| (one, other)));
            }
        }
        let mut pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs
    }

    /// Three or more parts that are linked by moves that act in two of them.
    fn clusters(&self, outcomes: &[Outcome]) -> Vec<Vec<u32>> {
        let mut parts: Vec<u32> = self.changes.keys().copied().collect();
        parts.sort_unstable();
        let place = |part: u32| parts.binary_search(&part).unwrap_or_default() as u32;
        let mut linked = Partition::singletons(parts.len());
        for (one, other) in self.active_together(outcomes) {
            linked.join(place(one), place(other));
        }
        let clusters = linked.sets().into_iter().filter(|cluster| cluster.len() > 2);
        clusters.map(|set| set.into_iter().map(|place| parts[place as usize]).collect()).collect()
    }

    /// Joins as few parts of a cluster as make all combinations of their changes exist.
    fn join_cluster(&self, outcomes: &[Outcome], cluster: &[u32], parts: &mut Partition) -> bool {
        let blocks: Vec<Vec<u32>> = cluster.iter().map(|&part| vec![part]).collect();
        if self.is_lossless(outcomes, &blocks) {
            return false;
        }
        let pairs = if cluster.len() <= LARGEST_CLUSTER { cluster.len() } else { 0 };
        for one in 0..pairs {
            for other in one + 1..cluster.len() {
                let mut coarser = blocks.clone();
                let joined = coarser.remove(other);
                coarser[one].extend(joined);
                if self.is_lossless(outcomes, &coarser) {
                    return parts.join(cluster[one], cluster[other]);
                }
            }
        }
        parts.join_all(cluster.iter().copied())
    }

    /// Whether every combination of changes of the blocks can be had, by one move or by several, each
    /// of which leaves alone what the others are for.
    fn is_lossless(&self, outcomes: &[Outcome], blocks: &[Vec<u32>]) -> bool {
        let tuple = |outcome: &Outcome, block: &[u32]| -> Vec<u64> {
            block.iter().map(|&part| change_of(outcome, part)).collect()
        };
        let idle: Vec<Vec<u64>> =
            blocks.iter().map(|b| b.iter().map(|part| self.changes[part].1).collect()).collect();
        let mut changes: Vec<Vec<Vec<u64>>> = vec![Vec::new(); blocks.len()];
        let mut moves: Vec<Vec<Option<u32>>> = Vec::new();
        for outcome in outcomes {
            let mut numbers = Vec::with_capacity(blocks.len());
            for (place, block) in blocks.iter().enumerate() {
                let change = tuple(outcome, block);
                numbers.push((change != idle[place]).then(|| number(&mut changes[place], change)));
            }
            moves.push(numbers);
        }
        moves.sort_unstable();
        moves.dedup();
        let has_idle = |place: usize| moves.iter().any(|numbers| numbers[place].is_none());
        let choices: Vec<Vec<Option<u32>>> = (0..blocks.len())
            .map(|place| {
                let active = (0..changes[place].len() as u32).map(Some);
                active.chain(has_idle(place).then_some(None)).collect()
            })
            .collect();
        combinations(&choices).all(|wanted| is_covered(&moves, &wanted))
    }
}

/// The number of a change, in the order in which they are met.
fn number(changes: &mut Vec<Vec<u64>>, change: Vec<u64>) -> u32 {
    let place = changes.iter().position(|known| *known == change).unwrap_or(changes.len());
    if place == changes.len() {
        changes.push(change);
    }
    place as u32
}

/// Combinations that are looked at; of more, every so manieth.
const MOST_COMBINATIONS: usize = 4_000;

fn combinations(choices: &[Vec<Option<u32>>]) -> impl Iterator<Item = Vec<Option<u32>>> {
    let all = choices.iter().fold(1usize, |all, choices| all.saturating_mul(choices.len()));
    // A stride that shares no factor with small numbers of choices meets all kinds of them.
    let stride = all.div_ceil(MOST_COMBINATIONS);
    let stride = if stride > 1 { stride | 1 } else { 1 };
    (0..all).step_by(stride).map(|mut number| {
        choices
            .iter()
            .map(|choices| {
                let choice = choices[number % choices.len()];
                number /= choices.len();
                choice
            })
            .collect()
    })
}

/// Whether moves that do nothing else make these changes together, each change once.
fn is_covered(moves: &[Vec<Option<u32>>], wanted: &[Option<u32>]) -> bool {
    if wanted.iter().all(Option::is_none)
        || moves.binary_search_by(|m| m.as_slice().cmp(wanted)).is_ok()
    {
        return true;
    }
    let Some(first) = wanted.iter().position(Option::is_some) else { return true };
    moves.iter().any(|action| {
        let helps = action[first] == wanted[first]
            && action.iter().zip(wanted).all(|(does, want)| does.is_none() || does == want);
        helps && {
            let left: Vec<Option<u32>> = action
                .iter()
                .zip(wanted)
                .map(|(does, want)| if does.is_some() { None } else { *want })
                .collect();
            is_covered(moves, &left)
        }
    })
}
