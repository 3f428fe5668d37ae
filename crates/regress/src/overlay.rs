//! Classes of one task on top of those that all tasks share.
//!
//! Places in a list run on from the shared classes to the task's own.

use crate::automaton::{Automaton, NodeId, TransitionId};
use crate::class::{Class, ClassRef, ClassStore, ListId};
use crate::cube::{Cube, Layout};
use crate::value::Value;

/// Shared classes, which stay as they are, and new ones.
pub(crate) struct Overlay<'s> {
    base: &'s ClassStore,
    pub(crate) own: ClassStore,
}

impl<'s> Overlay<'s> {
    pub(crate) fn on(base: &'s ClassStore, automaton: &Automaton) -> Self {
        Self { base, own: ClassStore::new(automaton) }
    }

    #[inline]
    pub(crate) fn list(&self, node: NodeId, group: usize) -> ListId {
        self.base.list(node, group)
    }

    pub(crate) fn place_of(&self, list: ListId) -> (NodeId, usize) {
        self.base.place_of(list)
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.base.layout()
    }

    /// How many classes a list has.
    pub(crate) fn count(&self, list: ListId) -> usize {
        self.base.classes(list).len() + self.own.classes(list).len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.base.bytes() + self.own.bytes()
    }

    /// A class and the store that knows its exclusions.
    #[inline]
    fn at(&self, at: ClassRef) -> (&Class, &ClassStore) {
        let shared = self.base.classes(at.list);
        match shared.get(at.place as usize) {
            Some(class) => (class, self.base),
            None => (&self.own.classes(at.list)[at.place as usize - shared.len()], &self.own),
        }
    }

    #[inline]
    pub(crate) fn class(&self, at: ClassRef) -> &Class {
        self.at(at).0
    }

    pub(crate) fn exclusions(&self, at: ClassRef) -> impl Iterator<Item = &Cube> {
        let (class, store) = self.at(at);
        store.exclusions(class)
    }

    /// A class that contains a state: an own one before a shared one, the newest first.
    pub(crate) fn find(&self, list: ListId, state: &Cube) -> Option<ClassRef> {
        let shared = self.base.classes(list).len() as u32;
        let own = self.own.find(list, state);
        let own = own.map(|at| ClassRef { list, place: at.place + shared });
        own.or_else(|| self.base.find(list, state))
    }

    pub(crate) fn push(
        &mut self,
        list: ListId,
        value: Value,
        condition: Cube,
        exclusions: Vec<Cube>,
        transition: Option<TransitionId>,
    ) {
        self.own.push(list, value, condition, exclusions, transition);
    }
}
