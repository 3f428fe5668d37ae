//! How the conditions of a rule are tried: a small program for the [join machine](crate::join).
//!
//! Conditions have no order, so each step takes what is cheapest with the variables bound so far.
//! Conditions that share no variable with the head or with one another are only asked whether they
//! can be met at all: sixty conditions with two answers each are sixty questions, not 2^60.

use std::collections::BTreeSet;

use gambol_index::IndexVec;
use gambol_syntax::{Symbol, Symbols};

use crate::ReferenceError;
use crate::calls::{Call, CallId, Calls};
use crate::estimate::{estimate, estimate_call};
use crate::program::{Condition, Pattern, RelationId, Rule, RuleTerm, Slot};
use crate::table::{Descent, Path, Probe, Table};
use crate::terms::{GroundTerm, Terms};

/// Variables of a rule.
pub(crate) type Slots = BTreeSet<Slot>;

/// A term to be compared with one of a row.
#[derive(Clone, Debug)]
pub(crate) enum Match {
    /// The variable's first occurrence: it takes the term.
    Bind(Slot),
    /// The variable's value must be the term.
    Check(Slot),
    /// This must be the term.
    Is(GroundTerm),
    /// The term must be made by this function of matching arguments.
    Function(Symbol, Vec<Match>),
}

/// Rows of a relation that match a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) relation: RelationId,
    /// The index that finds them; none to look at all rows.
    pub(crate) index: Option<usize>,
    /// The terms that make its key.
    pub(crate) key: Vec<RuleTerm>,
    pub(crate) columns: Vec<Match>,
}

/// An instruction of the join machine.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Have the answers to this call for this key in its table, and go on.
    Call { call: CallId, key: Vec<RuleTerm> },
    /// Go on with each matching row; with `recent` with those new in this round only, with `once`
    /// with one of them only.
    Scan { access: Access, recent: bool, once: bool },
    /// Go on if the atom, all of whose variables are bound, holds (or does not). `inside` marks an
    /// atom whose truth the stratum at work decides.
    Lookup { pattern: Pattern, holds: bool, inside: bool },
    /// Go on if the terms are equal (or differ).
    Compare { left: RuleTerm, right: RuleTerm, equal: bool },
    /// Go on at each of these steps.
    Either(Vec<usize>),
    /// Go on at this step.
    Jump(usize),
    /// A question begins whose answer is yes or no.
    Enter,
    /// The answer is yes: forget the other ways to find it.
    Leave,
    /// The head holds.
    Derive,
}

/// The ways to evaluate one rule.
#[derive(Clone, Debug)]
pub(crate) struct RulePlan {
    /// From all rows.
    pub(crate) full: Vec<Step>,
    /// From the recent rows of one relation of the same stratum, for each such condition.
    pub(crate) recent: Vec<(RelationId, Vec<Step>)>,
}

/// How to evaluate one rule for some columns of its head.
#[derive(Clone, Debug)]
pub(crate) struct CallPlan {
    /// What the key's terms must be.
    pub(crate) key: Vec<Match>,
    pub(crate) steps: Vec<Step>,
}

/// What a plan is made for: tables of the present sizes.
pub(crate) struct Plannable<'a> {
    pub(crate) symbols: &'a Symbols,
    pub(crate) terms: &'a Terms,
    pub(crate) tables: &'a mut IndexVec<RelationId, Table>,
    pub(crate) calls: &'a mut Calls,
    pub(crate) rule: &'a Rule,
    /// Which of the rule's atoms depend on its own stratum.
    pub(crate) inside: &'a [bool],
}

/// Plans a rule.
pub(crate) fn plan_rule(given: Plannable<'_>) -> Result<RulePlan, ReferenceError> {
    let (rule, inside) = (given.rule, given.inside);
    let mut planner = Planner { given, steps: Vec::new() };
    let full = planner.full()?;
    let mut recent = Vec::new();
    for (number, relation) in recursive_atoms(rule, inside) {
        recent.push((relation, planner.focused(number)?));
    }
    Ok(RulePlan { full, recent })
}

/// Plans a rule for a call.
pub(crate) fn plan_call(given: Plannable<'_>, call: &Call) -> Result<CallPlan, ReferenceError> {
    let rule = given.rule;
    let mut bound = Slots::new();
    let columns = rule.head.arguments.iter().zip(&call.bound).filter(|(_, bound)| **bound);
    let key = columns.map(|(term, _)| matcher(term, &mut bound)).collect();
    let mut planner = Planner { given, steps: Vec::new() };
    let steps = planner.rule_body(rule.body.iter().collect(), bound)?;
    Ok(CallPlan { key, steps })
}

