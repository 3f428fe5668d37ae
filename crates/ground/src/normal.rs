//! `Rules` to [`Program`]: negation pushed to the atoms, disjunctions expanded where they are few
//! and named by auxiliary relations where they are many, relations nobody asks for left out.

use gambol_syntax::{Atom, Clause, Rules, Span, Symbol, Term, TermId, keyword};
use gambol_syntax::{Literal as Condition, LiteralId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::names::Names;
use crate::program::{
    Key, Literal, Pattern, Program, Rule, SUCCESSIONS, Sign, Test, shaped_argument,
};
use crate::{GroundError, RelationTables};

/// The program of a rulesheet, with its facts already in the tables. A body is multiplied out into at
/// most `most_alternatives` rules; beyond that its disjunctions get a name.
pub(crate) fn normalise(
    rules: &Rules,
    most_alternatives: usize,
) -> Result<(Program, RelationTables), GroundError> {
    let mut normaliser = Normaliser {
        rules,
        most_alternatives,
        program: Program::new(Names::new(rules.symbols.clone())),
        facts: Vec::new(),
        variables: Vec::new(),
    };
    let relevant = relevant_relations(rules);
    for clause in &rules.clauses {
        if relevant.contains(&(clause.head.relation, clause.head.arguments.len())) {
            normaliser.add_clause(clause)?;
        }
    }
    normaliser.complete_shapes();
    let mut tables = RelationTables::new(&normaliser.program);
    // Roles first: a move counts only if its player is known.
    let role = normaliser.program.relation(Key::Named(keyword::ROLE, 1));
    normaliser.facts.sort_by_key(|&(relation, _)| relation != role);
    tables.cover(&normaliser.program);
    for (relation, arguments) in normaliser.facts {
        tables.insert(&mut normaliser.program, relation, &arguments);
    }
    Ok((normaliser.program, tables))
}

type Signature = (Symbol, usize);

/// The relations that the questions a game must answer depend on.
fn relevant_relations(rules: &Rules) -> FxHashSet<Signature> {
    let mut clauses_of: FxHashMap<Signature, Vec<&Clause>> = FxHashMap::default();
    for clause in &rules.clauses {
        let signature = (clause.head.relation, clause.head.arguments.len());
        clauses_of.entry(signature).or_default().push(clause);
    }
    let mut open: Vec<Signature> = vec![
        (keyword::ROLE, 1),
        (keyword::INIT, 1),
        (keyword::NEXT, 1),
        (keyword::LEGAL, 2),
        (keyword::GOAL, 2),
        (keyword::TERMINAL, 0),
        (keyword::SEES, 2),
    ];
    let mut relevant: FxHashSet<Signature> = open.iter().copied().collect();
    while let Some(signature) = open.pop() {
        for clause in clauses_of.get(&signature).into_iter().flatten() {
            for_each_atom(rules, &clause.body, |atom| {
                let signature = (atom.relation, atom.arguments.len());
                if relevant.insert(signature) {
                    open.push(signature);
                }
            });
        }
    }
    relevant
}

fn for_each_atom<'r>(rules: &'r Rules, body: &'r [LiteralId], mut visit: impl FnMut(&'r Atom)) {
    let mut open: Vec<LiteralId> = body.to_vec();
    while let Some(id) = open.pop() {
        match rules.literal(id) {
            Condition::Atom(atom) => visit(atom),
            Condition::Distinct(..) => {}
            Condition::Not(inner) => open.push(*inner),
            Condition::Or(parts) | Condition::And(parts) => open.extend(parts),
        }
    }
}

/// A body part with negation at the atoms only.
#[derive(Clone, Debug)]
enum Part {
    Literal(Literal),
    Test(Test),
    Or(Vec<Vec<Part>>),
}

/// A head with a body that may still hold disjunctions.
struct Draft {
    head: crate::program::RelationId,
    arguments: Vec<Pattern>,
    body: Vec<Part>,
    span: Span,
}

struct Normaliser<'r> {
    rules: &'r Rules,
    most_alternatives: usize,
    program: Program,
    facts: Vec<(crate::program::RelationId, Vec<u32>)>,
    /// The variables of the current clause, by number.
    variables: Vec<Symbol>,
}

