//! Which places are neighbours, and whether something moves askew.
//!
//! Directions come from four sources: moves that name two places, things that change place in random play,
//! view propositions about a place that read the same of another, and conditions that join a move at a place with what
//! lies on another. Both diagonals or none: squares. One of them, and
//! back as well as forth: hexagons.

use gambol_net::{Gate, GateId, MoveId, Net};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::boards::{Boards, Lattice, Spot};
use crate::find::sample::Sample;
use crate::look::Shape;
use crate::slide::slide;
use crate::term::Term;

/// Steps in columns and rows.
type Offset = (i64, i64);

/// So many places lie around one.
const MOST_NEIGHBOURS: usize = 8;
/// Gates below a view, or a condition, that are looked at.
const DEPTH: usize = 4;
/// More views than this are not looked at.
const MOST_VIEWS: usize = 20_000;

/// Sets lattice and chequers of each board.
pub(crate) fn find_geometry(boards: &mut Boards, net: &Net, sample: &Sample) {
    let mut moved = moved(boards, net);
    for step in &sample.steps {
        for (from, to) in slide(boards, &sample.states[step.from], &sample.states[step.to]) {
            note(boards, from, to, &mut moved);
        }
    }
    let mut read = read(boards, net);
    join_moves(boards, net, &mut read);
    for number in 0..boards.boards.len() {
        let board = &boards.boards[number];
        if board.lattice != Lattice::Squares || board.rows.len() < 2 {
            continue;
        }
        let empty = FxHashSet::default();
        let (moved, read) =
            (moved.get(&number).unwrap_or(&empty), read.get(&number).unwrap_or(&empty));
        let lattice = hexagons(moved).or_else(|| hexagons(read).filter(|_| moved.is_empty()));
        let askew = moved.iter().any(|&(columns, rows)| columns != 0 && rows != 0);
        let men = board.places.iter().flatten().flatten();
        let chess = men
            .map(|one| &boards.looks[one.label].shape)
            .any(|shape| matches!(shape, Shape::Chess(_)));
        let board = &mut boards.boards[number];
        board.lattice = lattice.unwrap_or_default();
        board.chequered = lattice.is_none() && (askew || chess);
    }
}

/// Six directions: along rows and columns, and along one diagonal.
fn hexagons(directions: &FxHashSet<Offset>) -> Option<Lattice> {
    let both = |columns, rows| {
        directions.contains(&(columns, rows)) && directions.contains(&(-columns, -rows))
    };
    let (rising, falling) = (both(1, 1), both(1, -1));
    let any = |columns, rows| {
        directions.contains(&(columns, rows)) || directions.contains(&(-columns, -rows))
    };
    let one_diagonal = (rising && !any(1, -1)) || (falling && !any(1, 1));
    (both(1, 0) && both(0, 1) && one_diagonal).then_some(Lattice::Hexagons { rightwards: falling })
}

/// Directions on each board.
type Directions = FxHashMap<usize, FxHashSet<Offset>>;

fn note(boards: &Boards, from: Spot, to: Spot, directions: &mut Directions) {
    if from.0 != to.0 || from == to {
        return;
    }
    let width = boards.boards[from.0].columns.len() as i64;
    let at = |spot: Spot| (spot.1 as i64 % width, spot.1 as i64 / width);
    let (from_at, to_at) = (at(from), at(to));
    let (columns, rows) = (to_at.0 - from_at.0, to_at.1 - from_at.1);
    let unit = greatest_common_divisor(columns.abs(), rows.abs());
    directions.entry(from.0).or_default().insert((columns / unit, rows / unit));
}

fn greatest_common_divisor(one: i64, other: i64) -> i64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

/// Moves that name two places of a board.
fn moved(boards: &Boards, net: &Net) -> Directions {
    let mut directions = Directions::default();
    for action in &net.moves {
        if let [from, to] = boards.named(&Term::read(&action.name).leaves).as_slice() {
            note(boards, *from, *to, &mut directions);
        }
    }
    directions
}

