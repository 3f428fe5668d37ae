//! Conditions that no atom the rules can derive ever meets.
//!
//! A condition is blamed only if the rules that could provide it do apply: otherwise the fault lies
//! with them.

use gambol_ground::{Extent, GroundTerm, Names, Row, Table};
use gambol_syntax::{
    Atom, Category, Clause, Diagnosis, Literal, Rules, Symbol, Term, TermId, closest, counterpart,
    keyword, may_unify, print, shown,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::notes::{Notes, did_you_mean};

/// How many rows are looked at before every further condition counts as met.
const MOST_ROWS: usize = 4_000_000;
/// How many steps comparing conditions with heads may take.
const MOST_STEPS: usize = 10_000_000;

pub(crate) fn look(rules: &Rules, extent: &Extent, notes: &mut Notes) {
    let mut search = Search { rules, extent, rows: MOST_ROWS, steps: MOST_STEPS };
    let mut known: FxHashMap<String, Blame> = FxHashMap::default();
    let mut waiting: Vec<Waiting<'_>> = Vec::new();
    for (index, clause) in rules.clauses.iter().enumerate() {
        for condition in rules.conditions(&clause.body) {
            let Literal::Atom(atom) = rules.literal(condition.literal) else { continue };
            let Some(question) = Question::of(rules, extent, atom) else { continue };
            if search.is_met(&question) {
                continue;
            }
            if !condition.negated {
                notes.unmet.insert(index);
            }
            let explained = question.shape.is_some_and(|shape| notes.explained.contains(&shape));
            if explained || notes.clauses.contains(&index) {
                notes.clauses.insert(index);
                continue;
            }
            // The same condition in several rules has one cause.
            let text = print::literal(rules, condition.literal);
            let first = !known.contains_key(&text);
            let blame = known.entry(text).or_insert_with(|| search.blame(atom, &question));
            match blame {
                Blame::Here(Some(column)) if is_another_case(rules, atom, *column) => {
                    notes.clauses.insert(index);
                }
                Blame::Here(column) if first => {
                    notes.add(index, finding(rules, extent, atom, &question, *column));
                }
                Blame::Here(_) | Blame::Reported => _ = notes.clauses.insert(index),
                Blame::Providers(providers) => waiting.push(Waiting {
                    clause: index,
                    atom,
                    negated: condition.negated,
                    providers: providers.clone(),
                }),
            }
        }
    }
    if !notes.suspicious {
        report_circles(rules, &waiting, notes);
    }
}

/// Whether several rules ask a table of facts for the same constant in vain: they are there for other facts, as where
/// one set of rules serves many boards. Who mistypes a name does so once.
fn is_another_case(rules: &Rules, atom: &Atom, column: usize) -> bool {
    let stated = |clause: &Clause| clause.head.relation != atom.relation || clause.body.is_empty();
    let constant = |atom: &Atom| rules.constant(*atom.arguments.get(column)?);
    let asks = |clause: &&Clause| {
        rules.conditions(&clause.body).any(|condition| match rules.literal(condition.literal) {
            Literal::Atom(other) => {
                other.relation == atom.relation && constant(other) == constant(atom)
            }
            _ => false,
        })
    };
    !atom.relation.is_game_relation()
        && rules.clauses.iter().all(stated)
        && rules.clauses.iter().filter(asks).nth(1).is_some()
}

/// Who is to blame for a condition that never holds.
#[derive(Clone)]
enum Blame {
    /// The condition: in this column, if one alone explains it.
    Here(Option<usize>),
    /// These rules, which should provide it and never apply.
    Providers(Vec<usize>),
    /// Nothing defines the relation, which is known already.
    Reported,
}

/// A condition that waits for rules that never apply.
struct Waiting<'a> {
    clause: usize,
    atom: &'a Atom,
    negated: bool,
    providers: Vec<usize>,
}

