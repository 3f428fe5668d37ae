//! Candidates for invariants: clauses that no state of the sample breaks.
//!
//! Constants; all clauses of two literals (two fluents that exclude one another, implications, one
//! of two); and "one of these" for groups of fluents, found in two ways: the fluents that differ in
//! some arguments only, and greedy cliques of fluents that exclude one another.

use gambol_index::Id;
use gambol_net::{FluentId, Net};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Literal;
use crate::literal::Clause;
use crate::sample::Sample;
use gambol_run::Deadline;

/// Clauses of two literals that are tried; more would cost more than they give.
const MOST_PAIRS: usize = 30_000;

/// Groups up to this size are tried before the others.
const SMALL_GROUP: usize = 16;

/// Clauses that hold in all states of the sample, in the order in which to try them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    /// One literal.
    pub(crate) constants: Vec<Clause>,
    /// Two fluents of a group of which one is true in every state of the sample.
    pub(crate) variables: Vec<Clause>,
    /// Two fluents of a small group that are never true together.
    pub(crate) close_siblings: Vec<Clause>,
    /// The same for large groups.
    pub(crate) siblings: Vec<Clause>,
    /// Two other fluents that are never true together.
    pub(crate) mutexes: Vec<Clause>,
    /// The other clauses of two literals.
    pub(crate) implications: Vec<Clause>,
    /// One of a group is true.
    pub(crate) groups: Vec<Clause>,
}

impl Candidates {
    pub(crate) fn of(net: &Net, sample: &Sample, deadline: &Deadline) -> Self {
        let mut found = Self::default();
        let mut varying = Vec::new();
        for fluent in net.fluents.ids() {
            match (sample.meets(Literal::is(fluent)), sample.meets(Literal::is_not(fluent))) {
                (true, true) => varying.push(fluent),
                (holds, _) => found.constants.push([Literal { fluent, holds }][..].into()),
            }
        }
        found.add_pairs(sample, &varying, deadline);
        found.add_groups(net, sample, &varying);
        found.set_siblings_apart(net, &varying);
        found
    }

    /// Small sets first: what is proved of them helps with the others.
    pub(crate) fn stages(self) -> [Vec<Clause>; 5] {
        let (small, large) =
            self.groups.into_iter().partition(|clause| clause.len() <= SMALL_GROUP);
        [
            [self.constants, self.variables, small].concat(),
            self.close_siblings,
            [self.siblings, large].concat(),
            self.mutexes,
            self.implications,
        ]
    }

    /// Groups of fluents that all exclude one another as far as the sample goes are the best bets.
    fn set_siblings_apart(&mut self, net: &Net, varying: &[FluentId]) {
        let known: FxHashSet<(FluentId, FluentId)> =
            self.mutexes.iter().map(|clause| (clause[0].fluent, clause[1].fluent)).collect();
        let whole: FxHashSet<&Clause> = self.groups.iter().collect();
        let [mut variables, mut close, mut siblings] = [(); 3].map(|()| FxHashSet::default());
        for mut group in groups_by_arguments(net, varying) {
            group.sort_unstable();
            let mut pairs = pairs_of(&group);
            if pairs.all(|pair| known.contains(&pair)) {
                let is_small = group.len() <= SMALL_GROUP;
                let is_variable = is_small && whole.contains(&one_of(&group));
                let list = match (is_variable, is_small) {
                    (true, _) => &mut variables,
                    (_, true) => &mut close,
                    _ => &mut siblings,
                };
                list.extend(pairs_of(&group));
            }
        }
        for clause in std::mem::take(&mut self.mutexes) {
            let pair = (clause[0].fluent, clause[1].fluent);
            let list = if variables.contains(&pair) {
                &mut self.variables
            } else if close.contains(&pair) {
                &mut self.close_siblings
            } else if siblings.contains(&pair) {
                &mut self.siblings
            } else {
                &mut self.mutexes
            };
            list.push(clause);
        }
    }

    fn add_pairs(&mut self, sample: &Sample, varying: &[FluentId], deadline: &Deadline) {
        for (place, &one) in varying.iter().enumerate() {
            if deadline.is_over() {
                return;
            }
            for &other in &varying[place + 1..] {
                self.add_pair(sample, one, other);
            }
        }
    }

    fn add_pair(&mut self, sample: &Sample, one: FluentId, other: FluentId) {
        let met = combinations(sample, one, other);
        for (number, met) in met.into_iter().enumerate() {
            let list = if number == 0 { &mut self.mutexes } else { &mut self.implications };
            if !met && list.len() < MOST_PAIRS {
                let (holds, other_holds) = (number & 1 == 1, number & 2 == 2);
                let clause =
                    [Literal { fluent: one, holds }, Literal { fluent: other, holds: other_holds }];
                list.push(clause[..].into());
            }
        }
    }

