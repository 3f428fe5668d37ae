//! Safety: a positive condition of the body binds every variable that the head, a negation or a
//! `distinct` needs.
//!
//! One pass from the leaves up computes for each literal which variables it binds and which it
//! needs. An atom binds its variables; `distinct` and `not` need theirs; a conjunction binds what
//! any part binds, and its other parts may need that; a disjunction binds what every branch binds.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::is_mistaken;
use crate::{
    Category, Clause, Diagnosis, Literal, LiteralId, Rules, Symbol, TermId, edit_distance,
    is_similar_variable, keyword,
};

/// Variables, each with its first occurrence.
type Variables = FxHashMap<Symbol, TermId>;

pub(super) fn check(rules: &Rules, findings: &mut Findings) {
    for clause in rules.clauses.iter().filter(|clause| !is_mistaken(rules, clause.head.relation)) {
        for (variable, occurrence) in unbound_variables(rules, clause) {
            findings.add(diagnosis(rules, clause, variable, occurrence));
        }
    }
}

fn diagnosis(rules: &Rules, clause: &Clause, variable: Symbol, occurrence: TermId) -> Diagnosis {
    let name = shown(rules.symbols.text(variable));
    let span = rules.term_span(occurrence);
    let diagnosis = if clause.body.is_empty() {
        Diagnosis::error(Category::FactVariable, span, format!("the variable {name} in a fact"))
    } else {
        let message = format!("no positive condition binds the variable {name}");
        Diagnosis::error(Category::Unsafe, span, message)
    };
    if let Some(meant) = meant_by(rules, clause, variable) {
        let occurs =
            |name: &str| rules.symbols.find(name).map_or(0, |name| occurrences(rules, name));
        let (here, there) = (occurs(rules.symbols.text(variable)), occurs(meant));
        let hint = match here.cmp(&there) {
            Ordering::Greater => format!("did you mean ?{name} where ?{} stands?", shown(meant)),
            Ordering::Equal => format!("?{name} and ?{} are two variables", shown(meant)),
            Ordering::Less => format!("did you mean ?{}?", shown(meant)),
        };
        diagnosis.with_hint(hint)
    } else if let Some(constant) = constant_spelt_alike(rules, clause, variable) {
        diagnosis.with_hint(format!("did you mean ?{name} where {} stands?", shown(constant)))
    } else if is_role_argument(rules, clause, variable) {
        diagnosis.with_hint(format!("add the condition (role ?{name})"))
    } else {
        diagnosis.with_hint(format!("add a condition that names the values of {name}"))
    }
}

/// So many names are compared at most; people write fewer.
const MOST_NAMES: usize = 500;

/// How often a variable occurs in all rules together.
fn occurrences(rules: &Rules, variable: Symbol) -> usize {
    let atoms = super::atoms(rules).map(|(atom, _)| &atom.arguments);
    let variables = atoms.flat_map(|arguments| rules.variables_of(arguments)).take(20 * MOST_NAMES);
    variables.filter(|&(name, _)| name == variable).count()
}

/// The variable that an unbound one was meant to be: one that is spelt alike.
fn meant_by<'a>(rules: &'a Rules, clause: &Clause, variable: Symbol) -> Option<&'a str> {
    let text = rules.symbols.text(variable);
    let atoms = rules.conditions(&clause.body).filter_map(|condition| {
        match rules.literal(condition.literal) {
            Literal::Atom(atom) if !condition.negated => Some(atom),
            _ => None,
        }
    });
    let mut others = atoms.flat_map(|atom| rules.variables_of(&atom.arguments)).take(MOST_NAMES);
    let meant = others.find(|&(other, _)| is_similar_variable(text, rules.symbols.text(other)));
    let meant = meant.map(|(other, _)| other).or_else(|| sole_partner(rules, clause, variable));
    meant.map(|other| rules.symbols.text(other))
}

