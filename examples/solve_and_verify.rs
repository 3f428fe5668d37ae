//! The value of a game, a certificate of it, and the checker that believes only the rules.
//!
//! `cargo run --example solve_and_verify -- nim-2-3-4`
#![allow(clippy::print_stdout)]

use std::error::Error;

use gambol::solve::{SolveOptions, certify};
use gambol::verify::{VerifyOptions, verify};
use gambol::{Game, report};

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or("tic-tac-toe".to_string());
    let game = Game::bundled(&name)?;
    let options = SolveOptions::default();
    let solution = game.solve(&options)?;
    for (role, bounds) in game.roles()?.into_iter().zip(&solution.values) {
        println!("{role}: {}", report::value_in_words(bounds));
    }
    println!("({}; by {})", solution.meaning.in_words(), solution.method.as_str());

    // The checker shares no code with the solver: it follows the certificate with the interpreter.
    let certificate = certify(game.net()?, game.circuit()?, &options, &solution)?;
    let accepted = verify(&game.interpreter()?, &certificate, VerifyOptions::default())?;
    println!("accepted: {} entries, {} values", certificate.entries(), accepted.values.len());
    Ok(())
}
