//! Chance: games in which the role `random` moves, each of its moves as likely as the others, and games with percepts
//! from which every role can tell the state.
//!
//! What a role secures is then meant on average. Where no state returns that is an exact fraction, found layer by layer
//! or from a listing; where states return, or fractions have too many digits, it lies between proved bounds
//! (`value_iteration`).

use gambol_index::Id;
use gambol_verify::{Fraction, HIGHEST_GOAL};

use crate::circuit_dynamics::CircuitDynamics;
use crate::layers::{
    Answers, Fractions, LayeredGame, MemoryShelf, ON_AVERAGE, solution, solve_alone,
};
use crate::limits::Meter;
use crate::listing::observation::sees_all;
use crate::listing::values::of_listing;
use crate::listing::{Listing, list};
use crate::problem::{Choice, Task, chance_role};
use crate::store_error::Stopped;
use crate::value_iteration::{Arena, Wanted, bounds};
use crate::{Bounds, Meaning, Method, Payoff, Solution, SolveError, Unfinished};

/// Solves a game with chance, or with percepts.
pub(crate) fn with_chance(task: &Task<'_>) -> Result<Solution, SolveError> {
    let choice = task.options.choice;
    let method = match choice {
        Choice::Auto | Choice::Listing => None,
        Choice::Search => Some("search"),
        Choice::ProofNumber => Some("proof-number"),
        Choice::Satisfiability => Some("symbolic"),
        Choice::Factored => Some("factored"),
        Choice::Phased => Some("phases"),
    };
    if let Some(method) = method {
        let reason = "it has chance or percepts".to_string();
        return Err(SolveError::Method { method, reason });
    }
    if task.net.percepts.is_empty()
        && choice == Choice::Auto
        && let Some(solution) = by_layers(task)?
    {
        return Ok(solution);
    }
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let listing = match list(&mut game, task.start, &task.options.limits) {
        Ok(listing) => listing,
        Err(unfinished) => return Ok(unsolved(task, unfinished)),
    };
    if let Some(role) = sees_all(task.net, &listing).err() {
        return Err(SolveError::HiddenInformation(role));
    }
    match chance_role(task.net) {
        None => Ok(of_listing(&listing)?),
        Some(chance) => Ok(on_average(task, &listing, chance)),
    }
}

/// Layer by layer, where states tell their step. None if this is no game for layers.
fn by_layers(task: &Task<'_>) -> Result<Option<Solution>, SolveError> {
    let mut game = LayeredGame::new(task.net, task.circuit, task.options)?;
    let shelf = MemoryShelf::new();
    match solve_alone(&mut game, &shelf, &mut |_| {}) {
        Ok(None) => Ok(None),
        Ok(Some(plan)) => {
            let answers = Answers::new(&plan, &shelf)?;
            Ok(solution(&answers, task.net, task.circuit, game.start())?)
        }
        Err(Stopped::Limit(unfinished)) => Ok(Some(unsolved(task, unfinished))),
        Err(stopped) => Err(stopped.into()),
    }
}

/// What each role gets on average from the start of a listing on.
fn on_average(task: &Task<'_>, listing: &Listing, chance: usize) -> Solution {
    let exact = exact_values(listing, chance);
    let values = exact.map(|values| values.into_iter().map(|[least, most]| Bounds { least, most }));
    let values: Option<Vec<Bounds>> = values.map(Iterator::collect);
    let (returns, bounded) = (listing.backwards().is_none(), values.is_none());
    let bounded_values = || {
        let arena = Arena::of(listing, chance);
        let (values, met) = bounds(&arena, Wanted::FirstState, &Meter::start(&task.options.limits));
        (values.into_iter().map(|values| values[0]).collect(), met)
    };
    let (values, met) = values.map_or_else(bounded_values, |values| (values, None));
    let players: Vec<usize> = (0..listing.roles).filter(|&role| role != chance).collect();
    let meaning = match players[..] {
        [_] => Meaning::Best,
        [one, other] if opposed(listing, [one, other]) && !returns => Meaning::Opposed,
        _ => Meaning::Secured,
    };
    let settled = players.iter().all(|&role| values[role].is_settled());
    let readings = (!listing.has_clear_ends()).then_some(Unfinished::Readings);
    let mut notes = vec![ON_AVERAGE.to_string()];
    if bounded {
        let why = if returns { "states return" } else { "the fractions have too many digits" };
        notes.push(format!("{why}: the values lie between proved bounds"));
    }
    Solution {
        values,
        meaning,
        line: Vec::new(),
        shortest: false,
        method: Method::Listing,
        nodes: listing.len() as u64,
        states: listing.len() as u64,
        unfinished: if settled { None } else { readings.or(met).or(Some(Unfinished::Time)) },
        notes,
    }
}

/// What the roles secure from the first state on, in both readings; none if states return or the fractions have too
/// many digits.
fn exact_values(listing: &Listing, chance: usize) -> Option<Vec<[Fraction; 2]>> {
    let arithmetic = Fractions { roles: listing.roles, chance: Some(chance) };
    let mut values: Vec<Vec<[Fraction; 2]>> = vec![Vec::new(); listing.len()];
    for state in listing.backwards()? {
        let value = if listing.over(state) {
            let payoffs: Vec<Payoff> =
                (0..listing.roles).map(|role| listing.goal(state, role)).collect();
            arithmetic.end(&payoffs)
        } else if listing.successors(state).is_empty() {
            vec![[Fraction::ZERO; 2]; listing.roles]
        } else {
            let counts: Vec<u32> =
                (0..listing.roles).map(|role| listing.moves(state, role).len() as u32).collect();
            let next = listing.successors(state).iter().map(|next| &values[next.index()]);
            arithmetic.secured(&counts, &next.collect::<Vec<_>>())?
        };
        values[state.index()] = value;
    }
    values.into_iter().next()
}

/// Whether two roles share out the same sum in every end.
fn opposed(listing: &Listing, [one, other]: [usize; 2]) -> bool {
    let mut sums = listing.states().filter(|&state| listing.over(state)).map(|end| {
        let [one, other] = [one, other].map(|role| listing.goal(end, role).value());
        one.zip(other).map(|(one, other)| one + other)
    });
    let stuck =
        listing.states().any(|state| !listing.over(state) && listing.successors(state).is_empty());
    let first = sums.next().flatten();
    !stuck && first.is_some() && sums.all(|sum| sum == first)
}

/// Nothing is known but what the goals say; an end without one may be read as the highest there is.
fn unsolved(task: &Task<'_>, unfinished: Unfinished) -> Solution {
    let most = |role: usize| {
        let goals = task.net.goals.iter().filter(|goal| goal.role.index() == role);
        goals.map(|goal| goal.value).max().unwrap_or(0).max(HIGHEST_GOAL)
    };
    Solution {
        values: (0..task.net.roles.len()).map(|role| Bounds::between(0, most(role))).collect(),
        meaning: Meaning::Secured,
        line: Vec::new(),
        shortest: false,
        method: Method::Listing,
        nodes: 0,
        states: 0,
        unfinished: Some(unfinished),
        notes: Vec::new(),
    }
}
