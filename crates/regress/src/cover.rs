//! Covering all states with classes, without listing the states.
//!
//! A region (a cube of states at a node) that lies in one class is done. One that no class meets
//! gets a class: that of any of its states. From any other the class that fits it best is taken away,
//! and what it leaves is a number of smaller regions. Each explained state makes a class that was not
//! there before, so this ends, with no more explanations than classes.

use crate::automaton::{Automaton, NodeId, TransitionId};
use crate::class::ClassRef;
use crate::cube::Cube;
use crate::explain::Explainer;
use crate::limits::Halt;
use crate::overlay::Overlay;

/// A part of the states of a node, and what is known to meet it.
struct Region {
    cube: Cube,
    /// Classes that meet it, among the first `seen` of each list of the node.
    classes: Vec<ClassRef>,
    seen: Vec<usize>,
    /// Invariants' cubes that meet it.
    forbidden: Vec<u32>,
    /// Transitions whose guard meets it.
    guards: Vec<TransitionId>,
}

/// Covers the states of nodes.
pub(crate) struct Cover<'a, 's> {
    pub(crate) explainer: Explainer<'a, 's>,
}

impl Cover<'_, '_> {
    /// Covers a cube of states of a node.
    pub(crate) fn cover(&mut self, node: NodeId, cube: &Cube) -> Result<(), Halt> {
        let automaton = self.explainer.automaton;
        let lists = automaton.group_count(node) + 1;
        let mut region = Region {
            cube: cube.clone(),
            classes: Vec::new(),
            seen: vec![0; lists],
            forbidden: (0..automaton.forbidden.len() as u32).collect(),
            guards: automaton.transitions_of(node).collect(),
        };
        self.narrow(&mut region);
        self.cover_region(node, region)
    }

    fn cover_region(&mut self, node: NodeId, mut region: Region) -> Result<(), Halt> {
        self.explainer.meter.tick(self.explainer.store.bytes())?;
        loop {
            if self.is_done(node, &mut region) {
                return Ok(());
            }
            if !region.classes.is_empty() {
                break;
            }
            let automaton = self.explainer.automaton;
            let Some(state) = possible_state(automaton, &region.cube, &region.forbidden) else {
                return Ok(());
            };
            self.explainer.explain(node, &state)?;
        }
        let parts = self.rest(node, &region);
        for cube in parts {
            let part = self.part(&region, cube);
            self.cover_region(node, part)?;
        }
        Ok(())
    }

    /// The class that leaves the fewest parts of a region.
    fn best_fit(&self, region: &Region) -> ClassRef {
        let (layout, store) = (&self.explainer.automaton.layout, &self.explainer.store);
        let cost = |at: &ClassRef| {
            let class = store.class(*at);
            let literals = layout.told_apart(&region.cube, &class.condition).count();
            let met = store.exclusions(*at).filter(|cube| !layout.is_disjoint(cube, &region.cube));
            (literals + met.count(), std::cmp::Reverse(*at))
        };
        let step = (region.classes.len() / 64).max(1);
        let best = region.classes.iter().step_by(step).min_by_key(|at| cost(at));
        *best.expect("a class meets the region")
    }

    /// What one class leaves of a region, as cubes.
    fn rest(&self, node: NodeId, region: &Region) -> Vec<Cube> {
        let (automaton, store) = (self.explainer.automaton, &self.explainer.store);
        let layout = &automaton.layout;
        let at = self.best_fit(region);
        let class = store.class(at);
        let (_, group) = store.place_of(at.list);
        let (mut parts, mut core) = (Vec::new(), region.cube.clone());
        for variable in layout.told_apart(&region.cube, &class.condition) {
            let mut part = core.clone();
            for value in layout.values(&class.condition, variable) {
                layout.forbid(&mut part, variable, value);
            }
            parts.push(part);
            for value in 0..layout.size(variable) {
                if !layout.allows(&class.condition, variable, value) {
                    layout.forbid(&mut core, variable, value);
                }
            }
        }
        parts.extend(store.exclusions(at).filter_map(|cube| layout.meet(cube, &core)));
        let guards = region.guards.iter().filter(|&&id| automaton.group_of(node, id) < group);
        parts.extend(guards.filter_map(|&id| layout.meet(&automaton.transitions[id].guard, &core)));
        parts
    }

