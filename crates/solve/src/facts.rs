//! Facts about a game that solvers rest on.
//!
//! Each fact is a value that only this module can make, and only after a proof: a solver that needs it
//! takes it as an argument. The proofs are about all states, or about those that agree with one of the
//! *moments* that follow from the state play begins in: the fluents that run by themselves (turn
//! markers and clocks) take their values one after the other, whatever is done.
//!
//! What random games suggest is no fact. [`SupposedSum`] says so in its name; who uses it must look at
//! every end that its answer rests on.

use gambol_analysis::{
    Answer, Budget, Clause, Clocks, Encoding, Frame, Latches, Lit, Literal, Moments,
};
use gambol_net::{FluentId, MoveId, Net, RoleId, Supports};
use gambol_sim::Circuit;

use crate::problem::{Task, start_of};
use crate::random_walk::common_sum;
use crate::{Dynamics, Limits, SolveOptions};

/// Effort for one question, and for all questions of a fact, in decisions of the solver. Facts that hold
/// for simple reasons take a few hundred; a second goes into about a million.
const EFFORT: u64 = 20_000;
const MOST_EFFORT: u64 = 1_000_000;
/// The share of the time if there is a limit.
const SHARE: f64 = 0.1;
/// What gates depend on is not asked of nets with more gates than this times words of a state.
const MOST_WORDS: usize = 4_000_000;
/// More moments than this are not asked about one by one.
const MOST_MOMENTS: usize = 256;

/// Every end has at least one goal for each role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndsHaveGoals(());

/// Proves that every end has a goal, in states that satisfy invariants.
pub(crate) fn ends_have_goals(
    net: &Net,
    invariants: &[Clause],
    budget: &Budget,
) -> Option<EndsHaveGoals> {
    let mut prover = Prover::new(net, budget, vec![Vec::new()]);
    let state = prover.encoding.state();
    prover.encoding.assume(state, invariants);
    prover.have_goals(state, state).then_some(EndsHaveGoals(()))
}

/// Every play from some state on comes to an end, and every end has at least one goal for each role:
/// nobody is ever stuck, and play never goes on for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EveryPlayScores(());

impl EveryPlayScores {
    /// Proves it of the state a task begins in. `latched` are fluents that keep a value once they have
    /// it, wherever play comes.
    ///
    /// Play ends because it comes to a moment in which every state is over, or because there is a
    /// moment that comes again and again, and every step from it changes a latch for good.
    pub(crate) fn of(task: &Task<'_>, latched: &Latches, limits: &Limits) -> Option<Self> {
        let (moments, back_to) = moments(task);
        let mut prover = Prover::new(task.net, &budget(limits), moments);
        let state = prover.encoding.state();
        let runs_out = prover.cut_off_what_never_comes(state);
        let scores = prover.have_goals(state, state)
            && prover.nobody_is_stuck(state)
            && (runs_out || prover.always_ends(latched, back_to));
        scores.then_some(Self(()))
    }
}

/// The goals of two roles add up to the same in every end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstantSum {
    sum: u32,
}

impl ConstantSum {
    /// Proves it of all ends, reached or not.
    pub(crate) fn of(net: &Net, limits: &Limits) -> Option<Self> {
        if net.roles.len() != 2 {
            return None;
        }
        let mut prover = Prover::new(net, &budget(limits), vec![Vec::new()]);
        let state = prover.encoding.state();
        let have_goals = prover.have_goals(state, state);
        have_goals.then(|| prover.constant_sum(state, state)).flatten()
    }

    /// What the goals add up to.
    pub(crate) fn sum(self) -> u32 {
        self.sum
    }
}

/// What the goals of two roles added up to at the end of a few random games. It may be wrong: whoever
/// uses it must refuse to answer if an end that the answer rests on contradicts it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SupposedSum {
    sum: u32,
}

impl SupposedSum {
    /// None if the sums differ, or no game came to an end with one goal each.
    pub(crate) fn of(game: &mut impl Dynamics, start: &[u64], seed: u64) -> Option<Self> {
        common_sum(game, start, seed).map(|sum| Self { sum })
    }

    /// What the goals seem to add up to.
    pub(crate) fn sum(self) -> u32 {
        self.sum
    }
}

