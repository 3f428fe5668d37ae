//! Certificates of cuts are accepted if the rules bear them out, by listing and by questions, and not
//! otherwise.

use std::collections::BTreeSet;

use gambol_decompose::{DecomposeOptions, certify_cut, decompose};
use gambol_net::Net;
use gambol_reference::Interpreter;
use gambol_syntax::Rules;
use gambol_verify_cuts::{
    CheckOptions, Checked, Condition, CutCertificate, CutRefusal, Gate, Means, Refutation, Scores,
    check_cut, check_cut_by_questions,
};

struct Game {
    rules: Rules,
    net: Net,
}

fn bundled(name: &str) -> Game {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    game(&std::fs::read_to_string(path).expect("the game is bundled"))
}

fn game(text: &str) -> Game {
    let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules;
    let rules = rules.expect("it parses");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("it grounds");
    let net = gambol_net::simplify(&gambol_net::build(&ground).expect("it is a net"));
    Game { rules, net }
}

fn certified(game: &Game) -> CutCertificate {
    let mut options = DecomposeOptions::default();
    options.playouts = 1_000;
    options.prove = true;
    certify_cut(&game.net, &decompose(&game.net, &options), None).expect("something is proved")
}

fn check(game: &Game, certificate: &CutCertificate, states: usize) -> Result<Checked, CutRefusal> {
    let mut interpreter = Interpreter::new(&game.rules).expect("it can be interpreted");
    let options = CheckOptions { most_states: states, stop: None };
    check_cut(&mut interpreter, || Some(&game.net), certificate, &options)
}

#[test]
fn what_was_proved_is_accepted_by_listing() {
    for name in ["joint-buttons-and-lights", "best-buttons-and-lights-fuse", "four-lamps"] {
        let game = bundled(name);
        let checked = check(&game, &certified(&game), 100_000).expect(name);
        assert!(matches!(checked.means, Means::Listing(_)), "{name}");
        assert!(checked.sound && checked.classes_exact && checked.scores_split, "{name}");
    }
}

#[test]
fn what_was_proved_is_accepted_by_questions() {
    for name in [
        "joint-buttons-and-lights",
        "best-buttons-and-lights-fuse",
        "four-lamps",
        "multiple-buttons-and-lights",
        "noughts-and-heap",
        "tic-tac-toe",
        "double-tic-tac-toe",
    ] {
        let game = bundled(name);
        let certificate = certified(&game);
        let checked = check(&game, &certificate, 1).expect(name);
        assert!(matches!(checked.means, Means::Questions(_)), "{name}");
        assert!(checked.sound && checked.classes_exact, "{name}");
    }
}

/// Whether the steps follow one after the other by unit propagation, and the last is empty: a checker as plain as can
/// be.
fn is_refutation(clauses: &[Vec<i64>], steps: &[Vec<i64>]) -> bool {
    let mut known = clauses.to_vec();
    for step in steps {
        let mut truths: BTreeSet<i64> = step.iter().map(|literal| -literal).collect();
        let contradicts = loop {
            let mut forced = None;
            let mut contradicts = false;
            for clause in &known {
                if clause.iter().any(|literal| truths.contains(literal)) {
                    continue;
                }
                let mut open = clause.iter().filter(|literal| !truths.contains(&-**literal));
                match (open.next(), open.next()) {
                    (None, _) => contradicts = true,
                    (Some(&literal), None) => forced = Some(literal),
                    _ => {}
                }
                if contradicts || forced.is_some() {
                    break;
                }
            }
            match forced {
                _ if contradicts => break true,
                Some(literal) => truths.insert(literal),
                None => break false,
            };
        };
        if !contradicts {
            return false;
        }
        known.push(step.clone());
    }
    steps.last().is_some_and(Vec::is_empty)
}

fn refutations(name: &str) -> Vec<Refutation> {
    let game = bundled(name);
    let interpreter = Interpreter::new(&game.rules).expect("it can be interpreted");
    let (certificate, options) = (certified(&game), CheckOptions::default());
    let mut found = Vec::new();
    let mut keep = |refutation| found.push(refutation);
    let checked =
        check_cut_by_questions(&interpreter, &game.net, &certificate, &options, &mut keep);
    // A few questions may have another answer: which of two ways a score splits, which fluents rest.
    let means = checked.expect(name).means;
    assert!(matches!(means, Means::Questions(asked) if asked < 2 * found.len()), "{name}");
    found
}

