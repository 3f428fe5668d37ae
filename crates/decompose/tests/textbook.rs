//! The games of the textbook's chapter on factoring come apart as they should, and it is proved.

use gambol_decompose::{
    Combination, Composition, DecomposeOptions, Decomposition, Explanation, Link, Pays,
    Termination, decompose, explain_fluents, finite_subgame_net, write_gdl,
};
use gambol_index::Id;
use gambol_net::{FluentId, Net};

fn net_of(text: &[u8]) -> Net {
    let rules = gambol_syntax::read(text, &Default::default()).rules.expect("it parses");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("it grounds");
    gambol_net::simplify(&gambol_net::build(&ground).expect("it is a net"))
}

fn bundled(name: &str) -> Net {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    net_of(&std::fs::read(path).expect("the game is bundled"))
}

fn options() -> DecomposeOptions {
    let mut options = DecomposeOptions::default();
    options.playouts = 1_000;
    options.prove = true;
    options
}

/// Dependent, useless dependent, independent.
fn counts(found: &Decomposition) -> [usize; 3] {
    let counts = found.counts();
    [counts.action_dependent, counts.useless_action_dependent, counts.action_independent]
}

fn check(name: &str, expected: [usize; 3]) -> Decomposition {
    let found = decompose(&bundled(name), &options());
    assert_eq!(counts(&found), expected, "{name}");
    found
}

/// The parts that are played, as the names of their fluents.
fn played(net: &Net, found: &Decomposition) -> Vec<Vec<String>> {
    let parts = found.subgames.iter().filter(|part| part.action_dependent);
    parts.map(|part| part.fluents.iter().map(|&f| net.fluents[f].to_string()).collect()).collect()
}

#[test]
fn one_row_of_lights_is_one_game_with_a_clock() {
    let found = check("buttons-and-lights", [1, 0, 1]);
    assert_eq!((found.composition, found.basis.as_str()), (Composition::None, "proved"));
}

#[test]
fn of_three_rows_two_may_be_useless() {
    let found = check("multiple-buttons-and-lights", [3, 2, 0]);
    assert_eq!((found.composition, found.basis.as_str()), (Composition::Multiple, "proved"));
}

#[test]
fn any_row_may_end_the_game() {
    let found = check("best-buttons-and-lights", [3, 0, 1]);
    assert_eq!((found.termination, found.basis.as_str()), (Termination::Disjunctive, "proved"));
    check("best-buttons-and-lights-fuse", [3, 0, 1]);
}

#[test]
fn all_rows_may_be_needed_to_end_the_game() {
    let found = check("all-buttons-and-lights", [3, 0, 1]);
    assert_eq!((found.termination, found.basis.as_str()), (Termination::Conjunctive, "proved"));
}

#[test]
fn compound_moves_fall_into_classes() {
    let found = check("joint-buttons-and-lights", [3, 0, 1]);
    assert_eq!((found.composition, found.basis.as_str()), (Composition::CompoundMoves, "proved"));
    for part in found.subgames.iter().filter(|part| part.action_dependent) {
        let sizes: Vec<usize> = part.meta_actions.iter().map(|class| class.moves.len()).collect();
        assert_eq!(sizes, [9, 9, 9]);
    }
}

#[test]
fn classes_that_meet_in_pairs_need_not_meet_together() {
    check("joint-buttons-and-lights-latin", [1, 0, 1]);
}

#[test]
fn parts_that_cannot_be_steered_apart_are_joined_and_no_others() {
    let net = bundled("joint-buttons-and-lights-gap");
    let found = decompose(&net, &options());
    assert_eq!(counts(&found), [2, 0, 1]);
    let mut sizes: Vec<usize> = played(&net, &found).iter().map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [3, 6]);
}

#[test]
fn each_lamp_is_a_game() {
    let found = check("four-lamps", [4, 1, 0]);
    assert!(found.basis.is_proved());
}

#[test]
fn boards_that_nobody_counts_are_whole_boards() {
    check("multiple-tic-tac-toe", [3, 2, 1]);
}

