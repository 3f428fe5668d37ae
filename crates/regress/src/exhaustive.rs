//! Backward induction over listed states: slow, obvious, and the judge of everything else.
//!
//! Where no state can be met twice the value of a state is the best of its successors' values. Where
//! states can come back, let `V(d)` be the value of the game that is broken off after `d`
//! transitions and then counts as endless; for opposed agents it settles, and the distance of a
//! state is the first `d` at which its value is the final one.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, NodeId};
use crate::cube::{Cube, VariableId};
use crate::limits::{Halt, Limits, Meter};
use crate::value::{Preferences, Value};

/// The value of every listed state.
#[derive(Debug)]
pub struct Exhaustive {
    places: FxHashMap<(NodeId, Cube), u32>,
    states: Vec<(NodeId, Cube)>,
    values: Vec<Value>,
}

/// Why states could not be listed or valued.
#[derive(Debug, thiserror::Error)]
pub enum ExhaustiveError {
    /// There are more than may be listed.
    #[error("there are more than {0} states")]
    Many(usize),
    /// A limit was met.
    #[error(transparent)]
    Halt(#[from] Halt),
    /// States come back, and the agents are not opposed.
    #[error(transparent)]
    Unsettled(#[from] Unsettled),
}

/// Play can go on for ever, and it is not a contest of two sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "play can return to a state, and the agents are not two with opposed rewards (that of endless \
     play included): values by backward induction are not defined; declare `endless` rewards that \
     keep them opposed, or add a variable that counts down"
)]
pub struct Unsettled;

/// Which states to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Listed {
    /// Those met in play.
    Reachable,
    /// All states that the invariants do not forbid, at every choice node.
    Possible,
}

impl Exhaustive {
    /// Lists at most `most` states and values them.
    pub fn solve(
        automaton: &Automaton,
        preferences: &Preferences,
        listed: Listed,
        most: usize,
        limits: &Limits,
    ) -> Result<Self, ExhaustiveError> {
        let mut meter = Meter::start(limits);
        let mut listing = Listing { automaton, places: FxHashMap::default(), states: Vec::new() };
        listing.begin(listed, most)?;
        let successors = listing.close(most, &mut meter)?;
        let values = match order_of(&successors) {
            Some(order) => induct(automaton, preferences, &listing.states, &successors, &order),
            None if preferences.are_opposed() => {
                settle(automaton, preferences, &listing.states, &successors, &mut meter)?
            }
            None => return Err(Unsettled.into()),
        };
        Ok(Self { places: listing.places, states: listing.states, values })
    }

    /// The value of a state, if it was listed.
    pub fn value(&self, node: NodeId, state: &Cube) -> Option<Value> {
        self.places.get(&(node, state.clone())).map(|&place| self.values[place as usize])
    }

    /// All listed states with their values.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Cube, Value)> {
        self.states.iter().zip(&self.values).map(|((node, state), &value)| (*node, state, value))
    }

    /// How many states were listed, goals included.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether no state was listed.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
}

struct Listing<'a> {
    automaton: &'a Automaton,
    places: FxHashMap<(NodeId, Cube), u32>,
    states: Vec<(NodeId, Cube)>,
}

impl Listing<'_> {
    fn begin(&mut self, listed: Listed, most: usize) -> Result<(), ExhaustiveError> {
        let automaton = self.automaton;
        match listed {
            Listed::Reachable => {
                self.place(automaton.start_node, automaton.start.clone());
            }
            Listed::Possible => {
                let nodes = automaton.choice_nodes().count() as f64;
                if automaton.layout.state_count() * nodes > 64.0 * most as f64 {
                    return Err(ExhaustiveError::Many(most));
                }
                let states = possible_states(automaton);
                for node in automaton.choice_nodes() {
                    states.iter().for_each(|state| {
                        self.place(node, state.clone());
                    });
                }
            }
        }
        if self.states.len() > most { Err(ExhaustiveError::Many(most)) } else { Ok(()) }
    }

    fn place(&mut self, node: NodeId, state: Cube) -> u32 {
        let next = self.states.len() as u32;
        let states = &mut self.states;
        *self.places.entry((node, state)).or_insert_with_key(|key| {
            states.push(key.clone());
            next
        })
    }

    /// Lists what is reachable from what is listed; for each state its successors.
    fn close(&mut self, most: usize, meter: &mut Meter) -> Result<Vec<Vec<u32>>, ExhaustiveError> {
        let mut successors = Vec::new();
        while let Some((node, state)) = self.states.get(successors.len()).cloned() {
            meter.tick(self.states.len() * 100)?;
            if self.states.len() > most {
                return Err(ExhaustiveError::Many(most));
            }
            let mut next = Vec::new();
            for id in self.automaton.available(node, &state) {
                let transition = &self.automaton.transitions[id];
                next.push(self.place(transition.target, transition.apply(&state)));
            }
            successors.push(next);
        }
        Ok(successors)
    }
}

