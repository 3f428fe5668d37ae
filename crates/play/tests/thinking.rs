//! What the search makes of the structure of games.

mod prepared;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use gambol_net::{MoveId, RoleId};
use gambol_play::{Agent, Clock, Decision, Effort, Prepared, Reason, Settings, local_match};
use gambol_sim::Evaluator;

use crate::prepared::prepared;

const DOUBLE: &str = include_str!("../../../games/double-tic-tac-toe/rules.kif");
const LIGHTS: &str = include_str!("../../../games/joint-buttons-and-lights/rules.kif");
const HEAPS: &str = include_str!("../../../games/nim-2-3-4/rules.kif");
const SIX_HEAPS: &str = include_str!("../../../games/nim-six-heaps/rules.kif");
const BREAKTHROUGH: &str = include_str!("../../../games/double-breakthrough/rules.kif");
const CROSSES: &str = include_str!("../../../games/tic-tac-toe/rules.kif");

/// Two heaps at once: in every step the mover takes one or two from each. Who takes the last of a
/// heap has won it, and the game is decided by the first heap, whose player needs to know that three
/// left are lost.
const TWO_AT_ONCE: &str = "
    (role left) (role right) (init (heap a 4)) (init (heap b 4)) (init (turn left))
    (less 1 4 3) (less 1 3 2) (less 1 2 1) (less 1 1 0) (less 2 4 2) (less 2 3 1) (less 2 2 0)
    (less 1 0 0) (less 2 0 0) (less 2 1 0)
    (take 1) (take 2) (heap a) (heap b) (other left right) (other right left)
    (<= (legal ?p (take ?x ?y)) (true (turn ?p)) (take ?x) (take ?y))
    (<= (legal ?p wait) (other ?p ?q) (true (turn ?q)))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
    (<= (next (heap a ?n)) (true (heap a ?m)) (does ?p (take ?x ?y)) (less ?x ?m ?n))
    (<= (next (heap b ?n)) (true (heap b ?m)) (does ?p (take ?x ?y)) (less ?y ?m ?n))
    (<= (next (won ?h ?p)) (heap ?h) (true (won ?h ?p)))
    (<= (next (won a ?p)) (does ?p (take ?x ?y)) (true (heap a ?m)) (less ?x ?m 0) (distinct ?m 0))
    (<= (next (won b ?p)) (does ?p (take ?x ?y)) (true (heap b ?m)) (less ?y ?m 0) (distinct ?m 0))
    (<= terminal (true (heap a 0)) (true (heap b 0)))
    (<= (goal ?p 100) (true (won a ?p)) (true (won b ?p)))
    (<= (goal ?p 0) (role ?p) (not (true (won a ?p))))
    (<= (goal ?p 0) (true (won a ?p)) (not (true (won b ?p))))";

fn searched(words: &str) -> Settings {
    words.parse().expect("settings")
}

#[test]
fn a_game_of_two_boards_falls_apart() {
    let game = prepared(DOUBLE);
    let factors = game.factors().expect("it falls apart");
    assert_eq!((factors.count(), factors.basis().as_str()), (2, "proved"));
}

#[test]
fn parts_that_are_played_at_once_are_searched_one_by_one() {
    let game = prepared(TWO_AT_ONCE);
    let factors = game.factors().expect("it falls apart");
    assert_eq!(factors.count(), 2);
    let mut agent = Agent::new(&game, searched("mcts:solve=off"));
    let stop = AtomicBool::new(false);
    let decision = agent.decide(RoleId::new(0), Effort::Playouts(100_000), &stop).expect("a move");
    assert!(matches!(decision.reason, Reason::Parts { .. }), "{decision:?}");
    // Three left are lost in either heap, and each heap is decided by itself.
    assert_eq!(game.name(decision.action), "(take 1 1)");
}

/// Two boards of breakthrough, and on the right one it is a matter of who moves first.
#[test]
fn the_player_moves_on_the_board_where_it_matters() {
    let game = prepared(BREAKTHROUGH);
    let race = ["(cell right 1 4 white)", "(cell right 4 2 black)"];
    let starting = |name: &str| !name.starts_with("(cell right") || race.contains(&name);
    let fluents = game.net().fluents.iter_ids();
    let here = fluents.filter(|(fluent, name)| {
        race.contains(&&***name) || starting(name) && game.net().initial.contains(fluent)
    });
    let here: Vec<_> = here.map(|(fluent, _)| fluent).collect();
    assert!(game.factors().is_some());
    let mut agent = Agent::new(&game, searched("mcts:solve=off"));
    agent.go_to(game.circuit().state_of(&here));
    let stop = AtomicBool::new(false);
    let decision = agent.decide(RoleId::new(0), Effort::Playouts(50_000), &stop).expect("a move");
    assert!(matches!(decision.reason, Reason::Parts { .. }), "{decision:?}");
    assert!(game.name(decision.action).starts_with("(move right 1 4 "), "{decision:?}");
}

