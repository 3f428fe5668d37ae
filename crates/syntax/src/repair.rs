//! The lenient reading for play: a player must not refuse a game that its referee can run.
//!
//! Most of what the strict check calls an error has a second reading, given here with a warning.
//! What remains an error: connectives with the wrong number of conditions, variables that nothing
//! can bind, `true` or `does` defined, and no role. After repair
//!
//! - `legal`, `goal` and `terminal` do not depend on `does`, nor `init`, `base`, `input` and `role`
//!   on `true` or `does`;
//! - every rule is safe, and every role is a constant stated as a fact;
//! - every game relation has its arity, and `init`, `next` and `sees` stand in heads only: in other
//!   places they have become ordinary relations with new names such as `next@2`;
//! - other relations are told apart by name and arity.

mod detach;
mod only_role;
mod rename;

use rustc_hash::FxHashSet;

use crate::check::safety::{is_role_argument, unbound_variables};
use crate::diagnosis::has_errors;
use crate::survey::{is_mistaken, keyword_arity};
use crate::{
    Atom, Category, Clause, Diagnosis, Literal, Rules, Severity, Span, Symbol, Term, check, keyword,
};

/// Rules made fit for play.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The rules, unless an error remains.
    pub rules: Option<Rules>,
    /// The findings of the strict check, as warnings where play has a reading for them.
    pub diagnoses: Vec<Diagnosis>,
}

/// Reads rules as play does.
pub fn repair(mut rules: Rules) -> Repaired {
    let strict = check(&rules);
    let mistakes = mistaken_conditions(&rules);
    let mut completed = only_role::Completed::default();
    if has_errors(&strict) {
        completed = only_role::complete(&mut rules);
        drop_clauses(&mut rules);
        bind_roles(&mut rules);
        drop_unsafe_declarations(&mut rules);
        rename::rename_odd_relations(&mut rules);
        detach::detach_start(&mut rules);
        rename::separate_conditions_from_heads(&mut rules);
        detach::detach_state(&mut rules);
    }
    let unbound = unbound_places(&rules);
    let roles_lost = !rules.clauses.iter().any(|clause| is_relation(&clause.head, keyword::ROLE));
    let refused =
        roles_lost || !mistakes.is_empty() || !unbound.is_empty() || has_bad_heads(&rules);
    let mut diagnoses: Vec<Diagnosis> = strict
        .into_iter()
        .map(|finding| in_play(finding, &mistakes, &unbound, roles_lost))
        .map(|finding| only_role::explain(finding, &completed))
        .collect();
    if refused && !has_errors(&diagnoses) {
        let (category, message) = if roles_lost {
            (Category::MissingRole, "no role is stated as a fact")
        } else {
            (Category::LimitFindings, "one of the findings that are not listed cannot be mended")
        };
        diagnoses.push(Diagnosis::error_of_text(category, message));
    }
    Repaired { rules: (!refused).then_some(rules), diagnoses }
}

/// Whether something is defined that play cannot read: the state, the moves, or a role that is no
/// constant.
fn has_bad_heads(rules: &Rules) -> bool {
    rules.clauses.iter().map(|clause| &clause.head).any(|head| match head.relation {
        keyword::TRUE | keyword::DOES => is_relation(head, head.relation),
        keyword::ROLE => {
            is_relation(head, keyword::ROLE) && rules.constant(head.arguments[0]).is_none()
        }
        _ => false,
    })
}

/// Where a connective has the wrong number of conditions. Standing alone it is an ordinary name that
/// nothing defines.
fn mistaken_conditions(rules: &Rules) -> FxHashSet<Span> {
    let conditions = rules.clauses.iter().flat_map(|clause| rules.conditions(&clause.body));
    let atoms = conditions.filter_map(|condition| match rules.literal(condition.literal) {
        Literal::Atom(atom) if atom.relation.is_connective() => Some(atom),
        _ => None,
    });
    let mistaken = atoms.filter(|atom| !atom.arguments.is_empty());
    mistaken.flat_map(|atom| [atom.span, rules.name_span(atom.span)]).collect()
}

fn unbound_places(rules: &Rules) -> FxHashSet<Span> {
    let unbound = rules.clauses.iter().flat_map(|clause| unbound_variables(rules, clause));
    unbound.map(|(_, occurrence)| rules.term_span(occurrence)).collect()
}

