//! Emit: rules to gates. The tables are final, so every rule is joined once; each match is an AND
//! of the signals it met, each atom the OR of its matches.

mod each;
mod families;

use gambol_index::{Components, IndexVec};
use rustc_hash::FxHashMap;

use self::each::Head;
use crate::auxiliary::{Auxiliaries, Definition, canonical};
use crate::cost::{Sizes, merge_bags};
use crate::dependence;
use crate::family::Family;
use crate::formulas::{Formulas, Signal};
use crate::limits::{Halt, Meter};
use crate::program::{
    Key, Literal, Pattern, Program, RelationId, Rule, Sign, Test, shaped_argument,
};
use crate::relation::Relation;
use crate::split::{self, Bag};
use crate::tables::{RelationTables, take_apart};
use crate::{Shortcuts, When};

/// What Reach leaves, to be worked on.
pub(crate) struct Work<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) tables: &'a mut RelationTables,
    pub(crate) auxiliaries: &'a mut Auxiliaries,
}

/// The circuit under construction.
pub(crate) struct Emitter<'a> {
    pub(crate) program: &'a mut Program,
    pub(crate) tables: &'a mut RelationTables,
    pub(crate) dynamic: IndexVec<RelationId, bool>,
    pub(crate) auxiliaries: &'a mut Auxiliaries,
    shortcuts: &'a Shortcuts,
    pub(crate) meter: &'a mut Meter,
    pub(crate) formulas: Formulas,
    /// For relations of the circuit: the signal of each row.
    pub(crate) signals: IndexVec<RelationId, Vec<Signal>>,
    /// What was found for each atom so far: row and signal.
    found: IndexVec<RelationId, Vec<(u32, Signal)>>,
    /// How many of each table's first rows are facts.
    facts: IndexVec<RelationId, u32>,
    shared: FxHashMap<Definition, RelationId>,
    charged: usize,
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(
        work: Work<'a>,
        dynamic: IndexVec<RelationId, bool>,
        facts: IndexVec<RelationId, u32>,
        shortcuts: &'a Shortcuts,
        meter: &'a mut Meter,
    ) -> Self {
        let Work { program, tables, auxiliaries } = work;
        let mut emitter = Self {
            program,
            tables,
            dynamic,
            auxiliaries,
            shortcuts,
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
        let mut bag = split::split(rule, self.shortcuts);
        if self.shortcuts.split == When::WhenItPays {
            merge_bags(&mut bag, &mut self.sizes());
        }
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
                let row = tables.get(rule.head).find(row);
                // Reach joined the same rule with fewer conditions.
                debug_assert!(row.is_some(), "a match that Reach did not find");
                matches.extend(row.map(|row| (row, signal)));
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
        let mut table = Relation::new(shown.len());
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

    /// Reports the head rows and signals of all matches.
    fn join(
        &mut self,
        head: &Head,
        report: impl FnMut(&RelationTables, &[u32], Signal),
    ) -> Result<(), Halt> {
        let Head { body, tests, variables, shown } = head;
        let family = match self.shortcuts.families {
            When::Never => None,
            _ => Family::of(body, tests, *variables, shown, &self.dynamic),
        };
        match family.filter(|_| self.is_large(head)) {
            Some(family) => self.join_family(head, &family, report),
            None => self.join_each(head, report),
        }
    }

    /// Whether a conjunction that has the form of a family is to be treated as one.
    fn is_large(&mut self, head: &Head) -> bool {
        self.shortcuts.families == When::Always
            || self.instances(head) >= self.shortcuts.family_instances
    }

    fn sizes(&mut self) -> Sizes<'_> {
        Sizes { names: &self.program.names, tables: self.tables, dynamic: &self.dynamic }
    }

    fn instances(&mut self, head: &Head) -> f64 {
        let bag =
            Bag { literals: head.body.to_vec(), tests: head.tests.to_vec(), ..Bag::default() };
        self.sizes().instances(&bag)
    }

    fn charge(&mut self) {
        let bytes = self.formulas.len() * 20 + self.formulas.input_count() * 12;
        self.meter.charge(bytes.saturating_sub(self.charged));
        self.charged = self.charged.max(bytes);
    }
}
