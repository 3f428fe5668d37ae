//! Columns: a node stands right of everything it reads, and an edge that crosses columns gets a
//! place in each of them.

use gambol_index::{IndexVec, define_id};

use crate::diagram::{Diagram, NodeId, Shape};

define_id! {
    /// A place in a column: a node, or where a long edge passes.
    pub(super) struct PlaceId;
}

/// Long edges get no places of their own beyond this many; they run straight instead.
const MOST_PLACES: usize = 20_000;

/// The places, column by column.
pub(super) struct Layers {
    /// The node at a place, if it is not just passed.
    pub(super) node: IndexVec<PlaceId, Option<NodeId>>,
    pub(super) column: IndexVec<PlaceId, usize>,
    pub(super) columns: Vec<Vec<PlaceId>>,
    /// For each edge of the diagram, the places it connects, from its start to its end.
    pub(super) paths: Vec<Vec<PlaceId>>,
}

impl Layers {
    pub(super) fn of(diagram: &Diagram) -> Self {
        let column_of = assign_columns(diagram);
        let count = column_of.iter().max().map_or(0, |last| last + 1);
        let mut layers = Self {
            node: IndexVec::new(),
            column: IndexVec::new(),
            columns: vec![Vec::new(); count],
            paths: Vec::new(),
        };
        for (node, &column) in column_of.iter_ids() {
            layers.add(Some(node), column);
        }
        layers.add_paths(diagram);
        layers
    }

    fn add(&mut self, node: Option<NodeId>, column: usize) -> PlaceId {
        let place = self.node.push(node);
        self.column.push(column);
        self.columns[column].push(place);
        place
    }

    /// Nodes were added first, so a node's place has the node's number.
    pub(super) fn place_of(node: NodeId) -> PlaceId {
        PlaceId::new(node.number())
    }

    fn add_paths(&mut self, diagram: &Diagram) {
        for edge in &diagram.edges {
            let (from, to) = (Self::place_of(edge.from), Self::place_of(edge.to));
            let mut path = vec![from];
            if self.node.len() < MOST_PLACES {
                let between = self.column[from] + 1..self.column[to];
                path.extend(between.map(|column| self.add(None, column)));
            }
            path.push(to);
            self.paths.push(path);
        }
    }

    /// Neighbouring places on an edge.
    pub(super) fn links(&self) -> impl Iterator<Item = (PlaceId, PlaceId)> {
        self.paths.iter().flat_map(|path| path.windows(2).map(|pair| (pair[0], pair[1])))
    }
}

/// The longest way to each node, in edges. Transitions are the last column.
fn assign_columns(diagram: &Diagram) -> IndexVec<NodeId, usize> {
    let mut column: IndexVec<NodeId, usize> = IndexVec::filled(0, diagram.nodes.len());
    let mut waits: IndexVec<NodeId, usize> = IndexVec::filled(0, diagram.nodes.len());
    let mut readers: IndexVec<NodeId, Vec<NodeId>> =
        IndexVec::filled(Vec::new(), diagram.nodes.len());
    for edge in &diagram.edges {
        waits[edge.to] += 1;
        readers[edge.from].push(edge.to);
    }
    let mut ready: Vec<NodeId> = diagram.nodes.ids().filter(|&node| waits[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &reader in &readers[node] {
            column[reader] = column[reader].max(column[node] + 1);
            waits[reader] -= 1;
            if waits[reader] == 0 {
                ready.push(reader);
            }
        }
    }
    move_to_the_right(diagram, &mut column);
    column
}

/// Transitions stand in the last column, and so do answers that read nothing.
fn move_to_the_right(diagram: &Diagram, column: &mut IndexVec<NodeId, usize>) {
    let last = column.iter().copied().max().unwrap_or(0).max(1);
    let mut reads = IndexVec::filled(false, diagram.nodes.len());
    diagram.edges.iter().for_each(|edge| reads[edge.to] = true);
    for (id, node) in diagram.nodes.iter_ids() {
        let constant = node.shape == Shape::Answer && !reads[id];
        if node.shape == Shape::Transition || constant {
            column[id] = last;
        }
    }
}
