//! Emit: rules to gates. The tables are final, so every rule is joined once; each match is an AND
//! of the signals it met, each atom the OR of its matches.

use gambol_index::{Components, IndexVec};
use rustc_hash::FxHashMap;

use crate::auxiliary::{Auxiliaries, Definition, canonical};
use crate::cost::{Sizes, merge_bags};
use crate::dependence;
use crate::formulas::{Formulas, Signal};
use crate::join::{Conjunction, Plan, Source, Treatment};
use crate::limits::{Halt, Meter};
use crate::names::Names;
use crate::program::{
    Key, Literal, Pattern, Program, RelationId, Rule, Sign, Test, shaped_argument,
};
use crate::split::{self, Bag};
use crate::tables::{RelationTables, take_apart};

/// The circuit under construction.
pub(crate) struct Emitter<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) tables: &'a mut RelationTables,
    pub(crate) dynamic: IndexVec<RelationId, bool>,
    pub(crate) auxiliaries: &'a mut Auxiliaries,
    pub(crate) meter: &'a mut Meter,
    pub(crate) formulas: Formulas,
    /// For relations of the circuit: the signal of each row.
    pub(crate) signals: IndexVec<RelationId, Vec<Signal>>,
    /// What was found for each atom so far: row and signal.
    found: IndexVec<RelationId, Vec<(u32, Signal)>>,
    /// Rows that are facts: the first so many of each table.
    facts: IndexVec<RelationId, u32>,
    shared: FxHashMap<Definition, RelationId>,
    charged: usize,
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(
        program: &'a mut Program,
        tables: &'a mut RelationTables,
        dynamic: IndexVec<RelationId, bool>,
        auxiliaries: &'a mut Auxiliaries,
        facts: IndexVec<RelationId, u32>,
        meter: &'a mut Meter,
    ) -> Self {
        let mut emitter = Self {
            program,
            tables,
            dynamic,
            auxiliaries,
            meter,
            formulas: Formulas::new(),
            signals: IndexVec::new(),
            found: IndexVec::new(),
            facts,
            shared: FxHashMap::default(),
            charged: 0,
        };
        emitter.cover();
        emitter
    }

    /// Makes room for relations that were added since.
    fn cover(&mut self) {
        self.tables.cover(self.program);
        while self.signals.len() < self.program.relations.len() {
            self.signals.push(Vec::new());
            self.found.push(Vec::new());
        }
        while self.dynamic.len() < self.program.relations.len() {
            self.dynamic.push(false);
        }
        while self.facts.len() < self.program.relations.len() {
            self.facts.push(0);
        }
    }

    /// Emits all relations of the circuit. The signals of `true` and `does` must be set.
    pub(crate) fn emit(&mut self) -> Result<(), Halt> {
        let graph = dependence::dependencies(self.program);
        let components = Components::of(&graph);
        let mut rules_of: Vec<Vec<Rule>> = vec![Vec::new(); graph.len()];
        for rule in std::mem::take(&mut self.program.rules) {
            rules_of[rule.head.number() as usize].push(rule);
        }
        for component in 0..u32::try_from(components.len()).expect("fewer than 2^32 relations") {
            let members: Vec<RelationId> = components
                .members(component)
                .iter()
                .map(|&member| RelationId::new(member))
                .filter(|&relation| self.dynamic[relation] && self.signals[relation].is_empty())
                .collect();
            let cyclic = components.is_cyclic(&graph, component);
            self.emit_component(&members, cyclic, &mut rules_of)?;
        }
        Ok(())
    }

    fn emit_component(
        &mut self,
        members: &[RelationId],
        cyclic: bool,
        rules_of: &mut [Vec<Rule>],
    ) -> Result<(), Halt> {
        let (open, plain): (Vec<RelationId>, Vec<RelationId>) =
            members.iter().partition(|&&relation| self.is_open(relation));
        if cyclic {
            for &relation in &plain {
                let rows = self.tables.get(relation).len();
                self.signals[relation] = (0..rows).map(|_| self.formulas.open_or()).collect();
            }
        }
        for &relation in &open {
            self.copy_open_signals(relation);
        }
        for &relation in members {
            for rule in std::mem::take(&mut rules_of[relation.number() as usize]) {
                self.emit_rule(&rule)?;
            }
        }
        for &relation in &plain {
            self.gather(relation, cyclic);
        }
        Ok(())
    }

    fn is_open(&self, relation: RelationId) -> bool {
        matches!(self.program.relations[relation].key, Key::Named(name, arity)
            if shaped_argument(name, arity as usize).is_some())
    }

    /// The rows of an open relation are those of its shapes.
    fn copy_open_signals(&mut self, open: RelationId) {
        let origins = self.tables.origins(open).unwrap_or_default();
        let signal = |&(shape, row): &(RelationId, u32)| {
            // A shape that is no part of the circuit holds facts.
            self.signals[shape].get(row as usize).copied().unwrap_or(Signal::TRUE)
        };
        self.signals[open] = origins.iter().map(signal).collect();
    }

    /// Makes each atom the OR of what was found for it.
    fn gather(&mut self, relation: RelationId, cyclic: bool) {
        let mut found = std::mem::take(&mut self.found[relation]);
        found.extend((0..self.facts[relation]).map(|row| (row, Signal::TRUE)));
        found.sort_unstable();
        found.dedup();
        let rows = self.tables.get(relation).len();
        let mut rest = &found[..];
        for row in 0..rows {
            let end = rest.partition_point(|&(other, _)| other <= row);
            let inputs = rest[..end].iter().map(|&(_, signal)| signal);
            if cyclic {
                let open = self.signals[relation][row as usize];
                self.formulas.close_or(open, inputs);
            } else {
                let signal = self.formulas.or(inputs);
                self.signals[relation].push(signal);
            }
            rest = &rest[end..];
        }
    }

    fn emit_rule(&mut self, rule: &Rule) -> Result<(), Halt> {
        let mut bag = split::split(rule);
        merge_bags(&mut bag, &mut Sizes { tables: self.tables, dynamic: &self.dynamic });
        let (body, tests) = self.emit_children(bag)?;
        let conjunction =
            Head { body: &body, tests: &tests, variables: rule.variables, shown: &rule.arguments };
        let mut matches = Vec::new();
        let open = match self.program.relations[rule.head].key {
            Key::Named(name, _) if self.is_open(rule.head) => Some(name),
            _ => None,
        };
        if let Some(name) = open {
            let mut rows = Vec::new();
            self.join(&conjunction, |_, row, signal| rows.push((row.to_vec(), signal)))?;
            for (row, signal) in rows {
                let (shape, row) = take_apart(self.program, name, &row);
                self.cover();
                if let Some(row) = self.tables.get(shape).find(&row) {
                    self.found[shape].push((row, signal));
                }
            }
        } else {
            self.join(&conjunction, |tables, row, signal| {
                if let Some(row) = tables.get(rule.head).find(row) {
                    matches.push((row, signal));
                }
            })?;
            self.found[rule.head].append(&mut matches);
        }
        Ok(())
    }

    /// Replaces the children of a bag by atoms of relations of their own.
    fn emit_children(&mut self, bag: Bag) -> Result<(Vec<Literal>, Vec<Test>), Halt> {
        let Bag { mut literals, tests, children, .. } = bag;
        for child in children {
            let guard = child.children.is_empty()
                && child.literals.iter().all(|literal| literal.sign == Sign::Filter);
            let interface = child.interface.clone();
            let (body, inner_tests) = self.emit_children(child)?;
            let usage = canonical(body, inner_tests, &interface);
            let relation = self.emit_auxiliary(usage.definition)?;
            let sign = if guard { Sign::Filter } else { Sign::Positive };
            literals.push(Literal { relation, arguments: usage.arguments, sign });
        }
        Ok((literals, tests))
    }

    fn emit_auxiliary(&mut self, definition: Definition) -> Result<RelationId, Halt> {
        if let Some(&known) = self.shared.get(&definition) {
            return Ok(known);
        }
        let dynamic = definition
            .body
            .iter()
            .any(|literal| literal.sign != Sign::Filter && self.dynamic[literal.relation]);
        if !dynamic && let Some(known) = self.auxiliaries.find(&definition) {
            return Ok(known);
        }
        let relation = self.program.auxiliary(definition.shown.len());
        self.cover();
        self.dynamic[relation] = dynamic;
        let shown: Vec<Pattern> =
            definition.shown.iter().map(|&variable| Pattern::Variable(variable)).collect();
        let head = Head {
            body: &definition.body,
            tests: &definition.tests,
            variables: definition.variables,
            shown: &shown,
        };
        let mut table = crate::relation::Relation::new(shown.len());
        let mut matches = Vec::new();
        self.join(&head, |_, row, signal| {
            let (row, _) = table.insert_or_find(row);
            if dynamic {
                matches.push((row, signal));
            }
        })?;
        *self.tables.get_mut(relation) = table;
        if dynamic {
            self.found[relation] = matches;
            self.gather(relation, false);
        }
        self.shared.insert(definition, relation);
        Ok(relation)
    }

    /// Reports the head row and the signal of each match.
    fn join(
        &mut self,
        head: &Head,
        mut report: impl FnMut(&RelationTables, &[u32], Signal),
    ) -> Result<(), Halt> {
        let mut wanted = vec![false; head.variables as usize];
        for pattern in head.shown {
            pattern.visit_variables(&mut |variable| wanted[variable as usize] = true);
        }
        let conjunction = Conjunction {
            body: head.body,
            tests: head.tests,
            variables: head.variables,
            wanted: &wanted,
        };
        let dynamic = &self.dynamic;
        let plan = Plan::new(&conjunction, self.tables, None, |literal: &Literal| {
            let gates = literal.sign != Sign::Filter && dynamic[literal.relation];
            if gates { Treatment::Rows } else { Treatment::Existence }
        });
        let shown: Vec<Source> = head.shown.iter().map(Source::of).collect();
        let mut gates = Prefixes::new(&plan, head.body, dynamic);
        let (tables, signals, formulas) = (&*self.tables, &self.signals, &mut self.formulas);
        let range_of = |literal: usize| 0..tables.get(head.body[literal].relation).len();
        let mut row: Vec<u32> = Vec::with_capacity(shown.len());
        plan.run(
            tables,
            &mut self.program.names,
            self.meter,
            range_of,
            |names, slots, rows, changed| {
                let signal = gates.signal(formulas, tables, signals, names, slots, rows, changed);
                if signal != Signal::FALSE {
                    row.clear();
                    row.extend(shown.iter().map(|source| source.make(names, slots)));
                    report(tables, &row, signal);
                }
                Ok(())
            },
        )?;
        self.charge();
        self.meter.tick()
    }

    fn charge(&mut self) {
        let bytes = self.formulas.len() * 20 + self.formulas.input_count() * 12;
        self.meter.charge(bytes.saturating_sub(self.charged));
        self.charged = self.charged.max(bytes);
    }
}

