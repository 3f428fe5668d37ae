//! Pair sharing: two literals that occur together in several products become a product of their
//! own, the most frequent pair first.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use super::literal::Literal;
use super::products::{Product, Products};

/// In wider products only pairs of near neighbours count: all pairs would be quadratic. The limit is
/// lowered until there are few enough pairs.
const WIDE: usize = 48;
const NEIGHBOURS: usize = 6;
const MOST_PAIRS: usize = 20_000_000;
/// Literals that may be looked at in all, so that a huge net stays affordable: about a second.
const EFFORT: usize = 60_000_000;
/// What taking a candidate from the heap costs, in literals looked at.
const CANDIDATE: usize = 20;

type Pair = (Literal, Literal);

/// Extracts shared pairs until no pair occurs twice.
pub(crate) fn share_pairs(products: &mut Products) {
    let base = products.base();
    let mut sharing = Sharing::new(&mut products.products, base);
    while sharing.effort < EFFORT
        && let Some((count, pair)) = sharing.candidates.pop()
    {
        sharing.effort += CANDIDATE;
        let current = sharing.counts.get(&pair).copied().unwrap_or(0);
        if current >= count {
            sharing.extract(pair);
        } else if current > 1 {
            sharing.candidates.push(current, pair);
        }
    }
}

/// How long products may be for all their pairs to be counted.
fn widest_affordable(products: &[Product]) -> usize {
    let pairs = |wide: usize| {
        let narrow = products.iter().map(|product| product.len()).filter(|&len| len <= wide);
        narrow.map(|len| len * len / 2).sum::<usize>()
    };
    let mut wide = WIDE;
    while wide > NEIGHBOURS && pairs(wide) > MOST_PAIRS {
        wide -= NEIGHBOURS;
    }
    wide
}

/// Pairs by how often they occur. There are few different counts and millions of pairs, so that a
/// list for each count beats a heap.
#[derive(Default)]
struct Candidates {
    by_count: BTreeMap<u32, Vec<Pair>>,
}

impl Candidates {
    fn of(counts: &FxHashMap<Pair, u32>) -> Self {
        let mut candidates = Self::default();
        let mut shared: Vec<_> = counts.iter().filter(|&(_, &count)| count > 1).collect();
        // The last of a list is taken first; which one that is must not depend on hashing.
        shared.sort_unstable_by(|a, b| b.cmp(a));
        for (&pair, &count) in shared {
            candidates.push(count, pair);
        }
        candidates
    }

    fn push(&mut self, count: u32, pair: Pair) {
        self.by_count.entry(count).or_default().push(pair);
    }

    /// One of the most frequent pairs.
    fn pop(&mut self) -> Option<(u32, Pair)> {
        let mut most = self.by_count.last_entry()?;
        let (count, pair) = (*most.key(), most.get_mut().pop());
        if most.get().is_empty() {
            most.remove();
        }
        pair.map(|pair| (count, pair))
    }
}

struct Sharing<'a> {
    products: &'a mut Vec<Product>,
    base: u32,
    wide: usize,
    counts: FxHashMap<Pair, u32>,
    /// Candidates; a count may be out of date and is checked when it comes up.
    candidates: Candidates,
    /// The products that hold a literal; may name some that no longer do.
    holders: Vec<Vec<u32>>,
    /// Literals looked at so far.
    effort: usize,
}

impl<'a> Sharing<'a> {
    fn new(products: &'a mut Vec<Product>, base: u32) -> Self {
        let literals = 2 * (base as usize + products.len());
        let mut holders = vec![Vec::new(); literals];
        let mut counts = FxHashMap::default();
        let wide = widest_affordable(products);
        for (place, product) in products.iter().enumerate() {
            for (index, &literal) in product.iter().enumerate() {
                holders[literal.index()].push(place as u32);
                let reach = if product.len() <= wide { product.len() } else { NEIGHBOURS };
                for &other in product[index + 1..].iter().take(reach) {
                    *counts.entry((literal, other)).or_insert(0) += 1;
                }
            }
        }
        let candidates = Candidates::of(&counts);
        Self { products, base, wide, counts, candidates, holders, effort: 0 }
    }

    fn extract(&mut self, pair: Pair) {
        let holders = self.holders_of(pair);
        self.effort += holders.len();
        self.counts.remove(&pair);
        if holders.len() < 2 {
            return;
        }
        let is_pair = |&place: &u32| self.products[place as usize].len() == 2;
        let place = match holders.iter().copied().find(is_pair) {
            Some(place) => place,
            None => self.push(pair),
        };
        let literal = Literal::of(self.base + place);
        for holder in holders {
            if self.products[holder as usize].len() > 2 {
                self.replace(holder, pair, literal);
            }
        }
    }

    fn holders_of(&self, (a, b): Pair) -> Vec<u32> {
        let (of_a, of_b) = (&self.holders[a.index()], &self.holders[b.index()]);
        let fewer = if of_a.len() < of_b.len() { of_a } else { of_b };
        let holds =
            |place: u32, literal| self.products[place as usize].binary_search(&literal).is_ok();
        let mut places: Vec<u32> =
            fewer.iter().copied().filter(|&place| holds(place, a) && holds(place, b)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn push(&mut self, (a, b): Pair) -> u32 {
        let place = self.products.len() as u32;
        self.products.push(smallvec![a, b]);
        self.holders[a.index()].push(place);
        self.holders[b.index()].push(place);
        self.holders.push(Vec::new());
        self.holders.push(Vec::new());
        place
    }

    fn replace(&mut self, holder: u32, (a, b): Pair, literal: Literal) {
        let mut product = std::mem::take(&mut self.products[holder as usize]);
        let was_wide = product.len() > self.wide;
        self.effort += product.len();
        product.retain(|&mut other| other != a && other != b);
        if was_wide {
            // Neighbours of a new node are as good as any: it has no place of its own yet.
            for &other in product.iter().rev().take(NEIGHBOURS) {
                self.count_up(literal, other);
            }
        } else {
            for &other in &product {
                self.count_down(a, other);
                self.count_down(b, other);
                self.count_up(literal, other);
            }
        }
        let place = product.partition_point(|&other| other < literal);
        product.insert(place, literal);
        self.holders[literal.index()].push(holder);
        self.products[holder as usize] = product;
    }

    fn count_up(&mut self, a: Literal, b: Literal) {
        let pair = (a.min(b), a.max(b));
        let count = self.counts.entry(pair).or_insert(0);
        *count += 1;
        // A candidate of twice the weight is worth looking at again; one more is not.
        if *count > 1 && count.is_power_of_two() {
            self.candidates.push(*count, pair);
        }
    }

    fn count_down(&mut self, a: Literal, b: Literal) {
        if let Some(count) = self.counts.get_mut(&(a.min(b), a.max(b))) {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::InputCounts;
    use super::*;

    #[test]
    fn a_pair_in_three_products_is_made_once() {
        let inputs = InputCounts { fluents: 5, moves: 0, variables: 0 };
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|fluent| inputs.fluent(fluent));
        let sets: Vec<Product> =
            vec![smallvec![a, b, c], smallvec![a, b, d], smallvec![a, b, !c, e]];
        let outputs = [6, 7, 8].map(Literal::of).to_vec();
        let mut products = Products { inputs, products: sets, outputs, variables: vec![] };
        share_pairs(&mut products);
        let shared = Literal::of(9);
        let expected: Vec<Product> = vec![
            smallvec![c, shared],
            smallvec![d, shared],
            smallvec![!c, e, shared],
            smallvec![a, b],
        ];
        assert_eq!(products.products, expected);
    }
}
