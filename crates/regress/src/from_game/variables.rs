//! Variables from fluents: of each group that excludes one another, which one is true.

use gambol_analysis::Shape;
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Net};
use rustc_hash::FxHashSet;

use crate::automaton::{Fact, FactPlace, NodeId, Variable};
use crate::cube::{Cube, Layout, ValueIndex, VariableId};

/// What a fluent is in the automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A value of a variable.
    Value(VariableId, ValueIndex),
    /// Always this.
    Constant(bool),
    /// The mark of a node.
    Marker(NodeId),
}

/// The variables of a game.
#[derive(Clone, Debug)]
pub(super) struct Variables {
    /// For each variable the fluent that each value represents; one value may represent none.
    groups: IndexVec<VariableId, Vec<Option<FluentId>>>,
    meanings: IndexVec<FluentId, Meaning>,
    names: IndexVec<VariableId, Variable>,
}

impl Variables {
    /// The largest groups first; what is in no group is on its own.
    pub(super) fn of(net: &Net, shape: &Shape, markers: &[FluentId]) -> Self {
        let mut meanings: IndexVec<FluentId, Option<Meaning>> =
            IndexVec::filled(None, net.fluents.len());
        for literal in &shape.constants {
            meanings[literal.fluent] = Some(Meaning::Constant(literal.holds));
        }
        for (node, &fluent) in markers.iter().enumerate() {
            meanings[fluent] = Some(Meaning::Marker(NodeId::from_index(node)));
        }
        let mut groups: IndexVec<VariableId, Vec<Option<FluentId>>> = IndexVec::new();
        let exclusive = &shape.exclusive;
        let open: Vec<&Vec<FluentId>> =
            exclusive.exactly_one.iter().chain(&exclusive.at_most_one).collect();
        while let Some((group, sure)) = largest(&open, exclusive.exactly_one.len(), &meanings) {
            let variable = VariableId::from_index(groups.len());
            for (value, &fluent) in group.iter().enumerate() {
                meanings[fluent] = Some(Meaning::Value(variable, value as ValueIndex));
            }
            let none = (!sure).then_some(None);
            groups.push(group.into_iter().map(Some).chain(none).collect());
        }
        for fluent in net.fluents.ids() {
            if meanings[fluent].is_none() {
                let variable = groups.push(vec![None, Some(fluent)]);
                meanings[fluent] = Some(Meaning::Value(variable, 1));
            }
        }
        let names = distinct(groups.iter().map(|group| named(net, group)).collect());
        let meanings = meanings.into_vec().into_iter().flatten().collect();
        Self { groups, meanings, names }
    }

    pub(super) fn layout(&self) -> Layout {
        Layout::new(self.groups.iter().map(|group| group.len() as ValueIndex).collect())
    }

    pub(super) fn named(&self) -> IndexVec<VariableId, Variable> {
        self.names.clone()
    }

    pub(super) fn meaning(&self, fluent: FluentId) -> Meaning {
        self.meanings[fluent]
    }

    /// The terms that can be true, and where they are.
    pub(super) fn facts(&self, net: &Net) -> Vec<Fact> {
        let place = |fluent| match self.meanings[fluent] {
            Meaning::Value(variable, value) => Some(FactPlace::Value(variable, value)),
            Meaning::Constant(holds) => holds.then_some(FactPlace::Always),
            Meaning::Marker(node) => Some(FactPlace::Node(node)),
        };
        let fact = |fluent| Some(Fact { term: net.fluents[fluent].clone(), place: place(fluent)? });
        net.fluents.ids().filter_map(fact).collect()
    }

    pub(super) fn groups(&self) -> &IndexVec<VariableId, Vec<Option<FluentId>>> {
        &self.groups
    }

    /// The state in which these fluents are true.
    pub(super) fn state(&self, fluents: &[FluentId]) -> Cube {
        let none =
            |group: &Vec<Option<FluentId>>| group.iter().position(Option::is_none).unwrap_or(0);
        let mut values: IndexVec<VariableId, ValueIndex> =
            self.groups.iter().map(|group| none(group) as ValueIndex).collect();
        for &fluent in fluents {
            if let Meaning::Value(variable, value) = self.meanings[fluent] {
                values[variable] = value;
            }
        }
        self.layout().state(&values)
    }