#[test]
fn a_board_and_a_heap_are_two_games() {
    let found = check("noughts-and-heap", [2, 0, 1]);
    assert_eq!((found.composition, found.basis.as_str()), (Composition::CompoundMoves, "proved"));
}

#[test]
fn heaps_are_impartial_and_boards_that_each_covers_in_his_own_way_are_not() {
    let composition = |name| {
        let mut sampled = options();
        sampled.prove = false;
        decompose(&bundled(name), &sampled).composition
    };
    assert_eq!(composition("nim"), Composition::Impartial);
    assert_eq!(composition("domineering-four-boards"), Composition::ParallelAsynchronous);
}

#[test]
fn single_games_stay_whole() {
    for name in ["tic-tac-toe", "connect-four", "hanoi", "eight-puzzle", "untwisty-corridor"] {
        let found = decompose(&bundled(name), &options());
        assert_eq!(found.counts().action_dependent, 1, "{name}");
    }
}

#[test]
fn two_boards_come_apart_once_the_square_between_them_is_taken() {
    let net = bundled("joint-tic-tac-toe");
    let whole = decompose(&net, &options());
    assert_eq!(counts(&whole), [1, 0, 1]);
    let at = after_first_move_on_the_bridge(&net);
    let mut options = options();
    options.at = Some(at);
    let rest = decompose(&net, &options);
    assert_eq!(rest.counts().action_dependent, 2);
}

/// The state after a first move that uses the bridge.
fn after_first_move_on_the_bridge(net: &Net) -> Vec<FluentId> {
    let mut engine = gambol_net::NetEngine::new(net);
    let start = engine.initial();
    let legal = engine.legal(&start);
    let is_bridge = |name: &str| name.contains("bridge");
    let joint: Vec<_> = net
        .roles
        .ids()
        .map(|role| {
            let mut moves = legal.iter().copied().filter(|&action| net.moves[action].role == role);
            let first = moves.clone().next().expect("every role has a move");
            moves.find(|&action| is_bridge(&net.moves[action].name)).unwrap_or(first)
        })
        .collect();
    engine.next(&start, &joint).fluents()
}

#[test]
fn a_part_is_a_game_that_comes_apart_no_further() {
    let names = [
        "joint-buttons-and-lights",
        "best-buttons-and-lights",
        "multiple-buttons-and-lights",
        "four-lamps",
        "nim",
    ];
    for name in names {
        let net = bundled(name);
        let found = decompose(&net, &options());
        for id in found.subgames.ids().filter(|&id| found.subgames[id].action_dependent) {
            let part = finite_subgame_net(&net, &found, id).expect("a part is a net");
            let text = write_gdl(&part);
            let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules;
            let faults = gambol_syntax::check(&rules.expect("it parses"));
            assert!(faults.is_empty(), "{name}, part {}: {faults:?}", id.index());
            let inner = decompose(&net_of(text.as_bytes()), &options());
            assert_eq!(inner.counts().action_dependent, 1, "{name}, part {}", id.index());
        }
    }
}

