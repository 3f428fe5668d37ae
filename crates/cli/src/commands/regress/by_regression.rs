//! `gambol solve --method regression`: the value of a game by regressing its goals.
//!
//! Each role is asked about by itself: what can it secure, whatever the others do? Where the rules give an
//! end several goals, or none, the question is asked for the worst reading and for the best.

use gambol::Game;
use gambol::net::RoleId;
use gambol::regress::{AgentId, Automaton, GameAutomaton, Options, Payoff, find_policy};
use gambol::solve::{Bounds, Meaning, Method, Solution, Unfinished};

use super::input::of_game;
use super::{limits, stop};
use crate::outcome::Stop;
use crate::session::Session;

/// Solves a game for players in turn.
pub(crate) fn solve_by_regression(
    name: &str,
    game: &Game,
    session: &mut Session,
) -> anyhow::Result<Solution> {
    let made = of_game(name, game, session)?;
    let clear = made.payoffs.iter().flatten().all(|payoff| payoff.value().is_some());
    let (mut values, mut regressions) = (Vec::new(), 0);
    for agent in made.automaton.agents.ids() {
        let role = RoleId::new(agent.number());
        let least = start_value(&made.secured_by(role, false), &mut regressions, session)?;
        let most = match clear {
            true => least,
            false => start_value(&made.secured_by(role, true), &mut regressions, session)?,
        };
        values.push((least, most));
    }
    let exact = values.iter().all(|(least, most)| least == most);
    Ok(Solution {
        meaning: meaning(&made, &values),
        values: values.into_iter().map(|(least, most)| Bounds::between(least, most)).collect(),
        line: Vec::new(),
        shortest: false,
        method: Method::Regression,
        nodes: regressions,
        states: 0,
        unfinished: (!exact).then_some(Unfinished::Readings),
        notes: Vec::new(),
    })
}

/// What the first agent gets from the start on.
fn start_value(asked: &Automaton, regressions: &mut u64, session: &Session) -> anyhow::Result<u32> {
    let options = Options {
        only_start: true,
        threads: session.threads(),
        limits: limits(session),
        ..Options::default()
    };
    let found = find_policy(asked, &options, &mut |_| ()).map_err(stop)?;
    *regressions += found.regressions;
    match (found.policy.start_value(), found.halt) {
        (Some(value), _) => {
            let reward = asked.outcomes[value.outcome].rewards[AgentId::new(0)];
            Ok(u32::try_from(reward)?)
        }
        (None, Some(halt)) => Err(Stop::Limit(halt.to_string()).into()),
        (None, None) => anyhow::bail!("the value of the start was not found"),
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
