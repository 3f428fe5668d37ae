//! Roles: declared as constants, each with something legal and a goal; and the goals' values.

use rustc_hash::FxHashSet;

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::Survey;
use crate::{
    Atom, Category, Clause, Diagnosis, Rules, Symbol, Term, TermId, closest, is_similar, keyword,
};

pub(super) fn check(survey: &Survey<'_>, findings: &mut Findings) {
    let rules = survey.rules;
    let roles = check_declarations(rules, findings);
    check_missing(survey, findings);
    let mut misspelt = Vec::new();
    for (&category, relation) in
        [(&Category::RoleWithoutLegal, keyword::LEGAL), (&Category::RoleWithoutGoal, keyword::GOAL)]
    {
        if survey.is_defined(relation, 2) {
            check_covered(survey, &roles, relation, category, &mut misspelt, findings);
        }
    }
    check_names(rules, &roles, misspelt, findings);
    findings.extend(rules.clauses.iter().filter_map(|clause| goal_value(rules, &clause.head)));
}

/// A role and the clause that declares it first.
type Role<'a> = (Symbol, &'a Clause);

fn check_declarations<'a>(rules: &'a Rules, findings: &mut Findings) -> Vec<Role<'a>> {
    let mut seen = FxHashSet::default();
    let mut roles = Vec::new();
    for clause in &rules.clauses {
        let (keyword::ROLE, &[role]) = (clause.head.relation, clause.head.arguments.as_slice())
        else {
            continue;
        };
        if !clause.body.is_empty() {
            let message = "a role declared by a rule with conditions";
            findings.add(
                Diagnosis::error(Category::RoleRule, clause.head.span, message)
                    .with_hint("write one fact (role name) for each role"),
            );
        }
        match rules.term(role) {
            Term::Function(name, []) if seen.insert(name) => roles.push((name, clause)),
            Term::Function(name, []) => {
                let message = format!("the role {} is declared twice", text(rules, name));
                let span = clause.head.span;
                findings.add(Diagnosis::warning(Category::DuplicateRole, span, message));
            }
            Term::Function(..) => findings.add(
                Diagnosis::error(
                    Category::RoleNotConstant,
                    rules.term_span(role),
                    "a role must be a constant",
                )
                .with_hint("give the role a plain name"),
            ),
            Term::Variable(_) => {}
        }
    }
    roles
}

fn check_missing(survey: &Survey<'_>, findings: &mut Findings) {
    let needed = [
        (keyword::ROLE, 1, Category::MissingRole, "there is no role", "add (role name)"),
        (keyword::LEGAL, 2, Category::MissingLegal, "nothing is legal", "add (legal role move)"),
        (keyword::GOAL, 2, Category::MissingGoal, "there is no goal", "add (goal role value)"),
        (
            keyword::TERMINAL,
            0,
            Category::MissingTerminal,
            "the game never ends",
            "add a rule (<= terminal condition …)",
        ),
    ];
    for (relation, arity, category, message, hint) in needed {
        // With another arity it has been reported as such.
        let stated = survey.rules.clauses.iter().any(|clause| clause.head.relation == relation);
        if survey.is_defined(relation, arity) || stated {
            continue;
        }
        findings.add(match super::relations::misspelt_definition(survey, relation) {
            Some(span) => Diagnosis::error(category, span, message)
                .with_hint(format!("did you mean {}?", survey.rules.symbols.text(relation))),
            None => Diagnosis::error_of_text(category, message).with_hint(hint),
        });
    }
}

