//! Every algorithm gives the values of exhaustive backward induction, state by state.

use gambol_regress::{
    Automaton, Exhaustive, Family, Limits, Listed, NodeId, Preferences, Value, read_automaton,
    regress_as_published, regress_classes, regress_in_layers, regress_to_fixpoint,
};

fn family(name: &str, sizes: &[usize]) -> Automaton {
    let text = Family::named(name, sizes).expect("a family").text();
    read_automaton(&text).expect("a family is well-formed")
}

fn counterexample() -> Automaton {
    read_automaton(include_str!("../../../automata/counterexample.autre"))
        .expect("it is well-formed")
}

fn exhaustive(automaton: &Automaton, preferences: &Preferences, listed: Listed) -> Exhaustive {
    Exhaustive::solve(automaton, preferences, listed, 1 << 22, &Limits::default())
        .expect("the automaton is small")
}

/// Values at all reachable states and at all states the invariants allow.
fn check(
    automaton: &Automaton,
    preferences: &Preferences,
    value: impl Fn(NodeId, &gambol_regress::Cube) -> Option<Value>,
) -> usize {
    let mut compared = 0;
    for listed in [Listed::Reachable, Listed::Possible] {
        let judge = exhaustive(automaton, preferences, listed);
        for (node, state, expected) in judge.iter() {
            if automaton.agent_of(node).is_some() {
                let found = value(node, state);
                assert_eq!(found, Some(expected), "{}", automaton.describe(node, state));
                compared += 1;
            }
        }
    }
    compared
}

fn check_classes(automaton: &Automaton, distances: bool) -> usize {
    let preferences = Preferences::of(automaton, distances);
    let limits = Limits::default();
    let found = regress_classes(automaton, &preferences, false, &limits, &mut |_| ());
    let store = &found.store;
    check(automaton, &preferences, |node, state| {
        let list = store.list(node, automaton.group_at(node, state));
        store.find(list, state).map(|class| store.class(class).value)
    })
}

#[test]
fn classes_of_tic_tac_toe_and_nim() {
    assert_eq!(check_classes(&family("place", &[3, 3, 3]), false), 5478 + 39366);
    check_classes(&family("nim", &[2, 2]), false);
    check_classes(&family("nim", &[3, 4, 5]), false);
    check_classes(&family("nim", &[1, 2, 3]), true);
}

#[test]
fn classes_of_small_connect_boards() {
    for sizes in [[3, 3, 3], [4, 3, 3], [3, 4, 3], [4, 3, 4], [3, 4, 4]] {
        check_classes(&family("connect", &sizes), false);
    }
}

#[test]
fn classes_with_distances() {
    check_classes(&family("connect", &[3, 3, 3]), true);
    check_classes(&family("connect", &[4, 3, 4]), true);
    check_classes(&family("place", &[3, 3, 3]), true);
}

#[test]
fn the_published_algorithm_is_wrong_where_the_classes_are_right() {
    let automaton = counterexample();
    check_classes(&automaton, false);
    let preferences = Preferences::of(&automaton, false);
    let published = regress_as_published(&automaton, &Limits::default(), &mut |_| ());
    let at_start = published.find(automaton.start_node, &automaton.start).expect("it has a tuple");
    let right = exhaustive(&automaton, &preferences, Listed::Reachable);
    let right =
        right.value(automaton.start_node, &automaton.start).expect("the start is reachable");
    let name = |outcome| &*automaton.outcomes[outcome].name;
    assert_eq!((name(at_start.outcome), name(right.outcome)), ("A-wins", "B-wins"));
    assert_eq!(at_start.distance, 3);
}

#[test]
fn the_published_algorithm_misjudges_nim_and_tic_tac_toe() {
    for (automaton, wrong, right) in [
        (family("nim", &[2, 2]), "A-wins", "B-wins"),
        (family("place", &[3, 3, 3]), "X-wins", "draw"),
    ] {
        let published = regress_as_published(&automaton, &Limits::default(), &mut |_| ());
        let tuple = published.find(automaton.start_node, &automaton.start).expect("a tuple");
        assert_eq!(&*automaton.outcomes[tuple.outcome].name, wrong);
        let preferences = Preferences::of(&automaton, false);
        let found =
            regress_classes(&automaton, &preferences, true, &Limits::default(), &mut |_| ());
        let value = found.value.expect("there is no limit");
        assert_eq!(&*automaton.outcomes[value.outcome].name, right);
    }
}

/// For one agent the published algorithm is right, distances included.
#[test]
fn the_published_algorithm_is_right_for_one_agent() {
    for automaton in
        [family("lights", &[3, 2]), family("lights", &[3, 3]), family("slide", &[2, 2])]
    {
        let preferences = Preferences::of(&automaton, true);
        let published = regress_as_published(&automaton, &Limits::default(), &mut |_| ());
        let compared = check(&automaton, &preferences, |node, state| {
            let tuple = published.find(node, state);
            let value = |tuple: &gambol_regress::Tuple| Value {
                outcome: tuple.outcome,
                distance: tuple.distance,
            };
            Some(tuple.map_or(preferences.endless(), value))
        });
        assert!(compared > 10);
    }
}

#[test]
fn text_reads_back_as_the_same_automaton() {
    for automaton in [counterexample(), family("nim", &[2, 3]), family("slide", &[2, 2])] {
        let text = gambol_regress::to_text(&automaton);
        let again = read_automaton(&text).expect("what is printed can be read");
        assert_eq!(gambol_regress::to_text(&again), text);
        assert_eq!(again.transitions.as_slice(), automaton.transitions.as_slice());
    }
}

#[test]
fn layers_of_diagrams() {
    for (automaton, states) in [
        (family("place", &[3, 3, 3]), 5478),
        (family("connect", &[3, 3, 3]), 694),
        (family("connect", &[4, 3, 4]), 12031),
        (family("nim", &[3, 4, 5]), 0),
    ] {
        let preferences = Preferences::of(&automaton, false);
        let found = regress_in_layers(&automaton, &preferences, &Limits::default(), &mut |_| ())
            .expect("it is small");
        let judge = exhaustive(&automaton, &preferences, Listed::Reachable);
        for (node, state, expected) in judge.iter() {
            assert_eq!(
                found.value(node, state),
                Some(expected),
                "{}",
                automaton.describe(node, state)
            );
        }
        // In nim a position can be met at several depths and is then counted at each.
        assert!(states == 0 || found.states == f64::from(states));
    }
}

#[test]
fn fixpoints_of_diagrams() {
    for (automaton, distances) in [
        (family("place", &[3, 3, 3]), false),
        (family("connect", &[3, 3, 3]), true),
        (family("connect", &[4, 3, 4]), false),
        (family("nim", &[3, 4, 2]), true),
        (family("lights", &[3, 3]), true),
        (family("slide", &[2, 2]), true),
        (counterexample(), true),
    ] {
        let preferences = Preferences::of(&automaton, distances);
        let found = regress_to_fixpoint(&automaton, &preferences, &Limits::default(), &mut |_| ())
            .expect("it is small");
        check(&automaton, &preferences, |node, state| found.value(node, state));
    }
}
