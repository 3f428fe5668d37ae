//! Games with chance: averages, exact where no state returns and within proved bounds where states do.

use std::collections::HashMap;

use gambol_index::Id;
use gambol_solve::{
    Choice, CircuitDynamics, Dynamics, Fraction, Meaning, Solution, SolveError, SolveOptions,
    StateId, list, solve,
};

use crate::games::{Game, bundled, folder, from_text};

fn solved(game: &Game) -> Result<Solution, SolveError> {
    solve(&game.net, &game.circuit, &SolveOptions::default())
}

/// What a role of a game without returning states gets, in floating-point numbers. It plays against all others, who see
/// its move; so this is for games in which one role chooses at a time.
fn judged(game: &Game, role: usize) -> f64 {
    let mut dynamics = CircuitDynamics::new(&game.net, &game.circuit);
    let start = dynamics.start();
    let listing = list(&mut dynamics, &start, &Default::default()).expect("few states");
    let chance = game.net.roles.iter().position(|name| &**name == "random").expect("chance");
    let mut values = vec![0.0; listing.len()];
    for state in listing.backwards().expect("no state returns") {
        values[state.index()] = if listing.over(state) {
            f64::from(listing.goal(state, role).value().expect("a goal"))
        } else {
            let mut by_choice: HashMap<Vec<u32>, (f64, usize)> = HashMap::new();
            for (number, next) in listing.successors(state).iter().enumerate() {
                let mut joint = listing.joint_move(state, number);
                joint[chance] = 0;
                let (sum, count) = by_choice.entry(joint).or_default();
                (*sum, *count) = (*sum + values[next.index()], *count + 1);
            }
            let means = by_choice.values().map(|&(sum, count)| sum / count as f64);
            match listing.moves(state, role).len() > 1 {
                true => means.fold(f64::MIN, f64::max),
                false => means.fold(f64::MAX, f64::min),
            }
        };
    }
    values[StateId::new(0).index()]
}

#[test]
fn pig_is_solved_and_a_plain_calculation_agrees() {
    let game = bundled("pig");
    let solution = solved(&game).expect("everybody sees everything");
    assert_eq!(solution.meaning, Meaning::Opposed);
    assert!(solution.is_settled() && solution.unfinished.is_none());
    for role in 0..2 {
        let (bounds, value) = (solution.values[role], judged(&game, role));
        let slack = 1e-9;
        assert!(bounds.least.as_f64() - slack <= value && value <= bounds.most.as_f64() + slack);
    }
}

#[test]
fn who_sees_the_car_finds_it_and_who_does_not_has_no_value_here() {
    let hidden = solved(&bundled("monty-hall"));
    assert_eq!(hidden.err(), Some(SolveError::HiddenInformation("guest".to_string())));
    let rules = std::fs::read_to_string(folder().join("monty-hall/rules.kif")).expect("the rules");
    let open = format!("{rules} (<= (sees guest (car ?d)) (does random (hide ?d)))");
    let solution = solved(&from_text(open.as_bytes())).expect("nothing is hidden");
    assert_eq!(solution.values[0].value(), Some(Fraction::from(100)));
    // Without percepts everything is seen.
    let plain: String =
        rules.lines().filter(|line| !line.contains("sees")).collect::<Vec<_>>().join("\n");
    let solution = solved(&from_text(plain.as_bytes())).expect("nothing is hidden");
    assert_eq!(solution.values[0].value(), Some(Fraction::from(100)));
}

/// Who throws heads wins; tails pass the coin on.
const COIN: &str = "(role ann) (role bob) (role random) (init (turn ann))
    (other ann bob) (other bob ann)
    (legal ann wait) (legal bob wait)
    (legal random heads) (legal random tails)
    (<= (next (won ?p)) (true (turn ?p)) (does random heads))
    (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q) (does random tails))
    (<= terminal (true (won ?p)))
    (<= (goal ?p 100) (true (won ?p))) (<= (goal ?q 0) (true (won ?p)) (other ?p ?q))
    (goal random 0)";

#[test]
fn where_states_return_the_average_lies_between_proved_bounds() {
    let solution = solved(&from_text(COIN.as_bytes())).expect("bounds");
    assert!(solution.is_settled() && solution.unfinished.is_none());
    for (role, third) in [(0, 200), (1, 100)] {
        let exact = Fraction::new(third, 3).expect("a fraction");
        let bounds = solution.values[role];
        assert!(bounds.least <= exact && exact <= bounds.most, "{bounds:?}");
        assert!(bounds.least < bounds.most);
    }
}

#[test]
fn who_may_wait_for_ever_gets_nothing_for_it() {
    // A throw for 60 or 0, or waiting; the other one may wait as well, which gives the first one nothing.
    let rules = "(role ann) (role bob) (role random) (init (turn ann))
        (other ann bob) (other bob ann)
        (<= (legal ?p wait) (role ?p) (distinct ?p random))
        (<= (legal ann throw) (true (turn ann)))
        (legal random heads) (legal random tails)
        (<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q) (not (does ann throw)))
        (<= (next (over 60)) (does ann throw) (does random heads))
        (<= (next (over 0)) (does ann throw) (does random tails))
        (<= terminal (true (over ?n)))
        (<= (goal ann ?n) (true (over ?n))) (<= (goal bob 50) (true (over ?n))) (goal random 0)";
    let solution = solved(&from_text(rules.as_bytes())).expect("bounds");
    let [ann, bob] = [solution.values[0], solution.values[1]];
    assert!(ann.least <= 30.into() && ann.most >= 30.into() && ann.is_settled(), "{ann:?}");
    // Ann may wait for ever, so Bob is sure of nothing.
    assert!(bob.least == 0.into() && bob.is_settled(), "{bob:?}");
}

#[test]
fn methods_that_know_no_chance_say_so() {
    let game = bundled("pig");
    let mut options = SolveOptions::default();
    for choice in [Choice::Search, Choice::ProofNumber, Choice::Factored] {
        options.choice = choice;
        let refused = solve(&game.net, &game.circuit, &options);
        assert!(matches!(refused, Err(SolveError::Method { .. })), "{choice:?}");
    }
}
