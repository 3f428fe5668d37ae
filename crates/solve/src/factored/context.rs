//! The context of a game, step by step, and which role can choose what in it.

use gambol_analysis::Moments;
use gambol_index::{Id, bits};
use gambol_net::{FluentId, MoveId, Net, RoleId, Supports, Ternary, Value, possible_values};
use rustc_hash::FxHashMap;

use super::legality::Legality;
use super::parts::Parts;

/// A context that does not return within this many steps is too long.
const LONGEST: usize = 4_000;
/// The most joint moves of a moment.
const MOST_JOINT_MOVES: usize = 20_000;

/// One kind of moment: contexts that no part and no move tells apart.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// The context fluents that are true in the first context of the kind.
    pub(crate) context: Vec<FluentId>,
    /// For each role how many moves can be legal.
    pub(crate) choices: Vec<usize>,
    /// The joint moves that can be legal; the last role's move changes fastest.
    pub(crate) joint_moves: Vec<Vec<MoveId>>,
    /// For each joint move what its legality asks for.
    pub(crate) legality: Vec<Legality>,
}

impl Moment {
    /// Whether more than one role can choose.
    pub(crate) fn is_simultaneous(&self) -> bool {
        self.choices.iter().filter(|&&count| count > 1).count() > 1
    }
}

/// The contexts one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Orbit {
    /// All context fluents.
    pub(crate) fluents: Vec<FluentId>,
    /// For each step the true context fluents.
    pub(crate) contexts: Vec<Vec<FluentId>>,
    /// The kinds of moments that come up.
    pub(crate) moments: Vec<Moment>,
    /// Which step follows the last one.
    pub(crate) back_to: usize,
}

impl Orbit {
    /// `None` if it is too long, a role is stuck, or there are too many joint moves.
    pub(crate) fn of(net: &Net, supports: &Supports, parts: &Parts, start: &[u64]) -> Option<Self> {
        let Moments { all: contexts, back_to } = parts.clocks.moments(net, start, LONGEST)?;
        let read = read_context(net, supports, parts);
        let mut kinds: Vec<Vec<FluentId>> = Vec::new();
        let mut moments = Vec::new();
        for context in &contexts {
            let kind: Vec<FluentId> = context
                .iter()
                .copied()
                .filter(|fluent| read.binary_search(fluent).is_ok())
                .collect();
            if !kinds.contains(&kind) {
                kinds.push(kind);
                moments.push(moment(net, parts, context)?);
            }
        }
        Some(Self { fluents: parts.clocks.fluents.clone(), contexts, moments, back_to })
    }

    /// The step at which the context is as in a state, if there is one.
    pub(crate) fn step_of(&self, state: &[u64]) -> Option<usize> {
        let is_true = |fluent: &&FluentId| bits::is_set(state, fluent.index());
        let here = || self.fluents.iter().filter(is_true);
        self.contexts.iter().position(|context| here().eq(context.iter()))
    }

    /// The step that follows a step.
    pub(crate) fn after(&self, step: usize) -> usize {
        if step + 1 < self.contexts.len() { step + 1 } else { self.back_to }
    }
}

/// The context fluents that parts or moves depend on, sorted.
fn read_context(net: &Net, supports: &Supports, parts: &Parts) -> Vec<FluentId> {
    let nexts = parts.parts.iter().flatten().map(|&fluent| net.next[fluent]);
    let gates = nexts.chain(net.legal.iter().copied());
    let mut read: Vec<FluentId> = gates.flat_map(|gate| supports.fluents(gate)).collect();
    read.sort_unstable();
    read.dedup();
    read.retain(|fluent| parts.clocks.contains(*fluent));
    read
}

/// What can be done in a context; `None` if a role is stuck or there is too much.
fn moment(net: &Net, parts: &Parts, context: &[FluentId]) -> Option<Moment> {
    let values = possible_values(net, |fluent| {
        if !parts.clocks.contains(fluent) {
            return Ternary::UNKNOWN;
        }
        Ternary::<u64>::constant(context.contains(&fluent))
    });
    let can = |&action: &MoveId| values[net.legal[action]].can_be_true & 1 == 1;
    let of_role = |role: RoleId| net.moves_of(role).map(MoveId::new).filter(can).collect();
    let moves: Vec<Vec<MoveId>> = net.roles.ids().map(of_role).collect();
    let choices: Vec<usize> = moves.iter().map(Vec::len).collect();
    let count = choices.iter().try_fold(1usize, |all, &one| all.checked_mul(one))?;
    if count == 0 || count > MOST_JOINT_MOVES {
        return None;
    }
    let mut joint_moves: Vec<Vec<MoveId>> = vec![Vec::new()];
    for of_role in &moves {
        let longer = |so_far: &Vec<MoveId>| {
            of_role.iter().map(|&action| [so_far, &[action][..]].concat()).collect::<Vec<_>>()
        };
        joint_moves = joint_moves.iter().flat_map(longer).collect();
    }
    let mut known: FxHashMap<MoveId, Legality> = FxHashMap::default();
    for &action in moves.iter().flatten() {
        known.insert(action, Legality::of(net, parts, &values, net.legal[action]));
    }
    let legality = joint_moves.iter().map(|joint| Legality::all(joint.iter().map(|a| &known[a])));
    let legality = legality.collect();
    Some(Moment { context: context.to_vec(), choices, joint_moves, legality })
}
