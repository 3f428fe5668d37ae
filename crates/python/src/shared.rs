//! A game and everything that is made of it once, however many objects of Python look at it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gambol::analysis::Budget;
use gambol::board::Boards;
use gambol::net::Net;
use gambol::sim::Circuit;
use gambol::syntax::Notation;
use gambol::{Game, Moving, StageError, moving};
use pyo3::prelude::*;

use crate::interrupt::{Stop, interruptible};
use crate::owned::{BUILT, OwnedEvaluator};
use crate::table::Table;

/// A game that is compiled.
pub(crate) struct Shared {
    /// What it is called.
    pub(crate) name: String,
    /// Its rules as they were given.
    pub(crate) text: Vec<u8>,
    /// Whether every fault of the text was an error.
    pub(crate) strict: bool,
    pub(crate) game: Arc<Game>,
    pub(crate) table: Table,
    evaluator: Mutex<OwnedEvaluator>,
    moving: OnceLock<Moving>,
    boards: OnceLock<Boards>,
}

impl Shared {
    /// Compiles a game.
    pub(crate) fn new(
        name: String,
        text: Vec<u8>,
        strict: bool,
        game: Game,
    ) -> Result<Self, StageError> {
        let game = Arc::new(game);
        game.circuit()?;
        let table = Table::of(game.net()?);
        let evaluator = Mutex::new(OwnedEvaluator::of(&game));
        let (moving, boards) = (OnceLock::new(), OnceLock::new());
        Ok(Self { name, text, strict, game, table, evaluator, moving, boards })
    }

    /// Whether the other is the same game: the same rules, read in the same way.
    pub(crate) fn is_same(self: &Arc<Self>, other: &Arc<Self>) -> bool {
        let way = |shared: &Self| (shared.strict, shared.notation());
        Arc::ptr_eq(self, other) || (self.text == other.text && way(self) == way(other))
    }

    /// How the rules are written.
    pub(crate) fn notation(&self) -> Notation {
        self.game.read_options().syntax.unwrap_or_else(|| Notation::of(&self.text))
    }

    pub(crate) fn net(&self) -> &Net {
        self.game.net().expect(BUILT)
    }

    pub(crate) fn circuit(&self) -> &Circuit {
        self.game.circuit().expect(BUILT)
    }

    /// The evaluator, for a short question.
    pub(crate) fn evaluator(&self) -> MutexGuard<'_, OwnedEvaluator> {
        // A question that panicked leaves an evaluator that still answers: it computes from the state it is given.
        self.evaluator.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who moves when.
    pub(crate) fn moving(&self, py: Python<'_>) -> PyResult<&Moving> {
        if let Some(known) = self.moving.get() {
            return Ok(known);
        }
        let found = interruptible(py, |stop: Stop| {
            moving(self.net(), self.circuit(), &Budget { time: None, stop: Some(stop) })
        })?;
        Ok(self.moving.get_or_init(|| found))
    }

    /// What the game looks like.
    pub(crate) fn boards(&self, py: Python<'_>) -> &Boards {
        py.detach(|| self.boards.get_or_init(|| Boards::find(self.net(), self.game.rules())))
    }
}
