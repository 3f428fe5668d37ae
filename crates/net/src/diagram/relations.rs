//! A net by relations: one box for all propositions of a name, and an arrow where one of a relation's
//! propositions reads, through unnamed gates only, one of another's.
//!
//! If the parts of a game are shown, each part has boxes of its own. Only the largest relations of a
//! kind get boxes. Smaller ones share a box, or, if they are views, are looked through like unnamed
//! gates. A word leaves only the relations that have it in their name, and their neighbours.

use std::cmp::Reverse;

use gambol_index::{Id, IndexVec, define_id};
use rustc_hash::FxHashMap;

use super::parts::parts_of_gates;
use super::{Diagram, Edge, Node, NodeId, PartColours, Shape};
use crate::{FluentId, Gate, GateId, Move, MoveId, Net, ViewGate};

define_id! {
    /// All propositions of one kind and name.
    struct GroupId;
}

/// How many relations of a kind get boxes of their own.
const LARGEST: usize = 40;

pub(super) fn relations(net: &Net, parts: Option<&PartColours>, word: Option<&str>) -> Diagram {
    let groups = Groups::of(net, parts);
    let readings = groups.readings(net);
    let diagram = groups.draw(&readings);
    match word.map(str::trim).filter(|word| !word.is_empty()) {
        Some(word) => diagram.around_names(&word.to_lowercase()),
        None => diagram,
    }
}

impl Diagram {
    /// Only the nodes whose name contains the word, and those that an edge connects with them.
    fn around_names(&self, word: &str) -> Self {
        let named = |node: NodeId| self.nodes[node].label.to_lowercase().contains(word);
        let touches = |edge: &&Edge| named(edge.from) || named(edge.to);
        let lists = [&self.edges, &self.back, &self.feedback];
        let [edges, back, feedback] =
            lists.map(|list| list.iter().filter(touches).copied().collect::<Vec<Edge>>());
        let mut kept: IndexVec<NodeId, Option<NodeId>> = IndexVec::filled(None, self.nodes.len());
        let mut diagram = Self::default();
        let connected = edges.iter().chain(&back).chain(&feedback);
        let mut wanted: Vec<NodeId> = connected.flat_map(|edge| [edge.from, edge.to]).collect();
        wanted.extend(self.nodes.ids().filter(|&node| named(node)));
        wanted.sort_unstable();
        wanted.dedup();
        for node in wanted {
            kept[node] = Some(diagram.nodes.push(self.nodes[node].clone()));
        }
        let moved = |edge: Edge| Some(Edge { from: kept[edge.from]?, to: kept[edge.to]?, ..edge });
        diagram.edges = edges.into_iter().filter_map(moved).collect();
        diagram.back = back.into_iter().filter_map(moved).collect();
        diagram.feedback = feedback.into_iter().filter_map(moved).collect();
        diagram
    }
}

/// Propositions that share a box.
struct Group {
    shape: Shape,
    name: String,
    part: Option<u32>,
    count: u32,
}

#[derive(Default)]
struct Groups {
    groups: IndexVec<GroupId, Group>,
    known: FxHashMap<(u8, String, Option<u32>), GroupId>,
    of_fluent: IndexVec<FluentId, GroupId>,
    of_move: IndexVec<MoveId, GroupId>,
    /// The view a gate is known by.
    of_gate: IndexVec<GateId, Option<GroupId>>,
    /// The part of each gate; empty if no parts are shown.
    parts: Vec<Option<u32>>,
    /// Who looks at which gate.
    roots: Vec<(GroupId, GateId)>,
}

impl Groups {
    fn of(net: &Net, parts: Option<&PartColours>) -> Self {
        let mut groups = Self {
            of_gate: IndexVec::filled(None, net.gate_count()),
            parts: parts.map_or_else(Vec::new, |parts| parts_of_gates(net, parts)),
            ..Self::default()
        };
        groups.propositions(net, parts);
        groups.views(net);
        groups.answers(net);
        groups
    }

