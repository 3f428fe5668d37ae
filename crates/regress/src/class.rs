//! Classes: sets of states of equal value, each with the transition that attains it.
//!
//! A class (q, g, o, ψ, Φ, t*) says: at node q, wherever group g is the first with a guard that
//! holds, every state in ψ and in no cube of Φ is worth o, and t* leads there. That no guard of a
//! group above g holds is understood and not repeated in Φ.

use gambol_index::{Id, IndexVec, define_id};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::automaton::{Automaton, NodeId, TransitionId};
use crate::cube::{Cube, Layout, VariableId};
use crate::value::Value;

define_id! {
    /// A list of classes: those of one node and one group.
    pub struct ListId;
    /// A cube that some class excludes.
    pub struct ExclusionId;
}

/// A class, in the list of its node and group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// What its states are worth.
    pub value: Value,
    /// ψ: what must hold.
    pub condition: Cube,
    /// Φ: none of which may hold.
    pub exclusions: Box<[ExclusionId]>,
    /// t*: what to do; `None` if nothing can be done.
    pub transition: Option<TransitionId>,
}

/// Where a class stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ClassRef {
    /// Its list.
    pub list: ListId,
    /// Its place there.
    pub place: u32,
}

/// The classes of one node and group, with an index.
///
/// For each variable and value there is a bitmap over the classes that allow it: the classes whose
/// ψ a state satisfies are the AND of one bitmap per variable.
#[derive(Clone, Debug)]
pub(crate) struct ClassList {
    pub(crate) classes: Vec<Class>,
    rows: Vec<Vec<u64>>,
    /// The variables, those first that tell most classes apart.
    order: Vec<VariableId>,
    order_made_at: usize,
}

/// How many words of a bitmap are combined at once.
const CHUNK: usize = 8;

impl ClassList {
    fn new(rows: usize, layout: &Layout) -> Self {
        let rows = vec![Vec::new(); rows];
        Self { classes: Vec::new(), rows, order: layout.variables().collect(), order_made_at: 64 }
    }

    fn push(&mut self, class: Class, store: &Rows, layout: &Layout) {
        let place = self.classes.len();
        if place.is_multiple_of(64 * CHUNK) {
            self.rows.iter_mut().for_each(|row| row.resize(row.len() + CHUNK, 0));
        }
        for variable in layout.variables() {
            for value in layout.values(&class.condition, variable) {
                self.rows[store.row(variable, value)][place / 64] |= 1 << (place % 64);
            }
        }
        self.classes.push(class);
        if self.classes.len() >= 2 * self.order_made_at {
            self.order_made_at = self.classes.len();
            self.reorder(store, layout);
        }
    }

    fn reorder(&mut self, store: &Rows, layout: &Layout) {
        let ones = |variable: VariableId| -> u64 {
            let rows =
                (0..layout.size(variable)).map(|value| &self.rows[store.row(variable, value)]);
            let ones: u64 = rows.flatten().map(|word| u64::from(word.count_ones())).sum();
            ones * 1000 / u64::from(layout.size(variable)).max(1)
        };
        let mut keyed: Vec<(u64, VariableId)> =
            layout.variables().map(|variable| (ones(variable), variable)).collect();
        keyed.sort_unstable();
        self.order = keyed.into_iter().map(|(_, variable)| variable).collect();
    }
}

/// The number of a variable's value among all values of all variables.
#[derive(Clone, Debug)]
struct Rows(IndexVec<VariableId, u32>, u32);

impl Rows {
    fn of(layout: &Layout) -> Self {
        let mut next = 0;
        let mut first = |variable| {
            let first = next;
            next += u32::from(layout.size(variable));
            first
        };
        let firsts = layout.variables().map(&mut first).collect();
        Self(firsts, next)
    }

    #[inline]
    fn row(&self, variable: VariableId, value: u16) -> usize {
        (self.0[variable] + u32::from(value)) as usize
    }
}

/// All classes of an automaton.
#[derive(Clone, Debug)]
pub struct ClassStore {
    lists: IndexVec<ListId, ClassList>,
    /// The first list of each node; group `g` is the `g`-th from there, and one more for states at
    /// which nothing can be done.
    first_list: IndexVec<NodeId, ListId>,
    exclusions: IndexSet<Cube, FxBuildHasher>,
    rows: Rows,
    layout: Layout,
    count: usize,
    links: usize,
}

impl ClassStore {
    /// A store without classes.
    pub fn new(automaton: &Automaton) -> Self {
        let layout = automaton.layout.clone();
        let rows = Rows::of(&layout);
        let (mut lists, mut first_list) = (IndexVec::new(), IndexVec::new());
        for node in automaton.nodes.ids() {
            first_list.push(ListId::from_index(lists.len()));
            for _ in 0..=automaton.group_count(node) {
                lists.push(ClassList::new(rows.1 as usize, &layout));
            }
        }
        let exclusions = IndexSet::default();
        Self { lists, first_list, exclusions, rows, layout, count: 0, links: 0 }
    }

