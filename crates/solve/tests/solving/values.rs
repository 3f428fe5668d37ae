//! Values of bundled games: every way to solve that fits a game finds what is known of it.

use std::time::Duration;

use crate::games::{Game, bundled, from_text};
use gambol_sim::{Circuit, Code, CompileOptions};
use gambol_solve::{
    Choice, Method, Observer, Solution, SolveError, SolveOptions, solve, solve_observed,
};

fn by(game: &Game, choice: Choice) -> Result<Solution, SolveError> {
    let mut options = SolveOptions::default();
    options.choice = choice;
    options.limits.time = Some(Duration::from_secs(60));
    options.limits.memory_mib = 256;
    solve(&game.net, &game.circuit, &options)
}

/// What a search found, and on which way.
fn course(game: &Game, choice: Choice, code: Code) -> impl PartialEq + std::fmt::Debug {
    let mut compile = CompileOptions::default();
    compile.code = code;
    let circuit = Circuit::compile(&game.net, &compile).expect("a circuit");
    let mut options = SolveOptions::default();
    (options.choice, options.limits.memory_mib) = (choice, 64);
    let solution = solve(&game.net, &circuit, &options).expect("a game for the method");
    (solution.values, solution.line, solution.nodes, solution.states, solution.notes)
}

#[test]
fn whatever_runs_the_gates_searches_are_the_same() {
    for name in ["connect-four-5x4", "breakthrough-4x4", "hex-3x3", "domineering-4x4"] {
        let game = bundled(name);
        for choice in [Choice::Search, Choice::Auto] {
            let plain = course(&game, choice, Code::Table);
            for code in [Code::Avx2, Code::Avx512, Code::Neon, Code::Auto] {
                if code.is_available() {
                    assert_eq!(course(&game, choice, code), plain, "{name} {choice:?} {code:?}");
                }
            }
        }
    }
}

fn whole_values(solution: &Solution) -> Vec<i128> {
    let value = |bounds: &gambol_solve::Bounds| bounds.value().and_then(|value| value.whole());
    solution.values.iter().map(|bounds| value(bounds).expect("solved")).collect()
}

fn check(name: &str, expected: &[i128], choices: &[Choice]) {
    let game = bundled(name);
    for &choice in choices {
        let solution =
            by(&game, choice).unwrap_or_else(|error| panic!("{name} {choice:?}: {error}"));
        assert_eq!(whole_values(&solution), expected, "{name} by {choice:?}");
    }
}

const TWO: [Choice; 3] = [Choice::Auto, Choice::Listing, Choice::Search];
const ONE: [Choice; 3] = [Choice::Auto, Choice::Search, Choice::Satisfiability];

#[test]
fn two_players_in_turn() {
    for (name, value) in [
        ("tic-tac-toe", [50, 50]),
        ("number-scrabble", [50, 50]),
        ("nim", [0, 100]),
        ("nim-2-3-4", [100, 0]),
        ("chomp", [100, 0]),
        ("dots-and-boxes", [100, 0]),
        ("hex-3x3", [100, 0]),
        ("domineering-4x4", [100, 0]),
        ("three-mens-morris", [100, 0]),
        ("connect-four-4x4", [50, 50]),
    ] {
        check(name, &value, &TWO);
    }
}

#[test]
fn proof_numbers_come_to_the_same_values() {
    for (name, value) in [
        ("tic-tac-toe", [50, 50]),
        ("nim-2-3-4", [100, 0]),
        ("chomp", [100, 0]),
        ("hex-3x3", [100, 0]),
        ("domineering-4x4", [100, 0]),
        ("connect-four-4x4", [50, 50]),
    ] {
        check(name, &value, &[Choice::ProofNumber]);
    }
}

#[test]
fn threads_come_to_the_same_value() {
    let game = bundled("connect-four-6x4");
    let mut options = SolveOptions::default();
    (options.choice, options.threads) = (Choice::Search, 3);
    let solution = solve(&game.net, &game.circuit, &options).unwrap();
    assert_eq!(whole_values(&solution), [0, 100]);
    assert_eq!(solution.method, Method::AlphaBeta);
}