    fn propositions(&mut self, net: &Net, parts: Option<&PartColours>) {
        let fluents = Largest::of(net.fluents.iter().map(|name| functor(name).to_string()));
        for (fluent, name) in net.fluents.iter_ids() {
            let name = fluents.name(functor(name)).to_string();
            let part = parts.and_then(|parts| parts.fluents.get(fluent).copied().flatten());
            let group = self.member(Shape::Base, name, part);
            self.of_fluent.push(group);
        }
        let name = |action: &Move| format!("{} {}", net.roles[action.role], functor(&action.name));
        let moves = Largest::of(net.moves.iter().map(name));
        for (id, action) in net.moves.iter_ids() {
            let part = parts.and_then(|parts| parts.moves.get(id).copied().flatten());
            let group = self.member(Shape::Input, moves.name(&name(action)).to_string(), part);
            self.of_move.push(group);
        }
    }

    fn views(&mut self, net: &Net) {
        let relation = |view: &ViewGate| net.names.symbols().text(view.atom.relation);
        let named = Largest::of(net.views.iter().map(|view| relation(view).to_string()));
        for view in net.views.iter().filter(|view| named.contains(relation(view))) {
            let group = self.root(Shape::View, relation(view).to_string(), view.gate);
            if net.kind[view.gate].is_logic() {
                self.of_gate[view.gate].get_or_insert(group);
            }
        }
    }

    fn answers(&mut self, net: &Net) {
        for (action, &gate) in net.legal.iter_ids() {
            self.root(Shape::Answer, format!("legal {}", net.roles[net.moves[action].role]), gate);
        }
        self.root(Shape::Answer, "terminal".to_string(), net.terminal);
        for goal in &net.goals {
            self.root(Shape::Answer, format!("goal {}", net.roles[goal.role]), goal.gate);
        }
        for seen in &net.percepts {
            self.root(Shape::Answer, format!("{} sees", net.roles[seen.role]), seen.gate);
        }
        for (fluent, &gate) in net.next.iter_ids() {
            let Group { name, part, .. } = &self.groups[self.of_fluent[fluent]];
            let group = self.member(Shape::Transition, format!("next {name}"), *part);
            self.roots.push((group, gate));
        }
    }

    fn root(&mut self, shape: Shape, name: String, gate: GateId) -> GroupId {
        let part = self.parts.get(gate.index()).copied().flatten();
        let group = self.member(shape, name, part);
        self.roots.push((group, gate));
        group
    }

    fn member(&mut self, shape: Shape, name: String, part: Option<u32>) -> GroupId {
        let groups = &mut self.groups;
        let known = self.known.entry((shape as u8, name, part));
        let name = known.key().1.clone();
        let group = *known.or_insert_with(|| groups.push(Group { shape, name, part, count: 0 }));
        groups[group].count += 1;
        group
    }

    /// For each pair of groups, how many propositions of the second read the first.
    fn readings(&self, net: &Net) -> Vec<(GroupId, GroupId, u32)> {
        let mut readings = Vec::new();
        let mut counted = FxHashMap::default();
        for first in (0..self.groups.len()).step_by(64) {
            let sources = self.sources(net, first);
            for &(group, gate) in &self.roots {
                // A view's own gate is named after it; look behind the name.
                let own = self.of_gate[gate] == Some(group);
                let seen =
                    if own { self.behind(net, gate, first, &sources) } else { sources[gate] };
                let mut bits = seen;
                while bits != 0 {
                    let source = GroupId::from_index(first + bits.trailing_zeros() as usize);
                    *counted.entry((source, group)).or_insert(0u32) += 1;
                    bits &= bits - 1;
                }
            }
        }
        readings.extend(counted.into_iter().map(|((from, to), count)| (from, to, count)));
        readings.sort_unstable();
        readings
    }

    /// For each gate, which of the 64 groups from `first` on it reads.
    fn sources(&self, net: &Net, first: usize) -> IndexVec<GateId, u64> {
        let mut sources: IndexVec<GateId, u64> = IndexVec::filled(0, net.gate_count());
        let mut gate = 0;
        while (gate as usize) < net.gate_count() {
            let cycle = net.cycle_of(GateId::new(gate));
            let range = cycle.map_or(gate..gate + 1, |cycle| net.cycles[cycle].clone());
            // A few sweeps reach everything in any cycle a picture could show.
            for _ in 0..if cycle.is_some() { 16 } else { 1 } {
                for id in range.clone().map(GateId::new) {
                    sources[id] = match self.of_gate[id] {
                        Some(group) => bit(group, first),
                        None => self.behind(net, id, first, &sources),
                    };
                }
            }
            gate = range.end;
        }
        sources
    }

