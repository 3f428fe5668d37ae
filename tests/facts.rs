//! Every engine satisfies what is known of every bundled game.

use std::collections::{BTreeMap, BTreeSet};

use gambol::sim::{Amount, PlayoutOptions, playouts};
use gambol::{Engine, EngineKind, Facts, Game, State, bundled_games};

fn for_each_game(check: impl Fn(&str, &Game, &Facts)) {
    for bundled in bundled_games() {
        let name = bundled.name();
        let facts = bundled.facts().unwrap_or_else(|error| panic!("{name}: {error}"));
        let game = Game::bundled(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        check(name, &game, &facts);
    }
}

fn for_each_engine(check: impl Fn(&str, &mut dyn Engine, &Facts)) {
    for_each_game(|name, game, facts| {
        for kind in EngineKind::ALL {
            let context = format!("{name} on {}", kind.as_str());
            let mut engine = game.engine(kind).unwrap_or_else(|error| panic!("{context}: {error}"));
            check(&context, engine.as_mut(), facts);
        }
    });
}

#[test]
fn roles_and_first_moves_are_as_stated() {
    for_each_engine(|context, engine, facts| {
        assert_eq!(engine.roles(), facts.roles, "{context}");
        let start = engine.initial().unwrap();
        let legal = engine.legal(&start).unwrap();
        let counts: BTreeMap<String, u64> =
            facts.roles.iter().cloned().zip(legal.iter().map(|moves| moves.len() as u64)).collect();
        assert_eq!(counts, facts.initial_legal, "{context}");
    });
}

#[test]
fn solutions_lead_where_they_say() {
    for_each_engine(|context, engine, facts| {
        if facts.solution.is_empty() {
            return;
        }
        let mut state = engine.initial().unwrap();
        for joint in &facts.solution {
            assert!(!engine.terminal(&state).unwrap(), "{context}: over before {joint:?}");
            let legal = engine.legal(&state).unwrap();
            for (action, legal) in joint.iter().zip(&legal) {
                assert!(legal.contains(action), "{context}: {action} is not legal");
            }
            state = engine.next(&state, joint).unwrap();
        }
        assert!(engine.terminal(&state).unwrap(), "{context}: not over");
        let goals = engine.goals(&state).unwrap();
        let found: BTreeMap<String, u32> = facts
            .roles
            .iter()
            .cloned()
            .zip(goals.into_iter().map(|goal| goal.expect("one goal value")))
            .collect();
        assert_eq!(found, facts.final_goals, "{context}");
    });
}

/// The interpreter counts fewer paths in the same time.
fn affordable_paths(context: &str) -> u64 {
    if context.ends_with("reference") { 3_000 } else { 30_000 }
}

#[test]
fn paths_from_the_start_are_as_many_as_stated() {
    for_each_engine(|context, engine, facts| {
        let start = engine.initial().unwrap();
        // A state reached in several ways is expanded once and counted with its multiplicity.
        let mut layer = BTreeMap::from([(start, 1u64)]);
        for (depth, &expected) in facts.paths_by_depth.iter().enumerate() {
            if expected > affordable_paths(context) {
                break;
            }
            layer = successors(engine, &layer);
            let found: u64 = layer.values().sum();
            assert_eq!(found, expected, "{context}, depth {}", depth + 1);
        }
    });
}

fn successors(engine: &mut dyn Engine, layer: &BTreeMap<State, u64>) -> BTreeMap<State, u64> {
    let mut next = BTreeMap::new();
    for (state, paths) in layer {
        for joint in joint_moves(engine, state) {
            *next.entry(engine.next(state, &joint).unwrap()).or_default() += paths;
        }
    }
    next
}

fn joint_moves(engine: &mut dyn Engine, state: &State) -> Vec<Vec<String>> {
    if engine.terminal(state).unwrap() {
        return Vec::new();
    }
    let mut joints = vec![Vec::new()];
    for moves in engine.legal(state).unwrap() {
        let extended = |joint: &Vec<String>| {
            let joint = joint.clone();
            moves.clone().into_iter().map(move |action| [joint.as_slice(), &[action]].concat())
        };
        joints = joints.iter().flat_map(extended).collect();
    }
    joints
}

#[test]
fn small_games_have_as_many_states_as_stated() {
    const AFFORDABLE: u64 = 6_000;
    for_each_game(|name, game, facts| {
        let Some(expected) = facts.states.filter(|&states| states <= AFFORDABLE) else { return };
        let mut engine = game.engine(EngineKind::Circuit).unwrap();
        let start = engine.initial().unwrap();
        let mut seen = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            for joint in joint_moves(engine.as_mut(), &state) {
                let next = engine.next(&state, &joint).unwrap();
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        assert_eq!(seen.len() as u64, expected, "{name}");
    });
}

#[test]
fn random_games_are_as_long_as_stated() {
    for_each_game(|name, game, facts| {
        let Some(expected) = facts.mean_length else { return };
        let options = PlayoutOptions {
            amount: Amount::Playouts(10_000),
            seed: 3,
            threads: 1,
            ..PlayoutOptions::default()
        };
        let tally = playouts(game.circuit().unwrap(), &options);
        let found = tally.mean_length();
        let difference = (found - expected.mean).abs();
        assert!(difference <= expected.tolerance, "{name}: {found} against {}", expected.mean);
        assert_eq!((tally.stuck, tally.capped, tally.undefined_goals), (0, 0, 0), "{name}");
    });
}
