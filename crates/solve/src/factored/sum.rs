//! Sums of games: two players move in turn, each move acts in one part alone, no part can come back to
//! where it was, and play is over when who is to move has no move in any part. In *normal* play that
//! player has lost, in *misère* play won.
//!
//! All of that is read off the gates and the tables of the parts, or the game is not taken for a sum.

use gambol_analysis::Clocks;
use gambol_index::IndexVec;
use gambol_net::{FluentId, GateId, Lanes, Net, Ternary, possible_given};
use rustc_hash::FxHashMap;

use super::context::{Moment, Orbit};
use super::legality::{Condition, Legality};
use super::part_quotient::Node;
use super::parts::Parts;
use super::quotient::Quotient;
use super::transition_system::{Local, NONE, load_part};
use crate::Dynamics;

/// Ends that differ are examined one by one, at most this many.
const MOST_ENDS: usize = 4_096;

/// A sum of games. Its players are who is to move in the first step, and who in the second.
pub(super) struct Sum {
    pub(super) parts: Vec<SumPart>,
    /// The step in which the first role is to move.
    pub(super) first_role: usize,
    /// What both roles get if who is to move in the first step, or in the second, has no move.
    pub(super) ends: [[u32; 2]; 2],
    pub(super) misere: bool,
}

impl Sum {
    /// `None` if the game is none.
    pub(super) fn of(net: &Net, quotient: &mut Quotient<'_>) -> Option<Self> {
        let movers = movers(&quotient.orbit);
        if movers.is_empty() {
            return None;
        }
        let parts = sum_parts(&quotient.orbit, &quotient.parts)?;
        let mut ends = [[0; 2]; 2];
        for (step, end) in ends.iter_mut().enumerate() {
            *end = end_of(net, quotient, &parts, step)?;
        }
        let readings = movers.iter().filter_map(|&movers| Some((is_misere(movers, ends)?, movers)));
        let (misere, movers) = readings.min()?;
        // The first role, number 0, moves in step 0 if movers are 0 and 1, else in step 1.
        Some(Self { parts, first_role: movers[0], ends, misere })
    }
}

/// A part of a sum: what each player can move to.
pub(super) struct SumPart {
    pub(super) options: [Options; 2],
    /// All blocks, each after those that can follow it.
    pub(super) order: Vec<u32>,
}

impl SumPart {
    /// Nothing if a block can come back.
    fn of(options: [Options; 2]) -> Option<Self> {
        let order = bottom_up(&options)?;
        Some(Self { options, order })
    }

    pub(super) fn is_impartial(&self) -> bool {
        self.options[0] == self.options[1]
    }
}

/// For each block of a part those one move of a player away, ascending: block `b` has
/// `blocks[first[b]..first[b + 1]]`.
#[derive(PartialEq, Eq)]
pub(super) struct Options {
    first: Vec<u32>,
    blocks: Vec<u32>,
}

impl Options {
    /// What some columns lead to.
    fn of(local: &Local, columns: &[usize]) -> Self {
        let (mut first, mut blocks) = (vec![0], Vec::new());
        let mut found = Vec::new();
        for block in 0..local.store.len() {
            let next = columns.iter().map(|&column| local.columns[column][block]);
            found.extend(next.filter(|&next| next != NONE));
            found.sort_unstable();
            found.dedup();
            blocks.append(&mut found);
            first.push(blocks.len() as u32);
        }
        Self { first, blocks }
    }

    pub(super) fn len(&self) -> usize {
        self.first.len() - 1
    }

    pub(super) fn of_block(&self, block: u32) -> &[u32] {
        let block = block as usize;
        &self.blocks[self.first[block] as usize..self.first[block + 1] as usize]
    }
}