#[test]
fn one_player() {
    for name in ["blocks-world", "hanoi", "water-jugs", "wolf-goat-cabbage", "six-queens"] {
        check(name, &[100], &ONE);
    }
    check("lights-out-3x3", &[100], &ONE);
    check("untwisty-corridor-nine", &[100], &ONE);
    check("best-buttons-and-lights-fuse", &[70], &ONE);
    check("joint-buttons-and-lights-latin", &[60], &ONE);
}

#[test]
fn parts_give_the_value_of_the_whole() {
    for (name, value) in [
        ("multiple-buttons-and-lights", vec![100]),
        ("best-buttons-and-lights", vec![100]),
        ("best-buttons-and-lights-fuse", vec![70]),
        ("all-buttons-and-lights", vec![100]),
        ("joint-buttons-and-lights", vec![100]),
        ("joint-buttons-and-lights-gap", vec![60]),
        ("four-lamps", vec![100]),
        ("nim", vec![0, 100]),
        ("nim-2-3-4", vec![100, 0]),
        ("double-tic-tac-toe", vec![50, 50]),
        ("noughts-and-heap", vec![75, 25]),
    ] {
        check(name, &value, &[Choice::Factored]);
    }
}

/// Counts what it is told.
#[derive(Default)]
struct Counting {
    told: Vec<(u64, String)>,
}

impl Observer for Counting {
    fn progress(&mut self, nodes: u64, stage: &str) {
        self.told.push((nodes, stage.to_string()));
    }
}

#[test]
fn solving_part_by_part_can_be_watched() {
    let game = bundled("double-tic-tac-toe");
    let mut options = SolveOptions::default();
    options.choice = Choice::Factored;
    let mut watcher = Counting::default();
    let solved = solve_observed(&game.net, &game.circuit, &options, None, &mut watcher).unwrap();
    let (last, _) = watcher.told.last().expect("something is told");
    assert_eq!(*last, solved.states);
    let stages = watcher.told.chunk_by(|one, next| one.1 == next.1 && one.0 <= next.0).count();
    assert!(stages >= 3, "two parts, then both: {stages}");
}

#[test]
fn useless_boards_shrink_to_their_free_squares() {
    let solution = by(&bundled("multiple-tic-tac-toe"), Choice::Factored).unwrap();
    assert_eq!(whole_values(&solution), [50, 50]);
    // Two boards of ten blocks each, glued: what counts is how many squares are free in both.
    assert!(solution.notes[0].contains("19 of 100"), "{:?}", solution.notes);
}

#[test]
fn games_that_do_not_fall_apart_are_refused_in_parts() {
    let latin = by(&bundled("joint-buttons-and-lights-latin"), Choice::Factored);
    assert!(matches!(latin, Err(SolveError::Method { .. })), "{latin:?}");
}

#[test]
fn simultaneous_moves_have_mixed_values() {
    check("rock-paper-scissors", &[50, 50], &[Choice::Auto]);
    check("goofspiel", &[50, 50], &[Choice::Auto]);
    let search = by(&bundled("rock-paper-scissors"), Choice::Search).expect("it has a value");
    assert!(search.is_settled() && search.values.iter().all(|bounds| bounds.least <= 50.into()));
    let search = by(&bundled("rock-paper-scissors"), Choice::ProofNumber);
    assert!(matches!(search, Err(SolveError::Method { .. })), "{search:?}");
}

