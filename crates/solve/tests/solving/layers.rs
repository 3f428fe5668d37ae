//! Strong solutions layer by layer: they agree with listings, survive accidents, and notice damage.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gambol_solve::layers::{
    Answers, LayeredGame, MemoryShelf, Plan, Shelf, Stopped, StoreError, ask, solution, solve_alone,
};
use gambol_solve::{
    CircuitDynamics, Dynamics, Meaning, Solution, SolveOptions, Unfinished, look_at_all, solve,
    strong, strong_by_graph, strong_by_listing,
};

use crate::games::{Game, bundled, folder};

/// Bundled games of more states than this are left to longer runs.
const STATES: usize = 100_000;

/// The bundled games whose facts say that they have few states.
fn small_games() -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("the games are there") {
        let path = entry.expect("a folder").path();
        let facts = std::fs::read_to_string(path.join("facts.toml")).unwrap_or_default();
        let states = facts.lines().find_map(|line| line.strip_prefix("states = "));
        let states: Option<usize> = states.and_then(|count| count.trim().parse().ok());
        if states.is_some_and(|count| count <= STATES) {
            names.push(path.file_name().expect("a name").to_string_lossy().into_owned());
        }
    }
    names.sort();
    names
}

fn solved(
    game: &Game,
    options: &SolveOptions,
    shelf: &MemoryShelf,
) -> Result<Option<Plan>, Stopped> {
    let mut layered =
        LayeredGame::new(&game.net, &game.circuit, options).expect("nothing is hidden");
    solve_alone(&mut layered, shelf, &mut |_| {})
}

#[test]
fn classes_are_those_of_a_listing() {
    let (mut layered, mut graphs, mut lines) = (0, 0, 0);
    for name in small_games() {
        let game = bundled(&name);
        let hidden =
            !game.net.percepts.is_empty() || game.net.roles.iter().any(|role| &**role == "random");
        if hidden {
            continue;
        }
        let (options, shelf) = (SolveOptions::default(), MemoryShelf::new());
        let plan =
            solved(&game, &options, &shelf).unwrap_or_else(|stopped| panic!("{name}: {stopped}"));
        let listed = strong_by_listing(&game.net, &game.circuit, &options);
        let Ok(Ok(listed)) = listed else { continue };
        if let Some(plan) = plan {
            let answers = Answers::new(&plan, &shelf).expect("files");
            assert_eq!(answers.classes().expect("files"), listed, "{name}");
            layered += 1;
        }
        for symmetry in [false, true] {
            let mut options = SolveOptions::default();
            options.symmetry = symmetry;
            let graph = strong_by_graph(&game.net, &game.circuit, &options, u64::MAX);
            if let Ok(Ok(Some((classes, value)))) = graph {
                assert_eq!(classes, listed, "{name} as a graph, symmetry {symmetry}");
                graphs += 1;
                if let Some(value) = value {
                    is_best_play(&name, &game, &value);
                    lines += 1;
                }
            }
        }
        let seen = look_at_all(&game.net, &game.circuit, &options).expect("nothing is hidden");
        if let Some((classes, Some(value))) = seen {
            assert_eq!(classes, listed, "{name} at one look");
            is_best_play(&name, &game, &value);
        }
    }
    assert!(layered >= 25, "{layered}");
    assert!(graphs >= 60, "{graphs}");
    assert!(lines >= 40, "{lines}");
}

/// The value is what the game is solved to in other ways, and a line comes to an end that is worth it; for one role it
/// is as short as any.
fn is_best_play(name: &str, game: &Game, value: &Solution) {
    let known = solve(&game.net, &game.circuit, &SolveOptions::default()).expect("a value");
    assert_eq!((&value.values, value.meaning), (&known.values, known.meaning), "{name}");
    if !matches!(value.meaning, Meaning::Best | Meaning::Opposed) || value.line.is_empty() {
        return;
    }
    if value.shortest && known.shortest {
        assert_eq!(value.line.len(), known.line.len(), "{name}");
    }
    let mut dynamics = CircuitDynamics::new(&game.net, &game.circuit);
    let (mut state, width) = (dynamics.start(), dynamics.width());
    for joint in &value.line {
        let looks = dynamics.look(&state);
        let legal = |role: usize| looks.moves(0, role).contains(&joint[role].number());
        assert!(!looks.over(0) && (0..looks.roles()).all(legal), "{name}");
        let joint: Vec<u32> = joint.iter().map(|action| action.number()).collect();
        state = dynamics.step(&state, &joint);
        assert_eq!(state.len(), width);
    }
    let looks = dynamics.look(&state);
    assert!(looks.over(0), "{name}");
    for (goal, bounds) in looks.goals(0).iter().zip(&value.values) {
        assert_eq!(goal.value().map(Into::into), bounds.value(), "{name}");
    }
}

