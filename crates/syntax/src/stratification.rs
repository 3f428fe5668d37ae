//! Stratified negation, as far as it shows before grounding.
//!
//! Nodes are rules. An edge goes from a rule to every rule whose head may unify with one of its
//! conditions; it is negative if the condition is negated. Rules without a cycle through a negative
//! edge are stratified. A cycle that is found here may still vanish on the ground rules, which
//! alone decide.

use gambol_index::{Components, Graph};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::{Survey, Use};
use crate::unify::may_unify;
use crate::{Category, Diagnosis, Literal, LiteralId, Rules, Span};

/// A negated condition on what seems to depend on the rule it stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NegativeCycle {
    /// The rule, by its number among the clauses.
    pub clause: usize,
    /// The atom under the negation.
    pub literal: LiteralId,
    /// Where the atom stands.
    pub span: Span,
}

impl NegativeCycle {
    /// The finding, once the ground rules have confirmed it.
    pub fn diagnosis(&self, rules: &Rules) -> Diagnosis {
        let name = match rules.literal(self.literal) {
            Literal::Atom(atom) => shown(rules.symbols.text(atom.relation)),
            _ => String::new(),
        };
        let message = format!("{name} is negated here and depends on what this rule defines");
        Diagnosis::error(Category::Unstratified, self.span, message)
            .with_hint("break the circle: a relation may not depend on its own negation")
    }
}

/// The negated conditions through which rules may depend on their own negation, in the order of
/// the text. None: the rules are stratified.
pub fn negative_cycles(rules: &Rules) -> Vec<NegativeCycle> {
    let survey = Survey::of(rules);
    let suspects = suspect_components(&survey);
    if suspects.is_empty() {
        return Vec::new();
    }
    let edges = rule_edges(&survey, &suspects);
    let pairs: Vec<(u32, u32)> = edges.list.iter().map(|edge| (edge.from, edge.to)).collect();
    let components = Components::of(&Graph::from_edges(edges.rules, &pairs));
    let mut cycles: Vec<NegativeCycle> = edges
        .list
        .iter()
        .filter(|edge| edge.condition.negated)
        .filter(|edge| components.component_of(edge.from) == components.component_of(edge.to))
        .map(|edge| cycle(&survey, &edge.condition))
        .chain(edges.undecided.iter().map(|condition| cycle(&survey, condition)))
        .collect();
    cycles.sort_by_key(|cycle| (cycle.clause, cycle.literal));
    cycles.dedup();
    cycles
}

fn cycle(survey: &Survey<'_>, condition: &Use) -> NegativeCycle {
    let (clause, literal) = (condition.clause, condition.literal);
    NegativeCycle { clause, literal, span: survey.atom(condition).span }
}

/// Warns once for each set of relations that are not stratified by name. Harmless by itself, but
/// engines that go by names refuse it.
pub(crate) fn warn(survey: &Survey<'_>, findings: &mut Findings) {
    let mut reported = FxHashSet::default();
    for condition in negations_inside_components(survey) {
        if reported.insert(survey.component(condition.relation)) {
            let atom = survey.atom(condition);
            let name = shown(survey.rules.symbols.text(atom.relation));
            let message = format!("going by names alone, {name} depends on its own negation");
            findings.add(Diagnosis::warning(Category::PredicateUnstratified, atom.span, message));
        }
    }
}

fn negations_inside_components<'a>(survey: &'a Survey<'_>) -> impl Iterator<Item = &'a Use> {
    survey.uses.iter().filter(|condition| {
        let head = survey.heads[condition.clause];
        condition.negated
            && head
                .is_some_and(|head| survey.component(head) == survey.component(condition.relation))
    })
}

/// The components of relations that hold a negation inside.
fn suspect_components(survey: &Survey<'_>) -> FxHashSet<u32> {
    negations_inside_components(survey)
        .map(|condition| survey.component(condition.relation))
        .collect()
}

struct Edge {
    from: u32,
    to: u32,
    condition: Use,
}

struct RuleEdges {
    rules: usize,
    list: Vec<Edge>,
    /// Negated conditions whose edges were not all looked at.
    undecided: Vec<Use>,
}

/// How many pairs of terms are compared. Beyond it every negation counts as part of a cycle, which
/// is always safe to say here.
const MAX_STEPS: usize = 10_000_000;

/// The edges between the rules of the suspect components. Facts depend on nothing and are left out.
fn rule_edges(survey: &Survey<'_>, suspects: &FxHashSet<u32>) -> RuleEdges {
    let nodes = rule_numbers(survey, suspects);
    let mut edges = RuleEdges { rules: nodes.len(), list: Vec::new(), undecided: Vec::new() };
    let mut steps = MAX_STEPS;
    for condition in &survey.uses {
        let Some(&from) = nodes.get(&condition.clause) else { continue };
        let same_component = survey.heads[condition.clause]
            .is_some_and(|head| survey.component(head) == survey.component(condition.relation));
        if !same_component {
            continue;
        }
        let definitions = &survey.clauses_of[condition.relation];
        let atom = survey.atom(condition);
        for clause in definitions {
            let Some(&to) = nodes.get(clause) else { continue };
            let head = &survey.rules.clauses[*clause].head;
            steps = steps.saturating_sub(1);
            if may_unify(survey.rules, &atom.arguments, &head.arguments, &mut steps) {
                edges.list.push(Edge { from, to, condition: *condition });
            }
        }
        if steps == 0 {
            edges.undecided = negations_inside_components(survey).copied().collect();
            return edges;
        }
    }
    edges
}

fn rule_numbers(survey: &Survey<'_>, suspects: &FxHashSet<u32>) -> FxHashMap<usize, u32> {
    let is_node = |&clause: &usize| {
        let suspect =
            survey.heads[clause].is_some_and(|head| suspects.contains(&survey.component(head)));
        suspect && !survey.rules.clauses[clause].body.is_empty()
    };
    (0..survey.rules.clauses.len()).filter(is_node).zip(0..).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read};

    fn negations_in_cycles(text: &str) -> usize {
        let rules = read(text.as_bytes(), &ReadOptions::default()).rules.unwrap();
        negative_cycles(&rules).len()
    }

    #[test]
    fn each_depends_on_the_negation_of_the_other() {
        assert_eq!(negations_in_cycles("(<= a (not b)) (<= b (not a))"), 2);
        assert_eq!(negations_in_cycles("(<= a (or c (not b))) (<= b a)"), 1);
    }

    #[test]
    fn goals_that_differ_in_value_do_not_depend_on_each_other() {
        let text = "(<= (goal x 100) (true won)) (<= (goal x 0) (not (goal x 100)))";
        assert_eq!(negations_in_cycles(text), 0);
    }

    #[test]
    fn a_rule_that_unifies_with_itself_is_left_to_grounding() {
        assert_eq!(negations_in_cycles("(<= (win ?n) (succ ?m ?n) (not (win ?m)))"), 1);
    }
}
