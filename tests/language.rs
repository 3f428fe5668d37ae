//! What the rules mean, told by tiny games, to all three engines.

use gambol::syntax::{ReadOptions, Source};
use gambol::{Engine, EngineKind, Examination, Game, examine};

/// Plays the moves, one joint move per step, and compares what holds after each of them.
///
/// Each line of `story` is a state, and what can be said of it, in this form:
/// `fluents | legal moves of the first role | terminal? | goal of the first role`.
fn check_story(rules: &str, moves: &[&str], story: &[&str]) {
    let game = Game::read(rules.as_bytes(), &ReadOptions::default()).unwrap();
    for kind in EngineKind::ALL {
        let mut engine = game.engine(kind).unwrap();
        let mut state = engine.initial().unwrap();
        let mut told = vec![tell(engine.as_mut(), &state)];
        for joint in moves {
            let joint = gambol::terms(joint, &ReadOptions::default()).unwrap();
            state = engine.next(&state, &joint).unwrap();
            told.push(tell(engine.as_mut(), &state));
        }
        assert_eq!(told, story, "told by {}", kind.as_str());
    }
}

fn tell(engine: &mut dyn Engine, state: &gambol::State) -> String {
    let legal = engine.legal(state).unwrap().swap_remove(0).join(" ");
    let end = if engine.terminal(state).unwrap() { "over" } else { "on" };
    let goal = engine.goals(state).unwrap()[0].map_or("none".to_string(), |goal| goal.to_string());
    format!("{} | {legal} | {end} | {goal}", state.join(" "))
}

/// The first error of a text: its category and its place.
fn check_error(rules: &str, category: &str, line: u32, column: u32) {
    let findings = examine(rules.as_bytes(), &Examination::default());
    let error = findings.iter().find(|finding| finding.is_error()).expect("an error");
    assert_eq!(error.category, category, "{}", error.message);
    let place = error.span.map(|span| Source::new(rules.as_bytes()).line_column(span.start));
    assert_eq!(place, Some((line, column)), "{}", error.message);
}

#[test]
fn nothing_persists_by_itself() {
    check_story(
        "(role r) (init a) (init b) (legal r go) (<= (next a) (true a)) (goal r 7)
         (<= terminal (not (true b)))",
        &["go"],
        &["a b | go | on | 7", "a | go | over | 7"],
    );
}

#[test]
fn recursion_that_depends_on_the_state_forgets_the_last_state() {
    // Two lamps light each other while the switch is on. When it is off, neither may stay lit
    // because the other was.
    check_story(
        "(role r) (init on) (legal r flip) (<= left (true on)) (<= left right) (<= right left)
         (<= (next on) (not (true on))) (<= (next seen) right) (<= (goal r 1) left)
         (<= (goal r 0) (not left)) (<= terminal (true never))",
        &["flip", "flip"],
        &["on | flip | on | 1", "seen | flip | on | 0", "on | flip | on | 1"],
    );
}

#[test]
fn a_path_is_found_through_the_present_edges_only() {
    check_story(
        "(role r) (init (edge a b)) (init (edge b c)) (<= (legal r (cut ?x ?y)) (true (edge ?x ?y)))
         (<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (does r (cut ?x ?y))))
         (<= (path ?x ?y) (true (edge ?x ?y))) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
         (<= (goal r 100) (path a c)) (<= (goal r 0) (not (path a c))) (<= terminal (not (path a c)))",
        &["(cut b c)"],
        &[
            "(edge a b) (edge b c) | (cut a b) (cut b c) | on | 100",
            "(edge a b) | (cut a b) | over | 0",
        ],
    );
}

#[test]
fn what_nothing_defines_is_false_and_its_negation_true() {
    check_story(
        "(role r) (init p) (<= (legal r go) (not unheard)) (<= (legal r stay) unheard)
         (goal r 100) (<= terminal (true q)) (<= (next q) (does r go) (not (true q)))",
        &["go"],
        &["p | go | on | 100", "q | go | over | 100"],
    );
}

#[test]
fn distinct_compares_whole_terms() {
    check_story(
        "(role r) (init (at (pair 1 2))) (goal r 0) (<= terminal (true done))
         (<= (legal r odd) (true (at ?x)) (distinct ?x (pair 2 1)))
         (<= (legal r same) (true (at ?x)) (not (distinct ?x (pair 1 2))))",
        &[],
        &["(at (pair 1 2)) | odd same | on | 0"],
    );
}

#[test]
fn neither_nor_is_not_the_same_as_not_both() {
    check_story(
        "(role r) (init p) (<= (legal r go) (not (or (true p) (true q)))) (legal r wait)
         (<= (next q) (true p)) (goal r 0) (<= terminal (true x))",
        &["wait", "wait"],
        &["p | wait | on | 0", "q | wait | on | 0", " | go wait | on | 0"],
    );
}

