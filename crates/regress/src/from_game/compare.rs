//! The automaton against the circuit, game by game.

use gambol_net::{MoveId, Net, RoleId};
use gambol_run::Random;
use gambol_sim::{Circuit, CompileOptions, Evaluator};

use super::{GameAutomaton, Payoff};
use crate::automaton::NodeId;
use crate::cube::Cube;

/// Where automaton and circuit differ.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("after {step} moves of random game {game}: {what}")]
pub struct Mismatch {
    /// Which random game.
    pub game: usize,
    /// After how many moves.
    pub step: usize,
    /// What differs.
    pub what: String,
}

/// The number of moves after which games are cut off.
const MOST_STEPS: usize = 10_000;

/// Plays random games on the circuit and asks the automaton the same questions: legal moves,
/// successors, the end and its rewards. How many states were compared.
pub fn compare_with_circuit(
    game: &GameAutomaton,
    net: &Net,
    circuit: &Circuit,
    games: usize,
    seed: u64,
) -> Result<usize, Mismatch> {
    let mut random = Random::new(seed);
    let mut evaluator = Evaluator::new(circuit);
    let mut compared = 0;
    for number in 0..games {
        let mut state = circuit.initial();
        for step in 0..MOST_STEPS {
            let wrong = |what: &str| Mismatch { game: number, step, what: what.to_string() };
            let fluents = circuit.fluents_of(&state);
            let (node, cube) = game.state_of(&fluents);
            if game.fluents_of(node, &cube) != fluents {
                return Err(wrong("the variables do not hold the state"));
            }
            compared += 1;
            let ends = end_payoffs(game, node, &cube);
            if evaluator.terminal(&state) != ends.is_some() {
                return Err(wrong("the automaton and the circuit differ on the end"));
            }
            if let Some(payoffs) = ends {
                let goals = evaluator.goals(&state);
                // Where there are several goals, or none, the circuit tells nothing.
                let agrees = |(goal, payoff): (&Option<u32>, &Payoff)| {
                    goal.is_none_or(|goal| payoff.value() == Some(goal))
                };
                if !goals.iter().zip(payoffs).all(agrees) {
                    return Err(wrong("the rewards differ"));
                }
                break;
            }
            let legal = evaluator.legal(&state);
            let joint = random_joint(net, &legal, &mut random);
            if joint.len() < net.roles.len() {
                // Somebody is stuck.
                if !game.automaton.available(node, &cube).is_empty() {
                    return Err(wrong("play goes on though a role is stuck"));
                }
                break;
            }
            let next = evaluator.next(&state, &joint);
            let expected = game.state_of(&circuit.fluents_of(&next));
            check_moves(game, net, node, &cube, &legal, &joint, expected)
                .map_err(|what| wrong(&what))?;
            state = next;
        }
    }
    Ok(compared)
}

fn end_payoffs<'g>(game: &'g GameAutomaton, node: NodeId, state: &Cube) -> Option<&'g [Payoff]> {
    let automaton = &game.automaton;
    let id = *automaton.available(node, state).first()?;
    let outcome = automaton.outcome_of(automaton.transitions[id].target)?;
    Some(&game.payoffs[outcome])
}

fn check_moves(
    game: &GameAutomaton,
    net: &Net,
    node: NodeId,
    state: &Cube,
    legal: &[MoveId],
    joint: &[MoveId],
    expected: (NodeId, Cube),
) -> Result<(), String> {
    let automaton = &game.automaton;
    let chooser = automaton.agent_of(node).ok_or("a goal is met in play")?;
    let mine = |action: &&MoveId| net.moves[**action].role.number() == chooser.number();
    let mut names: Vec<&str> = legal.iter().filter(mine).map(|&a| &*net.moves[a].name).collect();
    names.sort_unstable();
    let available = automaton.available(node, state);
    let mut found: Vec<&str> =
        available.iter().map(|&id| &*automaton.transitions[id].name).collect();
    found.sort_unstable();
    found.dedup();
    if names != found {
        return Err(format!("legal are {names:?}, available are {found:?}"));
    }
    let chosen = &net.moves[joint[chooser.number() as usize]].name;
    for id in available.iter().filter(|&&id| automaton.transitions[id].name == *chosen) {
        let transition = &automaton.transitions[*id];
        if (transition.target, transition.apply(state)) != expected {
            return Err(format!("{chosen} leads elsewhere"));
        }
    }
    Ok(())
}

fn random_joint(net: &Net, legal: &[MoveId], random: &mut Random) -> Vec<MoveId> {
    let choose = |role: RoleId| {
        let mine: Vec<MoveId> =
            legal.iter().copied().filter(|&action| net.moves[action].role == role).collect();
        mine.get(random.below(mine.len().max(1))).copied()
    };
    net.roles.ids().filter_map(choose).collect()
}

/// A state in which two roles have a choice, found at random, in words.
pub(super) fn simultaneous_choice(net: &Net) -> Option<String> {
    let circuit = Circuit::compile(net, &CompileOptions::default()).ok()?;
    let mut evaluator = Evaluator::new(&circuit);
    let mut random = Random::new(1);
    for _ in 0..50 {
        let mut state = circuit.initial();
        for step in 0..200 {
            if evaluator.terminal(&state) {
                break;
            }
            let legal = evaluator.legal(&state);
            let count = |role| legal.iter().filter(|&&a| net.moves[a].role == role).count();
            let choosing: Vec<RoleId> = net.roles.ids().filter(|&role| count(role) > 1).collect();
            if let [one, other, ..] = choosing[..] {
                let (one, other) = (&net.roles[one], &net.roles[other]);
                return Some(format!(
                    "after {step} moves both {one} and {other} can have a choice"
                ));
            }
            let joint = random_joint(net, &legal, &mut random);
            if joint.len() < net.roles.len() {
                break;
            }
            state = evaluator.next(&state, &joint);
        }
    }
    None
}