    fn behind(&self, net: &Net, id: GateId, first: usize, sources: &IndexVec<GateId, u64>) -> u64 {
        match net.gate(id) {
            Gate::Constant(_) => 0,
            Gate::Fluent(fluent) => bit(self.of_fluent[fluent], first),
            Gate::Does(action) => bit(self.of_move[action], first),
            Gate::And(_) | Gate::Or(_) | Gate::Not(_) => {
                net.inputs_of(id).iter().fold(0, |bits, &input| bits | sources[input])
            }
        }
    }

    fn draw(&self, readings: &[(GroupId, GroupId, u32)]) -> Diagram {
        let mut diagram = Diagram::default();
        for group in &self.groups {
            diagram.nodes.push(group.node());
        }
        let levels = self.levels(readings);
        for &(from, to, weight) in readings {
            let edge =
                Edge { from: NodeId::new(from.number()), to: NodeId::new(to.number()), weight };
            if levels[from] < levels[to] {
                diagram.edges.push(edge)
            } else {
                diagram.back.push(edge)
            }
        }
        self.feed_back(&mut diagram);
        diagram
    }

    /// A place in line for each group such that few arrows point backwards: a group comes when all
    /// it reads has come; if recursion leaves none such, the one that waits for fewest.
    fn levels(&self, readings: &[(GroupId, GroupId, u32)]) -> IndexVec<GroupId, usize> {
        let mut waits: IndexVec<GroupId, usize> = IndexVec::filled(0, self.groups.len());
        let mut levels = IndexVec::filled(usize::MAX, self.groups.len());
        let others = || readings.iter().filter(|(from, to, _)| from != to);
        others().for_each(|&(_, to, _)| waits[to] += 1);
        for level in 0..self.groups.len() {
            let unplaced = self.groups.ids().filter(|&group| levels[group] == usize::MAX);
            let Some(group) = unplaced.min_by_key(|&group| waits[group]) else { break };
            levels[group] = level;
            others().filter(|(from, _, _)| *from == group).for_each(|&(_, to, _)| waits[to] -= 1);
        }
        levels
    }

    fn feed_back(&self, diagram: &mut Diagram) {
        let mut drawn = IndexVec::filled(false, self.groups.len());
        for &base in &self.of_fluent {
            if !std::mem::replace(&mut drawn[base], true) {
                let Group { name, part, .. } = &self.groups[base];
                let next = (Shape::Transition as u8, format!("next {name}"), *part);
                if let Some(next) = self.known.get(&next) {
                    let (from, to) = (NodeId::new(next.number()), NodeId::new(base.number()));
                    diagram.feedback.push(Edge { from, to, weight: 1 });
                }
            }
        }
    }
}

/// The names that occur most often.
struct Largest {
    names: Vec<String>,
}

impl Largest {
    fn of(names: impl Iterator<Item = String>) -> Self {
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        names.for_each(|name| *counts.entry(name).or_default() += 1);
        let mut names: Vec<(Reverse<u32>, String)> =
            counts.into_iter().map(|(name, count)| (Reverse(count), name)).collect();
        names.sort_unstable();
        let mut names: Vec<String> =
            names.into_iter().take(LARGEST).map(|(_, name)| name).collect();
        names.sort_unstable();
        Self { names }
    }

    fn contains(&self, name: &str) -> bool {
        self.names.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
    }

    fn name<'a>(&self, name: &'a str) -> &'a str {
        if self.contains(name) { name } else { "other" }
    }
}

impl Group {
    fn node(&self) -> Node {
        let Self { shape, name, part, count } = self;
        let what = match shape {
            Shape::Base => "base propositions",
            Shape::Input => "input propositions",
            Shape::Transition => "transitions",
            _ => "view propositions",
        };
        let place = part.map_or(String::new(), |part| format!(" of part {part}"));
        let short = part.map_or(String::new(), |part| format!(", part {part}"));
        Node {
            shape: *shape,
            label: name.clone(),
            note: format!("× {count}{short}"),
            title: format!("{name}: {count} {what}{place}"),
            value: None,
            part: *part,
            gate: None,
        }
    }
}

fn bit(group: GroupId, first: usize) -> u64 {
    let row = group.index().wrapping_sub(first);
    if row < 64 { 1 << row } else { 0 }
}

/// The name at the head of a term in prefix notation.
fn functor(term: &str) -> &str {
    let inner = term.strip_prefix('(').unwrap_or(term);
    inner.split([' ', ')']).next().unwrap_or(inner)
}
