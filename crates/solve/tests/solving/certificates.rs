//! Certificates: those of the solver are accepted, damaged ones are not.

use crate::games::{Game, bundled};
use gambol_reference::Interpreter;
use gambol_solve::{Certificate, Refusal, SolveOptions, certify, solve, verify};

fn certificate(game: &Game) -> Certificate {
    let options = SolveOptions::default();
    let solution = solve(&game.net, &game.circuit, &options).expect("it has a value");
    certify(&game.net, &game.circuit, &options, &solution).expect("it is proved")
}

fn check(game: &Game, certificate: &Certificate) -> Result<(), Refusal> {
    verify(&mut Interpreter::new(&game.rules).expect("it can be interpreted"), certificate)
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
    let number = random.below(certificate.claims.len());
    let claim = &mut certificate.claims[number];
    let entry = random.below(claim.entries.len());
    match random.below(8) {
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
        6 => claim.ends.clear(),
        _ => {
            let role = certificate.value.keys().nth(random.below(certificate.value.len())).cloned();
            *certificate.value.get_mut(&role.unwrap()).unwrap() += 1;
        }
    }
}

#[test]
fn of_a_thousand_damaged_certificates_none_is_accepted() {
    let names = ["nim-2-3-4", "four-lamps", "best-buttons-and-lights-fuse", "hanoi"];
    let games: Vec<(Game, Certificate)> = names
        .iter()
        .map(|name| {
            let game = bundled(name);
            let certificate = certificate(&game);
            (game, certificate)
        })
        .collect();
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
