//! The conjunctions that given roots need, as plain sets of literals.
//!
//! A conjunction that occurs once, and not negated, in another is merged into it. Recursive
//! variables that are needed bring in their functions.

use smallvec::SmallVec;

use super::graph::{AndGraph, Input, InputCounts};
use super::literal::Literal;
use super::translate::{Translation, Variable};

/// The literals of one conjunction, sorted.
pub(crate) type Product = SmallVec<[Literal; 4]>;

/// A recursive variable that is needed: which, and the function it must equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeededVariable {
    pub(crate) variable: u32,
    pub(crate) function: Literal,
    pub(crate) component: u32,
}

/// Sets of literals; product `p` is node `p + 1 +` the number of inputs.
pub(crate) struct Products {
    pub(crate) inputs: InputCounts,
    pub(crate) products: Vec<Product>,
    pub(crate) outputs: Vec<Literal>,
    /// Sorted by component.
    pub(crate) variables: Vec<NeededVariable>,
}

impl Products {
    /// What the outputs need.
    pub(crate) fn of(translation: &Translation, outputs: &[Literal]) -> Self {
        let cone = Cone::of(&translation.graph, &translation.variables, outputs);
        cone.merge(&translation.graph, &translation.variables, outputs)
    }

    /// The node of the first product.
    pub(crate) fn base(&self) -> u32 {
        self.inputs.total() + 1
    }

    /// All literals something outside reads.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Literal> {
        let functions = self.variables.iter().map(|variable| variable.function);
        functions.chain(self.outputs.iter().copied())
    }
}

/// The nodes needed, children first, and how often each literal is read.
struct Cone {
    order: Vec<u32>,
    reads: Vec<u32>,
    variables: Vec<u32>,
}

impl Cone {
    fn of(graph: &AndGraph, variables: &[Variable], outputs: &[Literal]) -> Self {
        let mut cone =
            Self { order: Vec::new(), reads: vec![0; 2 * graph.node_count()], variables: vec![] };
        let mut seen = vec![false; graph.node_count()];
        for &output in outputs {
            cone.collect(graph, output, &mut seen);
        }
        let mut done = 0;
        while let Some(&variable) = cone.variables.get(done) {
            cone.collect(graph, variables[variable as usize].function, &mut seen);
            done += 1;
        }
        cone.variables.sort_unstable_by_key(|&v| (variables[v as usize].component, v));
        cone
    }

    /// Adds a root. Roots count twice, so that they are not merged away.
    fn collect(&mut self, graph: &AndGraph, root: Literal, seen: &mut [bool]) {
        self.reads[root.index()] += 2;
        let mut open = vec![(root.node(), false)];
        while let Some((node, finished)) = open.pop() {
            if finished {
                self.order.push(node);
                continue;
            }
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            if let Some(Input::Variable(variable)) = graph.inputs.input(node) {
                self.variables.push(variable);
            }
            if !graph.is_conjunction(node) {
                continue;
            }
            open.push((node, true));
            for &child in graph.children(node) {
                self.reads[child.index()] += 1;
                open.push((child.node(), false));
            }
        }
    }

    fn merge(self, graph: &AndGraph, variables: &[Variable], outputs: &[Literal]) -> Products {
        let base = graph.inputs.total() + 1;
        let mut products = Products {
            inputs: graph.inputs,
            products: Vec::new(),
            outputs: Vec::new(),
            variables: Vec::new(),
        };
        // Where each node went: a new node, or the place of a product that is to be merged.
        let mut place: Vec<u32> = (0..graph.node_count() as u32).collect();
        let mut merged: Vec<Product> = Vec::new();
        for &node in &self.order {
            let mut product = Product::new();
            for &child in graph.children(node) {
                if self.is_merged(graph, child) {
                    product.append(&mut merged[place[child.node() as usize] as usize]);
                } else {
                    product.push(moved(child, &place));
                }
            }
            product.sort_unstable();
            product.dedup();
            let list = if self.is_merged(graph, Literal::of(node)) {
                place[node as usize] = merged.len() as u32;
                &mut merged
            } else {
                place[node as usize] = base + products.products.len() as u32;
                &mut products.products
            };
            list.push(product);
        }
        products.outputs.extend(outputs.iter().map(|&output| moved(output, &place)));
        products.variables.extend(self.variables.iter().map(|&variable| {
            let Variable { function, component } = variables[variable as usize];
            NeededVariable { variable, function: moved(function, &place), component }
        }));
        products
    }

    fn is_merged(&self, graph: &AndGraph, literal: Literal) -> bool {
        !literal.is_negated()
            && graph.is_conjunction(literal.node())
            && self.reads[literal.index()] == 1
            && self.reads[(!literal).index()] == 0
    }
}

fn moved(literal: Literal, place: &[u32]) -> Literal {
    Literal::of(place[literal.node() as usize]).negate_if(literal.is_negated())
}
