//! The whole way from rules to ground game.

use gambol_index::{Id, IndexVec};
use gambol_syntax::{Rules, keyword};

use crate::auxiliary::Auxiliaries;
use crate::emit::Emitter;
use crate::extent::Extent;
use crate::ground_game::{GroundGame, RoleId};
use crate::limits::{Halt, Limits, Meter};
use crate::names::GroundTerm;
use crate::program::{Key, Program, RelationId, Rule};
use crate::reach::{self, Progress};
use crate::tables::RelationTables;
use crate::{GroundError, assemble, demand, dependence, normal, unfold};

/// The steps of joins that the tries of Reach may take: some seconds' work, then as long as it takes.
const EFFORTS: [Option<u64>; 3] = [Some(90_000_000), Some(250_000_000), None];

/// A table of so many rows was hard to fill.
const LARGE: u32 = 10_000;

/// Grounds a rulesheet.
pub fn instantiate(rules: &Rules, limits: &Limits) -> Result<GroundGame, GroundError> {
    instantiate_with_extent(rules, limits).map(|(game, _)| game)
}

/// Grounds a rulesheet, and keeps what each relation can hold for those who ask about the rules.
pub fn instantiate_with_extent(
    rules: &Rules,
    limits: &Limits,
) -> Result<(GroundGame, Extent), GroundError> {
    let mut meter = Meter::new(limits);
    let (reached, progress, plainly) = reach_all(rules, &mut meter)?;
    let Reached { mut program, mut tables, facts, dynamic, mut auxiliaries } = reached;
    let roles = roles(&program, &tables)?;
    let mut emitter =
        Emitter::new(&mut program, &mut tables, dynamic, &mut auxiliaries, facts, &mut meter);
    let vocabulary = assemble::name_inputs(&mut emitter, roles);
    finished(emitter.emit())?;
    let game = assemble::assemble(emitter, vocabulary)?;
    let extent = Extent::new(program, tables, game.names.clone(), progress.applied, plainly);
    Ok((game, extent))
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
///
/// Says, too, whether the rules were taken as they are.
fn reach_all(rules: &Rules, meter: &mut Meter) -> Result<(Reached, Progress, bool), GroundError> {
    let mut hard = Hard::default();
    for effort in EFFORTS {
        let mut reached = prepare(rules)?;
        let demand = hard.ease(&mut reached, rules)?;
        meter.limit_effort(effort);
        let mut progress = Progress::default();
        let outcome = reached.run(&demand, meter, &mut progress);
        meter.limit_effort(None);
        match outcome {
            Ok(()) => {
                let plainly = hard.unfold.is_empty() && hard.filter.is_empty();
                return Ok((reached, progress, plainly));
            }
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