/// What is proved of the ends that play comes to from some state on. Nothing, if it is made by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    goals: Option<EndsHaveGoals>,
    sum: Option<ConstantSum>,
    scores: Option<EveryPlayScores>,
}

impl Ends {
    /// Proves what can be proved of play from a state on, with a share of the limits for each question.
    pub fn of_play_from(net: &Net, circuit: &Circuit, state: &[FluentId], limits: &Limits) -> Self {
        let options = SolveOptions { at: Some(state.to_vec()), ..SolveOptions::default() };
        let Ok(start) = start_of(net, circuit, &options) else { return Self::default() };
        let task = Task { net, circuit, start: &start, options: &options };
        let scores = EveryPlayScores::of(&task, &Latches::everywhere(net), limits);
        // An end that is no start is one step after a state that is none. Who moves there is known by the moment.
        let mut prover = Prover::new(net, &budget(limits), moments(&task).0);
        let state = prover.encoding.state();
        let end = prover.encoding.step(state);
        let goals = prover.have_goals(state, end).then_some(EndsHaveGoals(()));
        let two = goals.is_some() && net.roles.len() == 2;
        let sum = two.then(|| prover.constant_sum(state, end)).flatten();
        Self { goals, sum, scores }
    }

    /// Whether every end has at least one goal for each role.
    pub fn have_goals(self) -> bool {
        self.goals.is_some() || self.scores.is_some()
    }

    /// What the goals of two roles add up to in every end, if that is always the same.
    pub fn sum(self) -> Option<u32> {
        self.sum.map(ConstantSum::sum)
    }

    /// Whether every play comes to an end, and every end has at least one goal for each role.
    pub fn every_play_scores(self) -> bool {
        self.scores.is_some()
    }
}

fn budget(limits: &Limits) -> Budget {
    let time = limits.time.map(|time| time.mul_f64(SHARE));
    Budget { time, stop: limits.stop.clone() }
}

/// The moments that follow the state in which a task begins, as literals, and which of them follows the
/// last one; one moment of which nothing is known if there are too many.
fn moments(task: &Task<'_>) -> (Vec<Vec<Literal>>, usize) {
    listed_moments(task).unwrap_or((vec![Vec::new()], 0))
}

fn listed_moments(task: &Task<'_>) -> Option<(Vec<Vec<Literal>>, usize)> {
    let net = task.net;
    if net.gate_count() * task.start.len() > MOST_WORDS {
        return None;
    }
    let clocks = Clocks::everywhere(net, &Supports::of(net)?);
    let Moments { all, back_to } = clocks.moments(net, task.start, MOST_MOMENTS)?;
    let literals = |moment: &Vec<_>| {
        let literal = |&fluent| Literal { fluent, holds: moment.contains(&fluent) };
        clocks.fluents.iter().map(literal).collect()
    };
    Some((all.iter().map(literals).collect(), back_to))
}

/// Asks about all states, moment by moment.
struct Prover<'a> {
    net: &'a Net,
    encoding: Encoding<'a>,
    moments: Vec<Vec<Literal>>,
}

impl<'a> Prover<'a> {
    fn new(net: &'a Net, budget: &Budget, moments: Vec<Vec<Literal>>) -> Self {
        Self { net, encoding: Encoding::new(net, budget), moments }
    }

    fn is_impossible(&mut self, literals: &[Lit]) -> bool {
        let left = MOST_EFFORT.saturating_sub(self.encoding.spent());
        left > 0 && self.encoding.solve(literals, EFFORT.min(left)) == Answer::NoModel
    }

    /// Whether something is impossible in a moment.
    fn is_impossible_in(&mut self, moment: usize, state: Frame, literals: &[Lit]) -> bool {
        let mut all = literals.to_vec();
        for Literal { fluent, holds } in self.moments[moment].clone() {
            let literal = self.encoding.fluent(state, fluent);
            all.push(if holds { literal } else { !literal });
        }
        self.is_impossible(&all)
    }

    /// Leaves out what would come after a moment in which every state is over; whether there is one.
    fn cut_off_what_never_comes(&mut self, state: Frame) -> bool {
        let over = self.encoding.gate(state, self.net.terminal);
        let mut moments = 0..self.moments.len();
        let last = moments.find(|&moment| self.is_impossible_in(moment, state, &[!over]));
        if let Some(last) = last {
            self.moments.truncate(last + 1);
        }
        last.is_some()
    }

