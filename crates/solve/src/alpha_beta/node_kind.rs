//! Max and min nodes of a null-window search: at the first role's nodes one child that is good enough settles the
//! question, at the second role's one that is not.
//! second role's one that is not.

use super::frame::Frame;

#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) first: bool,
    pub(super) target: u8,
    pub(super) top: u8,
}

impl Side {
    pub(super) fn worst(self) -> u8 {
        if self.first { 0 } else { self.top }
    }

    pub(super) fn wins(self, value: u8) -> bool {
        (value >= self.target) == self.first
    }

    /// A value by which the player to move has its way, or not.
    pub(super) fn way(self, has: bool) -> u8 {
        if self.first == has { self.target } else { self.target - 1 }
    }

    pub(super) fn improves(self, value: u8, best: u8) -> bool {
        if self.first { value > best } else { value < best }
    }

    /// Looks at what is known of the children: one that settles the question, or else the list of
    /// those that are open; what the others are worth goes into `best`.
    pub(super) fn settle<const K: usize>(
        self,
        frame: &mut Frame<K>,
        best: &mut u8,
    ) -> Option<(u8, u32)> {
        frame.open.clear();
        *best = self.worst();
        for (number, child) in frame.children.iter().enumerate() {
            let (proved, possible) = match self.first {
                true => (child.least, child.most),
                false => (child.most, child.least),
            };
            if self.wins(proved) {
                return Some((proved, child.action));
            }
            if self.wins(possible) {
                frame.open.push(number as u16);
            } else if self.improves(possible, *best) {
                *best = possible;
            }
        }
        None
    }
}