fn recursive_atoms(rule: &Rule, inside: &[bool]) -> Vec<(usize, RelationId)> {
    let mut atoms = Vec::new();
    for condition in &rule.body {
        condition.visit_atoms(&mut |number, holds, pattern| {
            if holds && inside[number] {
                atoms.push((number, pattern.relation));
            }
        });
    }
    atoms
}

/// Splitting a conjunction into independent parts is worth its time up to this many conditions.
const SPLIT: usize = 256;

struct Planner<'a> {
    given: Plannable<'a>,
    steps: Vec<Step>,
}

impl<'a> Planner<'a> {
    fn full(&mut self) -> Result<Vec<Step>, ReferenceError> {
        self.rule_body(self.given.rule.body.iter().collect(), Slots::new())
    }

    fn focused(&mut self, number: usize) -> Result<Vec<Step>, ReferenceError> {
        let mut rest = Vec::new();
        let mut bound = Slots::new();
        for condition in &self.given.rule.body {
            match focus(condition, number, &mut rest) {
                Some(pattern) => self.scan(pattern, &mut bound, true, false),
                None => rest.push(condition),
            }
        }
        self.rule_body(rest, bound)
    }

    fn rule_body(
        &mut self,
        conditions: Vec<&'a Condition>,
        mut bound: Slots,
    ) -> Result<Vec<Step>, ReferenceError> {
        let mut live = Slots::new();
        for argument in &self.given.rule.head.arguments {
            argument.visit_variables(&mut |slot| {
                live.insert(slot);
            });
        }
        self.conjunction(conditions, &mut bound, &live, false)?;
        if let Some(&slot) = live.difference(&bound).next() {
            return Err(self.unsafe_variable(slot));
        }
        self.steps.push(Step::Derive);
        Ok(std::mem::take(&mut self.steps))
    }

    /// Emits steps that go on once for each way to bind the variables `live` (and, unless
    /// `testing`, perhaps more often).
    fn conjunction(
        &mut self,
        conditions: Vec<&'a Condition>,
        bound: &mut Slots,
        live: &Slots,
        testing: bool,
    ) -> Result<(), ReferenceError> {
        let mut rest = Vec::new();
        flatten(conditions, &mut rest);
        loop {
            self.tests(&mut rest, bound)?;
            if rest.is_empty() {
                return Ok(());
            }
            if rest.len() <= SPLIT && self.split(&mut rest, bound, live, testing)? {
                continue;
            }
            let best = self.cheapest(&rest, bound, live)?;
            let condition = rest.remove(best);
            self.bind(condition, &rest, bound, live)?;
        }
    }

    /// Emits the conditions that bind nothing.
    fn tests(
        &mut self,
        rest: &mut Vec<&'a Condition>,
        bound: &Slots,
    ) -> Result<(), ReferenceError> {
        let (mut ready, waiting): (Vec<_>, Vec<_>) =
            rest.iter().partition(|condition| variables(condition).is_subset(bound));
        *rest = waiting;
        ready.sort_by_key(|condition| self.effort(condition));
        for condition in ready {
            self.test(condition, bound)?;
        }
        Ok(())
    }

    /// The order of tests: what takes little time first.
    fn effort(&self, condition: &Condition) -> usize {
        let (mut atoms, mut calls) = (0, 0);
        condition.visit_atoms(&mut |_, _, pattern| {
            atoms += 1;
            calls += usize::from(self.given.calls.is_called(pattern.relation));
        });
        atoms + calls * 1_000
    }

    fn test(&mut self, condition: &'a Condition, bound: &Slots) -> Result<(), ReferenceError> {
        match condition {
            Condition::Holds(pattern, number) | Condition::Fails(pattern, number) => {
                let holds = matches!(condition, Condition::Holds(..));
                let inside = self.given.inside[*number];
                let relation = self.answers(pattern, bound);
                let pattern = Pattern { relation, arguments: pattern.arguments.clone() };
                self.steps.push(Step::Lookup { pattern, holds, inside });
            }
            Condition::Equal(left, right, equal) => {
                let (left, right) = (left.clone(), right.clone());
                self.steps.push(Step::Compare { left, right, equal: *equal });
            }
            Condition::All(_) | Condition::Any(_) => self.exists(vec![condition], bound)?,
        }
        Ok(())
    }