    fn is_never_possible(&mut self, state: Frame, literals: &[Lit]) -> bool {
        (0..self.moments.len()).all(|moment| self.is_impossible_in(moment, state, literals))
    }

    /// Whether each role has a goal where the game is over: at an end that is the state itself, or follows it.
    fn have_goals(&mut self, state: Frame, end: Frame) -> bool {
        let over = self.encoding.gate(end, self.net.terminal);
        self.net.roles.ids().all(|role| {
            let mut without = vec![over];
            for goal in self.net.goals.iter().filter(|goal| goal.role == role) {
                without.push(!self.encoding.gate(end, goal.gate));
            }
            self.is_never_possible(state, &without)
        })
    }

    /// What the goals of two roles add up to at such an end, if that is always the same. Each must have one.
    fn constant_sum(&mut self, state: Frame, end: Frame) -> Option<ConstantSum> {
        let net = self.net;
        let of_role = |role| net.goals.iter().filter(move |goal| goal.role == role);
        let [one, other] = [0, 1].map(RoleId::new);
        let least = of_role(one).map(|goal| goal.value).min()?;
        let sum = least + of_role(other).map(|goal| goal.value).max()?;
        let over = self.encoding.gate(end, net.terminal);
        let pairs = of_role(one).flat_map(|goal| of_role(other).map(move |other| (goal, other)));
        let mut odd = pairs.filter(|(goal, other)| goal.value + other.value != sum);
        odd.all(|(goal, other)| {
            let both = [goal, other].map(|goal| self.encoding.gate(end, goal.gate));
            self.is_never_possible(state, &[over, both[0], both[1]])
        })
        .then_some(ConstantSum { sum })
    }

    fn nobody_is_stuck(&mut self, state: Frame) -> bool {
        let over = self.encoding.gate(state, self.net.terminal);
        self.net.roles.ids().all(|role| {
            let mut stuck = vec![!over];
            for action in self.net.moves_of(role).map(MoveId::new) {
                stuck.push(!self.encoding.gate(state, self.net.legal[action]));
            }
            self.is_never_possible(state, &stuck)
        })
    }

    /// Whether no play goes on for ever, if nobody is ever stuck.
    fn always_ends(&mut self, latched: &Latches, back_to: usize) -> bool {
        let now = self.encoding.state();
        let then = self.encoding.step(now);
        let stands_still = self.encoding.fresh();
        for Literal { fluent, holds } in latched.literals() {
            let [before, after] = [now, then].map(|frame| self.encoding.fluent(frame, fluent));
            let [before, after] = if holds { [before, after] } else { [!before, !after] };
            self.encoding.add(&[!stands_still, before, !after]);
        }
        // With no step possible in a moment, this holds too: then every state of it is over.
        (back_to..self.moments.len())
            .any(|moment| self.is_impossible_in(moment, now, &[stands_still]))
    }
}

#[cfg(test)]
mod tests {
    use gambol_sim::CompileOptions;

    use super::*;

    /// Whether it is proved that every play scores, and what the goals are proved to add up to.
    fn proved(path: &str) -> (bool, Option<u32>) {
        let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(path).expect("the rules are there");
        let rules = gambol_syntax::read(&text, &Default::default()).rules.expect("they parse");
        let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("they ground");
        let net = gambol_net::simplify(&gambol_net::build(&ground).expect("they make a net"));
        let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("and a circuit");
        let ends = Ends::of_play_from(&net, &circuit, &net.initial, &Limits::default());
        (ends.every_play_scores(), ends.sum())
    }

    #[test]
    fn boards_that_fill_up_and_clocks_that_run_out_end_every_play() {
        for name in ["tic-tac-toe", "connect-four-4x4"] {
            assert!(proved(&format!("../../games/{name}/rules.kif")).0, "{name}");
        }
        let sampled = proved("tests/solving/soundness/solve-search-sum-sampled-small.kif");
        assert_eq!(sampled, (true, None));
    }

    #[test]
    fn play_that_can_go_on_for_ever_is_not_proved_to_score() {
        assert!(!proved("../../games/eight-puzzle/rules.kif").0);
        for name in ["solve-auto-refuses-won-game", "solve-regression-endless"] {
            let (scores, _) = proved(&format!("tests/solving/soundness/{name}.kif"));
            assert!(!scores, "{name}");
        }
    }
}
