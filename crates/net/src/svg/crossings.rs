//! The order within columns: each place goes to the mean position of those it is linked to, from
//! the left and from the right in turn, and the order with the fewest crossings is kept.

use gambol_index::IndexVec;

use super::layers::{Layers, PlaceId};

const SWEEPS: usize = 24;

/// Reorders the columns.
pub(super) fn reduce_crossings(layers: &mut Layers) {
    let neighbours = Neighbours::of(layers);
    lower_unlinked(layers, &neighbours);
    let mut best = layers.columns.clone();
    let mut fewest = crossings(layers, &neighbours);
    for sweep in 0..SWEEPS {
        let forward = sweep % 2 == 0;
        let count = layers.columns.len();
        let mut heights = relative_heights(layers);
        for step in 1..count {
            let column = if forward { step } else { count - 1 - step };
            let column = &mut layers.columns[column];
            sort_by_mean(column, &neighbours, &heights, forward);
            set_relative_heights(column, &mut heights);
        }
        let found = crossings(layers, &neighbours);
        if found < fewest {
            fewest = found;
            best.clone_from(&layers.columns);
        }
    }
    layers.columns = best;
}

/// Places without links would only be in the way: they go to the end of their column.
fn lower_unlinked(layers: &mut Layers, neighbours: &Neighbours) {
    for column in &mut layers.columns {
        column.sort_by_key(|&place| neighbours.is_unlinked(place));
    }
}

/// The links of each place to the left and to the right.
pub(super) struct Neighbours {
    pub(super) left: IndexVec<PlaceId, Vec<PlaceId>>,
    pub(super) right: IndexVec<PlaceId, Vec<PlaceId>>,
}

impl Neighbours {
    pub(super) fn of(layers: &Layers) -> Self {
        let empty = IndexVec::filled(Vec::new(), layers.node.len());
        let mut neighbours = Self { left: empty.clone(), right: empty };
        for (from, to) in layers.links() {
            neighbours.left[to].push(from);
            neighbours.right[from].push(to);
        }
        neighbours
    }

    pub(super) fn is_unlinked(&self, place: PlaceId) -> bool {
        self.left[place].is_empty() && self.right[place].is_empty()
    }
}

fn positions(layers: &Layers) -> IndexVec<PlaceId, usize> {
    let mut positions = IndexVec::filled(0, layers.node.len());
    for column in &layers.columns {
        column.iter().enumerate().for_each(|(row, &place)| positions[place] = row);
    }
    positions
}

fn sort_by_mean(
    column: &mut [PlaceId],
    neighbours: &Neighbours,
    heights: &IndexVec<PlaceId, f64>,
    forward: bool,
) {
    let links = if forward { &neighbours.left } else { &neighbours.right };
    let mean = |&place: &PlaceId| match links[place].as_slice() {
        [] if neighbours.is_unlinked(place) => f64::INFINITY,
        [] => heights[place],
        linked => linked.iter().map(|&other| heights[other]).sum::<f64>() / linked.len() as f64,
    };
    let mut means: Vec<(f64, PlaceId)> = column.iter().map(|place| (mean(place), *place)).collect();
    means.sort_by(|one, other| one.0.total_cmp(&other.0));
    column.iter_mut().zip(means).for_each(|(place, (_, sorted))| *place = sorted);
}

/// Heights from 0 to 1, so that columns of different length compare.
fn relative_heights(layers: &Layers) -> IndexVec<PlaceId, f64> {
    let mut heights = IndexVec::filled(0.0, layers.node.len());
    layers.columns.iter().for_each(|column| set_relative_heights(column, &mut heights));
    heights
}

fn set_relative_heights(column: &[PlaceId], heights: &mut IndexVec<PlaceId, f64>) {
    let scale = 1.0 / column.len().max(1) as f64;
    for (row, &place) in column.iter().enumerate() {
        heights[place] = (row as f64 + 0.5) * scale;
    }
}

/// How often links cross, counted between each two neighbouring columns.
fn crossings(layers: &Layers, neighbours: &Neighbours) -> u64 {
    let positions = positions(layers);
    let between = layers.columns.iter().map(|column| {
        let ends = column.iter().flat_map(|&place| {
            let mut ends: Vec<usize> =
                neighbours.right[place].iter().map(|&other| positions[other]).collect();
            ends.sort_unstable();
            ends
        });
        inversions(ends.collect())
    });
    between.sum()
}

/// The number of pairs in the wrong order, by a tree of counts.
fn inversions(ends: Vec<usize>) -> u64 {
    let size = ends.iter().max().map_or(0, |most| most + 1);
    let mut tree = vec![0u64; size + 1];
    let mut inversions = 0;
    for (seen, &end) in ends.iter().enumerate() {
        let mut not_above = 0;
        let mut row = end + 1;
        while row > 0 {
            not_above += tree[row];
            row &= row - 1;
        }
        inversions += seen as u64 - not_above;
        let mut row = end + 1;
        while row <= size {
            tree[row] += 1;
            row += row & row.wrapping_neg();
        }
    }
    inversions
}

#[cfg(test)]
mod tests {
    use super::inversions;

    #[test]
    fn crossings_are_inversions() {
        assert_eq!(inversions(vec![0, 1, 2]), 0);
        assert_eq!(inversions(vec![2, 1, 0]), 3);
        assert_eq!(inversions(vec![1, 1, 0, 2]), 2);
    }
}
