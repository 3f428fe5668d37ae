//! The games of the chapters: what must be found in them.

use crate::truth::{fluent, net_of, net_of_game};
use gambol_analysis::{Budget, DeadStates, Shape, ShapeOptions, TreeSize, shape, tree_size};
use gambol_net::Net;

/// The shape as induction alone proves it.
fn shape_by_induction(net: &Net) -> Shape {
    let mut options = ShapeOptions::default();
    options.listing = false;
    shape(net, &options)
}

fn size(net: &Net, dead: &DeadStates) -> TreeSize {
    tree_size(net, dead, 100_000, &Budget::default()).expect("the game is small")
}

fn sorted(mut texts: Vec<String>) -> Vec<String> {
    texts.sort();
    texts
}

#[test]
fn a_jammed_door_is_a_latch_and_forbids_the_goal() {
    let net = net_of_game("untwisty-corridor");
    let shape = shape_by_induction(&net);
    let latches = shape.proved_latches().map(|latch| latch.text(&net)).collect();
    assert_eq!(
        sorted(latches),
        ["(clock 8)", "(not (clock 1))", "(not (room 1))", "(room 8)", "jammed"]
    );
    let best = &shape.goals[0];
    assert_eq!(best.goal.value, 100);
    let inhibitors: Vec<String> = best.inhibitors.iter().map(|one| one.text(&net)).collect();
    assert_eq!(inhibitors, ["jammed"]);
    assert!(shape.inhibits(fluent(&net, "jammed"), fluent(&net, "(room 8)")).is_proved());
    assert!(shape.inhibits(fluent(&net, "jammed"), fluent(&net, "(room 2)")).is_refuted());
}

#[test]
fn without_dead_states_the_corridor_is_a_straight_walk() {
    let net = net_of_game("untwisty-corridor");
    assert_eq!(size(&net, &DeadStates::none()), TreeSize { nodes: Some(21_845), states: 36 });
    let shape = shape_by_induction(&net);
    let dead = DeadStates::of(&shape.goals[0]);
    assert_eq!(size(&net, &dead), TreeSize { nodes: Some(8), states: 8 });
}

#[test]
fn with_moves_to_spare_the_latch_bars_the_goal() {
    let net = net_of_game("untwisty-corridor-nine");
    assert_eq!(size(&net, &DeadStates::none()), TreeSize { nodes: Some(349_525), states: 54 });
    let shape = shape_by_induction(&net);
    let best = &shape.goals[0];
    // Whoever jams the door in the last room has won already.
    assert!(best.inhibitors.is_empty());
    let bars: Vec<String> = best.bars.iter().map(|one| one.text(&net)).collect();
    assert!(bars.contains(&"jammed".to_string()), "{bars:?}");
    assert_eq!(size(&net, &DeadStates::of(best)).nodes, Some(8 + 4 + 16));
    assert_eq!(size(&net, &DeadStates::shunning(best)), TreeSize { nodes: Some(10), states: 10 });
}

#[test]
fn one_of_two_rails_is_a_latch_though_neither_rail_is() {
    let net = net_of_game("group-latch");
    let shape = shape_by_induction(&net);
    let latches: Vec<String> = shape.proved_latches().map(|latch| latch.text(&net)).collect();
    assert!(!latches.iter().any(|latch| latch.contains("rail")), "{latches:?}");
    let best = &shape.goals[0];
    let members: Vec<Vec<String>> = best
        .groups
        .iter()
        .map(|group| group.members.iter().map(|one| one.text(&net)).collect())
        .collect();
    assert_eq!(members, [["(rail left)", "(rail right)"]]);
    assert_eq!(size(&net, &DeadStates::none()).states, 13);
    assert_eq!(size(&net, &DeadStates::of(best)).states, 5);
}

