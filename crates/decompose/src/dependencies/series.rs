//! Series: parts that are played one after the other.
//!
//! In every playout that was watched, all steps in which the earlier part was up to the players came
//! before all those in which the later part was; and no move acts in both.

use gambol_index::IndexVec;
use gambol_net::{FluentId, MoveId};

use crate::partition::Partition;
use crate::sample::interventions::{Observation, Span};

/// Pieces beyond which nothing is compared.
const MOST_PIECES: usize = 700;
/// Playouts that must show an order before it is believed.
const EVIDENCE: u32 = 8;

/// The stage of each piece, if the game is a series; pieces that are never up to anybody have none.
pub(crate) fn stages(
    seen: &Observation,
    pieces: &[Vec<FluentId>],
    acts_on: &IndexVec<MoveId, Vec<u32>>,
) -> Vec<Option<u32>> {
    let none = vec![None; pieces.len()];
    let playouts: Vec<Vec<(u32, Span)>> =
        seen.spans.iter().map(|spans| open(spans, pieces)).collect();
    let mut ever: Vec<u32> = playouts.iter().flatten().map(|&(piece, _)| piece).collect();
    ever.sort_unstable();
    ever.dedup();
    if ever.len() < 2 || ever.len() > MOST_PIECES {
        return none;
    }
    let order = Order::of(&playouts, &ever);
    let mut together = order.together();
    for pieces in acts_on {
        let places = pieces.iter().filter_map(|piece| ever.binary_search(piece).ok());
        together.join_all(places.map(|place| place as u32));
    }
    match order.line_up(&mut together) {
        Some(stages) => {
            let mut found = none;
            for (place, stage) in stages.into_iter().enumerate() {
                found[ever[place] as usize] = Some(stage);
            }
            found
        }
        None => none,
    }
}

/// When each piece was up to the players in a playout.
fn open(spans: &IndexVec<FluentId, Span>, pieces: &[Vec<FluentId>]) -> Vec<(u32, Span)> {
    let span = |fluents: &Vec<FluentId>| {
        fluents.iter().fold(Span::NEVER, |span, &fluent| span.join(spans[fluent]))
    };
    let all = pieces.iter().enumerate().map(|(piece, fluents)| (piece as u32, span(fluents)));
    all.filter(|(_, span)| !span.is_never()).collect()
}

/// How often one piece was, or was not, over before another began.
struct Order {
    count: usize,
    before: Vec<u32>,
    not_before: Vec<u32>,
}

impl Order {
    fn of(playouts: &[Vec<(u32, Span)>], ever: &[u32]) -> Self {
        let count = ever.len();
        let mut order =
            Self { count, before: vec![0; count * count], not_before: vec![0; count * count] };
        for playout in playouts {
            let places: Vec<(usize, Span)> = playout
                .iter()
                .filter_map(|&(piece, span)| Some((ever.binary_search(&piece).ok()?, span)))
                .collect();
            for &(one, span) in &places {
                for &(other, later) in &places {
                    let cell = one * count + other;
                    match span.last < later.first {
                        true => order.before[cell] += 1,
                        false => order.not_before[cell] += 1,
                    }
                }
            }
        }
        order
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        let cell = one * self.count + other;
        self.not_before[cell] == 0 && self.before[cell] >= EVIDENCE
    }

    /// Pieces that were met in either order, or at the same time, or too seldom to tell.
    fn together(&self) -> Partition {
        let mut together = Partition::singletons(self.count);
        for one in 0..self.count {
            for other in one + 1..self.count {
                if !self.is_before(one, other) && !self.is_before(other, one) {
                    together.join(one as u32, other as u32);
                }
            }
        }
        together
    }

    /// The groups in their order, as a number for each piece; `None` if there is only one.
    fn line_up(&self, together: &mut Partition) -> Option<Vec<u32>> {
        let mut groups = together.sets();
        if groups.len() < 2 {
            return None;
        }
        let follows = |one: &Vec<u32>| {
            (0..self.count).filter(|&other| self.is_before(other, one[0] as usize)).count()
        };
        groups.sort_by_key(follows);
        let mut stages = vec![0; self.count];
        for (stage, group) in groups.iter().enumerate() {
            group.iter().for_each(|&piece| stages[piece as usize] = stage as u32);
        }
        Some(stages)
    }
}
