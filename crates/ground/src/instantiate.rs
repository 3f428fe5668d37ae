//! The whole way from rules to ground game.

use gambol_index::{Id, IndexVec};
use gambol_syntax::{Rules, keyword};

use crate::auxiliary::Auxiliaries;
use crate::emit::{Emitter, Work};
use crate::extent::Extent;
use crate::ground_game::GroundGame;
use crate::ids::RoleId;
use crate::limits::{Halt, Limits, Meter};
use crate::names::GroundTerm;
use crate::program::{Key, Program, RelationId, Rule};
use crate::reach::{self, Progress};
use crate::tables::RelationTables;
use crate::{GroundError, Shortcuts, When, assemble, demand, dependence, normal, unfold};

/// Grounds a rulesheet.
pub fn instantiate(rules: &Rules, limits: &Limits) -> Result<GroundGame, GroundError> {
    instantiate_with(rules, limits, &Shortcuts::default())
}

/// Grounds a rulesheet with these short cuts. They change how long it takes and how large the circuit
/// is, never what it answers about a state; relations of the rulesheet's own may be left out of
/// [`GroundGame::views`], in whole or in part.
pub fn instantiate_with(
    rules: &Rules,
    limits: &Limits,
    shortcuts: &Shortcuts,
) -> Result<GroundGame, GroundError> {
    ground(rules, limits, shortcuts).map(|(game, _)| game)
}

/// Grounds a rulesheet, and keeps what each relation can hold for those who ask about the rules.
pub fn instantiate_with_extent(
    rules: &Rules,
    limits: &Limits,
) -> Result<(GroundGame, Extent), GroundError> {
    ground(rules, limits, &Shortcuts::default())
}

fn ground(
    rules: &Rules,
    limits: &Limits,
    shortcuts: &Shortcuts,
) -> Result<(GroundGame, Extent), GroundError> {
    let mut meter = Meter::new(limits);
    let (reached, progress, plainly) = reach_all(rules, shortcuts, &mut meter)?;
    let Reached { mut program, mut tables, facts, dynamic, mut auxiliaries } = reached;
    let roles = roles(&program, &tables)?;
    let work = Work { program: &mut program, tables: &mut tables, auxiliaries: &mut auxiliaries };
    let mut emitter = Emitter::new(work, dynamic, facts, shortcuts, &mut meter);
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
    /// How many of each table's first rows are facts.
    facts: IndexVec<RelationId, u32>,
    dynamic: IndexVec<RelationId, bool>,
    auxiliaries: Auxiliaries,
}

/// Reach as the rules are, if that is easy; if it is not, again, with the relations that were hard
/// unfolded or filtered by demand.
///
/// A try that was broken off leaves nothing behind but which relations were hard: the next begins
/// with fresh tables. Says, too, whether the rules were taken as they are.
fn reach_all(
    rules: &Rules,
    shortcuts: &Shortcuts,
    meter: &mut Meter,
) -> Result<(Reached, Progress, bool), GroundError> {
    let mut hard = Hard::default();
    // If no short cut can be taken later, there is no sense in breaking off.
    let learns = [shortcuts.demand, shortcuts.unfold].contains(&When::WhenItPays);
    let efforts = if learns { &shortcuts.efforts[..] } else { &[] };
    for effort in efforts.iter().copied().map(Some).chain([None]) {
        let mut reached = prepare(rules, shortcuts)?;
        let demand = hard.ease(&mut reached, rules, shortcuts)?;
        meter.limit_effort(effort);
        let mut progress = Progress::default();
        let outcome = reached.run(&demand, shortcuts, meter, &mut progress);
        meter.limit_effort(None);
        match outcome {
            Ok(()) => {
                let plainly = hard.unfold.is_empty() && hard.filter.is_empty();
                return Ok((reached, progress, plainly));
            }
            Err(Halt::Error(error)) => return Err(error),
            Err(Halt::Effort) => hard.learn(&reached, shortcuts, &progress),
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
    fn learn(&mut self, reached: &Reached, shortcuts: &Shortcuts, progress: &Progress) {
        let stuck = progress.stuck.into_iter();
        self.unfold.extend(stuck.filter(|&relation| reached.is_own(relation)));
        let is_hard = |&relation: &RelationId| {
            reached.tables.get(relation).len() >= shortcuts.large_table
                || !progress.complete.contains(&relation)
        };
        self.filter.extend(reached.program.relations.ids().filter(is_hard));
    }

    fn ease(
        &self,
        reached: &mut Reached,
        rules: &Rules,
        shortcuts: &Shortcuts,
    ) -> Result<Vec<Rule>, GroundError> {
        for relation in self.to_unfold(reached, shortcuts.unfold) {
            let has_facts = reached.facts[relation] > 0;
            let most = shortcuts.unfolded_rules;
            unfold::unfold(&mut reached.program, relation, has_facts, most);
        }
        let is_chosen = |id: RelationId| match shortcuts.demand {
            When::Always => true,
            When::Never => false,
            When::WhenItPays => self.filter.contains(&id),
        };
        if !reached.program.relations.ids().any(is_chosen) {
            return Ok(Vec::new());
        }
        let plain = reached.program.clone();
        let demand = demand::add_demand(&mut reached.program, is_chosen);
        reached.cover();
        if !reach::demand_conflicts(&reached.program, &demand, &reached.dynamic) {
            return Ok(demand);
        }
        *reached = Reached { program: plain, ..prepare(rules, shortcuts)? };
        let dynamic = reached.dynamic.clone();
        let choice = |id: RelationId| is_chosen(id) && dynamic[id];
        let demand = demand::add_demand(&mut reached.program, choice);
        reached.cover();
        Ok(demand)
    }

    /// The relations to unfold. Those that an earlier try made itself are not among them.
    fn to_unfold(&self, reached: &Reached, when: When) -> Vec<RelationId> {
        let known = |id: &RelationId| id.index() < reached.facts.len() && reached.is_own(*id);
        match when {
            When::Always => reached.program.relations.ids().filter(known).collect(),
            When::Never => Vec::new(),
            When::WhenItPays => self.unfold.iter().copied().filter(known).collect(),
        }
    }
}

fn prepare(rules: &Rules, shortcuts: &Shortcuts) -> Result<Reached, GroundError> {
    let (program, tables) = normal::normalise(rules, shortcuts.most_alternatives())?;
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
        shortcuts: &Shortcuts,
        meter: &mut Meter,
        progress: &mut Progress,
    ) -> Result<(), Halt> {
        let Self { program, tables, dynamic, auxiliaries, .. } = self;
        let rules = reach::relaxed_rules(program, dynamic, demand, shortcuts, auxiliaries);
        let outcome = reach::reach(program, tables, rules, meter, progress);
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
