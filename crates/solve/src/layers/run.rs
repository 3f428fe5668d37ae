//! A run: a plan is made or found on the shelf, layers are listed, and then solved.

use std::collections::BTreeMap;
use std::time::Instant;

use gambol_net::{MoveId, Net};
use gambol_sim::Circuit;

use super::backward::solve_layers;
use super::best_play::successors;
use super::bounds::bound_returning;
use super::bulk::{Bulk, Expanded, Layer};
use super::exchange::{Alone, Exchange};
use super::forward::list_layers;
use super::graph_play::BestPlay;
use super::mark::Mark;
use super::plan::{PLAN_FILE, Plan, Planner};
use super::retrograde::solve_returning;
use super::shelf::Shelf;
use super::successor_graph::SuccessorGraph;
use super::worker::{LayerDone, Setting, Worker};
use super::worth::{Fractions, Ranks};
use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::Meter;
use crate::listing::observation::{Seen, check_seen};
use crate::problem::{Task, chance_role, start_of};
use crate::store_error::{Stopped, StoreError};
use crate::{Bounds, Meaning, Method, Solution, SolveError, SolveOptions, Unfinished};

/// How many states lie between which bounds.
type Counts = BTreeMap<Vec<Bounds>, u64>;

/// A game that may be solved layer by layer, and the plans made for it so far.
pub struct LayeredGame<'a> {
    net: &'a Net,
    circuit: &'a Circuit,
    options: &'a SolveOptions,
    start: Vec<u64>,
    planner: Option<Planner>,
    /// Whether states may return.
    returning: bool,
}

impl<'a> LayeredGame<'a> {
    /// A game, solved from the state that the options name. Every role must be able to tell the state, which is
    /// checked.
    pub fn new(
        net: &'a Net,
        circuit: &'a Circuit,
        options: &'a SolveOptions,
    ) -> Result<Self, SolveError> {
        Self::seen(net, circuit, options, check_seen(net, circuit, options)?)
    }

    /// The same for a game of which that is known.
    pub fn seen(
        net: &'a Net,
        circuit: &'a Circuit,
        options: &'a SolveOptions,
        _: Seen,
    ) -> Result<Self, SolveError> {
        let start = start_of(net, circuit, options)?;
        Ok(Self { net, circuit, options, start, planner: None, returning: false })
    }

    /// The same game, also if its states return: they are then listed once, and solved all together.
    pub fn returning(self) -> Self {
        Self { returning: true, ..self }
    }

    /// The same game, only if its states do not return.
    pub fn not_returning(self) -> Self {
        Self { returning: false, ..self }
    }

    /// The state it is solved from, as words.
    pub fn start(&self) -> &[u64] {
        &self.start
    }