/// Two players mark squares of a field of three by three at the same time; the first wants a way across.
pub(crate) const CROSSING: &str = "(role crosser) (role blocker) (n 1) (n 2) (n 3)
    (near 1 1) (near 2 2) (near 3 3) (near 1 2) (near 2 3) (near 2 1) (near 3 2)
    (<= (init (free ?x ?y)) (n ?x) (n ?y))
    (<= (legal ?p (mark ?x ?y)) (role ?p) (true (free ?x ?y)))
    (<= (hit ?x ?y) (does ?p (mark ?x ?y)))
    (<= (next (free ?x ?y)) (true (free ?x ?y)) (not (hit ?x ?y)))
    (<= (next (way ?x ?y)) (true (way ?x ?y)))
    (<= (next (way ?x ?y)) (does crosser (mark ?x ?y)) (not (does blocker (mark ?x ?y))))
    (<= across (true (way 1 ?a)) (near ?a ?b) (true (way 2 ?b)) (near ?b ?c) (true (way 3 ?c)))
    (<= open (true (free ?x ?y)))
    (<= terminal across) (<= terminal (not open))
    (<= (goal crosser 100) across) (<= (goal crosser 0) (not across))
    (<= (goal blocker 0) across) (<= (goal blocker 100) (not across))";

#[test]
fn bounds_of_mixed_values_hold_the_exact_value() {
    let game = from_text(CROSSING.as_bytes());
    let exact = by(&game, Choice::Listing).expect("its digits are few");
    let bounds = by(&game, Choice::Search).expect("it has a value");
    assert_eq!(bounds.method, Method::Mixed);
    assert!(bounds.nodes < exact.nodes);
    for (bounds, exact) in bounds.values.iter().zip(&exact.values) {
        assert!(bounds.least <= exact.least && exact.most <= bounds.most);
        assert!(bounds.is_settled());
    }
    assert!(exact.values[0].least.whole().is_none());
}

/// Boards of four squares one after the other. On each the crosser wants a plank in either row; where
/// both players choose the same square, the stone wins. Each board counts the same.
fn boards_in_series(boards: u32) -> Game {
    let mut text = String::from(
        "(role crosser) (role blocker) (index 1) (index 2) (begun 1)
        (<= (free ?b ?x ?y) (board ?b) (index ?x) (index ?y)
            (not (true (cell ?b ?x ?y plank))) (not (true (cell ?b ?x ?y stone))))
        (<= (open ?b) (free ?b ?x ?y))
        (<= (bridged ?b) (true (cell ?b ?x 1 plank)) (true (cell ?b ?z 2 plank)))
        (<= (over ?b) (bridged ?b)) (<= (over ?b) (board ?b) (not (open ?b)))
        (<= (begun ?c) (after ?b ?c) (over ?b))
        (<= (legal ?p (choose ?b ?x ?y)) (role ?p) (begun ?b) (not (over ?b)) (free ?b ?x ?y))
        (<= (next (cell ?b ?x ?y stone)) (does blocker (choose ?b ?x ?y)))
        (<= (next (cell ?b ?x ?y plank)) (does crosser (choose ?b ?x ?y))
            (not (does blocker (choose ?b ?x ?y))))
        (<= (next (cell ?b ?x ?y ?what)) (true (cell ?b ?x ?y ?what)))
        (<= (won ?b 1) (bridged ?b)) (<= (won ?b 0) (board ?b) (not (bridged ?b)))",
    );
    for board in 1..=boards {
        text += &format!("(board {board}) (after {board} {})", board + 1);
    }
    text += &format!("(<= terminal (over {boards}))");
    for ends in 0..1 << boards {
        let bridged: u32 = (0..boards).map(|board| ends >> board & 1).sum();
        let result = (0..boards).map(|board| format!("(won {} {})", board + 1, ends >> board & 1));
        let result = result.collect::<Vec<_>>().join(" ");
        let (one, other) = (100 * bridged / boards, 100 * (boards - bridged) / boards);
        text += &format!("(<= (goal crosser {one}) {result}) (<= (goal blocker {other}) {result})");
    }
    from_text(text.as_bytes())
}

