//! Reach: every atom that can hold in any reachable state, and perhaps more.
//!
//! The least fixpoint of the relaxed game: what `next` can make true is true, what can be legal is
//! done, and a negated condition that depends on the state counts as satisfied. Relations that do
//! not depend on the state come out exactly. Rules are split, so that only existence is computed,
//! and evaluated semi-naively, component by component.

use std::ops::Range;

use gambol_index::{Components, Graph, IndexVec};
use gambol_syntax::{Span, keyword};
use rustc_hash::FxHashSet;

use crate::auxiliary::Auxiliaries;
use crate::join::{Conjunction, Plan, Source, Treatment};
use crate::limits::{Halt, Meter};
use crate::program::{Key, Literal, Program, RelationId, Rule, SUCCESSIONS, Sign};
use crate::relation::Relation;
use crate::split;
use crate::tables::RelationTables;
use crate::{GroundError, Shortcuts};

/// What adding a row costs, in steps of a join.
const TICKS_PER_ROW: u32 = 16;

/// Fills the tables by the rules that [`relaxed_rules`] makes.
pub(crate) fn reach(
    program: &mut Program,
    tables: &mut RelationTables,
    rules: Vec<Rule>,
    meter: &mut Meter,
    progress: &mut Progress,
) -> Result<(), Halt> {
    tables.cover(program);
    let graph = dependencies(program, rules.iter());
    let components = Components::of(&graph);
    let mut rules_of: Vec<Vec<ReachRule>> = Vec::new();
    rules_of.resize_with(components.len(), Vec::new);
    for rule in rules {
        let component = components.component_of(rule.head.number());
        rules_of[component as usize].push(ReachRule::new(rule, &components, component));
    }
    for (mut rules, members) in rules_of.into_iter().zip(components.iter()) {
        if !rules.is_empty() {
            Fixpoint { program, tables, meter, progress }.run(&mut rules)?;
        }
        progress.complete.extend(members.iter().map(|&member| RelationId::new(member)));
    }
    Ok(())
}

/// The rules without negated conditions on the state, split.
pub(crate) fn relaxed_rules(
    program: &mut Program,
    dynamic: &IndexVec<RelationId, bool>,
    demand: &[Rule],
    shortcuts: &Shortcuts,
    auxiliaries: &mut Auxiliaries,
) -> Vec<Rule> {
    let graph = dependencies(program, program.rules.iter().chain(demand));
    let components = Components::of(&graph);
    let mut relaxed = Vec::new();
    let mut rules = program.rules.clone();
    rules.extend_from_slice(demand);
    for mut rule in rules {
        // With demand even a relation that does not depend on the state may be under way still.
        let settled = |relation: RelationId| {
            !dynamic[relation]
                && components.component_of(relation.number())
                    != components.component_of(rule.head.number())
        };
        rule.body.retain(|literal| literal.sign != Sign::Negative || settled(literal.relation));
        let bags = split::split(&rule, shortcuts);
        auxiliaries.rules_of(&rule, bags, program, &mut relaxed);
    }
    relaxed
}

/// Whether demand makes a relation that must come out exactly wait for its own negation.
pub(crate) fn demand_conflicts(
    program: &Program,
    demand: &[Rule],
    dynamic: &IndexVec<RelationId, bool>,
) -> bool {
    let components = Components::of(&dependencies(program, program.rules.iter().chain(demand)));
    program.rules.iter().filter(|rule| !dynamic[rule.head]).any(|rule| {
        rule.body.iter().any(|literal| {
            literal.sign == Sign::Negative
                && components.component_of(literal.relation.number())
                    == components.component_of(rule.head.number())
        })
    })
}

/// Which relation needs which, through rules and from one shape or game relation to the next.
fn dependencies<'r>(program: &Program, rules: impl Iterator<Item = &'r Rule>) -> Graph {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for rule in rules {
        edges.extend(
            rule.body.iter().map(|literal| (rule.head.number(), literal.relation.number())),
        );
    }
    edges.extend(shape_dependencies(program).iter().map(|(from, to)| (from.number(), to.number())));
    Graph::from_edges(program.relations.len(), &edges)
}

