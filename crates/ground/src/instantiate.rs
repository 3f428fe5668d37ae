//! The whole way from rules to ground game.

use std::sync::Arc;

use gambol_index::{Id, IndexVec};
use gambol_syntax::{Rules, keyword};

use crate::auxiliary::Auxiliaries;
use crate::emit::Emitter;
use crate::formulas::Signal;
use crate::ground_game::{FluentId, Goal, GroundGame, Move, MoveId, Percept, RoleId, View};
use crate::limits::{Halt, Limits, Meter};
use crate::names::{AtomName, GroundTerm, Names};
use crate::program::{Key, Program, RelationId, Rule, shaped_argument};
use crate::reach::Progress;
use crate::tables::RelationTables;
use crate::{GroundError, demand, dependence, evaluate, normal, reach, unfold};

/// The steps of joins that the tries of Reach may take: some seconds' work, then as long as it takes.
const EFFORTS: [Option<u64>; 3] = [Some(90_000_000), Some(250_000_000), None];

/// A table of so many rows was hard to fill.
const LARGE: u32 = 10_000;

/// Grounds a rulesheet.
pub fn instantiate(rules: &Rules, limits: &Limits) -> Result<GroundGame, GroundError> {
    let mut meter = Meter::new(limits);
    let reached = reach_all(rules, &mut meter)?;
    let Reached { mut program, mut tables, facts, dynamic, mut auxiliaries } = reached;
    let roles = roles(&program, &tables)?;
    let mut emitter =
        Emitter::new(&mut program, &mut tables, dynamic, &mut auxiliaries, facts, &mut meter);
    let fluents = name_fluents(&mut emitter);
    let moves = name_moves(&mut emitter, &roles);
    finished(emitter.emit())?;
    assemble(emitter, roles, fluents, moves)
}

/// What Reach leaves to Emit.
struct Reached {
    program: Program,
    tables: RelationTables,
    /// Rows that are facts: the first so many of each table.
    facts: IndexVec<RelationId, u32>,
    dynamic: IndexVec<RelationId, bool>,
    auxiliaries: Auxiliaries,
}

/// Reach as the rules are, if that is easy; if it is not, again, with the relations that were hard
/// unfolded or filtered by demand.
fn reach_all(rules: &Rules, meter: &mut Meter) -> Result<Reached, GroundError> {
    let mut hard = Hard::default();
    for effort in EFFORTS {
        let mut reached = prepare(rules)?;
        let demand = hard.ease(&mut reached, rules)?;
        meter.limit_effort(effort);
        let mut progress = Progress::default();
        let outcome = reached.run(&demand, meter, &mut progress);
        meter.limit_effort(None);
        match outcome {
            Ok(()) => return Ok(reached),
            Err(Halt::Error(error)) => return Err(error),
            Err(Halt::Effort) => hard.learn(&reached, &progress),
        }
        meter.release_all();
    }
    unreachable!("the last try has no limit on effort")
}

/// What earlier tries found hard.
#[derive(Default)]
struct Hard {
    unfold: Vec<RelationId>,
    filter: Vec<RelationId>,
}

impl Hard {
    /// Where a try was stuck; tables that grew large; and what it did not come to.
    fn learn(&mut self, reached: &Reached, progress: &Progress) {
        let stuck = progress.stuck.into_iter();
        self.unfold.extend(stuck.filter(|&relation| reached.is_own(relation)));
        let is_hard = |&relation: &RelationId| {
            reached.tables.get(relation).len() >= LARGE || !progress.complete.contains(&relation)
        };
        self.filter.extend(reached.program.relations.ids().filter(is_hard));
    }

