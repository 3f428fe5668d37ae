//! Families of nearly equal disjunctions.
//!
//! "Attacked by any piece but the captured one": for each square the OR over all attackers but one.
//! Written out, n squares need n² gate inputs. Here the attackers of one target form a *group*, and
//! which of them count for a square is a static *choice*. The members chosen form a few runs of the
//! group; a run that begins or ends the group is a prefix or suffix OR shared by all, so that each
//! disjunction needs a few inputs only.
//!
//! Sound: the conjunction is *member ∧ links ∧ outer*, where only the member is part of the circuit.
//! Fix the values of the shown variables. The outer part speaks of these alone. The member's own
//! variables are the only ones left, and a link ties them to values of the choice, so the matches are
//! the members of the group for which all links hold: the chosen ones. Whether they hold is decided by
//! joining links and member. That join must give every variable of the links a value: negated links
//! and tests bind nothing, and what they read beside the member's own variables may be bound by the
//! outer part alone. So the outer literals that bind such a variable take part in it (`binders`). They
//! hold in every match, so they take away no choice that is ever asked for.

use fixedbitset::FixedBitSet;
use gambol_index::IndexVec;
use rustc_hash::FxHashMap;

use crate::formulas::{Formulas, Signal};
use crate::program::{Literal, Pattern, RelationId, Sign, Test};
use crate::split::variables_of;

/// How a conjunction with one literal of the circuit is seen as a family.
pub(crate) struct Family {
    /// The literal whose rows are the members.
    pub(crate) member: usize,
    /// Variables of the member that the result does not show.
    pub(crate) own: Vec<u32>,
    /// Variables of the member that the result shows: they name the group.
    pub(crate) group: Vec<u32>,
    /// Shown variables that decide, with the member's own, whether the member counts.
    pub(crate) choice: Vec<u32>,
    /// Literals and tests that mention a variable of the member's own.
    pub(crate) links: Vec<usize>,
    pub(crate) link_tests: Vec<usize>,
    /// Outer literals that bind what neither member nor links bind of the choice.
    pub(crate) binders: Vec<usize>,
    /// The other literals and tests: they speak of the result only.
    pub(crate) outer: Vec<usize>,
    pub(crate) outer_tests: Vec<usize>,
}

impl Family {
    /// The family, if the conjunction has the form of one.
    pub(crate) fn of(
        body: &[Literal],
        tests: &[Test],
        variables: u32,
        shown: &[Pattern],
        dynamic: &IndexVec<RelationId, bool>,
    ) -> Option<Self> {
        let count = variables as usize;
        let in_circuit =
            |literal: &Literal| literal.sign != Sign::Filter && dynamic[literal.relation];
        let mut members = (0..body.len()).filter(|&place| in_circuit(&body[place]));
        let (member, None) = (members.next()?, members.next()) else { return None };
        if body[member].sign != Sign::Positive || !is_plain(&body[member].arguments) {
            return None;
        }
        let shown = variables_of(shown, count);
        let of_member = variables_of(&body[member].arguments, count);
        let mut own = of_member.clone();
        own.difference_with(&shown);
        let mut group = of_member;
        group.intersect_with(&shown);
        let sets: Vec<FixedBitSet> =
            body.iter().map(|literal| variables_of(&literal.arguments, count)).collect();
        let test_sets: Vec<FixedBitSet> = tests
            .iter()
            .map(|test| variables_of(&[test.left.clone(), test.right.clone()], count))
            .collect();
        let (links, outer): (Vec<usize>, Vec<usize>) = (0..body.len())
            .filter(|&place| place != member)
            .partition(|&at| !sets[at].is_disjoint(&own));
        let (link_tests, outer_tests): (Vec<usize>, Vec<usize>) =
            (0..tests.len()).partition(|&place| !test_sets[place].is_disjoint(&own));
        let mut choice = FixedBitSet::with_capacity(count);
        links.iter().for_each(|&place| choice.union_with(&sets[place]));
        link_tests.iter().for_each(|&place| choice.union_with(&test_sets[place]));
        choice.difference_with(&own);
        let mut unbound = choice.clone();
        unbound.difference_with(&group);
        for &place in links.iter().filter(|&&place| body[place].binds()) {
            unbound.difference_with(&sets[place]);
        }
        let binders: Vec<usize> = outer
            .iter()
            .copied()
            .filter(|&place| body[place].binds() && !sets[place].is_disjoint(&unbound))
            .collect();
        binders.iter().for_each(|&place| unbound.difference_with(&sets[place]));
        let outer_shown = outer.iter().all(|&place| sets[place].is_subset(&shown));
        let closed = own.count_ones(..) > 0
            && choice.is_subset(&shown)
            && !choice.is_subset(&group)
            && unbound.is_clear()
            && outer_shown;
        closed.then(|| Self {
            member,
            own: list(&own),
            group: list(&group),
            choice: list(&choice),
            links,
            link_tests,
            binders,
            outer,
            outer_tests,
        })
    }
}

