//! How fast a player searches: ways down the tree, new nodes and random games per second.
//!
//! `cargo run --release -p gambol-play --example search_speed -- RULES SECONDS STEPS PLAYER...`
//!
//! Each player, given as for `gambol match --local`, thinks for SECONDS about the state after STEPS steps, in each of
//! which every role makes the middle one of its legal moves. Nothing is learnt or solved.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gambol_net::{MoveId, RoleId};
use gambol_play::{Agent, Effort, Prepared, Settings};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, seconds, steps, players @ ..] = arguments.as_slice() else {
        return Err("RULES SECONDS STEPS PLAYER...".into());
    };
    let (seconds, steps): (f64, usize) = (seconds.parse()?, steps.parse()?);
    let rules = gambol_syntax::read(&std::fs::read(rules)?, &Default::default()).rules;
    let rules = gambol_syntax::repair(rules.ok_or("does not parse")?).rules.ok_or("no game")?;
    let ground = gambol_ground::instantiate(&rules, &Default::default())?;
    let net = gambol_net::simplify(&gambol_net::build(&ground)?);
    let roles: Vec<RoleId> = net.roles.ids().collect();
    let prepared = Arc::new(Prepared::new(net)?);
    for player in players {
        let mut settings: Settings = player.parse()?;
        settings.solve = false;
        let mut agent = Agent::new(&prepared, settings);
        for _ in 0..steps {
            let middle = |&role: &RoleId| {
                let legal = agent.legal(role);
                legal.get(legal.len() / 2).copied()
            };
            let joint: Option<Vec<MoveId>> = roles.iter().map(middle).collect();
            agent.advance(&joint.ok_or("a role is stuck")?);
        }
        let report = |agent: &Agent<'_>| {
            let all = roles.iter().map(|&role| agent.report(role));
            all.max_by_key(|report| report.moves.len())
        };
        let before = report(&agent).map_or(0, |report| report.nodes);
        let begun = Instant::now();
        let until = Effort::Until(begun + Duration::from_secs_f64(seconds));
        agent.think(until, &AtomicBool::new(false));
        let (time, report) = (begun.elapsed().as_secs_f64(), report(&agent).ok_or("no role")?);
        let ways: u32 = report.moves.iter().map(|one| one.visits).sum();
        let rates = [f64::from(ways), (report.nodes - before) as f64, report.playouts as f64];
        let [ways, nodes, playouts] = rates.map(|count| count / time);
        println!("{player}: {ways:.0} ways, {nodes:.0} nodes, {playouts:.0} random games a second");
    }
    Ok(())
}
