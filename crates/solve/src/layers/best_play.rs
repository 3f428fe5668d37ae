//! Best play as a store tells it: the moves of a state with what they lead to, and the value of the game.

use gambol_net::{MoveId, Net};
use gambol_sim::Circuit;

use super::answers::{Answer, Answers};
use crate::circuit_dynamics::CircuitDynamics;
use crate::problem::joint_moves;
use crate::store_error::StoreError;
use crate::{Bounds, Dynamics, Meaning, Method, Solution, Unfinished};

/// What values of a game with chance mean.
pub(crate) const ON_AVERAGE: &str =
    "values are averages over the moves of random, all equally likely";

/// Why values are bounds: where states do not return, and where they do.
const BOUNDED: [&str; 2] = [
    "the fractions have too many digits: the values lie between proved bounds",
    "states return: the values lie between proved bounds",
];

/// A joint move, and what it leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveAnswer {
    /// One move for each role.
    pub joint: Vec<MoveId>,
    /// What the state after it is worth to each role; none if that is not known yet.
    pub values: Option<Vec<Bounds>>,
    /// Whether no other move is better for the only role that chooses.
    pub best: bool,
    state: Vec<u64>,
}

/// A state with its moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateAnswer {
    /// What is known of it.
    pub answer: Answer,
    /// The roles that have more than one move.
    pub choosers: Vec<usize>,
    /// Its joint moves; none if it is an end. Those best for the only role that chooses come first.
    pub moves: Vec<MoveAnswer>,
}

/// What a store says of a state and its moves; `None` if the state is not listed.
pub fn ask(
    answers: &Answers<'_>,
    net: &Net,
    circuit: &Circuit,
    state: &[u64],
) -> Result<Option<StateAnswer>, StoreError> {
    let Some(answer) = answers.of(state)? else { return Ok(None) };
    let mut game = CircuitDynamics::new(net, circuit);
    let looks = game.look(state);
    let mut moves = Vec::new();
    for (joint, state) in successors(&mut game, state) {
        let values = answers.of(&state)?.and_then(|answer| answer.values);
        moves.push(MoveAnswer { joint, values, best: false, state });
    }
    let choosers: Vec<usize> =
        (0..looks.roles()).filter(|&role| looks.moves(0, role).len() > 1).collect();
    if let [role] = choosers[..]
        && !is_chance(net, role)
    {
        let worth = |made: &MoveAnswer| {
            made.values.as_ref().map(|values| (values[role].least, values[role].most))
        };
        moves.sort_by_key(|made| std::cmp::Reverse(worth(made)));
        let most = moves.first().and_then(worth);
        moves.iter_mut().for_each(|made| made.best = most.is_some() && worth(made) == most);
    }
    Ok(Some(StateAnswer { answer, choosers, moves }))
}

/// The joint moves of a state with the states they lead to.
pub(crate) fn successors(
    game: &mut CircuitDynamics<'_>,
    state: &[u64],
) -> Vec<(Vec<MoveId>, Vec<u64>)> {
    let looks = game.look(state);
    let (count, mut joint) = (looks.joint_count(0), Vec::new());
    (0..count).for_each(|number| looks.joint_move(0, number, &mut joint));
    let next = if count > 0 { game.step(&state.repeat(count), &joint) } else { Vec::new() };
    let next = next.chunks_exact(game.width()).map(<[u64]>::to_vec);
    joint_moves(&joint, looks.roles()).into_iter().zip(next).collect()
}

/// The value of the game, or what each role can secure, and a line of best play; `None` if the store does not hold
/// all of it.
pub fn solution(
    answers: &Answers<'_>,
    net: &Net,
    circuit: &Circuit,
    start: &[u64],
) -> Result<Option<Solution>, StoreError> {
    let Some(values) =
        answers.of(start)?.and_then(|answer| answer.values).filter(|_| answers.is_complete())
    else {
        return Ok(None);
    };
    let players: Vec<usize> = (0..net.roles.len()).filter(|&role| !is_chance(net, role)).collect();
    let is_average = players.len() < net.roles.len();
    let exact = players.iter().all(|&role| values[role].value().is_some());
    let meaning = match players[..] {
        [_] => Meaning::Best,
        [one, other] if exact => {
            let both = values[one].least.plus(values[other].least).and_then(|sum| sum.whole());
            match answers.constant_sum()?.map(i128::from) == both && both.is_some() {
                true => Meaning::Opposed,
                false => Meaning::Secured,
            }
        }
        _ => Meaning::Secured,
    };
    let line = match meaning {
        Meaning::Secured => Vec::new(),
        // Where states return, a move that keeps the value need not come nearer to the end.
        _ if answers.states_return() => Vec::new(),
        _ => line(answers, net, circuit, start)?,
    };
    let settled = players.iter().all(|&role| values[role].is_settled());
    let mut notes = if is_average { vec![ON_AVERAGE.to_string()] } else { Vec::new() };
    if settled && !exact {
        notes.push(BOUNDED[usize::from(answers.states_return())].to_string());
    }
    Ok(Some(Solution {
        values,
        meaning,
        line,
        shortest: false,
        method: Method::Layers,
        nodes: answers.stored(),
        states: answers.stored(),
        unfinished: (!settled).then_some(Unfinished::Readings),
        notes,
    }))
}

/// Whether a role moves at random.
pub fn is_chance(net: &Net, role: usize) -> bool {
    net.roles.iter().nth(role).is_some_and(|name| &**name == "random")
}

/// Moves that keep what the roles have, to the end; none where roles choose at once or chance does.
fn line(
    answers: &Answers<'_>,
    net: &Net,
    circuit: &Circuit,
    start: &[u64],
) -> Result<Vec<Vec<MoveId>>, StoreError> {
    let (mut line, mut state) = (Vec::new(), start.to_vec());
    while let Some(asked) = ask(answers, net, circuit, &state)? {
        let chance = asked.choosers.iter().any(|&role| is_chance(net, role));
        if asked.choosers.len() > 1 || chance {
            return Ok(Vec::new());
        }
        // The best move of the only role that chooses comes first.
        let Some(best) = asked.moves.into_iter().next() else { break };
        line.push(best.joint);
        state = best.state;
    }
    Ok(line)
}