    fn task(&self) -> Task<'_> {
        Task { net: self.net, circuit: self.circuit, start: &self.start, options: self.options }
    }

    /// The plan on a shelf; none if there is none. It must be one for this game.
    pub fn plan_on(&self, shelf: &dyn Shelf) -> Result<Option<Plan>, StoreError> {
        match Plan::on(shelf) {
            Err(StoreError::Missing(_)) => Ok(None),
            plan => self.check(plan?).map(Some),
        }
    }

    /// The plan on a shelf, whatever state it begins in: for questions.
    pub fn plan_to_ask(&self, shelf: &dyn Shelf) -> Result<Plan, StoreError> {
        let plan = Plan::on(shelf)?;
        let of_game = plan.fits(&Task { start: plan.start(), ..self.task() });
        if of_game { Ok(plan) } else { Err(StoreError::Other(PLAN_FILE.to_string())) }
    }

    /// A plan, if it is one for this game.
    pub fn check(&self, plan: Plan) -> Result<Plan, StoreError> {
        if plan.fits(&self.task()) {
            Ok(plan)
        } else {
            Err(StoreError::Other(PLAN_FILE.to_string()))
        }
    }

    /// A new plan, with room for what earlier runs had none for; none if this is no game for layers.
    pub fn new_plan(&mut self) -> Option<Plan> {
        let mut planner = self.take_planner();
        let plan = planner.plan(&self.task(), self.returning);
        self.planner = Some(planner);
        plan
    }

    fn take_planner(&mut self) -> Planner {
        let taken = self.planner.take();
        taken.unwrap_or_else(|| Planner::new(&self.task()))
    }

    /// Remembers a state that had no code, for the next plan. Whether there may be a next one.
    pub fn learn(&mut self, stopped: &Stopped) -> bool {
        let Stopped::Uncoded { row, depth, .. } = stopped else { return false };
        let mut planner = self.take_planner();
        planner.learn(row, *depth);
        self.planner = Some(planner);
        true
    }

    /// Does the work of one worker: lists what is not yet listed, and solves what is not yet solved.
    pub fn work(
        &self,
        setting: Setting<'_>,
        exchange: &mut dyn Exchange,
        tell: &mut dyn FnMut(LayerDone),
    ) -> Result<(), Stopped> {
        let bulk = Bulk::new(self.net, self.circuit, setting.plan);
        let mut worker = Worker::new(setting, bulk, exchange, tell);
        list_layers(&mut worker, self.net)?;
        let chance = chance_role(self.net);
        if setting.plan.states_return() {
            return match chance.is_some() || worker.mark.at_once {
                false => solve_returning(&mut worker, self.net),
                true => bound_returning(&mut worker, self.net, chance),
            };
        }
        match self.ranks().filter(|_| !worker.mark.at_once) {
            Some(ranks) => solve_layers(&mut worker, self.net, &ranks),
            None => {
                let arithmetic = Fractions { roles: self.net.roles.len(), chance };
                solve_layers(&mut worker, self.net, &arithmetic)
            }
        }
    }

    /// Values as ranks of goals, if nothing happens by chance and they fit in a word.
    fn ranks(&self) -> Option<Ranks> {
        let goals = self.net.goals.iter().map(|goal| goal.value);
        Ranks::new(self.net.roles.len(), goals).filter(|_| chance_role(self.net).is_none())
    }

    /// How many states lie between which bounds, and best play if it is asked for and seen, from the graph of all
    /// states in no more than so many MiB. A plan that has no room for a state is replaced by one that has. None if
    /// this is no game for that, or memory is too small.
    pub(crate) fn by_graph(
        &mut self,
        most_mib: u64,
        with_play: bool,
    ) -> Result<Option<(Counts, Option<Solution>)>, Stopped> {
        let Some(ranks) = self.ranks() else { return Ok(None) };
        let started = Instant::now();
        loop {
            let Some(plan) = self.new_plan() else { return Ok(None) };
            let mut limits = self.options.limits.left(started);
            if !plan.states_return() {
                // Layers do with less, and may need all of it.
                limits.memory_mib /= 4;
            }
            limits.memory_mib = limits.memory_mib.min(most_mib);
            let meter = Meter::start(&limits);
            let found = self.by_graph_of(&plan, &ranks, &meter, with_play);
            match found {
                Ok(found) => return Ok(Some(found)),
                Err(Stopped::Unfit(_) | Stopped::Limit(Unfinished::Memory)) => return Ok(None),
                Err(stopped) if self.learn(&stopped) => {}
                Err(stopped) => return Err(stopped),
            }
        }
    }

    fn by_graph_of(
        &self,
        plan: &Plan,
        ranks: &Ranks,
        meter: &Meter,
        with_play: bool,
    ) -> Result<(Counts, Option<Solution>), Stopped> {
        let mut bulk = Bulk::new(self.net, self.circuit, plan);
        let graph = SuccessorGraph::list((self.net, plan, ranks), &mut bulk, meter)?;
        let values = graph.solve(meter)?;
        let play = match with_play {
            true => graph.best_play(&values, meter)?,
            false => None,
        };
        let states = graph.len() as u64;
        let solution = play.map(|BestPlay { values, meaning, taken }| Solution {
            values,
            meaning,
            line: self.played(plan, &mut bulk, &taken),
            shortest: meaning == Meaning::Best,
            method: Method::Listing,
            nodes: states,
            states,
            unfinished: None,
            notes: Vec::new(),
        });
        Ok((graph.counts(&values), solution))
    }

    /// The moves that lead along a line, given by which successors of the listed states are taken. States of play are
    /// images of listed ones.
    fn played(&self, plan: &Plan, bulk: &mut Bulk<'_>, taken: &[usize]) -> Vec<Vec<MoveId>> {
        let mut game = CircuitDynamics::new(self.net, self.circuit);
        let (mut line, mut state, mut expanded) =
            (Vec::new(), self.start.clone(), Expanded::default());
        let mut moment = plan.first_moment();
        let mut key = plan.key(&state, &moment);
        for (depth, &number) in (0..).zip(taken) {
            let mut next = plan.states_return().then(|| moment.clone());
            let mut layer = Layer { depth, moment: &moment, next: &mut next };
            let made = key.map(|key| bulk.expand(&[key], &mut layer, &mut expanded));
            let (Some(Ok(())), Some(then)) = (made, next) else { break };
            (key, moment) = (expanded.keys.get(number).copied(), then);
            let leads = |next: &[u64]| plan.key(next, &moment) == key;
            let Some((joint, next)) =
                successors(&mut game, &state).into_iter().find(|(_, next)| leads(next))
            else {
                break;
            };
            line.push(joint);
            state = next;
        }
        line
    }
}