/// The second reading of a strict finding.
fn in_play(
    mut finding: Diagnosis,
    mistakes: &FxHashSet<Span>,
    unbound: &FxHashSet<Span>,
    roles_lost: bool,
) -> Diagnosis {
    let here = |places: &FxHashSet<Span>| finding.span.is_some_and(|span| places.contains(&span));
    let reading = match finding.category {
        Category::KeywordArity => {
            Some("it is read as an ordinary relation, or left out if nothing uses it")
        }
        Category::ReservedWord | Category::ConnectiveArity | Category::UnknownConnective
            if !here(mistakes) =>
        {
            Some("it is read as an ordinary name")
        }
        Category::RoleRule if !roles_lost => Some("the rule is left out"),
        Category::BodyKeyword => Some("it is read as an ordinary relation"),
        Category::InitDepends => Some("it is read with nothing true and nobody moving"),
        Category::DoesDependence => Some(
            "it is read with nobody moving; what a move brings about belongs into the state: let next \
             make a fluent true, and ask for that fluent",
        ),
        Category::MissingLegal | Category::RoleWithoutLegal => Some("the role cannot move"),
        Category::MissingGoal | Category::RoleWithoutGoal => Some("the goal is undefined"),
        Category::MissingTerminal => Some("the game never ends by itself"),
        Category::GoalValue => Some("a value that is no number is left out"),
        Category::ArityMismatch => Some("the two are read as different names"),
        Category::Unsafe | Category::FactVariable if !here(unbound) => {
            Some("the variable is read as a role, or the clause left out if nothing uses it")
        }
        Category::Recursion => Some("it is tried, up to a depth of terms"),
        Category::LimitFindings => Some("each is read like those that are listed"),
        _ => None,
    };
    if let Some(reading) = reading {
        finding.severity = Severity::Warning;
        finding.hint = Some(format!("in play {reading}"));
    }
    finding
}

/// Removes what play ignores: declarations of another dialect, roles by rule, goals that are no
/// numbers, and what states or defines a connective.
fn drop_clauses(rules: &mut Rules) {
    let used = used_relations(rules);
    let clauses = std::mem::take(&mut rules.clauses);
    let ignored = |clause: &Clause| {
        let (head, arity) = (&clause.head, clause.head.arguments.len());
        match head.relation {
            keyword::BASE | keyword::INPUT => {
                keyword_arity(head.relation) != Some(arity)
                    && !used.contains(&(head.relation, arity))
            }
            keyword::ROLE => arity == 1 && !clause.body.is_empty(),
            keyword::GOAL => arity == 2 && !may_be_number(rules, head),
            relation => is_mistaken(rules, relation),
        }
    };
    let kept = clauses.into_iter().filter(|clause| !ignored(clause)).collect();
    rules.clauses = kept;
}

fn used_relations(rules: &Rules) -> FxHashSet<(Symbol, usize)> {
    let conditions = rules.clauses.iter().flat_map(|clause| rules.conditions(&clause.body));
    let relations = conditions.filter_map(|condition| match rules.literal(condition.literal) {
        Literal::Atom(atom) => Some((atom.relation, atom.arguments.len())),
        _ => None,
    });
    relations.collect()
}

fn may_be_number(rules: &Rules, goal: &Atom) -> bool {
    match rules.term(goal.arguments[1]) {
        Term::Variable(_) => true,
        Term::Function(name, []) => rules.symbols.text(name).parse::<u32>().is_ok(),
        Term::Function(..) => false,
    }
}

/// Adds `(role ?x)` where `?x` names a role and nothing binds it: a prover that is asked role by
/// role does the same.
fn bind_roles(rules: &mut Rules) {
    for index in 0..rules.clauses.len() {
        let clause = &rules.clauses[index];
        let unbound = unbound_variables(rules, clause);
        let role = unbound.into_iter().find(|&(name, _)| is_role_argument(rules, clause, name));
        if let Some((_, occurrence)) = role {
            let span = rules.term_span(occurrence);
            let atom = Atom { relation: keyword::ROLE, arguments: vec![occurrence], span };
            let condition = rules.add_literal(Literal::Atom(atom), span);
            rules.clauses[index].body.push(condition);
        }
    }
}

/// What nothing reads is no reason to refuse: `base` and `input` are advice, and relations that no
/// condition uses belong to other programs.
fn drop_unsafe_declarations(rules: &mut Rules) {
    let used = used_relations(rules);
    let clauses = std::mem::take(&mut rules.clauses);
    let ignored = |clause: &Clause| {
        let (relation, arity) = (clause.head.relation, clause.head.arguments.len());
        let declares = matches!(relation, keyword::BASE | keyword::INPUT)
            || keyword_arity(relation) != Some(arity);
        declares
            && !used.contains(&(relation, arity))
            && !unbound_variables(rules, clause).is_empty()
    };
    let kept = clauses.into_iter().filter(|clause| !ignored(clause)).collect();
    rules.clauses = kept;
}

