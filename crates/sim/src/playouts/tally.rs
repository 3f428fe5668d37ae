//! The results of playouts.

use gambol_net::RoleId;

/// How often a role ended with a goal value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GoalCount {
    /// Whose goal.
    pub role: RoleId,
    /// How much it is worth.
    pub value: u32,
    /// In how many playouts it was the only value of that role at the end.
    pub count: u64,
}

/// The outcome of many playouts.
///
/// Every playout that was started is counted: `playouts` is the sum of `lengths`, `stuck` and
/// `capped`.
#[derive(Clone, PartialEq, Debug)]
pub struct Tally {
    /// How many games were played.
    pub playouts: u64,
    /// How many joint moves were made in them.
    pub steps: u64,
    /// `lengths[n]` games ended in a terminal state after `n` joint moves.
    pub lengths: Vec<u64>,
    /// How often each goal value was reached, in the order of the rules' roles and values.
    pub goals: Vec<GoalCount>,
    /// Games that stopped because a role had no legal move in a state that is not terminal.
    pub stuck: u64,
    /// Games that were cut off before their end.
    pub capped: u64,
    /// Games that ended with a role that had no goal value or several.
    pub undefined_goals: u64,
    /// How long it took.
    pub seconds: f64,
    /// Processor time of all threads together.
    pub thread_seconds: f64,
    /// How many games a thread plays side by side.
    pub lanes: usize,
    /// How many threads.
    pub threads: usize,
    /// What ran: `"table"` or `"machine code"`.
    pub engine: &'static str,
}

impl Tally {
    /// The mean length of the games that ended in a terminal state.
    pub fn mean_length(&self) -> f64 {
        let ended: u64 = self.lengths.iter().sum();
        let moves: u64 = self.lengths.iter().zip(0..).map(|(&count, length)| count * length).sum();
        moves as f64 / ended.max(1) as f64
    }

    /// The mean goal of a role over the games in which it was defined.
    pub fn mean_goal(&self, role: RoleId) -> f64 {
        let of_role = || self.goals.iter().filter(|goal| goal.role == role);
        let games: u64 = of_role().map(|goal| goal.count).sum();
        let sum: f64 = of_role().map(|goal| goal.count as f64 * f64::from(goal.value)).sum();
        sum / games.max(1) as f64
    }

    /// Playouts per second of processor time, times the number of threads.
    pub fn rate(&self) -> f64 {
        self.playouts as f64 * self.threads as f64 / self.thread_seconds.max(1e-9)
    }

    /// Adds what another thread found.
    pub(crate) fn merge(&mut self, other: &Tally) {
        self.playouts += other.playouts;
        self.steps += other.steps;
        self.stuck += other.stuck;
        self.capped += other.capped;
        self.undefined_goals += other.undefined_goals;
        self.thread_seconds += other.thread_seconds;
        self.threads += other.threads;
        if self.lengths.len() < other.lengths.len() {
            self.lengths.resize(other.lengths.len(), 0);
        }
        for (length, other) in self.lengths.iter_mut().zip(&other.lengths) {
            *length += other;
        }
        for (goal, other) in self.goals.iter_mut().zip(&other.goals) {
            goal.count += other.count;
        }
    }
}
