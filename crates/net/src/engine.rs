//! A game played on its net, one state at a time.
//!
//! The gates that look at the state only are evaluated once per state; a step evaluates only those
//! that look at the moves too.

use std::ops::{Deref, Range};

use gambol_index::{Id, IndexVec};

use crate::evaluate::evaluate;
use crate::marking::{BaseMarking, Marking};
use crate::{GateId, MoveId, Net, Readers, RoleId};

/// Answers questions about states. Owns the gates' values, and so can be asked by one at a time.
///
/// It holds the net by any pointer: `NetEngine::new(&net)` or `NetEngine::new(Arc::clone(&net))`.
///
/// ```
/// # use gambol_net::NetBuilder;
/// use gambol_net::NetEngine;
/// # let mut net = NetBuilder::new();
/// # let player = net.role("player");
/// # let lit = net.fluent("lit");
/// # let press = net.action(player, "press");
/// # let (lit_now, pressed) = (net.truth(lit), net.does(press));
/// # net.next(lit, pressed);
/// # net.terminal(lit_now);
/// # net.goal(player, 100, lit_now);
/// # let net = net.finish()?;
/// let mut engine = NetEngine::new(&net);
/// let dark = engine.initial();
/// let lit = engine.next(&dark, &[press]);
/// assert!(!engine.terminal(&dark) && engine.terminal(&lit));
/// assert_eq!(engine.goals(&lit)[player], Some(100));
/// # Ok::<(), gambol_net::NetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NetEngine<N: Deref<Target = Net>> {
    net: N,
    values: Vec<bool>,
    /// The state and the moves that `values` belong to.
    state: Option<BaseMarking>,
    done: Vec<MoveId>,
    stepped: bool,
    state_reads_moves: bool,
}

impl<N: Deref<Target = Net>> NetEngine<N> {
    /// An engine for the net.
    pub fn new(net: N) -> Self {
        let mut values = vec![false; net.gate_count()];
        values[1] = true;
        let state_reads_moves = state_roots(&net).any(|gate| net.reads_moves(gate));
        Self { net, values, state: None, done: Vec::new(), stepped: false, state_reads_moves }
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// The state at the start.
    pub fn initial(&self) -> BaseMarking {
        BaseMarking::initial(&self.net)
    }

    /// Whether the game is over.
    pub fn terminal(&mut self, state: &BaseMarking) -> bool {
        self.view(state);
        self.values[self.net.terminal.index()]
    }

    /// The legal moves of all roles, in order.
    pub fn legal(&mut self, state: &BaseMarking) -> Vec<MoveId> {
        self.view(state);
        let legal = self.net.legal.iter_ids();
        legal.filter(|(_, gate)| self.values[gate.index()]).map(|(action, _)| action).collect()
    }

    /// What the state is worth to each role; `None` unless exactly one value holds.
    pub fn goals(&mut self, state: &BaseMarking) -> IndexVec<RoleId, Option<u32>> {
        self.view(state);
        let mut goals = IndexVec::filled(None, self.net.roles.len());
        let mut several = IndexVec::filled(false, self.net.roles.len());
        for goal in self.net.goals.iter().filter(|goal| self.values[goal.gate.index()]) {
            several[goal.role] |= goals[goal.role].is_some_and(|value| value != goal.value);
            goals[goal.role] = Some(goal.value);
        }
        for role in self.net.roles.ids().filter(|&role| several[role]) {
            goals[role] = None;
        }
        goals
    }

    /// The state after these moves, one of each role.
    pub fn next(&mut self, state: &BaseMarking, moves: &[MoveId]) -> BaseMarking {
        self.step(state, moves);
        let mut next = BaseMarking::of(&self.net, &[]);
        for (fluent, &gate) in self.net.next.iter_ids() {
            if self.values[gate.index()] {
                next.set(fluent);
            }
        }
        next
    }

    /// What is perceived when these moves are done: indices of [`Net::percepts`].
    pub fn percepts(&mut self, state: &BaseMarking, moves: &[MoveId]) -> Vec<usize> {
        self.step(state, moves);
        let percepts = self.net.percepts.iter().enumerate();
        percepts.filter(|(_, seen)| self.values[seen.gate.index()]).map(|(row, _)| row).collect()
    }

    /// The view propositions that are true, as indices of [`Net::views`]. Without moves, those that
    /// look at the moves see that none is done.
    pub fn views(&mut self, state: &BaseMarking, moves: &[MoveId]) -> Vec<usize> {
        self.step(state, moves);
        let views = self.net.views.iter().enumerate();
        views.filter(|(_, view)| self.values[view.gate.index()]).map(|(row, _)| row).collect()
    }

    /// The value of every gate.
    pub fn marking(&mut self, state: &BaseMarking, moves: &[MoveId]) -> Marking {
        self.step(state, moves);
        Marking { values: self.values.clone() }
    }

    /// The marking before anybody has moved: whatever looks at a move is still dark.
    pub fn marking_before_moves(&mut self, state: &BaseMarking) -> Marking {
        let mut marking = self.marking(state, &[]);
        let readers = Readers::of(&self.net);
        let mut open: Vec<GateId> = self.net.moves.ids().map(|it| self.net.move_gate(it)).collect();
        let mut seen = vec![false; self.net.gate_count()];
        while let Some(gate) = open.pop() {
            if !std::mem::replace(&mut seen[gate.index()], true) {
                marking.values[gate.index()] = false;
                open.extend(readers.of_gate(gate));
            }
        }
        marking
    }

    /// Brings what looks at the state up to date. Rulesheets whose end, legality or goals look at
    /// the moves are not proper games; there they are asked as if nobody moved.
    fn view(&mut self, state: &BaseMarking) {
        if self.state_reads_moves {
            self.step(state, &[]);
        } else {
            self.see(state);
        }
    }

    fn see(&mut self, state: &BaseMarking) {
        if self.state.as_ref() == Some(state) {
            return;
        }
        for fluent in self.net.fluents.ids() {
            self.values[self.net.fluent_gate(fluent).index()] = state.holds(fluent);
        }
        self.evaluate(self.net.state_gates());
        self.state = Some(state.clone());
        self.stepped = false;
    }

    fn step(&mut self, state: &BaseMarking, moves: &[MoveId]) {
        self.see(state);
        if self.stepped && self.done == moves {
            return;
        }
        for &action in &self.done {
            self.values[self.net.move_gate(action).index()] = false;
        }
        for &action in moves {
            self.values[self.net.move_gate(action).index()] = true;
        }
        self.done.clear();
        self.done.extend_from_slice(moves);
        self.evaluate(self.net.step_gates());
        self.stepped = true;
    }

    fn evaluate(&mut self, range: Range<u32>) {
        evaluate(&self.net, &mut self.values, range.map(GateId::new));
    }
}

fn state_roots(net: &Net) -> impl Iterator<Item = GateId> {
    let goals = net.goals.iter().map(|goal| goal.gate);
    net.legal.iter().copied().chain([net.terminal]).chain(goals)
}
