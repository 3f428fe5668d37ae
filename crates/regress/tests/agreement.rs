//! Every algorithm gives the values of exhaustive backward induction, state by state.

use gambol_regress::{
    Automaton, Exhaustive, Family, Limits, Listed, NodeId, Options, Preferences, Value, at_least,
    compress, diagram_from_bytes, diagram_to_bytes, features, find_policy, find_policy_saving,
    read_automaton, read_checkpoint, regress_as_published, regress_in_layers, regress_to_fixpoint,
    thresholds,
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
    let options = Options { distances, ..Options::default() };
    let policy = find_policy(automaton, &options, &mut |_| ()).expect("it can be solved").policy;
    check(automaton, &preferences, |node, state| {
        policy.query(node, state).map(|answer| answer.value)
    })
}

#[test]
fn classes_of_tic_tac_toe_and_nim() {
    assert_eq!(check_classes(&family("place", &[3, 3, 3]), false), 5478 + 39366);
    check_classes(&family("nim", &[2, 2]), false);
    check_classes(&family("nim", &[3, 4, 5]), false);
    check_classes(&family("nim", &[1, 2, 3]), true);
}

/// The largest of them has too many states to list beyond those met in play.
#[test]
fn every_bundled_automaton_has_the_values_of_backward_induction() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../automata");
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of automata")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    names.sort();
    assert!(names.len() >= 9);
    for path in names {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let automaton = read_automaton(&text).expect("it is well-formed");
        let preferences = Preferences::of(&automaton, false);
        let found = find_policy(&automaton, &Options::default(), &mut |_| ());
        let policy = found.expect("it can be solved").policy;
        let judge = exhaustive(&automaton, &preferences, Listed::Reachable);
        for (node, state, expected) in judge.iter() {
            let answer = policy.query(node, state).expect("every state has its value");
            assert_eq!(answer.value, expected, "{}", automaton.describe(node, state));
        }
    }
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
        let options = Options { only_start: true, ..Options::default() };
        let found = find_policy(&automaton, &options, &mut |_| ()).expect("it can be solved");
        let value = found.policy.start_value().expect("there is no limit");
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

/// A chase on a ring: the pursuer wins by landing on the other, who wins by reaching the exit.
const CHASE: &str = "autre 1
players P E
var p 0 1 2 3 4 5
var e 0 1 2 3 4 5
outcome caught P=1 E=-1
outcome escaped P=-1 E=1
node pm P
node em E
goal c caught
goal x escaped
start pm p=0 e=3
";

fn chase() -> Automaton {
    let mut text = CHASE.to_string();
    for (node, mover, other) in [("pm", "p", "em"), ("em", "e", "pm")] {
        text += &format!("from {node}\n");
        (0..6).for_each(|at| text += &format!("  move meet to c when p={at} e={at}\n"));
        text += "  else\n  move out to x when e=5\n  else\n";
        for at in 0..6 {
            for to in [(at + 1) % 6, (at + 5) % 6] {
                text += &format!("  move go to {other} set {mover}={to} when {mover}={at}\n");
            }
        }
    }
    read_automaton(&text).expect("the chase is well-formed")
}

#[test]
fn classes_where_play_can_return() {
    for automaton in [chase(), family("lights", &[2, 2]), family("slide", &[2, 2])] {
        assert!(!gambol_regress::Potential::of(&automaton).is_acyclic());
        check_classes(&automaton, false);
        check_classes(&automaton, true);
    }
}

/// Following the policy on both sides leads to the value in just as many steps as it says.
#[test]
fn a_policy_leads_where_it_says() {
    for automaton in [chase(), family("slide", &[2, 2]), family("connect", &[3, 3, 3])] {
        let options = Options { distances: true, ..Options::default() };
        let policy =
            find_policy(&automaton, &options, &mut |_| ()).expect("it can be solved").policy;
        let preferences = Preferences::of(&automaton, true);
        for (node, state, value) in exhaustive(&automaton, &preferences, Listed::Possible).iter() {
            let (mut node, mut state, mut steps) = (node, state.clone(), 0);
            let counts = value.distance > 0;
            while let Some(id) = policy.query(node, &state).and_then(|answer| answer.transition) {
                assert!(automaton.available(node, &state).contains(&id));
                state = automaton.transitions[id].apply(&state);
                node = automaton.transitions[id].target;
                steps += 1;
                assert!(!counts || steps <= value.distance);
            }
            assert!(!counts || steps == value.distance);
            let end = automaton.outcome_of(node).unwrap_or(automaton.endless());
            assert_eq!(automaton.outcomes[end].rewards, automaton.outcomes[value.outcome].rewards);
        }
    }
}

