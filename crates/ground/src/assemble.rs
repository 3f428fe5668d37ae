//! From the emitted signals to the [`GroundGame`]: names for fluents and moves, and the roots.

use std::sync::Arc;

use gambol_index::IndexVec;
use gambol_syntax::{Symbol, keyword};

use crate::emit::Emitter;
use crate::formulas::{Formula, Signal};
use crate::ground_game::{Goal, GroundGame, Move, Percept, View};
use crate::ids::{FluentId, MoveId, RoleId};
use crate::names::{AtomName, GroundTerm, Names};
use crate::program::{Key, RelationId, shape_offset, shaped_argument};
use crate::{GroundError, evaluate};

/// The tables of names that signals refer to.
pub(crate) struct Vocabulary {
    pub(crate) roles: IndexVec<RoleId, GroundTerm>,
    fluents: IndexVec<FluentId, Box<str>>,
    moves: IndexVec<MoveId, Move>,
}

/// Numbers fluents and moves in the order of their text, and gives each its signal.
pub(crate) fn name_inputs(
    emitter: &mut Emitter,
    roles: IndexVec<RoleId, GroundTerm>,
) -> Vocabulary {
    let mut fluents = IndexVec::new();
    for named in named_rows(emitter, keyword::TRUE, &roles) {
        let fluent = fluents.push(named.text.into_boxed_str());
        let signal = emitter.formulas.fluent(fluent);
        set_signal(emitter, named.relation, named.row, signal);
    }
    let mut moves = IndexVec::new();
    for named in named_rows(emitter, keyword::DOES, &roles) {
        let action = moves.push(Move { role: named.role, name: named.text.into_boxed_str() });
        let signal = emitter.formulas.does(action);
        set_signal(emitter, named.relation, named.row, signal);
    }
    Vocabulary { roles, fluents, moves }
}

/// A fluent or move, to be sorted by role and text.
struct Named {
    role: RoleId,
    text: String,
    relation: RelationId,
    row: u32,
}

fn named_rows(emitter: &Emitter, name: Symbol, roles: &IndexVec<RoleId, GroundTerm>) -> Vec<Named> {
    let mut named = Vec::new();
    let offset = shape_offset(name);
    for (relation, functor, _) in emitter.program.shapes_of(name) {
        for (row, cells) in (0..).zip(emitter.tables.get(relation).rows()) {
            let role = if offset == 0 { Some(RoleId::new(0)) } else { find_role(roles, cells[0]) };
            let Some(role) = role else { continue };
            let arguments = cells[offset..].iter().map(|&term| GroundTerm::new(term)).collect();
            let text = emitter.program.names.atom_text(&AtomName { relation: functor, arguments });
            named.push(Named { role, text, relation, row });
        }
    }
    named.sort_by(|left, right| (left.role, &left.text).cmp(&(right.role, &right.text)));
    named
}

fn find_role(roles: &IndexVec<RoleId, GroundTerm>, term: u32) -> Option<RoleId> {
    roles.iter_ids().find(|(_, role)| role.number() == term).map(|(role, _)| role)
}

fn set_signal(emitter: &mut Emitter, relation: RelationId, row: u32, signal: Signal) {
    let rows = emitter.tables.get(relation).len() as usize;
    emitter.signals[relation].resize(rows, Signal::FALSE);
    emitter.signals[relation][row as usize] = signal;
}

/// Puts the game together once all signals are emitted.
pub(crate) fn assemble(
    emitter: Emitter,
    vocabulary: Vocabulary,
) -> Result<GroundGame, GroundError> {
    let Vocabulary { roles, fluents, moves } = vocabulary;
    let next = fluent_roots(&emitter, keyword::NEXT, fluents.len());
    let initial_when = fluent_roots(&emitter, keyword::INIT, fluents.len());
    let legal = move_roots(&emitter, moves.len());
    let terminal = terminal(&emitter);
    let goals = goals(&emitter, &roles);
    let percepts = percepts(&emitter, &roles);
    let views = views(&emitter);
    let names = std::mem::take(&mut emitter.program.names);
    let mut game = GroundGame {
        roles: roles.iter().map(|&role| names.text(role).into()).collect(),
        fluents,
        moves,
        initial: Vec::new(),
        formulas: emitter.formulas,
        next,
        legal,
        terminal,
        goals,
        percepts,
        views,
        names: Arc::new(names),
    };
    evaluate::settle(&mut game, &initial_when)?;
    Ok(game)
}

/// The signal of an atom, whether its relation is part of the circuit or exact.
fn signal(emitter: &Emitter, relation: RelationId, row: u32) -> Signal {
    if emitter.dynamic[relation] {
        emitter.signals[relation].get(row as usize).copied().unwrap_or(Signal::FALSE)
    } else {
        Signal::TRUE
    }
}

