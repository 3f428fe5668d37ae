//! The code for many games side by side: programs per phase, and where everything lies.

use std::ops::Range;
use std::sync::OnceLock;

use gambol_index::bits;
use gambol_net::{MoveId, When};

use crate::compile::code::Code;
use crate::compile::hold::must_be_held;
use crate::compile::layout::{Counts, Layout};
use crate::compile::phase::{PhaseGates, Trust, goal_gates};
use crate::compile::phases::Phases;
use crate::compile::source::Source;
use crate::engine::machine::Machine;
use crate::engine::table::Table;
use crate::engine::word::{Plain, Word};
use crate::engine::{Instructions, MACHINES};

/// The size of a circuit, in two-input gates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GateCounts {
    /// Legality and termination, per phase.
    pub legality: Vec<usize>,
    /// Transitions, per phase.
    pub transition: Vec<usize>,
    /// Goals.
    pub goals: usize,
    /// Moves that can be legal, per phase.
    pub live_moves: Vec<usize>,
}

impl GateCounts {
    /// Gates that run per step, on average over the phases.
    pub fn per_step(&self) -> usize {
        let all: usize = self.legality.iter().chain(&self.transition).sum();
        all / self.legality.len().max(1)
    }
}

/// At what interval new games begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interval {
    /// In steps.
    pub(crate) steps: u64,
    /// Whether so many groups of games are under way at a time that their ends are better counted lane by
    /// lane.
    pub(crate) has_many_cohorts: bool,
}

/// The programs of one phase.
#[derive(Debug)]
pub(crate) struct Phase {
    pub(crate) legality: Table,
    pub(crate) transition: Table,
    /// The fluents that do not just keep their value.
    pub(crate) changing: Vec<u32>,
    /// The slots of the moves of each role that has something to choose.
    pub(crate) choices: Vec<Range<usize>>,
    /// The moves whose legality is computed, by slot.
    pub(crate) moves: Vec<u32>,
    /// Moves that are always legal and the only ones of their role.
    pub(crate) always_legal: Vec<u32>,
    /// What a step costs, in instructions.
    pub(crate) cost: f64,
    legality_gates: usize,
    transition_gates: usize,
    live_moves: usize,
}

/// The code of one phase, from which engines make what they run.
#[derive(Debug)]
pub(crate) struct PhaseCode {
    pub(crate) legality: Code,
    pub(crate) transition: Code,
    /// Which of the changing fluents must be held in lanes whose game is over.
    pub(crate) holds: Vec<bool>,
}

/// The code of a game.
#[derive(Debug)]
pub(crate) struct BatchCode {
    pub(crate) phases: Vec<PhaseCode>,
    pub(crate) goals: Code,
}

impl BatchCode {
    /// How many gates there are in all programs together.
    pub(crate) fn len(&self) -> usize {
        let phase = |phase: &PhaseCode| phase.legality.len() + phase.transition.len();
        self.goals.len() + self.phases.iter().map(phase).sum::<usize>()
    }
}

/// Everything a simulator needs to know about a game.
#[derive(Debug)]
pub(crate) struct Batch {
    code: BatchCode,
    machines: [OnceLock<Option<Machine>>; MACHINES],
    /// Whether the choice looks for groups of moves of which one is open at a time.
    pub(crate) grouping: When,
    /// At what interval playouts begin in lanes whose games are over, once it is known.
    pub(crate) interval: OnceLock<Interval>,
    pub(crate) layout: Layout,
    pub(crate) phases: Vec<Phase>,
    pub(crate) goals: Table,
    /// What it costs to count goals and start new games, in instructions.
    pub(crate) refill_cost: f64,
    pub(crate) slot_count: usize,
    /// Whether each fluent is true at the start.
    pub(crate) initial: Vec<bool>,
    /// The fluents that tell the phases apart, with their value in each.
    rhythm: Vec<(u32, Vec<bool>)>,
    pub(crate) initial_terminal: bool,
    /// Whether each move of phase 0 is legal at the start, by slot.
    pub(crate) initial_legal: Vec<bool>,
    /// The most moves any role can choose from.
    pub(crate) most_moves: usize,
    goal_gates: usize,
}

