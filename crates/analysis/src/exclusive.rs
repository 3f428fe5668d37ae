//! Exclusive groups: fluents of which at most one, or exactly one, is true in every state.

use gambol_index::Id;
use gambol_net::{FluentId, Net};

use crate::literal::Clause;

/// The fluents that exclude one another, as proved.
#[derive(Clone, Debug, Default)]
pub struct Exclusive {
    /// Sorted lists of fluents: `with[f]` are those that are never true together with `f`.
    with: Vec<Vec<FluentId>>,
    /// Groups of which exactly one is true; sorted, none inside another.
    pub exactly_one: Vec<Vec<FluentId>>,
    /// Groups of which at most one is true, exactly-one groups left out. Together with those they
    /// cover every pair.
    pub at_most_one: Vec<Vec<FluentId>>,
}

impl Exclusive {
    /// Reads the groups off the invariants.
    pub(crate) fn of(net: &Net, invariants: &[Clause]) -> Self {
        let mut with = vec![Vec::new(); net.fluents.len()];
        for clause in invariants.iter().filter(|clause| is_mutex(clause)) {
            let (one, other) = (clause[0].fluent, clause[1].fluent);
            with[one.index()].push(other);
            with[other.index()].push(one);
        }
        with.iter_mut().for_each(|list| list.sort_unstable());
        let mut exclusive = Self { with, ..Self::default() };
        exclusive.exactly_one = exclusive.find_exactly_one(invariants);
        exclusive.at_most_one = exclusive.cover_rest();
        exclusive
    }

    /// Whether two fluents are never true together.
    pub fn excludes(&self, one: FluentId, other: FluentId) -> bool {
        self.with[one.index()].binary_search(&other).is_ok()
    }

    fn find_exactly_one(&self, invariants: &[Clause]) -> Vec<Vec<FluentId>> {
        let mut groups: Vec<Vec<FluentId>> = Vec::new();
        for clause in invariants.iter().filter(|clause| clause.len() > 1) {
            let mut group: Vec<FluentId> = clause.iter().map(|literal| literal.fluent).collect();
            group.sort_unstable();
            if clause.iter().all(|literal| literal.holds) && self.is_clique(&group) {
                groups.push(group);
            }
        }
        groups.sort();
        groups.dedup();
        groups
    }

    fn is_clique(&self, group: &[FluentId]) -> bool {
        let pairs = |place: usize| {
            group[place + 1..].iter().all(|&other| self.excludes(group[place], other))
        };
        (0..group.len()).all(pairs)
    }

    /// Maximal groups that cover the pairs outside the exactly-one groups, greedily.
    fn cover_rest(&self) -> Vec<Vec<FluentId>> {
        let mut open: Vec<Vec<FluentId>> = self.with.clone();
        for group in &self.exactly_one {
            strike(&mut open, group);
        }
        let mut groups = Vec::new();
        for row in 0..open.len() {
            while let Some(&other) = open[row].first() {
                let group = self.grown(FluentId::from_index(row), other, &open);
                strike(&mut open, &group);
                groups.push(group);
            }
        }
        groups.sort();
        groups
    }

    /// The pair with all that fit, those first that cover an open pair.
    fn grown(&self, one: FluentId, other: FluentId, open: &[Vec<FluentId>]) -> Vec<FluentId> {
        let mut group = vec![one, other];
        let all = self.with[one.index()].iter();
        for &fluent in open[one.index()].iter().chain(all) {
            if group.iter().all(|&member| self.excludes(member, fluent)) {
                group.push(fluent);
            }
        }
        group.sort_unstable();
        group
    }
}

fn is_mutex(clause: &Clause) -> bool {
    clause.len() == 2 && clause.iter().all(|literal| !literal.holds)
}

fn strike(open: &mut [Vec<FluentId>], group: &[FluentId]) {
    for member in group {
        open[member.index()].retain(|other| group.binary_search(other).is_err());
    }
}
