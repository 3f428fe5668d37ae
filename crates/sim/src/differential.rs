//! Random nets, and the claim that every engine gives the answers of the plain net engine.

use gambol_index::Id;
use gambol_net::{BaseMarking, MoveId, Net, NetBuilder, NetEngine, RoleId, Wire};
use gambol_run::Random as Seeded;
use proptest::prelude::*;

use crate::compile::phases::Phases;
use crate::compile::source::Source;
use crate::engine::batch::{Batch, Phase};
use crate::engine::choice::{Scratch, choose};
use crate::engine::random::Random;
use crate::engine::word::{Plain, Word};
use crate::{
    Amount, Circuit, Code, CompileOptions, Evaluator, PlayoutOptions, State, Successors, Tally,
    Wanted, Width, playouts,
};

/// A gate to make: AND or OR, and which earlier wires it reads, negated or not.
type Recipe = (bool, Vec<(usize, bool)>);

/// A net in numbers, so that a failing one can be made smaller.
#[derive(Clone, Debug)]
pub(crate) struct RandomNet {
    fluents: usize,
    moves: Vec<usize>,
    /// Gates that read the state, and gates that read the moves too.
    state: Layer,
    step: Layer,
    picks: Vec<(usize, bool)>,
    initial: Vec<bool>,
    /// Whether a turn marker of two fluents is added, on which legality depends.
    turns: bool,
}

/// Gates below a recursion, the recursion itself, and gates above it.
#[derive(Clone, Debug)]
struct Layer {
    below: Vec<Recipe>,
    inside: Vec<Recipe>,
    closings: Vec<Vec<usize>>,
    above: Vec<Recipe>,
}

fn recipes(count: usize) -> impl Strategy<Value = Vec<Recipe>> {
    let inputs = prop::collection::vec((any::<usize>(), any::<bool>()), 0..5);
    prop::collection::vec((any::<bool>(), inputs), 0..count)
}

fn layer() -> impl Strategy<Value = Layer> {
    let closings = prop::collection::vec(prop::collection::vec(any::<usize>(), 0..4), 0..5);
    (recipes(12), recipes(8), closings, recipes(12))
        .prop_map(|(below, inside, closings, above)| Layer { below, inside, closings, above })
}

/// Any net.
pub(crate) fn random_net() -> impl Strategy<Value = RandomNet> {
    (
        1usize..8,
        prop::collection::vec(1usize..6, 1..4),
        layer(),
        layer(),
        prop::collection::vec((any::<usize>(), any::<bool>()), 12..40),
        prop::collection::vec(any::<bool>(), 8),
        any::<bool>(),
    )
        .prop_map(|(fluents, moves, state, step, picks, initial, turns)| RandomNet {
            fluents,
            moves,
            state,
            step,
            picks,
            initial,
            turns,
        })
}

impl RandomNet {
    pub(crate) fn build(&self) -> Net {
        let mut net = NetBuilder::new();
        let roles: Vec<RoleId> =
            (0..self.moves.len()).map(|r| net.role(&format!("r{r}"))).collect();
        let turn = self.turns.then(|| add_turn_marker(&mut net));
        let fluents: Vec<_> = (0..self.fluents).map(|f| net.fluent(&format!("f{f}"))).collect();
        for (&fluent, _) in fluents.iter().zip(&self.initial).filter(|(_, initial)| **initial) {
            net.initial(fluent);
        }
        let mut wires: Vec<Wire> = fluents.iter().map(|&fluent| net.truth(fluent)).collect();
        wires.extend(turn);
        self.state.add(&mut net, &mut wires);
        let mut picks = self.picks.iter().cycle();
        let mut pick = |net: &mut NetBuilder, wires: &[Wire]| {
            let &(place, negate) = picks.next().expect("there are picks");
            let wire = wires[place % wires.len()];
            if negate { net.not(wire) } else { wire }
        };
        let mut actions = Vec::new();
        for (role, &count) in roles.iter().zip(&self.moves) {
            for number in 0..count {
                let action = net.action(*role, &format!("m{number}"));
                let mut legal = pick(&mut net, &wires);
                if let Some(turn) = turn
                    && number > 0
                {
                    legal = net.and([legal, turn]);
                }
                net.legal(action, legal);
                actions.push(action);
            }
            for value in [0, 50, 100] {
                let when = pick(&mut net, &wires);
                net.goal(*role, value, when);
            }
        }
        let (first, second) = (pick(&mut net, &wires), pick(&mut net, &wires));
        let over = net.and([first, second]);
        net.terminal(over);
        wires.extend(actions.iter().map(|&action| net.does(action)).collect::<Vec<_>>());
        self.step.add(&mut net, &mut wires);
        for &fluent in &fluents {
            let next = pick(&mut net, &wires);
            net.next(fluent, next);
        }
        let percept = pick(&mut net, &wires);
        net.percept(roles[0], "p", percept);
        net.finish().expect("only what is below a recursion is negated in it")
    }
}

