//! Plans of a single player, by nested rollout policy adaptation (Rosin 2011), many games at a time.
//!
//! A run begins with a policy that prefers nothing. In each round games are played side by side by the
//! policy; then it is moved towards the best line of the run. When that has brought nothing better for a
//! while another run begins. Runs take turns in what they tell apart: moves, or moves and when they are made.
//! The best line of all is kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gambol_index::Id;
use gambol_net::MoveId;
use gambol_sim::{Circuit, Evaluator, State, Successors, Wanted};
use rustc_hash::FxHashMap;

use gambol_run::mixed;

/// Games of one round.
const GAMES: usize = 128;
/// Longer games are given up.
const LONGEST: usize = 512;
/// A run ends after this many rounds without a better line.
const PATIENCE: usize = 24;
/// How far the policy is moved towards the best line.
const STEP: f32 = 1.0;

/// A line of play to the end of the game.
#[derive(Clone, Debug, Default)]
struct Line {
    moves: Vec<MoveId>,
    goal: u32,
}

/// A search for plans in a game of one player.
pub(crate) struct PlanSearch<'a> {
    circuit: &'a Circuit,
    successors: Successors<'a>,
    evaluator: Evaluator<'a>,
    /// The logarithm of the weight of each move, or of each move at each step.
    policy: Vec<f32>,
    by_step: bool,
    best_goal: u32,
    /// The best line of the run, and the rounds since it was found.
    best_of_run: Option<Line>,
    stale: usize,
    /// Where the runs begin.
    from: Option<State>,
    /// What to do in the states of the best line of all, and what it brings.
    plan: FxHashMap<State, MoveId>,
    goal: Option<u32>,
    seed: u64,
    draws: u64,
    pub(crate) playouts: u64,
}

/// A game of a round.
struct Game {
    moves: Vec<MoveId>,
    state: Vec<u64>,
    legal: Vec<MoveId>,
}

impl<'a> PlanSearch<'a> {
    pub(crate) fn new(circuit: &'a Circuit, seed: u64) -> Self {
        Self {
            circuit,
            successors: Successors::new(circuit),
            evaluator: Evaluator::new(circuit),
            policy: vec![0.0; circuit.move_count()],
            by_step: false,
            best_goal: circuit.goals().iter().map(|goal| goal.value).max().unwrap_or(0),
            best_of_run: None,
            stale: 0,
            from: None,
            plan: FxHashMap::default(),
            goal: None,
            seed,
            draws: 0,
            playouts: 0,
        }
    }

    /// The move of the best line in a state, and what that line brings.
    pub(crate) fn best(&self, state: &State) -> Option<(MoveId, u32)> {
        Some((*self.plan.get(state)?, self.goal.filter(|&goal| goal > 0)?))
    }

    /// Whether there is a line from a state that cannot be bettered.
    pub(crate) fn is_done(&self, state: &State) -> bool {
        self.best(state).is_some_and(|(_, goal)| goal == self.best_goal)
    }

    /// Looks for better lines from a state. A line that does not lead through it is forgotten.
    fn begin(&mut self, state: &State) {
        if self.from.as_ref() == Some(state) {
            return;
        }
        if !self.plan.contains_key(state) {
            self.plan.clear();
            self.goal = None;
        }
        self.from = Some(state.clone());
        self.begin_run(false);
    }

    /// Searches from a state until the deadline.
    pub(crate) fn search(&mut self, state: &State, deadline: Instant, stop: &AtomicBool) {
        self.begin(state);
        while !self.is_done(state) && Instant::now() < deadline && !stop.load(Ordering::Relaxed) {
            self.round(state, Some(deadline));
        }
    }

    /// Searches from a state for about this many games, reproducibly.
    pub(crate) fn search_playouts(&mut self, state: &State, playouts: u64, stop: &AtomicBool) {
        self.begin(state);
        for _ in 0..playouts.div_ceil(GAMES as u64) {
            if self.is_done(state) || stop.load(Ordering::Relaxed) {
                break;
            }
            self.round(state, None);
        }
    }

    fn begin_run(&mut self, by_step: bool) {
        let steps = if by_step { LONGEST } else { 1 };
        self.policy.clear();
        self.policy.resize(steps * self.circuit.move_count(), 0.0);
        (self.by_step, self.best_of_run, self.stale) = (by_step, None, 0);
    }

    fn round(&mut self, from: &State, deadline: Option<Instant>) {
        let Some(line) = self.play(from, deadline) else { return };
        let better = self.best_of_run.as_ref().is_none_or(|best| line.goal > best.goal);
        self.stale = if better { 0 } else { self.stale + 1 };
        if better {
            self.keep(from, &line);
            self.best_of_run = Some(line);
        }
        match self.stale < PATIENCE {
            true => self.adapt(from),
            false => self.begin_run(!self.by_step && self.circuit.move_count() < MOST_BY_STEP),
        }
    }

    /// Keeps a line if it is the best of all.
    fn keep(&mut self, from: &State, line: &Line) {
        if self.goal.is_some_and(|goal| goal >= line.goal) {
            return;
        }
        (self.plan, self.goal) = (FxHashMap::default(), Some(line.goal));
        let mut state = from.clone();
        for &action in &line.moves {
            let next = self.evaluator.next(&state, &[action]);
            self.plan.insert(state, action);
            state = next;
        }
    }