/// All states that no invariant forbids, in the order of the last variable first.
fn possible_states(automaton: &Automaton) -> Vec<Cube> {
    let layout = &automaton.layout;
    let mut cubes = vec![layout.everything().clone()];
    for variable in layout.variables() {
        cubes = cubes.iter().flat_map(|cube| split(automaton, cube, variable)).collect();
    }
    cubes
}

fn split(automaton: &Automaton, cube: &Cube, variable: VariableId) -> Vec<Cube> {
    let layout = &automaton.layout;
    let parts = (0..layout.size(variable)).map(|value| {
        let mut part = cube.clone();
        layout.fix(&mut part, variable, value);
        part
    });
    parts.filter(|part| automaton.is_possible(part)).collect()
}

/// An order in which successors come first, if there is one.
fn order_of(successors: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut open: Vec<u32> = vec![0; successors.len()];
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); successors.len()];
    for (place, next) in successors.iter().enumerate() {
        open[place] = next.len() as u32;
        next.iter().for_each(|&to| before[to as usize].push(place as u32));
    }
    let mut order: Vec<u32> =
        (0..successors.len() as u32).filter(|&place| open[place as usize] == 0).collect();
    let mut done = 0;
    while let Some(&place) = order.get(done) {
        done += 1;
        for &from in &before[place as usize] {
            open[from as usize] -= 1;
            if open[from as usize] == 0 {
                order.push(from);
            }
        }
    }
    (order.len() == successors.len()).then_some(order)
}

fn induct(
    automaton: &Automaton,
    preferences: &Preferences,
    states: &[(NodeId, Cube)],
    successors: &[Vec<u32>],
    order: &[u32],
) -> Vec<Value> {
    let mut values = vec![preferences.endless(); states.len()];
    for &place in order {
        let place = place as usize;
        values[place] =
            back_up(automaton, preferences, states[place].0, &successors[place], &values);
    }
    values
}

/// A state's value from its successors' values.
fn back_up(
    automaton: &Automaton,
    preferences: &Preferences,
    node: NodeId,
    successors: &[u32],
    values: &[Value],
) -> Value {
    if let Some(outcome) = automaton.outcome_of(node) {
        return preferences.goal(outcome);
    }
    let agent = automaton.agent_of(node).expect("a node that is no goal has an agent");
    let next: Vec<Value> =
        successors.iter().map(|&to| preferences.before(values[to as usize])).collect();
    // Where nothing can be done, nothing ever ends.
    preferences.best(agent, &next).map_or(preferences.endless(), |(_, value)| value)
}

/// The values of games broken off after ever more transitions, until they settle.
fn settle(
    automaton: &Automaton,
    preferences: &Preferences,
    states: &[(NodeId, Cube)],
    successors: &[Vec<u32>],
    meter: &mut Meter,
) -> Result<Vec<Value>, Halt> {
    let plain = Preferences::of(automaton, false);
    let mut values: Vec<Value> = vec![plain.endless(); states.len()];
    let mut settled = vec![0; states.len()];
    for round in 0.. {
        meter.look(states.len() * 200)?;
        let back_up = |(place, next): (usize, &Vec<u32>)| {
            back_up(automaton, &plain, states[place].0, next, &values)
        };
        let new: Vec<Value> = successors.iter().enumerate().map(back_up).collect();
        let changed = (0..states.len()).filter(|&place| new[place] != values[place]);
        let changed: Vec<usize> = changed.collect();
        if changed.is_empty() {
            break;
        }
        changed.into_iter().for_each(|place| settled[place] = round);
        values = new;
    }
    if preferences.counts_distances() {
        values.iter_mut().zip(settled).for_each(|(value, round)| value.distance = round);
    }
    Ok(values)
}