    fn ease(&self, reached: &mut Reached, rules: &Rules) -> Result<Vec<Rule>, GroundError> {
        for &relation in &self.unfold {
            if relation.index() < reached.facts.len() {
                unfold::unfold(&mut reached.program, relation, reached.facts[relation] > 0);
            }
        }
        if self.filter.is_empty() {
            return Ok(Vec::new());
        }
        let plain = reached.program.clone();
        let demand = demand::add_demand(&mut reached.program, |id| self.filter.contains(&id));
        reached.cover();
        if !reach::demand_conflicts(&reached.program, &demand, &reached.dynamic) {
            return Ok(demand);
        }
        *reached = Reached { program: plain, ..prepare(rules)? };
        let dynamic = reached.dynamic.clone();
        let choice = |id: RelationId| self.filter.contains(&id) && dynamic[id];
        let demand = demand::add_demand(&mut reached.program, choice);
        reached.cover();
        Ok(demand)
    }
}

fn prepare(rules: &Rules) -> Result<Reached, GroundError> {
    let (program, tables) = normal::normalise(rules)?;
    let facts = program.relations.ids().map(|relation| tables.get(relation).len()).collect();
    let dynamic = dependence::dynamic_relations(&program);
    Ok(Reached { program, tables, facts, dynamic, auxiliaries: Auxiliaries::default() })
}

impl Reached {
    /// Makes room for relations that were added; the grounder's own filters are no part of the circuit.
    fn cover(&mut self) {
        self.tables.cover(&self.program);
        cover_new_shapes(&self.program, &mut self.dynamic);
    }

    /// Whether the relation is one of the rulesheet's own, not a game relation or one of ours.
    fn is_own(&self, relation: RelationId) -> bool {
        matches!(self.program.relations[relation].key, Key::Named(name, _) if !name.is_game_relation())
    }

    fn run(
        &mut self,
        demand: &[Rule],
        meter: &mut Meter,
        progress: &mut Progress,
    ) -> Result<(), Halt> {
        let Self { program, tables, dynamic, auxiliaries, .. } = self;
        let outcome = reach::reach(program, tables, dynamic, demand, auxiliaries, meter, progress);
        self.cover();
        outcome
    }
}

fn finished(outcome: Result<(), Halt>) -> Result<(), GroundError> {
    match outcome {
        Ok(()) => Ok(()),
        Err(Halt::Error(error)) => Err(error),
        Err(Halt::Effort) => unreachable!("no limit on effort is set"),
    }
}

/// Shapes that were found on the way, through a variable in the place of a fluent or move.
fn cover_new_shapes(program: &Program, dynamic: &mut IndexVec<RelationId, bool>) {
    while dynamic.len() < program.relations.len() {
        let info = &program.relations[RelationId::from_index(dynamic.len())];
        let is_dynamic = match info.key {
            Key::Shape(keyword::TRUE | keyword::DOES, ..) => true,
            Key::Shape(name, ..) => {
                let arity = if name == keyword::LEGAL { 2 } else { 1 };
                program.find_relation(Key::Named(name, arity)).is_some_and(|open| dynamic[open])
            }
            Key::Named(..) | Key::Auxiliary(_) => false,
        };
        dynamic.push(is_dynamic);
    }
}

fn roles(
    program: &Program,
    tables: &RelationTables,
) -> Result<IndexVec<RoleId, GroundTerm>, GroundError> {
    let relation =
        program.find_relation(Key::Named(keyword::ROLE, 1)).ok_or(GroundError::NoRole)?;
    let roles: IndexVec<RoleId, GroundTerm> =
        tables.get(relation).rows().map(|row| GroundTerm::new(row[0])).collect();
    if roles.is_empty() { Err(GroundError::NoRole) } else { Ok(roles) }
}

/// An atom of a shape, to be sorted by text: text, relation, row, role.
struct Named {
    role: RoleId,
    text: String,
    relation: RelationId,
    row: u32,
}