/// Rules that wait for one another, and for nothing else: no finding explains them.
fn report_circles(rules: &Rules, waiting: &[Waiting<'_>], notes: &mut Notes) {
    let mut waits_for: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for wait in waiting.iter().filter(|wait| !wait.negated) {
        waits_for.entry(wait.clause).or_default().extend(&wait.providers);
    }
    // Of a circle the fluent that holds in no first state tells most.
    let begins = |wait: &Waiting<'_>| {
        let heads = rules.clauses.iter().map(|clause| &clause.head);
        let mut starts = heads.filter(|head| head.relation == keyword::INIT);
        let function = |atom: &Atom| match rules.term(*atom.arguments.first()?) {
            Term::Function(name, parts) => Some((name, parts.len())),
            Term::Variable(_) => None,
        };
        !starts.any(|start| function(start) == function(wait.atom))
    };
    // A fluent tells more than a move that waits for it.
    let mut ordered: Vec<&Waiting<'_>> = waiting.iter().collect();
    ordered.sort_by_key(|wait| match wait.atom.relation == keyword::TRUE {
        true if begins(wait) => 0,
        true => 1,
        false => 2,
    });
    for wait in ordered {
        let mut seen: FxHashSet<usize> = wait.providers.iter().copied().collect();
        let mut open = wait.providers.clone();
        let mut explained = notes.clauses.contains(&wait.clause);
        while let Some(clause) = open.pop() {
            // A rule that waits for nothing and does not apply is dead: a finding of its own.
            explained |= notes.clauses.contains(&clause) || !waits_for.contains_key(&clause);
            let next = waits_for.get(&clause).into_iter().flatten();
            open.extend(next.copied().filter(|&clause| seen.insert(clause)));
        }
        if !explained {
            notes.add(wait.clause, circle(rules, wait.atom));
            notes.clauses.extend(seen);
        }
    }
}

/// What rules only keep, nothing begins.
fn circle(rules: &Rules, atom: &Atom) -> Diagnosis {
    let (name, category, word) = match (atom.relation, atom.arguments.as_slice()) {
        (keyword::TRUE, &[fluent]) => (print::term(rules, fluent), Category::NeverTrue, "true"),
        (keyword::DOES, &[_, action]) => {
            (print::term(rules, action), Category::NeverLegal, "legal")
        }
        _ => (text(rules, atom.relation), Category::NeverTrue, "true"),
    };
    let message = format!(
        "{} is never {word}: the rules for it depend on it, and nothing makes it {word} first",
        shown(&name)
    );
    let finding = Diagnosis::warning(category, atom.span, message);
    match atom.relation {
        keyword::TRUE => finding.with_hint(format!("is (init {name}) missing?")),
        _ => finding,
    }
}

/// A condition, and the table that answers it.
struct Question<'a> {
    /// None: there is no atom at all.
    table: Option<Table<'a>>,
    columns: Vec<TermId>,
    /// The name and arity of a fluent or move.
    shape: Option<(Symbol, usize)>,
}

impl<'a> Question<'a> {
    fn of(rules: &Rules, extent: &'a Extent, atom: &Atom) -> Option<Self> {
        match (atom.relation, atom.arguments.as_slice()) {
            (keyword::TRUE, &[fluent]) => {
                let Term::Function(name, parts) = rules.term(fluent) else { return None };
                let table = extent.shape(keyword::TRUE, name, parts.len());
                Some(Self { table, columns: parts.to_vec(), shape: Some((name, parts.len())) })
            }
            (keyword::DOES, &[role, action]) => {
                let Term::Function(name, parts) = rules.term(action) else { return None };
                let table = extent.shape(keyword::DOES, name, parts.len());
                let columns = std::iter::once(role).chain(parts.iter().copied()).collect();
                Some(Self { table, columns, shape: Some((name, parts.len())) })
            }
            (relation, arguments) if !relation.is_game_relation() => {
                let table = extent.table(relation, arguments.len())?;
                Some(Self { table: Some(table), columns: arguments.to_vec(), shape: None })
            }
            _ => None,
        }
    }
}

struct Search<'a> {
    rules: &'a Rules,
    extent: &'a Extent,
    rows: usize,
    steps: usize,
}

impl Search<'_> {
    fn is_met(&mut self, question: &Question<'_>) -> bool {
        let Some(table) = question.table else { return false };
        let mut bindings = Vec::new();
        for row in table.rows() {
            if self.rows == 0 {
                return true;
            }
            self.rows -= 1;
            bindings.clear();
            if fits(self.rules, self.extent.names(), &question.columns, row, &mut bindings) {
                return true;
            }
        }
        false
    }

    /// Where the fault lies.
    fn blame(&mut self, atom: &Atom, question: &Question<'_>) -> Blame {
        let providers: &[Symbol] = match atom.relation {
            keyword::TRUE => &[keyword::INIT, keyword::NEXT],
            keyword::DOES => &[keyword::LEGAL],
            ref relation => std::slice::from_ref(relation),
        };
        let mut idle = Vec::new();
        for (index, clause) in self.rules.clauses.iter().enumerate() {
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                return Blame::Reported;
            }
            if !providers.contains(&clause.head.relation)
                || clause.head.arguments.len() != atom.arguments.len()
            {
                continue;
            }
            let (left, right) = (&atom.arguments, &clause.head.arguments);
            if may_unify(self.rules, left, right, &mut self.steps)
                && self.extent.applies(self.rules, clause) == Some(false)
            {
                idle.push(index);
            }
        }
        if !idle.is_empty() {
            return Blame::Providers(idle);
        }
        let Some(table) = question.table.filter(|table| !table.is_empty()) else {
            // A relation that nothing defines has been reported, a fluent or move has not.
            return if question.shape.is_some() { Blame::Here(None) } else { Blame::Reported };
        };
        let culprit = |&column: &usize| {
            let Some(constant) = self.rules.constant(question.columns[column]) else {
                return false;
            };
            table.rows().all(|row| self.extent.names().functor(row.term(column)) != constant)
        };
        Blame::Here((0..question.columns.len()).find(culprit))
    }
}

