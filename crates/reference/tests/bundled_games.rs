//! The bundled games: what an exhaustive search says of them, and that it does not matter how
//! relations are evaluated.

use std::fs;
use std::path::{Path, PathBuf};

use gambol_reference::{Budget, Interpreter, explore};
use gambol_syntax::{ReadOptions, read};

fn games() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let mut games: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    games.retain(|path| path.join("rules.kif").exists());
    games.sort();
    games
}

fn load(path: &Path, listing: u64) -> Interpreter {
    let rules = read(&fs::read(path.join("rules.kif")).unwrap(), &ReadOptions::default()).rules;
    let budget = Budget { listing, ..Budget::default() };
    Interpreter::with_budget(&rules.unwrap(), budget).unwrap()
}

/// A random game as text.
fn random_game(game: &mut Interpreter) -> (Vec<Vec<String>>, Vec<String>, Vec<Option<u32>>) {
    let playout = game.playout(3, 20).unwrap();
    let joint = |joint: &Vec<_>| joint.iter().map(|&term| game.text(term)).collect();
    let moves = playout.moves.iter().map(joint).collect();
    (moves, game.sorted_texts(playout.end.fluents()), playout.goals)
}

#[test]
fn listing_relations_and_calling_them_give_the_same_games() {
    for path in games() {
        let listed = random_game(&mut load(&path, u64::MAX));
        let called = random_game(&mut load(&path, 0));
        assert_eq!(listed, called, "{path:?}");
    }
}

#[test]
fn tic_tac_toe_has_5478_states_and_no_fault() {
    let path = games().into_iter().find(|path| path.ends_with("tic-tac-toe")).unwrap();
    let report = explore(&mut load(&path, 40_000), 10_000);
    assert!(report.complete, "{report:?}");
    assert_eq!((report.states, report.terminal_states), (5_478, 958));
    let faults = report.findings.iter().filter(|finding| finding.fault.is_error());
    assert_eq!(faults.count(), 0, "{:?}", report.findings);
}
