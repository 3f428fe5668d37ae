//! Checkpoints: a solve that is cut short at any moment goes on and comes to the same answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::games::{Game, bundled, from_text};
use crate::values::CROSSING;
use gambol_solve::{
    BadCheckpoint, Choice, Observer, Solution, SolveError, SolveOptions, is_checkpoint,
    solve_observed,
};

/// Stops the work when it has told of its progress so many times, and keeps the last checkpoint.
struct Impatient {
    patience: usize,
    stop: Arc<AtomicBool>,
    kept: Option<Vec<u8>>,
}

impl Observer for Impatient {
    fn progress(&mut self, _nodes: u64, _stage: &str) {
        match self.patience.checked_sub(1) {
            Some(left) => self.patience = left,
            None => self.stop.store(true, Ordering::Relaxed),
        }
    }

    fn checkpoint(&mut self, bytes: &[u8]) {
        self.kept = Some(bytes.to_vec());
    }

    fn wants_checkpoints(&self) -> bool {
        true
    }
}

/// What is found until patience is at an end, and what is kept then.
fn attempt(
    game: &Game,
    resume: Option<&[u8]>,
    patience: usize,
) -> (Result<Solution, SolveError>, Option<Vec<u8>>) {
    attempt_by(Choice::Search, game, resume, patience)
}

fn attempt_by(
    choice: Choice,
    game: &Game,
    resume: Option<&[u8]>,
    patience: usize,
) -> (Result<Solution, SolveError>, Option<Vec<u8>>) {
    let stop = Arc::new(AtomicBool::new(false));
    let mut options = SolveOptions::default();
    options.choice = choice;
    options.limits.stop = Some(Arc::clone(&stop));
    let mut observer = Impatient { patience, stop, kept: None };
    let found = solve_observed(&game.net, &game.circuit, &options, resume, &mut observer);
    (found, observer.kept)
}

fn solved(game: &Game, resume: Option<&[u8]>) -> Solution {
    attempt(game, resume, usize::MAX).0.expect("it has a value")
}

/// The second player wants less than the first gives away, so each is solved by itself.
fn crossing_for_less() -> Game {
    from_text(CROSSING.replace("(goal blocker 100)", "(goal blocker 90)").as_bytes())
}

#[test]
fn mixtures_go_on_from_any_moment_to_the_same_bounds() {
    for game in [from_text(CROSSING.as_bytes()), crossing_for_less()] {
        let whole = solved(&game, None);
        let mut moments = 0;
        while let (Ok(cut_short), Some(kept)) = attempt(&game, None, moments) {
            assert!(cut_short.unfinished.is_some() && is_checkpoint(&kept));
            let found = solved(&game, Some(&kept));
            assert_eq!(found.values, whole.values, "after {moments}");
            assert_eq!((found.nodes, found.states), (whole.nodes, whole.states));
            moments += 1;
        }
        assert!(moments > 2, "it is cut short {moments} times only");
    }
}

#[test]
fn mixtures_cut_short_again_and_again_come_to_an_end() {
    let game = crossing_for_less();
    let whole = solved(&game, None);
    let (mut kept, mut attempts) = (None, 0);
    let found = loop {
        let (found, more) = attempt(&game, kept.as_deref(), 0);
        let found = found.expect("it has a value");
        if found.unfinished.is_none() {
            break found;
        }
        attempts += 1;
        assert!(attempts < 1000 && more.is_some(), "nothing is won");
        kept = more;
    };
    assert!(attempts > 3, "{attempts}");
    assert_eq!((found.values, found.nodes), (whole.values, whole.nodes));
}

#[test]
fn damaged_checkpoints_of_mixtures_and_those_of_other_games_are_refused() {
    let game = from_text(CROSSING.as_bytes());
    let bytes = attempt(&game, None, 0).1.expect("something is kept");
    let refused = |bytes: &[u8]| match attempt(&game, Some(bytes), 0) {
        (Err(SolveError::Checkpoint(bad)), None) => bad,
        other => panic!("{other:?}"),
    };
    for part in 0..40 {
        let place = part * bytes.len() / 40;
        assert_eq!(refused(&bytes[..place]), BadCheckpoint::Damaged, "{place}");
        let mut damaged = bytes.clone();
        damaged[place] ^= 4;
        assert_eq!(refused(&damaged), BadCheckpoint::Damaged, "{place}");
    }
    for other in [crossing_for_less(), bundled("nim"), bundled("hanoi")] {
        let found = attempt(&other, Some(&bytes), 0).0;
        let refused = Err(SolveError::Checkpoint(BadCheckpoint::Other));
        assert_eq!(found.map(|solution| solution.values), refused);
    }
}

#[test]
fn a_listing_goes_on_from_any_moment_to_the_same_answer() {
    for name in ["tic-tac-toe", "three-mens-morris"] {
        let game = bundled(name);
        let listed =
            |resume: Option<&[u8]>, patience| attempt_by(Choice::Listing, &game, resume, patience);
        let whole = listed(None, usize::MAX).0.expect("it has a value");
        let mut moments = 0;
        for patience in [0, 1, 3] {
            let (Ok(cut_short), Some(kept)) = listed(None, patience) else { break };
            assert!(cut_short.unfinished.is_some() && is_checkpoint(&kept));
            for choice in [Choice::Listing, Choice::Auto] {
                let found = attempt_by(choice, &game, Some(&kept), usize::MAX).0.unwrap();
                assert_eq!((&found.values, &found.line), (&whole.values, &whole.line), "{name}");
                assert_eq!((found.meaning, found.states), (whole.meaning, whole.states), "{name}");
            }
            moments += 1;
        }
        assert_eq!(moments, 3, "{name}");
    }
}

#[test]
fn damaged_checkpoints_of_listings_and_those_of_others_are_refused() {
    let game = bundled("three-mens-morris");
    let bytes = attempt_by(Choice::Listing, &game, None, 0).1.expect("something is kept");
    let refused =
        |choice, game: &Game, bytes: &[u8]| match attempt_by(choice, game, Some(bytes), usize::MAX)
        {
            (Err(SolveError::Checkpoint(bad)), None) => bad,
            other => panic!("{other:?}"),
        };
    for part in 0..40 {
        let place = part * bytes.len() / 40;
        let mut damaged = bytes.clone();
        damaged[place] ^= 4;
        for bytes in [&bytes[..place], &damaged] {
            assert_eq!(refused(Choice::Listing, &game, bytes), BadCheckpoint::Damaged, "{place}");
        }
    }
    for other in ["nim", "hanoi", "goofspiel"].map(bundled) {
        assert_eq!(refused(Choice::Listing, &other, &bytes), BadCheckpoint::Other);
    }
    assert_eq!(refused(Choice::Search, &game, &bytes), BadCheckpoint::Other);
}
