//! Certificates: those of the solver are accepted, damaged ones are not.

use crate::games::{Game, bundled, from_text};
use gambol_reference::Interpreter;
use gambol_solve::{Choice, SolveOptions, certify, solve};
use gambol_verify::{Accepted, Certificate, ClaimEntry, Fraction, Refusal, VerifyOptions, verify};

fn certificate(game: &Game) -> Certificate {
    certificate_by(game, Choice::Auto)
}

fn certificate_by(game: &Game, choice: Choice) -> Certificate {
    let mut options = SolveOptions::default();
    options.choice = choice;
    let solution = solve(&game.net, &game.circuit, &options).expect("it has a value");
    certify(&game.net, &game.circuit, &options, &solution).expect("it is proved")
}

fn check(game: &Game, certificate: &Certificate) -> Result<Accepted, Refusal> {
    let interpreter = Interpreter::new(&game.rules).expect("it can be interpreted");
    verify(&interpreter, certificate, VerifyOptions::default())
}

#[test]
fn what_the_solver_proves_is_accepted() {
    for name in [
        "tic-tac-toe",
        "nim",
        "chomp",
        "hex-3x3",
        "dots-and-boxes",
        "hanoi",
        "lights-out-3x3",
        "best-buttons-and-lights-fuse",
        "joint-buttons-and-lights-latin",
        "four-lamps",
        "number-scrabble",
        "rock-paper-scissors",
        "goofspiel",
        "pursuit",
        "prisoners-dilemma",
        "odd-one-out",
    ] {
        let game = bundled(name);
        let certificate = certificate(&game);
        assert!(check(&game, &certificate).is_ok(), "{name}");
    }
}

#[test]
fn a_certificate_is_no_proof_for_another_game() {
    let (nim, other) = (bundled("nim"), bundled("nim-2-3-4"));
    assert!(check(&other, &certificate(&nim)).is_err());
}

const BY_TURNS: &str = "(role a) (role b) (role c) (init (turn a)) (init fresh)
    (after a b) (after b c)
    (<= (legal ?r (pick ?n)) (true (turn ?r)) (number ?n)) (number 1) (number 2)
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (turn ?s)) (true (turn ?r)) (after ?r ?s))
    (<= (next (picked ?r ?n)) (does ?r (pick ?n)))
    (<= (next (picked ?r ?n)) (true (picked ?r ?n)))
    (<= terminal (true (picked c ?n)))
    (<= (same ?r ?s) (true (picked ?r ?n)) (true (picked ?s ?n)))
    (<= (goal a 100) (same a c)) (<= (goal a 0) (not (same a c)))
    (<= (goal b 70) (same b c)) (<= (goal b 30) (not (same b c)))
    (<= (goal c 60) (same a c) (same b c)) (<= (goal c 50) (same a c) (not (same b c)))
    (<= (goal c 10) (not (same a c)))";

#[test]
fn three_players_in_turn_have_an_equilibrium_that_is_checked() {
    let game = from_text(BY_TURNS.as_bytes());
    let whole = certificate(&game);
    assert!(!whole.equilibrium.is_empty());
    check(&game, &whole).expect("it is accepted");
    let mut random = Random(3);
    for _ in 0..100 {
        let mut damaged = whole.clone();
        damage(&mut damaged, &mut random);
        damaged.digest = damaged.compute_digest();
        let unchanged = damaged.value == whole.value;
        assert!(damaged == whole || check(&game, &damaged).is_err() || unchanged);
    }
}

const TWO_GOALS: &str = "(role a) (role b) (init (turn a)) (number 1) (number 2) (number 3)
    (<= (legal ?r (pick ?n)) (true (turn ?r)) (number ?n))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (next (turn b)) (true (turn a))) (<= (next done) (true (turn b)))
    (<= (next (picked ?r ?n)) (does ?r (pick ?n)))
    (<= (next (picked ?r ?n)) (true (picked ?r ?n)))
    (<= terminal (true done))
    (<= (goal a 50) (true (picked a 1))) (<= (goal a 60) (true (picked a 1)) (true (picked b 2)))
    (<= (goal b 50) (true (picked a 1))) (<= (goal b 40) (true (picked a 1)) (true (picked b 2)))
    (<= (goal a 0) (not (true (picked a 1)))) (<= (goal b 100) (not (true (picked a 1))))";

#[test]
fn where_an_end_has_two_goals_whichever_is_meant_must_be_good_enough() {
    let game = from_text(TWO_GOALS.as_bytes());
    let whole = certificate_by(&game, Choice::Search);
    check(&game, &whole).expect("b need not pick what leaves the goal open");
    // b claims what the other reading of an end would give.
    let mut forged = whole.clone();
    let claim = forged.claims.iter_mut().find(|claim| claim.players == ["b"]).expect("b has one");
    let open = |entry: &&mut ClaimEntry| entry.reply[0].starts_with("(pick");
    for entry in claim.entries.iter_mut().filter(|entry| open(entry)) {
        entry.reply = vec!["(pick 2)".to_string()];
    }
    forged.digest = forged.compute_digest();
    assert!(matches!(check(&game, &forged), Err(Refusal::Claim { .. })));
}

