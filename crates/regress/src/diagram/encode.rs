//! States as bits, and the automaton's guards as diagrams over them.

use gambol_index::IndexVec;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::{BooleanFunction, BooleanFunctionQuant, Function, Manager, ManagerRef};

use super::table_file::bits_for;
use crate::automaton::{Automaton, NodeId, TransitionId};
use crate::cube::{Cube, VariableId};
use crate::error::RegressError;
use crate::limits::{Limits, Meter, Progress};

/// A set of states.
pub(crate) type Set = BCDDFunction;

/// Memory for diagrams if no limit is given, in MiB.
const DEFAULT_MIB: u64 = 4096;
/// What a node costs with its place in the tables, and what a remembered result costs.
const NODE_BYTES: u64 = 40;
const CACHE_BYTES: u64 = 32;
/// Below this many nodes garbage is not worth collecting.
const FEW_NODES: usize = 1 << 22;

/// The bits of an automaton's variables and the sets of its guards.
pub(crate) struct Encoding<'a> {
    pub(crate) automaton: &'a Automaton,
    manager: BCDDManagerRef,
    /// The first bit of each variable and how many it has.
    pub(crate) bits: IndexVec<VariableId, (u32, u32)>,
    bit_count: u32,
    guards: IndexVec<TransitionId, Set>,
    /// The literals that each transition's assignments fix.
    assigned: IndexVec<TransitionId, Set>,
    /// The bits that each transition's assignments overwrite, as a product.
    overwritten: IndexVec<TransitionId, Set>,
    pub(crate) meter: Meter,
    node_capacity: usize,
    collect_at: usize,
    pub(crate) regressions: u64,
    pub(crate) peak: usize,
}

type Result<T> = std::result::Result<T, RegressError>;

impl<'a> Encoding<'a> {
    pub(crate) fn new(automaton: &'a Automaton, limits: &Limits) -> Result<Self> {
        let bytes = limits.memory_mib.unwrap_or(DEFAULT_MIB) << 20;
        let node_capacity = (bytes * 3 / 4 / NODE_BYTES).clamp(1 << 12, 1 << 30) as usize;
        // Few states make few nodes, and a large table would take longer to set up than to use.
        let enough = (automaton.layout.state_count() as u64).clamp(1 << 14, 1 << 25);
        let cache = (bytes / 4 / CACHE_BYTES).clamp(1 << 12, enough);
        // Powers of two waste nothing in the cache's table.
        let cache = 1 << cache.ilog2();
        let manager = new_manager(node_capacity, cache, 1);
        let mut bits = IndexVec::filled((0, 0), automaton.variables.len());
        let mut next = 0;
        for variable in super::variable_order(automaton) {
            let count = bits_for(automaton.layout.size(variable));
            bits[variable] = (next, count);
            next += count;
        }
        manager.with_manager_exclusive(|manager| {
            manager.add_vars(next);
        });
        let mut encoding = Self {
            automaton,
            manager,
            bits,
            bit_count: next,
            guards: IndexVec::new(),
            assigned: IndexVec::new(),
            overwritten: IndexVec::new(),
            meter: Meter::start(limits),
            node_capacity,
            collect_at: FEW_NODES,
            regressions: 0,
            peak: 0,
        };
        encoding.encode_transitions()?;
        Ok(encoding)
    }

    fn encode_transitions(&mut self) -> Result<()> {
        for transition in &self.automaton.transitions {
            let guard = self.cube(&transition.guard)?;
            let (mut assigned, mut overwritten) = (self.everything(), self.everything());
            for &(variable, value) in transition.assignments.iter().rev() {
                assigned = assigned.and(&self.value(variable, value)?)?;
                overwritten = overwritten.and(&self.all_bits(variable)?)?;
            }
            self.guards.push(guard);
            self.assigned.push(assigned);
            self.overwritten.push(overwritten);
        }
        Ok(())
    }

    pub(crate) fn nothing(&self) -> Set {
        self.manager.with_manager_shared(|manager| Set::f(manager))
    }

    pub(crate) fn everything(&self) -> Set {
        self.manager.with_manager_shared(|manager| Set::t(manager))
    }

    /// The states in which a bit is set.
    pub(crate) fn bit(&self, bit: u32) -> Result<Set> {
        Ok(self.manager.with_manager_shared(|manager| Set::var(manager, bit))?)
    }

    /// The states in which a variable has a value.
    pub(crate) fn value(&self, variable: VariableId, value: u16) -> Result<Set> {
        let (first, count) = self.bits[variable];
        let mut set = self.everything();
        for bit in (0..count).rev() {
            let literal = self.bit(first + bit)?;
            let is_set = value >> bit & 1 == 1;
            set = set.and(&if is_set { literal } else { literal.not()? })?;
        }
        Ok(set)
    }

    fn all_bits(&self, variable: VariableId) -> Result<Set> {
        let (first, count) = self.bits[variable];
        let mut set = self.everything();
        for bit in first..first + count {
            set = set.and(&self.bit(bit)?)?;
        }
        Ok(set)
    }

