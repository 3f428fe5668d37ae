//! The worked example of chapter 9 and its two exercises.

#[path = "../examples/chapter9/figures.rs"]
mod figures;

use figures::Example;
use gambol_net::{BaseMarking, GateId, Marking, NetEngine};

fn example() -> Example {
    Example::new().unwrap()
}

fn view(example: &Example, name: &str) -> GateId {
    let names = &example.net.names;
    let view = example.net.views.iter().find(|view| names.atom_text(&view.atom) == name);
    view.unwrap().gate
}

/// The values of p, q and r.
fn views(example: &Example, marking: &Marking) -> [bool; 3] {
    ["p", "q", "r"].map(|name| marking.holds(view(example, name)))
}

#[test]
fn the_first_marking_turns_s_off() {
    let example = example();
    let marking = example.mark(true, true, false);
    assert_eq!(views(&example, &marking), [true, false, false]);
    assert!(!marking.next(&example.net).holds(example.s));
}

#[test]
fn the_second_marking_turns_s_on_again() {
    let example = example();
    let marking = example.mark(false, true, false);
    assert_eq!(views(&example, &marking), [false, true, true]);
    assert!(marking.next(&example.net).holds(example.s));
}

#[test]
fn while_a_is_done_and_b_is_not_s_alternates() {
    let example = example();
    let mut engine = NetEngine::new(&example.net);
    let mut state = BaseMarking::of(&example.net, &[example.s]);
    for step in 1..10 {
        state = engine.next(&state, &[example.a]);
        assert_eq!(state.holds(example.s), step % 2 == 0);
    }
}

#[test]
fn exercise_9_1() {
    let example = example();
    let marking = example.mark(false, false, true);
    let [p, q, r] = views(&example, &marking);
    assert!(!p, "(a) the and-gate needs both a and s");
    assert!(q, "(b) the inverter of p");
    assert!(r, "(c) q is true, and so is b");
    assert!(!marking.holds(example.net.fluent_gate(example.s)), "(d) as given");
    assert!(marking.next(&example.net).holds(example.s), "(e) r, one step later");
}

#[test]
fn exercise_9_2() {
    let example = example();
    let marking = example.mark(true, true, false);
    let rewards = example.net.goals.iter().filter(|goal| marking.holds(goal.gate));
    let rewards: Vec<u32> = rewards.map(|goal| goal.value).collect();
    assert_eq!(rewards, [100], "(a) s is true");
    assert!(!marking.holds(example.net.terminal), "(b) p is true, so q is not");
}

#[test]
fn both_moves_stay_legal() {
    let example = example();
    let mut engine = NetEngine::new(&example.net);
    for state in [vec![], vec![example.s]] {
        let state = BaseMarking::of(&example.net, &state);
        assert_eq!(engine.legal(&state), [example.a, example.b]);
    }
}

#[test]
fn the_pictures_in_the_guide_are_of_this_net() {
    for (file, picture) in figures::figures().unwrap() {
        let path = format!("{}/../../docs/images/{file}", env!("CARGO_MANIFEST_DIR"));
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == picture,
            "{file} is out of date: cargo run -p gambol-net --example chapter9"
        );
    }
}
