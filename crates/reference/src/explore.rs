//! Every state of a small game, found breadth first, so that witnesses are as short as can be.

use gambol_index::{Components, Graph, Id, IndexVec, define_id};
use rustc_hash::FxHashMap;

use crate::inspect::{Inspector, Position};
use crate::{Fault, GroundTerm, Interpreter, ReferenceError, State};

define_id! {
    /// A state found.
    struct StateId;
}

/// The states found so far and how each was reached.
#[derive(Default)]
pub(crate) struct Exploration {
    states: IndexVec<StateId, State>,
    number_of: FxHashMap<State, StateId>,
    positions: IndexVec<StateId, Position>,
    /// The state before, and the joint move from there.
    reached: IndexVec<StateId, Option<(StateId, Vec<GroundTerm>)>>,
    edges: Vec<(u32, u32)>,
    /// Whether every reachable state was found.
    pub(crate) complete: bool,
}

/// Steps looked at for each state allowed, so that a state with very many joint moves ends the
/// search and not the memory.
const STEPS_PER_STATE: usize = 16;

impl Exploration {
    /// The number of states found.
    pub(crate) fn states(&self) -> usize {
        self.states.len()
    }

    /// The number of terminal states among them.
    pub(crate) fn terminal_states(&self) -> usize {
        self.positions.iter().filter(|position| position.terminal).count()
    }

    /// The number of steps between them: joint moves.
    pub(crate) fn transitions(&self) -> usize {
        self.edges.len()
    }

    /// Finds states until there are no more, or more than `limit`. When the interpreter gives up
    /// in between, what was found stays.
    pub(crate) fn run(
        &mut self,
        game: &mut Interpreter,
        inspector: &mut Inspector,
        limit: usize,
    ) -> Result<(), ReferenceError> {
        let initial = game.initial()?;
        self.add(game, inspector, initial, None)?;
        let mut next = 0;
        while next < self.states.len() {
            if !self.expand(game, inspector, StateId::from_index(next), limit)? {
                return Ok(());
            }
            next += 1;
        }
        self.complete = true;
        Ok(())
    }

    /// Follows every joint move from a state; says whether the limit allowed it.
    fn expand(
        &mut self,
        game: &mut Interpreter,
        inspector: &mut Inspector,
        from: StateId,
        limit: usize,
    ) -> Result<bool, ReferenceError> {
        if !self.positions[from].can_go_on() {
            return Ok(true);
        }
        let mut joints = JointMoves::of(&self.positions[from].legal);
        while let Some(joint) = joints.next() {
            if self.states.len() > limit || self.edges.len() / STEPS_PER_STATE > limit {
                return Ok(false);
            }
            let state = game.next(&self.states[from], &joint)?;
            let to = match self.number_of.get(&state) {
                Some(&known) => known,
                None => self.add(game, inspector, state, Some((from, joint.clone())))?,
            };
            self.edges.push((from.number(), to.number()));
            let witness = || {
                let mut path = self.path(from);
                path.push(joint.clone());
                path
            };
            inspector.inspect_step(&self.positions[from], &self.positions[to], &witness);
        }
        Ok(true)
    }

    fn add(
        &mut self,
        game: &mut Interpreter,
        inspector: &mut Inspector,
        state: State,
        reached: Option<(StateId, Vec<GroundTerm>)>,
    ) -> Result<StateId, ReferenceError> {
        self.reached.push(reached);
        let id = self.states.push(state.clone());
        let position = inspector.inspect(game, &state, &|| self.path(id))?;
        self.positions.push(position);
        self.number_of.insert(state, id);
        Ok(id)
    }

    /// The joint moves that lead to a state.
    fn path(&self, state: StateId) -> Vec<Vec<GroundTerm>> {
        let mut path = Vec::new();
        let mut state = state;
        while let Some((before, joint)) = &self.reached[state] {
            path.push(joint.clone());
            state = *before;
        }
        path.reverse();
        path
    }

    /// Reports a circle of states, if there is one.
    pub(crate) fn inspect_termination(&self, inspector: &mut Inspector) {
        let graph = Graph::from_edges(self.states.len(), &self.edges);
        let components = Components::of(&graph);
        let circles = (0..components.len()).filter_map(|number| {
            let number = StateId::from_index(number).number();
            let states = components.members(number).iter();
            components.is_cyclic(&graph, number).then(|| states.min().copied()).flatten()
        });
        if let Some(state) = circles.min() {
            let witness = || self.path(StateId::new(state));
            inspector.report(Fault::Nonterminating, None, None, &witness);
        }
    }
}

/// All choices of one move per role, the last role's changing fastest.
struct JointMoves {
    legal: Vec<Vec<GroundTerm>>,
    choice: Option<Vec<usize>>,
}

impl JointMoves {
    fn of(legal: &[Vec<GroundTerm>]) -> Self {
        let possible = legal.iter().all(|moves| !moves.is_empty());
        Self { legal: legal.to_vec(), choice: possible.then(|| vec![0; legal.len()]) }
    }

    fn next(&mut self) -> Option<Vec<GroundTerm>> {
        let choice = self.choice.as_mut()?;
        let joint = choice.iter().zip(&self.legal).map(|(&place, moves)| moves[place]).collect();
        let more = choice.iter_mut().zip(&self.legal).rev().any(|(place, moves)| {
            *place = (*place + 1) % moves.len();
            *place > 0
        });
        if !more {
            self.choice = None;
        }
        Some(joint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joint_moves_are_all_combinations() {
        let term = GroundTerm::new;
        let mut joints = JointMoves::of(&[vec![term(1), term(2)], vec![term(3), term(4), term(5)]]);
        let all: Vec<_> = std::iter::from_fn(|| joints.next()).collect();
        assert_eq!(all.len(), 6);
        assert_eq!(all[0], [term(1), term(3)]);
        assert_eq!(all[5], [term(2), term(5)]);
    }
}
