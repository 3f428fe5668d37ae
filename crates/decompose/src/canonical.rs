//! An order of fluents and moves that does not look at how they are spelt.
//!
//! Gates are told apart by what they read and by what reads them, in rounds (colour refinement). What
//! is still alike after that is alike in the rules too, as far as rounds can see; only there the names
//! decide.

use gambol_analysis::Clause;
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};

use crate::decomposition::{Decomposition, Line, Phase, Repair, Tie};

/// Rounds of refinement.
const ROUNDS: usize = 4;

/// Where the fluents and moves of the net in canonical order come from.
pub(crate) struct Canonical {
    fluents: IndexVec<FluentId, FluentId>,
    moves: IndexVec<MoveId, MoveId>,
}

impl Canonical {
    pub(crate) fn of(net: &Net) -> Self {
        let mut colours = Colours::new(net);
        let mut kinds = 0;
        for _ in 0..ROUNDS {
            colours.refine(net);
            let found = colours.kinds();
            if found == kinds {
                break;
            }
            kinds = found;
        }
        let mut fluents: Vec<FluentId> = net.fluents.ids().collect();
        fluents.sort_by_key(|&fluent| (colours.fluents[fluent], fluent));
        let mut moves: Vec<MoveId> = net.moves.ids().collect();
        moves.sort_by_key(|&action| (net.moves[action].role, colours.moves[action], action));
        Self { fluents: fluents.into(), moves: moves.into() }
    }

    /// The net in canonical order.
    pub(crate) fn net(&self, net: &Net) -> Net {
        net.renumbered(&self.fluents, &self.moves)
    }

    /// The number that a fluent has in canonical order.
    pub(crate) fn fluent_here(&self, fluents: &[FluentId]) -> Vec<FluentId> {
        let mut here = self.fluents.clone();
        for (new, &old) in self.fluents.iter_ids() {
            here[old] = new;
        }
        let mut found: Vec<FluentId> = fluents.iter().map(|&fluent| here[fluent]).collect();
        found.sort_unstable();
        found
    }

    /// Clauses about the fluents that are meant.
    pub(crate) fn clauses_here(&self, clauses: &[Clause]) -> Vec<Clause> {
        let mut here = self.fluents.clone();
        for (new, &old) in self.fluents.iter_ids() {
            here[old] = new;
        }
        let mut clauses = clauses.to_vec();
        for literal in clauses.iter_mut().flatten() {
            literal.fluent = here[literal.fluent];
        }
        clauses
    }

    fn fluents_back(&self, fluents: &mut [FluentId]) {
        fluents.iter_mut().for_each(|fluent| *fluent = self.fluents[*fluent]);
        fluents.sort_unstable();
    }

    fn moves_back(&self, moves: &mut [MoveId]) {
        moves.iter_mut().for_each(|action| *action = self.moves[*action]);
        moves.sort_unstable();
    }

    /// Gives a decomposition of the net in canonical order the fluents and moves of the first one.
    pub(crate) fn back(&self, found: &mut Decomposition) {
        for subgame in found.subgames.iter_mut() {
            self.fluents_back(&mut subgame.fluents);
            self.fluents_back(&mut subgame.seen_with);
            self.moves_back(&mut subgame.moves);
            subgame.ties.iter_mut().for_each(|tie| self.tie_back(tie));
            subgame.meta_actions.iter_mut().for_each(|one| self.moves_back(&mut one.moves));
            subgame
                .meta_actions
                .sort_by_key(|one| (one.role, one.idle, one.moves.first().copied()));
        }
        self.fluents_back(&mut found.rest);
        for literal in found.invariants.iter_mut().flatten() {
            literal.fluent = self.fluents[literal.fluent];
        }
        for point in &mut found.crossing_points {
            for literal in &mut point.literals {
                literal.fluent = self.fluents[literal.fluent];
            }
            point.literals.sort_unstable_by_key(|literal| literal.fluent);
        }
        found.phases.iter_mut().for_each(|phase| self.phase_back(phase));
        found.repairs.iter_mut().for_each(|repair| self.repair_back(repair));
        for entry in &mut found.matrix.entries {
            (entry.fluent, entry.action) = (self.fluents[entry.fluent], self.moves[entry.action]);
        }
        found.matrix.entries.sort_unstable_by_key(|entry| (entry.fluent, entry.action));
    }
}

impl Canonical {
    /// The same for a phase.
    pub(crate) fn phase_back(&self, phase: &mut Phase) {
        let back = |fluent: FluentId| self.fluents[fluent];
        phase.begins = phase.begins.as_ref().map(|begins| begins.renumbered(&back));
        self.fluents_back(&mut phase.interface);
        self.fluents_back(&mut phase.seen);
        for literals in [&mut phase.entry, &mut phase.facts] {
            literals.iter_mut().for_each(|literal| literal.fluent = back(literal.fluent));
            literals.sort_unstable();
        }
        self.back(&mut phase.parts);
    }