    /// Emits the parts of a conjunction that have nothing to do with the rest as questions. Says
    /// whether there were any.
    fn split(
        &mut self,
        rest: &mut Vec<&'a Condition>,
        bound: &Slots,
        live: &Slots,
        testing: bool,
    ) -> Result<bool, ReferenceError> {
        let groups = groups(rest, bound);
        if testing && groups.len() == 1 {
            return Ok(false);
        }
        let needed = |group: &Group<'a>| group.open.intersection(live).next().is_some();
        let (open, closed): (Vec<Group<'a>>, Vec<Group<'a>>) = groups.into_iter().partition(needed);
        if closed.is_empty() {
            return Ok(false);
        }
        *rest = open.into_iter().flat_map(|group| group.conditions).collect();
        for group in closed {
            self.exists(group.conditions, bound)?;
        }
        Ok(true)
    }

    /// Emits the question whether the conditions can be met together.
    fn exists(
        &mut self,
        conditions: Vec<&'a Condition>,
        bound: &Slots,
    ) -> Result<(), ReferenceError> {
        let mut bound = bound.clone();
        if let [Condition::Holds(pattern, _)] = conditions[..] {
            self.scan(pattern, &mut bound, false, true);
            return Ok(());
        }
        self.steps.push(Step::Enter);
        match conditions[..] {
            [Condition::Any(parts)] => self.either(parts, &bound, &Slots::new(), true)?,
            _ => self.conjunction(conditions, &mut bound, &Slots::new(), true)?,
        }
        self.steps.push(Step::Leave);
        Ok(())
    }

