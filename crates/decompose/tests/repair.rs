//! Where playouts do not come nothing is known to be apart. The proof finds ties there, and shows them by lines of
//! play; or it shows that there are none.

use gambol_decompose::{DecomposeOptions, Decomposition, Line, Repair, Requirement, decompose};
use gambol_net::{BaseMarking, Net, NetEngine};

fn net_of(text: &str) -> Net {
    let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules;
    let ground = gambol_ground::instantiate(&rules.expect("it parses"), &Default::default());
    let net = gambol_net::build(&ground.expect("it grounds")).expect("it is a net");
    gambol_net::simplify(&net)
}

/// Two ladders of 16 rungs. Each step one climbs a rung of one of them, or falls off it; so in random
/// play nobody comes to the top. `steps` steps are played, and `tie` is added to the rules.
fn ladders(steps: usize, tie: &str) -> Net {
    let rungs: String = (0..16).map(|rung| format!("(above {rung} {}) ", rung + 1)).collect();
    let times: String = (0..steps).map(|time| format!("(then {time} {}) ", time + 1)).collect();
    let text = format!(
        "(role r) {rungs} (above 16 16) {times} (ladder left) (ladder right)
         (init (time 0)) (<= (init (on ?l 0)) (ladder ?l))
         (<= (legal r (climb ?l)) (ladder ?l)) (<= (legal r (fall ?l)) (ladder ?l))
         (<= (next (time ?u)) (true (time ?t)) (then ?t ?u))
         (<= (next (on ?l 0)) (does r (fall ?l)))
         (<= (next (on ?l ?n)) (true (on ?l ?n)) (does r (climb ?k)) (ladder ?l) (distinct ?k ?l))
         (<= (next (on ?l ?n)) (true (on ?l ?n)) (does r (fall ?k)) (ladder ?l) (distinct ?k ?l))
         (<= (next (on left ?n)) (does r (climb left)) (true (on left ?m)) (above ?m ?n))
         {tie}
         (<= terminal (true (time {steps})))
         (<= won (true (on left 3)) (true (on right 3)))
         (<= (goal r 100) won) (<= (goal r 0) (not won))"
    );
    net_of(&text)
}

/// The right ladder is as slippery as this says.
const FREE: &str =
    "(<= (next (on right ?n)) (does r (climb right)) (true (on right ?m)) (above ?m ?n))";
const SLIPPERY: &str = "
    (<= (next (on right ?n)) (does r (climb right)) (true (on right ?m)) (above ?m ?n)
        (not (true (on left 16))))
    (<= (next (on right 0)) (does r (climb right)) (true (on left 16)))";

fn taken_apart(net: &Net, prove: bool) -> Decomposition {
    let mut options = DecomposeOptions::default();
    options.playouts = 500;
    options.prove = prove;
    decompose(net, &options)
}

fn parts(found: &Decomposition) -> usize {
    found.counts().action_dependent
}

#[test]
fn ladders_that_do_not_touch_are_two_games() {
    let found = taken_apart(&ladders(20, FREE), true);
    assert_eq!((parts(&found), found.basis.as_str()), (2, "proved"));
    assert!(found.repairs.is_empty());
}

#[test]
fn a_tie_at_the_top_is_shown_by_the_proof() {
    let net = ladders(20, SLIPPERY);
    let by_play = taken_apart(&net, false);
    assert_eq!((parts(&by_play), by_play.repairs.len()), (1, 0));
    let found = taken_apart(&net, true);
    assert_eq!((parts(&found), found.basis.as_str()), (1, "proved"));
    let [repair] = found.repairs.as_slice() else { panic!("one repair, not {:?}", found.repairs) };
    assert_eq!((repair.requirement, repair.joined.len()), (Requirement::Closure, 2));
    for line in &repair.lines {
        replayed(&net, repair, line);
    }
}

/// The state that a line of play leads to; it is real play.
fn replayed(net: &Net, repair: &Repair, line: &Line) -> BaseMarking {
    let mut engine = NetEngine::new(net);
    let mut state = engine.initial();
    assert_eq!(state.fluents(), repair.start);
    for joint in &line.moves {
        assert!(joint.iter().all(|action| engine.legal(&state).contains(action)));
        state = engine.next(&state, joint);
    }
    assert_eq!(state.fluents(), line.state);
    state
}

#[test]
fn a_tie_that_play_has_no_time_to_reach_is_none_once_it_is_proved() {
    let net = ladders(14, SLIPPERY);
    assert_eq!(parts(&taken_apart(&net, false)), 1);
    let found = taken_apart(&net, true);
    assert_eq!((parts(&found), found.sound.as_str()), (2, "proved"));
    assert!(found.repairs.is_empty());
}

/// Three lamps with a switch each; `c` can be lit only while `a` is. To win, `a` must be lit, and of
/// `b` and `c` as many as `won` says.
fn lamps(won: &str) -> Net {
    let lamp = |lamp: &str, condition: &str| {
        format!(
            "(legal r (press {lamp}))
             (<= (next (lit {lamp})) (does r (press {lamp})) (not (true (lit {lamp}))) {condition})
             (<= (next (lit {lamp})) (true (lit {lamp})) (not (does r (press {lamp}))))"
        )
    };
    let lamps = [lamp("a", ""), lamp("b", ""), lamp("c", "(true (lit a))")].concat();
    net_of(&format!(
        "(role r) (legal r wait) {lamps} {won} (init (time 0))
         (then 0 1) (then 1 2) (then 2 3) (then 3 4) (then 4 5)
         (<= (next (time ?u)) (true (time ?t)) (then ?t ?u))
         (<= terminal (true (time 5)))
         (<= (goal r 100) won) (<= (goal r 0) (not won))"
    ))
}

#[test]
fn lamps_that_are_good_only_without_one_another_are_one_game() {
    let net = lamps(
        "(<= won (true (lit a)) (true (lit c)) (not (true (lit b))))
         (<= won (true (lit a)) (not (true (lit c))) (true (lit b)))",
    );
    assert_eq!(parts(&taken_apart(&net, false)), 2);
    let found = taken_apart(&net, true);
    assert_eq!((parts(&found), found.basis.as_str()), (1, "proved"));
    let [repair] = found.repairs.as_slice() else { panic!("one repair, not {:?}", found.repairs) };
    assert_eq!((repair.requirement, repair.lines.len()), (Requirement::Scores, 4));
    let goals = repair.lines.iter().map(|line| {
        let mut engine = NetEngine::new(&net);
        let end = replayed(&net, repair, line);
        assert!(engine.terminal(&end));
        engine.goals(&end)[repair.role.expect("it is about a score")]
    });
    assert_eq!(goals.collect::<Vec<_>>(), [Some(100), Some(0), Some(0), Some(100)]);
}

#[test]
fn lamps_that_are_good_whatever_the_others_do_stay_apart() {
    let both = lamps("(<= won (true (lit a)) (true (lit c)) (true (lit b)))");
    let found = taken_apart(&both, true);
    assert_eq!((parts(&found), found.basis.as_str()), (2, "proved"));
    // Neither a conjunction nor a disjunction, but to light a lamp does no harm.
    let enough =
        lamps("(<= won (true (lit a)) (true (lit c))) (<= won (true (lit a)) (true (lit b)))");
    assert!(taken_apart(&enough, true).repairs.is_empty());
}