#[test]
fn a_board_that_is_played_for_less_is_not_solved_again() {
    let single = by(&boards_in_series(1), Choice::Listing).unwrap();
    let alone = by(&boards_in_series(1), Choice::Search).unwrap();
    for boards in [2, 4] {
        let series = by(&boards_in_series(boards), Choice::Search).unwrap();
        for (bounds, exact) in series.values.iter().zip(&single.values) {
            assert!(bounds.is_settled());
            assert!(bounds.least <= exact.least && exact.most <= bounds.most);
        }
        // The first board once, and the second not for each result of the first.
        assert!(boards > 2 || series.nodes < 3 * alone.nodes, "{} {}", series.nodes, alone.nodes);
    }
}

#[test]
fn hidden_cards_are_refused() {
    let poker = by(&bundled("kuhn-poker"), Choice::Auto);
    assert!(matches!(poker, Err(SolveError::HiddenInformation(_))), "{poker:?}");
}

#[test]
fn lines_of_play_end_with_the_value() {
    for name in ["tic-tac-toe", "chomp", "double-tic-tac-toe", "hanoi", "best-buttons-and-lights"] {
        let game = bundled(name);
        for choice in [Choice::Auto, Choice::Search, Choice::ProofNumber, Choice::Factored] {
            let Ok(solution) = by(&game, choice) else { continue };
            let mut evaluator = gambol_sim::Evaluator::new(&game.circuit);
            let mut state = game.circuit.initial();
            for joint in &solution.line {
                let legal = evaluator.legal(&state);
                assert!(joint.iter().all(|action| legal.contains(action)), "{name} {choice:?}");
                state = evaluator.next(&state, joint);
            }
            assert!(evaluator.terminal(&state), "{name} {choice:?}");
            let goals: Vec<i128> =
                evaluator.goals(&state).iter().map(|goal| goal.unwrap().into()).collect();
            assert_eq!(goals, whole_values(&solution), "{name} {choice:?}");
        }
    }
}

/// Red picks an end; one of them has two goals for red.
fn with_an_unclear_end(sure: u32) -> Game {
    let text = format!(
        "(role red) (role blue) (init (at start))
         (<= (legal red (take ?end)) (true (at start)) (end ?end)) (legal blue wait)
         (end calm) (end odd) (end sure)
         (<= (next (at ?end)) (does red (take ?end)))
         (<= terminal (not (true (at start))))
         (<= (goal red 50) (true (at calm))) (<= (goal blue 50) (true (at calm)))
         (<= (goal red 0) (true (at odd))) (<= (goal red 100) (true (at odd)))
         (<= (goal blue 0) (true (at odd)))
         (<= (goal red {sure}) (true (at sure))) (<= (goal blue {}) (true (at sure)))",
        100 - sure
    );
    from_text(text.as_bytes())
}

#[test]
fn an_end_with_two_goals_leaves_the_value_open_unless_it_does_not_matter() {
    for choice in [Choice::Search, Choice::ProofNumber] {
        let open = by(&with_an_unclear_end(0), choice).unwrap();
        assert_eq!(open.values[0], gambol_solve::Bounds::between(50, 100), "{choice:?}");
        let settled = by(&with_an_unclear_end(100), choice).unwrap();
        assert_eq!(whole_values(&settled), [100, 0], "{choice:?}");
    }
}

/// Methods have rounds of nodes and states, not of time: the same game is solved by the same method, with
/// the same line and as many nodes, however much time there is and whatever else the machine does.
#[test]
fn the_same_game_is_solved_in_the_same_way() {
    for (name, method) in [
        ("double-tic-tac-toe", Method::AlphaBeta),
        ("domineering-four-boards", Method::Factored),
        ("nim-six-heaps", Method::Factored),
        ("reversi-4x4", Method::Listing),
    ] {
        let game = bundled(name);
        let mut options = SolveOptions::default();
        let first = solve(&game.net, &game.circuit, &options).expect("it is solved");
        options.limits.time = Some(Duration::from_secs(600));
        let second = solve(&game.net, &game.circuit, &options).expect("it is solved");
        assert_eq!([first.method, second.method], [method; 2], "{name}");
        assert_eq!((&first.values, &first.line), (&second.values, &second.line), "{name}");
        assert_eq!((first.nodes, first.notes), (second.nodes, second.notes), "{name}");
    }
}