impl Normaliser<'_> {
    fn add_clause(&mut self, clause: &Clause) -> Result<(), GroundError> {
        self.variables.clear();
        let (head, arguments) = self.atom(&clause.head);
        let mut body = Vec::new();
        for &literal in &clause.body {
            self.add_part(literal, true, &mut body);
        }
        self.add_draft(Draft { head, arguments, body, span: clause.span })
    }

    /// Adds what the literal says (or its negation) to a conjunction.
    fn add_part(&mut self, id: LiteralId, positive: bool, conjunction: &mut Vec<Part>) {
        let rules = self.rules;
        match (rules.literal(id), positive) {
            (Condition::Atom(atom), _) => {
                let (relation, arguments) = self.atom(atom);
                let sign = if positive { Sign::Positive } else { Sign::Negative };
                conjunction.push(Part::Literal(Literal { relation, arguments, sign }));
            }
            (&Condition::Distinct(left, right), _) => {
                let (left, right) = (self.pattern(left), self.pattern(right));
                conjunction.push(Part::Test(Test { left, right, equal: !positive }));
            }
            (&Condition::Not(inner), _) => self.add_part(inner, !positive, conjunction),
            (Condition::And(parts), true) | (Condition::Or(parts), false) => {
                for &part in parts {
                    self.add_part(part, positive, conjunction);
                }
            }
            (Condition::Or(parts), true) | (Condition::And(parts), false) => {
                let mut branches = Vec::with_capacity(parts.len());
                for &part in parts {
                    let mut branch = Vec::new();
                    self.add_part(part, positive, &mut branch);
                    branches.push(branch);
                }
                conjunction.push(Part::Or(branches));
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> (crate::program::RelationId, Vec<Pattern>) {
        let arity = atom.arguments.len();
        let mut arguments: Vec<Pattern> = Vec::with_capacity(arity);
        let shaped = shaped_argument(atom.relation, arity);
        let rules = self.rules;
        for (place, &argument) in atom.arguments.iter().enumerate() {
            match rules.term(argument) {
                Term::Function(functor, inner) if shaped == Some(place) => {
                    for &argument in inner {
                        let pattern = self.pattern(argument);
                        arguments.push(pattern);
                    }
                    let key = Key::Shape(atom.relation, functor, small(inner.len()));
                    return (self.program.relation(key), arguments);
                }
                _ => {
                    let pattern = self.pattern(argument);
                    arguments.push(pattern);
                }
            }
        }
        (self.program.relation(Key::Named(atom.relation, small(arity))), arguments)
    }

    /// Recursion is bounded by the reader's limit on nesting.
    fn pattern(&mut self, term: TermId) -> Pattern {
        let rules = self.rules;
        match rules.term(term) {
            Term::Variable(name) => Pattern::Variable(self.variable(name)),
            Term::Function(functor, arguments) => {
                let arguments: Box<[Pattern]> =
                    arguments.iter().map(|&argument| self.pattern(argument)).collect();
                self.application(functor, arguments)
            }
        }
    }

    fn application(&mut self, functor: Symbol, arguments: Box<[Pattern]>) -> Pattern {
        let ground: Option<Vec<_>> = arguments
            .iter()
            .map(|argument| match argument {
                Pattern::Ground(term) => Some(*term),
                _ => None,
            })
            .collect();
        match ground {
            Some(terms) => Pattern::Ground(self.program.names.term(functor, &terms)),
            None => Pattern::Function(functor, arguments),
        }
    }

    fn variable(&mut self, name: Symbol) -> u32 {
        let known = self.variables.iter().position(|&other| other == name);
        small(known.unwrap_or_else(|| {
            self.variables.push(name);
            self.variables.len() - 1
        }))
    }

    fn add_draft(&mut self, draft: Draft) -> Result<(), GroundError> {
        let alternatives = draft.body.iter().try_fold(1usize, |product, part| match part {
            Part::Or(branches) => product.checked_mul(branches.len()),
            _ => Some(product),
        });
        match alternatives {
            Some(0) => Ok(()),
            Some(product) if product <= self.most_alternatives => self.expand(draft),
            _ => self.name_disjunctions(draft),
        }
    }

    /// Multiplies out the first disjunction, if there is one.
    fn expand(&mut self, draft: Draft) -> Result<(), GroundError> {
        let Some(place) = draft.body.iter().position(|part| matches!(part, Part::Or(_))) else {
            return self.add_conjunction(draft);
        };
        let Part::Or(branches) = &draft.body[place] else { return Ok(()) };
        for branch in branches {
            let mut body = draft.body[..place].to_vec();
            body.extend(branch.iter().cloned());
            body.extend_from_slice(&draft.body[place + 1..]);
            let arguments = draft.arguments.clone();
            self.add_draft(Draft { head: draft.head, arguments, body, span: draft.span })?;
        }
        Ok(())
    }

    /// Replaces each disjunction by an atom of a new relation over the variables it shares with the
    /// rest of the rule. Sound: the others, private to the disjunction, are existentially closed
    /// either way, and the guards in the new relation's rules are implied by the rest of the rule.
    fn name_disjunctions(&mut self, draft: Draft) -> Result<(), GroundError> {
        let (mut disjunctions, mut rest): (Vec<Part>, Vec<Part>) =
            draft.body.into_iter().partition(|part| matches!(part, Part::Or(_)));
        let mut outer: Vec<usize> = vec![0; self.variables.len()];
        let mut count = |part: &Part| part.visit_variables(&mut |v| outer[v as usize] += 1);
        rest.iter().chain(&disjunctions).for_each(&mut count);
        draft.arguments.iter().for_each(|pattern| {
            pattern.visit_variables(&mut |variable| outer[variable as usize] += 1);
        });
        while !disjunctions.is_empty() {
            // A variable may get its values from another disjunction: that one has to come first.
            let guards: Vec<Literal> = rest.iter().filter_map(Part::as_guard).collect();
            let known = variables_of_literals(&guards);
            let shared = |part: &Part| shared_variables(part, &outer);
            let is_bound =
                |part: &Part| shared(part).iter().all(|v| known.contains(v) || part.binds(*v));
            let Some(ready) = disjunctions.iter().position(is_bound) else {
                // Only together do they bind what they share.
                rest.append(&mut disjunctions);
                return self.expand(Draft { body: rest, ..draft });
            };
            let disjunction = disjunctions.remove(ready);
            let literal = self.name_disjunction(disjunction, &outer, &guards, draft.span)?;
            rest.push(Part::Literal(literal));
        }
        self.add_conjunction(Draft { body: rest, ..draft })
    }

    fn name_disjunction(
        &mut self,
        disjunction: Part,
        outer: &[usize],
        guards: &[Literal],
        span: Span,
    ) -> Result<Literal, GroundError> {
        let shared: Vec<Pattern> =
            shared_variables(&disjunction, outer).into_iter().map(Pattern::Variable).collect();
        let relation = self.program.auxiliary(shared.len());
        if let Part::Or(branches) = disjunction {
            for mut body in branches {
                add_guards(&mut body, &shared, guards);
                self.add_draft(Draft { head: relation, arguments: shared.clone(), body, span })?;
            }
        }
        Ok(Literal { relation, arguments: shared, sign: Sign::Positive })
    }

    fn add_conjunction(&mut self, draft: Draft) -> Result<(), GroundError> {
        let Draft { head, arguments, body, span } = draft;
        let mut rule =
            Rule { head, arguments, body: Vec::new(), tests: Vec::new(), variables: 0, span };
        for part in body {
            match part {
                Part::Literal(literal) if rule.body.contains(&literal) => {}
                Part::Literal(literal) => rule.body.push(literal),
                Part::Test(test) => match decided(&test) {
                    Some(true) => {}
                    Some(false) => return Ok(()),
                    None => rule.tests.push(test),
                },
                Part::Or(_) => unreachable!("disjunctions are expanded or named before"),
            }
        }
        rule.variables = small(self.variables.len());
        self.refuse_unbound(&rule)?;
        self.keep(rule);
        Ok(())
    }

    fn refuse_unbound(&self, rule: &Rule) -> Result<(), GroundError> {
        let mut bound = vec![false; self.variables.len()];
        for literal in rule.body.iter().filter(|literal| literal.binds()) {
            for pattern in &literal.arguments {
                pattern.visit_variables(&mut |variable| bound[variable as usize] = true);
            }
        }
        let mut unbound = None;
        let mut look = |variable: u32| {
            if !bound[variable as usize] {
                unbound = unbound.or(Some(variable));
            }
        };
        rule.arguments.iter().for_each(|pattern| pattern.visit_variables(&mut look));
        for literal in &rule.body {
            literal.arguments.iter().for_each(|pattern| pattern.visit_variables(&mut look));
        }
        for test in &rule.tests {
            test.left.visit_variables(&mut look);
            test.right.visit_variables(&mut look);
        }
        match unbound {
            None => Ok(()),
            Some(variable) => Err(GroundError::UnsafeVariable {
                variable: self.rules.symbols.text(self.variables[variable as usize]).to_owned(),
                at: rule.span,
            }),
        }
    }

    fn keep(&mut self, rule: Rule) {
        let ground: Option<Vec<u32>> = rule
            .arguments
            .iter()
            .map(|pattern| match pattern {
                Pattern::Ground(term) => Some(term.number()),
                _ => None,
            })
            .collect();
        match ground {
            Some(arguments) if rule.body.is_empty() => self.facts.push((rule.head, arguments)),
            _ => self.program.rules.push(rule),
        }
    }

    /// What `next` or `init` can make true needs a place in `true`; what is legal, one in `does`.
    fn complete_shapes(&mut self) {
        for (from, to) in SUCCESSIONS {
            for (_, functor, arity) in self.program.shapes_of(from) {
                self.program.relation(Key::Shape(to, functor, arity));
            }
        }
    }
}

impl Part {
    fn visit_variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Part::Literal(literal) => {
                literal.arguments.iter().for_each(|pattern| pattern.visit_variables(visit));
            }
            Part::Test(test) => {
                test.left.visit_variables(visit);
                test.right.visit_variables(visit);
            }
            Part::Or(branches) => {
                branches.iter().flatten().for_each(|part| part.visit_variables(visit));
            }
        }
    }

    /// The literal as a filter for an auxiliary relation that stands beside it.
    fn as_guard(&self) -> Option<Literal> {
        match self {
            Part::Literal(literal) if literal.binds() => {
                Some(Literal { sign: Sign::Filter, ..literal.clone() })
            }
            _ => None,
        }
    }

    /// Whether the part gives the variable a value, whichever branch is taken.
    fn binds(&self, variable: u32) -> bool {
        match self {
            Part::Literal(literal) => {
                let mut occurs = false;
                self.visit_variables(&mut |other| occurs |= other == variable);
                literal.binds() && occurs
            }
            Part::Test(_) => false,
            Part::Or(branches) => {
                branches.iter().all(|branch| branch.iter().any(|part| part.binds(variable)))
            }
        }
    }
}