/// Two fluents that take turns.
fn add_turn_marker(net: &mut NetBuilder) -> Wire {
    let (even, odd) = (net.fluent("even"), net.fluent("odd"));
    net.initial(even);
    let (even_now, odd_now) = (net.truth(even), net.truth(odd));
    net.next(odd, even_now);
    net.next(even, odd_now);
    odd_now
}

impl Layer {
    fn add(&self, net: &mut NetBuilder, wires: &mut Vec<Wire>) {
        add_gates(net, wires, &self.below, usize::MAX);
        let first_cyclic = wires.len();
        wires.extend(self.closings.iter().map(|_| net.open_or()).collect::<Vec<_>>());
        add_gates(net, wires, &self.inside, first_cyclic);
        for (row, closing) in self.closings.iter().enumerate() {
            let inputs: Vec<Wire> = closing.iter().map(|pick| wires[pick % wires.len()]).collect();
            net.close_or(wires[first_cyclic + row], inputs);
        }
        add_gates(net, wires, &self.above, usize::MAX);
    }
}

/// Wires from `positive` on are not negated.
fn add_gates(net: &mut NetBuilder, wires: &mut Vec<Wire>, recipes: &[Recipe], positive: usize) {
    for (is_and, inputs) in recipes {
        let mut operands = Vec::new();
        for &(pick, negate) in inputs {
            let place = pick % wires.len();
            let wire = wires[place];
            operands.push(if negate && place < positive { net.not(wire) } else { wire });
        }
        wires.push(if *is_and { net.and(operands) } else { net.or(operands) });
    }
}

/// One legal move per role, if every role has one.
fn random_joint_move(net: &Net, legal: &[MoveId], random: &mut Seeded) -> Option<Vec<MoveId>> {
    let choose = |role: RoleId, random: &mut Seeded| {
        let moves: Vec<MoveId> =
            legal.iter().copied().filter(|&action| net.moves[action].role == role).collect();
        (!moves.is_empty()).then(|| moves[random.below(moves.len())])
    };
    net.roles.ids().map(|role| choose(role, random)).collect()
}

/// Every successor is the one that asking for its joint move alone gives.
fn check_expansion(net: &Net, evaluator: &mut Evaluator<'_>, state: &State) {
    let legal = evaluator.legal(state);
    let of_role = |role| legal.iter().filter(|&&action| net.moves[action].role == role).count();
    let mut expansion = evaluator.expand(state);
    // Nothing is left of what was there before.
    evaluator.expand_into(state, &mut expansion);
    assert_eq!(expansion.len(), net.roles.ids().map(of_role).product());
    for (moves, successor) in expansion.iter() {
        let next = successor.state();
        assert_eq!(next, evaluator.next(state, moves));
        assert_eq!(successor.terminal, evaluator.terminal(&next));
        assert_eq!(successor.legal(), evaluator.legal(&next));
    }
}

