//! Replies that keep a value: the search asked again, state by state.

use std::sync::Arc;

use super::board::Board;
use super::engine::{Engine, Halt, Reading};
use super::frame::{Child, Frame};
use super::root_turn;
use super::table::Table;
use crate::Looks;
use crate::limits::Meter;
use crate::solve::Task;

/// Bytes for the table; two are made, one after the other.
const BYTES: u64 = 256 << 20;

/// Finds for one role the moves by which it keeps its value.
pub(crate) struct Replies<'a, const K: usize> {
    engine: Engine<'a, K>,
    role: usize,
    /// The place of the first role's value.
    value: u8,
}

impl<'a, const K: usize> Replies<'a, K> {
    /// For a role, in a game that is worth `value` to the first role.
    pub(crate) fn new(task: &Task<'a>, board: &'a Board, role: usize, value: u32) -> Self {
        let meter = Meter::start(&task.options.limits);
        let table = Arc::new(Table::within(BYTES));
        let place = board.values.binary_search(&value).unwrap_or(0);
        let mut engine = Engine::new(board, task.circuit, table, meter);
        // Whatever comes of it is checked by others.
        engine.reading = Some(Reading::Least);
        Self { engine, role, value: place as u8 }
    }

    /// A move after which the value is still there.
    pub(crate) fn reply(&mut self, state: &[u64], looks: &Looks) -> Option<u32> {
        let (turn, moves) = root_turn(looks).ok()?;
        if usize::from(turn.mover) != self.role {
            return looks.moves(0, self.role).first().copied();
        }
        let mut packed = [0; K];
        packed[..state.len()].copy_from_slice(state);
        let mut frame = Frame::default();
        self.engine.children(&packed, turn, &moves, &mut frame).ok()?;
        let first = self.role == 0;
        for child in &frame.children {
            let proved = if first { child.least >= self.value } else { child.most <= self.value };
            let keeps = proved || (!child.over && self.keeps(child, frame.moves_of(child)).ok()?);
            if keeps {
                return Some(child.action);
            }
        }
        None
    }

    fn keeps(&mut self, child: &Child<K>, moves: &[u32]) -> Result<bool, Halt> {
        let first = self.role == 0;
        let target = if first { self.value } else { self.value + 1 };
        let found = self.engine.question(&child.state, child.turn, moves, target)?;
        Ok(if first { found >= self.value } else { found <= self.value })
    }
}
