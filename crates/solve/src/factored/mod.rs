//! Factored solving: each part of a game is reduced to a quotient, and the product of the quotients is solved.
//!
//! That is exact whatever ends the game and whatever the goals read, because parts are read off the gates and states
//! are merged only if nothing distinguishes them. What it saves depends on the game: a part that nothing reads shrinks
//! to the moves it gives away, a board that is decided to one state.
//! solved.
//!
//! That is exact whatever ends the game and whatever the goals read, because parts are read off the
//! gates and states are made one only if nothing tells them apart. What it saves depends on the game:
//! a part nobody looks at shrinks to the moves it gives away, boards that are decided to one state.

mod blocks;
mod context;
mod impartial;
mod legality;
mod part_quotient;
mod partizan;
mod parts;
mod quotient;
mod replies;
mod sum;
mod sum_evaluator;
mod sum_replies;
mod transition_system;

use std::time::Instant;

use gambol_decompose::{DecomposeOptions, decompose};
use gambol_index::{Id, bits};
use gambol_net::rewrite::from_state;
use gambol_net::{FluentId, MoveId, Net, Supports};
use gambol_verify::HIGHEST_GOAL;

use self::context::Orbit;
use self::part_quotient::{Node, nodes};
use self::parts::{boards, parts};
use self::quotient::Quotient;
pub(crate) use self::replies::PartReplies;
use self::sum_evaluator::sum;
use self::transition_system::list_part;
use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::Meter;
use crate::listing::Listing;
use crate::listing::checkpoint::ListingKeeper;
use crate::listing::values::of_listing;
use crate::observer::Stage;
use crate::planning::breadth_first::best_plan;
use crate::problem::{Task, joint_moves};
use crate::reduction::abstraction::Reduced;
use crate::rounds::{Found, Others};
use crate::{Bounds, Dynamics, Limits, Meaning, Method, Observer, Shortcuts, Solution, Use};

/// Why a game is not solved part by part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NotFactored {
    #[error("the net is too large to see what depends on what")]
    Large,
    #[error("the game does not fall into parts that do not look at one another")]
    Whole,
    #[error("a player can be stuck, there are too many joint moves, or the clock is too long")]
    Context,
    #[error("a part has too many states")]
    Part,
    #[error("the product of the parts is too large for the limits")]
    Product,
    #[error("the values of the product are not of a kind that can be told")]
    Value,
}

/// What the states of a product may take, in MiB, before the others have their round.
const FIRST_ROUND_MIB: u64 = 128;

/// Random games that suggest parts, and gates of all of them together: larger nets get fewer games.
const HINT_PLAYOUTS: u64 = 500;
const HINT_GATES: u64 = 50_000_000;
/// The share of the time for that if there is a limit.
const HINT_SHARE: f64 = 0.1;

/// Which fluents seem to belong together, from the state on that is to be solved.
pub(crate) fn hint(task: &Task<'_>) -> Vec<Vec<FluentId>> {
    match &task.options.parts {
        Some(parts) => parts.clone(),
        None => find_hint(task),
    }
}

fn find_hint(task: &Task<'_>) -> Vec<Vec<FluentId>> {
    let mut options = DecomposeOptions::default();
    let gates = task.net.gate_count().max(1) as u64;
    options.playouts = HINT_PLAYOUTS.min(HINT_GATES / gates).max(20);
    options.seed = task.options.seed;
    // Whether the parts look at one another is read off the gates later.
    options.keep_doubtful = true;
    options.at.clone_from(&task.options.at);
    let Limits { time, stop, .. } = &task.options.limits;
    options.time = time.map(|time| time.mul_f64(HINT_SHARE));
    options.stop = stop.clone();
    decompose(task.net, &options).played_fluents()
}

/// Solves a game part by part, along the lines of a hint; if the parts look at one another, by
/// making one what nothing tells apart any more in the course of play. The others have their round
/// before a large product is listed.
pub(crate) fn factored(
    task: &Task<'_>,
    hint: &[Vec<FluentId>],
    limits: &Limits,
    observer: &mut dyn Observer,
    others: &mut Others<'_>,
) -> Result<Found, NotFactored> {
    let (started, shortcuts) = (Instant::now(), task.options.shortcuts);
    let parts = match shortcuts.quotients {
        Use::Never => Err(NotFactored::Whole),
        _ if shortcuts.residues == Use::Always => Err(NotFactored::Whole),
        _ => by_parts(task, hint, limits, observer, others),
    };
    parts.or_else(|reason| {
        let wanted = match shortcuts.residues {
            Use::Auto => hint.len() > 1 && shortcuts.quotients != Use::Always,
            Use::Always => true,
            Use::Never => false,
        };
        let found = wanted.then(|| by_residues(task, &limits.left(started), observer, others));
        found.flatten().ok_or(reason)
    })
}

