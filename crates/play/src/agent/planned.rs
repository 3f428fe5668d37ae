//! Following plans: what the agent of a single player does with them.

use std::sync::atomic::AtomicBool;

use gambol_net::MoveId;

use crate::agent::{Agent, Decision, Effort, Reason};

impl Agent<'_> {
    /// Looks for a plan with half of the effort; says what is left of it.
    pub(crate) fn plan(&mut self, effort: Effort, stop: &AtomicBool) -> Effort {
        let Some(plans) = &mut self.plans else { return effort };
        let state = self.search.state();
        match effort.share(2, 2) {
            Effort::Until(half) => plans.search(state, half, stop),
            Effort::Playouts(half) => plans.search_playouts(state, half, stop),
        }
        match effort {
            Effort::Playouts(playouts) => Effort::Playouts(playouts / 2),
            until => until,
        }
    }

    /// Whether nothing can better the plan.
    pub(crate) fn plan_is_perfect(&self) -> bool {
        self.plans.as_ref().is_some_and(|plans| plans.is_done(self.search.state()))
    }

    /// The best line that was found is followed, unless something better is proved, or the game falls into
    /// parts, which are searched more easily one by one.
    pub(crate) fn planned(&self, legal: &[MoveId], other: Option<Decision>) -> Option<Decision> {
        let plan = self.plans.as_ref().and_then(|plans| plans.best(self.search.state()));
        let Some((action, goal)) = plan.filter(|(action, _)| legal.contains(action)) else {
            return other;
        };
        let proved = other.as_ref().is_some_and(|decision| match decision.reason {
            Reason::Solved(sure) | Reason::Proved(sure) => sure >= goal,
            Reason::Parts { .. } => true,
            _ => false,
        });
        if proved {
            return other;
        }
        Some(Decision { action, reason: Reason::Proved(goal) })
    }
}