    fn part(&self, region: &Region, cube: Cube) -> Region {
        let (automaton, store) = (self.explainer.automaton, &self.explainer.store);
        let meets = |other: &Cube| !automaton.layout.is_disjoint(other, &cube);
        let classes = region.classes.iter().filter(|&&at| meets(&store.class(at).condition));
        let forbidden =
            region.forbidden.iter().filter(|&&place| meets(&automaton.forbidden[place as usize]));
        let guards = region.guards.iter().filter(|&&id| meets(&automaton.transitions[id].guard));
        Region {
            classes: classes.copied().collect(),
            seen: region.seen.clone(),
            forbidden: forbidden.copied().collect(),
            guards: guards.copied().collect(),
            cube,
        }
    }

    /// Forgets invariants and guards that do not meet the region.
    fn narrow(&self, region: &mut Region) {
        let automaton = self.explainer.automaton;
        let layout = &automaton.layout;
        let meets = |cube: &Cube| !layout.is_disjoint(cube, &region.cube);
        region.forbidden.retain(|&place| meets(&automaton.forbidden[place as usize]));
        region.guards.retain(|&id| meets(&automaton.transitions[id].guard));
    }

    /// Whether one class, or an invariant, takes in the whole region. Keeps the classes that meet
    /// it, those included that are new.
    fn is_done(&self, node: NodeId, region: &mut Region) -> bool {
        let (automaton, store) = (self.explainer.automaton, &self.explainer.store);
        let inside = |cube: &Cube| region.cube.is_within(cube);
        if region.forbidden.iter().any(|&place| inside(&automaton.forbidden[place as usize])) {
            return true;
        }
        let guards = region.guards.iter().map(|&id| (automaton.group_of(node, id), id));
        let guards: Vec<(usize, TransitionId)> = guards.collect();
        // The first group with a guard that meets the region, and the first one that holds in it.
        let first = guards.first().map_or(automaton.group_count(node), |guard| guard.0);
        let within = guards.iter().find(|(_, id)| inside(&automaton.transitions[*id].guard));
        let last = within.map_or(automaton.group_count(node), |guard| guard.0);
        let lists = (store.list(node, first), store.list(node, last));
        let mut candidates = std::mem::take(&mut region.classes);
        add_new(store, node, region, &mut candidates);
        let mut done = false;
        candidates.retain(|&at| {
            if done || at.list < lists.0 || at.list > lists.1 {
                return false;
            }
            let relation = relation(store, at, &region.cube);
            done |= relation == Relation::Inside && at.list == lists.0;
            relation != Relation::Apart
        });
        region.classes = candidates;
        done
    }
}

/// The classes that meet the region and were not there when it was last looked at.
fn add_new(store: &Overlay<'_>, node: NodeId, region: &mut Region, candidates: &mut Vec<ClassRef>) {
    for (group, seen) in region.seen.iter_mut().enumerate() {
        let list = store.list(node, group);
        let count = store.count(list);
        for place in *seen..count {
            let at = ClassRef { list, place: place as u32 };
            if !store.layout().is_disjoint(&store.class(at).condition, &region.cube) {
                candidates.push(at);
            }
        }
        *seen = count;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Apart,
    Meets,
    Inside,
}

/// How a region lies to a class whose condition it meets.
fn relation(store: &Overlay<'_>, at: ClassRef, region: &Cube) -> Relation {
    let class = store.class(at);
    let layout = store.layout();
    let mut inside = region.is_within(&class.condition);
    for cube in store.exclusions(at) {
        if region.is_within(cube) {
            return Relation::Apart;
        }
        inside = inside && layout.is_disjoint(cube, region);
    }
    if inside { Relation::Inside } else { Relation::Meets }
}

/// A state of a cube that none of these invariants forbids.
pub(crate) fn possible_state(
    automaton: &Automaton,
    cube: &Cube,
    forbidden: &[u32],
) -> Option<Cube> {
    let layout = &automaton.layout;
    let mut open = vec![cube.clone()];
    while let Some(cube) = open.pop() {
        let broken =
            |&&place: &&u32| !layout.is_disjoint(&automaton.forbidden[place as usize], &cube);
        let Some(&place) = forbidden.iter().find(broken) else {
            return Some(layout.first_state(&cube));
        };
        // One part for each variable that can keep the state out of the forbidden cube.
        let bad = &automaton.forbidden[place as usize];
        let mut rest = cube.clone();
        for variable in layout.variables().filter(|&v| layout.constrains(bad, v)) {
            let (mut out, mut some) = (rest.clone(), false);
            for value in layout.values(&rest.clone(), variable) {
                if layout.allows(bad, variable, value) {
                    layout.forbid(&mut out, variable, value);
                } else {
                    layout.forbid(&mut rest, variable, value);
                    some = true;
                }
            }
            if some {
                open.push(out);
            }
        }
    }
    None
}
