//! Decisive moves: where a role can reach its best goal at once, nothing else is legal any more.
//!
//! Random games that walk past a win say little (Teytaud and Teytaud 2010). Here the rules themselves are
//! changed, for such games only: a move wins if the game is over after it and the role has its best goal. That is
//! the end of the game read one step later, with this one move made: a circuit over the present state, most of
//! which is the same for all moves. So one sweep finds the winning moves of all games side by side.

use gambol_index::IndexVec;

use super::copy::{Rewritten, copy_gates};
use crate::draft::{Draft, FALSE, TRUE, Wire};
use crate::frame::Frame;
use crate::net::Kind;
use crate::order::order;
use crate::{FluentId, Gate, GateId, MoveId, Net, RoleId};

/// The net in which a role that can win at once does so; nothing if no move ever wins, if the end of the game is
/// told by recursive rules, or if there would be more gates than this.
///
/// While one role chooses, all others must have one legal move only: what they do is taken to be all that is
/// legal for them. Where several choose at once the moves found mean nothing, though each of them is legal.
pub fn decisive(net: &Net, most_gates: usize) -> Option<Net> {
    let mut ahead = Ahead::new(net, most_gates)?;
    let mut legal: IndexVec<MoveId, Wire> = net.legal.iter().map(|&gate| ahead.now[gate]).collect();
    let mut any = false;
    for role in net.roles.ids() {
        let moves: Vec<MoveId> = net.moves_of(role).map(MoveId::new).collect();
        let wins: Option<Vec<Wire>> = moves.iter().map(|&action| ahead.wins(action)).collect();
        let wins = wins?;
        let taken = ahead.draft.junction(Kind::Or, wins.iter().copied());
        if taken == FALSE {
            continue;
        }
        any = true;
        let open = ahead.draft.not(taken);
        for (action, win) in moves.into_iter().zip(wins) {
            let otherwise = ahead.draft.junction(Kind::And, [legal[action], open]);
            legal[action] = ahead.draft.junction(Kind::Or, [win, otherwise]);
        }
    }
    let mut frame = Frame::of(net, |gate| ahead.now[gate]);
    frame.legal = legal;
    // Legality still reads fluents only, and those gates are in no cycle that was not there before.
    any.then(|| order(&ahead.draft, frame).ok()).flatten()
}

/// The net as it is, and parts of it one step later.
struct Ahead<'a> {
    net: &'a Net,
    draft: Draft,
    most_gates: usize,
    /// What each gate is in the present state.
    now: IndexVec<GateId, Wire>,
    /// What it is in the state after the move that is looked at, as far as that was asked.
    later: IndexVec<GateId, Wire>,
    /// What each transition reads of the moves, in evaluation order, where an end of the game can depend on it.
    transitions: Vec<GateId>,
    /// The fluents that the end of the game reads.
    read: Vec<FluentId>,
    /// Each role's best goal, if it has any.
    best: IndexVec<RoleId, Option<GateId>>,
    /// What tells the end of the game and each role's best goal, in evaluation order.
    ends: IndexVec<RoleId, Vec<GateId>>,
    /// What each step gate is if one move is made.
    step: IndexVec<GateId, Wire>,
}