/// Joint moves in different states, side by side, lead where each of them leads alone.
fn check_following(evaluator: &mut Evaluator<'_>, walk: &[(State, Vec<MoveId>, State)]) {
    // More than fit into the lanes at once.
    let many = walk.iter().cycle().take(if walk.is_empty() { 0 } else { 600 });
    let mut successors = Successors::new(evaluator.circuit);
    many.clone().for_each(|(state, moves, _)| successors.ask(state.words(), moves.clone()));
    successors.answer(Wanted { states: true, legal: true });
    for (answer, (.., next)) in many.enumerate() {
        assert_eq!(successors.state(answer), *next);
        assert_eq!(successors.terminal(answer), evaluator.terminal(next));
        assert_eq!(successors.legal(answer), evaluator.legal(next));
    }
}

/// Compares all answers along a walk that sometimes jumps to a state that play may not reach.
fn check_evaluator(net: &Net, circuit: &Circuit, code: Code) {
    let mut judge = NetEngine::new(net);
    let mut evaluator = Evaluator::with_code(circuit, code);
    let mut random = Seeded::new(17);
    let mut state = circuit.initial();
    let mut walk = Vec::new();
    for step in 0..30 {
        let fluents = circuit.fluents_of(&state);
        let marking = BaseMarking::of(net, &fluents);
        assert_eq!(evaluator.terminal(&state), judge.terminal(&marking), "terminal");
        let legal = judge.legal(&marking);
        assert_eq!(evaluator.legal(&state), legal, "legal");
        assert_eq!(evaluator.goals(&state), judge.goals(&marking), "goals");
        check_expansion(net, &mut evaluator, &state);
        // Moves need not be legal.
        let possible: Vec<MoveId> = if step % 2 == 0 { legal } else { net.moves.ids().collect() };
        let joint = random_joint_move(net, &possible, &mut random);
        state = match joint {
            Some(moves) if step % 7 != 6 => {
                let percepts = judge.percepts(&marking, &moves);
                assert_eq!(evaluator.percepts(&state, &moves), percepts, "percepts");
                let next = judge.next(&marking, &moves).fluents();
                let successor = evaluator.next(&state, &moves);
                assert_eq!(circuit.fluents_of(&successor), next, "next");
                walk.push((state, moves, successor.clone()));
                successor
            }
            _ => {
                let bits = random.word();
                let fluents = net.fluents.ids().filter(|f| bits >> (f.index() % 64) & 1 == 1);
                circuit.state_of(&fluents.collect::<Vec<_>>())
            }
        };
    }
    check_following(&mut evaluator, &walk);
}

/// 64 games in step, and the same games played by the judge.
struct Lanes<'a> {
    net: &'a Net,
    batch: &'a Batch,
    judge: NetEngine<&'a Net>,
    states: Vec<BaseMarking>,
    running: u64,
    slots: Vec<Plain<1>>,
}

impl Lanes<'_> {
    fn running(&self) -> Vec<usize> {
        (0..64).filter(|lane| self.running >> lane & 1 == 1).collect()
    }

    /// The moves whose slots are set in a lane, and those that are always legal.
    fn moves(&self, phase: &Phase, lane: usize) -> Vec<MoveId> {
        let slots = &self.slots[self.batch.layout.legal as usize..];
        let computed = phase.moves.iter().zip(slots).filter(|(_, word)| is_set(**word, lane));
        let all = computed.map(|(action, _)| action).chain(&phase.always_legal);
        let mut moves: Vec<MoveId> = all.map(|&action| MoveId::new(action)).collect();
        moves.sort_unstable();
        moves
    }

    fn check_legality(&mut self, phase: &Phase) {
        phase.legality.run(&mut self.slots);
        for lane in self.running() {
            let state = &self.states[lane];
            let terminal = is_set(self.slots[self.batch.layout.terminal as usize], lane);
            assert_eq!(terminal, self.judge.terminal(state), "termination in lane {lane}");
            let legal = self.judge.legal(state);
            assert_eq!(self.moves(phase, lane), legal, "legal moves in lane {lane}");
            let has_move = |role| legal.iter().any(|&action| self.net.moves[action].role == role);
            if terminal || !self.net.roles.ids().all(has_move) {
                self.running &= !(1 << lane);
            }
        }
    }

    fn check_step(&mut self, phase: &Phase) {
        for lane in self.running() {
            let moves = self.moves(phase, lane);
            self.states[lane] = self.judge.next(&self.states[lane], &moves);
        }
        phase.transition.run(&mut self.slots);
        let layout = self.batch.layout;
        for &fluent in &phase.changing {
            self.slots[(layout.fluents + fluent) as usize] =
                self.slots[(layout.next + fluent) as usize];
        }
        for lane in self.running() {
            let fluents = self.net.fluents.ids().zip(&self.slots[layout.fluent_slots()]);
            let found: Vec<_> = fluents
                .filter(|(_, word)| is_set(**word, lane))
                .map(|(fluent, _)| fluent)
                .collect();
            assert_eq!(found, self.states[lane].fluents(), "state in lane {lane}");
        }
    }
}

