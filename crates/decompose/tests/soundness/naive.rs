//! All states of a game, listed by evaluating its net gate by gate, as plainly as can be.

use std::collections::HashMap;

use gambol_index::Id;
use gambol_net::{Gate, GateId, MoveId, Net, RoleId};

/// The set of true fluents, one bit each.
pub(crate) type State = u128;

/// A state and all that can be done in it.
pub(crate) struct Place {
    pub(crate) state: State,
    pub(crate) terminal: bool,
    /// The legal moves of each role.
    pub(crate) legal: Vec<Vec<MoveId>>,
    /// For each joint move, the number of the state that follows. Nothing follows a terminal state.
    pub(crate) steps: Vec<(Vec<MoveId>, usize)>,
    /// Whether each goal of the net holds.
    pub(crate) goals: Vec<bool>,
}

/// Games in which more joint moves are legal in a state take too long to list.
const MOST_JOINT_MOVES: usize = 1 << 9;
/// So do games in which so many gates would be looked at: some seconds each.
const MOST_GATES: usize = 1 << 29;

/// All reachable states, the first being the initial one; none if there are more than `most`.
pub(crate) fn list(net: &Net, most: usize) -> Option<Vec<Place>> {
    assert!(net.next.len() <= 128, "too many fluents for this judge");
    let initial = net.initial.iter().fold(0, |state, fluent| state | 1 << fluent.index());
    let mut numbers: HashMap<State, usize> = HashMap::from([(initial, 0)]);
    let mut open = vec![initial];
    let (mut places, mut gates) = (Vec::new(), 0);
    while places.len() < open.len() {
        let state = open[places.len()];
        let values = evaluate(net, state, &[]);
        let holds = |gate: GateId| values[gate.index()];
        let terminal = holds(net.terminal);
        let of_role = |role: RoleId| -> Vec<MoveId> {
            net.moves_of(role).map(MoveId::new).filter(|&m| holds(net.legal[m])).collect()
        };
        let legal: Vec<Vec<MoveId>> = net.roles.ids().map(of_role).collect();
        if legal.iter().map(Vec::len).product::<usize>() > MOST_JOINT_MOVES {
            return None;
        }
        let goals = net.goals.iter().map(|goal| holds(goal.gate)).collect();
        let mut steps = Vec::new();
        for joint in if terminal { Vec::new() } else { product(&legal) } {
            let values = evaluate(net, state, &joint);
            let next = net.next.iter_ids().fold(0, |next, (fluent, gate)| {
                next | State::from(values[gate.index()]) << fluent.index()
            });
            let number = *numbers.entry(next).or_insert(open.len());
            if number == open.len() {
                open.push(next);
            }
            steps.push((joint, number));
        }
        gates += (1 + steps.len()) * net.gate_count();
        places.push(Place { state, terminal, legal, steps, goals });
        if open.len() > most || gates > MOST_GATES {
            return None;
        }
    }
    Some(places)
}

/// One of each.
fn product(choices: &[Vec<MoveId>]) -> Vec<Vec<MoveId>> {
    choices.iter().fold(vec![Vec::new()], |joints, of_role| {
        let longer = |joint: Vec<MoveId>| {
            of_role.iter().map(move |&one| joint.iter().copied().chain([one]).collect())
        };
        joints.into_iter().flat_map(longer).collect()
    })
}

fn evaluate(net: &Net, state: State, joint: &[MoveId]) -> Vec<bool> {
    let mut values = vec![false; net.gate_count()];
    // Recursive gates are the least fixpoint: sweep until nothing changes. Nothing that reads itself is
    // negated on the way, so values within a cycle only rise.
    loop {
        let before = values.clone();
        for gate in net.gate_ids() {
            values[gate.index()] = match net.gate(gate) {
                Gate::Constant(value) => value,
                Gate::Fluent(fluent) => state >> fluent.index() & 1 == 1,
                Gate::Does(action) => joint.contains(&action),
                Gate::And(inputs) => inputs.iter().all(|input| values[input.index()]),
                Gate::Or(inputs) => inputs.iter().any(|input| values[input.index()]),
                Gate::Not(input) => !values[input.index()],
            };
        }
        if values == before {
            return values;
        }
    }
}