fn named_rows(
    emitter: &mut Emitter,
    game_relation: gambol_syntax::Symbol,
    roles: &IndexVec<RoleId, GroundTerm>,
) -> Vec<Named> {
    let mut named = Vec::new();
    let offset = crate::program::shape_offset(game_relation);
    for (relation, functor, _) in emitter.program.shapes_of(game_relation) {
        for row in 0..emitter.tables.get(relation).len() {
            let cells = emitter.tables.get(relation).row(row);
            let role = match offset {
                0 => RoleId::new(0),
                _ => match roles.iter_ids().find(|(_, term)| term.number() == cells[0]) {
                    Some((role, _)) => role,
                    None => continue,
                },
            };
            let arguments = cells[offset..].iter().map(|&term| GroundTerm::new(term)).collect();
            let text = emitter.program.names.atom_text(&AtomName { relation: functor, arguments });
            named.push(Named { role, text, relation, row });
        }
    }
    named.sort_by(|left, right| (left.role, &left.text).cmp(&(right.role, &right.text)));
    named
}

fn name_fluents(emitter: &mut Emitter) -> IndexVec<FluentId, Box<str>> {
    let mut fluents = IndexVec::new();
    for named in named_rows(emitter, keyword::TRUE, &IndexVec::new()) {
        let fluent = fluents.push(named.text.into_boxed_str());
        let signal = emitter.formulas.fluent(fluent);
        set_signal(emitter, named.relation, named.row, signal);
    }
    fluents
}

fn name_moves(
    emitter: &mut Emitter,
    roles: &IndexVec<RoleId, GroundTerm>,
) -> IndexVec<MoveId, Move> {
    let mut moves = IndexVec::new();
    for named in named_rows(emitter, keyword::DOES, roles) {
        let action = moves.push(Move { role: named.role, name: named.text.into_boxed_str() });
        let signal = emitter.formulas.does(action);
        set_signal(emitter, named.relation, named.row, signal);
    }
    moves
}

fn set_signal(emitter: &mut Emitter, relation: RelationId, row: u32, signal: Signal) {
    let rows = emitter.tables.get(relation).len() as usize;
    emitter.signals[relation].resize(rows, Signal::FALSE);
    emitter.signals[relation][row as usize] = signal;
}

fn assemble(
    emitter: Emitter,
    roles: IndexVec<RoleId, GroundTerm>,
    fluents: IndexVec<FluentId, Box<str>>,
    moves: IndexVec<MoveId, Move>,
) -> Result<GroundGame, GroundError> {
    let atoms = Atoms::of(&emitter);
    let names = &emitter.program.names;
    let next = fluents_by_signal(&emitter, &atoms, &fluents, keyword::NEXT);
    let initial_when = fluents_by_signal(&emitter, &atoms, &fluents, keyword::INIT);
    let legal = atoms.legal(&emitter, &moves, &roles);
    let terminal = atoms.terminal(&emitter);
    let mut goals = Vec::new();
    let mut percepts = Vec::new();
    for (role, name, signal) in atoms.of_roles(&emitter, keyword::GOAL, &roles) {
        if let Some(value) = goal_value(names, name) {
            goals.push(Goal { role, value, when: signal });
        }
    }
    goals.sort_by_key(|goal| (goal.role, goal.value));
    for (role, name, signal) in atoms.of_roles(&emitter, keyword::SEES, &roles) {
        percepts.push(Percept { role, name: names.text(name).into(), when: signal });
    }
    percepts.sort_by(|left, right| (left.role, &left.name).cmp(&(right.role, &right.name)));
    let views = views(&emitter);
    let role_names = roles.iter().map(|&role| names.text(role).into()).collect();
    let mut game = GroundGame {
        roles: role_names,
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
        names: Arc::new(std::mem::take(&mut emitter.program.names)),
    };
    evaluate::settle(&mut game, &initial_when)?;
    Ok(game)
}