#[test]
fn a_move_can_become_part_of_the_state() {
    check_story(
        "(role r) (role s) (legal r (say 1)) (legal s (say 2)) (init quiet) (goal r 0) (goal s 0)
         (<= (next (said ?who ?what)) (does ?who ?what)) (<= terminal (true (said r ?x)))",
        &["(say 1) (say 2)"],
        &["quiet | (say 1) | on | 0", "(said r (say 1)) (said s (say 2)) | (say 1) | over | 0"],
    );
}

#[test]
fn goals_may_be_missing_or_contradict_each_other() {
    check_story(
        "(role r) (init a) (legal r go) (<= (next b) (true a)) (<= (next c) (true b))
         (<= (goal r 10) (true b)) (<= (goal r 10) (true c)) (<= (goal r 20) (true c))
         (<= terminal (true c))",
        &["go", "go"],
        &["a | go | on | none", "b | go | on | 10", "c | go | over | none"],
    );
}

#[test]
fn negation_is_stratified_on_the_ground_rules() {
    // `win` depends on its own negation, but never for the same heap.
    check_story(
        "(role r) (init (heap 3)) (next-to 0 1) (next-to 1 2) (next-to 2 3)
         (<= (win ?n) (next-to ?m ?n) (not (win ?m)))
         (<= (legal r take) (true (heap ?n)) (next-to ?m ?n))
         (<= (next (heap ?m)) (true (heap ?n)) (next-to ?m ?n))
         (<= (goal r 100) (true (heap ?n)) (win ?n)) (<= terminal (true (heap 0)))
         (<= (goal r 0) (true (heap ?n)) (not (win ?n)))",
        &["take", "take", "take"],
        &[
            "(heap 3) | take | on | 100",
            "(heap 2) | take | on | 0",
            "(heap 1) | take | on | 100",
            "(heap 0) |  | over | 0",
        ],
    );
}

#[test]
fn percepts_are_seen_by_every_engine() {
    let rules = "(role random) (role you) (legal random (roll 1)) (legal random (roll 2))
        (legal you wait) (init p) (<= (sees you (rolled ?n)) (does random (roll ?n)))
        (<= terminal (true q)) (<= (next q) (does you wait)) (goal you 0) (goal random 100)";
    let game = Game::read(rules.as_bytes(), &ReadOptions::default()).unwrap();
    for kind in EngineKind::ALL {
        let mut engine = game.engine(kind).unwrap();
        let start = engine.initial().unwrap();
        let seen = engine.percepts(&start, &["(roll 2)".to_string(), "wait".to_string()]).unwrap();
        assert_eq!(seen, [vec![], vec!["(rolled 2)".to_string()]]);
    }
}

#[test]
fn infix_and_prefix_are_two_spellings_of_one_game() {
    let infix = "% a light\nrole(r)\ninit(dark)\nlegal(r,press(X)) :- key(X)\nkey(1)\nkey(2)\n\
        next(lit(X)) :- does(r,press(X)) & ~true(lit(X))\nterminal :- true(lit(1))\ngoal(r,100)";
    let prefix = "(role r) (init dark) (<= (legal r (press ?x)) (key ?x)) (key 1) (key 2)
        (<= (next (lit ?x)) (does r (press ?x)) (not (true (lit ?x))))
        (<= terminal (true (lit 1))) (goal r 100)";
    for rules in [infix, prefix] {
        check_story(
            rules,
            &["(press 2)", "(press 1)"],
            &[
                "dark | (press 1) (press 2) | on | 100",
                "(lit 2) | (press 1) (press 2) | on | 100",
                "(lit 1) | (press 1) (press 2) | over | 100",
            ],
        );
    }
}

#[test]
fn negation_through_itself_is_refused_where_it_stands() {
    check_error(
        "(role r)\n(legal r go)\n(goal r 0)\n(<= a (true p) (not b))\n(<= b (not a))\n(<= terminal a)\n(init p)",
        "static.unstratified",
        4,
        21,
    );
}

#[test]
fn growth_without_end_is_refused_where_it_stands() {
    check_error(
        "(role r)\n(legal r go)\n(goal r 0)\n(init (n 0))\n(<= (next (n (s ?x))) (true (n ?x)))\n(<= terminal (true (n (s 0))))",
        "ground.infinite",
        5,
        5,
    );
}

#[test]
fn a_name_nobody_gave_is_refused_where_it_stands() {
    check_error("(role r)\n(legal r ?m)\n(goal r 0)\nterminal", "static.fact-variable", 2, 10);
    check_error("(role r)\n(legal r go))\n(goal r 0)\nterminal", "syntax.unmatched-close", 2, 13);
}

#[test]
fn play_finds_what_the_text_does_not_show() {
    let rules = "(role r) (init p) (<= (legal r go) (true p)) (<= (next q) (does r go))
        (<= terminal (true x)) (goal r 100) (<= (next x) (true x))";
    let examination = Examination { play: Some(10), ..Examination::default() };
    let findings = examine(rules.as_bytes(), &examination);
    let stuck = findings.iter().find(|finding| finding.category == "play.no-legal-move").unwrap();
    assert!(stuck.hint.as_deref().unwrap_or_default().contains("[go]"), "{stuck:?}");
}
