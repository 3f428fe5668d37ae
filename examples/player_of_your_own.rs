//! A player of one's own on the match protocol: the server does the talking, a `Gamer` the thinking.
//!
//! `cargo run --example player_of_your_own -- 4001`, then
//! `gambol match tic-tac-toe --players localhost:4001,mcts`
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gambol::{Gamer, Move, Position, serve_gamer};

/// Takes the move after which the opponents have least to choose from.
struct Stifling;

impl Gamer for Stifling {
    fn choose(&mut self, position: &Position, role: &str, _clock: Duration) -> Option<Move> {
        let roles = position.game().roles().ok()?;
        let room_after = |action: &Move| {
            // The others are thought to make their first move.
            let joint: Option<Vec<Move>> = roles
                .iter()
                .map(|&other| match other == role {
                    true => Some(action.clone()),
                    false => position.legal(other).ok()?.into_iter().next(),
                })
                .collect();
            let after = position.play(joint?).ok()?;
            let others = roles.iter().filter(|&&other| other != role);
            Some(
                others
                    .map(|other| after.legal(other).map_or(0, |legal| legal.len()))
                    .sum::<usize>(),
            )
        };
        position.legal(role).ok()?.into_iter().min_by_key(|action| room_after(action))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).unwrap_or("0".to_string());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}"))?;
    println!("listening on {}", listener.local_addr()?);
    if port != "0" {
        serve_gamer(&listener, "stifling", || Stifling, &AtomicBool::new(false))?;
    }
    Ok(())
}
