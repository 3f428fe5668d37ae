//! `gambol solve --method regression`: the value of a game by regressing its goals.
//!
//! Each role is asked about by itself: what can it secure, whatever the others do? Where the rules give an
//! end several goals, or none, the question is asked for the worst reading and for the best. A question that
//! meets a limit leaves the widest bounds; what the others found stands.

use gambol::Game;
use gambol::index::Id;
use gambol::net::RoleId;
use gambol::regress::{
    AgentId, Automaton, GameAutomaton, Halt, Options, Payoff, RegressError, find_policy,
};
use gambol::solve::{Bounds, Meaning, Method, Solution, Unfinished};

use super::input::of_game;
use super::limits;
use crate::session::Session;

/// Solves a game for players in turn.
pub(crate) fn solve_by_regression(
    name: &str,
    game: &Game,
    session: &mut Session,
) -> anyhow::Result<Solution> {
    let made = of_game(name, game, session)?;
    let clear = made.payoffs.iter().flatten().all(|payoff| payoff.value().is_some());
    let (mut values, mut regressions, mut halted) = (Vec::new(), 0, None);
    for agent in made.automaton.agents.ids() {
        let role = RoleId::new(agent.number());
        let least = start_value(&made.secured_by(role, false), &mut regressions, session)?;
        let most = match clear {
            true => least,
            false => start_value(&made.secured_by(role, true), &mut regressions, session)?,
        };
        halted = halted.or(least.err()).or(most.err());
        values.push((least.unwrap_or(0), most.unwrap_or(highest(&made, agent))));
    }
    let exact = values.iter().all(|(least, most)| least == most);
    Ok(Solution {
        meaning: if halted.is_some() { Meaning::Secured } else { meaning(&made, &values) },
        values: values.into_iter().map(|(least, most)| Bounds::between(least, most)).collect(),
        line: Vec::new(),
        shortest: false,
        method: Method::Regression,
        nodes: regressions,
        states: 0,
        unfinished: halted.or((!exact).then_some(Unfinished::Readings)),
        notes: Vec::new(),
    })
}

/// The most that any end is worth; play without an end is worth nothing.
fn highest(made: &GameAutomaton, agent: AgentId) -> u32 {
    made.payoffs.iter().map(|end| end[agent.index()].most).max().unwrap_or(0)
}

/// What the first agent gets from the start on, unless a limit was met before.
fn start_value(
    asked: &Automaton,
    regressions: &mut u64,
    session: &Session,
) -> anyhow::Result<Result<u32, Unfinished>> {
    let options = Options {
        only_start: true,
        threads: session.threads(),
        limits: limits(session),
        ..Options::default()
    };
    let found = match find_policy(asked, &options, &mut |_| ()) {
        Err(RegressError::Halt(halt)) => return Ok(Err(unfinished(halt))),
        found => found?,
    };
    *regressions += found.regressions;
    match (found.policy.start_value(), found.halt) {
        (Some(value), _) => {
            let reward = asked.outcomes[value.outcome].rewards[AgentId::new(0)];
            Ok(Ok(u32::try_from(reward)?))
        }
        (None, Some(halt)) => Ok(Err(unfinished(halt))),
        (None, None) => anyhow::bail!("the value of the start was not found"),
    }
}

fn unfinished(halt: Halt) -> Unfinished {
    match halt {
        Halt::Memory => Unfinished::Memory,
        Halt::Time | Halt::Stopped => Unfinished::Time,
    }
}

/// In what sense the roles have what they can secure.
fn meaning(made: &GameAutomaton, values: &[(u32, u32)]) -> Meaning {
    let sum = |payoffs: &Vec<Payoff>| match payoffs[..] {
        [one, other] => Some(one.value()? + other.value()?),
        _ => None,
    };
    match values {
        [_] => Meaning::Best,
        [one, other] if made.payoffs.iter().all(|end| sum(end) == Some(one.0 + other.0)) => {
            Meaning::Opposed
        }
        _ => Meaning::Secured,
    }
}