#[test]
fn a_policy_file_reads_back_as_the_same_policy() {
    for automaton in [counterexample(), family("connect", &[3, 3, 3]), family("lights", &[2, 2])] {
        let policy = find_policy(&automaton, &Options::default(), &mut |_| ())
            .expect("it can be solved")
            .policy;
        let text = gambol_regress::policy_to_text(&policy);
        let again = gambol_regress::policy_from_text(&text).expect("what is written can be read");
        assert!(gambol_regress::policy_to_text(&again) == text);
        assert_eq!(again.start_value(), policy.start_value());
        // A file that is cut short is refused, wherever it is cut.
        for line in (1..text.lines().count()).step_by(37) {
            let cut: String = text.lines().take(line).flat_map(|line| [line, "\n"]).collect();
            assert!(gambol_regress::policy_from_text(&cut).is_err());
        }
    }
}

#[test]
fn a_reachable_state_without_a_transition_is_an_error() {
    let text = "autre 1\nplayers A\nvar v 0 1 2\noutcome w A=1\nnode x A\ngoal g w\nstart x v=0\nfrom x\n\
                move a to x set v=1 when v=0\nmove b to g when v=2\n";
    let automaton = read_automaton(text).expect("it is well-formed");
    let error =
        find_policy(&automaton, &Options::default(), &mut |_| ()).expect_err("v=1 is stuck");
    assert!(error.to_string().contains("x v=1"), "{error}");
}

#[test]
fn the_policy_is_the_same_on_one_thread_and_on_two() {
    for automaton in [family("connect", &[4, 3, 4]), family("place", &[3, 3, 3])] {
        let on = |threads| {
            let options = Options { threads, ..Options::default() };
            let found = find_policy(&automaton, &options, &mut |_| ()).expect("it can be solved");
            (found.regressions, gambol_regress::policy_to_text(&found.policy))
        };
        assert!(on(1) == on(2));
    }
}

#[test]
fn strata_have_the_values_of_the_undivided_run() {
    for automaton in [family("connect", &[4, 3, 4]), family("nim", &[3, 4, 5])] {
        let policy = |undivided| {
            let options = Options { undivided, ..Options::default() };
            find_policy(&automaton, &options, &mut |_| ()).expect("it can be solved").policy
        };
        let (whole, strata) = (policy(true), policy(false));
        let preferences = Preferences::of(&automaton, false);
        check(&automaton, &preferences, |node, state| {
            let value = strata.query(node, state).map(|answer| answer.value);
            assert_eq!(value, whole.query(node, state).map(|answer| answer.value));
            value
        });
    }
}

#[test]
fn a_run_taken_up_again_ends_in_the_same_policy() {
    let automaton = family("connect", &[4, 3, 4]);
    let options = Options::default();
    let mut saved = Vec::new();
    let whole = find_policy_saving(&automaton, &options, None, &mut |_| (), &mut |write| {
        saved.push(write());
    });
    let whole = gambol_regress::policy_to_text(&whole.expect("it can be solved").policy);
    assert!(saved.len() > 10);
    for text in saved.iter().step_by(saved.len() / 4) {
        let checkpoint = read_checkpoint(text, &automaton, false).expect("it was just written");
        let again =
            find_policy_saving(&automaton, &options, Some(checkpoint), &mut |_| (), &mut |_| ());
        assert!(gambol_regress::policy_to_text(&again.expect("it can be solved").policy) == whole);
    }
    let other = family("connect", &[3, 3, 3]);
    assert!(read_checkpoint(&saved[0], &other, false).is_err());
    assert!(read_checkpoint(&saved[0], &automaton, true).is_err());
    assert!(read_checkpoint(&saved[0][..saved[0].len() / 2], &automaton, false).is_err());
}

#[test]
fn compressed_rules_keep_every_value_and_lead_there() {
    for automaton in [family("connect", &[4, 3, 4]), family("place", &[3, 3, 3]), counterexample()]
    {
        let preferences = Preferences::of(&automaton, false);
        let policy = find_policy(&automaton, &Options::default(), &mut |_| ())
            .expect("it can be solved")
            .policy;
        let short = compress(&policy, &Limits::default()).expect("it is small");
        assert!(short.store.len() <= policy.store.len());
        assert!(short.literals() <= policy.literals());
        let judge = exhaustive(&automaton, &preferences, Listed::Possible);
        for (node, state, value) in judge.iter() {
            let answer = short.query(node, state).expect("every state has its value");
            assert_eq!(answer.value, value);
            if let Some(id) = answer.transition {
                assert!(automaton.available(node, state).contains(&id));
                let transition = &automaton.transitions[id];
                assert_eq!(judge.value(transition.target, &transition.apply(state)), Some(value));
            }
        }
    }
}