/// Whether each role fits the first argument of some head of `relation`.
fn check_covered(
    survey: &Survey<'_>,
    roles: &[Role<'_>],
    relation: Symbol,
    category: Category,
    misspelt: &mut Vec<Symbol>,
    findings: &mut Findings,
) {
    let rules = survey.rules;
    let mut named = FxHashSet::default();
    let mut undeclared: Vec<(Symbol, TermId)> = Vec::new();
    for &clause in survey.find(relation, 2).map_or(&[][..], |id| &survey.clauses_of[id]) {
        let role = rules.clauses[clause].head.arguments[0];
        match rules.term(role) {
            Term::Variable(_) => return,
            Term::Function(name, []) => {
                named.insert(name);
                if !roles.iter().any(|&(declared, _)| declared == name) {
                    undeclared.push((name, role));
                }
            }
            Term::Function(..) => {}
        }
    }
    for &(role, clause) in roles {
        if !named.contains(&role) {
            let relation = rules.symbols.text(relation);
            let spelt = rules.symbols.text(role);
            let role = shown(spelt);
            let message = format!("no {relation} head can name the role {role}");
            let slip = |(name, _): &&(Symbol, TermId)| is_similar(rules.symbols.text(*name), spelt);
            if let Some(&(name, place)) = undeclared.iter().find(slip) {
                // What stands in several places is spelt as it should be.
                let often = uses_as_role(rules, name) > 1;
                let (span, meant) = if often {
                    (clause.head.span, text(rules, name))
                } else {
                    (rules.term_span(place), role)
                };
                if !misspelt.contains(&name) {
                    let finding = Diagnosis::error(category, span, message);
                    findings.add(finding.with_hint(format!("did you mean {meant}?")));
                }
                misspelt.push(name);
                continue;
            }
            findings.add(
                Diagnosis::error(category, clause.head.span, message)
                    .with_hint(format!("add a rule for ({relation} {role} …)")),
            );
        }
    }
}

/// How often a constant stands where a role must stand.
fn uses_as_role(rules: &Rules, name: Symbol) -> usize {
    let names_role = |atom: &Atom| {
        matches!(atom.relation, keyword::DOES | keyword::LEGAL | keyword::GOAL)
            && atom.arguments.first().is_some_and(|&role| rules.constant(role) == Some(name))
    };
    super::atoms(rules).filter(|(atom, _)| names_role(atom)).count()
}

/// Each undeclared role is reported where it first stands.
/// Those that have been reported as misspelt are left out.
fn check_names(rules: &Rules, roles: &[Role<'_>], misspelt: Vec<Symbol>, findings: &mut Findings) {
    if roles.is_empty() {
        return;
    }
    let mut known: FxHashSet<Symbol> = roles.iter().map(|&(name, _)| name).collect();
    known.extend(misspelt);
    for (atom, _) in super::atoms(rules) {
        let names_role = matches!(atom.relation, keyword::DOES | keyword::LEGAL | keyword::GOAL);
        let &[role, _] = atom.arguments.as_slice() else { continue };
        if let Some(name) = rules.constant(role)
            && names_role
            && known.insert(name)
        {
            let message = format!("{} is not declared as a role", text(rules, name));
            let span = rules.term_span(role);
            let finding = Diagnosis::warning(Category::UnknownRole, span, message);
            let declared = roles.iter().map(|&(role, _)| rules.symbols.text(role));
            findings.add(match closest(rules.symbols.text(name), declared) {
                Some(meant) => finding.with_hint(format!("did you mean {}?", shown(meant))),
                None => finding,
            });
        }
    }
}

fn goal_value(rules: &Rules, head: &Atom) -> Option<Diagnosis> {
    let (keyword::GOAL, &[_, value]) = (head.relation, head.arguments.as_slice()) else {
        return None;
    };
    let valid = match rules.term(value) {
        Term::Variable(_) => true,
        Term::Function(name, []) => is_goal_value(rules.symbols.text(name)),
        Term::Function(..) => false,
    };
    (!valid).then(|| {
        let message = "a goal value must be a whole number from 0 to 100";
        Diagnosis::error(Category::GoalValue, rules.term_span(value), message)
    })
}

fn is_goal_value(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<u32>().is_ok_and(|value| value <= 100)
}

fn text(rules: &Rules, name: Symbol) -> String {
    shown(rules.symbols.text(name))
}
