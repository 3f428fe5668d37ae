//! Relations too large to be listed: their rules are run for the arguments asked about only.
//!
//! A relation such as "this cell is threatened if that piece were not there" has a row for every
//! combination of its arguments, of which a game asks for a few. Once listing a relation proves
//! too costly it is answered call by call: for each choice of bound columns there is a table of
//! the keys asked for and a table of the answers. Relations that depend on one another form a
//! cluster and are treated alike; one that depends on its own negation is always listed.

use std::sync::Arc;

use gambol_index::{Components, Graph, Id, IndexVec, define_id};
use rustc_hash::FxHashMap;

use crate::program::{Program, RelationId, RuleId};
use crate::step::{CallId, CallPlan};
use crate::table::Table;
use crate::terms::Terms;

define_id! {
    /// Relations that depend on one another.
    pub(crate) struct ClusterId;
}

/// A relation with some columns bound.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) cluster: ClusterId,
    /// Which columns are bound.
    pub(crate) bound: Vec<bool>,
    /// The table of keys asked for.
    pub(crate) asked: RelationId,
    /// The table of answers.
    pub(crate) answers: RelationId,
    /// The rules of the relation and how each is run.
    pub(crate) rules: Vec<(RuleId, Option<Arc<CallPlan>>)>,
}

/// Relations that depend on one another.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// Whether a relation depends on itself.
    pub(crate) recursive: bool,
    callable: bool,
    called: bool,
    /// Work spent on listing these relations for the present state.
    pub(crate) spent: u64,
}

/// Which relations are answered call by call.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    rules_of: IndexVec<RelationId, Vec<RuleId>>,
    cluster_of: IndexVec<RelationId, ClusterId>,
    clusters: IndexVec<ClusterId, Cluster>,
    calls: IndexVec<CallId, Call>,
    call_of: FxHashMap<(RelationId, Vec<bool>), CallId>,
}

impl Calls {
    /// No relation is answered call by call yet.
    pub(crate) fn of(program: &Program) -> Self {
        let relations = program.relations.len();
        let mut rules_of: IndexVec<RelationId, Vec<RuleId>> =
            IndexVec::filled(Vec::new(), relations);
        for (rule, definition) in program.rules.iter_ids() {
            rules_of[definition.head.relation].push(rule);
        }
        let edges = dependencies(program);
        let pairs: Vec<(u32, u32)> =
            edges.iter().map(|edge| (edge.head.number(), edge.condition.number())).collect();
        let graph = Graph::from_edges(relations, &pairs);
        let components = Components::of(&graph);
        let cluster_of: IndexVec<RelationId, ClusterId> = (0..relations)
            .map(|relation| {
                let relation = RelationId::from_index(relation).number();
                ClusterId::new(components.component_of(relation))
            })
            .collect();
        let clusters = (0..components.len())
            .map(|number| {
                let number = ClusterId::from_index(number).number();
                let recursive = components.is_cyclic(&graph, number);
                Cluster { recursive, callable: true, called: false, spent: 0 }
            })
            .collect();
        let mut calls = Self {
            rules_of,
            cluster_of,
            clusters,
            calls: IndexVec::new(),
            call_of: FxHashMap::default(),
        };
        calls.exclude_listed(program, &edges);
        calls
    }

    /// Questions need the game's own relations whole, and a stratum that negates itself is
    /// evaluated as one.
    fn exclude_listed(&mut self, program: &Program, edges: &[Dependency]) {
        for (relation, &(name, _)) in program.relations.iter_ids() {
            if name.is_game_relation() {
                self.clusters[self.cluster_of[relation]].callable = false;
            }
        }
        for edge in edges {
            let cluster = self.cluster_of[edge.head];
            if !edge.holds && cluster == self.cluster_of[edge.condition] {
                self.clusters[cluster].callable = false;
            }
        }
    }

    /// The cluster of a relation of the program.
    pub(crate) fn cluster_of(&self, relation: RelationId) -> ClusterId {
        self.cluster_of[relation]
    }

    /// A cluster.
    pub(crate) fn cluster(&self, cluster: ClusterId) -> &Cluster {
        &self.clusters[cluster]
    }

    /// Whether a cluster may be answered call by call and is not yet.
    pub(crate) fn may_call(&self, cluster: ClusterId) -> bool {
        self.clusters[cluster].callable && !self.clusters[cluster].called
    }

    /// Whether the relation is answered call by call.
    pub(crate) fn is_called(&self, relation: RelationId) -> bool {
        let cluster = self.cluster_of.get(relation).map(|&cluster| &self.clusters[cluster]);
        cluster.is_some_and(|cluster| cluster.called)
    }

    /// From now on the cluster is answered call by call. All plans must be made anew.
    pub(crate) fn start_calling(&mut self, cluster: ClusterId) {
        self.clusters[cluster].called = true;
        for call in self.calls.iter_mut() {
            for (_, plan) in &mut call.rules {
                *plan = None;
            }
        }
    }

    /// Notes work spent on listing.
    pub(crate) fn spend(&mut self, cluster: ClusterId, work: u64) {
        self.clusters[cluster].spent += work;
    }

    /// Forgets what was spent.
    pub(crate) fn forget_spending(&mut self) {
        for cluster in self.clusters.iter_mut() {
            cluster.spent = 0;
        }
    }

    /// The call of a relation with these columns bound.
    pub(crate) fn call(
        &mut self,
        terms: &Terms,
        tables: &mut IndexVec<RelationId, Table>,
        relation: RelationId,
        bound: Vec<bool>,
    ) -> CallId {
        if let Some(&call) = self.call_of.get(&(relation, bound.clone())) {
            return call;
        }
        let rules = self.rules_of[relation].iter().map(|&rule| (rule, None)).collect();
        let asked = Table::new(bound.iter().filter(|&&bound| bound).count());
        let answers = tables[relation].static_copy(terms);
        let (asked, answers) = (tables.push(asked), tables.push(answers));
        let cluster = self.cluster_of[relation];
        let call = Call { cluster, bound: bound.clone(), asked, answers, rules };
        let call = self.calls.push(call);
        self.call_of.insert((relation, bound), call);
        call
    }

    /// A call by its id.
    pub(crate) fn get(&self, call: CallId) -> &Call {
        &self.calls[call]
    }

    /// Keeps the plan of a rule of a call.
    pub(crate) fn keep_plan(&mut self, call: CallId, rule: usize, plan: Arc<CallPlan>) {
        self.calls[call].rules[rule].1 = Some(plan);
    }
}

/// A rule for `head` has a condition on another relation.
struct Dependency {
    head: RelationId,
    condition: RelationId,
    holds: bool,
}

fn dependencies(program: &Program) -> Vec<Dependency> {
    let mut found = Vec::new();
    for rule in &program.rules {
        let head = rule.head.relation;
        for condition in &rule.body {
            condition.visit_atoms(&mut |_, holds, pattern| {
                found.push(Dependency { head, condition: pattern.relation, holds });
            });
        }
    }
    found
}
