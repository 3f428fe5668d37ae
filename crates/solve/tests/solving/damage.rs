//! Damage of every kind of file that a solve writes: checkpoints of each method, certificates, files of layers. What
//! is damaged is refused, or it is right all the same.
//!
//! `GAMBOL_CASES` says how many flips and truncations of each are tried.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gambol_reference::Interpreter;
use gambol_solve::layers::{Answers, LayeredGame, MemoryShelf, Shelf, ask, solve_alone};
use gambol_solve::{
    BadCheckpoint, Choice, Observer, SolveError, SolveOptions, certify, solve, solve_observed,
};
use gambol_verify::{Certificate, VerifyOptions, verify};

use crate::games::{Game, bundled, from_text};
use crate::values::CROSSING;

fn cases() -> usize {
    std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100)
}

/// Flips of one bit and truncations in turn, all over the file; a name for each.
fn damages(file: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> + '_ {
    (0..cases()).map(|case| {
        // Steps of a prime number come everywhere.
        let place = case * 7919 % file.len();
        if case % 4 == 3 {
            return (format!("cut off after {place} bytes"), file[..place].to_vec());
        }
        let mut damaged = file.to_vec();
        damaged[place] ^= 1 << (case % 8);
        (format!("bit {} of byte {place}", case % 8), damaged)
    })
}

/// Keeps the first checkpoint, as soon as there can be one, and lets the work stop there.
struct First {
    stop: Arc<AtomicBool>,
    kept: Option<Vec<u8>>,
}

impl Observer for First {
    fn checkpoint(&mut self, bytes: &[u8]) {
        self.kept.get_or_insert_with(|| bytes.to_vec());
        self.stop.store(true, Ordering::Relaxed);
    }

    fn checkpoint_pause(&self) -> Duration {
        Duration::ZERO
    }

    fn wants_checkpoints(&self) -> bool {
        true
    }
}

/// A solve that is stopped as soon as it keeps something, and what that is.
fn begun(
    choice: Choice,
    game: &Game,
    resume: Option<&[u8]>,
) -> (Option<SolveError>, Option<Vec<u8>>) {
    let stop = Arc::new(AtomicBool::new(false));
    let mut options = SolveOptions::default();
    (options.choice, options.limits.stop) = (choice, Some(Arc::clone(&stop)));
    let mut observer = First { stop, kept: None };
    let found = solve_observed(&game.net, &game.circuit, &options, resume, &mut observer);
    (found.err(), observer.kept)
}

#[test]
fn damaged_checkpoints_of_every_method_are_refused() {
    for (choice, game) in [
        (Choice::Search, bundled("eight-puzzle")),
        (Choice::Search, bundled("connect-four-5x5")),
        (Choice::Search, from_text(CROSSING.as_bytes())),
        (Choice::Listing, bundled("three-mens-morris")),
    ] {
        let (error, kept) = begun(choice, &game, None);
        let kept = kept.unwrap_or_else(|| panic!("{choice:?} keeps nothing: {error:?}"));
        assert!(kept.len() > 24);
        assert_eq!(begun(choice, &game, Some(&kept)).0, None);
        for (what, damaged) in damages(&kept) {
            let refused = begun(choice, &game, Some(&damaged)).0;
            let wanted = SolveError::Checkpoint(BadCheckpoint::Damaged);
            assert_eq!(refused, Some(wanted), "{choice:?}: {what}");
        }
    }
}

#[test]
fn damaged_certificates_are_refused_or_say_the_same() {
    for name in ["nim-2-3-4", "four-lamps", "hanoi", "rock-paper-scissors", "odd-one-out"] {
        let (game, options) = (bundled(name), SolveOptions::default());
        let solution = solve(&game.net, &game.circuit, &options).expect("it has a value");
        let whole = certify(&game.net, &game.circuit, &options, &solution).expect("it is proved");
        let interpreter = Interpreter::new(&game.rules).expect("it can be interpreted");
        let file = serde_json::to_vec(&whole).expect("it can be written");
        for (what, damaged) in damages(&file) {
            let Ok(read) = serde_json::from_slice::<Certificate>(&damaged) else { continue };
            let accepted = verify(&interpreter, &read, VerifyOptions::default()).is_ok();
            assert!(!accepted || read.value == whole.value, "{name}: {what}");
        }
    }
}

#[test]
fn damaged_files_of_layers_are_refused_or_answer_the_same() {
    let (game, options, shelf) =
        (bundled("tic-tac-toe"), SolveOptions::default(), MemoryShelf::new());
    let mut layered =
        LayeredGame::new(&game.net, &game.circuit, &options).expect("nothing is hidden");
    let plan = solve_alone(&mut layered, &shelf, &mut |_| {}).expect("no accident");
    let plan = plan.expect("it has layers");
    let start = game.circuit.initial().words().to_vec();
    let answer = || {
        let answers = Answers::new(&plan, &shelf).ok()?;
        let asked = ask(&answers, &game.net, &game.circuit, &start).ok()??;
        Some((asked.answer.values, answers.classes().ok()?))
    };
    let right = answer().expect("an answer");
    for name in shelf.names().expect("names") {
        let whole = shelf.read(&name, 0..u64::MAX).expect("a file");
        for (what, damaged) in damages(&whole) {
            shelf.put(&name, &damaged).expect("room");
            assert!(answer().is_none_or(|found| found == right), "{name}: {what}");
        }
        shelf.put(&name, &whole).expect("room");
    }
    assert_eq!(answer(), Some(right));
}
