//! The worked example of chapter 9 and its two exercises.

use gambol_net::{BaseMarking, FluentId, GateId, Marking, MoveId, Net, NetBuilder, NetEngine};

/// Section 9.3: `p` is `a` and `s`, `q` is not `p`, `r` is `q` or `b`, and `s` becomes `r`. Both moves
/// are always legal, the game is over when `q` holds and is worth 100 while `s` does.
struct Example {
    net: Net,
    s: FluentId,
    a: MoveId,
    b: MoveId,
}

fn example() -> Example {
    let mut net = NetBuilder::new();
    let white = net.role("white");
    let s = net.fluent("s");
    let (a, b) = (net.action(white, "a"), net.action(white, "b"));
    let (s_true, does_a, does_b) = (net.truth(s), net.does(a), net.does(b));
    let p = net.and([does_a, s_true]);
    let q = net.not(p);
    let r = net.or([q, does_b]);
    let not_s = net.not(s_true);
    let always = net.constant(true);
    net.next(s, r);
    net.legal(a, always);
    net.legal(b, always);
    net.terminal(q);
    net.goal(white, 100, s_true);
    net.goal(white, 0, not_s);
    for (name, wire) in [("p", p), ("q", q), ("r", r)] {
        net.view(name, &[], wire);
    }
    Example { net: net.finish().unwrap(), s, a, b }
}

impl Example {
    fn mark(&self, s: bool, a: bool, b: bool) -> Marking {
        let fluents: Vec<FluentId> = s.then_some(self.s).into_iter().collect();
        let moves = [(a, self.a), (b, self.b)];
        let moves: Vec<MoveId> = moves.iter().filter(|(done, _)| *done).map(|m| m.1).collect();
        NetEngine::new(&self.net).marking(&BaseMarking::of(&self.net, &fluents), &moves)
    }

    fn view(&self, name: &str) -> GateId {
        let names = &self.net.names;
        let view = self.net.views.iter().find(|view| names.atom_text(&view.atom) == name);
        view.unwrap().gate
    }

    fn views(&self, marking: &Marking) -> [bool; 3] {
        ["p", "q", "r"].map(|name| marking.holds(self.view(name)))
    }
}

#[test]
fn the_first_marking_turns_s_off() {
    let example = example();
    let marking = example.mark(true, true, false);
    assert_eq!(example.views(&marking), [true, false, false]);
    assert!(!marking.next(&example.net).holds(example.s));
}

#[test]
fn the_second_marking_turns_s_on_again() {
    let example = example();
    let marking = example.mark(false, true, false);
    assert_eq!(example.views(&marking), [false, true, true]);
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
    let [p, q, r] = example.views(&marking);
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