/// Solves a game layer by layer with one worker, as far as the shelf does not hold it already. None if this is no
/// game for layers.
pub fn solve_alone(
    game: &mut LayeredGame<'_>,
    shelf: &dyn Shelf,
    tell: &mut dyn FnMut(LayerDone),
) -> Result<Option<Plan>, Stopped> {
    let limits = game.options.limits.clone();
    solve_with(game, shelf, &mut |game, plan| {
        let setting = Setting { plan, shelf, limits: &limits, process: 0, marks: true };
        game.work(setting, &mut Alone, tell)
    })
}

/// Solves a game layer by layer, by workers that are called with a plan. A plan that has no room for a state is
/// replaced by one that has. None if this is no game for layers.
pub fn solve_with<'a>(
    game: &mut LayeredGame<'a>,
    shelf: &dyn Shelf,
    work: &mut dyn FnMut(&LayeredGame<'a>, &Plan) -> Result<(), Stopped>,
) -> Result<Option<Plan>, Stopped> {
    let mut plan = game.plan_on(shelf)?;
    loop {
        let Some(made) = plan.take().or_else(|| game.new_plan()) else { return Ok(None) };
        made.put(shelf)?;
        match work(game, &made) {
            Ok(()) => return Ok(Some(made)),
            Err(Stopped::Unfit(_)) => {
                forget(shelf)?;
                return Ok(None);
            }
            Err(stopped) if game.learn(&stopped) => forget(shelf)?,
            Err(stopped) => return Err(stopped),
        }
    }
}

/// Removes the files of a store, and nothing else.
pub fn forget(shelf: &dyn Shelf) -> Result<(), StoreError> {
    let ours = |name: &str| {
        [".keys", ".values", ".mark"].iter().any(|end| name.ends_with(end)) || name == PLAN_FILE
    };
    remove(shelf, ours)
}

/// Removes files of layers that no mark of the plan speaks of: what a run left that was cut off. Nobody may work on
/// the store.
pub fn remove_leavings(shelf: &dyn Shelf, plan: &Plan) -> Result<(), StoreError> {
    let mark = Mark::furthest(shelf, plan.digest())?.unwrap_or(Mark::new(plan.digest()));
    let kept = mark.files();
    let is_of_layer = |name: &str| name.ends_with(".keys") || name.ends_with(".values");
    remove(shelf, |name| is_of_layer(name) && !kept.contains(name))
}

fn remove(shelf: &dyn Shelf, is_meant: impl Fn(&str) -> bool) -> Result<(), StoreError> {
    let names = shelf.names().map_err(|error| StoreError::read("the store", &error))?;
    for name in names.iter().filter(|name| is_meant(name)) {
        shelf.remove(name).map_err(|error| StoreError::write(name, &error))?;
    }
    Ok(())
}
