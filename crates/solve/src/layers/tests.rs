//! Codes give back what they were given, and a state without a code stops a run by its name.

use gambol_index::Id;
use gambol_net::Net;
use gambol_sim::{Circuit, CompileOptions};

use super::plan::Planner;
use super::*;
use crate::circuit_dynamics::CircuitDynamics;
use crate::problem::Task;
use crate::{Dynamics, SolveOptions, StrongClass, list};

fn bundled(name: &str) -> (Net, Circuit) {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    of_rules(&std::fs::read(path).expect("the rules are there"))
}

fn of_rules(text: &[u8]) -> (Net, Circuit) {
    let rules = gambol_syntax::read(text, &Default::default()).rules.expect("they parse");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("they ground");
    let net = gambol_net::simplify(&gambol_net::build(&ground).expect("they make a net"));
    let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("and a circuit");
    (net, circuit)
}

/// For each state of a game how many steps lead to it.
fn depths(net: &Net, circuit: &Circuit) -> Vec<(Vec<u64>, u32)> {
    let mut game = CircuitDynamics::new(net, circuit);
    let start = game.start();
    let listing = list(&mut game, &start, &Default::default()).expect("few states");
    let mut depths = vec![u32::MAX; listing.len()];
    depths[0] = 0;
    for state in listing.states() {
        for next in listing.successors(state) {
            depths[next.index()] = depths[next.index()].min(depths[state.index()] + 1);
        }
    }
    listing
        .states()
        .map(|state| (listing.store.row(state).to_vec(), depths[state.index()]))
        .collect()
}

#[test]
fn what_is_coded_is_decoded_and_no_two_states_of_a_layer_share_a_key() {
    let games = [
        "tic-tac-toe",
        "connect-four-4x4",
        "peg-solitaire",
        "eight-queens",
        "goofspiel",
        "hanoi",
        "dots-and-boxes",
        "pursuit",
        "blocks-world",
        "light-cycles",
        "prisoners-dilemma",
        "hex-3x3",
    ];
    for name in games {
        let (net, circuit) = bundled(name);
        let options = SolveOptions::default();
        let start = CircuitDynamics::new(&net, &circuit).start();
        let task = Task { net: &net, circuit: &circuit, start: &start, options: &options };
        let mut planner = Planner::new(&task);
        let mut plan = planner.plan(&task, false).expect("a game for layers");
        let states = depths(&net, &circuit);
        // A state without a code is named, and the next plan has one for it.
        let coded = |plan: &Plan, state: &[u64], depth: u32| {
            let moment = plan.code.moment(state, &start, depth);
            plan.key(state, &moment).map(|key| (key, plan.code.decode(key, &moment)))
        };
        while let Some((state, depth)) =
            states.iter().find(|(state, depth)| coded(&plan, state, *depth).is_none())
        {
            planner.learn(state, *depth);
            plan = planner.plan(&task, false).expect("a better plan");
        }
        let mut keys = std::collections::BTreeSet::new();
        for (state, depth) in &states {
            let (key, decoded) = coded(&plan, state, *depth).expect("a code");
            assert_eq!(&decoded, state, "{name}");
            assert!(key >> plan.bits() == 0 && keys.insert((depth, key)), "{name}");
        }
        assert_eq!(
            plan.to_bytes(),
            Plan::from_bytes(&plan.to_bytes(), "a plan").expect("a plan").to_bytes()
        );
    }
}

#[test]
fn a_sample_that_is_too_thin_stops_the_run_and_names_the_state() {
    let (net, circuit) = bundled("tic-tac-toe");
    let options = SolveOptions::default();
    let mut game = LayeredGame::new(&net, &circuit, &options).expect("a game");
    let thin = super::plan::thin_plan(&net, &circuit, &options);
    let shelf = MemoryShelf::new();
    let limits = options.limits.clone();
    let setting = Setting { plan: &thin, shelf: &shelf, limits: &limits, process: 0, marks: true };
    let stopped = game.work(setting, &mut Alone, &mut |_| {}).expect_err("a state without a code");
    let Stopped::Uncoded { state, depth, .. } = &stopped else { panic!("{stopped}") };
    assert!(*depth > 0 && state.contains("(cell "), "{stopped}");
    assert!(game.learn(&stopped));
}

/// How many states a game has, how many are stored, and its classes.
fn classes(net: &Net, circuit: &Circuit, symmetry: bool) -> (u64, u64, Vec<StrongClass>) {
    let options = SolveOptions { symmetry, ..SolveOptions::default() };
    let mut game = LayeredGame::new(net, circuit, &options).expect("a game").returning();
    let shelf = MemoryShelf::new();
    let plan = solve_alone(&mut game, &shelf, &mut |_| {}).expect("no accident").expect("a code");
    let answers = Answers::new(&plan, &shelf).expect("answers");
    assert!(answers.is_complete());
    (answers.states(), answers.stored(), answers.classes().expect("classes"))
}

