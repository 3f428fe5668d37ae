//! The recursion restriction, which keeps the model finite although terms have functions.
//!
//! In a rule whose head `h` is recursive, each argument of a positive condition on a relation that
//! is mutually recursive with `h` must be ground, be an argument of the head, or be an argument of
//! a positive condition on some other relation.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnosis::Findings;
use crate::survey::{Survey, Use};
use crate::term_numbers::TermNumbers;
use crate::{Category, Diagnosis, Literal, LiteralId, Rules, TermId};

pub(super) fn check(survey: &Survey<'_>, findings: &mut Findings) {
    for clause in 0..survey.rules.clauses.len() {
        let Some(head) = survey.heads[clause] else { continue };
        let component = survey.component(head);
        let recursive = |condition: &Use| {
            !condition.negated && survey.component(condition.relation) == component
        };
        if survey.uses_of(clause).iter().any(recursive) && survey.is_recursive(head) {
            check_rule(survey, clause, findings);
        }
    }
}

fn check_rule(survey: &Survey<'_>, clause: usize, findings: &mut Findings) {
    let rules = survey.rules;
    let component = survey.heads[clause].map(|head| survey.component(head));
    let body = PositiveAtoms::of(rules, &rules.clauses[clause].body);
    let (recursive, other): (Vec<Place>, Vec<Place>) = body.atoms.iter().partition(|place| {
        survey.find_use(place.literal).map(|relation| survey.component(relation)) == component
    });
    let mut bounds = Bounds { numbers: TermNumbers::default(), branches: FxHashMap::default() };
    bounds.add(rules, &rules.clauses[clause].head.arguments, Branch::BODY);
    for place in other {
        bounds.add(rules, arguments(rules, place.literal), place.branch);
    }
    for place in recursive {
        let around = body.branches_around(place.branch);
        for &argument in arguments(rules, place.literal) {
            if !is_ground(rules, argument) && !bounds.hold(rules, argument, &around) {
                findings.add(unbounded(rules, argument));
            }
        }
    }
}

fn unbounded(rules: &Rules, argument: TermId) -> Diagnosis {
    let message = "nothing bounds this argument of a recursive condition";
    Diagnosis::error(Category::Recursion, rules.term_span(argument), message)
        .with_hint("add a condition on a relation outside the recursion that names its values")
}

fn arguments(rules: &Rules, literal: LiteralId) -> &[TermId] {
    match rules.literal(literal) {
        Literal::Atom(atom) => &atom.arguments,
        _ => &[],
    }
}

fn is_ground(rules: &Rules, term: TermId) -> bool {
    rules.variables_of(&[term]).next().is_none()
}

/// Arguments that are bounded, and in which branches of the body.
struct Bounds {
    numbers: TermNumbers,
    branches: FxHashMap<u32, FxHashSet<Branch>>,
}

impl Bounds {
    fn add(&mut self, rules: &Rules, arguments: &[TermId], branch: Branch) {
        for &argument in arguments {
            let number = self.numbers.of(rules, argument);
            self.branches.entry(number).or_default().insert(branch);
        }
    }

    /// Whether the argument is bounded in one of the branches.
    fn hold(&mut self, rules: &Rules, argument: TermId, around: &[Branch]) -> bool {
        let bounded = self.branches.get(&self.numbers.of(rules, argument));
        bounded.is_some_and(|bounded| around.iter().any(|branch| bounded.contains(branch)))
    }
}

/// A branch of a disjunction somewhere in a body; number 0 is the body itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Branch(usize);

impl Branch {
    const BODY: Branch = Branch(0);
}

#[derive(Clone, Copy)]
struct Place {
    literal: LiteralId,
    branch: Branch,
}

/// The atoms of a body that are not under a negation.
struct PositiveAtoms {
    atoms: Vec<Place>,
    /// The branch that each branch stands in.
    parents: Vec<Branch>,
}

impl PositiveAtoms {
    fn of(rules: &Rules, body: &[LiteralId]) -> Self {
        let mut found = Self { atoms: Vec::new(), parents: vec![Branch::BODY] };
        let mut open: Vec<Place> =
            body.iter().rev().map(|&literal| Place { literal, branch: Branch::BODY }).collect();
        while let Some(place) = open.pop() {
            match rules.literal(place.literal) {
                Literal::Atom(_) => found.atoms.push(place),
                Literal::And(parts) => {
                    let parts = parts.iter().rev();
                    open.extend(parts.map(|&literal| Place { literal, branch: place.branch }));
                }
                Literal::Or(parts) => open.extend(parts.iter().rev().map(|&literal| {
                    found.parents.push(place.branch);
                    Place { literal, branch: Branch(found.parents.len() - 1) }
                })),
                Literal::Not(_) | Literal::Distinct(..) => {}
            }
        }
        found
    }

    /// A branch and those it stands in, out to the body.
    fn branches_around(&self, mut branch: Branch) -> Vec<Branch> {
        let mut around = vec![branch];
        while branch != Branch::BODY {
            branch = self.parents[branch.0];
            around.push(branch);
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use crate::{Category, ReadOptions, check, read};

    fn unbounded(text: &str) -> usize {
        let rules = read(text.as_bytes(), &ReadOptions::default()).rules.unwrap();
        let findings = check(&rules);
        findings.iter().filter(|finding| finding.category == Category::Recursion).count()
    }

    #[test]
    fn a_successor_without_bound_is_refused() {
        assert_eq!(unbounded("(<= (nat (s ?x)) (nat ?x))"), 1);
        assert_eq!(unbounded("(<= (b (f ?x)) (a ?x)) (<= (a (g ?x)) (b ?x))"), 2);
    }

    #[test]
    fn arguments_of_the_head_or_of_other_conditions_are_bounded() {
        assert_eq!(unbounded("(<= (path ?x ?z) (path ?x ?y) (edge ?y ?z))"), 0);
        assert_eq!(unbounded("(<= (nat (s ?x)) (nat ?x) (small ?x))"), 0);
        assert_eq!(unbounded("(<= (p ?x) (p a) (q ?x))"), 0);
    }

    #[test]
    fn another_branch_bounds_nothing() {
        assert_eq!(unbounded("(<= (nat (s ?x)) (or (nat ?x) (small ?x)))"), 1);
        assert_eq!(unbounded("(<= (nat (s ?x)) (or (and (nat ?x) (small ?x)) (q ?x)))"), 0);
        assert_eq!(unbounded("(<= (nat (s ?x)) (small ?x) (or (nat ?x) (q ?x)))"), 0);
    }
}
