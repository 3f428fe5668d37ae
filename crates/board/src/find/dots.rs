//! Lines between dots. Two boards of one family, one a column wider and one a row higher than a grid of boxes, are the
//! upright and the flat lines around these boxes.

use crate::boards::{Board, Boards, Lattice, Spot, is_box};

/// Joins such boards, and the board of the boxes if there is one, to one board of dots.
pub(crate) fn join_lines(boards: &mut Boards) {
    let Some((upright, flat)) = lines(boards) else { return };
    let (width, height) = (boards.boards[flat].columns.len(), boards.boards[upright].rows.len());
    let is_boxes = |number: &usize| {
        let board = &boards.boards[*number];
        ![upright, flat].contains(number)
            && (board.columns.len(), board.rows.len()) == (width, height)
    };
    let boxes = (0..boards.boards.len()).find(is_boxes);
    let mut joined = dots(&boards.boards[upright], &boards.boards[flat]);
    let layers = [(Some(upright), (0, 1)), (Some(flat), (1, 0)), (boxes, (1, 1))];
    let mut moved: Vec<(Spot, usize)> = Vec::new();
    for (number, offset) in layers.iter().filter_map(|(number, offset)| Some(((*number)?, *offset)))
    {
        let layer = &boards.boards[number];
        for place in 0..layer.places.len() {
            let (column, row) = (place % layer.columns.len(), place / layer.columns.len());
            let to = (2 * row + offset.1) * joined.columns.len() + 2 * column + offset.0;
            joined.places[to].clone_from(&layer.places[place]);
            joined.titles[to].clone_from(&layer.titles[place]);
            moved.push(((number, place), to));
        }
    }
    replace(boards, &layers.iter().filter_map(|layer| layer.0).collect::<Vec<_>>(), joined, &moved);
}

/// Puts a grid of the right size into a board of dots that has no boxes yet.
pub(crate) fn fill_boxes(boards: &mut Boards) {
    let is_open = |board: &Board| {
        let boxes = (0..board.places.len()).filter(|&place| is_box(board, place));
        board.lattice == Lattice::Dots
            && boxes.into_iter().all(|place| board.places[place].is_none())
    };
    let Some(dots) = boards.boards.iter().position(is_open) else { return };
    let size = (boards.boards[dots].columns.len() / 2, boards.boards[dots].rows.len() / 2);
    let fits = |board: &Board| {
        board.lattice == Lattice::Squares && (board.columns.len(), board.rows.len()) == size
    };
    let Some(boxes) = boards.boards.iter().position(fits) else { return };
    let mut joined = boards.boards[dots].clone();
    let mut moved: Vec<(Spot, usize)> =
        (0..joined.places.len()).map(|place| ((dots, place), place)).collect();
    let layer = &boards.boards[boxes];
    for place in 0..layer.places.len() {
        let (column, row) = (place % size.0, place / size.0);
        let to = (2 * row + 1) * joined.columns.len() + 2 * column + 1;
        joined.places[to].clone_from(&layer.places[place]);
        joined.titles[to].clone_from(&layer.titles[place]);
        moved.push(((boxes, place), to));
    }
    replace(boards, &[dots, boxes], joined, &moved);
}

/// The numbers of the boards of upright and flat lines.
fn lines(boards: &Boards) -> Option<(usize, usize)> {
    let size = |number: usize| {
        let board = &boards.boards[number];
        (board.columns.len(), board.rows.len())
    };
    let count = boards.boards.len();
    let pairs = (0..count).flat_map(|one| (0..count).map(move |other| (one, other)));
    pairs.into_iter().find(|&(upright, flat)| {
        let (one, other) = (&boards.boards[upright], &boards.boards[flat]);
        one.bare
            && other.bare
            && one.family == other.family
            && boards.boards.iter().filter(|board| board.family == one.family).count() == 2
            && size(upright).0 == size(flat).0 + 1
            && size(upright).1 + 1 == size(flat).1
    })
}

fn dots(upright: &Board, flat: &Board) -> Board {
    let between = |dots: &[String]| -> Vec<String> {
        let names = dots.iter().flat_map(|name| [name.clone(), String::new()]);
        names.take(2 * dots.len() - 1).collect()
    };
    let (columns, rows) = (between(&upright.columns), between(&flat.rows));
    let count = columns.len() * rows.len();
    let name = upright.name.split(' ').next().unwrap_or(&upright.name).to_string();
    Board {
        name,
        places: vec![None; count],
        titles: vec![String::new(); count],
        lattice: Lattice::Dots,
        columns,
        rows,
        ..upright.clone()
    }
}

/// Puts the joined board where the first of the others was, and keeps the addresses true.
fn replace(boards: &mut Boards, gone: &[usize], joined: Board, moved: &[(Spot, usize)]) {
    let at = gone.iter().copied().min().unwrap_or(0);
    let kept: Vec<usize> =
        (0..boards.boards.len()).filter(|number| *number == at || !gone.contains(number)).collect();
    let new_number = |old: usize| kept.iter().position(|&number| number == old);
    let spot = |old: Spot| {
        let to = moved.iter().find(|(from, _)| *from == old).map(|(_, to)| *to);
        to.map_or_else(
            || new_number(old.0).map(|board| (board, old.1)),
            |to| Some((new_number(at)?, to)),
        )
    };
    let addresses = std::mem::take(&mut boards.addresses).into_iter();
    boards.addresses = addresses.filter_map(|(key, old)| Some((key, spot(old)?))).collect();
    let nearby = std::mem::take(&mut boards.nearby).into_iter();
    boards.nearby = nearby
        .filter_map(|((board, key), place)| {
            let (board, place) = spot((board, place))?;
            Some(((board, key), place))
        })
        .collect();
    boards.boards[at] = joined;
    let mut number = 0;
    boards.boards.retain(|_| {
        number += 1;
        kept.contains(&(number - 1))
    });
}
