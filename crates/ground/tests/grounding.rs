//! Statements about grounding, on rules small enough to check by eye.

use gambol_ground::{Formula, FormulaId, GroundError, GroundGame, Limits, Signal, instantiate};
use gambol_syntax::{ReadOptions, Rules, read};

fn rules(text: &str) -> Rules {
    let reading = read(text.as_bytes(), &ReadOptions::default());
    reading.rules.unwrap_or_else(|| panic!("{:?}", reading.diagnoses))
}

fn ground(text: &str) -> GroundGame {
    instantiate(&rules(text), &Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(text: &str) -> GroundError {
    match instantiate(&rules(text), &Limits::default()) {
        Ok(game) => panic!("grounded with {} fluents", game.fluents.len()),
        Err(error) => error,
    }
}

/// The value of a signal when these fluents are true and these moves are done. Cycles that matter
/// are least fixpoints, so iterating from false is enough where no negation is inside.
fn value(game: &GroundGame, signal: Signal, state: &[&str], moves: &[&str]) -> bool {
    let mut values = vec![false; game.formulas.len()];
    for _ in 0..game.formulas.len() {
        for id in game.formulas.ids() {
            values[id.number() as usize] = formula_value(game, id, &values, state, moves);
        }
    }
    values[signal.formula().number() as usize] != signal.is_negated()
}

fn formula_value(
    game: &GroundGame,
    id: FormulaId,
    values: &[bool],
    state: &[&str],
    moves: &[&str],
) -> bool {
    let holds = |input: &Signal| values[input.formula().number() as usize] != input.is_negated();
    match game.formulas.formula(id) {
        Formula::False => false,
        Formula::Fluent(fluent) => state.contains(&&*game.fluents[fluent]),
        Formula::Does(action) => moves.contains(&&*game.moves[action].name),
        Formula::And(inputs) => inputs.iter().all(holds),
        Formula::Or(inputs) => inputs.iter().any(holds),
    }
}

fn fluents(game: &GroundGame) -> Vec<&str> {
    game.fluents.iter().map(|name| &**name).collect()
}

fn legal_in(game: &GroundGame, state: &[&str]) -> Vec<String> {
    let legal = game.legal.iter_ids().filter(|(_, signal)| value(game, **signal, state, &[]));
    legal.map(|(action, _)| game.moves[action].name.to_string()).collect()
}

fn next_of(game: &GroundGame, state: &[&str], moves: &[&str]) -> Vec<String> {
    let next = game.next.iter_ids().filter(|(_, signal)| value(game, **signal, state, moves));
    next.map(|(fluent, _)| game.fluents[fluent].to_string()).collect()
}

const COUNTER: &str = "(role r) (init (step 1)) (succ 1 2) (succ 2 3) (legal r wait)
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 3)))
    (<= (goal r 100) (true (step 3))) (<= (goal r 0) (not (true (step 3))))";

#[test]
fn only_reachable_fluents_are_kept() {
    let game = ground(&format!("{COUNTER} (succ 7 8)"));
    assert_eq!(fluents(&game), ["(step 1)", "(step 2)", "(step 3)"]);
    assert_eq!(next_of(&game, &["(step 2)"], &["wait"]), ["(step 3)"]);
    assert_eq!(game.initial.len(), 1);
}

#[test]
fn relations_that_do_not_read_the_state_leave_no_gate() {
    let game = ground(COUNTER);
    let views: Vec<String> =
        game.views.iter().map(|view| game.names.atom_text(&view.atom)).collect();
    assert!(views.is_empty(), "{views:?}");
}

#[test]
fn what_a_negation_allows_is_reachable() {
    let game = ground(
        "(role r) (init dark) (legal r flip) (<= (next lit) (not (true lit)) (does r flip))
         (<= terminal (true lit)) (goal r 100)",
    );
    assert_eq!(fluents(&game), ["dark", "lit"]);
    assert_eq!(next_of(&game, &["dark"], &["flip"]), ["lit"]);
    assert!(next_of(&game, &["lit"], &["flip"]).is_empty());
}

#[test]
fn a_variable_may_stand_for_a_whole_fluent_or_move() {
    let game = ground(
        "(role r) (init (cell 1 x)) (init on) (option (put 1)) (option go)
         (<= (legal r ?m) (option ?m)) (<= (next ?f) (true ?f)) (<= (next (last ?m)) (does r ?m))
         (<= terminal (true (last go))) (goal r 0)",
    );
    assert_eq!(fluents(&game), ["(cell 1 x)", "(last (put 1))", "(last go)", "on"]);
    assert_eq!(legal_in(&game, &[]), ["(put 1)", "go"]);
    assert_eq!(
        next_of(&game, &["on", "(last go)"], &["(put 1)"]),
        ["(last (put 1))", "(last go)", "on"]
    );
}

#[test]
fn recursion_through_the_state_is_a_least_fixpoint() {
    let game = ground(
        "(role r) (edge a b) (edge b a) (edge b c) (init (seed a)) (legal r go)
         (<= (next (seed ?x)) (true (seed ?x)))
         (<= (lit ?x) (true (seed ?x))) (<= (lit ?y) (lit ?x) (edge ?x ?y))
         (<= terminal (lit c)) (goal r 0)",
    );
    assert!(value(&game, game.terminal, &["(seed a)"], &[]));
    assert!(!value(&game, game.terminal, &[], &[]), "a cycle must not hold itself up");
}

