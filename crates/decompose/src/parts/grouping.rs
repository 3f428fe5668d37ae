//! Families of useless pieces: boards that nobody counts.
//!
//! On a board that no goal looks at nothing ties the squares together. They are put together as on
//! the board that counts: by the arguments that all its fluents share.

use gambol_net::{FluentId, Net};
use rustc_hash::FxHashMap;

use crate::partition::Partition;
use crate::variables::term::Term;

/// A kind of fluents with the arguments that they share.
type Board = Vec<(String, usize, Vec<String>)>;

/// Joins useless parts that belong to one board. Parts are given by number and fluents.
pub(crate) fn join_families(
    net: &Net,
    useful: &[(u32, Vec<FluentId>)],
    useless: &[(u32, Vec<FluentId>)],
    parts: &mut Partition,
) {
    let models = shared_places(net, useful);
    let mut boards: FxHashMap<Board, Vec<u32>> = FxHashMap::default();
    for (part, fluents) in useless {
        boards.entry(board(net, fluents, &models)).or_default().push(*part);
    }
    let mut boards: Vec<Vec<u32>> = boards.into_values().collect();
    boards.sort_unstable();
    for board in boards {
        parts.join_all(board);
    }
}

/// For each kind of fluent, the places of the arguments that are the same all over a useful part.
fn shared_places(
    net: &Net,
    useful: &[(u32, Vec<FluentId>)],
) -> FxHashMap<(String, usize), Vec<usize>> {
    let mut models = FxHashMap::default();
    for (_, fluents) in useful {
        let mut kinds: FxHashMap<(String, usize), Vec<Term>> = FxHashMap::default();
        for &fluent in fluents {
            let term = Term::read(&net.fluents[fluent]);
            kinds.entry((term.function.clone(), term.arguments.len())).or_default().push(term);
        }
        models.extend(kinds.into_iter().map(|(kind, terms)| {
            let shared = (0..kind.1).filter(|&place| {
                terms.iter().all(|t| t.arguments[place] == terms[0].arguments[place])
            });
            (kind, shared.collect())
        }));
    }
    models
}

/// What names the board that fluents belong to: their kinds, with the shared arguments.
fn board(
    net: &Net,
    fluents: &[FluentId],
    models: &FxHashMap<(String, usize), Vec<usize>>,
) -> Board {
    let mut names: Board = fluents
        .iter()
        .map(|&fluent| {
            let term = Term::read(&net.fluents[fluent]);
            let kind = (term.function, term.arguments.len());
            let shared = models.get(&kind).map(Vec::as_slice).unwrap_or_default();
            let arguments = shared.iter().map(|&place| term.arguments[place].clone()).collect();
            (kind.0, kind.1, arguments)
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