/// All blocks, each after those that can follow it; `None` if one can return.
fn bottom_up(options: &[Options; 2]) -> Option<Vec<u32>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let count = options[0].len();
    let mut marks = vec![Mark::New; count];
    let mut order = Vec::with_capacity(count);
    let mut path: Vec<u32> = (0..count as u32).collect();
    while let Some(&block) = path.last() {
        match marks[block as usize] {
            Mark::New => {
                marks[block as usize] = Mark::Open;
                let next = options.iter().flat_map(|options| options.of_block(block)).copied();
                for next in next {
                    match marks[next as usize] {
                        Mark::New => path.push(next),
                        Mark::Open => return None,
                        Mark::Done => {}
                    }
                }
            }
            Mark::Open => {
                marks[block as usize] = Mark::Done;
                order.push(block);
                path.pop();
            }
            Mark::Done => _ = path.pop(),
        }
    }
    Some(order)
}

/// Who can be taken to choose in the first and in the second step, if two roles alternate and nothing
/// else runs. Where only one move can ever be made it is no matter who makes it.
fn movers(orbit: &Orbit) -> Vec<[usize; 2]> {
    let chooses_alone = |moment: &Moment, role: usize| match *moment.choices.as_slice() {
        [one, other] => [other, one][role] == 1,
        _ => false,
    };
    match (orbit.contexts.len(), orbit.back_to, orbit.moments.as_slice()) {
        (2, 0, [first, second]) => [[0, 1], [1, 0]]
            .into_iter()
            .filter(|&[one, other]| chooses_alone(first, one) && chooses_alone(second, other))
            .collect(),
        _ => Vec::new(),
    }
}

/// The parts of a sum; `None` unless every move acts in one part and the others stand still.
fn sum_parts(orbit: &Orbit, nodes: &[Node]) -> Option<Vec<SumPart>> {
    let still = |node: &Node| -> Vec<bool> {
        node.reduced.columns.iter().map(|column| stands_still(column)).collect()
    };
    let still: Vec<Vec<bool>> = nodes.iter().map(still).collect();
    let mut acting: Vec<[Vec<usize>; 2]> = vec![Default::default(); nodes.len()];
    for (step, moment) in orbit.moments.iter().enumerate() {
        for (place, legality) in moment.legality.iter().enumerate() {
            if !legality.shared.is_empty() {
                return None;
            }
            let column = |part: usize| nodes[part].reduced.column_of[step][place];
            let mut parts = (0..nodes.len()).filter(|&part| !still[part][column(part)]);
            let part = parts.next()?;
            if parts.next().is_some() {
                return None;
            }
            acting[part][step].push(column(part));
        }
    }
    let part = |(node, columns): (&Node, [Vec<usize>; 2])| {
        SumPart::of(columns.map(|columns| Options::of(&node.reduced, &columns)))
    };
    nodes.iter().zip(acting).map(part).collect()
}

fn stands_still(column: &[u32]) -> bool {
    column.iter().zip(0..).all(|(&next, block)| next == block)
}

/// What both roles get at the ends of a step; `None` unless they are where no part has a move left
/// for who is to move, and all alike.
fn end_of(
    net: &Net,
    quotient: &mut Quotient<'_>,
    parts: &[SumPart],
    step: usize,
) -> Option<[u32; 2]> {
    let Quotient { parts: nodes, orbit, .. } = &*quotient;
    let context = &orbit.contexts[step];
    let mut given: FxHashMap<GateId, bool> = FxHashMap::default();
    for &fluent in &orbit.fluents {
        given.insert(net.fluent_gate(fluent), context.contains(&fluent));
    }
    let values = possible(net, &given);
    if values[net.terminal].can_be_true & 1 == 0 {
        return None;
    }
    let fluents = nodes.iter().map(|node| node.reduced.fluents.clone()).collect();
    let cut = Parts { clocks: Clocks { fluents: orbit.fluents.clone() }, parts: fluents };
    let over = Legality::of(net, &cut, &values, net.terminal);
    if !over.shared.is_empty() {
        return None;
    }
    for (number, (node, part)) in nodes.iter().zip(parts).enumerate() {
        let ends = fulfilled(net, &node.reduced, context, &over.of_part(number));
        let stuck = |block: u32| part.options[step].of_block(block).is_empty();
        if !ends.iter().zip(0..).all(|(&end, block)| end == stuck(block)) {
            return None;
        }
    }
    given.extend(over.own.iter().map(|(_, condition)| (condition.gate, condition.holds)));
    goals(net, &possible(net, &given)).or_else(|| goals_of_all(quotient, parts, step))
}

