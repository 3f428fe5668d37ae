//! When to start new games in lanes whose games are over.
//!
//! A refill costs gates for the goals and writes for the initial state, a lane that waits costs its
//! share of every step. Two ways are compared once the first batch has shown how long games are:
//! wait for all lanes, best for games of nearly fixed length, or refill every
//! `sqrt(2 · refill · length / step)` steps, where the two costs balance. All figures are counts of
//! instructions, never of time, so that the same seed plays the same games.

/// Decides when to refill.
#[derive(Clone, Debug)]
pub(crate) struct RefillPolicy {
    period: f64,
    step_cost: f64,
    refill_cost: f64,
    /// How many steps a finished lane waits, or nothing to wait for all lanes.
    wait: Option<u64>,
    /// When the first lane that now waits began to wait.
    waiting_since: Option<u64>,
    decided: bool,
}

impl RefillPolicy {
    pub(crate) fn new(period: usize, step_cost: f64, refill_cost: f64) -> Self {
        Self {
            period: period as f64,
            step_cost: step_cost.max(1.0),
            refill_cost,
            wait: None,
            waiting_since: None,
            decided: false,
        }
    }

    /// A lane has nothing to do from now on.
    #[inline(always)]
    pub(crate) fn saw_end(&mut self, time: u64) {
        self.waiting_since.get_or_insert(time);
    }

    #[inline(always)]
    pub(crate) fn wants_refill(&self, time: u64) -> bool {
        match (self.wait, self.waiting_since) {
            (Some(wait), Some(since)) => time - since >= wait,
            _ => false,
        }
    }

    /// New games start now. After the first batch the way is decided.
    #[inline(always)]
    pub(crate) fn refilled(&mut self, time: u64, lengths: &[u64]) {
        self.waiting_since = None;
        if !self.decided && time > 0 {
            self.decided = true;
            self.decide(lengths);
        }
    }

    fn decide(&mut self, lengths: &[u64]) {
        let games: u64 = lengths.iter().sum();
        let moves: u64 = lengths.iter().zip(0..).map(|(&count, length)| count * length).sum();
        let mean = moves as f64 / games.max(1) as f64;
        let longest = lengths.len().saturating_sub(1) as f64;
        let wait = (2.0 * self.refill_cost * mean / self.step_cost).sqrt();
        let interval = wait.max(self.period);
        let steps = mean + (interval + self.period - 1.0) / 2.0;
        let refills = steps / interval;
        let cost_of_wait = steps * self.step_cost + refills * self.refill_cost;
        let cost_of_all = longest * self.step_cost + self.refill_cost;
        if games > 0 && cost_of_wait < cost_of_all {
            self.wait = Some(wait as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy_after(lengths: &[u64]) -> RefillPolicy {
        let mut policy = RefillPolicy::new(2, 200.0, 100.0);
        policy.refilled(50, lengths);
        policy
    }

    #[test]
    fn games_of_nearly_fixed_length_are_awaited() {
        let mut lengths = vec![0; 10];
        lengths[8] = 200;
        lengths[9] = 312;
        assert_eq!(policy_after(&lengths).wait, None);
    }

    #[test]
    fn games_of_widely_varying_length_are_not() {
        let lengths = vec![2; 256];
        assert!(policy_after(&lengths).wait.is_some_and(|wait| (5..20).contains(&wait)));
    }
}