fn is_relation(atom: &Atom, relation: Symbol) -> bool {
    atom.relation == relation && keyword_arity(relation) == Some(atom.arguments.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, print, read};

    const GAME: &str = "(role r) (legal r go) (goal r 100) (<= (next q) (does r go))";

    fn repaired(more: &str) -> Repaired {
        let text = format!("{GAME} (<= terminal (true q)) {more}");
        repair(read(text.as_bytes(), &ReadOptions::default()).rules.unwrap())
    }

    fn clauses(more: &str) -> Vec<String> {
        let mut rules = repaired(more).rules.unwrap();
        rules.clauses.drain(..5);
        let text = print::to_prefix(&rules);
        text.lines().map(|line| line.trim().to_owned()).collect()
    }

    fn refusal(more: &str) -> Vec<&'static str> {
        let repaired = repaired(more);
        assert!(repaired.rules.is_none());
        let errors = repaired.diagnoses.iter().filter(|finding| finding.is_error());
        errors.map(|finding| finding.category.as_str()).collect()
    }

    #[test]
    fn the_only_role_need_not_be_named() {
        let text = "role(white) init(p) legal(go) legal(b(X)) :- index(X) index(1)
            next(p) :- does(go) goal(white,100) terminal :- true(q)";
        let repaired = repair(read(text.as_bytes(), &ReadOptions::default()).rules.unwrap());
        assert!(!has_errors(&repaired.diagnoses), "{:?}", repaired.diagnoses);
        let printed = print::to_prefix(&repaired.rules.unwrap());
        for rule in ["(legal white go)", "(<= (legal white (b ?X)) (index ?X))", "(does white go)"]
        {
            assert!(printed.contains(rule), "{printed}");
        }
        let hint = repaired.diagnoses[0].hint.as_deref().unwrap_or_default();
        assert!(hint.contains("white is put in"), "{hint}");
    }

    #[test]
    fn a_free_role_is_bound() {
        assert_eq!(clauses("(legal ?p noop)"), ["(<= (legal ?p noop) (role ?p))"]);
        let text = "(<= (goal ?p 0) (true (lost ?q)))";
        assert_eq!(clauses(text), ["(<= (goal ?p 0)", "(true (lost ?q))", "(role ?p))"]);
    }

    #[test]
    fn other_free_variables_are_refused() {
        assert_eq!(refusal("(init (cell ?x))"), ["static.fact-variable"]);
        assert_eq!(refusal("(<= (legal r ?m) (true q))"), ["static.unsafe"]);
    }

    #[test]
    fn declarations_of_another_dialect_are_left_out() {
        assert!(clauses("(base cell 1 b) (input go) (<= (base ?x) (true q))").is_empty());
        assert!(clauses("(outcome ?p ?m (set (does ?p ?m)) (set 1))").is_empty());
    }

    #[test]
    fn what_no_engine_can_read_is_refused() {
        assert_eq!(refusal("(<= p (distinct a b c))"), ["static.connective-arity"]);
        assert_eq!(refusal("(<= p (not a b))"), ["static.connective-arity"]);
        assert_eq!(refusal("(true p)"), ["static.reserved-head"]);
        assert_eq!(refusal("(role (player 1))"), ["static.role-not-constant"]);
    }

    #[test]
    fn stated_connectives_are_left_out() {
        assert!(clauses("(distinct black white) (<= (not p) q) (<=p (true q))").is_empty());
        assert_eq!(clauses("(<= terminal not q)"), ["(<= terminal", "not@0", "q)"]);
    }

    #[test]
    fn odd_names_become_ordinary_ones() {
        let text = "(p (not a)) (init q) (<= (next a b) (init q))";
        assert_eq!(
            clauses(text),
            ["(p (not a)) (init q)", "(<= (next@2 a b) (init@1 q))", "(init@1 q)"]
        );
        assert!(repaired(text).diagnoses.iter().all(|finding| !finding.is_error()));
    }

    #[test]
    fn a_game_without_roles_is_refused() {
        let rules = read(b"(<= (role ?x) (p ?x)) (p a)", &ReadOptions::default()).rules.unwrap();
        let repaired = repair(rules);
        assert!(repaired.rules.is_none());
    }

    #[test]
    fn goals_do_not_read_the_moves() {
        let text = "(<= won (does r go)) (<= won (true q)) (<= (goal r 50) won)";
        assert_eq!(
            clauses(text),
            [
                "(<= won (does r go))",
                "(<= won (true q))",
                "(<= (goal r 50) won@idle)",
                "(<= won@idle (true q))"
            ]
        );
    }

    #[test]
    fn the_end_may_look_ahead_but_not_at_the_moves() {
        let text = "(<= terminal (next q)) (<= (next q) (true p))";
        assert_eq!(
            clauses(text),
            [
                "(<= terminal (next@1@idle q))",
                "(<= (next q) (true p))",
                "(<= (next@1 q) (does r go))",
                "(<= (next@1 q) (true p))",
                "(<= (next@1@idle q) (true p))"
            ]
        );
    }

    #[test]
    fn the_first_state_does_not_read_the_state() {
        let text = "(<= (init a) (not (true b)))";
        assert_eq!(clauses(text), ["(init a)"]);
        assert!(clauses("(<= (init (at ?x)) (true (at ?x)))").is_empty());
    }
}
