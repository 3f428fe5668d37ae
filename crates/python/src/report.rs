//! Reports of the library as plain values of Python: the keys are those of the program's JSON.

use std::time::Duration;

use gambol::analysis::{Answer, Budget, Encoding, ShapeOptions};
use gambol::net::{Net, RoleId};
use gambol::report::Structure;
use gambol::sim::{Amount, PlayoutOptions, playouts};
use gambol::solve::{CircuitDynamics, Dynamics, Limits, automorphisms, list};
use gambol::{EngineKind, index::Id};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde::Serialize;

use crate::error::stage_error;
use crate::interrupt::{Stop, interruptible};
use crate::shared::Shared;

/// A report as dictionaries, lists, numbers and strings.
pub(crate) fn plain<'py>(py: Python<'py>, report: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(report)
        .map_err(|error| PyValueError::new_err(format!("no JSON can be written: {error}")))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// A picture for a notebook: an image, so that its style stays its own.
pub(crate) fn picture_html(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    object.py().import("gambol.pictures")?.getattr("picture_html")?.call1((object,))?.extract()
}

/// What is proved about a game.
pub(crate) fn structure<'py>(
    py: Python<'py>,
    shared: &Shared,
    time: Option<Duration>,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let found = interruptible(py, |stop| {
        let mut options = ShapeOptions::default();
        options.seed = seed;
        options.budget.time = time.or(options.budget.time);
        options.budget.stop = Some(stop);
        shared.game.structure_with(&options, &mut |_| {})
    })?;
    let found = found.map_err(|error| stage_error(py, &error))?;
    plain(py, &Structure::of(shared.net(), &found))
}

/// What random games came to.
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    shared: &Shared,
    amount: u64,
    seed: u64,
    threads: usize,
    max_steps: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let tally = interruptible(py, |stop| {
        let options = PlayoutOptions {
            amount: Amount::Playouts(amount),
            seed,
            threads,
            max_steps,
            stop: Some(stop),
            ..PlayoutOptions::default()
        };
        playouts(shared.circuit(), &options)
    })?;
    let report = PyDict::new(py);
    report.set_item("playouts", tally.playouts)?;
    report.set_item("steps", tally.steps)?;
    report.set_item("mean_length", tally.mean_length())?;
    let (means, counts) = (PyDict::new(py), PyDict::new(py));
    for role in shared.net().roles.ids() {
        let name = &*shared.net().roles[role];
        let of_role = PyDict::new(py);
        for goal in tally.goals.iter().filter(|goal| goal.role == role) {
            of_role.set_item(goal.value, goal.count)?;
        }
        means.set_item(name, tally.mean_goal(role))?;
        counts.set_item(name, of_role)?;
    }
    report.set_item("mean_goals", means)?;
    report.set_item("goals", counts)?;
    report.set_item("stuck", tally.stuck)?;
    report.set_item("capped", tally.capped)?;
    report.set_item("undefined_goals", tally.undefined_goals)?;
    report.set_item("seconds", tally.seconds)?;
    report.set_item("lengths", PyArray1::from_vec(py, tally.lengths))?;
    Ok(report)
}

/// The symmetries of a game: for each the image of each fluent, and of each action of each role.
pub(crate) fn symmetries<'py>(
    py: Python<'py>,
    shared: &Shared,
    most: usize,
) -> PyResult<Bound<'py, PyList>> {
    let found = py.detach(|| automorphisms(shared.net(), most));
    let all = PyList::empty(py);
    for symmetry in found {
        let one = PyDict::new(py);
        let actions = PyDict::new(py);
        for (role, moves) in shared.table.moves.iter().enumerate() {
            let images = &symmetry.moves[moves.start as usize..moves.end as usize];
            let images: Vec<i64> =
                images.iter().map(|&image| i64::from(image - moves.start)).collect();
            actions.set_item(shared.table.name(role), PyArray1::from_vec(py, images))?;
        }
        let fluents: Vec<i64> = symmetry.fluents.into_iter().map(i64::from).collect();
        one.set_item("fluents", PyArray1::from_vec(py, fluents))?;
        one.set_item("actions", actions)?;
        all.append(one)?;
    }
    Ok(all)
}

/// What the plain interpreter of the rules says of a state, and of what follows from moves.
pub(crate) fn interpret<'py>(
    py: Python<'py>,
    shared: &Shared,
    fluents: Vec<String>,
    moves: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyDict>> {
    let refused = |error: gambol::StageError| stage_error(py, &error);
    let machine = |error: gambol::MachineError| stage_error(py, &error.into());
    let mut engine = shared.game.engine(EngineKind::Reference).map_err(refused)?;
    let report = PyDict::new(py);
    report.set_item("terminal", engine.terminal(&fluents).map_err(machine)?)?;
    report.set_item("legal", engine.legal(&fluents).map_err(machine)?)?;
    report.set_item("goals", engine.goals(&fluents).map_err(machine)?)?;
    if let Some(moves) = moves {
        report.set_item("next", engine.next(&fluents, &moves).map_err(machine)?)?;
    }
    Ok(report)
}

/// Decisions per question.
const EFFORT: u64 = 50_000;
/// Memory for a list of all states, in MiB.
const LISTED: u64 = 64;

/// What the goals of two players add up to in every end, if that is always the same and proved: of all states that the
/// rules can speak of, or of all that play can reach if they can be listed.
pub(crate) fn goal_sum(py: Python<'_>, shared: &Shared) -> PyResult<Option<u32>> {
    let [one, other] = shared.table.players[..] else { return Ok(None) };
    interruptible(py, |stop| {
        let roles = [one, other].map(RoleId::from_index);
        proved_sum(shared.net(), roles, &stop).or_else(|| listed_sum(shared, [one, other], stop))
    })
}

fn proved_sum(net: &Net, roles: [RoleId; 2], stop: &Stop) -> Option<u32> {
    let budget = Budget { time: None, stop: Some(stop.clone()) };
    let mut encoding = Encoding::new(net, &budget);
    let state = encoding.state();
    let over = encoding.gate(state, net.terminal);
    encoding.add(&[over]);
    let of = |role: RoleId| net.goals.iter().filter(move |goal| goal.role == role);
    let least = of(roles[0]).map(|goal| goal.value).min()?;
    let sum = least + of(roles[1]).map(|goal| goal.value).max()?;
    for role in roles {
        // Every end has a goal for each.
        let none: Vec<_> = of(role).map(|goal| !encoding.gate(state, goal.gate)).collect();
        if encoding.solve(&none, EFFORT) != Answer::NoModel {
            return None;
        }
    }
    let pairs = of(roles[0]).flat_map(|one| of(roles[1]).map(move |other| (one, other)));
    for (one, other) in pairs.filter(|(one, other)| one.value + other.value != sum) {
        let both = [one, other].map(|goal| encoding.gate(state, goal.gate));
        if encoding.solve(&both, EFFORT) != Answer::NoModel {
            return None;
        }
    }
    Some(sum)
}

fn listed_sum(shared: &Shared, players: [usize; 2], stop: Stop) -> Option<u32> {
    let mut game = CircuitDynamics::new(shared.net(), shared.circuit());
    let limits = Limits { time: None, memory_mib: LISTED, stop: Some(stop) };
    let start = game.start();
    let listing = list(&mut game, &start, &limits).ok()?;
    let mut sum = None;
    for end in listing.states().filter(|&state| listing.over(state)) {
        let [one, other] = players.map(|player| listing.goal(end, player).value());
        let here = one? + other?;
        if *sum.get_or_insert(here) != here {
            return None;
        }
    }
    sum
}