    /// The list of a node's group.
    #[inline]
    pub fn list(&self, node: NodeId, group: usize) -> ListId {
        ListId::from_index(self.first_list[node].index() + group)
    }

    /// The classes of a list.
    pub fn classes(&self, list: ListId) -> &[Class] {
        &self.lists[list].classes
    }

    /// One class.
    #[inline]
    pub fn class(&self, at: ClassRef) -> &Class {
        &self.lists[at.list].classes[at.place as usize]
    }

    /// An excluded cube.
    #[inline]
    pub fn exclusion(&self, id: ExclusionId) -> &Cube {
        &self.exclusions[id.index()]
    }

    /// The excluded cubes of a class.
    pub fn exclusions<'a>(&'a self, class: &'a Class) -> impl Iterator<Item = &'a Cube> + 'a {
        class.exclusions.iter().map(|&id| self.exclusion(id))
    }

    /// All excluded cubes, in the order of their ids.
    pub fn all_exclusions(&self) -> impl Iterator<Item = &Cube> {
        self.exclusions.iter()
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many different cubes are excluded somewhere.
    pub fn exclusion_count(&self) -> usize {
        self.exclusions.len()
    }

    /// The memory held, about.
    pub fn bytes(&self) -> usize {
        let words = self.layout.everything().words().len();
        let cube = size_of::<Cube>() + if words > 4 { words * 8 + 16 } else { 0 };
        let class = size_of::<Class>() + cube + self.rows.1 as usize / 8;
        self.count * class + self.links * 4 + self.exclusions.len() * (cube + 24)
    }

    /// The id of a cube among those that classes exclude.
    pub(crate) fn intern(&mut self, cube: Cube) -> ExclusionId {
        ExclusionId::from_index(self.exclusions.insert_full(cube).0)
    }

    /// Adds a class.
    pub fn push(
        &mut self,
        list: ListId,
        value: Value,
        condition: Cube,
        exclusions: Vec<Cube>,
        transition: Option<TransitionId>,
    ) -> ClassRef {
        let mut ids: Vec<ExclusionId> =
            exclusions.into_iter().map(|cube| self.intern(cube)).collect();
        ids.sort_unstable();
        let class = Class { value, condition, exclusions: ids.into(), transition };
        self.push_class(list, class)
    }

    fn push_class(&mut self, list: ListId, class: Class) -> ClassRef {
        let place = self.lists[list].classes.len() as u32;
        self.count += 1;
        self.links += class.exclusions.len();
        self.lists[list].push(class, &self.rows, &self.layout);
        ClassRef { list, place }
    }

    /// A class of a list that contains a state, the newest first.
    pub fn find(&self, list: ListId, state: &Cube) -> Option<ClassRef> {
        let entries = &self.lists[list];
        let row = |&variable: &VariableId| {
            &*entries.rows[self.rows.row(variable, self.layout.value(state, variable))]
        };
        let rows: Vec<&[u64]> = entries.order.iter().map(row).collect();
        let chunks = entries.classes.len().div_ceil(64 * CHUNK);
        for chunk in (0..chunks).rev() {
            let mut matching = [u64::MAX; CHUNK];
            if entries.order.is_empty() {
                matching = self.all_of(entries.classes.len(), chunk);
            }
            for row in &rows {
                let words = &row[chunk * CHUNK..(chunk + 1) * CHUNK];
                let mut any = 0;
                for (matching, word) in matching.iter_mut().zip(words) {
                    *matching &= word;
                    any |= *matching;
                }
                if any == 0 {
                    break;
                }
            }
            if let Some(place) = self.first_match(entries, state, chunk, &matching) {
                return Some(ClassRef { list, place });
            }
        }
        None
    }

    /// Without variables every class matches.
    fn all_of(&self, count: usize, chunk: usize) -> [u64; CHUNK] {
        let mut all = [0; CHUNK];
        for place in 0..count.saturating_sub(chunk * 64 * CHUNK).min(64 * CHUNK) {
            all[place / 64] |= 1 << (place % 64);
        }
        all
    }

    fn first_match(
        &self,
        entries: &ClassList,
        state: &Cube,
        chunk: usize,
        matching: &[u64; CHUNK],
    ) -> Option<u32> {
        for (word, &bits) in matching.iter().enumerate().rev() {
            let mut bits = bits;
            while bits != 0 {
                let bit = 63 - bits.leading_zeros() as usize;
                bits &= !(1 << bit);
                let place = (chunk * CHUNK + word) * 64 + bit;
                let class = &entries.classes[place];
                if !self.exclusions(class).any(|cube| state.is_within(cube)) {
                    return Some(place as u32);
                }
            }
        }
        None
    }

    /// How cubes are packed.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// All lists, in order.
    pub fn list_ids(&self) -> impl Iterator<Item = ListId> + use<> {
        self.lists.ids()
    }

    /// The node and group of a list.
    pub fn place_of(&self, list: ListId) -> (NodeId, usize) {
        let node = self.first_list.as_slice().partition_point(|&first| first <= list) - 1;
        let node = NodeId::from_index(node);
        (node, list.index() - self.first_list[node].index())
    }
}
