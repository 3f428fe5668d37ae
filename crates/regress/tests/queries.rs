//! A query is answered about the state that was asked for: every state is written as text, in both ways, read again and
//! its answer compared with exhaustive evaluation.

use gambol_analysis::{ShapeOptions, shape};
use gambol_net::{FluentId, Net};
use gambol_regress::{
    Automaton, Cube, Exhaustive, Family, GameAutomaton, Limits, Listed, NodeId, Options, Policy,
    Preferences, StateError, Value, automaton_of_game, find_policy, read_automaton, read_query,
    to_text,
};
use gambol_syntax::{ReadOptions, print, read_terms};

fn net(rules: &str) -> Net {
    let reading = gambol_syntax::read(rules.as_bytes(), &ReadOptions::default());
    let rules =
        gambol_syntax::repair(reading.rules.expect("it parses")).rules.expect("it is valid");
    let ground = gambol_ground::instantiate(&rules, &gambol_ground::Limits::default());
    gambol_net::build(&ground.expect("it can be grounded")).expect("it has a net")
}

fn game(rules: &str) -> (Net, GameAutomaton) {
    let net = net(rules);
    let shape = shape(&net, &ShapeOptions::default());
    let game =
        automaton_of_game("game", &net, &shape, &Limits::default()).expect("it can be treated");
    (net, game)
}

fn terms(text: &str) -> Result<Vec<String>, String> {
    let (table, terms) =
        read_terms(text.as_bytes(), &ReadOptions::default()).map_err(|e| format!("{e:?}"))?;
    Ok(terms.iter().map(|&term| print::term(&table, term)).collect())
}

fn asked(automaton: &Automaton, text: &str) -> Result<(NodeId, Cube), StateError> {
    read_query(automaton, text, terms)
}

fn solved(automaton: &Automaton) -> (Policy, Vec<(NodeId, Cube, Value)>) {
    let preferences = Preferences::of(automaton, false);
    let judge =
        Exhaustive::solve(automaton, &preferences, Listed::Reachable, 1 << 20, &Limits::default());
    let judge = judge.expect("it is small");
    let states = judge.iter().filter(|(node, ..)| automaton.agent_of(*node).is_some());
    let states = states.map(|(node, state, value)| (node, state.clone(), value)).collect();
    let policy =
        find_policy(automaton, &Options::default(), &mut |_| ()).expect("it can be solved").policy;
    (policy, states)
}