#[test]
fn features_are_conditions_that_many_rules_contain() {
    let automaton = family("connect", &[4, 3, 4]);
    let policy =
        find_policy(&automaton, &Options::default(), &mut |_| ()).expect("it can be solved").policy;
    let found = features(&policy, 5);
    assert_eq!(found.len(), 5);
    for feature in &found {
        let classes = policy.store.list_ids().flat_map(|list| policy.store.classes(list));
        let containing = classes.filter(|class| class.condition.is_within(&feature.condition));
        assert!(containing.count() >= feature.rules && feature.saved > 0, "{}", feature.text);
    }
    assert!(found.windows(2).all(|pair| pair[0].saved >= pair[1].saved));
}

#[test]
fn a_diagram_policy_is_kept_and_says_the_same() {
    for (automaton, distances) in [
        (family("place", &[3, 3, 3]), false),
        (family("connect", &[4, 3, 3]), false),
        (family("nim", &[1, 2, 3]), true),
        (chase(), true),
    ] {
        let preferences = Preferences::of(&automaton, distances);
        let found = regress_to_fixpoint(&automaton, &preferences, &Limits::default(), &mut |_| ());
        let bytes = diagram_to_bytes(&found.expect("it can be solved").policy());
        let policy = diagram_from_bytes(&bytes).expect("it was just written");
        check(&automaton, &preferences, |node, state| policy.value(node, state));
    }
}

#[test]
fn layers_are_kept_and_lead_where_they_say() {
    let automaton = family("connect", &[4, 4, 3]);
    let preferences = Preferences::of(&automaton, false);
    let found = regress_in_layers(&automaton, &preferences, &Limits::default(), &mut |_| ());
    let bytes = diagram_to_bytes(&found.expect("it can be solved").policy());
    let policy = diagram_from_bytes(&bytes).expect("it was just written");
    let judge = exhaustive(&automaton, &preferences, Listed::Reachable);
    for (node, state, value) in judge.iter() {
        assert_eq!(policy.value(node, state), Some(value));
        if automaton.agent_of(node).is_some() {
            let best = policy.best(node, state).expect("something can be done");
            let transition = &automaton.transitions[best];
            let next = policy.value(transition.target, &transition.apply(state));
            assert_eq!(next, Some(value), "{}", automaton.describe(node, state));
        }
    }
}

#[test]
fn damaged_diagrams_are_refused_or_harmless() {
    let automaton = family("connect", &[3, 3, 3]);
    let preferences = Preferences::of(&automaton, false);
    let found = regress_in_layers(&automaton, &preferences, &Limits::default(), &mut |_| ());
    let bytes = diagram_to_bytes(&found.expect("it can be solved").policy());
    for length in (0..bytes.len()).step_by(97) {
        assert!(diagram_from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    for place in (0..bytes.len()).step_by(31) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x55;
        if let Ok(policy) = diagram_from_bytes(&damaged) {
            // Another policy, perhaps, but one that can be asked.
            policy.value(policy.automaton.start_node, &policy.automaton.start);
        }
    }
}

#[test]
fn yes_and_no_for_every_value_make_the_value() {
    for automaton in [
        family("place", &[3, 3, 3]),
        family("connect", &[4, 3, 3]),
        family("nim", &[2, 2]),
        chase(),
    ] {
        let asked = thresholds(&automaton).expect("the agents are opposed");
        let judge = exhaustive(&automaton, &Preferences::of(&automaton, false), Listed::Possible);
        for least in asked {
            let question = at_least(&automaton, least);
            let policy = find_policy(&question, &Options::default(), &mut |_| ());
            let policy = policy.expect("it can be solved").policy;
            for (node, state, value) in judge.iter() {
                let reward = |value: Value, of: &Automaton| {
                    *of.outcomes[value.outcome].rewards.iter().next().expect("an agent")
                };
                let said = policy.query(node, state).expect("complete").value;
                let enough = i64::from(reward(value, &automaton) >= least);
                assert_eq!(reward(said, &question), enough, "{}", automaton.describe(node, state));
            }
        }
    }
}
