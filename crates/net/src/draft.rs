//! Gates in the making: shared by structure, constants folded, in no particular order.
//!
//! A draft grows only. Gates that recursive rules make read one another are opened first and given
//! their inputs later. [`order`](crate::order::order) turns a draft into a net.

use std::hash::{Hash, Hasher};

use gambol_index::define_id;
use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::net::Kind;
use crate::{FluentId, MoveId};

define_id! {
    /// The output of a gate that is not in a net yet.
    pub struct Wire;
}

const NONE: u32 = u32::MAX;
pub(crate) const FALSE: Wire = Wire::new(0);
pub(crate) const TRUE: Wire = Wire::new(1);

/// Gate `w` is of kind `kind[w]` and reads `inputs[first[w]..first[w] + count[w]]`; a fluent or
/// move keeps its number in `first`. `inverse[w]` is the gate that is always of opposite value.
pub(crate) struct Draft {
    kind: Vec<Kind>,
    first: Vec<u32>,
    count: Vec<u32>,
    inverse: Vec<u32>,
    inputs: Vec<Wire>,
    fluents: Vec<u32>,
    moves: Vec<u32>,
    known: HashTable<u32>,
    scratch: Vec<Wire>,
}

impl Draft {
    /// The two constants.
    pub(crate) fn new() -> Self {
        Self {
            kind: vec![Kind::False, Kind::True],
            first: vec![0; 2],
            count: vec![0; 2],
            inverse: vec![TRUE.number(), FALSE.number()],
            inputs: Vec::new(),
            fluents: Vec::new(),
            moves: Vec::new(),
            known: HashTable::new(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.kind.len()
    }

    pub(crate) fn kind(&self, wire: Wire) -> Kind {
        self.kind[wire.number() as usize]
    }

    /// The number of a fluent or move.
    pub(crate) fn leaf(&self, wire: Wire) -> u32 {
        self.first[wire.number() as usize]
    }

    /// What a gate reads; empty for constants and propositions.
    pub(crate) fn inputs(&self, wire: Wire) -> &[Wire] {
        row(&self.first, &self.count, &self.inputs, wire.number())
    }

    /// Whether every gate reads older gates only. Gates that were opened usually do not.
    pub(crate) fn is_in_order(&self) -> bool {
        let all = (0..number(self.len())).map(Wire::new);
        all.into_iter().all(|wire| self.inputs(wire).iter().all(|&input| input < wire))
    }

    pub(crate) fn constant(value: bool) -> Wire {
        if value { TRUE } else { FALSE }
    }

    pub(crate) fn fluent(&mut self, fluent: FluentId) -> Wire {
        if let Some(wire) = leaf_wire(&self.fluents, fluent.number()) {
            return wire;
        }
        let wire = self.push(Kind::Fluent, fluent.number(), 0);
        set_leaf(&mut self.fluents, fluent.number(), wire);
        wire
    }

    pub(crate) fn does(&mut self, action: MoveId) -> Wire {
        if let Some(wire) = leaf_wire(&self.moves, action.number()) {
            return wire;
        }
        let wire = self.push(Kind::Does, action.number(), 0);
        set_leaf(&mut self.moves, action.number(), wire);
        wire
    }

    pub(crate) fn not(&mut self, wire: Wire) -> Wire {
        let known = self.inverse[wire.number() as usize];
        if known != NONE {
            return Wire::new(known);
        }
        let first = number(self.inputs.len());
        self.inputs.push(wire);
        let inverter = self.push(Kind::Not, first, 1);
        self.inverse[wire.number() as usize] = inverter.number();
        self.inverse[inverter.number() as usize] = wire.number();
        inverter
    }

    /// An AND or OR of the inputs: a known gate, a constant or an input where that is the same.
    pub(crate) fn junction(&mut self, kind: Kind, inputs: impl IntoIterator<Item = Wire>) -> Wire {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend(inputs);
        let wire = match self.normalise(kind, &mut scratch) {
            Some(decided) => decided,
            None => self.intern(kind, &scratch),
        };
        self.scratch = scratch;
        wire
    }

    /// Like [`junction`](Self::junction), for inputs that are known to be new in this combination.
    pub(crate) fn new_junction(
        &mut self,
        kind: Kind,
        inputs: impl IntoIterator<Item = Wire>,
    ) -> Wire {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend(inputs);
        let wire = match self.normalise(kind, &mut scratch) {
            Some(decided) => decided,
            None => self.push_junction(kind, &scratch),
        };
        self.scratch = scratch;
        wire
    }

    /// Reserves an AND or OR whose inputs are not known yet.
    pub(crate) fn open(&mut self, kind: Kind) -> Wire {
        self.push(kind, 0, 0)
    }

    /// Gives an opened gate its inputs. They may lead back to it: least fixpoint.
    pub(crate) fn close(&mut self, opened: Wire, inputs: impl IntoIterator<Item = Wire>) {
        let mut inputs: Vec<Wire> = inputs.into_iter().collect();
        let kind = self.kind(opened);
        if kind == Kind::Or {
            // What supports itself only is false in the least fixpoint.
            inputs.retain(|&input| input != opened);
        }
        if let Some(decided) = self.normalise(kind, &mut inputs) {
            // The gate is referred to already, so it stays, as a gate of one input.
            inputs = vec![decided];
        }
        let row = opened.number() as usize;
        self.first[row] = number(self.inputs.len());
        self.count[row] = number(inputs.len());
        self.inputs.extend(inputs);
    }

    /// Sorts the inputs, drops what has no say, and returns the gate if there is no need for a new one.
    fn normalise(&self, kind: Kind, inputs: &mut Vec<Wire>) -> Option<Wire> {
        let neutral = Self::constant(kind == Kind::And);
        let decisive = Self::constant(kind != Kind::And);
        inputs.sort_unstable();
        inputs.dedup();
        inputs.retain(|&input| input != neutral);
        if inputs.first().is_some_and(|&least| least <= TRUE) || self.has_opposites(inputs) {
            return Some(decisive);
        }
        match inputs[..] {
            [] => Some(neutral),
            [single] => Some(single),
            _ => None,
        }
    }

    fn has_opposites(&self, sorted: &[Wire]) -> bool {
        let opposite = |wire: &Wire| Wire::new(self.inverse[wire.number() as usize]);
        sorted
            .iter()
            .filter(|&&wire| self.kind(wire) == Kind::Not)
            .any(|wire| sorted.binary_search(&opposite(wire)).is_ok())
    }

    fn intern(&mut self, kind: Kind, inputs: &[Wire]) -> Wire {
        let hash = hash_of(kind, inputs);
        let found = self.known.find(hash, |&gate| {
            self.kind[gate as usize] == kind && self.inputs(Wire::new(gate)) == inputs
        });
        if let Some(&gate) = found {
            return Wire::new(gate);
        }
        let wire = self.push_junction(kind, inputs);
        let Self { kind: kinds, first, count, inputs, known, .. } = self;
        known.insert_unique(hash, wire.number(), |&gate| {
            hash_of(kinds[gate as usize], row(first, count, inputs, gate))
        });
        wire
    }

    fn push_junction(&mut self, kind: Kind, inputs: &[Wire]) -> Wire {
        let first = number(self.inputs.len());
        self.inputs.extend_from_slice(inputs);
        self.push(kind, first, number(inputs.len()))
    }

    fn push(&mut self, kind: Kind, first: u32, count: u32) -> Wire {
        let wire = Wire::new(number(self.kind.len()));
        self.kind.push(kind);
        self.first.push(first);
        self.count.push(count);
        self.inverse.push(NONE);
        wire
    }
}

fn row<'a>(first: &[u32], count: &[u32], inputs: &'a [Wire], gate: u32) -> &'a [Wire] {
    match count[gate as usize] as usize {
        0 => &[],
        count => &inputs[first[gate as usize] as usize..][..count],
    }
}

fn leaf_wire(known: &[u32], leaf: u32) -> Option<Wire> {
    known.get(leaf as usize).copied().filter(|&wire| wire != NONE).map(Wire::new)
}

fn set_leaf(known: &mut Vec<u32>, leaf: u32, wire: Wire) {
    let row = leaf as usize;
    if known.len() <= row {
        known.resize(row + 1, NONE);
    }
    known[row] = wire.number();
}

fn hash_of(kind: Kind, inputs: &[Wire]) -> u64 {
    let mut hasher = FxHasher::default();
    (kind as u8).hash(&mut hasher);
    inputs.hash(&mut hasher);
    hasher.finish()
}

fn number(len: usize) -> u32 {
    // The grounder's memory limit stops long before this.
    u32::try_from(len).expect("fewer than 2^32 gate inputs")
}
