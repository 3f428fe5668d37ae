//! Games as automata: the same play as the circuit's, the same values as exhaustive search.

use gambol_analysis::{ShapeOptions, shape};
use gambol_net::{MoveId, Net};
use gambol_regress::{
    Automaton, Exhaustive, GameAutomaton, GameError, Limits, Listed, Options, Preferences,
    automaton_of_game, compare_with_circuit, find_policy,
};
use gambol_sim::{Circuit, CompileOptions, Evaluator, State};
use std::collections::HashMap;

fn net(name: &str) -> Net {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(path).expect("the game is bundled");
    let reading = gambol_syntax::read(&text, &gambol_syntax::ReadOptions::default());
    let rules =
        gambol_syntax::repair(reading.rules.expect("it parses")).rules.expect("it is valid");
    let ground = gambol_ground::instantiate(&rules, &gambol_ground::Limits::default());
    gambol_net::build(&ground.expect("it can be grounded")).expect("it has a net")
}

fn automaton(name: &str, net: &Net) -> Result<GameAutomaton, GameError> {
    let shape = shape(net, &ShapeOptions::default());
    automaton_of_game(name, net, &shape, &Limits::default())
}

/// Plays both, then compares the value of every reachable state with exhaustive induction on the
/// automaton and that of the start with plain minimax on the circuit.
fn check(name: &str, states: usize) -> Automaton {
    let net = net(name);
    let game = automaton(name, &net).expect("it can be treated");
    let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("it compiles");
    let compared = compare_with_circuit(&game, &net, &circuit, 100, 1).expect("they agree");
    assert!(compared > 100);
    let automaton = &game.automaton;
    let preferences = Preferences::of(automaton, false);
    let judge =
        Exhaustive::solve(automaton, &preferences, Listed::Reachable, 1 << 20, &Limits::default());
    let judge = judge.expect("it is small");
    let options = Options { only_start: true, ..Options::default() };
    let policy = find_policy(automaton, &options, &mut |_| ()).expect("it can be solved").policy;
    let mut met = 0;
    for (node, state, value) in judge.iter().filter(|entry| automaton.agent_of(entry.0).is_some()) {
        met += 1;
        if let Some(answer) = policy.query(node, state) {
            assert_eq!(answer.value, value, "{}", automaton.describe(node, state));
        }
    }
    assert_eq!(met, states, "{name}");
    let value = policy.start_value().expect("it was asked for");
    let expected = Minimax::new(&net, &circuit).value(&circuit.initial());
    let found: Vec<i64> = automaton.outcomes[value.outcome].rewards.iter().copied().collect();
    assert_eq!(found[0], expected[0]);
    game.automaton
}

/// Every role for itself; enough for one role, and for two that are opposed.
struct Minimax<'a> {
    net: &'a Net,
    evaluator: Evaluator<'a>,
    known: HashMap<State, Vec<i64>>,
}

impl<'a> Minimax<'a> {
    fn new(net: &'a Net, circuit: &'a Circuit) -> Self {
        Self { net, evaluator: Evaluator::new(circuit), known: HashMap::new() }
    }

    fn value(&mut self, state: &State) -> Vec<i64> {
        if let Some(value) = self.known.get(state) {
            return value.clone();
        }
        if self.evaluator.terminal(state) {
            let goals = self.evaluator.goals(state);
            return goals.iter().map(|goal| i64::from(goal.expect("a goal"))).collect();
        }
        let legal = self.evaluator.legal(state);
        let of = |role| -> Vec<MoveId> {
            legal.iter().copied().filter(|&action| self.net.moves[action].role == role).collect()
        };
        let moves: Vec<Vec<MoveId>> = self.net.roles.ids().map(of).collect();
        let chooser = moves.iter().position(|moves| moves.len() > 1).unwrap_or(0);
        let mut best: Option<Vec<i64>> = None;
        for &action in &moves[chooser] {
            let mut joint: Vec<MoveId> = moves.iter().map(|moves| moves[0]).collect();
            joint[chooser] = action;
            let next = self.evaluator.next(state, &joint);
            let value = self.value(&next);
            if best.as_ref().is_none_or(|best| value[chooser] > best[chooser]) {
                best = Some(value);
            }
        }
        let best = best.expect("somebody can move");
        self.known.insert(state.clone(), best.clone());
        best
    }
}

#[test]
fn tic_tac_toe_from_its_rules() {
    let automaton = check("tic-tac-toe", 5478);
    assert_eq!((automaton.variables.len(), automaton.choice_nodes().count()), (9, 2));
}

#[test]
fn nim_from_its_rules() {
    check("nim-2-3-4", 112);
}

#[test]
fn one_player_from_its_rules() {
    check("buttons-and-lights", 32);
}

#[test]
fn simultaneous_choice_is_refused_with_the_reason() {
    for name in ["rock-paper-scissors", "prisoners-dilemma", "light-cycles"] {
        let error = automaton(name, &net(name)).expect_err("both choose at once");
        assert!(error.to_string().contains("can have a choice"), "{error}");
    }
}

#[test]
fn chance_is_refused() {
    let error = automaton("monty-hall", &net("monty-hall")).expect_err("it has chance");
    assert!(matches!(error, GameError::Imperfect(_)));
}