/// The only variable that a positive condition binds and nothing else speaks of, if it is a letter away.
fn sole_partner(rules: &Rules, clause: &Clause, variable: Symbol) -> Option<Symbol> {
    let in_body = rules.conditions(&clause.body).take(MOST_NAMES).flat_map(|condition| {
        let (terms, binds) = match rules.literal(condition.literal) {
            Literal::Atom(atom) => (atom.arguments.clone(), !condition.negated),
            Literal::Distinct(left, right) => (vec![*left, *right], false),
            _ => (Vec::new(), false),
        };
        let names: Vec<Symbol> = rules.variables_of(&terms).map(|(name, _)| name).collect();
        names.into_iter().map(move |name| (name, binds))
    });
    let in_head = rules.variables_of(&clause.head.arguments).map(|(name, _)| (name, false));
    // For each variable how often it occurs, and whether it is bound where it does.
    let mut uses: FxHashMap<Symbol, (usize, bool)> = FxHashMap::default();
    for (name, binds) in in_body.chain(in_head).take(MOST_NAMES) {
        let known = uses.entry(name).or_insert((0, false));
        *known = (known.0 + 1, known.1 || binds);
    }
    let own = rules.symbols.text(variable);
    let alike = |name: Symbol| edit_distance(own, rules.symbols.text(name)) == 1;
    let mut fitting =
        uses.iter().filter(|&(&name, &(count, binds))| count == 1 && binds && alike(name));
    let (&partner, _) = fitting.next()?;
    fitting.next().is_none().then_some(partner)
}

/// A constant of the rule that was meant to be the variable: it has its name, and occurs nowhere else.
fn constant_spelt_alike<'a>(
    rules: &'a Rules,
    clause: &Clause,
    variable: Symbol,
) -> Option<&'a str> {
    let text = rules.symbols.text(variable);
    let constants = |arguments: &[TermId]| -> Vec<Symbol> {
        let terms = arguments.iter().flat_map(|&argument| rules.subterms(argument));
        terms.filter_map(|term| rules.constant(term)).collect()
    };
    let of_clause = rules.conditions(&clause.body).filter_map(|condition| {
        match rules.literal(condition.literal) {
            Literal::Atom(atom) => Some(&atom.arguments),
            _ => None,
        }
    });
    let mut own = std::iter::once(&clause.head.arguments).chain(of_clause);
    let alike = own.find_map(|arguments| {
        let named = |name: &Symbol| rules.symbols.text(*name).eq_ignore_ascii_case(text);
        constants(arguments).into_iter().find(named)
    })?;
    let all = super::atoms(rules).flat_map(|(atom, _)| constants(&atom.arguments));
    let alone = all.filter(|&name| name == alike).nth(1).is_none();
    alone.then(|| rules.symbols.text(alike))
}

/// Whether the variable stands where the head names a role.
pub(crate) fn is_role_argument(rules: &Rules, clause: &Clause, variable: Symbol) -> bool {
    let names_role = matches!(
        clause.head.relation,
        keyword::LEGAL | keyword::GOAL | keyword::INPUT | keyword::SEES
    );
    let [first, _] = clause.head.arguments.as_slice() else { return false };
    names_role && rules.term(*first) == crate::Term::Variable(variable)
}

/// The variables that nothing binds, with the first occurrence that needs binding, in the order of
/// the text.
pub(crate) fn unbound_variables(rules: &Rules, clause: &Clause) -> Vec<(Symbol, TermId)> {
    let mut body = Scope::default();
    for &literal in &clause.body {
        body.conjoin(scope(rules, literal));
    }
    for (variable, occurrence) in rules.variables_of(&clause.head.arguments) {
        body.need(rules, variable, occurrence);
    }
    body.settle();
    let mut unbound: Vec<(Symbol, TermId)> = body.needs.into_iter().collect();
    unbound.sort_by_key(|&(_, occurrence)| rules.term_span(occurrence));
    unbound
}

/// What a literal does to variables.
#[derive(Default)]
struct Scope {
    binds: Variables,
    needs: Variables,
}

impl Scope {
    fn of_terms(rules: &Rules, terms: &[TermId]) -> Variables {
        let mut variables = Variables::default();
        for (variable, occurrence) in rules.variables_of(terms) {
            variables.entry(variable).or_insert(occurrence);
        }
        variables
    }

    fn need(&mut self, rules: &Rules, variable: Symbol, occurrence: TermId) {
        let first = self.needs.entry(variable).or_insert(occurrence);
        if rules.term_span(occurrence) < rules.term_span(*first) {
            *first = occurrence;
        }
    }

    fn conjoin(&mut self, other: Scope) {
        merge(&mut self.binds, other.binds);
        merge(&mut self.needs, other.needs);
    }

    fn disjoin(&mut self, other: Scope) {
        let (mut fewer, more) = if self.binds.len() <= other.binds.len() {
            (std::mem::take(&mut self.binds), other.binds)
        } else {
            (other.binds, std::mem::take(&mut self.binds))
        };
        fewer.retain(|variable, _| more.contains_key(variable));
        self.binds = fewer;
        merge(&mut self.needs, other.needs);
    }

