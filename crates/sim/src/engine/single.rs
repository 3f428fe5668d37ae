//! The code for one state at a time: the whole game as one phase.

use std::ops::Range;
use std::sync::OnceLock;

use gambol_index::Id;
use gambol_net::MoveId;

use crate::compile::code;
use crate::compile::layout::{Counts, Layout};
use crate::compile::phase::percept_gates;
use crate::compile::source::Source;
use crate::engine::Engine;
use crate::engine::batch::Batch;
use crate::engine::table::Table;
use crate::engine::{Code, Width};

/// Circuits with more gates are not worth machine code before the first question is answered.
const LARGE: usize = 60_000;

/// Programs for single states.
#[derive(Debug)]
pub(crate) struct Single {
    pub(crate) batch: Batch,
    percepts: OnceLock<Percepts>,
}

/// The program for percepts. It has a layout of its own, in which every move has a slot.
#[derive(Debug)]
pub(crate) struct Percepts {
    pub(crate) table: Table,
    pub(crate) layout: Layout,
    /// The slots of the percepts.
    pub(crate) slots: Range<usize>,
}

impl Single {
    pub(crate) fn of(source: &Source) -> Self {
        Self { batch: Batch::whole(source), percepts: OnceLock::new() }
    }

    /// The slot of a move when it is done.
    pub(crate) fn does_slot(&self, action: MoveId) -> usize {
        self.batch.layout.moves as usize + action.index()
    }

    /// What runs the programs: machine code, unless the game is too large for it.
    pub(crate) fn engine(&self, code: Code, width: Width) -> Engine<'_> {
        let code = if self.batch.gate_count() <= LARGE { code } else { Code::Table };
        Engine::of(&self.batch, code, width)
    }

    pub(crate) fn percepts(&self, source: &Source) -> &Percepts {
        self.percepts.get_or_init(|| Percepts::of(source))
    }
}

impl Percepts {
    fn of(source: &Source) -> Self {
        let counts = Counts {
            fluents: source.fluent_count() as u32,
            moves: source.move_count() as u32,
            legal: source.move_count() as u32,
            goals: source.percepts.len() as u32,
        };
        let layout = Layout::shared(counts);
        let places: Vec<Option<u32>> = (0..counts.moves).map(Some).collect();
        let outputs: Vec<u32> = layout.goal_slots().map(|slot| slot as u32).collect();
        let slot = |input| layout.slot_of(&places, input);
        let code = code::Code::of(&percept_gates(source), slot, &outputs, layout.scratch);
        Self { table: Table::of(&code), layout, slots: layout.goal_slots() }
    }
}
