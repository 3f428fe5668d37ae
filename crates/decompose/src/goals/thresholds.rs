//! Parts by thresholds: groups of which so many must be won, whichever they are.
//!
//! Where two groups of four win, each pair of groups is a victory condition, and conditions that overlap would
//! join all of them. Fluents that are in the same victory conditions are one group. If every role's highest
//! score is a threshold of one condition per group ([`crate::goals::score_form`]), the groups are the parts.

use gambol_analysis::{Budget, Encoding};
use gambol_net::Net;
use rustc_hash::FxHashMap;

use crate::decomposition::Combination;
use crate::goals::joins::{parts_in_goal, parts_read};
use crate::goals::score_form::{combination, conditions_of, highest};
use crate::goals::subgoal::Condition;
use crate::partition::Partition;
use crate::sample::outcome::PartOf;

/// Groups beyond which nothing is asked.
const MOST_GROUPS: usize = 24;
/// Decisions of the solver per question.
const EFFORT: u64 = 20_000;

/// The parts joined to groups of which so many must be won; `None` if no role's score is such a threshold.
pub(crate) fn by_thresholds(
    net: &Net,
    victories: &[Condition],
    part_of: &PartOf,
    parts: &Partition,
    budget: &Budget,
) -> Option<Partition> {
    let mut grouped = parts.clone();
    let groups = group(net, victories, part_of, &mut grouped)?;
    let number = |part: Option<u32>| part.map(|part| grouped.clone().find(part));
    let group_of: PartOf = part_of.iter().map(|&part| number(part)).collect::<Vec<_>>().into();
    let mut threshold = false;
    for role in net.roles.ids() {
        let Some(gate) = highest(net, role) else { continue };
        if parts_read(net, [gate], &group_of).len() < 2 {
            continue;
        }
        let mut encoding = Encoding::new(net, budget);
        let state = encoding.state();
        let conditions = conditions_of(net, &mut encoding, state, gate, &group_of)?;
        let conditions: Vec<_> = conditions.into_iter().map(|(_, condition)| condition).collect();
        let (over, wins) = (encoding.gate(state, net.terminal), encoding.gate(state, gate));
        let (found, _) = combination(&mut encoding, &[over], wins, &conditions, EFFORT)?;
        threshold |= matches!(found, Combination::AtLeast(_));
    }
    (threshold && groups > 2).then_some(grouped)
}

/// Joins the parts that are in the same victory conditions; how many groups there are. None if a part that
/// counts for the score is in no such condition.
fn group(
    net: &Net,
    victories: &[Condition],
    part_of: &PartOf,
    grouped: &mut Partition,
) -> Option<usize> {
    let mut signatures: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (number, victory) in victories.iter().enumerate() {
        for part in victory.fluents.iter().filter_map(|&fluent| part_of[fluent]) {
            let of_part = signatures.entry(part).or_default();
            if of_part.last() != Some(&number) {
                of_part.push(number);
            }
        }
    }
    let in_goal = parts_in_goal(net, part_of);
    let mut first: FxHashMap<&[usize], u32> = FxHashMap::default();
    for part in in_goal {
        let signature = signatures.get(&part)?.as_slice();
        grouped.join(part, *first.entry(signature).or_insert(part));
    }
    (first.len() <= MOST_GROUPS).then_some(first.len())
}