impl Batch {
    /// A game in phases, for playouts.
    pub(crate) fn of(source: &Source, phases: &Phases) -> Self {
        Self::with_layout(source, phases, Trust::Legal)
    }

    /// A game as one phase, for single states.
    pub(crate) fn whole(source: &Source) -> Self {
        Self::with_layout(source, &Phases::none(source), Trust::Any)
    }

    fn with_layout(source: &Source, phases: &Phases, trust: Trust) -> Self {
        let phases_rhythm = phases.rhythm();
        let reduced: Vec<PhaseGates> =
            phases.known.iter().map(|known| PhaseGates::of(source, known, trust)).collect();
        let moves = reduced.iter().map(|phase| phase.moves.len()).max().unwrap_or(0);
        let counts = Counts {
            fluents: source.fluent_count() as u32,
            moves: source.move_count() as u32,
            legal: moves as u32,
            goals: source.goals.len() as u32,
        };
        let layout = match trust {
            Trust::Legal => Layout::shared(counts),
            Trust::Any => Layout::apart(counts),
        };
        let goal_gates = goal_gates(source);
        let goal_slots: Vec<u32> = layout.goal_slots().map(|slot| slot as u32).collect();
        let no_moves = vec![None; source.move_count()];
        let goal_slot = |input| layout.slot_of(&no_moves, input);
        let goals = Code::of(&goal_gates, goal_slot, &goal_slots, layout.scratch);
        let phases: Vec<PhaseCode> =
            reduced.iter().map(|gates| PhaseCode::of(layout, gates)).collect();
        let code = BatchCode { phases, goals };
        let with_code = reduced.iter().zip(&code.phases);
        let mut batch = Self {
            layout,
            phases: with_code.map(|(gates, code)| Phase::of(layout, gates, code)).collect(),
            refill_cost: (code.goals.len() + source.fluent_count() + moves) as f64,
            goals: Table::of(&code.goals),
            code,
            machines: Default::default(),
            grouping: source.grouping,
            interval: OnceLock::new(),
            slot_count: 0,
            initial: source.initial.clone(),
            rhythm: phases_rhythm,
            initial_terminal: false,
            initial_legal: vec![false; reduced[0].moves.len()],
            most_moves: 0,
            goal_gates: goal_gates.gates.len(),
        };
        batch.measure();
        batch.look_at_the_start();
        batch
    }

    fn measure(&mut self) {
        let tables = self.phases.iter().flat_map(|phase| [&phase.legality, &phase.transition]);
        let slots = tables.chain([&self.goals]).map(Table::slot_count).max();
        self.slot_count = slots.unwrap_or(0).max(self.layout.scratch as usize);
        let choices = self.phases.iter().flat_map(|phase| &phase.choices);
        self.most_moves = choices.map(|slots| slots.len()).max().unwrap_or(0);
    }

    /// Legality and termination at the start never change, so they are found once.
    fn look_at_the_start(&mut self) {
        let mut slots = self.new_slots::<Plain<1>>(0);
        self.phases[0].legality.run(&mut slots);
        self.initial_terminal = slots[self.layout.terminal as usize].any();
        for (legal, slot) in self.initial_legal.iter_mut().zip(self.layout.legal as usize..) {
            *legal = slots[slot].any();
        }
    }

    /// Slots with the constants and the initial state in every lane.
    pub(crate) fn new_slots<W: Word>(&self, slot_count: usize) -> Vec<W> {
        let mut slots = vec![W::zero(); slot_count.max(self.slot_count)];
        slots[1] = W::ones();
        for (slot, &initial) in slots[self.layout.fluent_slots()].iter_mut().zip(&self.initial) {
            if initial {
                *slot = W::ones();
            }
        }
        slots
    }

    /// The phase that a state is in; none if no game gets there from the start.
    pub(crate) fn phase_of(&self, state: &[u64]) -> Option<usize> {
        let holds = |fluent: u32| bits::is_set(state, fluent as usize);
        let fits =
            |phase: usize| self.rhythm.iter().all(|(fluent, value)| holds(*fluent) == value[phase]);
        (0..self.phases.len()).find(|&phase| fits(phase))
    }

    /// What the slots hold at the start: the first slot of the fluents and of legality, and their values.
    pub(crate) fn at_the_start(&self) -> [(u32, &[bool]); 2] {
        [(self.layout.fluents, &self.initial), (self.layout.legal, &self.initial_legal)]
    }

