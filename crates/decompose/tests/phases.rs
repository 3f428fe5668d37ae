//! Games whose parts share fluents over time: phases, crossing points and interfaces.

use gambol_decompose::{DecomposeOptions, Decomposition, Phase, decompose, phase_entry, phase_net};
use gambol_net::{FluentId, Net, NetEngine, State};

fn net_of(text: &str) -> Net {
    let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules;
    let ground = gambol_ground::instantiate(&rules.expect("it parses"), &Default::default());
    gambol_net::simplify(&gambol_net::build(&ground.expect("it grounds")).expect("it is a net"))
}

fn taken_apart(net: &Net, prove: bool) -> Decomposition {
    let mut options = DecomposeOptions::default();
    options.playouts = 1_000;
    options.prove = prove;
    decompose(net, &options)
}

fn names(net: &Net, fluents: &[FluentId]) -> String {
    let mut names: Vec<&str> = fluents.iter().map(|&fluent| &*net.fluents[fluent]).collect();
    names.sort_unstable();
    names.join(" ")
}

fn check_proved(phase: &Phase, played: usize, clocks: usize) {
    assert!(phase.basis.is_proved());
    assert!(phase.parts.sound.is_proved() && phase.parts.classes_exact.is_proved());
    let counts = phase.parts.counts();
    assert_eq!((counts.action_dependent, counts.action_independent), (played, clocks));
}

const LINE_THEN_APART: &str = include_str!("../../../games/line-then-apart/rules.kif");
const LOCKED_HEAPS: &str = include_str!("../../../games/locked-heaps/rules.kif");

#[test]
fn a_board_that_is_cleared_for_the_next_stage_is_two_phases() {
    let net = net_of(LINE_THEN_APART);
    let found = taken_apart(&net, true);
    assert_eq!(found.counts().action_dependent, 1, "as a whole it is one piece");
    let [first, second] = &found.phases[..] else { panic!("two phases") };
    assert_eq!(first.begins, None);
    assert_eq!(second.begins.as_ref().map(|begins| begins.text(&net)).as_deref(), Some("apart"));
    check_proved(first, 1, 1);
    check_proved(second, 1, 1);
    // What is on the board by then is not handed on.
    assert!(!names(&net, &second.interface).contains("mark"));
    assert!(names(&net, &second.interface).contains("(turn x)"));
}

#[test]
fn groups_that_share_a_heap_hand_it_on() {
    let net = net_of(LOCKED_HEAPS);
    let found = taken_apart(&net, true);
    let [first, second] = &found.phases[..] else { panic!("two phases") };
    let begins = second.begins.as_ref().map(|begins| begins.text(&net));
    assert_eq!(begins.as_deref(), Some("(and (left a 0) (left b 0))"));
    check_proved(first, 3, 1);
    check_proved(second, 6, 1);
    let handed = names(&net, &second.interface);
    assert!(handed.contains("(left c 3)") && handed.contains("(turn first)"));
    assert!(!handed.contains("(left a") && !handed.contains("(left d"));
}

#[test]
fn without_a_proof_phases_are_sampled() {
    let net = net_of(LOCKED_HEAPS);
    let found = taken_apart(&net, false);
    assert_eq!(found.phases.len(), 2);
    assert!(found.phases.iter().all(|phase| !phase.basis.is_proved()));
    assert!(found.phases.iter().all(|phase| !phase.parts.sound.is_proved()));
}

#[test]
fn marks_that_stay_are_no_crossing_points() {
    let tic_tac_toe = include_str!("../../../games/tic-tac-toe/rules.kif");
    assert!(taken_apart(&net_of(tic_tac_toe), true).phases.is_empty());
}

/// Two stages of two lamps each, of which the second is left for the first again if `again` is true.
fn stages(again: &str) -> Net {
    net_of(&format!(
        "(role r) (lamp a) (lamp b) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
         (succ 6 7) (succ 7 8) (succ 8 9)
         (<= (legal r (press ?l)) (lamp ?l)) (<= (legal r on)) {again}
         (<= full (true (step ?n)) (succ 3 ?n))
         (<= leaving (does r on) (not (true second)))
         (<= returning (does r back))
         (<= (next (lit ?l)) (does r (press ?l)) (not (true (lit ?l))))
         (<= (next (lit ?l)) (true (lit ?l)) (not (does r (press ?l))) (not leaving) (not returning))
         (<= (next second) leaving)
         (<= (next second) (true second) (not returning))
         (<= (next won) leaving (true (lit a)) (not (true (lit b))))
         (<= (next won) (true won))
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 9)))
         (<= good (true second) (true won) (true (lit b)))
         (<= (goal r 100) good) (<= (goal r 0) (not good))"
    ))
}

#[test]
fn a_stage_that_can_be_left_again_is_no_phase() {
    let once = taken_apart(&stages(""), true);
    assert_eq!(once.phases.len(), 2);
    let back = stages("(<= (legal r back) (true second))");
    let second = back.fluents.ids().find(|&fluent| &*back.fluents[fluent] == "second");
    let of_second = |phase: &Phase| {
        phase.begins.as_ref().is_some_and(|begins| begins.fluents() == Vec::from_iter(second))
    };
    assert!(!taken_apart(&back, true).phases.iter().any(of_second));
}

#[test]
fn a_phase_is_a_game_from_what_is_handed_on() {
    let net = net_of(LOCKED_HEAPS);
    let found = taken_apart(&net, true);
    let handed: Vec<FluentId> = net
        .fluents
        .iter_ids()
        .filter(|(_, name)| ["(left c 2)", "(turn second)", "(opener first)"].contains(&&***name))
        .map(|(fluent, _)| fluent)
        .collect();
    let entry = phase_entry(&net, &found.phases[1], &State::of(&net, &handed));
    let second = phase_net(&net, None, &entry.fluents(), &[]);
    let mut engine = NetEngine::new(&second);
    let start = engine.initial();
    // Two of c, and all of the heaps that were locked.
    let legal = engine.legal(&start);
    let taking = legal.iter().filter(|&&action| net.moves[action].name.contains("leave")).count();
    assert_eq!(taking, 2 + 9 + 11 + 13 + 14 + 15);
    let first = phase_net(&net, Some(&found.phases[1]), &net.initial, &[]);
    let mut engine = NetEngine::new(&first);
    let start = engine.initial();
    let named = |name: &str| {
        let is = |(_, one): &(_, &gambol_net::Move)| &*one.name == name;
        net.moves.iter_ids().filter(is).map(|(action, _)| action).collect::<Vec<_>>()
    };
    let (wait, a, b) = (named("wait"), named("(leave a 0)"), named("(leave b 0)"));
    let middle = engine.next(&start, &[a[0], wait[1]]);
    assert!(!engine.terminal(&middle));
    let end = engine.next(&middle, &[wait[0], b[1]]);
    assert!(engine.terminal(&end), "the phase ends where the lock is open");
}