    fn cheapest(
        &self,
        rest: &[&'a Condition],
        bound: &Slots,
        live: &Slots,
    ) -> Result<usize, ReferenceError> {
        let mut best: Option<(f64, usize)> = None;
        for (place, condition) in rest.iter().enumerate() {
            let Some(cost) = self.cost(place, condition, rest, bound, live) else { continue };
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, place));
            }
        }
        best.map(|(_, place)| place).ok_or_else(|| {
            let open = rest.iter().flat_map(|condition| variables(condition));
            let slot = open.into_iter().find(|slot| !bound.contains(slot));
            self.unsafe_variable(slot.unwrap_or(0))
        })
    }

    fn cost(
        &self,
        place: usize,
        condition: &Condition,
        rest: &[&'a Condition],
        bound: &Slots,
        live: &Slots,
    ) -> Option<f64> {
        match condition {
            Condition::Holds(pattern, _) => Some(self.estimate(pattern, bound)),
            Condition::Any(parts) => {
                let others = rest.iter().enumerate().filter(|&(other, _)| other != place);
                let others: Vec<&Condition> = others.map(|(_, condition)| *condition).collect();
                let outer = outer_variables(condition, &others, bound, live);
                let ready = parts.iter().all(|part| {
                    let mut binds = binds(part);
                    binds.extend(bound);
                    outer.is_subset(&binds) && is_safe(part, bound)
                });
                ready.then(|| parts.iter().map(|part| self.least_cost(part, bound)).sum())
            }
            _ => None,
        }
    }

    /// The cost of the cheapest atom of a condition, as a guess for the whole.
    fn least_cost(&self, condition: &Condition, bound: &Slots) -> f64 {
        let mut least = f64::INFINITY;
        condition.visit_atoms(&mut |_, holds, pattern| {
            if holds {
                least = least.min(self.estimate(pattern, bound));
            }
        });
        if least.is_finite() { least } else { 1.0 }
    }

    fn estimate(&self, pattern: &Pattern, bound: &Slots) -> f64 {
        if self.given.calls.is_called(pattern.relation) {
            let bound = bound_columns(pattern, bound);
            return estimate_call(bound.iter().filter(|&&bound| !bound).count());
        }
        let (probes, key) = probes(pattern, bound);
        estimate(self.given.terms, &self.given.tables[pattern.relation], &probes, &key)
    }

    /// Emits a condition that binds variables.
    fn bind(
        &mut self,
        condition: &'a Condition,
        rest: &[&'a Condition],
        bound: &mut Slots,
        live: &Slots,
    ) -> Result<(), ReferenceError> {
        let outer = outer_variables(condition, rest, bound, live);
        match condition {
            Condition::Holds(pattern, _) => {
                self.scan(pattern, bound, false, outer.is_empty());
                Ok(())
            }
            Condition::Any(parts) => {
                self.either(parts, bound, &outer, false)?;
                bound.extend(outer);
                Ok(())
            }
            // `flatten` opened conjunctions, and the others bind nothing.
            _ => Ok(()),
        }
    }

    fn scan(&mut self, pattern: &Pattern, bound: &mut Slots, recent: bool, once: bool) {
        let relation = self.answers(pattern, bound);
        let (probes, key) = probes(pattern, bound);
        let table = &mut self.given.tables[relation];
        let index = (!probes.is_empty()).then(|| table.index(self.given.terms, &probes));
        let columns = pattern.arguments.iter().map(|term| matcher(term, bound)).collect();
        let access = Access { relation, index, key, columns };
        self.steps.push(Step::Scan { access, recent, once });
    }

    /// The table to look at; emits the call that fills it if the relation is answered so.
    fn answers(&mut self, pattern: &Pattern, bound: &Slots) -> RelationId {
        let relation = pattern.relation;
        let Plannable { terms, tables, calls, .. } = &mut self.given;
        if !calls.is_called(relation) {
            return relation;
        }
        let bound = bound_columns(pattern, bound);
        let columns = pattern.arguments.iter().zip(&bound).filter(|(_, bound)| **bound);
        let key = columns.map(|(term, _)| term.clone()).collect();
        let call = calls.call(terms, tables, relation, bound);
        self.steps.push(Step::Call { call, key });
        calls.get(call).answers
    }

    fn either(
        &mut self,
        parts: &'a [Condition],
        bound: &Slots,
        outer: &Slots,
        testing: bool,
    ) -> Result<(), ReferenceError> {
        let choice = self.steps.len();
        self.steps.push(Step::Either(Vec::new()));
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for part in parts {
            starts.push(self.steps.len());
            self.conjunction(vec![part], &mut bound.clone(), outer, testing)?;
            ends.push(self.steps.len());
            self.steps.push(Step::Jump(0));
        }
        let after = self.steps.len();
        for end in ends {
            self.steps[end] = Step::Jump(after);
        }
        self.steps[choice] = Step::Either(starts);
        Ok(())
    }

    fn unsafe_variable(&self, slot: Slot) -> ReferenceError {
        let name = self.given.rule.variables.get(slot).map(|&name| self.given.symbols.text(name));
        let variable = name.unwrap_or_default().to_owned();
        ReferenceError::Unsafe { variable, at: self.given.rule.span }
    }
}

/// Finds the atom with this number; the conditions that must hold along with it go to `rest`. Of a
/// disjunction only the part with the atom is kept.
fn focus<'a>(
    condition: &'a Condition,
    number: usize,
    rest: &mut Vec<&'a Condition>,
) -> Option<&'a Pattern> {
    let mut condition = condition;
    if !contains(condition, number) {
        return None;
    }
    loop {
        match condition {
            Condition::Holds(pattern, _) => return Some(pattern),
            Condition::All(parts) | Condition::Any(parts) => {
                let found = parts.iter().position(|part| contains(part, number))?;
                if matches!(condition, Condition::All(_)) {
                    let others = parts.iter().enumerate().filter(|&(place, _)| place != found);
                    rest.extend(others.map(|(_, part)| part));
                }
                condition = &parts[found];
            }
            Condition::Fails(..) | Condition::Equal(..) => return None,
        }
    }
}

fn contains(condition: &Condition, number: usize) -> bool {
    let mut found = false;
    condition.visit_atoms(&mut |other, _, _| found |= other == number);
    found
}

/// Opens nested conjunctions.
fn flatten<'a>(conditions: Vec<&'a Condition>, flat: &mut Vec<&'a Condition>) {
    for condition in conditions {
        match condition {
            Condition::All(parts) => flatten(parts.iter().collect(), flat),
            other => flat.push(other),
        }
    }
}

/// Which columns of a pattern have no unbound variable.
fn bound_columns(pattern: &Pattern, bound: &Slots) -> Vec<bool> {
    let is_bound = |term: &RuleTerm| {
        let mut all = true;
        term.visit_variables(&mut |slot| all &= bound.contains(&slot));
        all
    };
    pattern.arguments.iter().map(is_bound).collect()
}

fn variables(condition: &Condition) -> Slots {
    let mut found = Slots::new();
    condition.visit_variables(&mut |slot| {
        found.insert(slot);
    });
    found
}