/// Between the shapes of game relations: `true` needs `next` and `init`, `does` needs `legal` and
/// `role`, an open relation needs its shapes, and a shape its open relation (which may be a head).
fn shape_dependencies(program: &Program) -> Vec<(RelationId, RelationId)> {
    let mut edges = Vec::new();
    let mut depend = |from: RelationId, key: Key| {
        edges.extend(program.find_relation(key).map(|to| (from, to)));
    };
    let role = Key::Named(keyword::ROLE, 1);
    for (id, info) in program.relations.iter_ids() {
        let (name, shape) = match info.key {
            Key::Shape(name, functor, arity) => (name, Some((functor, arity))),
            Key::Named(name, _) => (name, None),
            Key::Auxiliary(_) => continue,
        };
        let open_arity = if name == keyword::DOES || name == keyword::LEGAL { 2 } else { 1 };
        match shape {
            Some(_) => depend(id, Key::Named(name, open_arity)),
            None if crate::program::shaped_argument(name, info.arity).is_some() => {
                for (_, functor, arity) in program.shapes_of(name) {
                    depend(id, Key::Shape(name, functor, arity));
                }
            }
            None => continue,
        }
        for (from, to) in SUCCESSIONS {
            if to == name {
                depend(id, Key::Named(from, open_arity));
                if let Some((functor, arity)) = shape {
                    depend(id, Key::Shape(from, functor, arity));
                }
            }
        }
        if name == keyword::DOES {
            depend(id, role);
        }
    }
    edges
}

struct ReachRule {
    rule: Rule,
    wanted: Vec<bool>,
    head: Vec<Source>,
    /// Literals whose relation grows while this rule is evaluated.
    growing: Vec<usize>,
    /// One plan per growing literal leading, with the size of the tables it was made for.
    plans: Vec<Option<(u64, Plan)>>,
}

impl ReachRule {
    fn new(rule: Rule, components: &Components, component: u32) -> Self {
        let wanted = split::variables_of(&rule.arguments, rule.variables as usize);
        let growing: Vec<usize> = (0..rule.body.len())
            .filter(|&place| {
                rule.body[place].binds()
                    && components.component_of(rule.body[place].relation.number()) == component
            })
            .collect();
        Self {
            wanted: (0..rule.variables as usize)
                .map(|variable| wanted.contains(variable))
                .collect(),
            head: rule.arguments.iter().map(Source::of).collect(),
            plans: vec![None; growing.len()],
            growing,
            rule,
        }
    }

    fn plan(&self, tables: &mut RelationTables, first: Option<usize>) -> Plan {
        let conjunction = Conjunction {
            body: &self.rule.body,
            tests: &self.rule.tests,
            variables: self.rule.variables,
            wanted: &self.wanted,
        };
        Plan::new(&conjunction, tables, first, |_: &Literal| Treatment::Existence)
    }

    /// A plan with this growing literal first, made again when the tables have grown much.
    fn leading_plan(&mut self, tables: &mut RelationTables, leader: usize) -> Plan {
        let size: u64 = self
            .rule
            .body
            .iter()
            .map(|literal| u64::from(tables.get(literal.relation).len()))
            .sum();
        match &self.plans[leader] {
            Some((planned_for, plan)) if size <= planned_for * 4 + 16 => plan.clone(),
            _ => {
                let plan = self.plan(tables, Some(self.growing[leader]));
                self.plans[leader] = Some((size, plan.clone()));
                plan
            }
        }
    }
}

/// How far Reach has come, for a second try to know where it was hard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    /// The relations whose tables are complete.
    pub(crate) complete: Vec<RelationId>,
    /// The relation whose rule was evaluated last.
    pub(crate) stuck: Option<RelationId>,
    /// The rules that had a match.
    pub(crate) applied: FxHashSet<Span>,
}

struct Fixpoint<'a> {
    program: &'a mut Program,
    tables: &'a mut RelationTables,
    meter: &'a mut Meter,
    progress: &'a mut Progress,
}

