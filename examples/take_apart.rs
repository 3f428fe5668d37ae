//! The independent parts of a game, each written as a game of its own and solved.
//!
//! `cargo run --example take_apart -- double-tic-tac-toe`
#![allow(clippy::print_stdout)]

use std::error::Error;

use gambol::decompose::{finite_subgame_net, write_gdl};
use gambol::solve::SolveOptions;
use gambol::{Game, report};

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or("double-tic-tac-toe".to_string());
    let game = Game::bundled(&name)?;
    let (net, parts) = (game.net()?, game.subgames()?);
    println!("{}; {}", report::summary(&parts), parts.basis.as_str());

    let played = parts.subgames.iter_ids().filter(|(_, part)| part.action_dependent);
    for (id, part) in played {
        let rules = write_gdl(&finite_subgame_net(net, &parts, id)?);
        let alone: Game = rules.parse()?;
        let solution = alone.solve(&SolveOptions::default())?;
        let values: Vec<String> = solution.values.iter().map(report::value_in_words).collect();
        println!("{id:?}: {} fluents, worth {}", part.fluents.len(), values.join(" and "));
    }
    Ok(())
}