    /// The states of a cube; codes that stand for no value are in none of them if the variable is
    /// constrained.
    pub(crate) fn cube(&self, cube: &Cube) -> Result<Set> {
        let layout = &self.automaton.layout;
        let mut constrained: Vec<VariableId> =
            layout.variables().filter(|&variable| layout.constrains(cube, variable)).collect();
        constrained.sort_by_key(|&variable| std::cmp::Reverse(self.bits[variable].0));
        let mut set = self.everything();
        for variable in constrained {
            let mut allowed = self.nothing();
            for value in layout.values(cube, variable) {
                allowed = allowed.or(&self.value(variable, value)?)?;
            }
            set = set.and(&allowed)?;
        }
        Ok(set)
    }

    /// The states in which some bits are fixed; none if no value has such a code.
    pub(crate) fn cube_of_bits(&self, fixed: &[(u32, bool)]) -> Option<Cube> {
        let layout = &self.automaton.layout;
        let mut cube = layout.everything().clone();
        for variable in layout.variables() {
            let (first, count) = self.bits[variable];
            let mine = fixed.iter().filter(|(bit, _)| (first..first + count).contains(bit));
            for &(bit, is_set) in mine {
                for value in 0..layout.size(variable) {
                    if (value >> (bit - first) & 1 == 1) != is_set {
                        layout.forbid(&mut cube, variable, value);
                    }
                }
            }
        }
        (!layout.is_empty(&cube)).then_some(cube)
    }

    /// The states that are states at all, and that no invariant forbids.
    pub(crate) fn possible(&self) -> Result<Set> {
        let mut set = self.everything();
        for variable in self.automaton.layout.variables() {
            let mut any = self.nothing();
            for value in 0..self.automaton.layout.size(variable) {
                any = any.or(&self.value(variable, value)?)?;
            }
            set = set.and(&any)?;
        }
        for cube in &self.automaton.forbidden {
            set = set.and(&self.cube(cube)?.not()?)?;
        }
        Ok(set)
    }

    pub(crate) fn guard(&self, id: TransitionId) -> &Set {
        &self.guards[id]
    }

    /// Where some guard of a group holds.
    pub(crate) fn group_guard(&self, node: NodeId, group: usize) -> Result<Set> {
        let mut set = self.nothing();
        for id in self.automaton.group(node, group) {
            set = set.or(&self.guards[id])?;
        }
        Ok(set)
    }

    /// The states that the assignments lead into a set.
    pub(crate) fn regress(&mut self, id: TransitionId, set: &Set) -> Result<Set> {
        self.regressions += 1;
        if self.automaton.transitions[id].assignments.is_empty() {
            return Ok(set.clone());
        }
        Ok(set.restrict(&self.assigned[id])?)
    }

    /// The states that the assignments make of a set.
    pub(crate) fn progress(&self, id: TransitionId, set: &Set) -> Result<Set> {
        if self.automaton.transitions[id].assignments.is_empty() {
            return Ok(set.clone());
        }
        Ok(set.exists(&self.overwritten[id])?.and(&self.assigned[id])?)
    }

    /// Whether a set has a state.
    pub(crate) fn contains(&self, set: &Set, state: &Cube) -> bool {
        let layout = &self.automaton.layout;
        let arguments = self.bits.iter_ids().flat_map(|(variable, &(first, count))| {
            let value = layout.value(state, variable);
            (0..count).map(move |bit| (first + bit, value >> bit & 1 == 1))
        });
        set.eval(arguments)
    }

    /// The number of states in a set of possible states.
    pub(crate) fn count(&self, set: &Set) -> f64 {
        type Counts = oxidd::util::SatCountCache<
            oxidd::util::num::F64,
            std::hash::BuildHasherDefault<rustc_hash::FxHasher>,
        >;
        let mut cache = Counts::default();
        set.sat_count(self.bit_count, &mut cache).0
    }

    /// Looks at the limits; collects garbage when the tables have grown much since the last time.
    pub(crate) fn look(&mut self) -> Result<()> {
        let nodes = self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes());
        self.peak = self.peak.max(nodes);
        if nodes > self.collect_at {
            let left = self.manager.with_manager_shared(|manager| {
                manager.gc();
                manager.num_inner_nodes()
            });
            let most = self.node_capacity / 10 * 9;
            self.collect_at = (left * 4).clamp(FEW_NODES, most.max(FEW_NODES));
        }
        Ok(self.meter.look(0)?)
    }

    /// How far the work has come.
    pub(crate) fn progress_report(&self, share: Option<f64>) -> Progress {
        let classes = self.nodes();
        let bytes = classes * NODE_BYTES as usize;
        Progress { share, classes, regressions: self.regressions, bytes }
    }

    /// Nodes in the tables now.
    pub(crate) fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes())
    }
}

/// One empty set per node.
pub(crate) fn per_node(encoding: &Encoding<'_>) -> IndexVec<NodeId, Set> {
    (0..encoding.automaton.nodes.len()).map(|_| encoding.nothing()).collect()
}

impl std::fmt::Debug for Encoding<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Encoding({} bits, {} nodes)", self.bit_count, self.nodes())
    }
}

/// How many different nodes several sets have together.
pub(crate) fn shared_size<'s>(sets: impl Iterator<Item = &'s Set>) -> usize {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open: Vec<Set> = sets.cloned().collect();
    while let Some(set) = open.pop() {
        let Some((high, low)) = set.cofactors() else { continue };
        // An edge and its complement share the node.
        if seen.insert(set.with_manager_shared(|_, edge| edge.node_id())) {
            open.extend([high, low]);
        }
    }
    seen.len()
}