    /// The node of the first marker among these fluents.
    pub(super) fn node(&self, fluents: &[FluentId]) -> NodeId {
        let marker = fluents.iter().find_map(|&fluent| match self.meanings[fluent] {
            Meaning::Marker(node) => Some(node),
            _ => None,
        });
        marker.unwrap_or(NodeId::new(0))
    }

    pub(super) fn fluents(&self, node: NodeId, state: &Cube, layout: &Layout) -> Vec<FluentId> {
        let holds = |fluent: &FluentId| match self.meanings[*fluent] {
            Meaning::Value(variable, value) => layout.allows(state, variable, value),
            Meaning::Constant(holds) => holds,
            Meaning::Marker(marked) => marked == node,
        };
        self.meanings.ids().filter(holds).collect()
    }
}

/// The group with the most fluents that have no meaning yet, and whether one of them is always
/// true. The first `sure` groups are those of which exactly one is true.
fn largest(
    groups: &[&Vec<FluentId>],
    sure: usize,
    meanings: &IndexVec<FluentId, Option<Meaning>>,
) -> Option<(Vec<FluentId>, bool)> {
    let rest = |(place, group): (usize, &&Vec<FluentId>)| {
        let free: Vec<FluentId> =
            group.iter().copied().filter(|&fluent| meanings[fluent].is_none()).collect();
        let never = |fluent: &&FluentId| meanings[**fluent] == Some(Meaning::Constant(false));
        let whole = free.len() + group.iter().filter(never).count() == group.len();
        (free, whole && place < sure)
    };
    let sized = groups.iter().enumerate().map(rest).filter(|(free, _)| free.len() > 1);
    // Of equal ones the first; one that is always true saves a value.
    sized
        .enumerate()
        .max_by_key(|(place, (free, sure))| (free.len(), *sure, std::cmp::Reverse(*place)))
        .map(|(_, group)| group)
}

/// The same variables with names of which no two are equal.
fn distinct(mut variables: IndexVec<VariableId, Variable>) -> IndexVec<VariableId, Variable> {
    let mut taken = FxHashSet::default();
    for variable in variables.iter_mut() {
        while !taken.insert(variable.name.clone()) {
            variable.name = format!("{}'", variable.name).into();
        }
    }
    variables
}

/// A name for what the members have in common, and the part in which each differs.
fn named(net: &Net, group: &[Option<FluentId>]) -> Variable {
    let members: Vec<&str> = group.iter().flatten().map(|&fluent| &*net.fluents[fluent]).collect();
    if let [single] = members[..] {
        return Variable { name: single.into(), values: vec!["no".into(), "yes".into()] };
    }
    let none = || -> Box<str> { "none".into() };
    let (name, differing) = common(&members).unwrap_or_else(|| {
        (format!("{}...", members[0]), members.iter().map(ToString::to_string).collect())
    });
    let mut parts = differing.into_iter();
    let values = group.iter().map(|fluent| match fluent {
        Some(_) => parts.next().unwrap_or_default().into(),
        None => none(),
    });
    let mut values: Vec<Box<str>> = values.collect();
    // A game may call a value what we call the absence of one.
    let doubled = values.iter().filter(|value| **value == none()).count() > 1;
    if let Some(last) = values.last_mut().filter(|_| doubled) {
        *last = "(none)".into();
    }
    Variable { name: name.into(), values }
}

/// If the terms differ in one word only: the term with a question mark there, and the words.
fn common(members: &[&str]) -> Option<(String, Vec<String>)> {
    let words: Vec<Vec<&str>> = members.iter().map(|member| member.split(' ').collect()).collect();
    if words.iter().any(|other| other.len() != words[0].len()) {
        return None;
    }
    let differs = |place: &usize| words.iter().any(|other| other[*place] != words[0][*place]);
    let places: Vec<usize> = (0..words[0].len()).filter(differs).collect();
    let &[place] = places.as_slice() else { return None };
    let bare = |word: &str| word.trim_matches(|c| c == '(' || c == ')').to_string();
    let parts: Vec<String> = words.iter().map(|other| bare(other[place])).collect();
    let mut name = words[0].clone();
    let hole = words[0][place].replace(&bare(words[0][place]), "?");
    name[place] = &hole;
    let mut distinct = parts.clone();
    distinct.sort_unstable();
    distinct.dedup();
    (distinct.len() == parts.len()).then(|| (name.join(" "), parts))
}
