//! Phase by phase, the last one first.
//!
//! Play from a crossing point on depends on the interface alone. So the last phase is solved from each interface state
//! that it can begin with; these values are what the phase before pays where it ends, and so on to the start. Each
//! phase is a game of its own, solved by whatever fits it: its parts may be apart though those of the whole are not.
//!
//! That is right where a value says what both sides can secure, or what one player can reach: then good play in each
//! phase is good play in the whole. Other games are refused.

use std::time::Instant;

use gambol_analysis::{Answer, Encoding};
use gambol_decompose::{DecomposeOptions, Phase, phase_entry, phase_net, phases};
use gambol_index::IndexVec;
use gambol_net::rewrite::Paid;
use gambol_net::{Condition, FluentId, MoveId, Net, NetEngine, RoleId, State};
use gambol_sim::Circuit;
use rustc_hash::FxHashMap;

use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::Meter;
use crate::listing::Listing;
use crate::listing::checkpoint::ListingKeeper;
use crate::listing::store::StateId;
use crate::problem::{Choice, Task, proof_budget};
use crate::{
    Bounds, Dynamics, Limits, Meaning, Method, Observer, Solution, SolveOptions, Unobserved, Use,
};

/// Random games in which crossing points are looked for.
const PLAYOUTS: u64 = 1_000;
/// The share of the time for finding and proving phases.
const SHARE: f64 = 0.2;
/// Interface states of a phase at most.
const MOST_ENTRIES: usize = 1_024;
/// What the states of a phase may take, in MiB, to see which interface states they lead to.
const LISTED_MIB: u64 = 4;
/// Decisions of the solver per interface state.
const EFFORT: u64 = 200_000;

/// Why a game is not solved in this way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NotPhased {
    #[error("it has no crossing point at which play forgets what was")]
    Whole,
    #[error("its crossing points are not proved")]
    Unproved,
    #[error("too many interface states")]
    Entries,
    #[error("a phase has no value that can be handed on")]
    Value,
}

/// Solves a game phase by phase.
pub(crate) fn phased(
    task: &Task<'_>,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Result<Solution, NotPhased> {
    let started = Instant::now();
    if task.options.at.is_some() {
        return Err(NotPhased::Whole);
    }
    let mut options = DecomposeOptions::default();
    (options.playouts, options.seed, options.prove) = (PLAYOUTS, task.options.seed, true);
    options.time = limits.time.map(|time| time.mul_f64(SHARE));
    options.stop.clone_from(&limits.stop);
    let phases = phases(task.net, &options);
    match phases.as_slice() {
        [] | [_] => return Err(NotPhased::Whole),
        all if !all.iter().all(|phase| phase.basis.is_proved()) => return Err(NotPhased::Unproved),
        _ => {}
    }
    let mut course = Course { task, limits, started, phases: &phases, nodes: 0, states: 0 };
    let entries = course.entries()?;
    let solved = course.backwards(&entries, observer)?;
    Ok(course.solution(&solved))
}

/// A game that is divided into phases.
struct Course<'a> {
    task: &'a Task<'a>,
    limits: &'a Limits,
    started: Instant,
    phases: &'a [Phase],
    nodes: u64,
    states: u64,
}

/// A phase solved from each state that it can begin with.
type Solved = FxHashMap<State, Solution>;

