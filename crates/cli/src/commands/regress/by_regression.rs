//! `gambol solve --method regression`: the value of a game by regressing its goals.

use gambol::Game;
use gambol::regress::{Options, Preferences, find_policy};
use gambol::solve::{Bounds, Meaning, Method, Solution};

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
    let automaton = of_game(name, game, session)?;
    let meaning = match automaton.agents.len() {
        1 => Meaning::Best,
        2 if Preferences::of(&automaton, false).are_opposed() => Meaning::Opposed,
        // Among equal rewards the order of the outcomes decides, so there may be other equilibria.
        _ => Meaning::Equilibrium { unique: false },
    };
    let options = Options {
        only_start: true,
        threads: session.threads(),
        limits: limits(session),
        ..Options::default()
    };
    let found = find_policy(&automaton, &options, &mut |_| ()).map_err(stop)?;
    let value = match (found.policy.start_value(), found.halt) {
        (Some(value), _) => value,
        (None, Some(halt)) => return Err(Stop::Limit(halt.to_string()).into()),
        (None, None) => anyhow::bail!("no end can be forced from the start"),
    };
    let rewards = automaton.outcomes[value.outcome].rewards.iter();
    let values = rewards.map(|&reward| u32::try_from(reward).map(Bounds::exact));
    Ok(Solution {
        values: values.collect::<Result<_, _>>()?,
        meaning,
        line: Vec::new(),
        shortest: false,
        method: Method::Regression,
        nodes: found.regressions,
        states: 0,
        unfinished: None,
        notes: Vec::new(),
    })
}