#[test]
fn answers_of_the_solver_come_with_refutations_that_others_can_check() {
    for name in ["joint-buttons-and-lights", "four-lamps"] {
        let (mut steps, mut needed) = (0, 0);
        for refutation in refutations(name) {
            assert!(is_refutation(refutation.clauses(), refutation.steps()), "{}", refutation.what);
            let lines = refutation.dimacs().lines().count();
            assert_eq!(lines, refutation.clauses().len() + 2);
            assert_eq!(refutation.drat().lines().count(), refutation.steps().len());
            steps += refutation.steps().len();
            // Without what the solver was asked to refute the rest has a model.
            let said = &refutation.clauses()[..refutation.clauses().len() - 1];
            needed += usize::from(!is_refutation(said, &[Vec::new()]));
        }
        assert!(steps > 0 && needed > 0, "{name}");
    }
}

/// Changes a certificate, gives it a new digest, and sees it refused in both ways.
fn refused(name: &str, what: &str, change: impl Fn(&mut CutCertificate)) {
    let game = bundled(name);
    refused_of(&game, &certified(&game), what, change);
}

fn refused_of(
    game: &Game,
    certificate: &CutCertificate,
    what: &str,
    change: impl Fn(&mut CutCertificate),
) {
    let mut certificate = certificate.clone();
    change(&mut certificate);
    certificate.digest = certificate.compute_digest();
    for states in [100_000, 1] {
        let checked = check(game, &certificate, states);
        assert!(
            matches!(checked, Err(CutRefusal::Condition(_) | CutRefusal::Malformed(_))),
            "{what}, {states} states: {checked:?}"
        );
    }
}

#[test]
fn a_forged_certificate_is_refused() {
    let game = "joint-buttons-and-lights";
    refused(game, "a fluent in another part", |certificate| {
        let fluent = certificate.parts[0].fluents.pop().expect("there is one");
        certificate.parts[1].fluents.push(fluent);
    });
    refused(game, "a fluent that changes in no part", |certificate| {
        let fluent = certificate.parts[0].fluents.pop().expect("there is one");
        certificate.rest.push(fluent);
    });
    refused(game, "a part that is said to run by itself", |certificate| {
        certificate.parts[0].clock = true;
    });
    refused(game, "classes that do different things", |certificate| {
        let moves = certificate.parts[0].classes.remove(1).moves;
        certificate.parts[0].classes[0].moves.extend(moves);
    });
    refused("four-lamps", "a class that is said to be idle", |certificate| {
        certificate.parts[0].classes[0].idle = true;
    });
    refused("four-lamps", "idle moves in a class that acts", |certificate| {
        let idle = certificate.parts[0].classes.iter().position(|class| class.idle);
        let moves = certificate.parts[0].classes.remove(idle.expect("there is one")).moves;
        certificate.parts[0].classes[0].moves.extend(moves);
    });
    refused(game, "a move less", |certificate| {
        certificate.parts[0].classes[0].moves.pop();
    });
    refused(game, "a fluent less", |certificate| {
        certificate.parts[0].fluents.pop();
    });
    refused(game, "a clock that is said to be rest", |certificate| {
        let clock = certificate.parts.iter().position(|part| part.clock).expect("there is one");
        let clock = certificate.parts.remove(clock);
        certificate.rest.extend(clock.fluents);
    });
    refused("best-buttons-and-lights-fuse", "scores that are the end", |certificate| {
        certificate.scores = Some(Scores::End);
    });
    refused(game, "nothing claimed", |certificate| {
        certificate.sound = false;
        certificate.classes_exact = false;
        certificate.scores = None;
    });
}

#[test]
fn an_invariant_that_no_step_keeps_proves_nothing() {
    let game = bundled("joint-buttons-and-lights");
    let mut certificate = certified(&game);
    // True at the start, not later.
    let off = certificate.parts[0].fluents.iter().map(|fluent| (fluent.clone(), false));
    certificate.invariants.push(off.take(1).collect());
    certificate.digest = certificate.compute_digest();
    assert!(matches!(check(&game, &certificate, 1), Err(CutRefusal::Condition(_))));
}