impl Course<'_> {
    fn net(&self) -> &Net {
        self.task.net
    }

    /// The states that each phase can begin with; with others that cannot be told from them, if its predecessor is
    /// too large to be listed.
    fn entries(&mut self) -> Result<Vec<Vec<State>>, NotPhased> {
        let mut entries = vec![vec![State::initial(self.net())]];
        for place in 1..self.phases.len() {
            let found = match self.listed(place, &entries[place - 1]) {
                Some(found) => found,
                None => self.possible(place)?,
            };
            entries.push(found);
        }
        Ok(entries)
    }

    /// The states that a phase is entered in, from a listing of the phase before; `None` if that is too large.
    fn listed(&mut self, place: usize, before: &[State]) -> Option<Vec<State>> {
        let phase = &self.phases[place];
        let begins = phase.begins.as_ref()?;
        let mut found: Vec<State> = Vec::new();
        for entry in before {
            let net = phase_net(self.net(), Some(phase), &entry.fluents(), &[]);
            let circuit = Circuit::compile(&net, self.task.circuit.options()).ok()?;
            let mut game = CircuitDynamics::new(&net, &circuit);
            let limits = Limits { memory_mib: LISTED_MIB, ..self.left() };
            let start = game.start();
            let mut listing = Listing::begun(&game, &start);
            let mut unobserved = Unobserved;
            let mut keeper = ListingKeeper::new(&mut unobserved, 0, None);
            listing.complete(&mut game, &Meter::start(&limits), &mut keeper).ok()?;
            self.states += listing.len() as u64;
            let states = listing.states().map(|id: StateId| state(&net, listing.store.row(id)));
            let crossed = states.filter(|state| begins.holds(state));
            found.extend(crossed.map(|state| phase_entry(self.net(), phase, &state)));
            found.sort_unstable_by(|one, other| one.words().cmp(other.words()));
            found.dedup();
            if found.len() > MOST_ENTRIES {
                return None;
            }
        }
        Some(found)
    }

    /// The interface states that a phase may be entered in, as far as the invariants tell.
    fn possible(&self, place: usize) -> Result<Vec<State>, NotPhased> {
        let (before, phase) = (&self.phases[place - 1], &self.phases[place]);
        let shape = self.task.shape(&self.left());
        let invariants = shape.as_ref().map_or(&[][..], |shape| &shape.invariants);
        let mut encoding = Encoding::new(self.net(), &proof_budget(&self.left()));
        let now = encoding.state();
        encoding.assume(now, invariants);
        for &fact in &before.facts {
            let fact = encoding.literal(now, fact);
            encoding.add(&[fact]);
        }
        if let Some(begins) = &before.begins {
            let begun = encoding.condition(now, begins);
            encoding.add(&[begun]);
        }
        let then = encoding.step(now);
        encoding.assume(then, invariants);
        if let Some(condition) = &phase.begins {
            let (open, passed) =
                (encoding.condition(now, condition), encoding.condition(then, condition));
            encoding.add(&[!open]);
            encoding.add(&[passed]);
        }
        let handed = phase.interface.iter().map(|&fluent| encoding.fluent(then, fluent));
        let handed: Vec<_> = handed.collect();
        let mut found = Vec::new();
        loop {
            match encoding.solve(&[], EFFORT) {
                Answer::NoModel => return Ok(found),
                Answer::Model if found.len() < MOST_ENTRIES => {}
                _ => return Err(NotPhased::Entries),
            }
            let mut state = State::empty(self.net().fluents.len());
            let mut other = Vec::new();
            for (&fluent, &literal) in phase.interface.iter().zip(&handed) {
                let holds = encoding.value(literal);
                state.put(fluent, holds);
                other.push(if holds { !literal } else { literal });
            }
            found.push(phase_entry(self.net(), phase, &state));
            encoding.add(&other);
        }
    }

    /// Solves all phases from all states that they can begin with.
    fn backwards(
        &mut self,
        entries: &[Vec<State>],
        observer: &mut dyn Observer,
    ) -> Result<Vec<Solved>, NotPhased> {
        let mut solved: Vec<Solved> = Vec::new();
        for place in (0..self.phases.len()).rev() {
            let paid = solved.last().map(|later| self.paid(place + 1, later)).transpose()?;
            let mut of_phase = Solved::default();
            for entry in &entries[place] {
                let solution = self.solve(place, entry, &paid.clone().unwrap_or_default())?;
                self.nodes += solution.nodes;
                self.states += solution.states;
                observer.progress(self.nodes, "phases");
                of_phase.insert(entry.clone(), solution);
            }
            solved.push(of_phase);
        }
        solved.reverse();
        Ok(solved)
    }

    /// A phase from a state that it can begin with.
    fn solve(&self, place: usize, entry: &State, paid: &[Paid]) -> Result<Solution, NotPhased> {
        let net = phase_net(self.net(), self.phases.get(place + 1), &entry.fluents(), paid);
        let circuit = Circuit::compile(&net, self.task.circuit.options());
        let circuit = circuit.map_err(|_| NotPhased::Value)?;
        let mut options = SolveOptions {
            choice: Choice::Auto,
            parts: None,
            shape: None,
            limits: self.left(),
            ..self.task.options.clone()
        };
        options.shortcuts.phases = Use::Never;
        let solution = super::solve(&net, &circuit, &options).map_err(|_| NotPhased::Value)?;
        let handed_on = matches!(solution.meaning, Meaning::Best | Meaning::Opposed);
        match handed_on && values(&solution).is_some() {
            true => Ok(solution),
            false => Err(NotPhased::Value),
        }
    }

    /// What a phase pays where the next one begins.
    fn paid(&self, place: usize, solved: &Solved) -> Result<Vec<Paid>, NotPhased> {
        let mut entries: Vec<(&State, &Solution)> = solved.iter().collect();
        entries.sort_unstable_by(|one, other| one.0.words().cmp(other.0.words()));
        let mut when: FxHashMap<(RoleId, u32), Vec<Condition>> = FxHashMap::default();
        for (entry, solution) in entries {
            let values = values(solution).ok_or(NotPhased::Value)?;
            for (role, &value) in values.iter_ids() {
                when.entry((role, value)).or_default().push(self.handed(place, entry));
            }
        }
        let paid = when.into_iter();
        let paid = paid.map(|((role, value), any)| Paid { role, value, when: Condition::Any(any) });
        let mut paid: Vec<Paid> = paid.collect();
        paid.sort_unstable_by_key(|one| (one.role, one.value));
        Ok(paid)
    }

    /// The condition that a phase begins with this interface state.
    fn handed(&self, place: usize, entry: &State) -> Condition {
        let phase = &self.phases[place];
        let literal = |&fluent: &FluentId| Condition::Is(fluent, entry.holds(fluent));
        let begins = phase.begins.iter().cloned();
        Condition::All(phase.interface.iter().map(literal).chain(begins).collect())
    }

    /// The value of the start, with the lines of the phases one after the other.
    fn solution(&self, solved: &[Solved]) -> Solution {
        let net = self.net();
        let first = &solved[0][&State::initial(net)];
        let mut engine = NetEngine::new(net);
        let (mut line, mut state): (Vec<Vec<MoveId>>, State) = (Vec::new(), engine.initial());
        for (place, of_phase) in solved.iter().enumerate() {
            let entry = phase_entry(net, &self.phases[place], &state);
            let Some(solution) = of_phase.get(&entry) else { break };
            for joint in &solution.line {
                state = engine.next(&state, joint);
                line.push(joint.clone());
            }
            let next = self.phases.get(place + 1).and_then(|next| next.begins.as_ref());
            if engine.terminal(&state) || !next.is_some_and(|begins| begins.holds(&state)) {
                break;
            }
        }
        let entries: usize = solved.iter().skip(1).map(|of_phase| of_phase.len()).sum();
        Solution {
            line,
            shortest: false,
            method: Method::Phased,
            nodes: self.nodes,
            states: self.states,
            notes: vec![format!("{} phases, {entries} interface states", solved.len())],
            ..first.clone()
        }
    }

    fn left(&self) -> Limits {
        self.limits.left(self.started)
    }
}

/// The values of a solution, if they are known and can be goals.
fn values(solution: &Solution) -> Option<IndexVec<RoleId, u32>> {
    let whole = |bounds: &Bounds| u32::try_from(bounds.value()?.whole()?).ok();
    let values: Option<Vec<u32>> = solution.values.iter().map(whole).collect();
    values.map(Into::into)
}

fn state(net: &Net, row: &[u64]) -> State {
    let mut state = State::empty(net.fluents.len());
    let words = state.words().len();
    state.words_mut().copy_from_slice(&row[..words]);
    state
}
