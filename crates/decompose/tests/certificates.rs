//! Certificates of cuts are accepted if the rules bear them out, by listing and by questions, and not
//! otherwise.

use std::collections::BTreeSet;

use gambol_decompose::{DecomposeOptions, certify_cut, decompose};
use gambol_net::Net;
use gambol_reference::Interpreter;
use gambol_syntax::Rules;
use gambol_verify_cuts::{
    CheckOptions, Checked, CutCertificate, CutRefusal, Means, Refutation, Scores, check_cut,
    check_cut_by_questions,
};

struct Game {
    rules: Rules,
    net: Net,
}

fn bundled(name: &str) -> Game {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(path).expect("the game is bundled");
    let rules = gambol_syntax::read(&text, &Default::default()).rules.expect("it parses");
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
    let mut certificate = certified(&game);
    change(&mut certificate);
    certificate.digest = certificate.compute_digest();
    for states in [100_000, 1] {
        let checked = check(&game, &certificate, states);
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
