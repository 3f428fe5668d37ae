//! A state as planes of a board, as convolutions want it.
//!
//! Each board has a plane for each thing that can lie on it; rows count from the top, columns from the left. What
//! lies on no board has a plane of its own, all of it 0 or all 1.

use gambol::board::Boards;
use gambol::index::Id;

use crate::vector::bits::ones;

/// Where each fluent shows.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Planes {
    /// Planes, height, width.
    pub(crate) shape: [usize; 3],
    /// What each plane shows.
    pub(crate) names: Vec<String>,
    /// For each fluent the first byte it sets and how many.
    places: Vec<(u32, u32)>,
}

impl Planes {
    /// None if the game has no board.
    pub(crate) fn of(boards: &Boards, fluents: &[Box<str>]) -> Option<Self> {
        let height = boards.boards.iter().map(|board| board.rows.len()).max()?;
        let width = boards.boards.iter().map(|board| board.columns.len()).max()?;
        let area = height * width;
        let (mut names, mut places) = (Vec::new(), vec![(0, 0); fluents.len()]);
        for board in &boards.boards {
            let first = names.len();
            let mut labels: Vec<usize> =
                board.places.iter().flatten().flatten().map(|occupant| occupant.label).collect();
            labels.sort_unstable();
            labels.dedup();
            names.extend(
                labels.iter().map(|&label| format!("{} {}", board.name, boards.labels[label])),
            );
            for (place, occupants) in board.places.iter().enumerate() {
                let (row, column) = (place / board.columns.len(), place % board.columns.len());
                let row = board.rows.len() - 1 - row;
                for occupant in occupants.iter().flatten() {
                    let plane = first + labels.binary_search(&occupant.label).unwrap_or_default();
                    places[occupant.fluent.index()] =
                        ((plane * area + row * width + column) as u32, 1);
                }
            }
        }
        for (fluent, place) in places.iter_mut().enumerate().filter(|(_, place)| place.1 == 0) {
            *place = ((names.len() * area) as u32, area as u32);
            names.push(fluents[fluent].to_string());
        }
        Some(Self { shape: [names.len(), height, width], names, places })
    }

    /// Bytes of a state.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Writes states given as rows.
    pub(crate) fn write(&self, rows: &[u64], width: usize, out: &mut [u8]) {
        out.fill(0);
        for (row, out) in rows.chunks_exact(width).zip(out.chunks_exact_mut(self.len().max(1))) {
            for (column, &word) in row.iter().enumerate() {
                for bit in ones(word) {
                    let (first, count) = self.places[64 * column + bit];
                    out[first as usize..][..count as usize].fill(1);
                }
            }
        }
    }
}
