//! Wrong answers that were given once.

use gambol_solve::{Choice, Meaning, Solution, SolveOptions, Unfinished, solve};

use crate::games::{Game, from_text};

fn by(game: &Game, choice: Choice) -> Option<Solution> {
    let mut options = SolveOptions::default();
    options.choice = choice;
    options.limits.time = Some(std::time::Duration::from_secs(60));
    solve(&game.net, &game.circuit, &options).ok()
}

fn values(solution: &Solution) -> Option<Vec<i128>> {
    solution.values.iter().map(|bounds| bounds.value()?.whole()).collect()
}

/// In random games the goals add up to the same, since nobody presses all lamps by chance.
#[test]
fn what_goals_add_up_to_in_random_games_is_no_fact() {
    let small = from_text(include_bytes!("soundness/solve-search-sum-sampled-small.kif"));
    for choice in [Choice::Auto, Choice::Listing, Choice::Search, Choice::ProofNumber] {
        let solution = by(&small, choice).expect("it has a value");
        assert_eq!(values(&solution), Some(vec![50, 50]), "{choice:?}");
        assert!(solution.meaning != Meaning::Opposed, "{choice:?}");
    }
    for (text, expected) in [
        (&include_bytes!("soundness/solve-auto-sum-sampled.kif")[..], vec![50, 50]),
        (&include_bytes!("soundness/solve-auto-sum-sampled-race.kif")[..], vec![0, 100]),
    ] {
        let game = from_text(text);
        let mut options = SolveOptions::default();
        options.limits.time = Some(std::time::Duration::from_secs(8));
        let solution = solve(&game.net, &game.circuit, &options).expect("it is not refused");
        for (bounds, value) in solution.values.iter().zip(expected) {
            let value = gambol_solve::Fraction::from(value as u32);
            assert!(bounds.least <= value && value <= bounds.most, "{:?}", solution.values);
        }
    }
}

/// The second player can force no end, so it is sure of nothing; the first wins at once.
#[test]
fn a_game_that_is_won_at_once_has_a_value() {
    let game = from_text(include_bytes!("soundness/solve-auto-refuses-won-game.kif"));
    for choice in [Choice::Auto, Choice::Listing, Choice::Search, Choice::ProofNumber] {
        let solution = by(&game, choice).expect("it has a value");
        assert_eq!(values(&solution), Some(vec![100, 0]), "{choice:?}");
    }
}

#[test]
fn where_the_other_can_stay_for_ever_nothing_is_won() {
    let game = from_text(include_bytes!("soundness/solve-regression-endless.kif"));
    for choice in [Choice::Auto, Choice::Listing] {
        let solution = by(&game, choice).expect("it has a value");
        assert_eq!(values(&solution), Some(vec![0, 0]), "{choice:?}");
    }
    for choice in [Choice::Search, Choice::ProofNumber] {
        assert!(by(&game, choice).is_none(), "{choice:?}");
    }
}

/// One end is worth 50, the other 0 or 100.
#[test]
fn where_two_readings_differ_there_is_no_value() {
    let game = from_text(include_bytes!("soundness/solve-two-readings.kif"));
    for choice in [Choice::Auto, Choice::Search] {
        let solution = by(&game, choice).expect("it has bounds");
        assert_eq!(solution.values, [gambol_solve::Bounds::between(50, 100)], "{choice:?}");
        assert_eq!(solution.unfinished, Some(Unfinished::Readings), "{choice:?}");
    }
    assert!(by(&game, Choice::Factored).is_none());
}

/// Without a bound on it, the line of play goes round for ever.
#[test]
fn where_play_goes_round_the_line_has_an_end() {
    let game = from_text(include_bytes!("soundness/search-goes-round.kif"));
    for choice in [Choice::Auto, Choice::Search, Choice::ProofNumber] {
        if let Some(solution) = by(&game, choice) {
            assert_eq!(values(&solution), Some(vec![0, 0]), "{choice:?}");
            assert!(solution.line.len() <= 2, "{choice:?}");
        }
    }
}
