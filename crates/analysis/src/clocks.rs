//! What runs by itself: the fluents that no move influences, and the values they take one after the other.
//!
//! The quick form, read off the gates: the next value of such a fluent depends on no move and on such fluents alone, in
//! every state. Clocks that are proved for the reachable states only are [`Shape::clocks`](crate::Shape::clocks).
//! other.
//!
//! The quick form, read off the gates: what such a fluent becomes depends on no move and on such
//! fluents alone, in every state. Clocks that are proved of the states that play comes to are
//! [`Shape::clocks`](crate::Shape::clocks).

use gambol_index::{Id, IndexVec, bits};
use gambol_net::{FluentId, Lanes, Net, Supports};

/// The fluents that run by themselves, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// Turn markers, step counters and the like.
    pub fluents: Vec<FluentId>,
}

impl Clocks {
    /// The largest set of fluents that depend on no move and on nothing outside the set.
    pub fn everywhere(net: &Net, supports: &Supports) -> Self {
        let mut runs: IndexVec<FluentId, bool> =
            net.fluents.ids().map(|fluent| !supports.reads_moves(net.next[fluent])).collect();
        loop {
            let leaves = |&fluent: &FluentId| {
                runs[fluent] && !supports.fluents(net.next[fluent]).all(|other| runs[other])
            };
            let leaving: Vec<FluentId> = net.fluents.ids().filter(leaves).collect();
            if leaving.is_empty() {
                return Self { fluents: runs.ids().filter(|&fluent| runs[fluent]).collect() };
            }
            leaving.into_iter().for_each(|fluent| runs[fluent] = false);
        }
    }

    /// Whether a fluent runs by itself.
    pub fn contains(&self, fluent: FluentId) -> bool {
        self.fluents.binary_search(&fluent).is_ok()
    }

    /// The moments that follow a state, given as words; `None` if there are more than the limit.
    pub fn moments(&self, net: &Net, start: &[u64], most: usize) -> Option<Moments> {
        let is_true = |fluent: &FluentId| bits::is_set(start, fluent.index());
        let mut now: Vec<FluentId> = self.fluents.iter().copied().filter(is_true).collect();
        let mut all: Vec<Vec<FluentId>> = Vec::new();
        let mut lanes = Lanes::of(net, self.fluents.iter().map(|&fluent| net.next[fluent]));
        loop {
            if let Some(back_to) = all.iter().position(|known| *known == now) {
                return Some(Moments { all, back_to });
            }
            if all.len() >= most {
                return None;
            }
            for &fluent in &self.fluents {
                lanes.set(fluent, if now.contains(&fluent) { u64::MAX } else { 0 });
            }
            lanes.run();
            all.push(now);
            let next = self.fluents.iter().copied();
            now = next.filter(|&fluent| lanes.value(net.next[fluent]) & 1 == 1).collect();
        }
    }
}

/// The values of the clocks one after the other, whatever is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moments {
    /// For each moment the clock fluents that are true, ascending.
    pub all: Vec<Vec<FluentId>>,
    /// Which moment follows the last one.
    pub back_to: usize,
}