#[test]
fn a_game_that_has_no_room_as_a_graph_is_solved_layer_by_layer() {
    let game = bundled("connect-four-4x4");
    let mut options = SolveOptions::default();
    let classes = |options: &SolveOptions| strong(&game.net, &game.circuit, options);
    let all = classes(&options);
    options.limits.memory_mib = 3;
    let graph = strong_by_graph(&game.net, &game.circuit, &options, u64::MAX);
    assert!(matches!(graph, Ok(Ok(None))), "{graph:?}");
    assert!(matches!(&all, Ok(Ok(classes)) if !classes.is_empty()));
    assert_eq!(format!("{:?}", classes(&options)), format!("{all:?}"));
}

#[test]
fn a_run_that_was_stopped_goes_on_and_ends_with_the_same_bytes() {
    let game = bundled("tic-tac-toe");
    let whole = MemoryShelf::new();
    solved(&game, &SolveOptions::default(), &whole).expect("no accident").expect("layers");
    let shelf = MemoryShelf::new();
    let mut stops = 0;
    loop {
        // Every layer is the last of its run.
        let mut options = SolveOptions::default();
        let stop = Arc::new(AtomicBool::new(false));
        options.limits.stop = Some(stop.clone());
        let mut layered =
            LayeredGame::new(&game.net, &game.circuit, &options).expect("nothing is hidden");
        match solve_alone(&mut layered, &shelf, &mut |_| stop.store(true, Ordering::Relaxed)) {
            Err(Stopped::Limit(Unfinished::Time)) => stops += 1,
            finished => break assert!(finished.expect("no accident").is_some()),
        }
    }
    assert!(stops >= 18, "{stops}");
    assert_eq!(contents(&shelf), contents(&whole));
}

fn contents(shelf: &MemoryShelf) -> Vec<(String, Vec<u8>)> {
    let names = shelf.names().expect("names");
    names
        .into_iter()
        .map(|name| (name.clone(), shelf.read(&name, 0..u64::MAX).expect("a file")))
        .collect()
}

#[test]
fn every_state_can_be_asked_and_best_moves_come_first() {
    let game = bundled("tic-tac-toe");
    let (options, shelf) = (SolveOptions::default(), MemoryShelf::new());
    let plan = solved(&game, &options, &shelf).expect("no accident").expect("layers");
    let answers = Answers::new(&plan, &shelf).expect("files");
    let Game { net, circuit, .. } = &game;
    let mut state = circuit.initial().words().to_vec();
    let known = solution(&answers, net, circuit, &state).expect("files").expect("a value");
    assert!(known.is_exact() && known.line.len() == 9);
    // Along the line the value stays what it is, and no move is better.
    while let Some(asked) = ask(&answers, net, circuit, &state).expect("files") {
        let values = asked.answer.values.expect("a value");
        let best = asked.moves.first().and_then(|made| made.values.clone());
        assert!(best.is_none_or(|best| best == values));
        let Some(made) = asked.moves.first() else { break };
        let before = circuit.state_of(&held(&state));
        state = gambol_sim::Evaluator::new(circuit).next(&before, &made.joint).words().to_vec();
    }
    state.fill(0);
    assert_eq!(ask(&answers, net, circuit, &state), Ok(None));
}

fn held(state: &[u64]) -> Vec<gambol_net::FluentId> {
    let bits = (0..64 * state.len()).filter(|bit| state[bit / 64] >> (bit % 64) & 1 == 1);
    bits.map(|bit| gambol_net::FluentId::new(bit as u32)).collect()
}

#[test]
fn damaged_missing_and_foreign_files_are_named() {
    let game = bundled("tic-tac-toe");
    let options = SolveOptions::default();
    let shelf = MemoryShelf::new();
    let plan = solved(&game, &options, &shelf).expect("no accident").expect("layers");
    let name = "00004.0-of-1.keys";
    let good = shelf.read(name, 0..u64::MAX).expect("a file");
    let refused = |bytes: &[u8], of: &str| {
        shelf.put(of, bytes).expect("room");
        let answers = Answers::new(&plan, &shelf)?;
        answers.some_states(4, 1000, 1).and(answers.classes()).map(|_| ())
    };
    let mut altered = good.clone();
    *altered.last_mut().expect("bytes") ^= 1;
    assert_eq!(refused(&altered, name), Err(StoreError::Damaged(name.to_string())));
    assert_eq!(refused(&good[..good.len() - 3], name), Err(StoreError::Damaged(name.to_string())));
    assert_eq!(refused(&good[..10], name), Err(StoreError::Damaged(name.to_string())));
    let other = shelf.read("00003.0-of-1.keys", 0..u64::MAX).expect("a file");
    assert_eq!(refused(&other, name), Err(StoreError::Other(name.to_string())));
    assert_eq!(refused(&good, name), Ok(()));
    shelf.remove(name).expect("it was there");
    let answers = Answers::new(&plan, &shelf).expect("marks");
    assert_eq!(answers.some_states(4, 1000, 1), Err(StoreError::Missing(name.to_string())));
    // Another game does not touch it.
    let foreign = solved(&bundled("hex-3x3"), &options, &shelf);
    assert_eq!(foreign.err(), Some(Stopped::Store(StoreError::Other("plan.json".to_string()))));
}