/// Whether the terms of a condition fit a row, each variable standing for one term throughout.
fn fits(
    rules: &Rules,
    names: &Names,
    columns: &[TermId],
    row: Row<'_>,
    bindings: &mut Vec<(Symbol, GroundTerm)>,
) -> bool {
    let mut open: Vec<(TermId, GroundTerm)> =
        columns.iter().enumerate().map(|(place, &column)| (column, row.term(place))).collect();
    while let Some((pattern, term)) = open.pop() {
        match rules.term(pattern) {
            Term::Variable(name) => match bindings.iter().find(|&&(bound, _)| bound == name) {
                Some(&(_, value)) if value != term => return false,
                Some(_) => {}
                None => bindings.push((name, term)),
            },
            Term::Function(name, parts) => {
                let arguments = names.arguments(term);
                if names.functor(term) != name || arguments.len() != parts.len() {
                    return false;
                }
                open.extend(parts.iter().copied().zip(arguments.iter().copied()));
            }
        }
    }
    true
}

fn finding(
    rules: &Rules,
    extent: &Extent,
    atom: &Atom,
    question: &Question<'_>,
    column: Option<usize>,
) -> Diagnosis {
    let category =
        if atom.relation == keyword::DOES { Category::NeverLegal } else { Category::NeverTrue };
    let Some(column) = column else {
        let message = match atom.relation {
            keyword::DOES => "such a move is never legal".to_owned(),
            keyword::TRUE => "such a fluent is never true".to_owned(),
            relation => format!("{} never holds for these arguments", text(rules, relation)),
        };
        let finding = Diagnosis::warning(category, atom.span, message);
        return match similar_shape(rules, extent, atom.relation, question) {
            Some(meant) => finding.with_hint(did_you_mean(meant)),
            None => finding,
        };
    };
    let constant =
        rules.constant(question.columns[column]).map_or("", |name| rules.symbols.text(name));
    let name = question.shape.map_or(atom.relation, |(name, _)| name);
    let place = column + 1 - usize::from(atom.relation == keyword::DOES);
    let span = rules.term_span(question.columns[column]);
    let message = if place == 0 {
        format!("{} is never legal for {}", text(rules, name), shown(constant))
    } else {
        let place = ordinal(place);
        format!("{} never has {} as its {place} argument", text(rules, name), shown(constant))
    };
    let finding = Diagnosis::warning(category, span, message);
    // A role that is declared is spelt as it should be.
    let suggestion = if place == 0 { None } else { suggestion(extent, question, column, constant) };
    match suggestion {
        Some(meant) => finding.with_hint(did_you_mean(&meant)),
        None => finding,
    }
}

/// For a fluent or move that never occurs: the one of the same arity that is most like it.
fn similar_shape<'a>(
    rules: &'a Rules,
    extent: &Extent,
    relation: Symbol,
    question: &Question<'_>,
) -> Option<&'a str> {
    let (name, arity) = question.shape.filter(|_| question.table.is_none_or(Table::is_empty))?;
    let shapes = extent.shapes(relation);
    let fitting = shapes.iter().filter(|&&(_, other)| other == arity);
    closest(rules.symbols.text(name), fitting.map(|&(other, _)| rules.symbols.text(other)))
}

/// The constant of the column that is most like the misspelt one.
fn suggestion(
    extent: &Extent,
    question: &Question<'_>,
    column: usize,
    constant: &str,
) -> Option<String> {
    let names = extent.names();
    let mut values: Vec<Symbol> =
        question.table?.rows().map(|row| names.functor(row.term(column))).collect();
    values.sort_unstable();
    values.dedup();
    let texts = values.iter().map(|&value| names.symbols().text(value));
    closest(constant, texts.clone()).or_else(|| counterpart(constant, texts)).map(str::to_owned)
}

fn ordinal(number: usize) -> String {
    match number {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        4 => "fourth".to_owned(),
        5 => "fifth".to_owned(),
        _ => format!("{number}th"),
    }
}

fn text(rules: &Rules, name: Symbol) -> String {
    shown(rules.symbols.text(name))
}