impl Fixpoint<'_> {
    fn run(&mut self, rules: &mut [ReachRule]) -> Result<(), Halt> {
        let growing = growing_relations(rules);
        let mut old: Vec<u32> = growing.iter().map(|&id| self.tables.get(id).len()).collect();
        let start = Growth { relations: &growing, old: &vec![0; old.len()], now: &old };
        for rule in rules.iter() {
            let plan = rule.plan(self.tables, None);
            self.evaluate(rule, &plan, &start, None)?;
        }
        loop {
            let now: Vec<u32> = growing.iter().map(|&id| self.tables.get(id).len()).collect();
            if now == old {
                return Ok(());
            }
            let growth = Growth { relations: &growing, old: &old, now: &now };
            for rule in rules.iter_mut() {
                self.evaluate_growth(rule, &growth)?;
            }
            old = now;
        }
    }

    /// The matches that use a new row: each growing literal in turn leads with its new rows, those
    /// before it use all rows, those after it only old ones.
    fn evaluate_growth(&mut self, rule: &mut ReachRule, growth: &Growth) -> Result<(), Halt> {
        for leader in 0..rule.growing.len() {
            let literal = rule.growing[leader];
            if !growth.new_rows(rule.rule.body[literal].relation).is_empty() {
                let plan = rule.leading_plan(self.tables, leader);
                self.evaluate(rule, &plan, growth, Some(literal))?;
            }
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        rule: &ReachRule,
        plan: &Plan,
        growth: &Growth,
        leader: Option<usize>,
    ) -> Result<(), Halt> {
        let head = rule.rule.head;
        let arity = rule.head.len();
        let mut fresh = Relation::new(arity);
        let mut row = Vec::with_capacity(arity);
        let mut matched = false;
        let limit = self.meter.term_depth;
        let mut too_deep = false;
        let tables = &*self.tables;
        let table = tables.get(head);
        let range_of = |literal: usize| {
            let relation = rule.rule.body[literal].relation;
            let len = tables.get(relation).len();
            growth.range(relation, len, leader.map(|leader| literal.cmp(&leader)))
        };
        let outcome = plan.run(
            tables,
            &mut self.program.names,
            self.meter,
            range_of,
            |names, meter, found| {
                matched = true;
                row.clear();
                for source in &rule.head {
                    let term = source.make(names, found.slots);
                    if let Source::Build(_) = source {
                        too_deep |= names.depth(crate::names::GroundTerm::new(term)) > limit;
                    }
                    row.push(term);
                }
                if too_deep {
                    let at = rule.rule.span;
                    return Err(GroundError::Infinite { depth: limit, at }.into());
                }
                if table.find(&row).is_none() && fresh.insert(&row).is_some() {
                    meter.charge(fresh.bytes_per_row());
                    meter.spend(TICKS_PER_ROW)?;
                }
                Ok(())
            },
        );
        if let Err(halt) = outcome {
            self.progress.stuck = Some(head);
            return Err(halt);
        }
        if matched && !matches!(self.program.relations[head].key, Key::Auxiliary(_)) {
            self.progress.applied.insert(rule.rule.span);
        }
        for row in fresh.rows() {
            self.tables.insert(self.program, head, row);
        }
        self.meter.charge(self.tables.take_growth());
        self.meter.tick()
    }
}

/// The rows that growing relations had before this round, and have now.
struct Growth<'a> {
    relations: &'a [RelationId],
    old: &'a [u32],
    now: &'a [u32],
}

impl Growth<'_> {
    fn place(&self, relation: RelationId) -> Option<usize> {
        self.relations.binary_search(&relation).ok()
    }

    fn new_rows(&self, relation: RelationId) -> Range<u32> {
        self.place(relation).map_or(0..0, |place| self.old[place]..self.now[place])
    }

    fn range(
        &self,
        relation: RelationId,
        len: u32,
        side: Option<std::cmp::Ordering>,
    ) -> Range<u32> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match (self.place(relation), side) {
            (None, _) => 0..len,
            (Some(place), None | Some(Less)) => 0..self.now[place],
            (Some(place), Some(Equal)) => self.old[place]..self.now[place],
            (Some(place), Some(Greater)) => 0..self.old[place],
        }
    }
}

fn growing_relations(rules: &[ReachRule]) -> Vec<RelationId> {
    let mut relations: Vec<RelationId> = rules
        .iter()
        .flat_map(|rule| rule.growing.iter().map(|&place| rule.rule.body[place].relation))
        .collect();
    relations.sort_unstable();
    relations.dedup();
    relations
}