fn check(policy: &Policy, text: &str, (node, state, value): &(NodeId, Cube, Value)) {
    let found = asked(&policy.automaton, text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(found, (*node, state.clone()), "{text}");
    let answer = policy.query(found.0, &found.1).expect("the policy is complete");
    assert_eq!(answer.value, *value, "{text}");
}

#[test]
fn every_state_of_an_automaton_is_read_as_it_is_written() {
    for (name, sizes) in
        [("nim", &[2, 3][..]), ("place", &[3, 2, 2]), ("connect", &[3, 3, 3]), ("lights", &[2, 2])]
    {
        let text = Family::named(name, sizes).expect("a family").text();
        let automaton = read_automaton(&text).expect("it is well-formed");
        let (policy, states) = solved(&automaton);
        assert!(states.len() > 8, "{name}");
        for entry in &states {
            check(&policy, &automaton.describe(entry.0, &entry.1), entry);
        }
    }
}

/// Facts in every order that begins with another one, as long as there are not too many.
fn check_game(rules: &str) -> usize {
    let (net, game) = game(rules);
    let text = to_text(&game.automaton);
    let automaton = read_automaton(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!((to_text(&automaton), &automaton.facts), (text, &game.automaton.facts));
    let (policy, states) = solved(&automaton);
    for entry in &states {
        let fluents = game.fluents_of(entry.0, &entry.1);
        let name = |fluent: &FluentId| net.fluents[*fluent].to_string();
        let mut facts: Vec<String> = fluents.iter().map(name).collect();
        for _ in 0..facts.len().clamp(1, 8) {
            match asked(&automaton, &facts.join(" ")) {
                Err(StateError::Ambiguous(_)) => assert!(facts.len() < 2, "{facts:?}"),
                _ => check(&policy, &facts.join(" "), entry),
            }
            let first = facts.len().min(1);
            facts.rotate_left(first);
        }
        check(&policy, &automaton.describe(entry.0, &entry.1), entry);
        check_absent(&net, &automaton, &facts, entry);
    }
    states.len()
}

/// With a fact more or one less it is another state, or none.
fn check_absent(net: &Net, automaton: &Automaton, facts: &[String], entry: &(NodeId, Cube, Value)) {
    let here = (entry.0, entry.1.clone());
    for fluent in net.fluents.iter().filter(|fluent| !facts.contains(&fluent.to_string())) {
        let text = format!("{} {fluent}", facts.join(" "));
        assert!(
            asked(automaton, &text).is_err() || asked(automaton, &text) != Ok(here.clone()),
            "{text}"
        );
    }
    for place in 0..facts.len() {
        let fewer: Vec<String> = [&facts[..place], &facts[place + 1..]].concat();
        let text = fewer.join(" ");
        let found = asked(automaton, &text);
        // A single word, or nothing, may be the node of a state: the rest is as at the start.
        assert!(fewer.len() < 2 || found != Ok(here.clone()), "{text}");
    }
}

const BOOLEANS: &str = "(role p) (init (step 0)) (succ 0 1) (succ 1 2) (legal p x) (legal p none)
    (<= (next x) (does p x)) (<= (next y) (true x) (does p x))
    (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b))
    (<= terminal (true (step 2))) (<= (goal p 100) (true y)) (<= (goal p 0) (not (true y)))";

#[test]
fn a_fact_without_arguments_is_true_if_it_is_named() {
    let (_, game) = game(BOOLEANS);
    let (policy, _) = solved(&game.automaton);
    let worth = |text: &str| {
        let (node, state) = asked(&game.automaton, text).expect("it is a state");
        let value = policy.query(node, &state).expect("it is complete").value;
        game.automaton.outcomes[value.outcome].rewards.iter().copied().collect::<Vec<_>>()
    };
    assert_eq!(worth("(step 1) x"), [100]);
    assert_eq!(worth("x (step 1)"), [100]);
    assert_eq!(worth("(step 1)"), [0]);
    assert_eq!(worth("play \"(step ?)\"=1 x=yes y=no"), [100]);
    check_game(BOOLEANS);
}

#[test]
fn facts_that_say_no_state_are_refused_by_name() {
    let (_, game) = game(BOOLEANS);
    let refused =
        |text: &str| asked(&game.automaton, text).expect_err("it is no state").to_string();
    assert!(refused("(step 1) z").contains("`z` is no fact"));
    assert!(refused("(step 7)").contains("`(step 7)` is no fact"));
    assert!(
        refused("(step 1) (step 2)").contains("`(step 1)` and `(step 2)` are never true together")
    );
    assert!(refused("x y").contains("(step 0), (step 1), (step 2)"));
    assert!(refused("(step 1").contains("write a state as"));
    assert!(refused("x=maybe").contains("`x` cannot be `maybe`"));
    assert!(refused("z=yes").contains("no variable is called `z`"));
    let family =
        read_automaton(&Family::named("nim", &[1, 2]).expect("a family").text()).expect("it reads");
    assert!(asked(&family, "(heap 1)").is_err());
}

/// Words that the program uses itself: `none`, `no`, `yes`, `play`, `end`, and turns without arguments.
#[test]
fn the_words_of_a_game_are_not_those_of_the_program() {
    check_game(
        "(role p) (init (step 0)) (init (on none)) (init none) (init play) (succ 0 1) (succ 1 2) (succ 2 3)
        (colour none) (colour no) (colour yes) (<= (legal p ?c) (colour ?c)) (legal p end)
        (<= (next (on ?c)) (does p ?c)) (<= (next (on ?c)) (true (on ?c)) (does p end))
        (<= (next none) (true none) (not (does p no))) (<= (next no) (does p no))
        (<= (next yes) (true no) (does p yes)) (<= (next play) (true play))
        (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b)) (<= terminal (true (step 3)))
        (<= (goal p 100) (true yes) (true (on none))) (<= (goal p 50) (not (true none)) (not (true yes)))
        (<= (goal p 0) (true none)) (<= (goal p 0) (true yes) (not (true (on none))) (not (true none)))",
    );
    check_game(
        "(role a) (role b) (init mine) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b)) (<= terminal (true (step 5)))
        (init (left 4)) (after 4 3) (after 3 2) (after 2 1) (after 1 0)
        (<= (legal a (take ?n)) (true mine) (true (left ?n))) (<= (legal a skip) (true mine) (not (true spent)))
        (<= (legal b (take ?n)) (true yours) (true (left ?n))) (<= (legal b skip) (true yours) (not (true spent)))
        (<= (legal a wait) (true yours)) (<= (legal b wait) (true mine))
        (<= (next yours) (true mine)) (<= (next mine) (true yours))
        (<= (next spent) (true spent)) (<= (next spent) (does a skip)) (<= (next spent) (does b skip))
        (<= (next (left ?m)) (does ?r (take ?n)) (after ?n ?m)) (<= (next (left ?m)) (does ?r skip) (true (left ?n)) (after ?n ?m))
        (<= terminal (true (left 0))) (<= (goal a 100) (true mine)) (<= (goal a 0) (true yours))
        (<= (goal b 100) (true yours)) (<= (goal b 0) (true mine))",
    );
}

