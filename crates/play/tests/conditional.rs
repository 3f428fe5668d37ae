//! Games that fall apart in the course of a match.

mod prepared;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use gambol_net::{MoveId, RoleId};
use gambol_play::{Agent, Effort, Prepared, Reason, Settings};
use gambol_sim::{Evaluator, State};
use gambol_solve::{Choice, Method, SolveOptions, solve};

use crate::prepared::prepared;

/// Two boards of tic-tac-toe with a square between them that belongs to both.
const JOINT: &str = include_str!("../../../games/joint-tic-tac-toe/rules.kif");

fn never() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

/// The same game with every word but those of the language turned round.
fn scrambled(rules: &str) -> String {
    let language = "role base input init true next legal does goal terminal distinct not or";
    let exchanged = |word: &str| match word.chars().next() {
        Some(first) if first.is_alphabetic() && !language.split(' ').any(|one| one == word) => {
            "q".chars().chain(word.chars().rev()).collect()
        }
        _ => word.to_string(),
    };
    let (mut scrambled, mut word) = (String::new(), String::new());
    for line in rules.lines().filter(|line| !line.starts_with(';')) {
        for c in line.chars().chain(['\n']) {
            match c.is_alphanumeric() {
                true => word.push(c),
                false => {
                    scrambled += &exchanged(&std::mem::take(&mut word));
                    scrambled.push(c);
                }
            }
        }
    }
    scrambled
}

fn first_legal(game: &Prepared, state: &State, wanted: impl Fn(&str) -> bool) -> Vec<MoveId> {
    let legal = Evaluator::new(game.circuit()).legal(state);
    let of_role = |role: RoleId| {
        let own = || legal.iter().copied().filter(|&action| game.net().moves[action].role == role);
        own().find(|&action| wanted(game.name(action))).or_else(|| own().next())
    };
    game.net().roles.ids().filter_map(of_role).collect()
}

fn settings(words: &str) -> Settings {
    words.parse().expect("settings")
}

/// Plays one step, in which the square between the boards is taken.
fn to_the_bridge(game: &Prepared, agent: &mut Agent<'_>, bridge: &str) {
    let joint = first_legal(game, agent.state(), |name| name.contains(bridge));
    assert!(joint.iter().any(|&action| game.name(action).contains(bridge)));
    agent.advance(&joint);
}

/// Decides, until parts are found or some minutes have passed.
fn until_it_falls_apart(agent: &mut Agent<'_>, role: RoleId) -> Option<Reason> {
    let (begun, stop) = (Instant::now(), AtomicBool::new(false));
    while begun.elapsed() < Duration::from_secs(240) {
        let effort = Effort::Until(Instant::now() + Duration::from_millis(50));
        let decision = agent.decide(role, effort, &stop).expect("a move");
        if agent.new_parts().is_some() {
            return Some(decision.reason);
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

#[test]
fn joint_tic_tac_toe_is_two_games_once_the_bridge_is_taken() {
    let scrambled = scrambled(JOINT);
    for (rules, bridge) in [(JOINT, "bridge"), (&scrambled, "qegdirb")] {
        let game = prepared(rules);
        assert!(game.factors().is_none(), "one game at the start");
        let mut agent = Agent::new(&game, settings("mcts:solve=off"));
        to_the_bridge(&game, &mut agent, bridge);
        let legal = agent.legal(RoleId::new(1));
        until_it_falls_apart(&mut agent, RoleId::new(1)).expect("it falls apart");
        let factors = agent.factors().expect("just found");
        assert_eq!((factors.count(), factors.basis().as_str()), (2, "proved"));
        let effort = Effort::Playouts(20_000);
        let decision = agent.decide(RoleId::new(1), effort, &never()).expect("a move");
        assert!(matches!(decision.reason, Reason::Parts { .. }), "{decision:?}");
        assert!(legal.contains(&decision.action));
        assert_eq!(legal, agent.legal(RoleId::new(1)));
    }
}

#[test]
fn parts_hold_from_where_they_were_found_and_not_before() {
    let game = prepared(JOINT);
    let mut agent = Agent::new(&game, settings("mcts:solve=off"));
    let start = agent.state().clone();
    to_the_bridge(&game, &mut agent, "bridge");
    let taken = agent.state().clone();
    assert!(game.study_from(&taken, Duration::from_secs(60), &never()));
    let decide = |agent: &mut Agent<'_>, role: u32| {
        agent.decide(RoleId::new(role), Effort::Playouts(100), &never()).expect("a move");
        agent.factors().map_or(1, |factors| factors.count())
    };
    assert_eq!(decide(&mut agent, 1), 2);
    // One step on they still hold, and taking it back does no harm.
    let joint = first_legal(&game, agent.state(), |_| true);
    agent.advance(&joint);
    assert_eq!(decide(&mut agent, 0), 2);
    agent.go_to(taken.clone());
    assert_eq!(decide(&mut agent, 1), 2);
    agent.go_to(start);
    assert_eq!(decide(&mut agent, 0), 1);
    // Whoever comes to the same state finds them there.
    let mut other = Agent::new(&game, settings("mcts:solve=off"));
    to_the_bridge(&game, &mut other, "bridge");
    assert_eq!(decide(&mut other, 1), 2);
    other.go_to(taken);
    assert_eq!(decide(&mut other, 1), 2);
}

#[test]
fn the_parts_are_worth_what_the_whole_is() {
    let game = prepared(JOINT);
    let mut agent = Agent::new(&game, settings("mcts:solve=off"));
    to_the_bridge(&game, &mut agent, "bridge");
    // A few steps on, so that the whole can be listed in a moment.
    for _ in 0..4 {
        let joint = first_legal(&game, agent.state(), |_| true);
        agent.advance(&joint);
    }
    let mut options = SolveOptions::default();
    options.at = Some(game.circuit().fluents_of(agent.state()));
    let mut solved = |choice: Choice| {
        options.choice = choice;
        solve(game.net(), game.circuit(), &options).expect("small")
    };
    let (by_parts, whole) = (solved(Choice::Factored), solved(Choice::Listing));
    assert_eq!((by_parts.method, whole.method), (Method::Factored, Method::Listing));
    assert_eq!(by_parts.values, whole.values);
}
