//! Inhibitors that hold in every state: latched values that keep another fluent false for good.
//!
//! They are found by three-valued evaluation, without a solver, so they hold in unreachable states too. What is proved
//! about goals in the reachable states is an [`Inhibitor`](crate::Inhibitor).
//!
//! Found by three-valued evaluation, without a solver, so they hold whatever can be reached. What is
//! proved of goals in the states that play comes to is an [`Inhibitor`](crate::Inhibitor).

use gambol_index::IndexVec;
use gambol_net::{FluentId, Net};

use crate::latches::keeps;
use crate::{Latches, Literal};

/// Larger games are not asked about all pairs of fluents.
const MOST_FLUENTS: usize = 700;
/// Gates times questions; beyond it pairs are not asked about.
const MOST_WORK: usize = 2_000_000_000;

/// The latches of a game, and which of them keep others false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inhibitors {
    /// What keeps a value.
    pub latches: Latches,
    /// For each fluent the literals that, while it is false, keep it false for good.
    pub killers: IndexVec<FluentId, Vec<Literal>>,
}

impl Inhibitors {
    /// What holds in every state, reached or not.
    pub fn everywhere(net: &Net) -> Self {
        let latches = Latches::everywhere(net);
        let literals = latches.literals();
        let count = net.fluents.len();
        let mut inhibitors = Self { latches, killers: IndexVec::filled(Vec::new(), count) };
        if count <= MOST_FLUENTS && literals.len() * count / 64 * net.gate_count() <= MOST_WORK {
            inhibitors.find_killers(net, &literals);
        }
        inhibitors
    }

    fn find_killers(&mut self, net: &Net, latches: &[Literal]) {
        let all: Vec<FluentId> = net.fluents.ids().collect();
        for &latch in latches {
            for some in all.chunks(64) {
                let dead = |&fluent: &FluentId| vec![Literal { fluent, holds: false }, latch];
                let known: Vec<Vec<Literal>> = some.iter().map(dead).collect();
                let kept = keeps(net, some, &known, false);
                for (lane, &fluent) in some.iter().enumerate() {
                    let anyway = self.latches.stays_false[fluent] || fluent == latch.fluent;
                    if kept >> lane & 1 == 1 && !anyway {
                        self.killers[fluent].push(latch);
                    }
                }
            }
        }
    }
}
