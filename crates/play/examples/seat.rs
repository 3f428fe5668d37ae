//! One side of a match, told what to do line by line: for matches of two builds of the program.
//!
//! `seat RULES PLAYER SECONDS LESSON`: the player, as for `gambol match --local`, thinks SECONDS about each move and
//! learns for LESSON seconds before the first game. Lines and their answers:
//!
//! - first of all: `ready`, and what was learnt.
//! - `new`: a new game. `on`.
//! - `legal ROLE`: the legal moves of a role, parted by bars.
//! - `think ROLE`: the move that it makes for a role.
//! - `moves MOVE|MOVE`: one move for each role was made. `on`, or `over` and the goals.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::{MoveId, RoleId};
use gambol_play::{Agent, Effort, Prepared, Settings};
use gambol_sim::Evaluator;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, player, seconds, lesson] = arguments.as_slice() else {
        return Err("RULES PLAYER SECONDS LESSON".into());
    };
    let prepared = Arc::new(prepared(rules, lesson.parse()?)?);
    let (settings, seconds): (Settings, f64) = (player.parse()?, seconds.parse()?);
    let mut agent = Agent::new(&prepared, settings.clone());
    let evaluation = prepared.evaluation().map(|one| one.playout_share());
    println!("ready, bias {}, share of playouts {evaluation:?}", prepared.playout_bias());
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let line = line?;
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = match word {
            "new" => {
                let mut settings = settings.clone();
                settings.search.seed = number as u64 + 1;
                agent = Agent::new(&prepared, settings);
                "on".to_string()
            }
            "legal" => {
                let moves = agent.legal(RoleId::from_index(rest.parse()?));
                moves.iter().map(|&action| prepared.name(action)).collect::<Vec<_>>().join("|")
            }
            "think" => {
                let until = Effort::Until(Instant::now() + Duration::from_secs_f64(seconds));
                let role = RoleId::from_index(rest.parse()?);
                let decision = agent.decide(role, until, &AtomicBool::new(false));
                decision.map_or(String::new(), |one| prepared.name(one.action).to_string())
            }
            "moves" => {
                let named = |(role, name)| prepared.named(RoleId::from_index(role), name);
                let moves: Option<Vec<MoveId>> = rest.split('|').enumerate().map(named).collect();
                agent.advance(&moves.ok_or("no such move")?);
                standing(&prepared, &agent)
            }
            other => return Err(format!("what is {other}?").into()),
        };
        println!("{answer}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn prepared(rules: &str, lesson: f64) -> Result<Prepared, Box<dyn Error>> {
    let rules = gambol_syntax::read(&std::fs::read(rules)?, &Default::default()).rules;
    let rules = gambol_syntax::repair(rules.ok_or("does not parse")?).rules.ok_or("no game")?;
    let ground = gambol_ground::instantiate(&rules, &Default::default())?;
    let net = gambol_net::simplify(&gambol_net::build(&ground)?);
    let prepared = Prepared::new(net)?;
    prepared.study(Duration::from_secs(10), &Arc::new(AtomicBool::new(false)));
    if lesson > 0.0 {
        prepared.learn(Duration::from_secs_f64(lesson), &AtomicBool::new(false));
    }
    Ok(prepared)
}

fn standing(prepared: &Prepared, agent: &Agent<'_>) -> String {
    if !agent.is_over() {
        return "on".to_string();
    }
    let goals = Evaluator::new(prepared.circuit()).goals(agent.state());
    let goals: Vec<String> = goals.iter().map(|goal| goal.unwrap_or(0).to_string()).collect();
    format!("over {}", goals.join(" "))
}
