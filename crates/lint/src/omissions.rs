//! What the rules for `next` leave out: a fluent that holds at the start and never again, and a move of which no rule
//! says what it makes of a fluent.

use std::collections::BTreeMap;

use gambol_syntax::{
    Category, Clause, Diagnosis, Literal, Rules, Symbol, Term, TermId, keyword, print, shown,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::notes::{Notes, Shape};

pub(crate) fn look(rules: &Rules, notes: &mut Notes) {
    if !notes.suspicious {
        report_starts(rules, notes);
    }
    // Where players take turns, most moves of one leave the work to a move of another.
    let is_role = |clause: &&Clause| clause.head.relation == keyword::ROLE;
    let alone = rules.clauses.iter().filter(is_role).count() == 1;
    if alone && !notes.suspicious {
        report_moves(rules, notes);
    }
}

/// Fluents that rules ask for, that `init` makes true, and of which `next` does not speak.
fn report_starts(rules: &Rules, notes: &mut Notes) {
    let (Some(next), Some(asked)) = (provided(rules, keyword::NEXT), asked(rules)) else { return };
    let mut told: FxHashSet<Shape> = FxHashSet::default();
    for (index, clause) in rules.clauses.iter().enumerate() {
        let Some(shape) = fluent_of(rules, clause, keyword::INIT) else { continue };
        // A fluent without arguments that is true at the start only says just that.
        let flag = shape.1 == 0;
        if flag || next.contains(&shape) || !asked.contains(&shape) || !told.insert(shape) {
            continue;
        }
        let name = rules.symbols.text(shape.0);
        let message = format!("{} is true at the start and never again", shown(name));
        let hint = format!("is a rule missing? (<= (next ({name}{})) …)", " …".repeat(shape.1));
        let finding = Diagnosis::warning(Category::MissingFrame, clause.head.span, message);
        notes.add(index, finding.with_hint(hint));
    }
}

/// The function of the fluent that a clause for this relation provides.
fn fluent_of(rules: &Rules, clause: &Clause, relation: Symbol) -> Option<Shape> {
    match (clause.head.relation == relation, clause.head.arguments.as_slice()) {
        (true, &[fluent]) => shape(rules, fluent),
        _ => None,
    }
}

fn shape(rules: &Rules, term: TermId) -> Option<Shape> {
    match rules.term(term) {
        Term::Function(name, parts) => Some((name, parts.len())),
        Term::Variable(_) => None,
    }
}

/// The functions that a relation provides; none if a variable stands for all.
fn provided(rules: &Rules, relation: Symbol) -> Option<FxHashSet<Shape>> {
    let clauses = rules.clauses.iter().filter(|clause| clause.head.relation == relation);
    clauses.map(|clause| fluent_of(rules, clause, relation)).collect()
}

/// The functions that rules ask for; none if a variable stands for all.
fn asked(rules: &Rules) -> Option<FxHashSet<Shape>> {
    let conditions = rules.clauses.iter().flat_map(|clause| rules.conditions(&clause.body));
    let fluents = conditions.filter_map(|it| match rules.literal(it.literal) {
        Literal::Atom(atom) if atom.relation == keyword::TRUE => atom.arguments.first().copied(),
        _ => None,
    });
    fluents.map(|fluent| shape(rules, fluent)).collect()
}

/// The rules for one fluent, each of which asks for a move.
#[derive(Default)]
struct Successor {
    clauses: Vec<usize>,
    role: Option<TermId>,
    moves: FxHashSet<Shape>,
    /// Whether one of them keeps it.
    kept: bool,
    /// Whether one asks for no move, for any move, or for the moves of several roles.
    open: bool,
}

/// Fluents that every other move keeps or sets, as each rule says of one move.
fn report_moves(rules: &Rules, notes: &mut Notes) {
    let mut successors: BTreeMap<Vec<Piece>, Successor> = BTreeMap::new();
    for (index, clause) in rules.clauses.iter().enumerate() {
        if fluent_of(rules, clause, keyword::NEXT).is_some() {
            let fluent = clause.head.arguments[0];
            successors.entry(outline(rules, fluent)).or_default().add(rules, index, fluent);
        }
    }
    for successor in successors.values().filter(|it| it.kept && !it.open && it.moves.len() > 1) {
        let Some(moves) = successor.role.and_then(|role| moves_of(rules, role)) else { continue };
        let left_out: Vec<&Shape> =
            moves.iter().filter(|it| !successor.moves.contains(it)).collect();
        let &[&(left_out, _)] = left_out.as_slice() else { continue };
        let Some(&index) = successor.clauses.last() else { continue };
        let head = &rules.clauses[index].head;
        let fluent = print::term(rules, head.arguments[0]);
        let name = rules.symbols.text(left_out);
        let message =
            format!("no rule says what becomes of {} after {}", shown(&fluent), shown(name));
        let hint = format!(
            "every other move has a rule: is (<= (next {fluent}) (does … {name}) …) missing?"
        );
        let finding = Diagnosis::warning(Category::MissingFrame, head.span, message);
        notes.add(index, finding.with_hint(hint));
    }
}

impl Successor {
    fn add(&mut self, rules: &Rules, index: usize, fluent: TermId) {
        self.clauses.push(index);
        let text = print::term(rules, fluent);
        let mut asks = false;
        for condition in rules.conditions(&rules.clauses[index].body).filter(|it| !it.negated) {
            let Literal::Atom(atom) = rules.literal(condition.literal) else { continue };
            match (atom.relation, atom.arguments.as_slice()) {
                (keyword::TRUE, &[other]) => self.kept |= print::term(rules, other) == text,
                (keyword::DOES, &[role, action]) => {
                    asks = true;
                    let same = |known: TermId| rules.term(known) == rules.term(role);
                    self.open |= self.role.is_some_and(|known| !same(known));
                    self.role = Some(role);
                    match shape(rules, action) {
                        Some(shape) => _ = self.moves.insert(shape),
                        None => self.open = true,
                    }
                }
                _ => {}
            }
        }
        self.open |= !asks;
    }
}

/// The moves that can be legal for a role; none if a variable stands for all.
fn moves_of(rules: &Rules, role: TermId) -> Option<Vec<Shape>> {
    let mut moves = Vec::new();
    for clause in rules.clauses.iter().filter(|clause| clause.head.relation == keyword::LEGAL) {
        let &[mover, action] = clause.head.arguments.as_slice() else { continue };
        let both = (rules.constant(mover), rules.constant(role));
        if matches!(both, (Some(one), Some(other)) if one != other) {
            continue;
        }
        let action = shape(rules, action)?;
        if !moves.contains(&action) {
            moves.push(action);
        }
    }
    Some(moves)
}

/// A piece of a term, whatever its variables are called.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Name(Symbol, usize),
    Variable(usize),
}

/// A term without the names of its variables.
fn outline(rules: &Rules, term: TermId) -> Vec<Piece> {
    let mut variables: FxHashMap<Symbol, usize> = FxHashMap::default();
    let piece = |part: TermId| match rules.term(part) {
        Term::Function(name, parts) => Piece::Name(name, parts.len()),
        Term::Variable(name) => {
            let count = variables.len();
            Piece::Variable(*variables.entry(name).or_insert(count))
        }
    };
    rules.subterms(term).map(piece).collect()
}
