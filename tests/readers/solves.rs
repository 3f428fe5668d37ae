//! The files that solves and decompositions write: checkpoints, certificates, layers.
//!
//! Each is read as it was mutated, and once more with its digests made right: else no mutation would come past them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gambol::decompose::{DecomposeOptions, certify_cut, decompose};
use gambol::reference::Interpreter;
use gambol::solve::layers::{Answers, LayeredGame, MemoryShelf, Shelf, ask, solve_alone};
use gambol::solve::{
    Choice, Observer, SolveOptions, Unobserved, Use, certify, solve, solve_observed,
};
use gambol::syntax::ReadOptions;
use gambol::verify::{Certificate, VerifyOptions, verify};
use gambol::verify_cuts::{CheckOptions, CutCertificate, check_cut};
use gambol::{Game, bundled_game};

use crate::Reader;

pub(crate) fn readers() -> Vec<Reader> {
    let mut readers = vec![certificates(), cuts()];
    readers.extend(checkpoints());
    readers.extend(layers());
    readers
}

fn bundled(name: &str) -> Game {
    Game::read(&bundled_game(name).unwrap().rules(), &ReadOptions::default()).unwrap()
}

fn written(rules: &str) -> Game {
    Game::read(rules.as_bytes(), &ReadOptions::default()).unwrap()
}

/// Stops at the first checkpoint.
struct First(Arc<AtomicBool>, Option<Vec<u8>>);

impl Observer for First {
    fn checkpoint(&mut self, bytes: &[u8]) {
        self.1.get_or_insert_with(|| bytes.to_vec());
        self.0.store(true, Ordering::Relaxed);
    }

    fn checkpoint_pause(&self) -> Duration {
        Duration::ZERO
    }

    fn wants_checkpoints(&self) -> bool {
        true
    }
}

/// Eleven guesses: who is even wins six of them or more. What a solver does before it reads is soon done here.
const GUESSES: &str = "
    (role even) (role odd) (init (round 0)) (init (won 0))
    (then 0 1) (then 1 2) (then 2 3) (then 3 4) (then 4 5) (then 5 6) (then 6 7) (then 7 8) (then 8 9)
    (then 9 10) (then 10 11) (enough 6) (<= (enough ?n) (enough ?m) (then ?m ?n))
    (side 1) (side 2) (side 3) (side 4) (side 5) (side 6) (<= (legal ?r ?s) (role ?r) (side ?s))
    (<= (next (round ?n)) (true (round ?m)) (then ?m ?n))
    (<= same (does even ?s) (does odd ?s))
    (<= (next (won ?n)) (true (won ?m)) (then ?m ?n) same)
    (<= (next (won ?m)) (true (won ?m)) (not same))
    (<= terminal (true (round 11))) (<= ahead (true (won ?n)) (enough ?n))
    (<= (goal even 100) ahead) (<= (goal even 0) (not ahead))
    (<= (goal odd 0) ahead) (<= (goal odd 100) (not ahead))";

/// One for each kind: plans, mixtures, listings. (Tables of alpha-beta are read in their own tests.)
fn checkpoints() -> impl Iterator<Item = Reader> {
    let kinds = [
        ("checkpoints of plans", bundled("wolf-goat-cabbage"), Choice::Search),
        ("checkpoints of mixtures", written(GUESSES), Choice::Search),
        ("checkpoints of listings", bundled("nim-2-3-4"), Choice::Listing),
    ];
    kinds.into_iter().map(|(name, game, choice)| {
        let mut options = SolveOptions::default();
        let stop = Arc::new(AtomicBool::new(false));
        (options.choice, options.limits.stop) = (choice, Some(Arc::clone(&stop)));
        let mut first = First(stop, None);
        // To look for symmetries takes much longer than to read.
        options.shortcuts.symmetries = Use::Never;
        let (net, circuit) = (game.net().unwrap(), game.circuit().unwrap());
        solve_observed(net, circuit, &options, None, &mut first).unwrap();
        let kept = first.1.unwrap_or_else(|| panic!("{name}: nothing is kept"));
        let read = move |bytes: &[u8]| {
            let (net, circuit) = (game.net().unwrap(), game.circuit().unwrap());
            // Nothing is done but to read: the work is to stop at once.
            for bytes in [bytes.to_vec(), with_sum(bytes)] {
                drop(solve_observed(net, circuit, &options, Some(&bytes), &mut Unobserved));
            }
        };
        Reader { name, texts: vec![kept], read: Box::new(read) }
    })
}

/// The sum that tells damaged words.
fn sum(words: impl Iterator<Item = u64>) -> u64 {
    let step =
        |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    words.fold(0x243f_6a88_85a3_08d3, step)
}