/// A conjunction, and what it shows of its matches.
struct Head<'a> {
    body: &'a [Literal],
    tests: &'a [Test],
    variables: u32,
    shown: &'a [Pattern],
}

/// The AND of what the first steps of a plan met: matches that agree on them share it.
struct Prefixes {
    /// Per step: the relation whose row's signal counts, and the negative literals decided there.
    steps: Vec<(Option<RelationId>, Vec<(RelationId, Vec<Source>)>)>,
    before: Vec<(RelationId, Vec<Source>)>,
    prefix: Vec<Signal>,
}

impl Prefixes {
    fn new(plan: &Plan, body: &[Literal], dynamic: &IndexVec<RelationId, bool>) -> Self {
        let lookup = |&place: &usize| {
            let literal = &body[place];
            (literal.relation, literal.arguments.iter().map(Source::of).collect())
        };
        let steps = plan
            .steps
            .iter()
            .map(|step| {
                let literal = &body[step.literal];
                let gates = literal.sign != Sign::Filter && dynamic[literal.relation];
                (gates.then_some(literal.relation), step.negatives.iter().map(lookup).collect())
            })
            .collect();
        Self {
            steps,
            before: plan.negatives_before.iter().map(lookup).collect(),
            prefix: Vec::new(),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn signal(
        &mut self,
        formulas: &mut Formulas,
        tables: &RelationTables,
        signals: &IndexVec<RelationId, Vec<Signal>>,
        names: &mut Names,
        slots: &[u32],
        rows: &[u32],
        changed: usize,
    ) -> Signal {
        let absent = |names: &mut Names, (relation, key): &(RelationId, Vec<Source>)| {
            let row: Vec<u32> = key.iter().map(|source| source.make(names, slots)).collect();
            let found = tables.get(*relation).find(&row);
            found.map_or(Signal::TRUE, |row| !signals[*relation][row as usize])
        };
        if self.prefix.is_empty() {
            let mut all = Signal::TRUE;
            for negative in &self.before {
                let signal = absent(names, negative);
                all = formulas.and([all, signal]);
            }
            self.prefix.push(all);
        }
        self.prefix.truncate(changed + 1);
        for level in self.prefix.len() - 1..self.steps.len() {
            let (positive, negatives) = &self.steps[level];
            let mut all = self.prefix[level];
            if let Some(relation) = positive {
                all = formulas.and([all, signals[*relation][rows[level] as usize]]);
            }
            for negative in negatives {
                let signal = absent(names, negative);
                all = formulas.and([all, signal]);
            }
            self.prefix.push(all);
        }
        self.prefix[self.steps.len()]
    }
}
