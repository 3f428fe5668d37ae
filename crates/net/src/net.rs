//! The propositional net of a game (Genesereth and Thielscher, chapter 9).
//!
//! Base propositions are fluents, input propositions are moves, view propositions are names for
//! gates. Each fluent has a transition: the gate whose value it takes in the following state.
//!
//! Gates are numbered in an order in which they can be evaluated. Gate 0 is false, gate 1 is true;
//! the fluents follow, then the moves, then the gates that look at the state only, then those that
//! look at the moves as well. A gate reads gates of smaller number only, except inside a
//! [`Net::cycles`] range, where recursive rules make gates read one another. Such a range holds no
//! inverter and means its least fixpoint: start all its gates from false and sweep until nothing
//! changes.

use gambol_ground::{AtomName, FluentId, Move, MoveId, Names, RoleId};
use gambol_index::{IndexVec, define_id};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

define_id! {
    /// A gate of a net.
    pub struct GateId;
}

/// What a gate is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate<'a> {
    /// Always this value.
    Constant(bool),
    /// A base proposition: the fluent is true in the current state.
    Fluent(FluentId),
    /// An input proposition: the move is done in this step.
    Does(MoveId),
    /// All inputs are true.
    And(&'a [GateId]),
    /// One of the inputs is true.
    Or(&'a [GateId]),
    /// The input is false.
    Not(GateId),
}

/// A goal value of a role and the gate that says when it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalGate {
    /// Whose goal.
    pub role: RoleId,
    /// How much it is worth.
    pub value: u32,
    /// When.
    pub gate: GateId,
}

/// A percept of a role and the gate that says when it is perceived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PerceptGate {
    /// Who perceives.
    pub role: RoleId,
    /// What, as GDL text.
    pub name: Box<str>,
    /// When.
    pub gate: GateId,
}

/// A view proposition: a derived atom and the gate it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewGate {
    /// The atom; [`Net::names`] spells it out.
    pub atom: AtomName,
    /// When it holds.
    pub gate: GateId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    False,
    True,
    Fluent,
    Does,
    And,
    Or,
    Not,
}

impl Kind {
    /// Whether the gate computes something.
    pub(crate) fn is_logic(self) -> bool {
        matches!(self, Kind::And | Kind::Or | Kind::Not)
    }
}

/// A propositional net. Not changed once built: a rewrite returns a new one.
///
/// Gate `g` is of kind `kind[g]` and reads `inputs[first[g]..first[g + 1]]`; a fluent or move
/// stores its number as the only entry there.
#[derive(Clone, Debug)]
pub struct Net {
    /// The players.
    pub roles: IndexVec<RoleId, Box<str>>,
    /// The base propositions.
    pub fluents: IndexVec<FluentId, Box<str>>,
    /// The input propositions; the moves of one role stand together, in the order of the roles.
    pub moves: IndexVec<MoveId, Move>,
    /// The fluents that are true at the start, sorted.
    pub initial: Vec<FluentId>,
    /// The transitions: what each fluent becomes. Reads fluents and moves.
    pub next: IndexVec<FluentId, GateId>,
    /// When each move is legal. Reads fluents only.
    pub legal: IndexVec<MoveId, GateId>,
    /// When the game is over. Reads fluents only.
    pub terminal: GateId,
    /// The goal values, sorted by role and value. Read fluents only.
    pub goals: Vec<GoalGate>,
    /// What the roles perceive (GDL-II). Reads fluents and moves.
    pub percepts: Vec<PerceptGate>,
    /// The view propositions.
    pub views: Vec<ViewGate>,
    /// How views are spelt.
    pub names: Arc<Names>,
    /// Ranges of gate numbers that read one another, in order and disjoint.
    pub cycles: Vec<Range<u32>>,
    pub(crate) first_step_gate: u32,
    pub(crate) kind: IndexVec<GateId, Kind>,
    pub(crate) first: Vec<u32>,
    pub(crate) inputs: Vec<GateId>,
    /// The readers of gates inside the cycles, computed when first needed.
    pub(crate) cycle_readers: OnceLock<CycleReaders>,
}

/// The readers of the `n`-th cyclic gate are `readers[first[n]..first[n + 1]]`, where cyclic gates
/// are counted through all cycles and `offset[c]` are those before cycle `c`.
#[derive(Clone, Debug)]
pub(crate) struct CycleReaders {
    pub(crate) offset: Vec<u32>,
    pub(crate) first: Vec<u32>,
    pub(crate) readers: Vec<GateId>,
}

impl Net {
    /// The number of gates, propositions and constants included.
    pub fn gate_count(&self) -> usize {
        self.kind.len()
    }

    /// What a gate is.
    #[inline]
    pub fn gate(&self, id: GateId) -> Gate<'_> {
        let row = id.number() as usize;
        let inputs = &self.inputs[self.first[row] as usize..self.first[row + 1] as usize];
        match self.kind[id] {
            Kind::False => Gate::Constant(false),
            Kind::True => Gate::Constant(true),
            Kind::Fluent => Gate::Fluent(FluentId::new(inputs[0].number())),
            Kind::Does => Gate::Does(MoveId::new(inputs[0].number())),
            Kind::And => Gate::And(inputs),
            Kind::Or => Gate::Or(inputs),
            Kind::Not => Gate::Not(inputs[0]),
        }
    }

    /// All gates, in evaluation order.
    pub fn gate_ids(&self) -> impl DoubleEndedIterator<Item = GateId> + ExactSizeIterator {
        self.kind.ids()
    }

    /// The gate of a base proposition.
    #[inline]
    pub fn fluent_gate(&self, fluent: FluentId) -> GateId {
        GateId::new(2 + fluent.number())
    }

    /// The gate of an input proposition.
    #[inline]
    pub fn move_gate(&self, action: MoveId) -> GateId {
        GateId::new(2 + self.next.len() as u32 + action.number())
    }

    /// The AND, OR and NOT gates that depend on the state only.
    pub fn state_gates(&self) -> Range<u32> {
        2 + (self.next.len() + self.legal.len()) as u32..self.first_step_gate
    }

    /// The AND, OR and NOT gates that depend on the moves too.
    pub fn step_gates(&self) -> Range<u32> {
        self.first_step_gate..self.kind.len() as u32
    }

    /// Whether a gate depends on the moves.
    pub fn reads_moves(&self, gate: GateId) -> bool {
        gate.number() >= self.first_step_gate || self.kind[gate] == Kind::Does
    }

    /// The index of the cycle a gate lies in.
    pub fn cycle_of(&self, gate: GateId) -> Option<usize> {
        let after = self.cycles.partition_point(|cycle| cycle.end <= gate.number());
        self.cycles.get(after).filter(|cycle| cycle.contains(&gate.number())).map(|_| after)
    }

    /// The moves of a role, as a range of ids.
    pub fn moves_of(&self, role: RoleId) -> Range<u32> {
        let moves = self.moves.as_slice();
        let first = moves.partition_point(|action| action.role < role);
        let last = moves.partition_point(|action| action.role <= role);
        first as u32..last as u32
    }
}
