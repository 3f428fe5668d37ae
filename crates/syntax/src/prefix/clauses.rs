//! Forms to clauses, literals and terms, without recursion.
//!
//! `not` and `distinct` with the wrong number of arguments are kept as atoms of that name: the
//! check reports them together with everything else that is wrong.

use super::forms::{FormId, FormKind, Forms};
use crate::diagnosis::Findings;
use crate::{
    Atom, Category, Clause, Diagnosis, Literal, LiteralId, Rules, Span, Symbol, TermId, keyword,
};

/// Adds the clause that a top-level form is. A broken one is reported and left out.
pub(super) fn add_clause(forms: &Forms, root: FormId, rules: &mut Rules, findings: &mut Findings) {
    let clause = match forms.children(root).split_first() {
        Some((&arrow, parts)) if is_name(forms, arrow, keyword::IF) => {
            rule(forms, root, parts, rules, findings)
        }
        _ => fact(forms, root, rules, findings),
    };
    rules.clauses.extend(clause);
}

fn fact(forms: &Forms, root: FormId, rules: &mut Rules, findings: &mut Findings) -> Option<Clause> {
    let head = atom(forms, root, rules, findings)?;
    let span = head.span;
    Some(Clause { head, body: Vec::new(), span })
}

fn rule(
    forms: &Forms,
    root: FormId,
    parts: &[FormId],
    rules: &mut Rules,
    findings: &mut Findings,
) -> Option<Clause> {
    let span = forms.get(root).span;
    let Some((&head, conditions)) = parts.split_first() else {
        findings.add(
            Diagnosis::error(Category::ExpectedHead, span, "a rule without a head")
                .with_hint("write (<= head condition …)"),
        );
        return None;
    };
    let head = atom(forms, head, rules, findings);
    let body: Vec<Option<LiteralId>> =
        conditions.iter().map(|&condition| literal(forms, condition, rules, findings)).collect();
    Some(Clause { head: head?, body: body.into_iter().collect::<Option<_>>()?, span })
}

fn is_name(forms: &Forms, form: FormId, name: Symbol) -> bool {
    matches!(forms.get(form).kind, FormKind::Name(symbol) if symbol == name)
}

/// A sentence: a name, or a name with arguments.
fn atom(forms: &Forms, form: FormId, rules: &mut Rules, findings: &mut Findings) -> Option<Atom> {
    let span = forms.get(form).span;
    match forms.get(form).kind {
        FormKind::Name(relation) => Some(Atom { relation, arguments: Vec::new(), span }),
        FormKind::Variable(_) => {
            findings.add(
                Diagnosis::error(Category::VariableSentence, span, "a variable is no sentence")
                    .with_hint("a variable may only stand inside a sentence, as in (true ?x)"),
            );
            None
        }
        FormKind::List { .. } => {
            let relation = list_name(forms, form, findings)?;
            note_empty_parens(forms, form, relation, rules, findings);
            let arguments: Vec<Option<TermId>> = forms.children(form)[1..]
                .iter()
                .map(|&argument| term(forms, argument, rules, findings))
                .collect();
            Some(Atom { relation, arguments: arguments.into_iter().collect::<Option<_>>()?, span })
        }
    }
}

/// The name that begins a list, or a report why there is none.
fn list_name(forms: &Forms, list: FormId, findings: &mut Findings) -> Option<Symbol> {
    let span = forms.get(list).span;
    let Some(&first) = forms.children(list).first() else {
        findings.add(
            Diagnosis::error(Category::EmptyList, span, "an empty list")
                .with_hint("remove it, or write a name inside"),
        );
        return None;
    };
    let name_span = forms.get(first).span;
    match forms.get(first).kind {
        FormKind::Name(keyword::IF) => findings.add(
            Diagnosis::error(Category::NestedRule, span, "a rule inside something else")
                .with_hint("rules stand at the top level; is a parenthesis missing before this?"),
        ),
        FormKind::Name(name) => return Some(name),
        FormKind::Variable(_) => findings.add(
            Diagnosis::error(
                Category::VariableHead,
                name_span,
                "a list that begins with a variable",
            )
            .with_hint("a list begins with the name of a relation or function"),
        ),
        FormKind::List { .. } => findings.add(
            Diagnosis::error(Category::ListHead, name_span, "a list that begins with a list")
                .with_hint("remove one pair of parentheses, or write a name first"),
        ),
    }
    None
}