/// The variables of a part that also occur outside it; `outer` counts all occurrences in the rule.
fn shared_variables(part: &Part, outer: &[usize]) -> Vec<u32> {
    let mut inner = vec![0; outer.len()];
    part.visit_variables(&mut |variable| inner[variable as usize] += 1);
    let shared = |&variable: &usize| inner[variable] > 0 && outer[variable] > inner[variable];
    (0..outer.len()).filter(shared).map(small).collect()
}

fn variables_of_literals(literals: &[Literal]) -> FxHashSet<u32> {
    let mut variables = FxHashSet::default();
    for pattern in literals.iter().flat_map(|literal| &literal.arguments) {
        pattern.visit_variables(&mut |variable| _ = variables.insert(variable));
    }
    variables
}

/// A branch may leave variables to the rest of the rule: add what of the rest binds them.
fn add_guards(branch: &mut Vec<Part>, shared: &[Pattern], guards: &[Literal]) {
    let mut wanted: FxHashSet<u32> = FxHashSet::default();
    let mut bound: FxHashSet<u32> = FxHashSet::default();
    shared.iter().for_each(|pattern| pattern.visit_variables(&mut |v| _ = wanted.insert(v)));
    for part in branch.iter() {
        part.visit_variables(&mut |variable| _ = wanted.insert(variable));
        if let Part::Literal(literal) = part
            && literal.binds()
        {
            part.visit_variables(&mut |variable| _ = bound.insert(variable));
        }
    }
    for guard in guards {
        let part = Part::Literal(guard.clone());
        let mut helps = false;
        part.visit_variables(&mut |variable| {
            helps |= wanted.contains(&variable) && !bound.contains(&variable);
        });
        if helps {
            part.visit_variables(&mut |variable| _ = bound.insert(variable));
            branch.push(part);
        }
    }
}

fn decided(test: &Test) -> Option<bool> {
    match (&test.left, &test.right) {
        (left, right) if left == right => Some(test.equal),
        (Pattern::Ground(_), Pattern::Ground(_)) => Some(!test.equal),
        _ => None,
    }
}

fn small(len: usize) -> u32 {
    u32::try_from(len).expect("bounded by the size of the text")
}
