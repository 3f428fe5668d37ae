//! Emit: rules to gates. The tables are final, so every rule is joined once; each match is an AND
//! of the signals it met, each atom the OR of its matches.

use fixedbitset::FixedBitSet;
use gambol_index::{Components, IndexVec};
use rustc_hash::FxHashMap;

use crate::auxiliary::{Auxiliaries, Definition, canonical};
use crate::cost::{Sizes, merge_bags};
use crate::dependence;
use crate::family::{Family, Group};
use crate::formulas::{Formulas, Signal};
use crate::join::{Conjunction, Match, Plan, Source, Treatment};
use crate::limits::{Halt, Meter};
use crate::names::Names;
use crate::program::{
    Key, Literal, Pattern, Program, RelationId, Rule, Sign, Test, shaped_argument,
};
use crate::relation::Relation;
use crate::split::{self, Bag};
use crate::tables::{RelationTables, take_apart};

/// A conjunction with so many matches is worth looking at as a family.
const FAMILY_INSTANCES: f64 = 100_000.0;

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
        merge_bags(&mut bag, &mut self.sizes());
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
        let family = Family::of(body, tests, *variables, shown, &self.dynamic);
        match family.filter(|_| self.instances(head) >= FAMILY_INSTANCES) {
            Some(family) => self.join_family(head, &family, report),
            None => self.join_each(head, report),
        }
    }

    fn sizes(&mut self) -> Sizes<'_> {
        Sizes { names: &self.program.names, tables: self.tables, dynamic: &self.dynamic }
    }

    fn instances(&mut self, head: &Head) -> f64 {
        let bag =
            Bag { literals: head.body.to_vec(), tests: head.tests.to_vec(), ..Bag::default() };
        self.sizes().instances(&bag)
    }

    /// As [`Emitter::join_each`], but matches that differ only in the member are one disjunction.
    fn join_family(
        &mut self,
        head: &Head,
        family: &Family,
        mut report: impl FnMut(&RelationTables, &[u32], Signal),
    ) -> Result<(), Halt> {
        let member = &head.body[family.member];
        let (member_table, group_table) = (
            self.projection(head, &[family.member], &[], &family.own)?,
            self.projection(head, &[family.member], &[], &family.group)?,
        );
        let links: Vec<usize> = family.links.iter().copied().chain([family.member]).collect();
        let choice_and_own: Vec<u32> = family.choice.iter().chain(&family.own).copied().collect();
        let pairs = self.projection(head, &links, &family.link_tests, &choice_and_own)?;
        let (choices, chosen) = self.choices(family, pairs, member_table);
        let mut groups: Vec<Group> = Vec::new();
        groups.resize_with(self.tables.get(group_table).len() as usize, Group::default);
        let at = |variable: &u32| {
            member.arguments.iter().position(|pattern| *pattern == Pattern::Variable(*variable))
        };
        let (own_at, group_at): (Vec<_>, Vec<_>) = (
            family.own.iter().filter_map(at).collect::<Vec<usize>>(),
            family.group.iter().filter_map(at).collect::<Vec<usize>>(),
        );
        for (row, &signal) in
            self.tables.get(member.relation).rows().zip(&self.signals[member.relation])
        {
            let pick =
                |columns: &[usize]| columns.iter().map(|&column| row[column]).collect::<Vec<u32>>();
            let own = self.tables.get(member_table).find(&pick(&own_at));
            let group = self.tables.get(group_table).find(&pick(&group_at));
            if let (Some(own), Some(group)) = (own, group)
                && matches_constants(&member.arguments, row)
            {
                groups[group as usize].add(own, signal);
            }
        }
        let atom = |relation: RelationId, variables: &[u32]| Literal {
            relation,
            arguments: variables.iter().map(|&variable| Pattern::Variable(variable)).collect(),
            sign: Sign::Filter,
        };
        let mut body: Vec<Literal> =
            family.outer.iter().map(|&place| head.body[place].clone()).collect();
        body.push(atom(group_table, &family.group));
        body.push(atom(choices, &family.choice));
        let tests: Vec<Test> =
            family.outer_tests.iter().map(|&place| head.tests[place].clone()).collect();
        let rows =
            Head { body: &body, tests: &tests, variables: head.variables, shown: head.shown };
        let (group_literal, choice_literal) = (body.len() - 2, body.len() - 1);
        self.join_rows(&rows, |tables, formulas, row, matched| {
            let group = &mut groups[matched[group_literal] as usize];
            let signal = group.chosen(&chosen[matched[choice_literal] as usize], formulas);
            if signal != Signal::FALSE {
                report(tables, row, signal);
            }
        })
    }

    /// The table of the values that some variables take in the matches of some literals and tests.
    fn projection(
        &mut self,
        head: &Head,
        literals: &[usize],
        tests: &[usize],
        shown: &[u32],
    ) -> Result<RelationId, Halt> {
        let body: Vec<Literal> = literals
            .iter()
            .map(|&place| match head.body[place].sign {
                Sign::Negative => head.body[place].clone(),
                _ => Literal { sign: Sign::Filter, ..head.body[place].clone() },
            })
            .collect();
        let tests: Vec<Test> = tests.iter().map(|&place| head.tests[place].clone()).collect();
        let shown: Vec<Pattern> =
            shown.iter().map(|&variable| Pattern::Variable(variable)).collect();
        let relation = self.program.auxiliary(shown.len());
        self.cover();
        let mut table = Relation::new(shown.len());
        let head = Head { body: &body, tests: &tests, variables: head.variables, shown: &shown };
        self.join_rows(&head, |_, _, row, _| _ = table.insert(row))?;
        *self.tables.get_mut(relation) = table;
        Ok(relation)
    }

    /// From pairs of choice and member: the choices, and the members that each contains.
    fn choices(
        &mut self,
        family: &Family,
        pairs: RelationId,
        members: RelationId,
    ) -> (RelationId, Vec<FixedBitSet>) {
        let width = family.choice.len();
        let relation = self.program.auxiliary(width);
        self.cover();
        let (mut table, mut chosen) = (Relation::new(width), Vec::new());
        let members = self.tables.get(members);
        for row in self.tables.get(pairs).rows() {
            let (choice, new) = table.insert_or_find(&row[..width]);
            if new {
                chosen.push(FixedBitSet::with_capacity(members.len() as usize));
            }
            if let Some(member) = members.find(&row[width..]) {
                chosen[choice as usize].insert(member as usize);
            }
        }
        *self.tables.get_mut(relation) = table;
        (relation, chosen)
    }

    /// Reports the head row of each match, with the row that each literal matched. No gates are made.
    fn join_rows(
        &mut self,
        head: &Head,
        mut report: impl FnMut(&RelationTables, &mut Formulas, &[u32], &[u32]),
    ) -> Result<(), Halt> {
        let wanted = head.wanted();
        let plan = Plan::new(&head.conjunction(&wanted), self.tables, None, |_: &Literal| {
            Treatment::Existence
        });
        let shown: Vec<Source> = head.shown.iter().map(Source::of).collect();
        let (tables, formulas) = (&*self.tables, &mut self.formulas);
        let range_of = |literal: usize| 0..tables.get(head.body[literal].relation).len();
        let (mut row, mut matched) = (Vec::new(), vec![0; head.body.len()]);
        plan.run(tables, &mut self.program.names, self.meter, range_of, |names, _, found| {
            row.clear();
            row.extend(shown.iter().map(|source| source.make(names, found.slots)));
            for (step, &number) in plan.steps.iter().zip(found.rows) {
                matched[step.literal] = number;
            }
            report(tables, formulas, &row, &matched);
            Ok(())
        })
    }

    /// Reports the head row and the signal of each match.
    fn join_each(
        &mut self,
        head: &Head,
        mut report: impl FnMut(&RelationTables, &[u32], Signal),
    ) -> Result<(), Halt> {
        let wanted = head.wanted();
        let conjunction = head.conjunction(&wanted);
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
        plan.run(tables, &mut self.program.names, self.meter, range_of, |names, _, found| {
            let signal = gates.signal(formulas, tables, signals, names, found);
            if signal != Signal::FALSE {
                row.clear();
                row.extend(shown.iter().map(|source| source.make(names, found.slots)));
                report(tables, &row, signal);
            }
            Ok(())
        })?;
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

impl Head<'_> {
    fn wanted(&self) -> Vec<bool> {
        let mut wanted = vec![false; self.variables as usize];
        for pattern in self.shown {
            pattern.visit_variables(&mut |variable| wanted[variable as usize] = true);
        }
        wanted
    }

    fn conjunction<'a>(&'a self, wanted: &'a [bool]) -> Conjunction<'a> {
        Conjunction { body: self.body, tests: self.tests, variables: self.variables, wanted }
    }
}

