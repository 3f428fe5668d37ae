//! The order in which rules are evaluated: strongly connected components of the rules, where a
//! rule depends on those whose heads meet one of its conditions.
//!
//! Rules and not relations are the nodes, so that `(goal ?r 0)` may ask whether `(goal ?r 100)`
//! fails. A stratum in which a negated condition depends on the stratum itself is marked; whether
//! it has a meaning depends on the state.

use gambol_index::{Components, Graph, IndexVec, define_id};
use gambol_syntax::keyword;

use crate::program::{Pattern, Program, RelationId, RuleId};
use crate::unify::unifiable;

define_id! {
    /// A set of rules evaluated together.
    pub(crate) struct StratumId;
}

/// What the rules of a stratum look at, directly or through other rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Layer {
    /// Neither state nor moves: evaluated once.
    Static,
    /// The state.
    State,
    /// The moves.
    Moves,
}

/// Rules evaluated together.
#[derive(Clone, Debug)]
pub(crate) struct Stratum {
    pub(crate) rules: Vec<RuleId>,
    pub(crate) layer: Layer,
    /// Whether a rule depends on the stratum itself.
    pub(crate) recursive: bool,
    /// Whether a negated condition depends on the stratum itself.
    pub(crate) negates_itself: bool,
    /// The strata these rules depend on.
    needs: Vec<StratumId>,
}

/// All strata, each after those it needs.
#[derive(Clone, Debug)]
pub(crate) struct Strata {
    pub(crate) all: IndexVec<StratumId, Stratum>,
    stratum_of: IndexVec<RuleId, StratumId>,
    /// For each rule, which of its atoms depend on the rule's own stratum.
    pub(crate) inside: IndexVec<RuleId, Vec<bool>>,
}

/// A condition of `from` can meet the head of `to`.
struct Edge {
    from: RuleId,
    to: RuleId,
    atom: usize,
    holds: bool,
}

impl Strata {
    /// Sorts the rules.
    pub(crate) fn of(program: &Program) -> Self {
        let edges = edges(program);
        let pairs: Vec<(u32, u32)> =
            edges.iter().map(|edge| (edge.from.number(), edge.to.number())).collect();
        let graph = Graph::from_edges(program.rules.len(), &pairs);
        let components = Components::of(&graph);
        let stratum_of: IndexVec<RuleId, StratumId> = program
            .rules
            .ids()
            .map(|rule| StratumId::new(components.component_of(rule.number())))
            .collect();
        let mut strata = Self {
            all: components.iter().map(empty_stratum).collect(),
            inside: program.rules.iter().map(|rule| vec![false; rule.atoms]).collect(),
            stratum_of,
        };
        for edge in &edges {
            strata.follow(edge);
        }
        strata.assign_layers(program);
        strata
    }

    fn follow(&mut self, edge: &Edge) {
        let (from, to) = (self.stratum_of[edge.from], self.stratum_of[edge.to]);
        let stratum = &mut self.all[from];
        if from != to {
            stratum.needs.push(to);
            return;
        }
        stratum.recursive = true;
        stratum.negates_itself |= !edge.holds;
        self.inside[edge.from][edge.atom] = true;
    }

    fn assign_layers(&mut self, program: &Program) {
        for id in self.all.ids() {
            let own = self.all[id].rules.iter().map(|&rule| direct_layer(program, rule)).max();
            let needed = self.all[id].needs.iter().map(|&needed| self.all[needed].layer).max();
            self.all[id].layer = own.max(needed).unwrap_or(Layer::Static);
            let needs = &mut self.all[id].needs;
            needs.sort_unstable();
            needs.dedup();
        }
    }

    /// The strata needed to know these relations, each after those it needs.
    pub(crate) fn needed_for(&self, program: &Program, relations: &[RelationId]) -> Vec<StratumId> {
        let mut needed: IndexVec<StratumId, bool> = IndexVec::filled(false, self.all.len());
        for (rule, definition) in program.rules.iter_ids() {
            if relations.contains(&definition.head.relation) {
                needed[self.stratum_of[rule]] = true;
            }
        }
        // What a stratum needs comes before it, so one pass downwards finds everything.
        for id in self.all.ids().rev() {
            if needed[id] {
                for &other in &self.all[id].needs {
                    needed[other] = true;
                }
            }
        }
        self.all.ids().filter(|&id| needed[id]).collect()
    }
}

fn empty_stratum(rules: &[u32]) -> Stratum {
    let mut rules: Vec<RuleId> = rules.iter().map(|&rule| RuleId::new(rule)).collect();
    rules.sort_unstable();
    Stratum {
        rules,
        layer: Layer::Static,
        recursive: false,
        negates_itself: false,
        needs: Vec::new(),
    }
}

fn edges(program: &Program) -> Vec<Edge> {
    let mut heads: IndexVec<RelationId, Vec<RuleId>> =
        IndexVec::filled(Vec::new(), program.relations.len());
    for (rule, definition) in program.rules.iter_ids() {
        heads[definition.head.relation].push(rule);
    }
    let mut edges = Vec::new();
    for (from, definition) in program.rules.iter_ids() {
        for condition in &definition.body {
            condition.visit_atoms(&mut |atom, holds, pattern: &Pattern| {
                for &to in &heads[pattern.relation] {
                    if unifiable(&program.terms, pattern, &program.rules[to].head) {
                        edges.push(Edge { from, to, atom, holds });
                    }
                }
            });
        }
    }
    edges
}

fn direct_layer(program: &Program, rule: RuleId) -> Layer {
    let mut layer = Layer::Static;
    for condition in &program.rules[rule].body {
        condition.visit_atoms(&mut |_, _, pattern| {
            layer = layer.max(match program.relations[pattern.relation] {
                (keyword::TRUE, 1) => Layer::State,
                (keyword::DOES, 2) => Layer::Moves,
                _ => Layer::Static,
            });
        });
    }
    layer
}
