//! The order of names: by number, by a chain of facts such as `(succ a b) (succ b c)`, or as the rules first name them.

use std::cmp::Ordering;

use gambol_syntax::{Rules, Symbols, Term};
use rustc_hash::FxHashMap;

/// What the rules say about the order of constants.
#[derive(Debug, Default)]
pub(crate) struct Orders<'a> {
    /// For each binary relation given by facts that form chains: the place of each constant.
    chains: Vec<FxHashMap<&'a str, usize>>,
    /// The names, in the order in which they first occur.
    symbols: Option<&'a Symbols>,
}

/// Where the order of some names comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// They are numbers, or a chain of facts orders them.
    Ordered,
    /// Only by where they first occur.
    Named,
}

impl<'a> Orders<'a> {
    /// Reads the facts.
    pub(crate) fn of(rules: &'a Rules) -> Self {
        let mut relations: Vec<(&str, Vec<(&str, &str)>)> = Vec::new();
        let mut place: FxHashMap<&str, usize> = FxHashMap::default();
        for clause in &rules.clauses {
            let [first, second] = clause.head.arguments.as_slice() else { continue };
            if !clause.body.is_empty() {
                continue;
            }
            let (Some(first), Some(second)) = (constant(rules, *first), constant(rules, *second))
            else {
                continue;
            };
            let name = rules.symbols.text(clause.head.relation);
            let at = *place.entry(name).or_insert_with(|| {
                relations.push((name, Vec::new()));
                relations.len() - 1
            });
            relations[at].1.push((first, second));
        }
        let chains = relations.iter().filter_map(|(_, pairs)| chain(pairs)).collect();
        Self { chains, symbols: Some(&rules.symbols) }
    }

    /// The names in order, and where the order comes from.
    pub(crate) fn sorted(&self, mut names: Vec<&'a str>) -> (Vec<&'a str>, Known) {
        names.sort_unstable_by(|one, other| by_number_then_spelling(one, other));
        names.dedup();
        if names.iter().all(|name| name.parse::<i64>().is_ok()) {
            return (names, Known::Ordered);
        }
        let whole =
            |chain: &&FxHashMap<&str, usize>| names.iter().all(|name| chain.contains_key(name));
        match self.chains.iter().find(whole) {
            Some(chain) => {
                names.sort_by_key(|name| chain[name]);
                (names, Known::Ordered)
            }
            None => {
                let first = |name: &&str| self.symbols.and_then(|symbols| symbols.find(name));
                names.sort_by_key(|name| first(name));
                (names, Known::Named)
            }
        }
    }
}

fn constant(rules: &Rules, term: gambol_syntax::TermId) -> Option<&str> {
    match rules.term(term) {
        Term::Function(name, []) => Some(rules.symbols.text(name)),
        _ => None,
    }
}

/// The places along the chain, if every name has at most one before and one after it and there is
/// a first. Several chains of one relation are laid end to end.
fn chain<'a>(pairs: &[(&'a str, &'a str)]) -> Option<FxHashMap<&'a str, usize>> {
    let mut after: FxHashMap<&str, &str> = FxHashMap::default();
    let mut before: FxHashMap<&str, &str> = FxHashMap::default();
    for &(first, second) in pairs {
        let one_after = after.insert(first, second).is_none_or(|known| known == second);
        let one_before = before.insert(second, first).is_none_or(|known| known == first);
        if !one_after || !one_before {
            return None;
        }
    }
    let mut places = FxHashMap::default();
    for &(first, _) in pairs.iter().filter(|(first, _)| !before.contains_key(first)) {
        let mut name = first;
        while !places.contains_key(name) {
            places.insert(name, places.len());
            match after.get(name) {
                Some(next) => name = next,
                None => break,
            }
        }
    }
    (places.len() > pairs.len()).then_some(places)
}

fn by_number_then_spelling(one: &str, other: &str) -> Ordering {
    match (one.parse::<i64>(), other.parse::<i64>()) {
        (Ok(one), Ok(other)) => one.cmp(&other),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => one.cmp(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(facts: &str, names: &[&str], expected: &[&str], known: Known) {
        let reading = gambol_syntax::read(facts.as_bytes(), &Default::default());
        let rules = reading.rules.expect("facts are rules");
        let orders = Orders::of(&rules);
        let names = names.iter().map(|name| &*name.to_string().leak()).collect();
        assert_eq!(orders.sorted(names), (expected.to_vec(), known));
    }

    #[test]
    fn numbers_are_ordered_as_numbers() {
        check("(role r)", &["10", "9", "1"], &["1", "9", "10"], Known::Ordered);
    }

    #[test]
    fn a_chain_of_facts_orders_words() {
        let facts = "(role r) (then zig ant) (then ant moss) (then moss bee)";
        check(
            facts,
            &["ant", "bee", "zig", "moss"],
            &["zig", "ant", "moss", "bee"],
            Known::Ordered,
        );
    }

    #[test]
    fn a_relation_that_branches_orders_nothing() {
        let facts = "(role r) (near a b) (near a c) (near b a)";
        check(facts, &["c", "b", "a"], &["a", "b", "c"], Known::Named);
    }

    #[test]
    fn a_ring_has_no_first() {
        check("(role r) (then b a) (then a b)", &["a", "b"], &["b", "a"], Known::Named);
    }
}