fn note_empty_parens(
    forms: &Forms,
    list: FormId,
    name: Symbol,
    rules: &Rules,
    findings: &mut Findings,
) {
    if forms.children(list).len() == 1 && !name.is_connective() {
        let text = crate::source::shown(rules.symbols.text(name));
        let message = format!("({text}) is read as {text}");
        let span = forms.get(list).span;
        findings.add(
            Diagnosis::note(Category::EmptyParens, span, message)
                .with_hint("some engines take the two for different; leave the parentheses out"),
        );
    }
}

/// A list being read: its name, and how many of its children are done.
struct OpenTerm {
    form: FormId,
    name: Symbol,
    done: usize,
}

/// A variable, a constant, or a function with its arguments.
pub(super) fn term(
    forms: &Forms,
    root: FormId,
    rules: &mut Rules,
    findings: &mut Findings,
) -> Option<TermId> {
    let mut open: Vec<OpenTerm> = Vec::new();
    let mut ready: Vec<TermId> = Vec::new();
    let mut form = root;
    loop {
        if let FormKind::List { .. } = forms.get(form).kind {
            let name = list_name(forms, form, findings)?;
            note_empty_parens(forms, form, name, rules, findings);
            open.push(OpenTerm { form, name, done: 0 });
        } else {
            ready.push(leaf(forms, form, rules));
        }
        form = loop {
            let Some(list) = open.last_mut() else { return ready.pop() };
            let arguments = &forms.children(list.form)[1..];
            if let Some(&argument) = arguments.get(list.done) {
                list.done += 1;
                break argument;
            }
            let first = ready.len() - arguments.len();
            let span = forms.get(list.form).span;
            let function = rules.add_function(list.name, &ready[first..], span);
            ready.truncate(first);
            ready.push(function);
            open.pop();
        };
    }
}

fn leaf(forms: &Forms, form: FormId, rules: &mut Rules) -> TermId {
    let span = forms.get(form).span;
    match forms.get(form).kind {
        FormKind::Variable(name) => rules.add_variable(name, span),
        FormKind::Name(name) => rules.add_function(name, &[], span),
        FormKind::List { .. } => unreachable!("lists are opened, not leaves"),
    }
}

/// A connective being read, and how many of its conditions are done.
struct OpenLiteral {
    form: FormId,
    connective: Symbol,
    done: usize,
}

fn literal(
    forms: &Forms,
    root: FormId,
    rules: &mut Rules,
    findings: &mut Findings,
) -> Option<LiteralId> {
    let mut open: Vec<OpenLiteral> = Vec::new();
    // A broken condition is kept as `None` so that its siblings are still looked at.
    let mut ready: Vec<Option<LiteralId>> = Vec::new();
    let mut form = root;
    loop {
        match connective(forms, form) {
            Some(connective) => open.push(OpenLiteral { form, connective, done: 0 }),
            None => ready.push(simple_literal(forms, form, rules, findings)),
        }
        form = loop {
            let Some(list) = open.last_mut() else { return ready.pop().flatten() };
            let conditions = &forms.children(list.form)[1..];
            if let Some(&condition) = conditions.get(list.done) {
                list.done += 1;
                break condition;
            }
            let parts = ready.split_off(ready.len() - conditions.len());
            let span = forms.get(list.form).span;
            ready.push(join(list.connective, parts, span, rules));
            open.pop();
        };
    }
}

/// The connective of a well-formed compound condition.
fn connective(forms: &Forms, form: FormId) -> Option<Symbol> {
    let children = forms.children(form);
    let FormKind::Name(name) = forms.get(*children.first()?).kind else { return None };
    match name {
        keyword::OR | keyword::AND => Some(name),
        keyword::NOT if children.len() == 2 => Some(name),
        _ => None,
    }
}

fn join(
    connective: Symbol,
    parts: Vec<Option<LiteralId>>,
    span: Span,
    rules: &mut Rules,
) -> Option<LiteralId> {
    let parts: Vec<LiteralId> = parts.into_iter().collect::<Option<_>>()?;
    let literal = match (connective, parts.as_slice()) {
        (keyword::NOT, &[negated]) => Literal::Not(negated),
        (keyword::OR, _) => Literal::Or(parts),
        _ => Literal::And(parts),
    };
    Some(rules.add_literal(literal, span))
}

fn simple_literal(
    forms: &Forms,
    form: FormId,
    rules: &mut Rules,
    findings: &mut Findings,
) -> Option<LiteralId> {
    let atom = atom(forms, form, rules, findings)?;
    let span = atom.span;
    let literal = match (atom.relation, atom.arguments.as_slice()) {
        (keyword::DISTINCT, &[left, right]) => Literal::Distinct(left, right),
        _ => Literal::Atom(atom),
    };
    Some(rules.add_literal(literal, span))
}
