//! The context of a game, moment by moment, and who may do what in it.

use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net, RoleId};

use super::gate_sweep::GateSweep;
use super::parts::Parts;
use super::support::Supports;
use crate::alpha_beta::ternary::{Possible, UNKNOWN, possible_values};

/// The context does not come back before so many steps: too long.
const LONGEST: usize = 4_000;

/// One kind of moment: contexts that no part and no move tells apart.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// The context fluents that are true in the first context of the kind.
    pub(crate) context: Vec<FluentId>,
    /// The joint moves that can be legal: one role chooses, the others have one move each.
    pub(crate) joint_moves: Vec<Vec<MoveId>>,
}

/// The contexts one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Orbit {
    /// For each step the true context fluents.
    pub(crate) contexts: Vec<Vec<FluentId>>,
    /// The kinds of moments that come up.
    pub(crate) moments: Vec<Moment>,
    /// Which step follows the last one.
    pub(crate) back_to: usize,
}

impl Orbit {
    /// Nothing if it is too long, or two roles can choose in the same context.
    pub(crate) fn of(net: &Net, supports: &Supports, parts: &Parts, start: &[u64]) -> Option<Self> {
        let (contexts, back_to) = contexts(net, parts, start)?;
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
                let joint_moves = joint_moves(net, parts, context)?;
                moments.push(Moment { context: context.clone(), joint_moves });
            }
        }
        Some(Self { contexts, moments, back_to })
    }

    /// The step that follows a step.
    pub(crate) fn after(&self, step: usize) -> usize {
        if step + 1 < self.contexts.len() { step + 1 } else { self.back_to }
    }
}

fn contexts(net: &Net, parts: &Parts, start: &[u64]) -> Option<(Vec<Vec<FluentId>>, usize)> {
    let is_true = |fluent: &FluentId| start[fluent.index() / 64] >> (fluent.index() % 64) & 1 == 1;
    let mut now: Vec<FluentId> = parts.context.iter().copied().filter(is_true).collect();
    let mut contexts: Vec<Vec<FluentId>> = Vec::new();
    let mut sweep = GateSweep::new(net);
    loop {
        if let Some(back_to) = contexts.iter().position(|known| *known == now) {
            return Some((contexts, back_to));
        }
        if contexts.len() >= LONGEST {
            return None;
        }
        for &fluent in &parts.context {
            sweep.set(fluent, if now.contains(&fluent) { u64::MAX } else { 0 });
        }
        sweep.run();
        contexts.push(now);
        let next = parts.context.iter().copied();
        now = next.filter(|&fluent| sweep.value(net.next[fluent]) & 1 == 1).collect();
    }
}

/// The context fluents that parts or moves depend on, sorted.
fn read_context(net: &Net, supports: &Supports, parts: &Parts) -> Vec<FluentId> {
    let nexts = parts.parts.iter().flatten().map(|&fluent| net.next[fluent]);
    let gates = nexts.chain(net.legal.iter().copied());
    let mut read: Vec<FluentId> = gates.flat_map(|gate| supports.fluents(gate)).collect();
    read.sort_unstable();
    read.dedup();
    read.retain(|fluent| parts.context.binary_search(fluent).is_ok());
    read
}

/// The joint moves that can be legal in a context; nothing if two roles can choose or one is stuck.
fn joint_moves(net: &Net, parts: &Parts, context: &[FluentId]) -> Option<Vec<Vec<MoveId>>> {
    let values = possible_values(net, |fluent| {
        if parts.context.binary_search(&fluent).is_err() {
            return UNKNOWN;
        }
        let holds = context.contains(&fluent);
        let (yes, no) = if holds { (u64::MAX, 0) } else { (0, u64::MAX) };
        Possible { can_be_true: yes, can_be_false: no }
    });
    let can = |&action: &MoveId| values[net.legal[action]].can_be_true & 1 == 1;
    let of_role = |role: RoleId| net.moves_of(role).map(MoveId::new).filter(can).collect();
    let choices: Vec<Vec<MoveId>> = net.roles.ids().map(of_role).collect();
    if choices.iter().filter(|moves| moves.len() != 1).count() > 1 {
        return None;
    }
    let chooser = choices.iter().position(|moves| moves.len() != 1).unwrap_or(0);
    let joint = |&action: &MoveId| {
        let pick =
            |(role, moves): (usize, &Vec<MoveId>)| if role == chooser { action } else { moves[0] };
        choices.iter().enumerate().map(pick).collect()
    };
    Some(choices[chooser].iter().map(joint).collect())
}