    fn repair_back(&self, repair: &mut Repair) {
        repair.joined.iter_mut().for_each(|part| self.fluents_back(part));
        repair.fluent = repair.fluent.map(|fluent| self.fluents[fluent]);
        self.fluents_back(&mut repair.start);
        repair.moves.iter_mut().for_each(|joint| self.joint_back(joint));
        repair.lines.iter_mut().for_each(|line| self.line_back(line));
    }

    fn tie_back(&self, tie: &mut Tie) {
        tie.fluents = tie.fluents.map(|fluent| self.fluents[fluent]);
        tie.moves.iter_mut().for_each(|joint| self.joint_back(joint));
        tie.lines.iter_mut().for_each(|line| self.line_back(line));
    }

    fn line_back(&self, line: &mut Line) {
        line.moves.iter_mut().for_each(|joint| self.joint_back(joint));
        self.fluents_back(&mut line.state);
    }

    /// Joint moves are in the order of the roles, and remain so.
    fn joint_back(&self, joint: &mut [MoveId]) {
        joint.iter_mut().for_each(|action| *action = self.moves[*action]);
    }
}

struct Colours {
    fluents: IndexVec<FluentId, u64>,
    moves: IndexVec<MoveId, u64>,
    gates: Vec<u64>,
}

impl Colours {
    fn new(net: &Net) -> Self {
        let mut fluents = IndexVec::filled(1, net.next.len());
        net.initial.iter().for_each(|&fluent| fluents[fluent] = 2);
        let role = |action: MoveId| mixed(3, u64::from(net.moves[action].role.number()));
        let moves = net.moves.ids().map(role).collect::<Vec<_>>().into();
        Self { fluents, moves, gates: vec![0; net.gate_count()] }
    }

    fn kinds(&self) -> usize {
        let mut all: Vec<u64> = self.fluents.iter().chain(self.moves.iter()).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.len()
    }

    fn refine(&mut self, net: &Net) {
        self.colour_gates(net);
        let uses = self.uses(net);
        for (fluent, colour) in net.fluents.ids().zip(self.fluents.iter_mut()) {
            let used = uses[net.fluent_gate(fluent).index()];
            *colour = mixed(mixed(*colour, self.gates[net.next[fluent].index()]), used);
        }
        for (action, colour) in net.moves.ids().zip(self.moves.iter_mut()) {
            let used = uses[net.move_gate(action).index()];
            *colour = mixed(mixed(*colour, self.gates[net.legal[action].index()]), used);
        }
    }

    /// Upwards: a gate is what it reads.
    fn colour_gates(&mut self, net: &Net) {
        for gate in net.gate_ids() {
            let before = self.gates[gate.index()];
            let read = |inputs: &[GateId]| {
                inputs.iter().fold(0u64, |sum, input| {
                    // Gates that read one another are not known yet.
                    let later = input.index() >= gate.index();
                    let colour = if later { 7 } else { self.gates[input.index()] };
                    sum.wrapping_add(mixed(5, colour))
                })
            };
            self.gates[gate.index()] = match net.gate(gate) {
                Gate::Constant(value) => 11 + u64::from(value),
                Gate::Fluent(fluent) => mixed(13, self.fluents[fluent]),
                Gate::Does(action) => mixed(17, self.moves[action]),
                _ if net.cycle_of(gate).is_some() => mixed(before, 19),
                Gate::And(inputs) => mixed(23, read(inputs)),
                Gate::Or(inputs) => mixed(29, read(inputs)),
                Gate::Not(input) => mixed(31, self.gates[input.index()]),
            };
        }
    }

    /// Downwards: a gate is what it is read for.
    fn uses(&self, net: &Net) -> Vec<u64> {
        let mut uses = vec![0u64; net.gate_count()];
        let mut add = |gate: GateId, what: u64| {
            uses[gate.index()] = uses[gate.index()].wrapping_add(what);
        };
        for (fluent, &gate) in net.next.iter_ids() {
            add(gate, mixed(37, self.fluents[fluent]));
        }
        for (action, &gate) in net.legal.iter_ids() {
            add(gate, mixed(41, self.moves[action]));
        }
        add(net.terminal, 43);
        for goal in &net.goals {
            add(goal.gate, mixed(mixed(47, u64::from(goal.role.number())), u64::from(goal.value)));
        }
        for gate in net.gate_ids().rev() {
            let kind = match net.gate(gate) {
                Gate::And(_) => 53,
                Gate::Or(_) => 59,
                _ => 61,
            };
            let what = mixed(mixed(kind, uses[gate.index()]), self.gates[gate.index()]);
            for &input in net.inputs_of(gate).iter().filter(|input| input.index() < gate.index()) {
                uses[input.index()] = uses[input.index()].wrapping_add(what);
            }
        }
        uses
    }
}

/// One number from two, in which every bit matters (the finaliser of splitmix64).
fn mixed(one: u64, other: u64) -> u64 {
    let mut word = one.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(other);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