/// Two heaps; whoever takes from one keeps the other by taking, not by passing.
#[test]
fn a_heap_stays_while_the_other_is_played() {
    let text = b"(role a) (role b) (init (heap x 3)) (init (heap y 3)) (init (turn a))
        (less 0 1) (less 0 2) (less 1 2) (less 0 3) (less 1 3) (less 2 3)
        (<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
        (<= (legal ?p (take ?h ?n)) (true (turn ?p)) (true (heap ?h ?m)) (less ?n ?m))
        (<= (next (heap ?h ?n)) (does ?p (take ?h ?n)))
        (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (does ?p (take ?k ?m)) (distinct ?h ?k))
        (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
        (<= terminal (true (heap x 0)) (true (heap y 0)))
        (<= (goal ?p 0) (true (turn ?p))) (<= (goal ?p 100) (role ?p) (not (true (turn ?p))))";
    let net = net_of(text);
    let found = decompose(&net, &options());
    assert_eq!(counts(&found), [2, 0, 1]);
    for id in found.subgames.ids().filter(|&id| found.subgames[id].action_dependent) {
        let part = finite_subgame_net(&net, &found, id).expect("a part is a net");
        let inner = decompose(&part, &options());
        assert_eq!(counts(&inner)[0], 1, "the heap is one thing, and it is never gone");
    }
}

#[test]
fn the_same_seed_gives_the_same_parts() {
    let net = bundled("nim");
    let (one, other) = (decompose(&net, &options()), decompose(&net, &options()));
    assert_eq!(one.subgames, other.subgames);
}

#[test]
fn a_game_without_a_legal_move_has_nothing_to_take_apart() {
    let rules = "(role robot) (init (at 1)) (<= (legal robot go) (true (at 2)))
                 (<= (next (at 1)) (true (at 1))) (<= terminal (true (at 3))) (goal robot 0)";
    let found = decompose(&net_of(rules.as_bytes()), &options());
    assert_eq!(counts(&found), [0, 0, 0]);
}

#[test]
fn an_end_that_is_recursive_is_read_once() {
    let net = net_of(
        b"(role r) (legal r (press a)) (legal r (press b))
          (<= (next (lit ?x)) (does r (press ?x))) (<= (next (lit ?x)) (true (lit ?x)))
          (link a b) (link b a) (<= (near ?x) (true (lit ?x))) (<= (near ?x) (near ?y) (link ?x ?y))
          (<= terminal (near a)) (<= (goal r 100) (near a)) (<= (goal r 0) (not (near a)))",
    );
    assert!(decompose(&net, &options()).complete);
}

/// Three lamps, each with a switch; a score for so many of them.
fn lamps(goals: &str) -> Net {
    let text = format!(
        "(role r) (lamp 1) (lamp 2) (lamp 3) (init (step 1)) (s 1 2) (s 2 3) (s 3 4)
         (<= (legal r (press ?l)) (lamp ?l)) (<= (next (on ?l)) (does r (press ?l)))
         (<= (next (on ?l)) (true (on ?l))) (<= (next (step ?y)) (true (step ?x)) (s ?x ?y))
         (<= terminal (true (step 4)))
         (<= two (true (on 1)) (true (on 2))) (<= two (true (on 1)) (true (on 3)))
         (<= two (true (on 2)) (true (on 3))) (<= odd (true (on 1)) (not (true (on 2))))
         (<= odd (true (on 2)) (not (true (on 1)))) {goals}"
    );
    net_of(text.as_bytes())
}

#[test]
fn two_lamps_of_three_are_a_threshold() {
    let net = lamps("(<= (goal r 100) two) (<= (goal r 0) (not two))");
    let found = decompose(&net, &options());
    assert_eq!((counts(&found), found.basis.as_str()), ([3, 0, 1], "proved"));
    let form = &found.scores[0];
    assert_eq!((form.combination, form.parts.len()), (Combination::AtLeast(2), 3));
    assert_eq!(form.pays, Pays::Count(vec![Some(0), Some(0), Some(100), Some(100)]));
}

#[test]
fn exclusive_or_is_no_threshold() {
    let net = lamps("(<= (goal r 100) odd) (<= (goal r 0) (not odd))");
    let found = decompose(&net, &options());
    assert_eq!(counts(&found), [2, 1, 1]);
}

#[test]
fn lamps_that_each_pay_have_shares() {
    let goals = "(<= (goal r 100) (true (on 1)) (true (on 2)))
        (<= (goal r 60) (true (on 1)) (not (true (on 2))))
        (<= (goal r 40) (true (on 2)) (not (true (on 1))))
        (<= (goal r 0) (not (true (on 1))) (not (true (on 2))))";
    let found = decompose(&lamps(goals), &options());
    assert_eq!((counts(&found), found.basis.as_str()), ([3, 1, 1], "proved"));
    let form = &found.scores[0];
    let Pays::Shares { base: 0, shares } = &form.pays else { panic!("{form:?}") };
    let mut shares = shares.clone();
    shares.sort_unstable();
    assert_eq!((form.combination, shares), (Combination::All, vec![40, 60]));
}

/// Two boards of two squares; each of two players marks a square on both boards in every step, both at once.
const BOTH_BOARDS: &str = "(role x) (role y) (square a) (square b) (board 1) (board 2)
    (<= (init (cell ?n ?s free)) (board ?n) (square ?s))
    (<= (legal ?r (mark ?s ?t)) (role ?r) (true (cell 1 ?s free)) (true (cell 2 ?t free)))
    (<= (marks ?r 1 ?s) (does ?r (mark ?s ?t))) (<= (marks ?r 2 ?t) (does ?r (mark ?s ?t)))
    (<= (next (cell ?n ?s y)) (marks y ?n ?s))
    (<= (next (cell ?n ?s x)) (marks x ?n ?s) (not (marks y ?n ?s)))
    (<= (marked ?n ?s) (marks ?r ?n ?s))
    (<= (next (cell ?n ?s ?m)) (true (cell ?n ?s ?m)) (not (marked ?n ?s)))
    (<= (open ?n) (true (cell ?n ?s free)))
    (<= terminal (board ?n) (not (open ?n)))
    (<= (won ?n) (true (cell ?n a x))) (<= (held ?n) (true (cell ?n b y)))
    (<= (goal x 100) (won 1) (won 2)) (<= (goal x 50) (won 1) (not (won 2)))
    (<= (goal x 50) (won 2) (not (won 1))) (<= (goal x 0) (not (won 1)) (not (won 2)))
    (<= (goal y 100) (held 1) (held 2)) (<= (goal y 50) (held 1) (not (held 2)))
    (<= (goal y 50) (held 2) (not (held 1))) (<= (goal y 0) (not (held 1)) (not (held 2)))";

#[test]
fn boards_that_both_players_mark_at_once_are_apart() {
    let found = decompose(&net_of(BOTH_BOARDS.as_bytes()), &options());
    assert_eq!((counts(&found), found.basis.as_str()), ([2, 0, 0], "proved"));
    assert_eq!(found.composition, Composition::CompoundMoves);
    let shares = Pays::Shares { base: 0, shares: vec![50, 50] };
    assert!(found.scores.iter().all(|form| form.pays == shares), "{:?}", found.scores);
}

/// The chain leads from the first fluent to the second without a gap.
fn check_chain(chain: &[Link], [from, to]: [FluentId; 2]) {
    assert!(chain[0].fluents().contains(&from), "{chain:?}");
    assert!(chain[chain.len() - 1].fluents().contains(&to), "{chain:?}");
    let linked = |pair: &[Link]| pair[0].fluents().iter().any(|f| pair[1].fluents().contains(f));
    assert!(chain.windows(2).all(linked), "{chain:?}");
}

#[test]
fn two_boards_hang_together_by_the_square_that_both_count() {
    let net = bundled("joint-tic-tac-toe");
    let found = decompose(&net, &options());
    let corner = |board: &str| {
        let name = format!("(square {board} 1 1 x)");
        net.fluents.iter_ids().find(|(_, n)| ***n == *name).expect("it is a fluent").0
    };
    let corners = [corner("left"), corner("right")];
    let together = explain_fluents(&net, &found, corners);
    let Explanation::Together { chain, .. } = together else { panic!("{together:?}") };
    check_chain(&chain, corners);
}

#[test]
fn why_fluents_are_together_or_apart() {
    let net = bundled("joint-buttons-and-lights");
    let found = decompose(&net, &options());
    let part = |number: usize| &found.subgames.as_slice()[number].fluents;
    let together = explain_fluents(&net, &found, [part(0)[0], part(0)[2]]);
    let Explanation::Together { chain, .. } = together else { panic!("{together:?}") };
    assert!(chain.iter().all(|link| matches!(link, Link::Tie(_))), "{chain:?}");
    check_chain(&chain, [part(0)[0], part(0)[2]]);
    let apart = explain_fluents(&net, &found, [part(0)[0], part(1)[0]]);
    let Explanation::Apart { parts, claims } = apart else { panic!("{apart:?}") };
    assert_eq!(parts.map(|part| part.index()), [0, 1]);
    assert!(claims.iter().all(|(_, basis)| basis.is_proved()));
}