/// For each fluent, the signal of `(next fluent)` or `(init fluent)`.
fn fluent_roots(emitter: &Emitter, name: Symbol, fluents: usize) -> IndexVec<FluentId, Signal> {
    let mut roots = IndexVec::filled(Signal::FALSE, fluents);
    for_each_counterpart(emitter, keyword::TRUE, name, |input, root| {
        if let Formula::Fluent(fluent) = emitter.formulas.formula(input.formula()) {
            roots[fluent] = root;
        }
    });
    roots
}

/// For each move, the signal of `(legal role move)`.
fn move_roots(emitter: &Emitter, moves: usize) -> IndexVec<MoveId, Signal> {
    let mut roots = IndexVec::filled(Signal::FALSE, moves);
    for_each_counterpart(emitter, keyword::DOES, keyword::LEGAL, |input, root| {
        if let Formula::Does(action) = emitter.formulas.formula(input.formula()) {
            roots[action] = root;
        }
    });
    roots
}

/// Visits the signals of all atoms of `inputs` with the signals of the same atoms of `roots`.
fn for_each_counterpart(
    emitter: &Emitter,
    inputs: Symbol,
    roots: Symbol,
    mut visit: impl FnMut(Signal, Signal),
) {
    for (shape, functor, arity) in emitter.program.shapes_of(inputs) {
        let key = Key::Shape(roots, functor, arity);
        let Some(counterpart) = emitter.program.find_relation(key) else { continue };
        for (row, &input) in emitter.tables.get(shape).rows().zip(&emitter.signals[shape]) {
            if let Some(found) = emitter.tables.get(counterpart).find(row) {
                visit(input, signal(emitter, counterpart, found));
            }
        }
    }
}

fn terminal(emitter: &Emitter) -> Signal {
    let relation = emitter.program.find_relation(Key::Named(keyword::TERMINAL, 0));
    let found = relation.filter(|&relation| emitter.tables.get(relation).len() > 0);
    found.map_or(Signal::FALSE, |relation| signal(emitter, relation, 0))
}

fn goals(emitter: &Emitter, roles: &IndexVec<RoleId, GroundTerm>) -> Vec<Goal> {
    let names = &emitter.program.names;
    let mut goals: Vec<Goal> = of_roles(emitter, keyword::GOAL, roles)
        .into_iter()
        .filter_map(|(role, term, when)| Some(Goal { role, value: number(names, term)?, when }))
        .collect();
    goals.sort_by_key(|goal| (goal.role, goal.value));
    goals
}

/// A goal value, read as a number. What is none says nothing about the score.
fn number(names: &Names, term: GroundTerm) -> Option<u32> {
    let text = names.symbols().text(names.functor(term));
    let digits = names.arguments(term).is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

fn percepts(emitter: &Emitter, roles: &IndexVec<RoleId, GroundTerm>) -> Vec<Percept> {
    let names = &emitter.program.names;
    let mut percepts: Vec<Percept> = of_roles(emitter, keyword::SEES, roles)
        .into_iter()
        .map(|(role, term, when)| Percept { role, name: names.text(term).into(), when })
        .collect();
    percepts.sort_by(|left, right| (left.role, &left.name).cmp(&(right.role, &right.name)));
    percepts
}

/// The atoms of a relation over a role and a term.
fn of_roles(
    emitter: &Emitter,
    name: Symbol,
    roles: &IndexVec<RoleId, GroundTerm>,
) -> Vec<(RoleId, GroundTerm, Signal)> {
    let Some(relation) = emitter.program.find_relation(Key::Named(name, 2)) else {
        return Vec::new();
    };
    let rows = (0..).zip(emitter.tables.get(relation).rows());
    rows.filter_map(|(row, cells)| {
        let role = find_role(roles, cells[0])?;
        Some((role, GroundTerm::new(cells[1]), signal(emitter, relation, row)))
    })
    .collect()
}

/// The atoms of the rules' own relations that are part of the circuit.
fn views(emitter: &Emitter) -> Vec<View> {
    let mut views = Vec::new();
    for (relation, info) in emitter.program.relations.iter_ids() {
        let Key::Named(name, arity) = info.key else { continue };
        let own = !name.is_game_relation() && shaped_argument(name, arity as usize).is_none();
        if !own || !emitter.dynamic[relation] {
            continue;
        }
        let table = emitter.tables.get(relation);
        for (row, &when) in table.rows().zip(&emitter.signals[relation]) {
            let arguments = row.iter().map(|&term| GroundTerm::new(term)).collect();
            views.push(View { atom: AtomName { relation: name, arguments }, when });
        }
    }
    views
}