#[test]
fn one_player_lights_all_boards_at_once() {
    let game = prepared(LIGHTS);
    let sides = [searched("mcts:solve=off")];
    let stop = AtomicBool::new(false);
    let played = local_match(&game, &sides, Clock::Playouts(20_000), 50, &stop, &mut |_, _| {});
    assert_eq!(played.goals.map(|goals| goals.into_vec()), Some(vec![Some(100)]));
}

/// Decides again and again until the game is solved, or some minutes have passed.
fn once_solved(game: &Arc<Prepared>) -> Decision {
    let mut agent = Agent::new(game, searched("mcts"));
    let (stop, begun) = (AtomicBool::new(false), Instant::now());
    loop {
        let effort = Effort::Until(Instant::now() + Duration::from_millis(5));
        let decision = agent.decide(RoleId::new(0), effort, &stop).expect("a move");
        let solved = matches!(decision.reason, Reason::Solved(_));
        if solved || begun.elapsed() > Duration::from_secs(120) {
            return decision;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_finished_solution_is_followed() {
    let game = prepared(HEAPS);
    let decision = once_solved(&game);
    assert_eq!(decision.reason, Reason::Solved(100));
    // Two, three and four have a nim-sum of five; one is left where it becomes zero.
    assert_eq!(game.name(decision.action), "(leave c 1)");
}

#[test]
fn a_sum_too_large_to_search_is_solved_by_its_parts() {
    let game = prepared(SIX_HEAPS);
    let decision = once_solved(&game);
    assert_eq!(decision.reason, Reason::Solved(100));
    // The nim-sum is six; it becomes zero if 13 become 11, or 14 become 8, or 15 become 9.
    let name = game.name(decision.action);
    assert!(["(leave d 11)", "(leave e 8)", "(leave f 9)"].contains(&name), "{name}");
}

#[test]
fn two_threads_see_what_one_sees() {
    let game = prepared(CROSSES);
    let named = |role: u32, name: &str| -> MoveId {
        game.named(RoleId::new(role), name).expect("a move of that name")
    };
    let mut agent = Agent::new(&game, searched("mcts:solve=off,threads=3"));
    for (x, o) in [("(put 1 1)", "wait"), ("wait", "(put 2 1)"), ("(put 1 2)", "wait")] {
        agent.advance(&[named(0, x), named(1, o)]);
    }
    let effort = Effort::Until(Instant::now() + Duration::from_secs(3));
    let decision = agent.decide(RoleId::new(1), effort, &AtomicBool::new(false)).expect("a move");
    assert_eq!(game.name(decision.action), "(put 1 3)");
}

#[test]
fn a_match_by_playouts_can_be_repeated() {
    let game = prepared(DOUBLE);
    let sides = [searched("mcts:solve=off"), searched("mcts:solve=off,decompose=off")];
    let stop = AtomicBool::new(false);
    let play =
        || local_match(&game, &sides, Clock::Playouts(4_096), 100, &stop, &mut |_, _| {}).moves;
    let first = play();
    assert_eq!(first, play());
    let mut evaluator = Evaluator::new(game.circuit());
    let mut state = game.circuit().initial();
    for joint in &first {
        let legal = evaluator.legal(&state);
        assert!(joint.iter().all(|action| legal.contains(action)));
        state = evaluator.next(&state, joint);
    }
    assert!(evaluator.terminal(&state));
}

#[test]
fn a_side_can_have_a_multiple_of_the_clock() {
    let game = prepared(CROSSES);
    let sides = [searched("mcts:solve=off,times=8"), searched("mcts:solve=off")];
    let stop = AtomicBool::new(false);
    let played =
        local_match(&game, &sides, Clock::Playouts(4_096), 2, &stop, &mut |_, _| {}).playouts;
    let [more, less] = [RoleId::new(0), RoleId::new(1)].map(|role| played[role]);
    assert!(less > 0 && more > 4 * less, "{more} and {less}");
}
