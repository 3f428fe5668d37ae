//! Fluents that keep a value once they have it, in every state that play can come to.

use std::time::Duration;

use gambol_analysis::{Budget, ShapeOptions, shape};
use gambol_index::{Id, IndexVec};
use gambol_net::FluentId;

use crate::Limits;
use crate::alpha_beta::lifelines::Lifelines;
use crate::solve::Task;

/// The most time for proofs.
const LONGEST: Duration = Duration::from_secs(2);

/// Which fluents stay true, and which stay false.
#[derive(Clone, Debug)]
pub(crate) struct Latched {
    pub(crate) stays_true: IndexVec<FluentId, bool>,
    pub(crate) stays_false: IndexVec<FluentId, bool>,
}

impl Latched {
    /// What holds in all states.
    pub(crate) fn everywhere(lines: &Lifelines) -> Self {
        Self { stays_true: lines.stays_true.clone(), stays_false: lines.stays_false.clone() }
    }

    /// What holds in all states; and, if play begins at the start, what holds in those it comes to.
    pub(crate) fn of(task: &Task<'_>, limits: &Limits) -> Self {
        let Lifelines { stays_true, stays_false, .. } = Lifelines::of(task.net);
        let mut latched = Self { stays_true, stays_false };
        if task.options.at.is_none() && task.options.pruning {
            latched.add_proved(task, limits);
        }
        latched
    }

    fn add_proved(&mut self, task: &Task<'_>, limits: &Limits) {
        let mut options = ShapeOptions::default();
        options.inhibitors = false;
        options.seed = task.options.seed;
        let time = limits.time.map_or(LONGEST, |time| time.mul_f64(0.1).min(LONGEST));
        options.budget = Budget { time: Some(time), stop: limits.stop.clone() };
        let shape = shape(task.net, &options);
        for literal in shape.proved_latches() {
            let side = if literal.holds { &mut self.stays_true } else { &mut self.stays_false };
            side[literal.fluent] = true;
        }
    }

    /// Whether a renaming makes latches of latches. Then they hold in the images of all states too.
    pub(crate) fn is_kept_by(&self, renaming: &[u32]) -> bool {
        renaming.iter().enumerate().all(|(fluent, &image)| {
            let (fluent, image) = (FluentId::from_index(fluent), FluentId::new(image));
            self.stays_true[fluent] == self.stays_true[image]
                && self.stays_false[fluent] == self.stays_false[image]
        })
    }
}