fn possible(net: &Net, given: &FxHashMap<GateId, bool>) -> IndexVec<GateId, Ternary<u64>> {
    possible_given(net, given, |_, legal| Ternary { can_be_false: u64::MAX, ..legal })
}

/// For each block whether all conditions hold.
fn fulfilled(
    net: &Net,
    local: &Local,
    context: &[FluentId],
    conditions: &[Condition],
) -> Vec<bool> {
    let width = local.fluents.len().div_ceil(64).max(1);
    let mut sweep = Lanes::of(net, conditions.iter().map(|condition| condition.gate));
    context.iter().for_each(|&fluent| sweep.set(fluent, u64::MAX));
    let mut found = Vec::with_capacity(local.store.len());
    for states in local.store.rows(0..local.store.len()).chunks(64 * width) {
        load_part(&mut sweep, &local.fluents, width, states);
        sweep.run();
        let all = conditions.iter().fold(u64::MAX, |all, condition| {
            let value = sweep.value(condition.gate);
            all & if condition.holds { value } else { !value }
        });
        found.extend((0..states.len() / width).map(|lane| all >> lane & 1 == 1));
    }
    found
}

/// The goals of both roles, if what is known decides them.
fn goals(net: &Net, values: &IndexVec<GateId, Ternary<u64>>) -> Option<[u32; 2]> {
    let mut found = [None; 2];
    for goal in &net.goals {
        let Ternary { can_be_true, can_be_false } = values[goal.gate];
        match (can_be_true & 1 == 1, can_be_false & 1 == 1) {
            (true, false) => {
                let known = found.get_mut(goal.role.number() as usize)?;
                if known.replace(goal.value).is_some_and(|value| value != goal.value) {
                    return None;
                }
            }
            (false, true) => {}
            _ => return None,
        }
    }
    Some([found[0]?, found[1]?])
}

/// The goals of both roles at the ends of a step, looked at one by one.
fn goals_of_all(quotient: &mut Quotient<'_>, parts: &[SumPart], step: usize) -> Option<[u32; 2]> {
    let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
    for part in parts {
        let options = &part.options[step];
        let stuck = (0..options.len() as u32).filter(|&block| options.of_block(block).is_empty());
        let stuck: Vec<u64> = stuck.take(MOST_ENDS + 1).map(u64::from).collect();
        if rows.len() * stuck.len() > MOST_ENDS {
            return None;
        }
        let longer = |row: &Vec<u64>| {
            stuck.iter().map(|&block| [&row[..], &[block]].concat()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    let states: Vec<u64> =
        rows.iter().flat_map(|row| [&row[..], &[step as u64]].concat()).collect();
    let looks = quotient.look(&states);
    let goals = |place: usize| match *looks.goals(place) {
        [one, other] if looks.over(place) => Some([one.value()?, other.value()?]),
        _ => None,
    };
    let first = (!looks.is_empty()).then(|| goals(0)).flatten()?;
    (1..looks.len()).all(|place| goals(place) == Some(first)).then_some(first)
}

/// Whether play is misère; `None` if the players' interests are not opposite.
fn is_misere(movers: [usize; 2], ends: [[u32; 2]; 2]) -> Option<bool> {
    let sums = ends.map(|[one, other]| one + other);
    // What the first player gets who is stuck, then when the other is stuck.
    let (stuck, other) = (ends[0][movers[0]], ends[1][movers[0]]);
    (sums[0] == sums[1] && stuck != other).then_some(stuck > other)
}