#[test]
fn a_damaged_certificate_is_refused() {
    let game = bundled("four-lamps");
    let mut certificate = certified(&game);
    certificate.parts[0].fluents.reverse();
    certificate.parts.reverse();
    assert!(matches!(check(&game, &certificate, 100), Err(CutRefusal::Digest)));
}

#[test]
fn another_games_certificate_is_refused() {
    let certificate = certified(&bundled("multiple-buttons-and-lights"));
    for states in [100_000, 1] {
        let game = bundled("best-buttons-and-lights");
        assert!(check(&game, &certificate, states).is_err());
    }
}

/// Three lamps; with two of them the player has won.
const TWO_OF_THREE: &str =
    "(role r) (lamp 1) (lamp 2) (lamp 3) (init (step 1)) (s 1 2) (s 2 3) (s 3 4)
    (<= (legal r (press ?l)) (lamp ?l)) (<= (legal r wait)) (<= (next (on ?l)) (does r (press ?l)))
    (<= (next (on ?l)) (true (on ?l))) (<= (next (step ?y)) (true (step ?x)) (s ?x ?y))
    (<= terminal (true (step 4)))
    (<= two (true (on ?k)) (true (on ?l)) (distinct ?k ?l))
    (<= (goal r 100) two) (<= (goal r 0) (not two))";

#[test]
fn a_threshold_is_claimed_and_checked() {
    let game = game(TWO_OF_THREE);
    let certificate = certified(&game);
    let [threshold] = certificate.thresholds.as_slice() else { panic!("one threshold") };
    assert_eq!((threshold.least, threshold.conditions.len()), (2, 3));
    for states in [100_000, 1] {
        assert!(check(&game, &certificate, states).expect("it is right").scores_split);
    }
}

#[test]
fn a_forged_threshold_is_refused() {
    let game = game(TWO_OF_THREE);
    let certificate = certified(&game);
    let refused = |what: &str, change: &dyn Fn(&mut CutCertificate)| {
        refused_of(&game, &certificate, what, change);
    };
    for least in [0, 1, 3, 4, usize::MAX] {
        refused("another number", &|certificate| certificate.thresholds[0].least = least);
    }
    refused("a part less", &|certificate| {
        certificate.thresholds[0].conditions.pop();
    });
    refused("a part twice", &|certificate| {
        let conditions = &mut certificate.thresholds[0].conditions;
        conditions[1] = conditions[0].clone();
    });
    refused("conditions of each other's parts", &|certificate| {
        let conditions = &mut certificate.thresholds[0].conditions;
        (conditions[0].0, conditions[1].0) = (conditions[1].0, conditions[0].0);
    });
    refused("the opposite of a condition", &|certificate| {
        let condition = &mut certificate.thresholds[0].conditions[0].1;
        condition.gates.push(Gate::Not(condition.gates.len() - 1));
    });
    refused("a condition that always holds", &|certificate| {
        certificate.thresholds[0].conditions[0].1 = Condition { gates: vec![Gate::All(vec![])] };
    });
    refused("a condition of nothing", &|certificate| {
        certificate.thresholds[0].conditions[0].1 = Condition { gates: vec![] };
    });
    refused("a condition that looks at itself", &|certificate| {
        let condition = &mut certificate.thresholds[0].conditions[0].1;
        condition.gates.push(Gate::Any(vec![0, condition.gates.len()]));
    });
    refused("a condition of no fluent", &|certificate| {
        let nothing = Gate::Fluent("(on 4)".to_string());
        certificate.thresholds[0].conditions[0].1 = Condition { gates: vec![nothing] };
    });
    refused("nothing said of a score that is a threshold", &|certificate| {
        certificate.thresholds.clear();
    });
    refused("two thresholds of a role", &|certificate| {
        certificate.thresholds.push(certificate.thresholds[0].clone());
    });
    refused("a threshold of nobody", &|certificate| {
        certificate.thresholds[0].role = "nobody".to_string();
    });
    refused("a threshold in an old format", &|certificate| certificate.format = 1);
}

#[test]
fn a_certificate_of_the_old_format_is_read() {
    let game = bundled("four-lamps");
    let mut certificate = certified(&game);
    certificate.format = 1;
    certificate.phases.clear();
    certificate.digest = certificate.compute_digest();
    check(&game, &certificate, 100_000).expect("it is right");
}