fn matches_constants(arguments: &[Pattern], row: &[u32]) -> bool {
    arguments.iter().enumerate().all(|(column, pattern)| match pattern {
        Pattern::Ground(term) => term.number() == row[column],
        // A variable that occurs twice must have one value.
        Pattern::Variable(_) => arguments[..column]
            .iter()
            .zip(row)
            .all(|(earlier, &value)| earlier != pattern || value == row[column]),
        Pattern::Function(..) => true,
    })
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

    fn signal(
        &mut self,
        formulas: &mut Formulas,
        tables: &RelationTables,
        signals: &IndexVec<RelationId, Vec<Signal>>,
        names: &mut Names,
        found: Match,
    ) -> Signal {
        let absent = |names: &mut Names, (relation, key): &(RelationId, Vec<Source>)| {
            let row: Vec<u32> = key.iter().map(|source| source.make(names, found.slots)).collect();
            let row = tables.get(*relation).find(&row);
            row.map_or(Signal::TRUE, |row| !signals[*relation][row as usize])
        };
        if self.prefix.is_empty() {
            let mut all = Signal::TRUE;
            for negative in &self.before {
                let signal = absent(names, negative);
                all = formulas.and([all, signal]);
            }
            self.prefix.push(all);
        }
        self.prefix.truncate(found.changed + 1);
        for level in self.prefix.len() - 1..self.steps.len() {
            let (positive, negatives) = &self.steps[level];
            let mut all = self.prefix[level];
            if let Some(relation) = positive {
                all = formulas.and([all, signals[*relation][found.rows[level] as usize]]);
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
