//! How many best plans puzzles have: what is known of them by other ways of counting.

use std::time::Duration;

use crate::games::{Game, bundled, from_text};
use gambol_solve::{BestPlans, NoCount, SolveOptions, Unfinished, count_plans, solve};

fn counted(game: &Game, options: &SolveOptions) -> Result<BestPlans, NoCount> {
    let solution = solve(&game.net, &game.circuit, options).expect("it is solved");
    count_plans(&game.net, &game.circuit, options, &solution)
}

#[test]
fn puzzles_have_as_many_best_plans_as_they_are_known_to_have() {
    for (name, length, count) in [
        // The shortest way to carry a tower is the only one.
        ("hanoi", 15, 1),
        // The wolf and the cabbage can change places.
        ("wolf-goat-cabbage", 7, 2),
        ("six-queens", 6, 4),
        ("eight-queens", 8, 92),
    ] {
        let plans = counted(&bundled(name), &SolveOptions::default()).expect(name);
        assert_eq!((plans.value, plans.length, plans.count), (100, length, count), "{name}");
        assert_eq!(plans.unique(), count == 1);
    }
}

/// A walk of two steps over a square, in either order, with a detour that is as good but longer.
const SQUARE: &str = "
    (role walker) (init (at 0 0)) (succ 0 1)
    (<= (legal walker east) (true (at 0 ?y))) (<= (legal walker north) (true (at ?x 0)))
    (legal walker rest)
    (<= (next (at 1 ?y)) (does walker east) (true (at 0 ?y)))
    (<= (next (at ?x 1)) (does walker north) (true (at ?x 0)))
    (<= (next (at ?x ?y)) (does walker rest) (true (at ?x ?y)))
    (<= terminal (true (at 1 1)))
    (<= (goal walker 100) (true (at 1 1))) (<= (goal walker 0) (not (true (at 1 1))))";

#[test]
fn ways_that_meet_again_are_counted_and_detours_are_not() {
    let game = from_text(SQUARE.as_bytes());
    let plans = counted(&game, &SolveOptions::default()).expect("a puzzle");
    assert_eq!(plans, BestPlans { value: 100, length: 2, count: 2 });
    let mut options = SolveOptions::default();
    let after = game.net.fluents.ids().find(|&fluent| &*game.net.fluents[fluent] == "(at 1 0)");
    options.at = after.map(|fluent| vec![fluent]);
    assert!(counted(&game, &options).expect("a puzzle").unique());
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let options = SolveOptions::default();
    assert_eq!(counted(&bundled("tic-tac-toe"), &options), Err(NoCount::NotAPuzzle(2)));
    let queens = bundled("eight-queens");
    let solution = solve(&queens.net, &queens.circuit, &options).expect("it is solved");
    let mut hurried = options.clone();
    hurried.limits.time = Some(Duration::ZERO);
    let stopped = count_plans(&queens.net, &queens.circuit, &hurried, &solution);
    assert_eq!(stopped, Err(NoCount::Unfinished(Unfinished::Time)));
    let endless =
        SQUARE.replace("(goal walker 100) (true (at 1 1))", "(goal walker 0) (true (at 1 1))");
    let endless = endless.replace("terminal (true (at 1 1))", "terminal (true (at 2 2))");
    assert_eq!(counted(&from_text(endless.as_bytes()), &options), Err(NoCount::NoPlan));
}
