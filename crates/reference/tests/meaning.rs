//! What rules mean, told by tiny games.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gambol_reference::{Budget, Ending, Interpreter, ReferenceError};
use gambol_syntax::{ReadOptions, Rules, read};

fn rules(text: &str) -> Rules {
    let reading = read(text.as_bytes(), &ReadOptions::default());
    reading.rules.unwrap_or_else(|| panic!("{:?}", reading.diagnoses))
}

fn game(text: &str) -> Interpreter {
    Interpreter::new(&rules(text)).unwrap()
}

/// The legal moves of the first role in the initial state, when relations are listed and when they
/// are answered call by call.
fn check_legal(text: &str, expected: &[&str]) {
    for listing in [u64::MAX, 0] {
        let budget = Budget { listing, ..Budget::default() };
        let mut game = Interpreter::with_budget(&rules(text), budget).unwrap();
        let state = game.initial().unwrap();
        let legal = game.legal(&state).unwrap();
        assert_eq!(game.sorted_texts(&legal[0]), expected, "listing {listing}");
    }
}

/// The error met when everything that holds initially is asked for.
fn check_error(text: &str, category: &str) {
    let error = error(text, Budget::default());
    assert_eq!(error.category(), category, "{error}");
}

fn error(text: &str, budget: Budget) -> ReferenceError {
    let views = Interpreter::with_budget(&rules(text), budget).and_then(|mut game| {
        let state = game.initial()?;
        game.views(&state, None)
    });
    views.unwrap_err()
}

#[test]
fn what_only_supports_itself_is_false() {
    check_legal("(role r) (<= (p a) (q a)) (<= (q ?x) (p ?x)) (<= (legal r ?x) (p ?x))", &[]);
}

#[test]
fn a_recursion_reaches_everything_and_stops_at_circles() {
    check_legal(
        "(role r) (e a b) (e b c) (e c a) (e d a) (init (at b))
         (<= (reach ?x) (true (at ?x))) (<= (reach ?y) (reach ?x) (e ?x ?y))
         (<= (legal r ?x) (reach ?x))",
        &["a", "b", "c"],
    );
}

#[test]
fn a_recursion_through_two_relations_and_a_disjunction_is_complete() {
    check_legal(
        "(role r) (next 0 1) (next 1 2) (next 2 3) (next 3 4) (init (start 0))
         (<= (even ?x) (or (true (start ?x)) (odd ?y)) (or (true (start ?x)) (next ?y ?x)))
         (<= (odd ?y) (even ?x) (next ?x ?y))
         (<= (legal r ?x) (or (even ?x)))",
        &["0", "2", "4"],
    );
    check_legal(
        "(role r) (next 0 1) (next 1 2) (next 2 3) (next 3 4) (init (start 0))
         (<= (even ?x) (or (true (start ?x)) (and (odd ?y) (next ?y ?x))))
         (<= (odd ?y) (even ?x) (next ?x ?y))
         (<= (legal r ?x) (even ?x))",
        &["0", "2", "4"],
    );
}

#[test]
fn negations_may_meet_other_rules_of_their_own_relation() {
    let mut game = game(
        "(role r) (init p) (<= (goal r 100) (true q)) (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))",
    );
    let state = game.initial().unwrap();
    assert_eq!(game.goal_values(&state).unwrap(), [Some(0)]);
    let won = game.state_from_text("q").unwrap();
    assert_eq!(game.goal_values(&won).unwrap(), [Some(100)]);
}

#[test]
fn a_chain_of_negations_is_decided_link_by_link() {
    let chain: String = (0..40).map(|i| format!("(succ {i} {})", i + 1)).collect();
    let text = format!(
        "(role r) {chain} (<= (win ?n) (succ ?m ?n) (not (win ?m)))
         (<= (legal r ?n) (win ?n) (not (succ ?n 40)) (succ ?n ?m) (succ ?m ?k) (succ ?k 40))"
    );
    check_legal(&text, &["37"]);
}

