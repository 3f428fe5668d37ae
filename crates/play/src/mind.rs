//! Who thinks in a match: the tree search once the game is prepared, the plain interpreter before.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gambol_index::Id;
use gambol_net::{MoveId, Net, RoleId};
use gambol_reference::{Budget, GroundTerm, Interpreter, ReferenceError, State};

use crate::preparation::Prepared;
use crate::tree_search::{SearchOptions, TreeSearch};

/// A number that looks random and depends on the seed and the step alone.
pub(crate) fn mixed(seed: u64, step: u64) -> u64 {
    let mut value = seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The interpreter with a state.
pub(crate) struct Plain {
    interpreter: Interpreter,
    state: State,
}

impl Plain {
    pub(crate) fn new(rules: &gambol_syntax::Rules) -> Result<Self, ReferenceError> {
        let mut interpreter = Interpreter::with_budget(rules, Budget::default())?;
        let state = interpreter.initial()?;
        Ok(Self { interpreter, state })
    }

    pub(crate) fn advance(&mut self, moves: &[String]) -> Result<(), ReferenceError> {
        let joint = self.interpreter.terms_from_text(&moves.join(" "))?;
        self.state = self.interpreter.next(&self.state, &joint)?;
        Ok(())
    }

    /// The legal moves of a role, as they are spelt.
    pub(crate) fn legal(&mut self, role: usize) -> Result<Vec<String>, ReferenceError> {
        let legal: Vec<Vec<GroundTerm>> = self.interpreter.legal(&self.state)?;
        Ok(legal.get(role).map_or_else(Vec::new, |moves| self.interpreter.sorted_texts(moves)))
    }
}

/// The tree search with names.
pub(crate) struct Searching<'a> {
    net: &'a Net,
    search: TreeSearch<'a>,
}

impl<'a> Searching<'a> {
    pub(crate) fn new(prepared: &'a Prepared, seed: u64) -> Self {
        let options = SearchOptions { seed, ..SearchOptions::default() };
        let search = TreeSearch::new(&prepared.net, &prepared.circuit, options);
        Self { net: &prepared.net, search }
    }

    /// A move that the net does not know can have no effect in it.
    pub(crate) fn advance(&mut self, moves: &[String]) {
        let named = |(role, name): (usize, &String)| self.named(RoleId::from_index(role), name);
        let moves: Vec<MoveId> = moves.iter().enumerate().filter_map(named).collect();
        self.search.advance(&moves);
    }

    fn named(&self, role: RoleId, name: &str) -> Option<MoveId> {
        let mut moves = self.net.moves.iter_ids();
        moves.find(|(_, action)| action.role == role && &*action.name == name).map(|found| found.0)
    }

    pub(crate) fn legal(&self, role: RoleId) -> Vec<String> {
        let legal = self.search.legal(role).into_iter();
        legal.map(|action| self.net.moves[action].name.to_string()).collect()
    }

    /// Thinks until the deadline; a role without a choice need not.
    pub(crate) fn best(
        &mut self,
        role: RoleId,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Option<String> {
        if self.search.legal(role).len() > 1 {
            self.search.search(deadline, stop);
        }
        self.search.best(role).map(|action| self.net.moves[action].name.to_string())
    }

    /// Thinks about the first move before anybody asks.
    pub(crate) fn think(&mut self, deadline: Instant, stop: &AtomicBool) {
        self.search.search(deadline, stop);
    }
}
