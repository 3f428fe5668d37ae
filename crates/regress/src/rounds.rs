//! Covering in rounds: regions across threads, with a result that does not depend on their number.
//!
//! The states are cut into regions once, by the automaton alone. A round takes the next few regions; each is covered
//! from the classes of all earlier rounds and its own. At the end of a round the new classes are joined in the order of
//! the regions, equal ones once. The state of a run is therefore its classes and the number of regions done, and it can
//! be continued from there.
//!
//! The states are cut into regions once, by the automaton alone. A round takes the next few regions;
//! each is covered from the classes of all earlier rounds and its own. At the end of a round the new
//! classes are joined in the order of the regions, equal ones once. What a run has done is therefore
//! the classes and the number of regions done, and it can be taken up again from there.

use rustc_hash::FxHashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::automaton::{Automaton, NodeId};
use crate::class::{Class, ClassStore, ListId};
use crate::cover::Cover;
use crate::cube::{Cube, VariableId};
use crate::explain::Explainer;
use crate::limits::{Halt, Meter, Progress};
use crate::overlay::Overlay;
use crate::potential::Potential;
use crate::value::Preferences;

/// Regions per node, about.
const REGIONS: usize = 60;
/// Regions per round, whatever the number of threads.
const ROUND: usize = 4;

/// A run of the cover, as far as it has come.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) preferences: &'a Preferences,
    pub(crate) store: ClassStore,
    pub(crate) regressions: u64,
    /// Regions done; the start's explanation comes before the first.
    pub(crate) done: usize,
    /// All states of a node as one region.
    pub(crate) undivided: bool,
}

impl Run<'_> {
    /// Explains the start, from which everything that is met in play can be asked. A state without
    /// transitions that was met on the way.
    pub(crate) fn explain_start(&mut self, meter: &Meter) -> Result<Option<(NodeId, Cube)>, Halt> {
        let overlay = Overlay::on(&self.store, self.automaton);
        let mut explainer =
            Explainer::new(self.automaton, self.preferences, overlay, meter.clone());
        let automaton = self.automaton;
        let halt = explainer.explain(automaton.start_node, &automaton.start).err();
        let (own, regressions, stuck) =
            (explainer.store.own, explainer.regressions, explainer.stuck);
        self.regressions += regressions;
        self.join(vec![own]);
        halt.map_or(Ok(stuck), Err)
    }

    /// Covers the regions that are left, round by round.
    pub(crate) fn cover(
        &mut self,
        threads: usize,
        meter: &Meter,
        watch: &mut dyn FnMut(&Progress),
        save: &mut dyn FnMut(&Run<'_>),
    ) -> Result<(), Halt> {
        let regions = regions(self.automaton, if self.undivided { 1 } else { REGIONS });
        while self.done < regions.len() {
            let round = &regions[self.done..(self.done + ROUND).min(regions.len())];
            let results = self.cover_round(round, threads, meter);
            let mut halt = None;
            let mut stores = Vec::new();
            for (store, regressions, result) in results {
                stores.push(store);
                self.regressions += regressions;
                halt = halt.or(result.err());
            }
            self.join(stores);
            if let Some(halt) = halt {
                return Err(halt);
            }
            self.done += round.len();
            watch(&Progress {
                share: Some(self.done as f64 / regions.len() as f64),
                classes: self.store.len(),
                regressions: self.regressions,
                bytes: self.store.bytes(),
            });
            save(self);
        }
        Ok(())
    }

    /// Each region on its own; a thread takes the next free one.
    fn cover_round(&self, round: &[(NodeId, Cube)], threads: usize, meter: &Meter) -> Vec<Done> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, Done)>> = Mutex::new(Vec::new());
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some((node, cube)) = round.get(place) else { return };
                let done = self.cover_region(*node, cube, meter);
                let mut results = results.lock().expect("no thread panics with the lock");
                results.push((place, done));
            }
        };
        std::thread::scope(|scope| {
            (1..threads.min(round.len())).for_each(|_| {
                scope.spawn(work);
            });
            work();
        });
        let mut results = results.into_inner().expect("no thread panics with the lock");
        results.sort_by_key(|(place, _)| *place);
        results.into_iter().map(|(_, done)| done).collect()
    }

    fn cover_region(&self, node: NodeId, cube: &Cube, meter: &Meter) -> Done {
        let overlay = Overlay::on(&self.store, self.automaton);
        let explainer = Explainer::new(self.automaton, self.preferences, overlay, meter.clone());
        let mut cover = Cover { explainer };
        let result = cover.cover(node, cube);
        (cover.explainer.store.own, cover.explainer.regressions, result)
    }

    /// Adds new classes in order; those of different regions may be equal.
    fn join(&mut self, stores: Vec<ClassStore>) {
        let mut known: FxHashSet<(ListId, Cube, Vec<Cube>)> = FxHashSet::default();
        let several = stores.len() > 1;
        for store in stores {
            for list in store.list_ids() {
                for class in store.classes(list) {
                    let excluded: Vec<Cube> = store.exclusions(class).cloned().collect();
                    let Class { value, condition, transition, .. } = class.clone();
                    let key = || (list, condition.clone(), excluded.clone());
                    if !several || known.insert(key()) {
                        self.store.push(list, value, condition, excluded, transition);
                    }
                }
            }
        }
    }
}

/// The new classes of a region, how many cubes were regressed, and whether a limit was met.
type Done = (ClassStore, u64, Result<(), Halt>);

/// The states of every node, cut on the variables that most guards read into about so many regions.
/// Those with the least potential come first: no transition raises it, so what the others ask about
/// is known by then.
fn regions(automaton: &Automaton, wanted: usize) -> Vec<(NodeId, Cube)> {
    let layout = &automaton.layout;
    let potential = Potential::of(automaton);
    let readers = |variable: VariableId| {
        let reads = |guard: &Cube| layout.constrains(guard, variable);
        automaton.transitions.iter().filter(|transition| reads(&transition.guard)).count()
    };
    let mut variables: Vec<VariableId> = layout.variables().collect();
    variables.sort_by_key(|&variable| (std::cmp::Reverse(readers(variable)), variable));
    let mut cubes = vec![layout.everything().clone()];
    for variable in variables {
        if cubes.len() >= wanted {
            break;
        }
        let parts = cubes.iter().flat_map(|cube| {
            (0..layout.size(variable)).map(|value| {
                let mut part = cube.clone();
                layout.fix(&mut part, variable, value);
                part
            })
        });
        cubes = parts.filter(|part| automaton.is_possible(part)).collect();
    }
    let nodes: Vec<NodeId> = automaton.choice_nodes().collect();
    let mut regions: Vec<(NodeId, Cube)> =
        cubes.iter().flat_map(|cube| nodes.iter().map(|&node| (node, cube.clone()))).collect();
    regions.sort_by_key(|(_, cube)| potential.range(layout, cube).0);
    regions
}