#[test]
fn an_atom_that_holds_when_it_fails_is_an_error() {
    check_error("(role r) (<= a (not b)) (<= b (not a))", "static.unstratified");
    check_error("(role r) (init on) (<= (lit ?x) (true ?x) (not (lit ?x)))", "static.unstratified");
}

#[test]
fn conditions_have_no_order() {
    check_legal(
        "(role r) (init (p 1)) (init (p 2)) (init (p 3))
         (<= (legal r ?x) (distinct ?x 1) (not (big ?x)) (true (p ?x)))
         (<= (big ?x) (distinct ?x 2) (distinct ?x 1) (true (p ?x)))",
        &["2"],
    );
}

#[test]
fn a_disjunction_binds_what_every_part_binds() {
    check_legal(
        "(role r) (a 1) (b 2) (c 3) (d 1) (d 2)
         (<= (legal r (m ?x ?y)) (or (a ?x) (b ?x) (and (c ?x) (d 3))) (d ?y) (distinct ?x ?y))",
        &["(m 1 2)", "(m 2 1)"],
    );
}

#[test]
fn a_variable_of_one_part_only_stays_in_it() {
    check_legal("(role r) (a 1) (b 2) (<= (legal r go) (or (a ?x) (b ?y)) (b ?y))", &["go"]);
    check_legal("(role r) (a 1) (b 2) (<= (legal r ?y) (or (a ?x) (b ?x)) (b ?y))", &["2"]);
}

#[test]
fn two_disjunctions_may_share_a_variable_that_neither_binds_alone() {
    check_legal(
        "(role r) (a 1) (b 2) (b 3) (c 3 x) (c 1 y) (d z)
         (<= (legal r ?v) (or (a 7) (b ?n)) (or (c ?n ?v) (and (d ?v) (a 7))))",
        &["x"],
    );
}

#[test]
fn negation_reaches_into_groups() {
    check_legal(
        "(role r) (n 1) (n 2) (n 3) (n 4) (even 2) (even 4) (big 3) (big 4)
         (<= (legal r (neither ?x)) (n ?x) (not (or (even ?x) (big ?x))))
         (<= (legal r (not-both ?x)) (n ?x) (not (and (even ?x) (big ?x))))
         (<= (legal r (twice ?x)) (n ?x) (not (not (even ?x))))
         (<= (legal r (same ?x)) (n ?x) (not (distinct ?x 3)))",
        &[
            "(neither 1)",
            "(not-both 1)",
            "(not-both 2)",
            "(not-both 3)",
            "(same 3)",
            "(twice 2)",
            "(twice 4)",
        ],
    );
}

#[test]
fn empty_groups_are_true_or_false() {
    check_legal("(role r) (<= (legal r go) (and)) (<= (legal r stop) (or))", &["go"]);
    check_legal("(role r) (<= (legal r go) (not (or))) (<= (legal r stop) (not (and)))", &["go"]);
}

#[test]
fn terms_match_as_a_whole_and_by_their_parts() {
    check_legal(
        "(role r) (init (cell 1 (piece x big))) (init (cell 2 empty)) (init (cell 3 (piece o big)))
         (<= (legal r (take ?c ?who)) (true (cell ?c (piece ?who ?size))) (size ?size))
         (size big)
         (<= (legal r ?fluent) (true ?fluent) (distinct ?fluent (cell 2 empty)))",
        &["(cell 1 (piece x big))", "(cell 3 (piece o big))", "(take 1 x)", "(take 3 o)"],
    );
}

#[test]
fn a_called_relation_may_build_terms_nobody_has_seen() {
    check_legal(
        "(role r) (n 1) (n 2) (<= (wrapped (w ?x)) (n ?x))
         (<= (legal r ?x) (n ?x) (wrapped (w ?x))) (<= (legal r none) (not (wrapped (w 3))))",
        &["1", "2", "none"],
    );
}