/// Two lamps to play with until the player goes on to the second stage, where they are dark again.
const STAGES: &str =
    "(role r) (lamp a) (lamp b) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
    (<= (legal r (press ?l)) (lamp ?l)) (<= (legal r on))
    (<= leaving (does r on) (not (true second)))
    (<= (next (lit ?l)) (does r (press ?l)) (not (true (lit ?l))))
    (<= (next (lit ?l)) (true (lit ?l)) (not (does r (press ?l))) (not leaving))
    (<= (next second) leaving) (<= (next second) (true second))
    (<= (next won) leaving (true (lit a)) (not (true (lit b)))) (<= (next won) (true won))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 9)))
    (<= good (true second) (true won) (true (lit b)))
    (<= (goal r 100) good) (<= (goal r 0) (not good))";

#[test]
fn phases_are_claimed_and_checked() {
    for (game, most) in [(game(STAGES), 100_000), (bundled("locked-heaps"), 1)] {
        let certificate = certified(&game);
        assert_eq!(certificate.phases.len(), 2);
        assert!(certificate.phases.iter().all(|phase| phase.sound && phase.classes_exact));
        for states in [most, 1] {
            assert_eq!(check(&game, &certificate, states).expect("it is right").phases, 2);
        }
    }
}

#[test]
fn forged_phases_are_refused() {
    let game = game(STAGES);
    let certificate = certified(&game);
    let refused = |what: &str, change: &dyn Fn(&mut CutCertificate)| {
        refused_of(&game, &certificate, what, change);
    };
    let fluent = |name: &str| vec![Gate::Fluent(name.to_string())];
    refused("a crossing point that is open again", &|certificate| {
        certificate.phases[1].begins = Some(Condition { gates: fluent("(lit a)") });
    });
    refused("a crossing point that is passed at the start", &|certificate| {
        certificate.phases[1].begins = Some(Condition { gates: fluent("(step 0)") });
    });
    refused("a crossing point that is never passed", &|certificate| {
        certificate.phases[1].begins = Some(Condition { gates: vec![Gate::Any(vec![])] });
        certificate.phases[1].facts.clear();
    });
    refused("no crossing point", &|certificate| certificate.phases[1].begins = None);
    refused("a crossing point before the first phase", &|certificate| {
        let begins = certificate.phases[1].begins.clone();
        certificate.phases[0].begins = begins;
    });
    refused("a fact that does not last", &|certificate| {
        certificate.phases[0].facts.push(("(lit a)".to_string(), false));
    });
    refused("a fact that does not hold where the phase begins", &|certificate| {
        certificate.phases[1].facts.push(("won".to_string(), true));
    });
    refused("the opposite of a fact", &|certificate| {
        let facts = certificate.phases.iter_mut().find_map(|phase| phase.facts.first_mut());
        let fact = facts.expect("there is one");
        fact.1 = !fact.1;
    });
    refused("a lamp that rests", &|certificate| {
        let part = certificate.phases[0].parts.iter_mut();
        let mut part = part.filter(|part| !part.clock);
        let fluent = part.find_map(|part| part.fluents.pop()).expect("there is one");
        certificate.phases[0].rest.push(fluent);
    });
    refused("a lamp of another part", &|certificate| {
        let parts = &mut certificate.phases[0].parts;
        let clock = parts.iter().position(|part| part.clock).expect("there is one");
        let lamp = parts.iter().position(|part| !part.clock).expect("there is one");
        let fluent = parts[lamp].fluents.pop().expect("there is one");
        parts[clock].fluents.push(fluent);
    });
    refused("a fluent of no part", &|certificate| {
        let parts = &mut certificate.phases[1].parts;
        parts.iter_mut().for_each(|part| drop(part.fluents.pop()));
    });
    refused("a phase twice", &|certificate| {
        certificate.phases.push(certificate.phases[1].clone());
    });
    refused("a class of everything", &|certificate| {
        let mut parts = certificate.phases[0].parts.iter_mut();
        let part = parts.find(|part| !part.clock).expect("there is one");
        let moves = part.classes.iter().flat_map(|class| class.moves.clone()).collect();
        part.classes.truncate(1);
        (part.classes[0].moves, part.classes[0].idle) = (moves, false);
    });
    refused("the fluents of the whole only", &|certificate| {
        certificate.phases[1].rest.push("(lit c)".to_string());
    });
}