    /// Needs that are met inside are no longer needs.
    fn settle(&mut self) {
        let binds = &self.binds;
        self.needs.retain(|variable, _| !binds.contains_key(variable));
    }

    fn negate(mut self) -> Scope {
        merge(&mut self.needs, std::mem::take(&mut self.binds));
        self
    }
}

/// Adds the smaller table to the larger. Term ids grow along the text, so the first occurrence is
/// the one with the smaller id.
#[expect(clippy::iter_over_hash_type, reason = "the minimum does not depend on the order")]
fn merge(into: &mut Variables, mut other: Variables) {
    if other.len() > into.len() {
        std::mem::swap(into, &mut other);
    }
    for (variable, occurrence) in other {
        into.entry(variable)
            .and_modify(|first| *first = occurrence.min(*first))
            .or_insert(occurrence);
    }
}

/// The scope of a literal, from its parts up.
fn scope(rules: &Rules, root: LiteralId) -> Scope {
    let mut open = vec![(root, 0)];
    let mut ready: Vec<Scope> = Vec::new();
    while let Some((literal, done)) = open.pop() {
        let parts = parts(rules, literal);
        if let Some(&part) = parts.get(done) {
            open.push((literal, done + 1));
            open.push((part, 0));
        } else {
            let scopes = ready.split_off(ready.len() - parts.len());
            ready.push(join(rules, literal, scopes));
        }
    }
    ready.pop().unwrap_or_default()
}

fn parts(rules: &Rules, literal: LiteralId) -> &[LiteralId] {
    match rules.literal(literal) {
        Literal::Atom(_) | Literal::Distinct(..) => &[],
        Literal::Not(part) => std::slice::from_ref(part),
        Literal::Or(parts) | Literal::And(parts) => parts,
    }
}

fn join(rules: &Rules, literal: LiteralId, scopes: Vec<Scope>) -> Scope {
    let mut scopes = scopes.into_iter();
    match rules.literal(literal) {
        Literal::Atom(atom) => {
            Scope { binds: Scope::of_terms(rules, &atom.arguments), needs: Variables::default() }
        }
        Literal::Distinct(left, right) => {
            Scope { binds: Variables::default(), needs: Scope::of_terms(rules, &[*left, *right]) }
        }
        Literal::Not(_) => scopes.next().unwrap_or_default().negate(),
        Literal::Or(_) => {
            let mut whole = scopes.next().unwrap_or_default();
            scopes.for_each(|branch| whole.disjoin(branch));
            whole
        }
        Literal::And(_) => {
            let mut whole = Scope::default();
            scopes.for_each(|part| whole.conjoin(part));
            whole.settle();
            whole
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ReadOptions, read};

    fn unbound(rule: &str) -> Vec<String> {
        let rules = read(rule.as_bytes(), &ReadOptions::default()).rules.unwrap();
        let unbound = super::unbound_variables(&rules, &rules.clauses[0]);
        unbound.iter().map(|&(variable, _)| rules.symbols.text(variable).to_owned()).collect()
    }

    #[test]
    fn a_positive_condition_binds_wherever_it_stands() {
        assert!(unbound("(<= (p ?x) (distinct ?x a) (not (q ?x)) (r ?x))").is_empty());
    }

    #[test]
    fn negation_and_distinct_bind_nothing() {
        assert_eq!(unbound("(<= (p ?x) (not (distinct ?x 3)))"), ["x"]);
        assert_eq!(unbound("(<= p (not (not (q ?x))))"), ["x"]);
        assert_eq!(unbound("(<= (p ?y ?x) q)"), ["y", "x"]);
    }

    #[test]
    fn a_disjunction_binds_what_every_branch_binds() {
        assert!(unbound("(<= (p ?x) (or (q ?x) (r ?x ?y)))").is_empty());
        assert_eq!(unbound("(<= (p ?x) (or (q ?x) r))"), ["x"]);
        assert_eq!(unbound("(<= (p ?x) (or))"), ["x"]);
    }

    #[test]
    fn a_branch_may_need_what_it_or_the_rule_binds() {
        assert!(unbound("(<= p (q ?x) (or (distinct ?x a) (and (r ?y) (not (s ?y)))))").is_empty());
        assert_eq!(unbound("(<= p (or (q ?x) (distinct ?x a)))"), ["x"]);
    }
}
