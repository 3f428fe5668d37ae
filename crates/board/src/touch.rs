//! What has to be clicked to make a move.
//!
//! A move that carries something is its source and its target; one that names places is these places; one that names
//! a column is any place of that column; all others are any place that they change.

use gambol_net::BaseMarking;

use crate::boards::{Boards, Spot};
use crate::slide::{changed, slide};
use crate::term::Term;

/// One place of each group, in this order; the first of a group is the one to show.
pub type Path = Vec<Vec<Spot>>;

impl Boards {
    /// The clicks for a move: from its name alone if what it leads to is not known.
    pub fn path(&self, name: &str, step: Option<(&BaseMarking, &BaseMarking)>) -> Path {
        let term = Term::read(name);
        let mut leaves = term.leaves;
        if leaves.is_empty() {
            leaves.push(term.function);
        }
        let named = self.named(&leaves);
        let single = |spots: &[Spot]| -> Path { spots.iter().map(|&spot| vec![spot]).collect() };
        let Some((before, after)) = step else { return single(&named) };
        let changes = changed(self, before, after);
        if let [(from, to)] = slide(self, before, after).as_slice()
            && (named.is_empty() || named.contains(to))
        {
            return single(&[*from, *to]);
        }
        if named.iter().any(|spot| changes.contains(spot)) {
            return single(&named);
        }
        self.column(&leaves, &changes).map_or_else(
            || if changes.is_empty() { Vec::new() } else { vec![changes.clone()] },
            |column| vec![column],
        )
    }

    /// The whole column in which everything happens, if the move names it.
    fn column(&self, leaves: &[&str], changes: &[Spot]) -> Option<Vec<Spot>> {
        let &(number, place) = changes.first()?;
        let board = &self.boards[number];
        let width = board.columns.len();
        let column = place % width;
        let within =
            changes.iter().all(|&(other, place)| other == number && place % width == column);
        let named = board.rows.len() > 1 && leaves.contains(&board.columns[column].as_str());
        (within && named).then(|| {
            let all = (0..board.rows.len()).map(|row| (number, row * width + column));
            let others = all.filter(|spot| *spot != (number, place));
            std::iter::once((number, place)).chain(others).collect()
        })
    }
}
