//! Games in phases, solved phase by phase, held to a judge that looks at every position of the whole.
//!
//! `GAMBOL_CASES` says how many generated games, `GAMBOL_SEED` from which on.

mod compound;

use gambol_net::{Net, NetEngine};
use gambol_sim::{Circuit, CompileOptions};
use gambol_solve::{Choice, Method, Solution, SolveError, SolveOptions, Use, solve};

use crate::compound::Compound;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn solved(net: &Net, options: &SolveOptions) -> Result<Solution, SolveError> {
    let circuit = Circuit::compile(net, &CompileOptions::default()).expect("the net is small");
    solve(net, &circuit, options)
}

fn by(choice: Choice) -> SolveOptions {
    let mut options = SolveOptions::default();
    options.choice = choice;
    options
}

/// The goals at the end of a line of play.
fn goals_after(net: &Net, solution: &Solution) -> Vec<Option<u32>> {
    let mut engine = NetEngine::new(net);
    let mut state = engine.initial();
    for joint in &solution.line {
        state = engine.next(&state, joint);
    }
    assert!(engine.terminal(&state), "a line leads to an end");
    engine.goals(&state).iter().copied().collect()
}

#[test]
fn a_game_solved_phase_by_phase_has_the_value_of_the_whole() {
    let (first, cases) = (number("GAMBOL_SEED", 1), number("GAMBOL_CASES", 60));
    let mut answered = 0;
    for seed in first..first + cases {
        let game = Compound::of(seed);
        let net = game.net();
        let Ok(solution) = solved(&net, &by(Choice::Phased)) else { continue };
        answered += 1;
        let value = game.value();
        let values: Vec<Option<u32>> = match game.roles() {
            1 => vec![Some(value)],
            _ => vec![Some(value), Some(100 - value)],
        };
        let found: Vec<Option<u32>> = solution
            .values
            .iter()
            .map(|bounds| bounds.value().and_then(|value| u32::try_from(value.whole()?).ok()))
            .collect();
        assert_eq!(found, values, "seed {seed}: {game:?}");
        assert_eq!(goals_after(&net, &solution), values, "seed {seed}: {game:?}");
        assert_eq!(solution.method, Method::Phased);
    }
    assert!(2 * answered >= cases, "only {answered} of {cases} games were taken");
}

/// The net of a bundled game.
fn bundled(name: &str) -> Net {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(path).expect("it is bundled");
    let rules = gambol_syntax::read(&text, &Default::default()).rules.expect("it parses");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("it grounds");
    gambol_net::simplify(&gambol_net::build(&ground).expect("it is a net"))
}

#[test]
fn a_board_that_is_cleared_for_the_next_stage_is_solved_stage_by_stage() {
    let net = bundled("line-then-apart");
    let (phases, whole) = (solved(&net, &by(Choice::Phased)), solved(&net, &by(Choice::Listing)));
    let (phases, whole) = (phases.expect("it has phases"), whole.expect("it is small"));
    assert_eq!(phases.values, whole.values);
}

#[test]
fn heaps_that_share_one_heap_are_solved_with_a_tenth_of_the_nodes() {
    let net = bundled("locked-heaps");
    let phases = solved(&net, &by(Choice::Phased)).expect("it has phases");
    assert!(phases.is_exact());
    let mut options = by(Choice::Search);
    options.shortcuts.phases = Use::Never;
    options.limits.time = Some(std::time::Duration::from_secs(3));
    let whole = solved(&net, &options).expect("it is a game of two players");
    assert!(whole.nodes > 10 * phases.nodes, "{} and {} nodes", whole.nodes, phases.nodes);
}

#[test]
fn a_game_without_crossing_points_is_refused() {
    let refused = solved(&bundled("tic-tac-toe"), &by(Choice::Phased));
    assert!(matches!(refused, Err(SolveError::Method { method: "phases", .. })));
}
