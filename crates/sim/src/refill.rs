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
    /// How many steps the first finished lane waits.
    wait: u64,
    /// When the first lane that now waits began to wait.
    waiting_since: Option<u64>,
    /// When half of the lanes of the first batch had finished.
    half_finished: Option<u64>,
    decided: bool,
}

/// The first batch is not awaited beyond this many times the time its first half took, nor a later
/// one beyond this many times the longest game of the first: one game in a thousand may be endless.
const STRAGGLERS: u64 = 3;

impl RefillPolicy {
    pub(crate) fn new(period: usize, step_cost: f64, refill_cost: f64) -> Self {
        Self {
            period: period as f64,
            step_cost: step_cost.max(1.0),
            refill_cost,
            wait: u64::MAX,
            waiting_since: None,
            half_finished: None,
            decided: false,
        }
    }

    /// A lane has nothing to do from now on.
    #[inline(always)]
    pub(crate) fn saw_end(&mut self, time: u64) {
        self.waiting_since.get_or_insert(time);
    }

    /// Whether new games should start now.
    #[inline(always)]
    pub(crate) fn wants_refill(&self, time: u64) -> bool {
        self.waiting_since.is_some_and(|since| time - since >= self.wait)
    }

    #[inline(always)]
    pub(crate) fn is_decided(&self) -> bool {
        self.decided
    }

    /// Whether the rest of the first batch should not be awaited.
    pub(crate) fn gives_up_on_stragglers(&mut self, time: u64, idle: u32, lanes: u32) -> bool {
        if idle * 2 < lanes {
            return false;
        }
        let half_finished = *self.half_finished.get_or_insert(time);
        time > STRAGGLERS * half_finished.max(1)
    }

    /// New games start now. After the first batch the way is decided.
    #[inline(always)]
    pub(crate) fn refilled(&mut self, time: u64, lengths: &[u64]) {
        self.waiting_since = None;
        if !self.decided && time > 0 {
            self.decided = true;
            self.decide(time, lengths);
        }
    }

    fn decide(&mut self, time: u64, lengths: &[u64]) {
        let games: u64 = lengths.iter().sum();
        let moves: u64 = lengths.iter().zip(0..).map(|(&count, length)| count * length).sum();
        let mean = moves as f64 / games.max(1) as f64;
        let wait = (2.0 * self.refill_cost * mean / self.step_cost).sqrt();
        let interval = wait.max(self.period);
        let steps = mean + (interval + self.period - 1.0) / 2.0;
        let refills = steps / interval;
        let cost_of_wait = steps * self.step_cost + refills * self.refill_cost;
        let cost_of_all = time as f64 * self.step_cost + self.refill_cost;
        self.wait = match games > 0 && cost_of_wait < cost_of_all {
            true => wait as u64,
            false => STRAGGLERS * time,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy_after(lengths: &[u64]) -> RefillPolicy {
        let mut policy = RefillPolicy::new(2, 200.0, 100.0);
        policy.refilled(lengths.len() as u64 - 1, lengths);
        policy
    }

    #[test]
    fn games_of_nearly_fixed_length_are_awaited() {
        let mut lengths = vec![0; 10];
        lengths[8] = 200;
        lengths[9] = 312;
        let mut policy = policy_after(&lengths);
        policy.saw_end(100);
        assert!(!policy.wants_refill(109));
    }

    #[test]
    fn games_of_widely_varying_length_are_not() {
        let lengths = vec![2; 256];
        let mut policy = policy_after(&lengths);
        policy.saw_end(1_000);
        assert!(!policy.wants_refill(1_004) && policy.wants_refill(1_020));
    }

    #[test]
    fn a_game_that_does_not_end_is_not_awaited() {
        let mut policy = RefillPolicy::new(2, 200.0, 100.0);
        assert!(!policy.gives_up_on_stragglers(8, 100, 512));
        assert!(!policy.gives_up_on_stragglers(10, 300, 512));
        assert!(!policy.gives_up_on_stragglers(30, 511, 512));
        assert!(policy.gives_up_on_stragglers(31, 511, 512));
    }
}