fn is_plain(patterns: &[Pattern]) -> bool {
    patterns.iter().all(|pattern| !matches!(pattern, Pattern::Function(..)))
}

fn list(set: &FixedBitSet) -> Vec<u32> {
    set.ones().map(|variable| u32::try_from(variable).unwrap_or(u32::MAX)).collect()
}

/// The members of one group in order, and the disjunctions made of them so far.
#[derive(Default)]
pub(crate) struct Group {
    /// What the choice knows the member by, and its signal.
    members: Vec<(u32, Signal)>,
    prefix: Vec<Signal>,
    suffix: Vec<Signal>,
    inner: FxHashMap<(usize, usize), Signal>,
}

impl Group {
    pub(crate) fn add(&mut self, member: u32, signal: Signal) {
        self.members.push((member, signal));
    }

    /// The OR over the members that the choice contains.
    pub(crate) fn chosen(&mut self, choice: &FixedBitSet, formulas: &mut Formulas) -> Signal {
        self.prepare(formulas);
        let len = self.members.len();
        let chosen = |at: usize| choice.contains(self.members[at].0 as usize);
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for at in (0..len).filter(|&at| chosen(at)) {
            match runs.last_mut() {
                Some((_, end)) if *end == at => *end = at + 1,
                _ => runs.push((at, at + 1)),
            }
        }
        let parts: Vec<Signal> =
            runs.into_iter().map(|(start, end)| self.run(start, end, formulas)).collect();
        formulas.or(parts)
    }

    fn prepare(&mut self, formulas: &mut Formulas) {
        if !self.prefix.is_empty() {
            return;
        }
        self.members.sort_unstable();
        let len = self.members.len();
        self.prefix = vec![Signal::FALSE; len + 1];
        self.suffix = vec![Signal::FALSE; len + 1];
        for at in 0..len {
            self.prefix[at + 1] = formulas.or([self.prefix[at], self.members[at].1]);
        }
        for at in (0..len).rev() {
            self.suffix[at] = formulas.or([self.suffix[at + 1], self.members[at].1]);
        }
    }

    /// The OR of the members from `start` to before `end`. Inner runs are halved, so that they share.
    fn run(&mut self, start: usize, end: usize, formulas: &mut Formulas) -> Signal {
        if start == 0 {
            return self.prefix[end];
        }
        if end == self.members.len() {
            return self.suffix[start];
        }
        if end - start == 1 {
            return self.members[start].1;
        }
        if let Some(&known) = self.inner.get(&(start, end)) {
            return known;
        }
        // Cut at the multiple of the largest power of two inside, as a segment tree does.
        let size = 1usize << (usize::BITS - 1 - (end - start).leading_zeros());
        let cut = match (end - 1) / size * size {
            cut if cut > start => cut,
            _ => start + (end - start) / 2,
        };
        let parts = [self.run(start, cut, formulas), self.run(cut, end, formulas)];
        let signal = formulas.or(parts);
        self.inner.insert((start, end), signal);
        signal
    }
}
