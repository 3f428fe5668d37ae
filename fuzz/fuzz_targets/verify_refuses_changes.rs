//! Claim: whatever is done to a certificate, the checker accepts no value but the true one.
//!
//! The input is a list of places and bytes to write there; the digest is made right again, so that the
//! checker has to find the change itself.
#![no_main]

use std::sync::LazyLock;

use gambol::Game;
use gambol::solve::{Certificate, SolveOptions, certify};
use gambol::verify::{VerifyOptions, verify};
use libfuzzer_sys::fuzz_target;

struct Solved {
    game: Game,
    certificate: Certificate,
    text: Vec<u8>,
}

static SOLVED: LazyLock<Solved> = LazyLock::new(|| {
    let game = Game::bundled("nim-2-3-4").expect("it is bundled");
    let options = SolveOptions::default();
    let solution = game.solve(&options).expect("it can be solved");
    let net = game.net().expect("it has a net");
    let circuit = game.circuit().expect("it has a circuit");
    let certificate = certify(net, circuit, &options, &solution).expect("it can be certified");
    let text = serde_json::to_vec(&certificate).expect("it is JSON");
    Solved { game, certificate, text }
});

fuzz_target!(|changes: Vec<(u16, u8)>| {
    let Solved { game, certificate, text } = &*SOLVED;
    let mut changed = text.clone();
    for (place, byte) in changes {
        let place = usize::from(place) % changed.len();
        changed[place] = byte;
    }
    let Ok(mut changed) = serde_json::from_slice::<Certificate>(&changed) else { return };
    changed.digest = changed.compute_digest();
    let interpreter = game.interpreter().expect("the rules can be interpreted");
    if verify(&interpreter, &changed, VerifyOptions::default()).is_ok() && changed.at.is_none() {
        assert_eq!(changed.value, certificate.value);
    }
});
