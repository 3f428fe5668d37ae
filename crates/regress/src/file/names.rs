//! What has been declared under which name.

use gambol_index::Id;
use rustc_hash::FxHashMap;
use std::marker::PhantomData;

use super::Problem;
use super::lexer::Placed;

/// The names of one kind of thing.
pub(super) struct Names<I> {
    kind: &'static str,
    ids: FxHashMap<String, usize>,
    marker: PhantomData<I>,
}

impl<I: Id> Names<I> {
    pub(super) fn new(kind: &'static str) -> Self {
        Self { kind, ids: FxHashMap::default(), marker: PhantomData }
    }

    /// Gives the next number to a name. A name that has one keeps it.
    pub(super) fn declare(&mut self, name: &str, at: &Placed) -> Result<(), Problem> {
        let next = self.ids.len();
        if self.ids.contains_key(name) {
            return Err(at.problem(format!("{} `{name}` is declared twice", self.kind)));
        }
        self.ids.insert(name.to_string(), next);
        Ok(())
    }

    pub(super) fn find(&self, name: &str, at: &Placed) -> Result<I, Problem> {
        let unknown = || at.problem(format!("no {} is called `{name}`", self.kind));
        self.ids.get(name).map(|&id| I::from_index(id)).ok_or_else(unknown)
    }
}