/// What the states of a board may take in a first attempt, in MiB.
const BOARD_MIB: u64 = 64;

/// Solves a game that is a sum of boards which the rules keep apart, by its theory. That takes a moment,
/// whether it is one or not.
pub(crate) fn sum_of_boards(
    whole: &Task<'_>,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Option<Solution> {
    let Shortcuts { quotients, residues, sums, .. } = whole.options.shortcuts;
    if quotients == Use::Never || residues == Use::Always || sums == Use::Never {
        return None;
    }
    let memory_mib = limits.memory_mib.min(BOARD_MIB);
    let meter = Meter::start(&Limits { memory_mib, ..limits.clone() });
    let net = from_here(whole);
    let task = Task { net: &net, ..*whole };
    let mut taken = apart(&task, &boards(&net)?, &meter, observer).ok()?;
    summed(&task, &mut taken, &meter)
}

/// The value of a game taken apart, if it is a sum that is understood.
fn summed(task: &Task<'_>, taken: &mut Apart<'_>, meter: &Meter) -> Option<Solution> {
    let mut solution = sum(task.net, &mut taken.listed, meter)?;
    let start = taken.listed.start.clone();
    solution.line = lift(&mut taken.listed, task.start, start, &solution.line);
    Some(solution)
}

/// Solves a game state by state, where one state stands for all with the same residue.
fn by_residues(
    task: &Task<'_>,
    limits: &Limits,
    observer: &mut dyn Observer,
    others: &mut Others<'_>,
) -> Option<Found> {
    let mut game = Reduced::new(task.net, task.circuit, limits);
    let start = game.standing(task.start);
    let mut solution = match task.net.roles.len() {
        1 => one_role(task, &mut game, &start, limits).ok()?,
        _ => match several(&mut game, &start, limits, observer, others).ok()? {
            Product::Listed(solution) => solution,
            Product::Others(found) => return Some(found),
        },
    };
    solution.method = Method::Factored;
    solution.notes.push("states that nothing tells apart any more count once".to_string());
    Some(Ok(solution))
}

fn by_parts(
    whole: &Task<'_>,
    hint: &[Vec<FluentId>],
    limits: &Limits,
    observer: &mut dyn Observer,
    others: &mut Others<'_>,
) -> Result<Found, NotFactored> {
    let (started, meter) = (Instant::now(), Meter::start(limits));
    let net = from_here(whole);
    let mut task = &Task { net: &net, ..*whole };
    let mut taken = match apart(task, hint, &meter, observer) {
        // Parts that never begin are gone, but to leave them as they are costs little; and a moment in
        // which nothing can be done is no matter as long as nobody knows it.
        Err(NotFactored::Whole | NotFactored::Context) => {
            task = whole;
            apart(task, hint, &meter, observer)?
        }
        found => found?,
    };
    let sums = task.options.shortcuts.sums != Use::Never;
    if let Some(solution) = sums.then(|| summed(task, &mut taken, &meter)).flatten() {
        return Ok(Ok(solution));
    }
    let mut quotient = taken.reduced(task, &meter);
    let start = quotient.start.clone();
    let note = quotient
        .parts
        .iter()
        .map(|part| format!("{} of {}", part.len(), part.states))
        .collect::<Vec<_>>()
        .join(", ");
    let left = limits.left(started);
    let mut solution = match task.net.roles.len() {
        1 => one_role(task, &mut quotient, &start, &left)?,
        _ => match sums.then(|| sum(task.net, &mut quotient, &meter)).flatten() {
            Some(solution) => solution,
            None => match several(&mut quotient, &start, &left, observer, others)? {
                Product::Listed(solution) => solution,
                Product::Others(found) => return Ok(found),
            },
        },
    };
    solution.line = lift(&mut quotient, task.start, start, &solution.line);
    solution.method = Method::Factored;
    solution.notes.push(format!("bisimulation quotient of the parts: {note} states"));
    Ok(Ok(solution))
}

/// The game from the state it is solved from: what is fixed there ties nothing together any more, and
/// moves that are gone need no room.
pub(crate) fn from_here(task: &Task<'_>) -> Net {
    let words = task.start;
    let holds = |fluent: &FluentId| bits::is_set(words, fluent.index());
    let start: Vec<FluentId> = task.net.fluents.ids().filter(holds).collect();
    from_state(task.net, &start).0
}

/// A game taken apart: its parts with all their states.
struct Apart<'a> {
    supports: Supports,
    listed: Quotient<'a>,
}