#[test]
fn many_disjunctions_are_not_multiplied_out() {
    let mut text = String::from("(role r) (legal r go) (goal r 0) (<= terminal");
    for place in 0..40 {
        text += &format!(" (or (true (p {place})) (true (q {place})))");
    }
    text += ") (init (p 0))";
    for place in 0..40 {
        text += &format!(" (<= (next (p {place})) (does r go))");
    }
    let game = ground(&text);
    assert!(game.formulas.len() < 1000, "{} formulas", game.formulas.len());
    let all: Vec<String> = (0..40).map(|place| format!("(p {place})")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert!(value(&game, game.terminal, &all, &[]));
    assert!(!value(&game, game.terminal, &all[1..], &[]));
}

#[test]
fn branches_may_bind_different_variables() {
    let game = ground(
        "(role r) (a 7) (b 1) (c 1 u) (d v) (init on) (legal r go) (goal r 0)
         (<= (next (seen ?v)) (or (a 7) (b ?n)) (or (and (b ?n) (c ?n ?v)) (and (d ?v) (a 7))))
         (<= terminal (true (seen u)))",
    );
    assert_eq!(next_of(&game, &["on"], &["go"]), ["(seen u)", "(seen v)"]);
}

#[test]
fn independent_conditions_do_not_multiply() {
    let mut text = String::from("(role r) (legal r go) (goal r 0) (v 1) (v 2) (<= terminal");
    for place in 0..60 {
        text += &format!(" (true (p{place} ?x{place}))");
    }
    text += ")";
    for place in 0..60 {
        text += &format!(" (<= (init (p{place} ?x)) (v ?x))");
    }
    assert!(ground(&text).formulas.len() < 2000);
}

#[test]
fn a_goal_may_negate_another_goal() {
    let game = ground(
        "(role r) (init on) (legal r go) (<= terminal (true on)) (<= (goal r 100) (true on))
         (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))",
    );
    let worth = |state: &[&str]| -> Vec<u32> {
        let goals = game.goals.iter().filter(|goal| value(&game, goal.when, state, &[]));
        goals.map(|goal| goal.value).collect()
    };
    assert_eq!(worth(&["on"]), [100]);
    assert_eq!(worth(&[]), [0]);
}

#[test]
fn negation_may_be_stratified_by_its_atoms_only() {
    let game = ground(
        "(role r) (move a b) (move b c) (init on) (legal r go) (goal r 0)
         (<= (wins ?x) (move ?x ?y) (not (wins ?y))) (<= terminal (wins b) (not (wins a)))",
    );
    assert!(value(&game, game.terminal, &["on"], &[]));
}

#[test]
fn an_atom_that_depends_on_its_own_negation_is_refused() {
    let error = refusal(
        "(role r) (init on) (legal r go) (goal r 0) (<= p (true on) (not q)) (<= q (true on) (not p))
         (<= terminal p)",
    );
    assert_eq!(error.category(), "static.unstratified");
}

#[test]
fn terms_that_grow_for_ever_are_refused_with_their_rule() {
    let error = refusal(
        "(role r) (init (n z)) (legal r go) (goal r 0) (<= (next (n (s ?x))) (true (n ?x)))
         (<= terminal (true (n q)))",
    );
    assert_eq!(error.category(), "ground.infinite");
    assert!(error.span().is_some());
}

#[test]
fn a_product_too_large_for_memory_is_refused() {
    let mut text = String::from("(role r) (legal r go) (goal r 0) (<= terminal (true never))");
    for value in 0..60 {
        text += &format!(" (v {value})");
    }
    text += " (<= (init (c ?a ?b ?c ?d ?e)) (v ?a) (v ?b) (v ?c) (v ?d) (v ?e))";
    let limits = Limits { memory_mib: Some(64), ..Limits::default() };
    let error = instantiate(&rules(&text), &limits).err();
    assert_eq!(error.map(|error| error.category()), Some("ground.limit"));
}

#[test]
fn moves_asked_for_before_they_are_made_are_not_done() {
    let game = ground(
        "(role r) (init on) (legal r go) (<= (legal r stay) (does r go)) (<= (next on) (true on))
         (<= terminal (does r go)) (goal r 0)",
    );
    assert_eq!(legal_in(&game, &["on"]), ["go"]);
    assert_eq!(game.terminal.constant(), Some(false));
}

#[test]
fn roles_keep_the_order_of_the_text_and_strangers_have_no_moves() {
    let game = ground(
        "(legal zoe go) (legal stranger go) (role zoe) (role adam) (legal adam go) (init on)
         (<= terminal (true on)) (goal zoe 0) (goal adam 0)",
    );
    assert_eq!(game.roles.iter().map(|role| &**role).collect::<Vec<_>>(), ["zoe", "adam"]);
    assert_eq!(game.moves.len(), 2);
}

#[test]
fn the_same_rules_give_the_same_game() {
    let (first, second) = (ground(COUNTER), ground(COUNTER));
    assert_eq!(format!("{:?}", first.next), format!("{:?}", second.next));
    assert_eq!(first.formulas.len(), second.formulas.len());
}