#[test]
fn with_symmetries_fewer_states_are_listed_and_as_many_are_counted() {
    let games = [
        ("tic-tac-toe", 765),
        ("connect-four-4x4", 80_541),
        ("three-mens-morris", 5_436),
        ("peg-solitaire", 1_544),
    ];
    for (name, stored) in games {
        let (net, circuit) = bundled(name);
        let (states, all, expected) = classes(&net, &circuit, false);
        assert_eq!(states, all, "{name}");
        assert_eq!(classes(&net, &circuit, true), (states, stored, expected), "{name}");
    }
}

#[test]
fn a_symmetric_store_knows_the_images_of_its_states() {
    let (net, circuit) = bundled("tic-tac-toe");
    let options = SolveOptions { symmetry: true, ..SolveOptions::default() };
    let mut game = LayeredGame::new(&net, &circuit, &options).expect("a game");
    let shelf = MemoryShelf::new();
    let plan = solve_alone(&mut game, &shelf, &mut |_| {}).expect("no accident").expect("layers");
    let answers = Answers::new(&plan, &shelf).expect("answers");
    let values = crate::state_values(&net, &circuit, &SolveOptions::default());
    let values = values.expect("a game").expect("few states");
    for state in values.listing.states() {
        let answer = answers.of(values.listing.store.row(state)).expect("files").expect("listed");
        let found: Vec<_> = answer.values.expect("values").iter().map(|one| one.value()).collect();
        assert_eq!(found, values.values(state));
    }
}

#[test]
fn a_layer_larger_than_memory_is_done_in_passes_with_the_same_bytes() {
    let (net, circuit) = bundled("connect-four-5x4");
    let filled = |mib: u64| {
        let mut options = SolveOptions { symmetry: true, ..SolveOptions::default() };
        options.limits.memory_mib = mib;
        let mut game = LayeredGame::new(&net, &circuit, &options).expect("a game");
        let (shelf, mut passes) = (MemoryShelf::new(), [1, 1]);
        let plan = solve_alone(&mut game, &shelf, &mut |done| {
            let most = &mut passes[usize::from(done.solved)];
            *most = done.passes.max(*most);
        });
        let plan = plan.expect("no accident").expect("layers");
        let layers = Answers::new(&plan, &shelf).expect("answers").layers().expect("layers");
        let digests: Vec<_> = layers.into_iter().map(|layer| layer.digests).collect();
        (passes, digests)
    };
    let ([there, back], narrow) = filled(1);
    assert!(there > 1 && back > 1, "{there} {back}");
    assert_eq!(filled(1000), ([1, 1], narrow));
}

#[test]
fn chance_is_taken_on_average_layer_by_layer() {
    // A die with the faces 1 and 3 is thrown; then the player keeps it, or throws a coin for nothing or 6.
    let rules = b"(role player) (role random) (init start)
        (<= (legal random (throw 1)) (true start)) (<= (legal random (throw 3)) (true start))
        (<= (legal player wait) (true start)) (<= (legal player wait) (true tossing))
        (<= (next (face ?n)) (does random (throw ?n)))
        (<= (legal player keep) (true (face ?n))) (<= (legal player toss) (true (face ?n)))
        (<= (legal random wait) (true (face ?n)))
        (<= (next (over ?n)) (true (face ?n)) (does player keep)) (<= (next tossing) (does player toss))
        (<= (legal random heads) (true tossing)) (<= (legal random tails) (true tossing))
        (<= (next (over 0)) (does random tails)) (<= (next (over 6)) (does random heads))
        (<= terminal (true (over ?n)))
        (<= (goal player 10) (true (over 1))) (<= (goal player 30) (true (over 3)))
        (<= (goal player 0) (true (over 0))) (<= (goal player 60) (true (over 6)))
        (goal random 0)";
    let (net, circuit) = of_rules(rules);
    let options = SolveOptions::default();
    let mut game = LayeredGame::new(&net, &circuit, &options).expect("a game");
    let shelf = MemoryShelf::new();
    let plan = solve_alone(&mut game, &shelf, &mut |_| {}).expect("no accident");
    // With (over n) after two steps or three, a state tells its step only if no number repeats; 1 and 3 come after two,
    // 0 and 6 after three.
    let plan = plan.expect("a game for layers");
    let answers = Answers::new(&plan, &shelf).expect("answers");
    let solution =
        solution(&answers, &net, &circuit, game.start()).expect("files").expect("a value");
    assert_eq!(solution.values[0].value(), Some(30.into()));
}
