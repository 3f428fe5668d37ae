//! Factoring: a sum of products becomes `literal · (quotient) + rest`.
//!
//! The literal that occurs in most products is divided out, the quotient is factored in turn, and
//! so on while some literal occurs twice. This is the largest single gain: the rules that carry a
//! fluent over to the next state, one per move that leaves it alone, become "true and not
//! destroyed".

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::AndGraph;
use super::literal::Literal;

/// Deeper quotients are left as they are; each level takes one literal off every product.
const QUOTIENT_DEPTH: u32 = 100;

/// The disjunction of products.
pub(crate) fn sum_of_products(graph: &mut AndGraph, products: Vec<Vec<Literal>>) -> Literal {
    factor(graph, products, 0)
}

fn factor(graph: &mut AndGraph, products: Vec<Vec<Literal>>, depth: u32) -> Literal {
    let mut products = normalise(products);
    absorb_singles(&mut products);
    if products.iter().any(Vec::is_empty) {
        return Literal::TRUE;
    }
    if products.len() < 2 || depth > QUOTIENT_DEPTH {
        return plain_sum(graph, products);
    }
    let mut common = take_common(&mut products);
    if !common.is_empty() {
        common.push(factor(graph, products, depth + 1));
        return graph.and(common);
    }
    let mut division = Division::new(graph, products);
    let mut terms = Vec::new();
    while let Some((divisor, quotient)) = division.divide() {
        let quotient = factor(graph, quotient, depth + 1);
        terms.push(graph.and(vec![divisor, quotient]));
    }
    for rest in division.rest() {
        terms.push(graph.and(rest));
    }
    graph.or(terms)
}

/// Takes out the literals that all products share: one step instead of one per literal.
fn take_common(products: &mut [Vec<Literal>]) -> Vec<Literal> {
    let mut common =
        products.iter().min_by_key(|product| product.len()).cloned().unwrap_or_default();
    for product in products.iter() {
        common.retain(|literal| product.binary_search(literal).is_ok());
        if common.is_empty() {
            return common;
        }
    }
    for product in products {
        product.retain(|literal| common.binary_search(literal).is_err());
    }
    common
}

fn plain_sum(graph: &mut AndGraph, products: Vec<Vec<Literal>>) -> Literal {
    let terms = products.into_iter().map(|product| graph.and(product)).collect();
    graph.or(terms)
}

/// Sorts, and drops repetitions and products that can never hold.
fn normalise(mut products: Vec<Vec<Literal>>) -> Vec<Vec<Literal>> {
    for product in &mut products {
        product.sort_unstable();
        product.dedup();
        if product.first() == Some(&Literal::TRUE) {
            product.remove(0);
        }
    }
    let possible = |product: &Vec<Literal>| {
        product.first() != Some(&Literal::FALSE)
            && !product.windows(2).any(|pair| pair[0] == !pair[1])
    };
    products.retain(possible);
    products.sort_unstable();
    products.dedup();
    products
}

/// `a + a·b = a` and `a + ¬a·b = a + b`.
fn absorb_singles(products: &mut Vec<Vec<Literal>>) {
    let mut singles: Vec<Literal> =
        products.iter().filter(|product| product.len() == 1).map(|product| product[0]).collect();
    if singles.is_empty() {
        return;
    }
    singles.sort_unstable();
    let single = |literal: Literal| singles.binary_search(&literal).is_ok();
    products.retain(|product| product.len() == 1 || !product.iter().any(|&l| single(l)));
    for product in products.iter_mut().filter(|product| product.len() > 1) {
        product.retain(|&literal| !single(!literal));
    }
    if singles.iter().any(|&literal| single(!literal)) {
        products.push(Vec::new());
    }
}

/// Products being divided; occurrence counts are kept up to date, so that a whole factoring is
/// nearly linear in the number of literals.
struct Division {
    products: Vec<Vec<Literal>>,
    /// Literal `literals[i]` occurs in the products `places[i]`.
    literals: Vec<Literal>,
    places: Vec<Vec<u32>>,
    counts: Vec<u32>,
    /// Candidates; a count may be out of date and is checked when it comes up.
    heap: BinaryHeap<(u32, bool, Reverse<u32>)>,
}

