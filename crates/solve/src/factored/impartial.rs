//! Sums of impartial games: both players have the same moves in every part.
//!
//! The Grundy value of a state of a part is the least number that no state after it has. Who is to move
//! in a sum wins if and only if the values of the parts, added without carry, do not give 0 (Sprague and
//! Grundy). In misère play that holds for heaps of counters only, and the other way round when no
//! heap holds more than one (Bouton).

use gambol_combinatorial::grundy_values;

use super::sum::{Sum, SumPart};

/// The Grundy values of a sum.
pub(super) struct Impartial {
    /// For each part the value of each block.
    grundy: Vec<Vec<u32>>,
    misere: bool,
}

impl Impartial {
    /// None if the players' moves are not the same, or play is misère and a part no heap.
    pub(super) fn of(sum: &Sum) -> Option<Self> {
        if !sum.parts.iter().all(SumPart::is_impartial) {
            return None;
        }
        let grundy: Vec<Vec<u32>> = sum.parts.iter().map(grundy).collect();
        let mut parts = sum.parts.iter().zip(&grundy);
        if sum.misere && !parts.all(|(part, grundy)| is_heap(part, grundy)) {
            return None;
        }
        Some(Self { grundy, misere: sum.misere })
    }

    fn values_of<'a>(&'a self, row: &'a [u64]) -> impl Iterator<Item = u32> + 'a {
        self.grundy.iter().zip(row).map(|(grundy, &block)| grundy[block as usize])
    }

    /// Whether the player to move wins.
    pub(super) fn mover_wins(&self, row: &[u64]) -> bool {
        let sum = self.values_of(row).fold(0, |sum, value| sum ^ value);
        let small = self.values_of(row).all(|value| value <= 1);
        if self.misere && small { sum == 0 } else { sum != 0 }
    }

    /// What the parts are, in words.
    pub(super) fn note(&self, row: &[u64]) -> String {
        let values: Vec<String> = self.values_of(row).map(|value| value.to_string()).collect();
        let misere = if self.misere { ", misère play" } else { "" };
        format!("a sum of impartial games: Grundy values {}{misere}", values.join(", "))
    }
}

/// The value of each block.
fn grundy(part: &SumPart) -> Vec<u32> {
    grundy_values(&part.order, |block| part.options[0].of_block(block))
}

/// Whether the blocks are heaps of 0, 1, 2... counters of which any number can be taken.
fn is_heap(part: &SumPart, grundy: &[u32]) -> bool {
    let mut values = grundy.to_vec();
    values.sort_unstable();
    values.dedup();
    let all_below = |(&value, block)| part.options[0].of_block(block).len() == value as usize;
    values.len() == grundy.len() && grundy.iter().zip(0..).all(all_below)
}