#[test]
fn facts_are_told_in_words() {
    let net = net_of_game("untwisty-corridor");
    let lines = gambol_analysis::explain(&net, &shape_by_induction(&net));
    let says = |line: &str| assert!(lines.iter().any(|told| told == line), "{line}\n{lines:#?}");
    says("once jammed is true it stays true; then walker can no longer reach 100");
    says("once (room 1) is false it stays false");
    let net = net_of_game("group-latch");
    let lines = gambol_analysis::explain(&net, &shape_by_induction(&net));
    let line = "once one of (rail left), (rail right) holds, one of them always does; \
                then pusher can no longer reach 100";
    assert!(lines.iter().any(|told| told == line), "{lines:#?}");
}

#[test]
fn turns_and_clocks_are_found() {
    let net = net_of_game("tic-tac-toe");
    let shape = shape_by_induction(&net);
    assert_eq!(shape.turn.len(), 2);
    assert_eq!(shape.clocks.len(), 1);
    assert!(shape.clocks[0].back_to.is_some());
    let net = net_of_game("untwisty-corridor");
    let shape = shape_by_induction(&net);
    assert_eq!(shape.clocks.len(), 1);
    assert_eq!((shape.clocks[0].members.len(), shape.clocks[0].back_to), (8, None));
}

/// Two bolts that hold each other: a bolt can be drawn unless both are in place.
const BOLTS: &[u8] = b"(role smith) (init (time 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (bolt left) (bolt right) (other left right) (other right left)
    (<= (legal smith (set ?b)) (bolt ?b)) (<= (legal smith (draw ?b)) (bolt ?b))
    (<= (next (in ?b)) (does smith (set ?b)))
    (<= (next (in ?b)) (true (in ?b)) (not (does smith (draw ?b))))
    (<= (next (in ?b)) (true (in ?b)) (other ?b ?c) (true (in ?c)))
    (<= (next (time ?n)) (true (time ?m)) (succ ?m ?n))
    (<= terminal (true (time 4)))
    (<= shut (true (in left)) (true (in right)))
    (<= (goal smith 100) (not shut)) (<= (goal smith 0) shut)";

#[test]
fn two_bolts_together_are_a_latch_though_neither_bolt_is() {
    let net = net_of(BOLTS);
    let shape = shape_by_induction(&net);
    let latches: Vec<String> = shape.proved_latches().map(|latch| latch.text(&net)).collect();
    assert!(!latches.iter().any(|latch| latch.contains("in ")), "{latches:?}");
    let lines = gambol_analysis::explain(&net, &shape);
    let line = "once all of (in left), (in right) hold, they all stay; \
                then smith can no longer reach 100";
    assert!(lines.iter().any(|told| told == line), "{lines:#?}");
    let dead = DeadStates::of(&shape.goals[0]);
    assert!(size(&net, &dead).states < size(&net, &DeadStates::none()).states);
}

#[test]
fn a_match_that_is_struck_cannot_be_struck_again() {
    let net = net_of(
        b"(role r) (match a) (match b) (init dark) (legal r rest)
        (<= (legal r (strike ?m)) (match ?m) (not (true (burnt ?m))))
        (<= (next (burnt ?m)) (does r (strike ?m))) (<= (next (burnt ?m)) (true (burnt ?m)))
        (<= (next dark) (true dark)) (<= terminal (true (burnt a)) (true (burnt b)))
        (<= (goal r 100) terminal)",
    );
    let lines = gambol_analysis::explain(&net, &shape_by_induction(&net));
    let line = "once (legal r (strike a)) is false it stays false; \
                r can never again choose (strike a)";
    assert!(lines.iter().any(|told| told == line), "{lines:#?}");
}

#[test]
fn searches_that_time_ended_are_named() {
    let net = net_of_game("connect-four-4x4");
    let mut options = ShapeOptions::default();
    options.budget = Budget::seconds(0.0);
    let hurried = shape(&net, &options);
    assert!(!hurried.complete && !hurried.cut_short.is_empty());
    let small = net_of_game("untwisty-corridor");
    assert!(shape(&small, &ShapeOptions::default()).cut_short.is_empty());
}