impl Division {
    fn new(graph: &AndGraph, products: Vec<Vec<Literal>>) -> Self {
        let mut occurrences: Vec<(Literal, u32)> = Vec::new();
        for (place, product) in products.iter().enumerate().filter(|(_, p)| p.len() > 1) {
            occurrences.extend(product.iter().map(|&literal| (literal, place as u32)));
        }
        occurrences.sort_unstable();
        let mut division = Self {
            products,
            literals: Vec::new(),
            places: Vec::new(),
            counts: Vec::new(),
            heap: BinaryHeap::new(),
        };
        for group in occurrences.chunk_by(|a, b| a.0 == b.0) {
            division.add(graph, group);
        }
        division
    }

    fn add(&mut self, graph: &AndGraph, group: &[(Literal, u32)]) {
        let literal = group[0].0;
        let index = self.literals.len() as u32;
        self.literals.push(literal);
        self.places.push(group.iter().map(|&(_, place)| place).collect());
        self.counts.push(group.len() as u32);
        if group.len() > 1 {
            // On a tie a condition on the state goes first: it is shared with other fluents.
            self.heap.push((group.len() as u32, !graph.is_does(literal), Reverse(index)));
        }
    }

    /// Takes out the most frequent literal and the products that contain it, without it.
    fn divide(&mut self) -> Option<(Literal, Vec<Vec<Literal>>)> {
        let index = self.most_frequent()?;
        let divisor = self.literals[index];
        let mut quotient = Vec::new();
        for place in std::mem::take(&mut self.places[index]) {
            let mut product = std::mem::take(&mut self.products[place as usize]);
            if product.is_empty() {
                continue;
            }
            for literal in &product {
                let literal = self.literals.binary_search(literal);
                self.counts[literal.expect("every literal of a product was counted")] -= 1;
            }
            product.retain(|&literal| literal != divisor);
            quotient.push(product);
        }
        Some((divisor, quotient))
    }

    fn most_frequent(&mut self) -> Option<usize> {
        while let Some((count, preference, Reverse(index))) = self.heap.pop() {
            let current = self.counts[index as usize];
            if current == count {
                return Some(index as usize);
            }
            if current > 1 {
                self.heap.push((current, preference, Reverse(index)));
            }
        }
        None
    }

    /// The products that share nothing.
    fn rest(self) -> impl Iterator<Item = Vec<Literal>> {
        self.products.into_iter().filter(|product| !product.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::InputCounts;
    use super::*;

    fn fluents<const N: usize>() -> (AndGraph, [Literal; N]) {
        let inputs = InputCounts { fluents: N as u32, moves: 0, variables: 0 };
        let literals = std::array::from_fn(|fluent| inputs.fluent(fluent as u32));
        (AndGraph::new(inputs, None), literals)
    }

    #[test]
    fn a_common_literal_is_divided_out() {
        let (mut graph, [on, a, b, c]) = fluents();
        let sum = sum_of_products(&mut graph, vec![vec![on, !a], vec![on, !b], vec![on, !c]]);
        let any = graph.or(vec![!a, !b, !c]);
        assert_eq!(sum, graph.and(vec![on, any]));
    }

    #[test]
    fn a_shorter_product_absorbs_a_longer_one() {
        let (mut graph, [a, b]) = fluents();
        assert_eq!(sum_of_products(&mut graph, vec![vec![a], vec![a, b]]), a);
        let either = graph.or(vec![a, b]);
        assert_eq!(sum_of_products(&mut graph, vec![vec![a], vec![!a, b]]), either);
        assert_eq!(sum_of_products(&mut graph, vec![vec![a], vec![!a]]), Literal::TRUE);
        assert_eq!(sum_of_products(&mut graph, vec![]), Literal::FALSE);
        assert_eq!(sum_of_products(&mut graph, vec![vec![a], vec![]]), Literal::TRUE);
    }
}