fn goal_value(names: &Names, value: GroundTerm) -> Option<u32> {
    let text = names.symbols().text(names.functor(value));
    let digits =
        names.arguments(value).is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// The signals of a row, whether it is part of the circuit or not.
struct Atoms;

impl Atoms {
    fn of(_: &Emitter) -> Self {
        Atoms
    }

    fn signal(&self, emitter: &Emitter, relation: RelationId, row: u32) -> Signal {
        if emitter.dynamic[relation] {
            emitter.signals[relation].get(row as usize).copied().unwrap_or(Signal::FALSE)
        } else {
            Signal::TRUE
        }
    }

    fn terminal(&self, emitter: &Emitter) -> Signal {
        let relation = emitter.program.find_relation(Key::Named(keyword::TERMINAL, 0));
        let found = relation.filter(|&relation| emitter.tables.get(relation).len() > 0);
        found.map_or(Signal::FALSE, |relation| self.signal(emitter, relation, 0))
    }

    fn legal(
        &self,
        emitter: &Emitter,
        moves: &IndexVec<MoveId, Move>,
        roles: &IndexVec<RoleId, GroundTerm>,
    ) -> IndexVec<MoveId, Signal> {
        let mut legal = IndexVec::filled(Signal::FALSE, moves.len());
        for_each_shape_row(emitter, keyword::DOES, |shape, row, functor, arity| {
            let Some(action) = emitter.signals[shape].get(row as usize) else { return };
            let crate::Formula::Does(action) = emitter.formulas.formula(action.formula()) else {
                return;
            };
            let key = Key::Shape(keyword::LEGAL, functor, arity);
            let Some(relation) = emitter.program.find_relation(key) else { return };
            if let Some(row) = emitter.tables.get(relation).find(emitter.tables.get(shape).row(row))
            {
                legal[action] = self.signal(emitter, relation, row);
            }
        });
        debug_assert!(!roles.is_empty());
        legal
    }

    /// The atoms of a relation over a role and a term.
    fn of_roles(
        &self,
        emitter: &Emitter,
        name: gambol_syntax::Symbol,
        roles: &IndexVec<RoleId, GroundTerm>,
    ) -> Vec<(RoleId, GroundTerm, Signal)> {
        let Some(relation) = emitter.program.find_relation(Key::Named(name, 2)) else {
            return Vec::new();
        };
        let table = emitter.tables.get(relation);
        let mut atoms = Vec::new();
        for row in 0..table.len() {
            let cells = table.row(row);
            let role = roles.iter_ids().find(|(_, term)| term.number() == cells[0]);
            if let Some((role, _)) = role {
                atoms.push((role, GroundTerm::new(cells[1]), self.signal(emitter, relation, row)));
            }
        }
        atoms
    }
}

fn for_each_shape_row(
    emitter: &Emitter,
    name: gambol_syntax::Symbol,
    mut visit: impl FnMut(RelationId, u32, gambol_syntax::Symbol, u32),
) {
    for (shape, functor, arity) in emitter.program.shapes_of(name) {
        for row in 0..emitter.tables.get(shape).len() {
            visit(shape, row, functor, arity);
        }
    }
}

fn fluents_by_signal(
    emitter: &Emitter,
    atoms: &Atoms,
    fluents: &IndexVec<FluentId, Box<str>>,
    from: gambol_syntax::Symbol,
) -> IndexVec<FluentId, Signal> {
    let mut signals = IndexVec::filled(Signal::FALSE, fluents.len());
    for_each_shape_row(emitter, keyword::TRUE, |shape, row, functor, arity| {
        let Some(fluent) = emitter.signals[shape].get(row as usize) else { return };
        let crate::Formula::Fluent(fluent) = emitter.formulas.formula(fluent.formula()) else {
            return;
        };
        let key = Key::Shape(from, functor, arity);
        let Some(relation) = emitter.program.find_relation(key) else { return };
        if let Some(row) = emitter.tables.get(relation).find(emitter.tables.get(shape).row(row)) {
            signals[fluent] = atoms.signal(emitter, relation, row);
        }
    });
    signals
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
