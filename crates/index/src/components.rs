//! Strongly connected components of a graph over dense numbers, without recursion.
//!
//! Tarjan's algorithm with its own stack: a chain of fifty thousand rules is legal input and must
//! not overflow ours. Components come out in dependency order: every component after those it
//! points to.

/// Edges in one flat array: node `n` points to `targets[first[n]..first[n + 1]]`.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    first: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// A graph built from the successors of node 0, of node 1, and so on.
    pub fn from_successors<S: IntoIterator<Item = u32>>(
        nodes: impl IntoIterator<Item = S>,
    ) -> Self {
        let mut graph = Self { first: vec![0], targets: Vec::new() };
        for successors in nodes {
            graph.targets.extend(successors);
            graph.first.push(row_number(graph.targets.len()));
        }
        graph
    }

    /// A graph of `nodes` nodes built from edges in any order.
    pub fn from_edges(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let mut first = vec![0u32; nodes + 1];
        for &(from, _) in edges {
            first[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut cursor = first.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            let place = &mut cursor[from as usize];
            targets[*place as usize] = to;
            *place += 1;
        }
        Self { first, targets }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Whether the graph has no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a node points to.
    pub fn successors(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.first[node] as usize..self.first[node + 1] as usize]
    }
}

fn row_number(index: usize) -> u32 {
    u32::try_from(index).expect("a graph holds at most 2^32 edges")
}

/// The strongly connected components of a [`Graph`], dependencies first.
#[derive(Clone, Debug)]
pub struct Components {
    of_node: Vec<u32>,
    members: Vec<u32>,
    first: Vec<u32>,
}

impl Components {
    /// Finds the components.
    pub fn of(graph: &Graph) -> Self {
        let mut search = Search::new(graph.len());
        for root in 0..row_number(graph.len()) {
            if search.order[root as usize] == UNSEEN {
                search.explore(graph, root);
            }
        }
        search.found
    }

    /// The number of components.
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Whether there is no component.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The component a node belongs to.
    pub fn component_of(&self, node: u32) -> u32 {
        self.of_node[node as usize]
    }

    /// The nodes of one component.
    pub fn members(&self, component: u32) -> &[u32] {
        let component = component as usize;
        &self.members[self.first[component] as usize..self.first[component + 1] as usize]
    }

    /// The components, dependencies first.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..row_number(self.len())).map(|component| self.members(component))
    }

    /// Whether a component contains a cycle: several nodes, or one that points to itself.
    pub fn is_cyclic(&self, graph: &Graph, component: u32) -> bool {
        match self.members(component) {
            [node] => graph.successors(*node).contains(node),
            _ => true,
        }
    }
}

const UNSEEN: u32 = u32::MAX;

struct Search {
    order: Vec<u32>,
    low: Vec<u32>,
    seen: u32,
    open: Vec<u32>,
    /// The path from the root: a node and how many of its edges were followed.
    path: Vec<(u32, u32)>,
    found: Components,
}

impl Search {
    fn new(nodes: usize) -> Self {
        let found =
            Components { of_node: vec![UNSEEN; nodes], members: Vec::new(), first: vec![0] };
        Self {
            order: vec![UNSEEN; nodes],
            low: vec![0; nodes],
            seen: 0,
            open: Vec::new(),
            path: Vec::new(),
            found,
        }
    }

    fn explore(&mut self, graph: &Graph, root: u32) {
        self.enter(root);
        while let Some((node, followed)) = self.path.last_mut() {
            let node = *node;
            if let Some(&target) = graph.successors(node).get(*followed as usize) {
                *followed += 1;
                self.follow(node, target);
            } else {
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.seen;
        self.low[node as usize] = self.seen;
        self.seen += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn follow(&mut self, node: u32, target: u32) {
        if self.order[target as usize] == UNSEEN {
            self.enter(target);
        } else if self.found.of_node[target as usize] == UNSEEN {
            self.low[node as usize] = self.low[node as usize].min(self.order[target as usize]);
        }
    }

    fn leave(&mut self, node: u32) {
        self.path.pop();
        if let Some(&(parent, _)) = self.path.last() {
            self.low[parent as usize] = self.low[parent as usize].min(self.low[node as usize]);
        }
        if self.low[node as usize] == self.order[node as usize] {
            self.close(node);
        }
    }

    fn close(&mut self, root: u32) {
        let component = row_number(self.found.first.len() - 1);
        while let Some(node) = self.open.pop() {
            self.found.of_node[node as usize] = component;
            self.found.members.push(node);
            if node == root {
                break;
            }
        }
        self.found.first.push(row_number(self.found.members.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_one_component_and_comes_after_what_it_needs() {
        let graph = Graph::from_edges(4, &[(0, 1), (1, 2), (2, 0), (2, 3)]);
        let components = Components::of(&graph);
        let sizes: Vec<usize> = components.iter().map(<[u32]>::len).collect();
        assert_eq!(sizes, [1, 3]);
        assert_eq!(components.component_of(3), 0);
        assert!(components.is_cyclic(&graph, 1) && !components.is_cyclic(&graph, 0));
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let edges: Vec<(u32, u32)> = (0..200_000).map(|node| (node, node + 1)).collect();
        assert_eq!(Components::of(&Graph::from_edges(200_001, &edges)).len(), 200_001);
    }
}
