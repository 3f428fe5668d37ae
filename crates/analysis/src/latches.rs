//! All latches of a game by fluent: which fluents stay true once they are, and which stay false.
//!
//! The quick form ([`Latches::everywhere`]) is read off the net by three-valued evaluation, without regard to
//! reachability, so it holds in every state. What a solver proves about the reachable states is added from a [`Shape`]
//! ([`Latches::add_proved`]).
//!
//! The quick form ([`Latches::everywhere`]) is read off the net by three-valued evaluation, without
//! regard to what can be reached, so it holds in every state. What is proved of the states that play
//! comes to, with a solver, is added from a [`Shape`] ([`Latches::add_proved`]).

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Net, Ternary, possible_values};

use crate::{Literal, Shape};

/// Which fluents keep a value for good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latches {
    /// Once true it stays true.
    pub stays_true: IndexVec<FluentId, bool>,
    /// Once false it stays false.
    pub stays_false: IndexVec<FluentId, bool>,
}

impl Latches {
    /// Nothing is known.
    pub fn none(net: &Net) -> Self {
        let none = || IndexVec::filled(false, net.fluents.len());
        Self { stays_true: none(), stays_false: none() }
    }

    /// What holds in every state, reached or not.
    pub fn everywhere(net: &Net) -> Self {
        let mut latches = Self::none(net);
        let all: Vec<FluentId> = net.fluents.ids().collect();
        for holds in [true, false] {
            for some in all.chunks(64) {
                let known: Vec<Vec<Literal>> =
                    some.iter().map(|&fluent| vec![Literal { fluent, holds }]).collect();
                let kept = keeps(net, some, &known, holds);
                for (lane, &fluent) in some.iter().enumerate() {
                    latches.side(holds)[fluent] = kept >> lane & 1 == 1;
                }
            }
        }
        latches
    }

    /// Adds what is proved of the states that play comes to from the start of the game.
    pub fn add_proved(&mut self, shape: &Shape) {
        for latch in shape.latches.iter().filter(|latch| latch.verdict.is_proved()) {
            self.side(latch.literal.holds)[latch.literal.fluent] = true;
        }
    }

    fn side(&mut self, holds: bool) -> &mut IndexVec<FluentId, bool> {
        if holds { &mut self.stays_true } else { &mut self.stays_false }
    }

    /// The values that are kept: those that stay true first.
    pub fn literals(&self) -> Vec<Literal> {
        let of_side = |side: &IndexVec<FluentId, bool>, holds: bool| -> Vec<Literal> {
            let kept = side.ids().filter(|&fluent| side[fluent]);
            kept.map(|fluent| Literal { fluent, holds }).collect()
        };
        [of_side(&self.stays_true, true), of_side(&self.stays_false, false)].concat()
    }

    /// Whether a renaming makes latches of latches. Then they hold in the images of all states too.
    pub fn is_kept_by(&self, renaming: &[u32]) -> bool {
        renaming.iter().enumerate().all(|(fluent, &image)| {
            let (fluent, image) = (FluentId::from_index(fluent), FluentId::new(image));
            self.stays_true[fluent] == self.stays_true[image]
                && self.stays_false[fluent] == self.stays_false[image]
        })
    }
}

/// In which lanes the lane's fluent has the value after the step whatever is done, given what is
/// known in the lane.
pub(crate) fn keeps(net: &Net, fluents: &[FluentId], known: &[Vec<Literal>], holds: bool) -> u64 {
    let mut given: IndexVec<FluentId, Ternary<u64>> =
        IndexVec::filled(Ternary::UNKNOWN, net.fluents.len());
    for (lane, known) in known.iter().enumerate() {
        for literal in known {
            let side = &mut given[literal.fluent];
            let side = if literal.holds { &mut side.can_be_false } else { &mut side.can_be_true };
            *side &= !(1 << lane);
        }
    }
    let values = possible_values(net, |fluent| given[fluent]);
    let mut kept = 0;
    for (lane, &fluent) in fluents.iter().enumerate() {
        let next = values[net.next[fluent]];
        let other = if holds { next.can_be_false } else { next.can_be_true };
        kept |= (!other >> lane & 1) << lane;
    }
    kept
}
