//! Edges that belong to a player: where a chain from one side of a board of hexagons to the other wins.
//!
//! They are found by trying. A role fills a row, or a column, from end to end while the others play elsewhere; if
//! it wins with the last place, both ends are its own.

use gambol_net::{BaseMarking, MoveId, Net, NetEngine, RoleId};

use crate::boards::{Boards, Edges, Lattice, Spot};
use crate::term::Term;

/// Boards with more places are not tried.
const MOST_PLACES: usize = 400;
/// Gates evaluated in all for one line: a large net is left alone.
const WORK: usize = 40_000_000;

/// Finds the edges of each board.
pub(crate) fn find_edges(boards: &mut Boards, net: &Net) {
    for number in 0..boards.boards.len() {
        let board = &boards.boards[number];
        let (columns, rows) = (board.columns.len(), board.rows.len());
        let full = board.places.iter().all(Option::is_some);
        let hexagons = matches!(board.lattice, Lattice::Hexagons { .. });
        let work = 4 * columns.max(rows) * net.gate_count();
        if !hexagons || !full || board.places.len() > MOST_PLACES || work > WORK {
            continue;
        }
        let place = |column: usize, row: usize| (number, row * columns + column);
        let grid = |by_rows: bool| -> Vec<Vec<Spot>> {
            let (outer, inner) = if by_rows { (rows, columns) } else { (columns, rows) };
            let at = |out: usize, within: usize| {
                if by_rows { place(within, out) } else { place(out, within) }
            };
            (0..outer).map(|out| (0..inner).map(|within| at(out, within)).collect()).collect()
        };
        let winner = |by_rows: bool| {
            let mut roles =
                net.roles.ids().filter(|&role| wins_along(boards, net, role, &grid(by_rows)));
            roles.next().filter(|_| roles.next().is_none()).map(|role| role.number() as usize)
        };
        let (across, upwards) = (winner(true), winner(false));
        // Who wins both ways has no edges.
        if across != upwards {
            boards.boards[number].edges = Edges { across, upwards };
        }
    }
}

/// Whether a role wins as soon as it has filled the middle one of some lines, the others being busy in the rest.
fn wins_along(boards: &Boards, net: &Net, role: RoleId, lines: &[Vec<Spot>]) -> bool {
    let middle = lines.len() / 2;
    let own = &lines[middle];
    let elsewhere: Vec<Spot> = (0..lines.len())
        .filter(|&line| line != middle)
        .flat_map(|line| lines[line].clone())
        .collect();
    let mut engine = NetEngine::new(net);
    let mut state = engine.initial();
    let mut filled = 0;
    for _ in 0..4 * own.len() {
        if engine.terminal(&state) {
            return false;
        }
        let legal = engine.legal(&state);
        let joint: Option<Vec<MoveId>> = net
            .roles
            .ids()
            .map(|mover| {
                let range = net.moves_of(mover);
                let mut moves =
                    legal.iter().copied().filter(|action| range.contains(&action.number()));
                let wanted: &[Spot] = if mover == role { &own[filled..] } else { &elsewhere };
                let all: Vec<MoveId> = moves.by_ref().collect();
                match all.as_slice() {
                    [only] => Some(*only),
                    all => wanted.iter().find_map(|spot| names(boards, net, all, *spot)),
                }
            })
            .collect();
        let Some(joint) = joint else { return false };
        let range = net.moves_of(role);
        let acts = joint.iter().filter(|action| range.contains(&action.number()));
        filled += usize::from(
            acts.copied().any(|action| spot(boards, net, action) == own.get(filled).copied()),
        );
        state = engine.next(&state, &joint);
        if filled == own.len() {
            return engine.terminal(&state) && has_won(net, &mut engine, &state, role);
        }
    }
    false
}

/// The move of these that names this place alone.
fn names(boards: &Boards, net: &Net, moves: &[MoveId], wanted: Spot) -> Option<MoveId> {
    moves.iter().copied().find(|&action| spot(boards, net, action) == Some(wanted))
}

/// The only place that a move names.
fn spot(boards: &Boards, net: &Net, action: MoveId) -> Option<Spot> {
    match boards.named(&Term::read(&net.moves[action].name).leaves).as_slice() {
        [spot] => Some(*spot),
        _ => None,
    }
}

/// Whether a role has the best of its goals.
fn has_won(net: &Net, engine: &mut NetEngine<&Net>, state: &BaseMarking, role: RoleId) -> bool {
    let marking = engine.marking(state, &[]);
    let own = || net.goals.iter().filter(|goal| goal.role == role);
    let best = own().map(|goal| goal.value).max();
    own().any(|goal| Some(goal.value) == best && marking.holds(goal.gate))
}