/// The unbound variables of a condition that others need.
fn outer_variables(
    condition: &Condition,
    others: &[&Condition],
    bound: &Slots,
    live: &Slots,
) -> Slots {
    let mut needed = live.clone();
    for other in others {
        needed.extend(variables(other));
    }
    variables(condition)
        .intersection(&needed)
        .filter(|slot| !bound.contains(slot))
        .copied()
        .collect()
}

/// The variables a condition binds whichever way it is met.
fn binds(condition: &Condition) -> Slots {
    match condition {
        Condition::Holds(..) => variables(condition),
        Condition::Fails(..) | Condition::Equal(..) => Slots::new(),
        Condition::All(parts) => parts.iter().flat_map(binds).collect(),
        Condition::Any(parts) => {
            let all = parts.iter().map(binds);
            all.reduce(|one, other| &one & &other).unwrap_or_default()
        }
    }
}

/// Whether negations and comparisons have their variables bound.
fn is_safe(condition: &Condition, bound: &Slots) -> bool {
    match condition {
        Condition::Holds(..) => true,
        Condition::Fails(..) | Condition::Equal(..) => variables(condition).is_subset(bound),
        Condition::All(parts) => {
            let bound = bound | &binds(condition);
            parts.iter().all(|part| is_safe(part, &bound))
        }
        Condition::Any(parts) => parts.iter().all(|part| is_safe(part, bound)),
    }
}

/// Conditions connected by unbound variables.
struct Group<'a> {
    conditions: Vec<&'a Condition>,
    open: Slots,
}

fn groups<'a>(rest: &[&'a Condition], bound: &Slots) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for &condition in rest {
        let mut open = variables(condition);
        open.retain(|slot| !bound.contains(slot));
        let touches = |group: &Group<'a>| group.open.intersection(&open).next().is_some();
        let (joined, apart): (Vec<_>, Vec<_>) = groups.into_iter().partition(touches);
        groups = apart;
        let mut conditions = Vec::new();
        for group in joined {
            conditions.extend(group.conditions);
            open.extend(group.open);
        }
        conditions.push(condition);
        groups.push(Group { conditions, open });
    }
    groups
}

/// What an index can ask of the rows of a pattern, and the terms that make the key.
fn probes(pattern: &Pattern, bound: &Slots) -> (Vec<Probe>, Vec<RuleTerm>) {
    let (mut probes, mut key) = (Vec::new(), Vec::new());
    for (column, argument) in pattern.arguments.iter().enumerate() {
        let path = Path { column, descents: Vec::new() };
        add_probes(argument, path, bound, &mut probes, &mut key);
    }
    (probes, key)
}

fn add_probes(
    term: &RuleTerm,
    path: Path,
    bound: &Slots,
    probes: &mut Vec<Probe>,
    key: &mut Vec<RuleTerm>,
) {
    let (mut any_bound, mut all_bound) = (matches!(term, RuleTerm::Ground(_)), true);
    term.visit_variables(&mut |slot| {
        any_bound |= bound.contains(&slot);
        all_bound &= bound.contains(&slot);
    });
    if all_bound {
        probes.push(Probe::Key(path));
        key.push(term.clone());
        return;
    }
    let RuleTerm::Function(name, arguments) = term else { return };
    if !any_bound && !arguments.iter().any(has_ground) {
        probes.push(Probe::Function(path, *name, arguments.len()));
        return;
    }
    for (place, argument) in arguments.iter().enumerate() {
        let mut path = path.clone();
        path.descents.push(Descent { name: *name, arity: arguments.len(), argument: place });
        add_probes(argument, path, bound, probes, key);
    }
}

fn has_ground(term: &RuleTerm) -> bool {
    match term {
        RuleTerm::Ground(_) => true,
        RuleTerm::Variable(_) => false,
        RuleTerm::Function(_, arguments) => arguments.iter().any(has_ground),
    }
}

/// The term to compare, noting which variables it binds.
fn matcher(term: &RuleTerm, bound: &mut Slots) -> Match {
    match term {
        RuleTerm::Ground(term) => Match::Is(*term),
        RuleTerm::Variable(slot) if bound.insert(*slot) => Match::Bind(*slot),
        RuleTerm::Variable(slot) => Match::Check(*slot),
        RuleTerm::Function(name, arguments) => {
            let arguments = arguments.iter().map(|term| matcher(term, bound)).collect();
            Match::Function(*name, arguments)
        }
    }
}