#[test]
fn threads_tell_the_same_fault() {
    let game = bundled("tic-tac-toe");
    let mut wrong = certificate(&game);
    for entry in wrong.claims[0].entries.iter_mut().skip(50) {
        entry.rank = 0;
    }
    wrong.digest = wrong.compute_digest();
    let interpreter = Interpreter::new(&game.rules).expect("it can be interpreted");
    let fault = |threads| {
        let options = VerifyOptions { threads, ..VerifyOptions::default() };
        verify(&interpreter, &wrong, options).expect_err("ranks do not fall").to_string()
    };
    assert_eq!(fault(1), fault(4));
}

/// A small generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// Changes one thing.
fn damage(certificate: &mut Certificate, random: &mut Random) {
    if random.below(8) == 0 {
        return damage_value(certificate, random);
    }
    if !certificate.averages.is_empty() {
        return damage_average(certificate, random);
    }
    if !certificate.equilibrium.is_empty() {
        return damage_equilibrium(certificate, random);
    }
    let number = random.below(certificate.claims.len());
    let claim = &mut certificate.claims[number];
    let entry = random.below(claim.entries.len());
    match random.below(7) {
        0 => {
            claim.entries.remove(entry);
        }
        1 => claim.entries[entry].rank = claim.entries[entry].rank.wrapping_sub(1),
        2 => {
            let state = &mut claim.entries[entry].state;
            let place = random.below(state.len());
            // A state without fluents gets one it cannot have.
            match state.is_empty() {
                true => state.push(u32::MAX),
                false => {
                    state.remove(place);
                }
            }
        }
        3 => claim.entries[entry].state.push(random.below(certificate.fluents.len()) as u32),
        4 => claim.entries[entry].reply = vec!["nonsense".to_string()],
        5 => claim.entries.truncate(entry),
        _ => claim.ends.clear(),
    }
}

fn damage_value(certificate: &mut Certificate, random: &mut Random) {
    let place = random.below(certificate.value.len());
    let value = certificate.value.values_mut().nth(place).expect("there is a value for each role");
    *value = value.plus(Fraction::ONE).expect("goals are small");
}

fn damage_average(certificate: &mut Certificate, random: &mut Random) {
    let number = random.below(certificate.averages.len());
    let claim = &mut certificate.averages[number];
    let entry = random.below(claim.entries.len());
    match random.below(7) {
        0 => claim.at_least = !claim.at_least,
        1 => claim.players.clear(),
        2 => {
            claim.entries.remove(entry);
        }
        3 => {
            let value = &mut claim.entries[entry].value;
            let more = if claim.at_least { Fraction::ONE } else { Fraction::new(-1, 1).unwrap() };
            *value = value.plus(more).unwrap();
        }
        4 => claim.entries[entry].rank = 0,
        5 => claim.entries[entry].mixture[0].1 = Fraction::new(1, 7).unwrap(),
        _ => claim.entries[entry].mixture.clear(),
    }
}

fn damage_equilibrium(certificate: &mut Certificate, random: &mut Random) {
    let entries = &mut certificate.equilibrium;
    let entry = random.below(entries.len());
    match random.below(4) {
        0 => {
            entries.remove(entry);
        }
        1 => entries[entry].values[0] += 1,
        2 => entries[entry].rank = 0,
        _ => entries[entry].reply[0] = "nonsense".to_string(),
    }
}

#[test]
fn of_a_thousand_damaged_certificates_none_is_accepted() {
    let names = [
        "nim-2-3-4",
        "four-lamps",
        "best-buttons-and-lights-fuse",
        "hanoi",
        "rock-paper-scissors",
        "odd-one-out",
    ];
    // Strategies, plans, closed lists, averages and equilibria.
    let games = names.iter().map(|name| bundled(name));
    let games = games.chain([from_text(BY_TURNS.as_bytes())]);
    let with_certificate = |game: Game| {
        let certificate = certificate(&game);
        (game, certificate)
    };
    let mut games: Vec<(Game, Certificate)> = games.map(with_certificate).collect();
    let game = from_text(TWO_GOALS.as_bytes());
    games.push((from_text(TWO_GOALS.as_bytes()), certificate_by(&game, Choice::Search)));
    let mut random = Random(7);
    for round in 0..1000 {
        let (game, whole) = &games[round % games.len()];
        let mut damaged = whole.clone();
        damage(&mut damaged, &mut random);
        if damaged == *whole {
            continue;
        }
        assert!(matches!(check(game, &damaged), Err(Refusal::Digest)), "{round}");
        // A forger would mend the digest. What is accepted then must be a proof of the same values.
        damaged.digest = damaged.compute_digest();
        if check(game, &damaged).is_ok() {
            assert_eq!(damaged.value, whole.value, "{round}");
        }
    }
}
