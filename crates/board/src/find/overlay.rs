//! Families that lie on the same board: walls and the robot between them.
//!
//! Two families share a board if they have the same coordinates and one reads the other. Boards that
//! are equal by chance and have nothing to do with one another stay apart.

use gambol_net::{FluentId, Gate, GateId, Net};

use crate::find::laid::Laid;

/// The families, those that share a board together; the fullest first.
pub(crate) fn overlay<'f, 'a>(net: &Net, laid: Vec<Laid<'f, 'a>>) -> Vec<Vec<Laid<'f, 'a>>> {
    let mut owner = vec![None; net.fluents.len()];
    for (number, one) in laid.iter().enumerate() {
        for (fluent, _) in &one.family.members {
            owner[fluent.number() as usize] = Some(number);
        }
    }
    let reads: Vec<Vec<bool>> = match laid.len() {
        0 | 1 => vec![vec![false; laid.len()]; laid.len()],
        count => laid.iter().map(|one| families_read(net, one, &owner, count)).collect(),
    };
    let mut boards: Vec<Vec<(usize, Laid<'f, 'a>)>> = Vec::new();
    for (number, one) in laid.into_iter().enumerate() {
        let fits = |board: &Vec<(usize, Laid<'_, '_>)>| {
            let linked = board.iter().any(|(at, _)| reads[*at][number] || reads[number][*at]);
            linked && board.iter().all(|(_, other)| may_share(&one, other))
        };
        // It may be what links boards that had nothing to do with each other so far.
        let (with, without): (Vec<_>, Vec<_>) = boards.into_iter().partition(fits);
        let mut joined: Vec<(usize, Laid<'f, 'a>)> = Vec::new();
        boards = without;
        for board in with {
            let goes_on =
                board.iter().all(|(_, one)| joined.iter().all(|(_, other)| may_share(one, other)));
            if goes_on { joined.extend(board) } else { boards.push(board) }
        }
        joined.push((number, one));
        boards.push(joined);
    }
    let alone = |mut board: Vec<(usize, Laid<'f, 'a>)>| {
        board.sort_by_key(|(number, one)| (!one.reading.full, *number));
        board.into_iter().map(|(_, one)| one).collect()
    };
    boards.sort_by_key(|board| board.iter().map(|(number, _)| *number).min());
    boards.into_iter().map(alone).collect()
}

/// The same grid, and at most one of them has something everywhere.
fn may_share(one: &Laid<'_, '_>, other: &Laid<'_, '_>) -> bool {
    let plain = |laid: &Laid<'_, '_>| laid.reading.selectors.is_empty();
    plain(one)
        && plain(other)
        && one.reading.row.is_some() == other.reading.row.is_some()
        && one.columns == other.columns
        && one.rows == other.rows
        && !(one.reading.full && other.reading.full)
}

/// Which families are read by the transitions of this one.
fn families_read(
    net: &Net,
    laid: &Laid<'_, '_>,
    owner: &[Option<usize>],
    count: usize,
) -> Vec<bool> {
    let mut read = vec![false; count];
    let mut seen = vec![false; net.gate_count()];
    let mut open: Vec<GateId> =
        laid.family.members.iter().map(|(fluent, _)| net.next[*fluent]).collect();
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut seen[gate.number() as usize], true) {
            continue;
        }
        let mut meets = |fluent: FluentId| {
            if let Some(family) = owner[fluent.number() as usize] {
                read[family] = true;
            }
        };
        match net.gate(gate) {
            Gate::Fluent(fluent) => meets(fluent),
            Gate::And(inputs) | Gate::Or(inputs) => open.extend(inputs),
            Gate::Not(input) => open.push(input),
            // A move reads what its legality reads.
            Gate::Does(action) => open.push(net.legal[action]),
            Gate::Constant(_) => {}
        }
    }
    read
}
