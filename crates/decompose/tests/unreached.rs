//! What random play does not reach, or shows only once, is no game of its own.

use gambol_decompose::{DecomposeOptions, Decomposition, decompose};

fn taken_apart(text: &str) -> Decomposition {
    let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules.expect("it parses");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("it grounds");
    let net = gambol_net::simplify(&gambol_net::build(&ground).expect("it is a net"));
    decompose(&net, &DecomposeOptions::default())
}

/// Played, played and useless, by itself, by itself and useless.
fn check(text: &str, expected: [usize; 4]) {
    let counts = taken_apart(text).counts();
    let found = [
        counts.action_dependent,
        counts.useless_action_dependent,
        counts.action_independent,
        counts.useless_action_independent,
    ];
    assert_eq!(found, expected);
}

/// Numbers from 0 to 40 in a row, and a clock that ends the game at 40.
fn with_numbers(rules: &str) -> String {
    let succ: String = (0..40).map(|n| format!("(succ {n} {}) ", n + 1)).collect();
    format!(
        "{succ} (init (step 0)) (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
         (<= terminal (true (step 40))) {rules}"
    )
}

/// Whoever does not go straight on 30 times begins again.
const WALK: &str = "
    (role walker) (init (at 0)) (legal walker on) (legal walker back)
    (<= (next (at ?y)) (does walker on) (true (at ?x)) (succ ?x ?y))
    (<= (next (at 0)) (does walker back))
    (<= (next (at 0)) (does walker switch))
    (legal walker switch)";

#[test]
fn a_place_that_nobody_comes_to_may_matter_elsewhere() {
    let lamp = "
        (init lit) (<= (next lit) (true lit) (not (true (at 30))) (not (does walker switch)))
        (<= (next lit) (does walker switch) (not (true lit)))
        (<= (goal walker 100) (true lit) (true (at 35)))
        (<= (goal walker 0) (not (true lit)))
        (<= (goal walker 0) (not (true (at 35))))";
    check(&with_numbers(&format!("{WALK} {lamp}")), [1, 0, 1, 0]);
}

#[test]
fn a_guard_whom_nobody_meets_does_not_run_by_himself() {
    let guard = "
        (init (guard left))
        (<= (next (guard right)) (true (guard left)) (not (true (at 30))))
        (<= (next (guard left)) (true (guard right)) (not (true (at 30))))
        (<= (next (guard ?side)) (true (guard ?side)) (true (at 30)))
        (<= (goal walker 100) (true (at 35)) (true (guard left)))
        (<= (goal walker 0) (not (true (at 35))))
        (<= (goal walker 0) (true (guard right)))";
    check(&with_numbers(&format!("{WALK} {guard}")), [1, 0, 1, 0]);
}

#[test]
fn what_can_be_picked_once_is_one_choice() {
    let picks = "
        (role one) (thing 1) (thing 2) (thing 3)
        (<= (legal one (pick ?x)) (thing ?x))
        (<= (next (picked ?x)) (does one (pick ?x)))
        (<= terminal (true (picked ?x)))
        (<= (goal one 100) (true (picked 1)))
        (<= (goal one 50) (true (picked 2)))
        (<= (goal one 0) (true (picked 3)))";
    check(picks, [1, 0, 0, 0]);
}

#[test]
fn a_secret_that_is_drawn_once_is_one_choice() {
    let guess = "
        (role nature) (role guesser) (colour red) (colour green) (colour blue)
        (init (turn nature))
        (<= (next (turn guesser)) (true (turn nature)))
        (<= (next (turn nobody)) (true (turn guesser)))
        (<= (legal nature (draw ?c)) (colour ?c) (true (turn nature)))
        (<= (legal nature noop) (not (true (turn nature))))
        (<= (legal guesser (say ?c)) (colour ?c) (true (turn guesser)))
        (<= (legal guesser noop) (not (true (turn guesser))))
        (<= (next (drawn ?c)) (does nature (draw ?c)))
        (<= (next (drawn ?c)) (true (drawn ?c)))
        (<= (next (said ?c)) (does guesser (say ?c)))
        (<= terminal (true (turn nobody)))
        (<= right (true (drawn ?c)) (true (said ?c)))
        (<= (goal guesser 100) right) (<= (goal guesser 0) (not right))
        (goal nature 50)";
    let counts = taken_apart(guess).counts();
    assert_eq!(counts.action_dependent, 1);
}

#[test]
fn a_record_of_a_choice_belongs_to_what_was_chosen() {
    // After the first walk the fire is lost, so that random play hardly ever sees what is recorded later
    // beside a fire that is not lost yet.
    let fire = "
        (role fireman) (legal fireman quench) (legal fireman (walk east)) (legal fireman (walk west))
        (legal fireman (walk north)) (legal fireman (walk south))
        (<= (next lost) (true lost)) (<= (next lost) (does fireman (walk ?way)))
        (<= (next (walked ?t)) (does fireman (walk ?way)) (true (step ?t)))
        (<= (next (walked ?t)) (true (walked ?t)))
        (<= (next (quenched ?t)) (does fireman quench) (true (step ?t)))
        (<= (next (quenched ?t)) (true (quenched ?t)))
        (<= (goal fireman 0) (true lost)) (<= (goal fireman 100) (not (true lost)))";
    let counts = taken_apart(&with_numbers(fire)).counts();
    assert_eq!((counts.action_dependent, counts.useless_action_dependent), (1, 0));
}

#[test]
fn rounds_that_go_on_with_the_turn_are_no_part_of_the_game() {
    let offers = "
        (role white) (role black) (init (turn white)) (init (round 0)) (init (sum 0))
        (<= (next (turn black)) (true (turn white)))
        (<= (next (turn white)) (true (turn black)))
        (<= (next (round ?r)) (true (round ?r)) (true (turn white)))
        (<= (next (round ?s)) (true (round ?r)) (true (turn black)) (succ ?r ?s))
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
        (<= (legal ?p keep) (true (turn ?p))) (<= (legal ?p add) (true (turn ?p)))
        (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
        (<= (next (sum ?y)) (does ?p add) (true (sum ?x)) (succ ?x ?y))
        (<= (next (sum ?x)) (does ?p keep) (true (sum ?x)))
        (<= terminal (true (round 3)))
        (<= (goal white 100) (true (sum 6))) (<= (goal white 0) (not (true (sum 6))))
        (<= (goal black 0) (true (sum 6))) (<= (goal black 100) (not (true (sum 6))))";
    check(offers, [1, 0, 1, 0]);
}
