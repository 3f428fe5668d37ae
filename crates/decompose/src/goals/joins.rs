//! Goals join parts: what a condition for points reads together is one part.

use gambol_net::{FluentId, MoveId, Net, RoleId};
use rustc_hash::FxHashSet;

use crate::evaluate::lanes::cone;
use crate::goals::subgoal::{Condition, Conditions};
use crate::partition::Partition;
use crate::sample::outcome::PartOf;

/// The parts that some goal looks at.
pub(crate) fn parts_in_goal(net: &Net, part_of: &PartOf) -> Vec<u32> {
    parts_read(net, net.goals.iter().map(|goal| goal.gate), part_of)
}

/// The parts that some gates look at, sorted.
pub(crate) fn parts_read(
    net: &Net,
    gates: impl IntoIterator<Item = gambol_net::GateId>,
    part_of: &PartOf,
) -> Vec<u32> {
    use gambol_index::Id;
    let read = cone(net, gates);
    let fluents = net.fluents.ids().filter(|&f| read[net.fluent_gate(f).index()]);
    let mut parts: Vec<u32> = fluents.filter_map(|fluent| part_of[fluent]).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn parts_of(condition: &Condition, part_of: &PartOf, parts: &mut Partition) -> Vec<u32> {
    let read = condition.fluents.iter().filter_map(|&fluent: &FluentId| part_of[fluent]);
    let mut read: Vec<u32> = read.map(|part| parts.find(part)).collect();
    read.sort_unstable();
    read.dedup();
    read
}

/// Joins the parts that conditions read together. Parts that count for the score, but for which no
/// condition of their own is found, are joined too: there is nothing to play for in each of them. But
/// first `timely` is asked for what wins at the times when games end.
pub(crate) fn join_by_goals(
    net: &Net,
    conditions: &Conditions,
    part_of: &PartOf,
    parts: &mut Partition,
    timely: impl FnOnce() -> Vec<Condition>,
) {
    let in_goal = parts_in_goal(net, part_of);
    if in_goal.len() < 2 {
        return;
    }
    let mut confirmed: FxHashSet<u32> = FxHashSet::default();
    for subgoal in &conditions.subgoals {
        let read = parts_of(subgoal, part_of, parts);
        parts.join_all(read.iter().copied());
        confirmed.extend(read);
    }
    let by_subgoal: FxHashSet<u32> = confirmed.iter().map(|&part| parts.find(part)).collect();
    if open_parts(&in_goal, &confirmed, parts).len() > 1 {
        for victory in &conditions.victories {
            let mut read = parts_of(victory, part_of, parts);
            read.retain(|part| !by_subgoal.contains(part));
            parts.join_all(read.iter().copied());
            confirmed.extend(read);
        }
    }
    if open_parts(&in_goal, &confirmed, parts).len() > 1 {
        for victory in timely() {
            let read = parts_of(&victory, part_of, parts);
            parts.join_all(read.iter().copied());
            confirmed.extend(read);
        }
    }
    let open = open_parts(&in_goal, &confirmed, parts);
    if open.len() > 1 {
        parts.join_all(open);
    }
}

/// Parts in the goal that no condition has confirmed.
fn open_parts(in_goal: &[u32], confirmed: &FxHashSet<u32>, parts: &mut Partition) -> Vec<u32> {
    let confirmed: FxHashSet<u32> = confirmed.iter().map(|&part| parts.find(part)).collect();
    let mut open: Vec<u32> = in_goal.iter().map(|&part| parts.find(part)).collect();
    open.retain(|part| !confirmed.contains(part));
    open.sort_unstable();
    open.dedup();
    open
}

/// Joins parts by victory conditions alone; whether all parts in the goal then win by themselves.
pub(crate) fn join_by_victories(
    net: &Net,
    conditions: &Conditions,
    part_of: &PartOf,
    parts: &mut Partition,
) -> bool {
    let mut confirmed: FxHashSet<u32> = FxHashSet::default();
    for victory in &conditions.victories {
        let read = parts_of(victory, part_of, parts);
        parts.join_all(read.iter().copied());
        confirmed.extend(read);
    }
    open_parts(&parts_in_goal(net, part_of), &confirmed, parts).is_empty()
}

/// Joins parts that belong to different players if some player's score compares them.
pub(crate) fn join_compared(
    net: &Net,
    acting: &[Vec<RoleId>],
    part_of: &PartOf,
    parts: &mut Partition,
) {
    for role in net.roles.ids() {
        let goals = net.goals.iter().filter(|goal| goal.role == role).map(|goal| goal.gate);
        let read = parts_read(net, goals, part_of);
        for (place, &one) in read.iter().enumerate() {
            for &other in &read[place + 1..] {
                let (mine, theirs) = (&acting[one as usize], &acting[other as usize]);
                let apart = !mine.is_empty()
                    && !theirs.is_empty()
                    && mine.iter().all(|role| !theirs.contains(role));
                if apart {
                    parts.join(one, other);
                }
            }
        }
    }
}

/// The role of a move.
pub(crate) fn role_of(net: &Net, action: MoveId) -> RoleId {
    net.moves[action].role
}