#[test]
fn sixty_independent_conditions_are_sixty_questions() {
    let facts: String = (0..60).map(|i| format!("(e{i} a) (e{i} b) ")).collect();
    let conditions: String = (0..60).map(|i| format!("(e{i} ?v{i}) ")).collect();
    let pairs: String = (0..59).map(|i| format!("(e{i} ?v{i}) (e{} ?v{i}) ", i + 1)).collect();
    check_legal(&format!("(role r) {facts} (<= (legal r go) {conditions} (e0 c))"), &[]);
    check_legal(&format!("(role r) {facts} (<= (legal r go) {pairs})"), &["go"]);
}

#[test]
fn deeply_nested_conditions_are_evaluated() {
    let nested = format!("{}(n 2){}", "(or (n 1) (and (n 0) ".repeat(240), "))".repeat(240));
    check_legal(&format!("(role r) (n 0) (n 2) (<= (legal r go) {nested})"), &["go"]);
}

#[test]
fn an_unbound_variable_is_an_error() {
    check_error("(role r) (<= (p ?x) (not (q ?x)))", "static.unsafe");
    check_error("(role r) (<= (p ?x) (or (q ?x) (s a)))", "static.unsafe");
    check_error("(role r) (p ?x)", "static.unsafe");
}

#[test]
fn terms_that_grow_without_end_are_an_error() {
    check_error("(role r) (n z) (<= (n (s ?x)) (n ?x))", "ground.infinite");
    check_error("(role r) (t leaf) (<= (t (node ?x ?x)) (t ?x))", "ground.infinite");
}

#[test]
fn a_game_whose_fluents_grow_is_played_all_the_same() {
    let mut game = game(
        "(role r) (legal r push) (init (stack nil))
         (<= (next (stack (s ?x))) (true (stack ?x)))
         (<= terminal (true (stack (s (s (s (s (s nil)))))))) (goal r 100)",
    );
    let playout = game.playout(1, 100).unwrap();
    assert_eq!((playout.ending, playout.moves.len()), (Ending::Terminal, 5));
}

#[test]
fn roles_keep_the_order_of_the_file() {
    let game = game("(legal zoe a) (role zoe) (role adam) (role zoe) (legal adam b)");
    let roles: Vec<String> = game.roles().iter().map(|&role| game.text(role)).collect();
    assert_eq!(roles, ["zoe", "adam"]);
}

#[test]
fn a_game_without_roles_is_refused() {
    let refused = Interpreter::new(&rules("(init p)"));
    assert_eq!(refused.unwrap_err(), ReferenceError::NoRole);
}

#[test]
fn one_move_per_role_is_asked_for() {
    let mut game = game("(role a) (role b) (legal a x) (legal b y)");
    let (state, joint) = (game.initial().unwrap(), game.terms_from_text("x").unwrap());
    let error = game.next(&state, &joint).unwrap_err();
    assert_eq!(error, ReferenceError::JointMove { roles: 2, found: 1 });
}

#[test]
fn states_are_read_and_written_in_prefix_form() {
    let mut game = game("(role r) (init (cell 1 (f x)))");
    let state = game.state_from_text(" (b (c d)\n e)  a (b (c d) e)").unwrap();
    assert_eq!(game.sorted_texts(state.fluents()), ["(b (c d) e)", "a"]);
    for text in ["(", ")", "(a", "a)", "()", "?x", "(?f a)", "(p ?x)", "((a) b)"] {
        assert_eq!(game.state_from_text(text).unwrap_err().category(), "syntax.term", "{text}");
    }
}

#[test]
fn answers_about_one_state_do_not_leak_into_another() {
    let mut game = game(
        "(role r) (init p) (<= (legal r (see ?x)) (seen ?x)) (<= (seen ?x) (true ?x))
         (<= (next ?x) (does r (see ?x))) (<= (next also) (does r (see p)) (seen p))",
    );
    let start = game.initial().unwrap();
    let see = game.terms_from_text("(see q)").unwrap();
    let after = game.next(&start, &see).unwrap();
    assert_eq!(game.sorted_texts(after.fluents()), ["q"]);
    let legal = game.legal(&start).unwrap();
    assert_eq!(game.sorted_texts(&legal[0]), ["(see p)"]);
    let again = game.next(&start, &legal[0].clone()).unwrap();
    assert_eq!(game.sorted_texts(again.fluents()), ["also", "p"]);
}

