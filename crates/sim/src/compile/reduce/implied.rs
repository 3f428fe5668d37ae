//! A move that is done is legal.
//!
//! In a product that holds a move, every literal that the move's legality asks for anyway is
//! dropped, and a product that asks for the opposite of one can never hold.

use super::graph::AndGraph;
use super::literal::Literal;

/// How many conditions of a legality are looked at, and how deep.
const CONDITIONS: usize = 256;
const DEPTH: u32 = 6;

/// For each move, the literals its legality implies; filled when first asked for.
pub(crate) struct Implied {
    legal: Vec<Literal>,
    known: Vec<Option<Box<[Literal]>>>,
}

impl Implied {
    pub(crate) fn new(legal: Vec<Literal>) -> Self {
        let known = vec![None; legal.len()];
        Self { legal, known }
    }

    /// Drops what the moves of the product imply. Says no if the product can never hold.
    pub(crate) fn simplify(&mut self, graph: &AndGraph, product: &mut Vec<Literal>) -> bool {
        let done: Vec<u32> = product
            .iter()
            .filter(|literal| !literal.is_negated())
            .filter_map(|literal| graph.inputs.move_of(literal.node()))
            .collect();
        for action in done {
            let implied = self.of(graph, action);
            let has = |literal: Literal| implied.binary_search(&literal).is_ok();
            if product.iter().any(|&literal| has(!literal)) {
                return false;
            }
            product.retain(|&literal| !has(literal));
        }
        true
    }

    fn of(&mut self, graph: &AndGraph, action: u32) -> &[Literal] {
        let legal = self.legal[action as usize];
        self.known[action as usize].get_or_insert_with(|| conditions(graph, legal))
    }
}

/// The literals that must hold for a literal to hold, as far as conjunctions show them.
fn conditions(graph: &AndGraph, literal: Literal) -> Box<[Literal]> {
    let mut found = Vec::new();
    let mut open = vec![(literal, 0)];
    while let Some((literal, depth)) = open.pop() {
        // The constant true says nothing; a move that is never legal is never done.
        if literal.node() == 0 || found.len() >= CONDITIONS {
            continue;
        }
        found.push(literal);
        if !literal.is_negated() && depth < DEPTH {
            open.extend(graph.children(literal.node()).iter().map(|&child| (child, depth + 1)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::super::graph::InputCounts;
    use super::*;

    #[test]
    fn a_product_need_not_repeat_what_makes_its_move_legal() {
        let inputs = InputCounts { fluents: 3, moves: 1, variables: 0 };
        let [empty, mine, other] = [0, 1, 2].map(|fluent| inputs.fluent(fluent));
        let mut graph = AndGraph::new(inputs, None);
        let legal = graph.and(vec![empty, mine]);
        let mut implied = Implied::new(vec![legal]);
        let mut product = vec![empty, other, inputs.does(0)];
        assert!(implied.simplify(&graph, &mut product));
        assert_eq!(product, [other, inputs.does(0)]);
        assert!(!implied.simplify(&graph, &mut vec![!mine, inputs.does(0)]));
    }
}