impl<'a> Apart<'a> {
    /// The same with states made one that nothing tells apart.
    fn reduced(self, task: &Task<'a>, meter: &Meter) -> Quotient<'a> {
        let Quotient { game, parts, orbit, .. } = self.listed;
        let locals = parts.into_iter().map(|part| part.reduced).collect();
        let nodes = nodes(task.net, &self.supports, &orbit, locals, meter);
        Quotient::new(task.net, game, nodes, orbit, task.start)
    }
}

fn apart<'a>(
    task: &Task<'a>,
    hint: &[Vec<FluentId>],
    meter: &Meter,
    observer: &mut dyn Observer,
) -> Result<Apart<'a>, NotFactored> {
    let net = task.net;
    let supports = Supports::of(net).ok_or(NotFactored::Large)?;
    let parts = parts(net, &supports, hint).ok_or(NotFactored::Whole)?;
    let orbit = Orbit::of(net, &supports, &parts, task.start).ok_or(NotFactored::Context)?;
    let mut nodes: Vec<Node> = Vec::new();
    for (part, fluents) in parts.parts.iter().enumerate() {
        let local = list_part(net, &orbit, (part, fluents), task.start, (meter, observer));
        nodes.push(Node::listed(part, local.ok_or(NotFactored::Part)?));
    }
    let game = CircuitDynamics::new(net, task.circuit);
    Ok(Apart { supports, listed: Quotient::new(net, game, nodes, orbit, task.start) })
}

fn one_role(
    task: &Task<'_>,
    game: &mut impl Dynamics,
    start: &[u64],
    limits: &Limits,
) -> Result<Solution, NotFactored> {
    // An end without a goal may be read as the highest one there is.
    let goals = task.net.goals.iter().map(|goal| goal.value);
    let ceiling = goals.max().unwrap_or(0).max(HIGHEST_GOAL);
    let plans = best_plan(game, start, ceiling, limits);
    plans.complete.map_err(|_| NotFactored::Product)?;
    // Who can come to no end has nothing.
    let best = plans.best.unwrap_or(0);
    if plans.hope > best {
        return Err(NotFactored::Value);
    }
    Ok(Solution {
        values: vec![Bounds::exact(best)],
        meaning: Meaning::Best,
        line: joint_moves(&plans.plan, 1),
        shortest: true,
        method: Method::Factored,
        nodes: plans.nodes,
        states: plans.states,
        unfinished: None,
        notes: Vec::new(),
    })
}

/// What became of a product.
enum Product {
    /// All of it is listed.
    Listed(Solution),
    /// The others were faster.
    Others(Found),
}

fn several(
    game: &mut impl Dynamics,
    start: &[u64],
    limits: &Limits,
    observer: &mut dyn Observer,
    others: &mut Others<'_>,
) -> Result<Product, NotFactored> {
    let first = Limits { memory_mib: limits.memory_mib.min(FIRST_ROUND_MIB), ..limits.clone() };
    let (first, all) = (Meter::start(&first), Meter::start(limits));
    let mut listing = Listing::begun(game, start);
    let mut round = |meter: &Meter, observer: &mut dyn Observer| {
        let mut stage = Stage { observer, name: "parts together" };
        listing.complete(game, meter, &mut ListingKeeper::new(&mut stage, 0, None))
    };
    if round(&first, observer).is_err() {
        if let Some(found) = others(observer) {
            return Ok(Product::Others(found));
        }
        round(&all, observer).map_err(|_| NotFactored::Product)?;
    }
    let solution = of_listing(&listing).map_err(|_| NotFactored::Value)?;
    if solution.unfinished.is_some() {
        Err(NotFactored::Value)
    } else {
        Ok(Product::Listed(solution))
    }
}

/// A line of blocks as a line of the game: each move is replaced by one that leads to the same blocks.
fn lift(
    quotient: &mut Quotient<'_>,
    start: &[u64],
    mut row: Vec<u64>,
    line: &[Vec<MoveId>],
) -> Vec<Vec<MoveId>> {
    let mut state = start.to_vec();
    let mut lifted = Vec::new();
    for joint in line {
        let joint: Vec<u32> = joint.iter().map(|action| action.index() as u32).collect();
        let after = quotient.step(&row, &joint);
        let looks = quotient.game.look(&state);
        let mut found = None;
        for number in 0..looks.joint_count(0) {
            let mut moves = Vec::new();
            looks.joint_move(0, number, &mut moves);
            let next = quotient.game.step(&state, &moves);
            if quotient.row_after(&next, &row) == after {
                found = Some((moves, next));
                break;
            }
        }
        let Some((moves, next)) = found else { break };
        lifted.push(moves.into_iter().map(MoveId::new).collect());
        (state, row) = (next, after);
    }
    lifted
}

#[cfg(test)]
mod sum_tests;
#[cfg(test)]
mod tests;