/// A checkpoint whose last word is made right, cut to whole words.
fn with_sum(file: &[u8]) -> Vec<u8> {
    let words = file.as_chunks::<8>().0;
    let words = &words[..words.len().saturating_sub(1)];
    let sum = sum(words.iter().map(|&word| u64::from_le_bytes(word)));
    [words.as_flattened(), &sum.to_le_bytes()].concat()
}

fn certificates() -> Reader {
    let game = bundled("nim-2-3-4");
    let (net, circuit) = (game.net().unwrap(), game.circuit().unwrap());
    let options = SolveOptions::default();
    let solution = solve(net, circuit, &options).unwrap();
    let certificate = certify(net, circuit, &options, &solution).unwrap();
    let file = serde_json::to_vec(&certificate).unwrap();
    let interpreter = Interpreter::new(game.rules()).unwrap();
    let read = move |bytes: &[u8]| {
        let Ok(mut read) = serde_json::from_slice::<Certificate>(bytes) else { return };
        drop(verify(&interpreter, &read, VerifyOptions::default()));
        read.digest = read.compute_digest();
        drop(verify(&interpreter, &read, VerifyOptions::default()));
    };
    Reader { name: "certificates", texts: vec![file], read: Box::new(read) }
}

fn cuts() -> Reader {
    let game = bundled("four-lamps");
    let mut options = DecomposeOptions::default();
    options.prove = true;
    let net = game.net().unwrap();
    let found = decompose(net, &options);
    let certificate = certify_cut(net, &found, None).expect("it is proved");
    let file = serde_json::to_vec(&certificate).unwrap();
    let read = move |bytes: &[u8]| {
        let Ok(mut read) = serde_json::from_slice::<CutCertificate>(bytes) else { return };
        let mut interpreter = game.interpreter().unwrap();
        let options = CheckOptions::default();
        drop(check_cut(&mut interpreter, || game.net().ok(), &read, &options));
        read.digest = read.compute_digest();
        drop(check_cut(&mut interpreter, || game.net().ok(), &read, &options));
    };
    Reader { name: "certificates of parts", texts: vec![file], read: Box::new(read) }
}

/// One reader for each kind of file of a strong solution.
fn layers() -> impl Iterator<Item = Reader> {
    let kinds = [("keys of layers", ".keys"), ("values of layers", ".values")];
    kinds.into_iter().map(|(name, ending)| {
        let (game, shelf) = (bundled("tic-tac-toe"), MemoryShelf::new());
        let options = SolveOptions::default();
        let (net, circuit) = (game.net().unwrap(), game.circuit().unwrap());
        let mut layered = LayeredGame::new(net, circuit, &options).unwrap();
        let plan = solve_alone(&mut layered, &shelf, &mut |_| {}).unwrap().unwrap();
        drop(layered);
        let named = |file: &String| file.starts_with("00001.") && file.ends_with(ending);
        let file = shelf.names().unwrap().into_iter().find(named).unwrap();
        let whole = shelf.read(&file, 0..u64::MAX).unwrap();
        let start = circuit.initial().words().to_vec();
        let read = move |bytes: &[u8]| {
            let (net, circuit) = (game.net().unwrap(), game.circuit().unwrap());
            for bytes in [bytes.to_vec(), with_digests(bytes)] {
                shelf.put(&file, &bytes).unwrap();
                let Ok(answers) = Answers::new(&plan, &shelf) else { continue };
                drop((answers.some_states(1, 1000, 1), answers.classes()));
                drop(ask(&answers, net, circuit, &start));
            }
        };
        Reader { name, texts: vec![whole], read: Box::new(read) }
    })
}

/// A file of a layer, with the digests of its head and of its pieces made right.
fn with_digests(file: &[u8]) -> Vec<u8> {
    const HEAD: usize = 24;
    let Some(length) = file.get(8..16).and_then(|length| length.try_into().ok()) else {
        return file.to_vec();
    };
    let length = (u64::from_le_bytes(length) as usize).min(file.len().saturating_sub(HEAD));
    let (head, body) = file.get(HEAD..).unwrap_or_default().split_at(length);
    let head = match serde_json::from_slice::<serde_json::Value>(head) {
        Ok(mut read) => {
            for piece in read["pieces"].as_array_mut().into_iter().flatten() {
                let number = |key: &str| piece[key].as_u64().unwrap_or(0) as usize;
                let (start, size) = (number("offset"), number("bytes"));
                let bytes = body.get(start..start.saturating_add(size)).unwrap_or_default();
                piece["digest"] = digest(bytes).into();
            }
            serde_json::to_vec(&read).unwrap()
        }
        Err(_) => head.to_vec(),
    };
    let (length, sum) = ((head.len() as u64).to_le_bytes(), digest(&head).to_le_bytes());
    [&file[..8], &length, &sum, &head, body].concat()
}

fn digest(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|&word| u64::from_le_bytes(word));
    sum(words.chain([bytes.len() as u64]))
}
