//! How high each place stands: as near as possible to the mean of its links, in the given order and
//! without overlap.
//!
//! For one column that is a least-squares fit under order constraints, solved exactly by pooling
//! neighbours that push against one another. Columns take turns until the picture rests.

use gambol_index::IndexVec;

use super::crossings::Neighbours;
use super::layers::{Layers, PlaceId};

/// Places to set, all sweeps together: small pictures get more sweeps.
const EFFORT: usize = 400_000;

/// The middle of each place, for places that are this high.
pub(super) fn assign_heights(
    layers: &Layers,
    neighbours: &Neighbours,
    extent: &IndexVec<PlaceId, f64>,
) -> IndexVec<PlaceId, f64> {
    let mut middle = IndexVec::filled(0.0, layers.node.len());
    for column in &layers.columns {
        place_column(column, extent, &mut middle, |_| (0.0, 1.0));
    }
    let count = layers.columns.len();
    let sweeps = (EFFORT / layers.node.len().max(1)).clamp(8, 400);
    for sweep in 0..sweeps {
        for step in 0..count {
            let column = if sweep % 2 == 0 { step } else { count - 1 - step };
            let wish = wishes(layers, neighbours, &middle, &layers.columns[column]);
            place_column(&layers.columns[column], extent, &mut middle, |row| wish[row]);
        }
    }
    straighten(layers, extent, &mut middle);
    middle
}

/// Long edges run level where there is room, at the height of their start if possible.
fn straighten(
    layers: &Layers,
    extent: &IndexVec<PlaceId, f64>,
    middle: &mut IndexVec<PlaceId, f64>,
) {
    let mut row = IndexVec::filled(0, layers.node.len());
    for column in &layers.columns {
        column.iter().enumerate().for_each(|(index, &place)| row[place] = index);
    }
    for path in layers.paths.iter().filter(|path| path.len() > 2) {
        let passed = &path[1..path.len() - 1];
        let rooms = passed.iter().map(|&place| {
            let column = &layers.columns[layers.column[place]];
            room(column, row[place], extent, middle)
        });
        let (least, most) = rooms.fold((f64::NEG_INFINITY, f64::INFINITY), |all, room| {
            (all.0.max(room.0), all.1.min(room.1))
        });
        if least <= most {
            let height = middle[path[0]].clamp(least, most);
            passed.iter().for_each(|&place| middle[place] = height);
        }
    }
}

/// How far a place can move without touching its neighbours.
fn room(
    column: &[PlaceId],
    row: usize,
    extent: &IndexVec<PlaceId, f64>,
    middle: &IndexVec<PlaceId, f64>,
) -> (f64, f64) {
    let apart = |other: PlaceId| (extent[other] + extent[column[row]]) / 2.0;
    let above = row.checked_sub(1).map(|row| column[row]);
    let below = column.get(row + 1).copied();
    let least = above.map_or(f64::NEG_INFINITY, |above| middle[above] + apart(above));
    let most = below.map_or(f64::INFINITY, |below| middle[below] - apart(below));
    (least, most)
}

/// Where each place of a column would like to be, and how much it matters.
fn wishes(
    layers: &Layers,
    neighbours: &Neighbours,
    middle: &IndexVec<PlaceId, f64>,
    column: &[PlaceId],
) -> Vec<(f64, f64)> {
    let wish = |&place: &PlaceId| {
        let (mut sum, mut weight) = (0.0, 0.0);
        for &other in neighbours.left[place].iter().chain(&neighbours.right[place]) {
            // Long edges should not wriggle.
            let passed = [place, other].iter().filter(|&&end| layers.node[end].is_none()).count();
            let pull = [1.0, 2.0, 8.0][passed];
            sum += pull * middle[other];
            weight += pull;
        }
        if weight == 0.0 { (middle[place], 0.01) } else { (sum / weight, weight) }
    };
    column.iter().map(wish).collect()
}

/// Neighbours that touch: they move together.
struct Pool {
    rows: usize,
    /// Where the first row would like to be, on average.
    wish: f64,
    weight: f64,
}

fn place_column(
    column: &[PlaceId],
    extent: &IndexVec<PlaceId, f64>,
    middle: &mut IndexVec<PlaceId, f64>,
    wish: impl Fn(usize) -> (f64, f64),
) {
    // With the distances to the first place subtracted, "without overlap" means "not decreasing".
    let mut distance = 0.0;
    let mut distances = Vec::with_capacity(column.len());
    let mut pools: Vec<Pool> = Vec::new();
    for (row, &place) in column.iter().enumerate() {
        if row > 0 {
            distance += (extent[column[row - 1]] + extent[place]) / 2.0;
        }
        distances.push(distance);
        let (wish, weight) = wish(row);
        let mut pool = Pool { rows: 1, wish: wish - distance, weight };
        while let Some(above) = pools.pop_if(|above| above.wish >= pool.wish) {
            pool = merge(above, pool);
        }
        pools.push(pool);
    }
    let firsts = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.wish, pool.rows));
    for ((&place, first), distance) in column.iter().zip(firsts).zip(distances) {
        middle[place] = first + distance;
    }
}

fn merge(above: Pool, below: Pool) -> Pool {
    let weight = above.weight + below.weight;
    let wish = (above.wish * above.weight + below.wish * below.weight) / weight;
    Pool { rows: above.rows + below.rows, wish, weight }
}
