//! What simplification may and may not do, as statements about small games.

use gambol_net::rewrite::{Fixed, Views, drop_unobserved, find_fixed, replace_fixed};
use gambol_net::{Gate, Net, NetBuilder, NetEngine, Statistics, build, simplify};

fn net(rules: &str) -> Net {
    let reading = gambol_syntax::read(rules.as_bytes(), &Default::default());
    let ground = gambol_ground::instantiate(&reading.rules.unwrap(), &Default::default()).unwrap();
    build(&ground).unwrap()
}

/// The fixed fluents as text, with a minus for those that are false.
fn fixed_fluents(net: &Net) -> Vec<String> {
    let sign = |held| if held { "" } else { "-" };
    let fixed = find_fixed(net).fluents.into_iter();
    fixed.map(|(fluent, held)| format!("{}{}", sign(held), net.fluents[fluent])).collect()
}

/// A player who can only wait.
const WAITER: &str = "(role waiter) (legal waiter wait)";

#[test]
fn a_fluent_that_only_persists_is_fixed() {
    let net = net(&format!("{WAITER} (init wall) (<= (next wall) (true wall))"));
    assert_eq!(fixed_fluents(&net), ["wall"]);
}

#[test]
fn a_fluent_of_the_first_state_only_is_not_fixed() {
    let net = net(&format!("{WAITER} (init fresh) (<= terminal (not (true fresh)))"));
    assert_eq!(fixed_fluents(&net), [""; 0]);
    let mut engine = NetEngine::new(&net);
    let start = engine.initial();
    let moves = engine.legal(&start);
    let later = engine.next(&start, &moves);
    assert!(!engine.terminal(&start) && engine.terminal(&later));
}

#[test]
fn a_fluent_that_holds_from_the_second_state_on_is_not_fixed() {
    let net = simplify(&net(&format!("{WAITER} (next started) (<= terminal (true started))")));
    assert_eq!(fixed_fluents(&net), [""; 0]);
    let mut engine = NetEngine::new(&net);
    let start = engine.initial();
    let moves = engine.legal(&start);
    assert!(!engine.terminal(&start));
    let later = engine.next(&start, &moves);
    assert!(engine.terminal(&later), "the state bit survives although its transition is constant");
}

#[test]
fn fluents_that_only_one_another_could_make_true_are_fixed() {
    let mut net = NetBuilder::new();
    let (ghost, spook) = (net.fluent("ghost"), net.fluent("spook"));
    let (ghostly, spooky) = (net.truth(ghost), net.truth(spook));
    net.next(ghost, spooky);
    net.next(spook, ghostly);
    assert_eq!(fixed_fluents(&net.finish().unwrap()), ["-ghost", "-spook"]);
}

#[test]
fn a_long_clock_is_refuted_hand_by_hand() {
    let mut rules =
        format!("{WAITER} (init (hand 0)) (<= (next (hand ?y)) (true (hand ?x)) (after ?x ?y))");
    for hand in 0..500 {
        rules += &format!("(after {hand} {})", hand + 1);
    }
    assert_eq!(fixed_fluents(&net(&rules)), [""; 0]);
}

#[test]
fn a_move_behind_a_door_that_stays_shut_is_never_legal() {
    let net = net("(role walker) (init shut) (<= (next shut) (true shut))
        (legal walker stay)
        (<= (legal walker leave) (not (true shut)))
        (<= (next outside) (does walker leave))
        (<= (next outside) (true outside))
        (<= terminal (true outside))");
    let fixed = find_fixed(&net);
    let never: Vec<&str> = fixed.never_legal.iter().map(|&id| &*net.moves[id].name).collect();
    assert_eq!(never, ["leave"]);
    assert_eq!(fixed_fluents(&net), ["-outside", "shut"]);
    let replaced = replace_fixed(&net, &fixed);
    assert_eq!(replaced.gate(replaced.terminal), Gate::Constant(false));
    assert_eq!(replaced.fluents, net.fluents);
    assert_eq!(replaced.moves, net.moves);
}

#[test]
fn nothing_fixed_changes_nothing() {
    let net = net("(role r) (legal r a) (<= (next p) (not (true p)))");
    assert_eq!(find_fixed(&net), Fixed::default());
}

#[test]
fn views_survive_and_can_be_dropped() {
    let mut net = NetBuilder::new();
    let (p, q) = (net.fluent("p"), net.fluent("q"));
    let (p_true, q_true) = (net.truth(p), net.truth(q));
    let both = net.and([p_true, q_true]);
    let either = net.or([p_true, q_true]);
    net.terminal(both);
    net.view("both", &[], both);
    net.view("nobody_asks", &[], either);
    let net = net.finish().unwrap();
    let smaller = simplify(&net);
    assert_eq!(smaller.views, net.views);
    assert_eq!(Statistics::of(&smaller).or_gates, 1);
    let bare = drop_unobserved(&net, Views::Drop);
    assert!(bare.views.is_empty());
    assert_eq!(Statistics::of(&bare).or_gates, 0);
}

/// The end is `p`, `q` and `r`, taken two at a time.
fn three_in_two_gates(named: bool) -> Net {
    let mut net = NetBuilder::new();
    let fluents = ["p", "q", "r"].map(|name| net.fluent(name));
    let [p, q, r] = fluents.map(|fluent| net.truth(fluent));
    let pair = net.and([p, q]);
    let triple = net.and([pair, r]);
    net.terminal(triple);
    if named {
        net.view("pair", &[], pair);
    }
    net.finish().unwrap()
}

#[test]
fn an_and_read_by_one_and_becomes_part_of_it() {
    let size = |net: &Net| {
        let statistics = Statistics::of(net);
        (statistics.and_gates, statistics.circuit_gates, statistics.depth)
    };
    let net = three_in_two_gates(false);
    assert_eq!(size(&net), (2, 2, 2));
    assert_eq!(size(&simplify(&net)), (1, 2, 1));
    assert_eq!(size(&simplify(&three_in_two_gates(true))), (2, 2, 2), "named gates stay");
}
