//! Random moves until the game is over: positions as values.
//!
//! `cargo run --example random_player -- tic-tac-toe 7`
#![allow(clippy::print_stdout)]

use std::error::Error;

use gambol::{Game, Move};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or("tic-tac-toe".to_string());
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let game = if name.ends_with(".kif") { Game::open(&name)? } else { Game::bundled(&name)? };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);

    let mut position = game.start()?;
    while !position.is_terminal() {
        let mut joint: Vec<Move> = Vec::new();
        for role in game.roles()? {
            let mut legal = position.legal(role)?;
            joint.push(legal.swap_remove(random.random_range(0..legal.len())));
        }
        let words: Vec<String> = joint.iter().map(ToString::to_string).collect();
        println!("{}", words.join("  "));
        position = position.play(&joint)?;
    }
    for role in game.roles()? {
        println!("{role}: {:?}", position.goal(role)?);
    }
    Ok(())
}