impl<'a> Ahead<'a> {
    fn new(net: &'a Net, most_gates: usize) -> Option<Self> {
        let best_of = |role: RoleId| {
            let own = net.goals.iter().filter(|goal| goal.role == role);
            own.max_by_key(|goal| goal.value).map(|goal| goal.gate)
        };
        let best: IndexVec<RoleId, Option<GateId>> = net.roles.ids().map(best_of).collect();
        let end = |&best: &Option<GateId>| net.cone(best.into_iter().chain([net.terminal]));
        let ends: IndexVec<RoleId, Vec<GateId>> = best.iter().map(end).collect();
        let is_read = |fluent: &FluentId| {
            ends.iter().any(|cone| cone.binary_search(&net.fluent_gate(*fluent)).is_ok())
        };
        let read: Vec<FluentId> = net.fluents.ids().filter(is_read).collect();
        let mut transitions = net.cone(read.iter().map(|&fluent| net.next[fluent]));
        transitions.retain(|&gate| net.reads_moves(gate));
        let mut all = ends.iter().flatten().chain(&transitions);
        if all.any(|&gate| net.cycle_of(gate).is_some()) {
            return None;
        }
        let (draft, now) = copy_gates(net, |id| Rewritten::Kept(net.gate(id)));
        let nothing = IndexVec::filled(FALSE, net.gate_count());
        let (later, step) = (nothing.clone(), nothing);
        Some(Self { net, draft, most_gates, now, later, transitions, read, best, ends, step })
    }

    /// When a move is legal and wins at once; nothing if there are too many gates.
    fn wins(&mut self, action: MoveId) -> Option<Wire> {
        let role = self.net.moves[action].role;
        let Some(best) = self.best[role] else { return Some(FALSE) };
        self.make(action);
        for fluent in self.read.clone() {
            let next = self.net.next[fluent];
            let wire = if self.net.reads_moves(next) { self.step[next] } else { self.now[next] };
            self.later[self.net.fluent_gate(fluent)] = wire;
        }
        for place in 0..self.ends[role].len() {
            let gate = self.ends[role][place];
            if !matches!(self.net.gate(gate), Gate::Fluent(_)) {
                self.later[gate] = self.one_step_later(gate);
            }
        }
        let (over, goal) = (self.later[self.net.terminal], self.later[best]);
        // A goal that ends the game by itself need not be asked twice.
        let ends = self.draft.kind(over) == Kind::Or && self.draft.inputs(over).contains(&goal);
        let won = if ends { goal } else { self.draft.junction(Kind::And, [over, goal]) };
        let win = self.draft.junction(Kind::And, [won, self.now[self.net.legal[action]]]);
        (self.draft.len() <= self.most_gates).then_some(win)
    }

    /// The transitions if this move is made and the others do what is legal for them.
    fn make(&mut self, action: MoveId) {
        let role = self.net.moves[action].role;
        for place in 0..self.transitions.len() {
            let id = self.transitions[place];
            self.step[id] = match self.net.gate(id) {
                Gate::Does(made) if made == action => TRUE,
                Gate::Does(other) if self.net.moves[other].role == role => FALSE,
                Gate::Does(other) => self.now[self.net.legal[other]],
                gate => self.rewired(gate, |this, input| match this.net.reads_moves(input) {
                    true => this.step[input],
                    false => this.now[input],
                }),
            };
        }
    }

    fn one_step_later(&mut self, id: GateId) -> Wire {
        let unchanged =
            self.net.inputs_of(id).iter().all(|&input| self.later[input] == self.now[input]);
        match self.net.gate(id) {
            Gate::Constant(value) => Draft::constant(value),
            _ if unchanged => self.now[id],
            gate => self.rewired(gate, |this, input| this.later[input]),
        }
    }

    /// A gate with other inputs.
    fn rewired(&mut self, gate: Gate<'_>, wire: impl Fn(&Self, GateId) -> Wire) -> Wire {
        let wires = |this: &Self, inputs: &[GateId]| -> Vec<Wire> {
            inputs.iter().map(|&input| wire(this, input)).collect()
        };
        match gate {
            Gate::And(inputs) => {
                let inputs = wires(self, inputs);
                self.draft.junction(Kind::And, inputs)
            }
            Gate::Or(inputs) => {
                let inputs = wires(self, inputs);
                self.draft.junction(Kind::Or, inputs)
            }
            Gate::Not(input) => {
                let input = wire(self, input);
                self.draft.not(input)
            }
            Gate::Constant(value) => Draft::constant(value),
            Gate::Fluent(fluent) => self.draft.fluent(fluent),
            Gate::Does(action) => self.draft.does(action),
        }
    }
}