    fn add_groups(&mut self, net: &Net, sample: &Sample, varying: &[FluentId]) {
        let mut seen = FxHashSet::default();
        let mut groups = groups_by_arguments(net, varying);
        groups.extend(cliques(sample, varying, &self.mutexes));
        for mut group in groups {
            group.sort_unstable();
            let clause = one_of(&group);
            if clause.len() > 1 && !is_broken(sample, &clause) && seen.insert(clause.clone()) {
                self.groups.push(clause);
            }
        }
    }
}

/// Which of the combinations both true, second only, first only, none are met; so the clause that
/// forbids combination `n` has its first literal positive if bit 0 of `n` is set.
fn combinations(sample: &Sample, one: FluentId, other: FluentId) -> [bool; 4] {
    let (a, b) = (sample.now.row(one.index()), sample.now.row(other.index()));
    let mut met = [0u64; 4];
    for (word, (&a, &b)) in a.iter().zip(b).enumerate() {
        let mask = sample.now.mask(word);
        met[0] |= a & b;
        met[1] |= !a & b;
        met[2] |= a & !b;
        met[3] |= !a & !b & mask;
        if met.iter().all(|&bits| bits != 0) {
            break;
        }
    }
    met.map(|bits| bits != 0)
}

fn one_of(group: &[FluentId]) -> Clause {
    group.iter().copied().map(Literal::is).collect()
}

fn pairs_of(group: &[FluentId]) -> impl Iterator<Item = (FluentId, FluentId)> {
    let rest = |place: usize| group[place + 1..].iter();
    let places = group.iter().enumerate();
    places.flat_map(move |(place, &one)| rest(place).map(move |&other| (one, other)))
}

fn is_broken(sample: &Sample, clause: &Clause) -> bool {
    let none: Vec<Literal> = clause.iter().map(|literal| literal.negated()).collect();
    sample.now.first_with(&none).is_some()
}

/// The fluents of one relation that agree in all arguments but some.
pub(crate) fn groups_by_arguments(net: &Net, fluents: &[FluentId]) -> Vec<Vec<FluentId>> {
    let mut number_of: FxHashMap<(u64, Vec<&str>), usize> = FxHashMap::default();
    let mut groups: Vec<Vec<FluentId>> = Vec::new();
    for &fluent in fluents {
        let parts = parts(&net.fluents[fluent]);
        for freed in freed_places(parts.len().saturating_sub(1)) {
            let keep = |&(place, _): &(usize, &&str)| place == 0 || freed >> (place - 1) & 1 == 0;
            let kept = parts.iter().enumerate().filter(keep).map(|(_, part)| *part).collect();
            let number = *number_of.entry((freed, kept)).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Vec::new());
            }
            groups[number].push(fluent);
        }
    }
    groups
}

/// Which arguments to leave open, as sets of bits.
fn freed_places(arguments: usize) -> Vec<u64> {
    match arguments {
        0 => Vec::new(),
        1..=4 => (1..1 << arguments).collect(),
        5..=60 => (0..arguments).map(|place| 1 << place).chain([(1 << arguments) - 1]).collect(),
        _ => vec![],
    }
}

/// The functor and the arguments of a term's text.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return vec![text];
    };
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (place, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b' ' if depth == 0 => {
                parts.push(&inner[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    parts
}

/// From each fluent, add fluents that exclude all so far and cover most of what is not covered.
fn cliques(sample: &Sample, varying: &[FluentId], mutexes: &[Clause]) -> Vec<Vec<FluentId>> {
    if varying.len() > 400 {
        return Vec::new();
    }
    let mut excluded: FxHashMap<FluentId, Vec<FluentId>> = FxHashMap::default();
    for clause in mutexes {
        excluded.entry(clause[0].fluent).or_default().push(clause[1].fluent);
        excluded.entry(clause[1].fluent).or_default().push(clause[0].fluent);
    }
    varying.iter().filter_map(|&seed| clique_from(sample, seed, &excluded)).collect()
}

fn clique_from(
    sample: &Sample,
    seed: FluentId,
    excluded: &FxHashMap<FluentId, Vec<FluentId>>,
) -> Option<Vec<FluentId>> {
    let mut clique = vec![seed];
    let mut open = excluded.get(&seed)?.clone();
    let mut covered = sample.now.ones(seed.index());
    while covered < sample.states.len() {
        // Members exclude one another, so each covers states that no other does.
        let best = *open.iter().max_by_key(|member| sample.now.ones(member.index()))?;
        covered += sample.now.ones(best.index());
        clique.push(best);
        let others = excluded.get(&best)?;
        open.retain(|member| others.contains(member));
    }
    Some(clique)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_falls_into_functor_and_arguments() {
        assert_eq!(parts("(cell (at 1 2) x)"), ["cell", "(at 1 2)", "x"]);
        assert_eq!(parts("jammed"), ["jammed"]);
    }
}