#[test]
fn every_state_of_generated_games_is_read_as_it_is_written() {
    let cases = std::env::var("GAMBOL_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let mut states = 0;
    for seed in 0..cases {
        states += check_game(&generated(seed));
    }
    assert!(states > 5 * cases as usize, "{states}");
}

/// Switches, a counter, and one of several colours; what each becomes is drawn.
fn generated(seed: u64) -> String {
    let mut state = seed;
    let mut below = |bound: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let words = ["x", "y", "no", "yes", "none", "play", "(f x)", "(f none)", "(g no yes)"];
    let switches: Vec<&str> = words.into_iter().filter(|_| below(2) == 0).chain(["z"]).collect();
    let steps = 2 + below(2);
    let mut text = format!(
        "(role p) (init (step 0)) (legal p go) (legal p stay) (legal p none) (init (on c0))
        (<= (next (step ?b)) (true (step ?a)) (succ ?a ?b)) (<= terminal (true (step {steps})))\n"
    );
    (0..steps).for_each(|step| text += &format!("(succ {step} {}) ", step + 1));
    let colours = ["c0", "none", "no"];
    for (one, from) in colours.iter().enumerate() {
        for action in ["go", "stay", "none"] {
            let to = colours[(one as u64 + below(3)) as usize % 3];
            // Where no colour follows there is none from then on.
            if below(5) > 0 {
                text += &format!("(<= (next (on {to})) (true (on {from})) (does p {action}))\n");
            }
        }
    }
    for switch in &switches {
        if below(4) == 0 {
            text += &format!("(init {switch}) ");
        }
        for _ in 0..1 + below(2) {
            let other = switches[below(switches.len() as u64) as usize];
            let negated = if below(2) == 0 {
                format!("(not (true {other}))")
            } else {
                format!("(true {other})")
            };
            let action = ["go", "stay", "none"][below(3) as usize];
            text += &format!("(<= (next {switch}) (does p {action}) {negated})\n");
        }
        text += &format!("(<= (next {switch}) (true {switch}) (does p stay))\n");
    }
    let goal = switches[below(switches.len() as u64) as usize];
    text + &format!("(<= (goal p 100) (true {goal})) (<= (goal p 0) (not (true {goal})))")
}
