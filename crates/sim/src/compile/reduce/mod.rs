//! From the gates of a net to few two-input gates.
//!
//! Steps, each in its own file: the source becomes conjunctions with complemented edges
//! ([`graph`]), sums are factored ([`factor`]), moves that are done imply their legality
//! ([`implied`]) and exclude one another ([`exactly_one`]), the conjunctions that a program needs are
//! cut out ([`products`]), pairs of literals are shared ([`sharing`]), and what is left is split into
//! two-input gates ([`binary`]).

pub(crate) mod binary;
mod exactly_one;
mod factor;
pub(crate) mod graph;
mod implied;
pub(crate) mod literal;
mod liveness;
pub(crate) mod products;
mod sharing;
pub(crate) mod translate;

use binary::{Gates, binarise};
use products::Products;
use translate::Translation;

/// The gates that compute some of the roots.
pub(crate) fn gates_for(translation: &Translation, roots: &[usize]) -> Gates {
    let outputs: Vec<_> = roots.iter().map(|&root| translation.roots[root]).collect();
    let mut products = Products::of(translation, &outputs);
    sharing::share_pairs(&mut products);
    binarise(products)
}
