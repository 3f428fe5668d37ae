//! The code for one state at a time: the whole game as one phase, for 64 lanes.

use std::ops::Range;
use std::sync::OnceLock;

use crate::batch::Layout;
use crate::code::{Code, ZEROS};
use crate::phase::{PhaseGates, goal_gates, percept_gates};
use crate::reduce::binary::Gates;
use crate::reduce::graph::Input;
use crate::source::Source;
use crate::table::Table;

/// Programs that read and write the slots of a [`Layout`].
#[derive(Debug)]
pub(crate) struct Programs {
    pub(crate) layout: Layout,
    pub(crate) legality: Table,
    pub(crate) transition: Table,
    /// The fluents that do not just keep their value, ascending.
    pub(crate) changing: Vec<u32>,
    /// The moves that can be legal, in the order of their slots.
    pub(crate) moves: Vec<u32>,
    /// The slot of each move, if its legality is computed.
    pub(crate) slot_of_move: Vec<Option<u32>>,
    /// Moves that are always legal, and the only ones of their role.
    pub(crate) always_legal: Vec<u32>,
    goals: OnceLock<Table>,
    percepts: OnceLock<(Table, Range<usize>)>,
}

impl Programs {
    pub(crate) fn of(source: &Source) -> Self {
        let gates = PhaseGates::of(source, &vec![None; source.fluent_count()]);
        let layout = Layout::new(source.fluent_count(), gates.moves.len(), source.goals.len());
        let places = gates.place_of_moves(source);
        let slot_of_move: Vec<Option<u32>> =
            places.iter().map(|place| place.map(|place| layout.moves + place)).collect();
        let mut outputs = vec![layout.terminal];
        outputs.extend((layout.moves..).take(gates.moves.len()));
        let legality = table(layout, &slot_of_move, &gates.legality, &outputs);
        let outputs: Vec<u32> = gates.changing.iter().map(|f| layout.next + f).collect();
        let transition = table(layout, &slot_of_move, &gates.transition, &outputs);
        Self {
            layout,
            legality,
            transition,
            changing: gates.changing,
            always_legal: gates.always_legal,
            moves: gates.moves,
            slot_of_move,
            goals: OnceLock::new(),
            percepts: OnceLock::new(),
        }
    }

    /// Goals, into the goal slots.
    pub(crate) fn goals(&self, source: &Source) -> &Table {
        self.goals.get_or_init(|| {
            let outputs: Vec<u32> = self.layout.goal_slots().map(|slot| slot as u32).collect();
            table(self.layout, &self.slot_of_move, &goal_gates(source), &outputs)
        })
    }

    /// Percepts, and the slots they are computed into. Reads all moves from slots before these.
    pub(crate) fn percepts(&self, source: &Source) -> &(Table, Range<usize>) {
        self.percepts.get_or_init(|| {
            let moves = self.layout.scratch;
            let slots: Vec<Option<u32>> = (moves..).map(Some).take(source.move_count()).collect();
            let first = moves + source.move_count() as u32;
            let outputs: Vec<u32> = (first..).take(source.percepts.len()).collect();
            let end = first + source.percepts.len() as u32;
            let layout = Layout { scratch: end, ..self.layout };
            let table = table(layout, &slots, &percept_gates(source), &outputs);
            (table, first as usize..end as usize)
        })
    }
}

fn table(layout: Layout, slot_of_move: &[Option<u32>], gates: &Gates, outputs: &[u32]) -> Table {
    let slot = |input: Input| match input {
        Input::Fluent(fluent) => layout.fluents + fluent,
        // Moves without a slot are constants, and variables are placed by the code itself.
        Input::Does(action) => slot_of_move[action as usize].unwrap_or(ZEROS),
        Input::Variable(_) => ZEROS,
    };
    Table::of(&Code::of(gates, slot, outputs, layout.scratch))
}
