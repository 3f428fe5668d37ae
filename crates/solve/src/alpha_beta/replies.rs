//! Replies that keep a value: the search asked again, state by state.

use std::sync::Arc;

use super::engine::{Engine, Halt};
use super::frame::{Child, Frame};
use super::root_turn;
use super::search_problem::{SearchProblem, Turn};
use super::table::Table;
use crate::limits::Meter;
use crate::listing::store::Store;
use crate::problem::Task;
use crate::{Looks, Reading};

/// Bytes for the table; two are made, one after the other.
const BYTES: u64 = 256 << 20;

/// A state in which the role moves.
struct Root<'a> {
    state: &'a [u64],
    turn: Turn,
    moves: &'a [u32],
}

/// Finds for one role the moves by which it keeps its value.
pub(crate) struct Replies<'a, const K: usize> {
    engine: Engine<'a, K>,
    role: usize,
    /// The place of the first role's value.
    value: u8,
}

impl<'a, const K: usize> Replies<'a, K> {
    /// For a role, in a game that is worth `value` to the first role.
    pub(crate) fn new(task: &Task<'a>, board: &'a SearchProblem, role: usize, value: u32) -> Self {
        let meter = Meter::start(&task.options.limits);
        let table = Arc::new(Table::within(BYTES));
        let place = board.values.binary_search(&value).unwrap_or(0);
        let engine = Engine::new(board, task.circuit, table, meter);
        Self { engine, role, value: place as u8 }
    }

    /// A move after which the value is still there; if there is a choice one that ends the game, or
    /// leads to a state that is listed and so known to keep it.
    pub(crate) fn reply(&mut self, state: &[u64], looks: &Looks, listed: &Store) -> Option<u32> {
        let (turn, moves) = root_turn(looks).ok()?;
        if usize::from(turn.mover) != self.role {
            return looks.moves(0, self.role).first().copied();
        }
        let root = Root { state, turn, moves: &moves };
        match self.good_move(&root, listed) {
            Err(Halt::Unclear) => {
                self.expect_the_worst();
                self.good_move(&root, listed).ok()?
            }
            found => found.ok()?,
        }
    }

    /// Ends in which the rules give several goals, or none, are read against us from now on.
    fn expect_the_worst(&mut self) {
        let worst = if self.role == 0 { Reading::Least } else { Reading::Most };
        self.engine.reading = Some(worst);
        // What is still possible is known for single goals only.
        self.engine.weights.bounds = false;
        self.engine.table = Arc::new(Table::within(BYTES));
    }

    fn good_move(&mut self, root: &Root<'_>, listed: &Store) -> Result<Option<u32>, Halt> {
        let &Root { state, turn, moves } = root;
        let mut packed = [0; K];
        packed[..state.len()].copy_from_slice(state);
        let mut frame = Frame::default();
        self.engine.children(&packed, turn, moves, &mut frame)?;
        let children = &frame.children;
        let is_listed = |child: &&Child<K>| listed.find(&child.state[..state.len()]).is_some();
        let proved = |child: &&Child<K>| self.is_good(child.least, child.most);
        let cheap = children
            .iter()
            .find(|child| child.over && proved(child))
            .or_else(|| children.iter().find(is_listed))
            .or_else(|| children.iter().find(proved))
            .or_else(|| self.in_table(children));
        if let Some(child) = cheap {
            return Ok(Some(child.action));
        }
        // The search finds a good move sooner than we would one by one, and leaves it in the table.
        self.engine.question(&packed, turn, moves, self.target())?;
        if let Some(child) = self.in_table(children) {
            return Ok(Some(child.action));
        }
        for child in children.iter().filter(|child| !child.over) {
            if self.keeps(child, frame.moves_of(child))? {
                return Ok(Some(child.action));
            }
        }
        Ok(None)
    }

    /// A child that the table knows to keep the value.
    fn in_table<'c>(&self, children: &'c [Child<K>]) -> Option<&'c Child<K>> {
        children.iter().find(|child| {
            let known = self.engine.known(&child.state).filter(|_| !child.over);
            known.is_some_and(|known| self.is_good(known.least, known.most))
        })
    }

    /// Whether bounds on the first role's value are good enough for ours.
    fn is_good(&self, least: u8, most: u8) -> bool {
        if self.role == 0 { least >= self.value } else { most <= self.value }
    }

    /// The question to ask: can the first role get the value, or more than it?
    fn target(&self) -> u8 {
        if self.role == 0 { self.value } else { self.value + 1 }
    }

    fn keeps(&mut self, child: &Child<K>, moves: &[u32]) -> Result<bool, Halt> {
        let found = self.engine.question(&child.state, child.turn, moves, self.target())?;
        Ok(if self.role == 0 { found >= self.value } else { found <= self.value })
    }
}
