//! Union-find: classes that only ever grow together (Galler and Fischer 1964).

use crate::{Id, IndexVec};

/// Elements in classes; the smallest element of a class represents it.
///
/// ```
/// use gambol_index::{UnionFind, define_id};
/// define_id! {
///     /// A lamp.
///     pub struct LampId;
/// }
/// let [b, c, d, f] = [1, 2, 3, 5].map(LampId::new);
/// let mut wired = UnionFind::new(6);
/// assert!(wired.union(f, b) && wired.union(c, d) && !wired.union(b, f));
/// wired.union_all([d, f]);
/// assert_eq!(wired.find(d), b);
/// let sizes: Vec<usize> = wired.classes().iter().map(Vec::len).collect();
/// assert_eq!(sizes, [1, 4, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct UnionFind<I> {
    parent: IndexVec<I, I>,
}

impl<I: Id + Ord> UnionFind<I> {
    /// This many elements, each in a class of its own.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count).map(I::from_index).collect() }
    }

    /// The element that represents the class.
    pub fn find(&mut self, element: I) -> I {
        let mut root = element;
        while self.parent[root] != root {
            // Path halving.
            self.parent[root] = self.parent[self.parent[root]];
            root = self.parent[root];
        }
        root
    }

    /// Makes two classes one; whether they were two.
    pub fn union(&mut self, one: I, other: I) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        let (low, high) = (one.min(other), one.max(other));
        self.parent[high] = low;
        low != high
    }

    /// Makes the classes of all elements one.
    pub fn union_all(&mut self, elements: impl IntoIterator<Item = I>) {
        let mut elements = elements.into_iter();
        if let Some(first) = elements.next() {
            elements.for_each(|other| _ = self.union(first, other));
        }
    }

    /// The classes, by their smallest elements; the elements of each ascending.
    pub fn classes(&mut self) -> Vec<Vec<I>> {
        let mut classes: IndexVec<I, Vec<I>> = IndexVec::filled(Vec::new(), self.parent.len());
        for element in self.parent.ids() {
            let root = self.find(element);
            classes[root].push(element);
        }
        classes.into_vec().into_iter().filter(|class| !class.is_empty()).collect()
    }
}