/// Views about a place that read others.
fn read(boards: &Boards, net: &Net) -> Directions {
    let mut directions = Directions::default();
    if net.views.len() > MOST_VIEWS {
        return directions;
    }
    let mut spots: FxHashMap<GateId, Spot> = FxHashMap::default();
    for (spot, occupant) in boards.occupants() {
        spots.insert(net.fluent_gate(occupant.fluent), spot);
    }
    for view in &net.views {
        let name = net.names.atom_text(&view.atom);
        if let [spot] = boards.named(&Term::read(&name).leaves).as_slice() {
            spots.insert(view.gate, *spot);
        }
    }
    for view in &net.views {
        if let Some(&from) = spots.get(&view.gate) {
            let mut near = FxHashSet::default();
            below(net, view.gate, DEPTH, &spots, &mut near);
            near.iter().for_each(|&to| note(boards, from, to, &mut directions));
        }
    }
    directions
}

/// Conditions that join a move that names a place with what is true of another, or lies there.
fn join_moves(boards: &Boards, net: &Net, directions: &mut Directions) {
    // What a name tells beside a place of a board, as the number of a chain of stones, may be a place of a row.
    let only = |name: &str| {
        let spots = boards.named(&Term::read(name).leaves);
        let mut spots = spots.into_iter().filter(|spot| boards.boards[spot.0].rows.len() > 1);
        spots.next().filter(|_| spots.next().is_none())
    };
    let named: FxHashMap<MoveId, Spot> =
        net.moves.iter_ids().filter_map(|(id, action)| Some((id, only(&action.name)?))).collect();
    if named.is_empty() {
        return;
    }
    let told =
        net.fluents.iter_ids().filter_map(|(id, name)| Some((net.fluent_gate(id), only(name)?)));
    let lying = boards.occupants().map(|(spot, one)| (net.fluent_gate(one.fluent), spot));
    let spots: FxHashMap<GateId, Spot> = told.chain(lying).collect();
    for gate in net.gate_ids() {
        let Gate::And(inputs) = net.gate(gate) else { continue };
        let mut moves = Vec::new();
        inputs.iter().for_each(|&input| moves_of(net, input, DEPTH, &named, &mut moves));
        if moves.is_empty() || moves.len() > MOST_NEIGHBOURS {
            continue;
        }
        let mut near = FxHashSet::default();
        below(net, gate, 2, &spots, &mut near);
        // A move with what lies around it, or what lies somewhere with the moves around it.
        if moves.len() == 1 || near.len() == 1 {
            for (&at, &to) in moves.iter().flat_map(|at| near.iter().map(move |to| (at, to))) {
                note(boards, at, to, directions);
                note(boards, to, at, directions);
            }
        }
    }
}

/// The places of the moves that an input asks for: of one move, of the same move of several roles, or of such a
/// move together with other conditions. No more are looked for than a place has neighbours.
fn moves_of(
    net: &Net,
    input: GateId,
    depth: usize,
    named: &FxHashMap<MoveId, Spot>,
    spots: &mut Vec<Spot>,
) {
    match net.gate(input) {
        Gate::Does(action) => {
            if let Some(spot) = named.get(&action).filter(|spot| !spots.contains(spot)) {
                spots.push(*spot);
            }
        }
        Gate::And(inputs) | Gate::Or(inputs) if depth > 1 => {
            for &input in inputs {
                if spots.len() <= MOST_NEIGHBOURS {
                    moves_of(net, input, depth - 1, named, spots);
                }
            }
        }
        _ => {}
    }
}

/// The places that a gate reads within a few gates.
fn below(
    net: &Net,
    gate: GateId,
    depth: usize,
    spots: &FxHashMap<GateId, Spot>,
    near: &mut FxHashSet<Spot>,
) {
    let one = |input: GateId, near: &mut FxHashSet<Spot>| match spots.get(&input) {
        Some(&spot) => {
            near.insert(spot);
        }
        None if depth > 1 => below(net, input, depth - 1, spots, near),
        None => {}
    };
    match net.gate(gate) {
        Gate::And(inputs) | Gate::Or(inputs) => inputs.iter().for_each(|&input| one(input, near)),
        Gate::Not(input) => one(input, near),
        Gate::Fluent(_) | Gate::Does(_) | Gate::Constant(_) => {}
    }
}