    /// Plays games side by side by the policy; the best of those that came to an end.
    fn play(&mut self, from: &State, deadline: Option<Instant>) -> Option<Line> {
        let mut state = from.words().to_vec();
        state.resize(self.successors.width(), 0);
        let legal = self.evaluator.legal(from);
        let game = || Game { moves: Vec::new(), state: state.clone(), legal: legal.clone() };
        let (mut games, mut best): (Vec<Game>, Option<Line>) =
            ((0..GAMES).map(|_| game()).collect(), None);
        for step in 0..LONGEST {
            games.retain(|game| !game.legal.is_empty());
            if games.is_empty() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
            self.successors.clear();
            for game in &mut games {
                let action = self.draw_move(step, &game.legal);
                game.moves.push(action);
                self.successors.ask(&game.state, [action]);
            }
            self.successors.answer(Wanted { states: true, legal: true });
            for (number, game) in games.iter_mut().enumerate() {
                game.state.copy_from_slice(self.successors.row(number));
                game.legal.clear();
                if !self.successors.terminal(number) {
                    game.legal.extend_from_slice(self.successors.legal(number));
                    continue;
                }
                self.playouts += 1;
                let goal = self.successors.goals(number)[0];
                if best.as_ref().is_none_or(|best| goal > best.goal) {
                    best = Some(Line { moves: game.moves.clone(), goal });
                }
            }
        }
        best
    }

    fn code(&self, step: usize, action: MoveId) -> usize {
        let step = if self.by_step { step } else { 0 };
        step * self.circuit.move_count() + action.index()
    }

    /// A move with the probabilities of the policy.
    fn draw_move(&mut self, step: usize, legal: &[MoveId]) -> MoveId {
        let weight = |&action: &MoveId| self.policy[self.code(step, action)].exp();
        let all: f32 = legal.iter().map(weight).sum();
        let draw = mixed(self.seed, self.draws + 1) >> 40;
        let mut left = draw as f32 / (1u64 << 24) as f32 * all;
        let chosen = legal.iter().find(|&action| {
            left -= weight(action);
            left < 0.0
        });
        let chosen = chosen.or(legal.last()).copied();
        self.draws += 1;
        chosen.unwrap_or(MoveId::new(0))
    }

    /// Moves the policy towards the best line of the run.
    fn adapt(&mut self, from: &State) {
        let Some(line) = self.best_of_run.take() else { return };
        let (mut state, before) = (from.clone(), self.policy.clone());
        for (step, &action) in line.moves.iter().enumerate() {
            let legal = self.evaluator.legal(&state);
            let weight = |&action: &MoveId| before[self.code(step, action)].exp();
            let all: f32 = legal.iter().map(weight).sum();
            let shares: Vec<f32> = legal.iter().map(|action| weight(action) / all).collect();
            for (one, share) in legal.iter().zip(shares) {
                let code = self.code(step, *one);
                self.policy[code] -= STEP * share;
            }
            let code = self.code(step, action);
            self.policy[code] += STEP;
            state = self.evaluator.next(&state, &[action]);
        }
        self.best_of_run = Some(line);
    }
}

/// With more moves than this they are not told apart by steps.
const MOST_BY_STEP: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn circuit(rules: &str) -> Circuit {
        let rules = gambol_syntax::read(rules.as_bytes(), &Default::default()).rules;
        let ground = gambol_ground::instantiate(&rules.expect("rules"), &Default::default());
        let net = gambol_net::simplify(&gambol_net::build(&ground.expect("small")).expect("a net"));
        Circuit::compile(&net, &Default::default()).expect("a circuit")
    }

    /// Follows the best line from the start; what it brings at its end.
    fn followed(circuit: &Circuit, search: &PlanSearch<'_>) -> Option<u32> {
        let (mut evaluator, mut state) = (Evaluator::new(circuit), circuit.initial());
        while !evaluator.terminal(&state) {
            let (action, _) = search.best(&state)?;
            assert!(evaluator.legal(&state).contains(&action));
            state = evaluator.next(&state, &[action]);
        }
        evaluator.goals(&state).into_vec()[0]
    }

    #[test]
    fn queens_are_placed_by_the_best_line() {
        let circuit = circuit(include_str!("../../../../games/eight-queens/rules.kif"));
        let mut search = PlanSearch::new(&circuit, 5);
        search.search_playouts(&circuit.initial(), 50_000, &AtomicBool::new(false));
        let (_, goal) = search.best(&circuit.initial()).expect("some line");
        assert_eq!(followed(&circuit, &search), Some(goal));
        assert_eq!(goal, 100);
    }

    /// Three lamps and four steps, one of which may be wasted: the more lamps are lit at the end the better.
    const LAMPS: &str = "
        (role r) (init (step 0)) (after 0 1) (after 1 2) (after 2 3) (after 3 4) (lamp a) (lamp b) (lamp c)
        (<= (legal r (light ?l)) (lamp ?l)) (legal r rest)
        (<= (next (lit ?l)) (does r (light ?l))) (<= (next (lit ?l)) (true (lit ?l)))
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= terminal (true (step 4)))
        (<= two (true (lit ?x)) (true (lit ?y)) (distinct ?x ?y))
        (<= three (true (lit a)) (true (lit b)) (true (lit c)))
        (<= one (true (lit ?x)))
        (<= (goal r 100) three) (<= (goal r 60) two (not three)) (<= (goal r 20) one (not two))
        (<= (goal r 0) (not one))";

    #[test]
    fn a_line_is_followed_to_the_goal_it_promised() {
        let circuit = circuit(LAMPS);
        let mut search = PlanSearch::new(&circuit, 1);
        let (mut state, mut evaluator) = (circuit.initial(), Evaluator::new(&circuit));
        let mut promised = 0;
        while !evaluator.terminal(&state) {
            search.search_playouts(&state, 1, &AtomicBool::new(false));
            let (action, goal) = search.best(&state).expect("some line");
            assert!(goal >= promised, "{goal} after {promised}");
            promised = goal;
            state = evaluator.next(&state, &[action]);
        }
        assert_eq!(promised, 100);
        assert_eq!(evaluator.goals(&state).into_vec(), [Some(promised)]);
    }
}