fn is_set(word: Plain<1>, lane: usize) -> bool {
    word.parts()[0] >> lane & 1 == 1
}

/// Compares every lane with a game of the judge, step by step.
fn check_lanes(net: &Net, with_phases: bool) {
    let source = Source::of(net).unwrap();
    let phases = if with_phases { Phases::of(&source) } else { Phases::none(&source) };
    let batch = Batch::of(&source, &phases);
    let judge = NetEngine::new(net);
    let states = vec![judge.initial(); 64];
    let slots = batch.new_slots(0);
    let mut lanes = Lanes { net, batch: &batch, judge, states, running: !0, slots };
    let (mut random, mut scratch) = (Random::new(3), Scratch::new(batch.most_moves));
    for step in 0..20 {
        let phase = &batch.phases[step % batch.phases.len()];
        lanes.check_legality(phase);
        for choice in &phase.choices {
            let running = Plain::from_parts(&[lanes.running; 8]);
            choose(&mut lanes.slots[choice.clone()], running, &mut random, &mut scratch);
        }
        lanes.check_step(phase);
    }
}

/// What must not depend on how the gates are run.
fn played(circuit: &Circuit, code: Code, width: Width, threads: usize) -> Tally {
    let amount = Amount::Playouts(1_300);
    let max_steps = 50;
    let options = PlayoutOptions { amount, code, width, threads, max_steps, ..Default::default() };
    let tally = playouts(circuit, &options);
    assert_eq!(tally.playouts, 1_300);
    Tally { seconds: 0.0, thread_seconds: 0.0, engine: "", lanes: 0, threads: 0, ..tally }
}

/// Every way to run the gates that this processor has.
fn codes() -> impl Iterator<Item = Code> {
    let all = [Code::Table, Code::Avx2, Code::Avx512, Code::Neon];
    all.into_iter().filter(|code| code.is_available())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn single_states_are_those_of_the_net(net in random_net()) {
        let net = net.build();
        let circuit = Circuit::compile(&net, &CompileOptions::default()).unwrap();
        codes().for_each(|code| check_evaluator(&net, &circuit, code));
    }

    #[test]
    fn every_lane_is_a_game_of_the_net(net in random_net()) {
        check_lanes(&net.build(), false);
    }

    #[test]
    fn every_engine_plays_the_same_games(net in random_net()) {
        let circuit = Circuit::compile(&net.build(), &CompileOptions::default()).unwrap();
        let expected = played(&circuit, Code::Table, Width::W64, 1);
        for code in codes() {
            for width in [Width::W256, Width::W512] {
                prop_assert_eq!(&played(&circuit, code, width, 1), &expected, "{:?} {:?}", code, width);
            }
        }
        prop_assert_eq!(&played(&circuit, Code::Auto, Width::Auto, 3), &expected);
    }

    #[test]
    fn phases_change_nothing(net in random_net()) {
        check_lanes(&net.build(), true);
    }
}