    /// Machine code for 256 or 512 lanes; none if this machine cannot run it.
    pub(crate) fn machine(&self, instructions: Instructions, lanes: usize) -> Option<&Machine> {
        let machine = &self.machines[instructions.machine_number(lanes)];
        machine.get_or_init(|| Machine::of(self, &self.code, instructions, lanes)).as_ref()
    }

    /// Makes the moves that are done by the table, except in lanes that are over.
    #[inline(always)]
    pub(crate) fn step_by_table<W: Word>(&self, phase: usize, over: W, slots: &mut [W]) {
        let phase = &self.phases[phase];
        phase.transition.run(slots);
        for &fluent in &phase.changing {
            let fresh = slots[(self.layout.next + fluent) as usize];
            let held = &mut slots[(self.layout.fluents + fluent) as usize];
            *held = W::select(over, *held, fresh);
        }
    }

    /// What a step costs, in instructions, on average over the phases.
    pub(crate) fn step_cost(&self) -> f64 {
        let all: f64 = self.phases.iter().map(|phase| phase.cost).sum();
        (all / self.phases.len() as f64).max(1.0)
    }

    /// How many gates there are in all programs together.
    pub(crate) fn gate_count(&self) -> usize {
        self.code.len()
    }

    pub(crate) fn gate_counts(&self) -> GateCounts {
        let of_phases = |count: fn(&Phase) -> usize| self.phases.iter().map(count).collect();
        GateCounts {
            legality: of_phases(|phase| phase.legality_gates),
            transition: of_phases(|phase| phase.transition_gates),
            goals: self.goal_gates,
            live_moves: of_phases(|phase| phase.live_moves),
        }
    }
}

impl PhaseCode {
    fn of(layout: Layout, gates: &PhaseGates) -> Self {
        let slot = |input| layout.slot_of(&gates.places, input);
        let mut outputs = vec![layout.terminal];
        outputs.extend((layout.legal..).take(gates.moves.len()));
        let legality = Code::of(&gates.legality, slot, &outputs, layout.scratch);
        let outputs: Vec<u32> = gates.changing.iter().map(|f| layout.next + f).collect();
        let transition = Code::of(&gates.transition, slot, &outputs, layout.scratch);
        let holds = must_be_held(&gates.transition, &gates.changing);
        Self { legality, transition, holds }
    }

    /// What a step costs, in instructions.
    fn cost(&self, moves: usize) -> f64 {
        let once = self.legality.len() + self.transition.len() + self.holds.len();
        let repeated = REPEATS * (self.legality.repeating() + self.transition.repeating());
        (once + repeated + CHOICE * moves) as f64
    }
}

impl Phase {
    /// Appends the legal moves, sorted, of a state in which the computed ones are these bits.
    pub(crate) fn append_legal(&self, row: &[u64], legal: &mut Vec<MoveId>) {
        let start = legal.len();
        for (moves, &word) in self.moves.chunks(64).zip(row) {
            let mut rest = word;
            while rest != 0 {
                legal.push(MoveId::new(moves[rest.trailing_zeros() as usize]));
                rest &= rest - 1;
            }
        }
        if !self.always_legal.is_empty() {
            legal.extend(self.always_legal.iter().map(|&action| MoveId::new(action)));
            legal[start..].sort_unstable();
        }
    }

    fn of(layout: Layout, gates: &PhaseGates, code: &PhaseCode) -> Self {
        let base = layout.moves as usize;
        Self {
            cost: code.cost(gates.moves.len()),
            legality: Table::of(&code.legality),
            transition: Table::of(&code.transition),
            changing: gates.changing.clone(),
            choices: gates.choices.iter().map(|r| base + r.start..base + r.end).collect(),
            moves: gates.moves.clone(),
            always_legal: gates.always_legal.clone(),
            legality_gates: gates.legality.gates.len(),
            transition_gates: gates.transition.gates.len(),
            live_moves: gates.moves.len(),
        }
    }
}

/// A guess how often a recursive section repeats, for the cost of a step.
const REPEATS: usize = 8;
/// Instructions per move of a choice.
const CHOICE: usize = 11;
