//! An and/or graph with complemented edges, hash-consed.
//!
//! Each formula is a fluent, a move, or an AND or OR of any number of signals; a signal is a
//! formula or its negation. Equal formulas are one formula. Recursive relations make cycles:
//! [`Formulas::open_or`] reserves an OR whose inputs are given later by [`Formulas::close_or`].

use std::hash::{Hash, Hasher};

use gambol_index::{Id, define_id};
use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::ids::{FluentId, MoveId};

define_id! {
    /// A node of the graph.
    pub struct FormulaId;
}

/// A formula, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal(u32);

impl Signal {
    /// Never holds.
    pub const FALSE: Signal = Signal(0);
    /// Always holds.
    pub const TRUE: Signal = Signal(1);

    /// The formula as it is.
    #[inline]
    pub fn of(formula: FormulaId) -> Self {
        Signal(formula.number() << 1)
    }

    /// The formula behind the signal. For the constants that is formula 0.
    #[inline]
    pub fn formula(self) -> FormulaId {
        FormulaId::new(self.0 >> 1)
    }

    /// Whether the signal is the formula's negation.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The constant, if it is one.
    pub fn constant(self) -> Option<bool> {
        (self.0 <= 1).then_some(self.0 == 1)
    }
}

impl std::ops::Not for Signal {
    type Output = Signal;
    #[inline]
    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// What a formula is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formula<'a> {
    /// Never holds. Only formula 0.
    False,
    /// The fluent is true in the current state.
    Fluent(FluentId),
    /// The move is done in this step.
    Does(MoveId),
    /// All signals hold.
    And(&'a [Signal]),
    /// One of the signals holds.
    Or(&'a [Signal]),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    False,
    Fluent,
    Does,
    And,
    Or,
}

/// The graph. Formula `f` is of kind `kind[f]` and reads `inputs[first[f]..first[f] + count[f]]`;
/// for fluents and moves `first` holds their number.
#[derive(Clone, Debug)]
pub struct Formulas {
    kind: Vec<Kind>,
    first: Vec<u32>,
    count: Vec<u32>,
    inputs: Vec<Signal>,
    known: HashTable<u32>,
    scratch: Vec<Signal>,
    opened: bool,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// The constant only.
    pub fn new() -> Self {
        Self {
            kind: vec![Kind::False],
            first: vec![0],
            count: vec![0],
            inputs: Vec::new(),
            known: HashTable::new(),
            scratch: Vec::new(),
            opened: false,
        }
    }

    /// The number of formulas, the constant included.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Never: the constant is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// All formulas. A formula reads those before it, unless it was left open.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = FormulaId> + ExactSizeIterator + use<> {
        (0..self.kind.len()).map(FormulaId::from_index)
    }

    /// Whether a formula may read one made after it.
    pub fn has_cycles(&self) -> bool {
        self.opened
    }

    /// The number of inputs of all formulas together.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// What a formula is.
    #[inline]
    pub fn formula(&self, id: FormulaId) -> Formula<'_> {
        let row = id.number() as usize;
        match self.kind[row] {
            Kind::False => Formula::False,
            Kind::Fluent => Formula::Fluent(FluentId::new(self.first[row])),
            Kind::Does => Formula::Does(MoveId::new(self.first[row])),
            Kind::And => Formula::And(self.row_inputs(row)),
            Kind::Or => Formula::Or(self.row_inputs(row)),
        }
    }

    fn row_inputs(&self, row: usize) -> &[Signal] {
        let first = self.first[row] as usize;
        &self.inputs[first..first + self.count[row] as usize]
    }

    /// The signal of a fluent. Call it once per fluent.
    pub fn fluent(&mut self, fluent: FluentId) -> Signal {
        self.push(Kind::Fluent, fluent.number(), 0)
    }

    /// The signal of a move. Call it once per move.
    pub fn does(&mut self, action: MoveId) -> Signal {
        self.push(Kind::Does, action.number(), 0)
    }

    /// The conjunction.
    pub fn and(&mut self, inputs: impl IntoIterator<Item = Signal>) -> Signal {
        self.junction(Kind::And, Signal::TRUE, inputs)
    }

    /// The disjunction.
    pub fn or(&mut self, inputs: impl IntoIterator<Item = Signal>) -> Signal {
        self.junction(Kind::Or, Signal::FALSE, inputs)
    }

    /// Reserves a disjunction whose inputs are not known yet.
    pub fn open_or(&mut self) -> Signal {
        self.opened = true;
        self.push(Kind::Or, 0, 0)
    }

    /// Gives an open disjunction its inputs. It may depend on itself: least fixpoint.
    pub fn close_or(&mut self, open: Signal, inputs: impl IntoIterator<Item = Signal>) {
        let row = open.formula().number() as usize;
        let mut inputs: Vec<Signal> = inputs.into_iter().collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs.retain(|&input| input != Signal::FALSE && input != open);
        self.first[row] = number(self.inputs.len());
        self.count[row] = number(inputs.len());
        self.inputs.extend(inputs);
    }

    /// `neutral` is the constant that may be left out; its negation decides alone.
    fn junction(
        &mut self,
        kind: Kind,
        neutral: Signal,
        inputs: impl IntoIterator<Item = Signal>,
    ) -> Signal {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend(inputs.into_iter().filter(|&input| input != neutral));
        scratch.sort_unstable();
        scratch.dedup();
        let signal = self.normalised_junction(kind, neutral, &scratch);
        self.scratch = scratch;
        signal
    }

    fn normalised_junction(&mut self, kind: Kind, neutral: Signal, inputs: &[Signal]) -> Signal {
        // A signal and its negation are neighbours in the order.
        let decided = inputs.first().is_some_and(|&first| first == !neutral)
            || inputs.windows(2).any(|pair| pair[0] == !pair[1]);
        if decided {
            return !neutral;
        }
        match inputs {
            [] => neutral,
            &[single] => single,
            _ => self.intern(kind, inputs),
        }
    }

    fn intern(&mut self, kind: Kind, inputs: &[Signal]) -> Signal {
        let hash = hash_of(kind, inputs);
        let found = self.known.find(hash, |&row| {
            self.kind[row as usize] == kind && self.row_inputs(row as usize) == inputs
        });
        if let Some(&row) = found {
            return Signal::of(FormulaId::new(row));
        }
        let first = number(self.inputs.len());
        self.inputs.extend_from_slice(inputs);
        let signal = self.push(kind, first, number(inputs.len()));
        let Self { kind: kinds, first, count, inputs, known, .. } = self;
        known.insert_unique(hash, signal.formula().number(), |&row| {
            let row = row as usize;
            let start = first[row] as usize;
            hash_of(kinds[row], &inputs[start..start + count[row] as usize])
        });
        signal
    }

    fn push(&mut self, kind: Kind, first: u32, count: u32) -> Signal {
        let id = FormulaId::new(number(self.kind.len()));
        self.kind.push(kind);
        self.first.push(first);
        self.count.push(count);
        Signal::of(id)
    }
}

fn hash_of(kind: Kind, inputs: &[Signal]) -> u64 {
    let mut hasher = FxHasher::default();
    (kind as u8).hash(&mut hasher);
    inputs.hash(&mut hasher);
    hasher.finish()
}

fn number(len: usize) -> u32 {
    // The grounder's memory limit stops long before this.
    u32::try_from(len).expect("fewer than 2^32 gate inputs")
}