#[test]
fn legality_and_goals_see_no_moves() {
    let mut game = game(
        "(role r) (legal r a) (<= (legal r b) (done a)) (<= (done ?m) (does r ?m))
         (<= (goal r 1) (done a)) (<= (next ?m) (done ?m))",
    );
    let start = game.initial().unwrap();
    let a = game.terms_from_text("a").unwrap();
    let after = game.next(&start, &a).unwrap();
    assert_eq!(game.sorted_texts(after.fluents()), ["a"]);
    assert_eq!(game.legal(&start).unwrap(), [a]);
    assert_eq!(game.goals(&start).unwrap(), [[]]);
}

#[test]
fn views_are_all_that_follows() {
    let mut game = game(
        "(role r) (init p) (legal r go) (<= lit (true p)) (<= (pressed ?m) (does r ?m))
         (<= (next q) (pressed go))",
    );
    let start = game.initial().unwrap();
    assert_eq!(game.views(&start, None).unwrap(), ["(init p)", "(legal r go)", "(role r)", "lit"]);
    let go = game.terms_from_text("go").unwrap();
    let views = game.views(&start, Some(&go)).unwrap();
    assert!(views.contains(&"(pressed go)".to_owned()) && views.contains(&"(next q)".to_owned()));
}

#[test]
fn equal_seeds_give_equal_games_whatever_was_asked_before() {
    let text = "(role r) (init (s 0)) (n 0 1) (n 1 2) (n 2 3) (n 3 4) (d a) (d b) (d c)
         (<= (legal r (m ?d ?e)) (d ?d) (d ?e)) (<= (next (s ?y)) (true (s ?x)) (n ?x ?y))
         (<= terminal (true (s 4))) (goal r 100)";
    let (mut fresh, mut used) = (game(text), game(text));
    used.state_from_text("(m c b) (m b a)").unwrap();
    used.playout(9, 10).unwrap();
    let games = [&mut fresh, &mut used].map(|game| {
        let playout = game.playout(5, 10).unwrap();
        playout.moves.iter().map(|joint| game.text(joint[0])).collect::<Vec<_>>()
    });
    assert_eq!(games[0], games[1]);
}

#[test]
fn a_question_stops_when_told_to_and_when_its_time_is_up() {
    let numbers: String = (0..200).map(|i| format!("(d {i}) ")).collect();
    let text = format!("(role r) {numbers} (<= (p ?x ?y ?z) (d ?x) (d ?y) (d ?z))");
    let stop = Budget { stop: Some(Arc::new(AtomicBool::new(true))), ..Budget::default() };
    assert_eq!(error(&text, stop), ReferenceError::Stopped);
    let soon = Instant::now() + Duration::from_millis(50);
    let late = Budget { deadline: Some(soon), listing: u64::MAX, ..Budget::default() };
    assert!(matches!(error(&text, late), ReferenceError::Time { .. }));
    let few = Budget { atoms: 10_000, listing: u64::MAX, ..Budget::default() };
    assert!(matches!(error(&text, few), ReferenceError::Atoms { limit: 10_000, .. }));
}

#[test]
fn an_interpreter_can_be_asked_again_after_it_gave_up() {
    let numbers: String = (0..200).map(|i| format!("(d {i}) ")).collect();
    let text = format!(
        "(role r) (init p) {numbers} (legal r go) (<= (next (c ?x ?y ?z)) (d ?x) (d ?y) (d ?z))"
    );
    let budget = Budget { atoms: 10_000, ..Budget::default() };
    let mut game = Interpreter::with_budget(&rules(&text), budget).unwrap();
    let state = game.initial().unwrap();
    let legal = game.legal(&state).unwrap();
    for _ in 0..2 {
        assert_eq!(game.next(&state, &legal[0]).unwrap_err().category(), "ground.limit");
        assert_eq!(game.legal(&state).unwrap(), legal);
    }
}
