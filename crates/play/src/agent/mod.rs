//! The move-choosing agent of one role: tree search once the game is prepared, the interpreter before.

pub(crate) mod background_solver;
mod composed;
pub(crate) mod fallback;
pub(crate) mod online;
mod planned;
pub(crate) mod preparation;
pub(crate) mod prepared;
mod reconsider;
pub(crate) mod settings;
mod temperature;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::{MoveId, RoleId};
use gambol_run::mixed;

use crate::agent::background_solver::BackgroundSolver;
use crate::agent::prepared::Prepared;
use crate::agent::reconsider::Course;
use crate::agent::settings::{Settings, Way};
use crate::mcts::oracle::Oracle;
use crate::mcts::report::SearchReport;
use crate::mcts::tree_search::TreeSearch;
use crate::parts::factors::Factors;
use crate::puzzle::nested::PlanSearch;

/// Pondering is interrupted at this interval, to use what the background work has found.
const SLICE: Duration = Duration::from_millis(200);

/// How long to think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Until then.
    Until(Instant),
    /// This number of playouts, reproducibly.
    Playouts(u64),
}

impl Effort {
    /// One of `all` equal shares, of which `left` are left: of the remaining time, or of all playouts.
    pub(crate) fn share(self, left: u32, all: u32) -> Self {
        match self {
            Self::Until(deadline) => {
                let now = Instant::now();
                Self::Until(now + deadline.saturating_duration_since(now) / left.max(1))
            }
            Self::Playouts(playouts) => Self::Playouts(playouts / u64::from(all.max(1))),
        }
    }
}

/// A decision that is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Question<'q> {
    pub(crate) role: RoleId,
    /// The moves to choose from.
    pub(crate) legal: &'q [MoveId],
    pub(crate) effort: Effort,
    /// Ends the thinking.
    pub(crate) stop: &'q AtomicBool,
}

/// Why a move was chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// There is no other.
    Forced,
    /// The game is solved from here: this secures the goal.
    Solved(u32),
    /// It is proved that this leads to the goal: the role gets it whatever the others do, and no more if all play
    /// their best.
    Proved(u32),
    /// The search went this way most often.
    Tried {
        /// The share of its descents that went there.
        share: f64,
        /// The mean goal of the random games played from there.
        mean: f64,
    },
    /// It is made of the moves that the searches of the parts went for most often.
    Parts {
        /// The smallest share of descents that went there, among the parts with a choice.
        share: f64,
    },
    /// It was drawn, or comes first.
    Unthinking,
}

impl Reason {
    /// The goal that the role expects, and whether it is certain; `None` if it has no opinion.
    pub fn expectation(&self) -> Option<(f64, bool)> {
        match *self {
            Self::Solved(goal) | Self::Proved(goal) => Some((f64::from(goal), true)),
            Self::Tried { mean, .. } => Some((mean, false)),
            Self::Forced | Self::Parts { .. } | Self::Unthinking => None,
        }
    }
}

/// A move and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The move.
    pub action: MoveId,
    /// Why.
    pub reason: Reason,
}

/// One side of a match, thinking.
pub struct Agent<'a> {
    pub(crate) prepared: &'a Arc<Prepared>,
    pub(crate) settings: Settings,
    pub(crate) search: TreeSearch<'a>,
    solver: Option<BackgroundSolver>,
    /// A search of each part.
    pub(crate) parts: Vec<TreeSearch<'a>>,
    /// Lines of play, if there is one player only.
    pub(crate) plans: Option<PlanSearch<'a>>,
    /// The parts that are used.
    pub(crate) factors: Option<&'a Arc<Factors>>,
    pub(crate) course: Course,
    steps: u64,
    pub(crate) knows_parts: bool,
    knows_open_goals: bool,
    knows_ends: bool,
    is_guided: bool,
}

impl<'a> Agent<'a> {
    /// At the start of the game.
    pub fn new(prepared: &'a Arc<Prepared>, settings: Settings) -> Self {
        let search = TreeSearch::new(&prepared.net, &prepared.circuit, settings.search.clone());
        let solves = settings.solve && settings.way == Way::Search;
        let begin = || BackgroundSolver::begin(prepared, search.state(), settings.decompose);
        let solver = solves.then(begin).flatten();
        let (knows_parts, knows_open_goals, knows_ends, is_guided) = (false, false, false, false);
        let (parts, factors, steps) = (Vec::new(), None, 0);
        let alone = prepared.net.roles.len() == 1 && settings.way == Way::Search;
        let plans = (alone && settings.plan)
            .then(|| PlanSearch::new(&prepared.circuit, settings.search.seed));
        let course = Course::starting(search.state());
        let mut agent = Self {
            prepared,
            settings,
            search,
            solver,
            parts,
            plans,
            factors,
            course,
            steps,
            knows_parts,
            knows_open_goals,
            knows_ends,
            is_guided,
        };
        agent.learn();
        agent
    }

    /// Asks an oracle about leaves from now on, instead of playing them out.
    pub fn use_oracle(&mut self, oracle: Arc<dyn Oracle>) {
        self.search.use_oracle(oracle);
    }

    /// Uses what has been found out about the game meanwhile.
    fn learn(&mut self) {
        if self.settings.latches
            && !self.knows_open_goals
            && let Some(open_goals) = self.prepared.open_goals()
        {
            self.search.use_open_goals(open_goals);
            self.knows_open_goals = true;
        }
        if !self.knows_ends
            && let Some(ends) = self.prepared.ends()
        {
            self.search.use_ends(ends);
            self.knows_ends = true;
        }
        if self.settings.evaluate
            && !self.is_guided
            && let Some(guidance) = self.prepared.guidance()
        {
            self.search.use_guidance(guidance);
            self.is_guided = true;
        }
        if self.settings.decompose {
            if !self.knows_parts
                && let Some(factors) = self.prepared.known_factors()
            {
                self.take_up(factors);
                self.knows_parts = true;
            }
            self.take_up_later_parts();
        }
    }

    pub(crate) fn search_parts(&mut self) {
        let Some(factors) = self.factors else { return };
        let mut options = self.settings.search.clone();
        options.opposed = true;
        // The end of a part is not the end of the game: chinook, two boards of checkers, got 12 % (3 to 36) of 16
        // games against an earlier program with it, and 50 % (25 to 75) of 12 without.
        options.look_ahead = false;
        let games = factors.games().iter();
        self.parts =
            games.map(|part| TreeSearch::new(&part.net, &part.circuit, options.clone())).collect();
    }

    /// Goes on after a joint move, one for each role. They need not be legal.
    pub fn advance(&mut self, moves: &[MoveId]) {
        let legal = self.search.are_legal(moves);
        self.search.advance(moves);
        self.steps += 1;
        match legal {
            true => self.course.step(self.search.state()),
            false => self.jumped(),
        }
        self.moved();
    }

    /// Goes to any state.
    pub fn go_to(&mut self, state: gambol_sim::State) {
        self.search.go_to(state);
        self.jumped();
        self.moved();
    }

    fn moved(&mut self) {
        if let Some(solver) = &mut self.solver
            && !self.search.is_over()
        {
            solver.follow(self.search.state());
        }
    }

    /// Goes on after a joint move by names. A move that the net does not know can have no effect in
    /// it.
    pub(crate) fn advance_by_names(&mut self, moves: &[String]) {
        let named =
            |(role, name): (usize, &String)| self.prepared.named(RoleId::from_index(role), name);
        let moves: Vec<MoveId> = moves.iter().enumerate().filter_map(named).collect();
        self.advance(&moves);
    }

    /// The state.
    pub fn state(&self) -> &gambol_sim::State {
        self.search.state()
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.search.is_over()
    }

    /// The legal moves of a role, sorted.
    pub fn legal(&self, role: RoleId) -> Vec<MoveId> {
        self.search.legal(role)
    }

    /// What the search knows.
    pub fn report(&self, role: RoleId) -> SearchReport {
        self.search.report(role)
    }

    /// A role's move, after some thought; `None` if it has none. A role without a choice need not
    /// think.
    pub fn decide(&mut self, role: RoleId, effort: Effort, stop: &AtomicBool) -> Option<Decision> {
        let legal = self.search.legal(role);
        if self.settings.way == Way::Search && matches!(effort, Effort::Until(_)) {
            self.learn();
            self.reconsider();
        }
        let unthinking = |&action: &MoveId| Decision { action, reason: Reason::Unthinking };
        match (self.settings.way, legal.as_slice()) {
            (_, []) => None,
            (_, &[action]) => Some(Decision { action, reason: Reason::Forced }),
            (Way::Legal, [first, ..]) => Some(unthinking(first)),
            (Way::Random, moves) => {
                let draw = mixed(self.settings.search.seed, self.steps);
                moves.get((draw % moves.len() as u64) as usize).map(unthinking)
            }
            (Way::Search, legal) => self.searched(Question { role, legal, effort, stop }),
        }
    }

    fn searched(&mut self, question: Question<'_>) -> Option<Decision> {
        let Question { role, legal, effort, stop } = question;
        self.learn();
        if let Some(decision) = self.solved(role, legal) {
            return Some(decision);
        }
        let effort = self.plan(effort, stop);
        if self.plan_is_perfect() {
            return self.planned(legal, None);
        }
        if let Effort::Until(deadline) = effort {
            self.think_while_reconsidering(question, deadline);
        }
        let by_parts = self.by_structure(Question { effort, ..question });
        if by_parts.is_none() {
            self.think(effort, stop);
        }
        let sure = self.solved(role, legal).or(by_parts);
        let decision = sure.or_else(|| self.tried(role));
        self.planned(legal, decision)
    }

    /// What the search of the whole went for; where others choose at the same time, one of the moves that it mixes.
    fn tried(&self, role: RoleId) -> Option<Decision> {
        let report = self.search.report(role);
        let seed = self.settings.search.seed.wrapping_add(u64::from(role.number()) << 32);
        let chosen = self.search.chosen(role, mixed(seed, self.steps))?;
        let best = report.moves.iter().find(|one| one.action == chosen)?;
        let visits: u32 = report.moves.iter().map(|one| one.visits).sum();
        let tried = f64::from(best.visits) / f64::from(visits.max(1));
        let reason = match best.proved {
            Some(goal) => Reason::Proved(goal),
            None => Reason::Tried {
                share: best.mixed.unwrap_or(tried),
                mean: best.expected().unwrap_or(0.0),
            },
        };
        Some(Decision { action: best.action, reason })
    }

    /// The move that the searches of the parts want, where there is one.
    fn by_structure(&mut self, question: Question<'_>) -> Option<Decision> {
        self.by_parts(question).or_else(|| self.by_heat(question))
    }

    /// The move of a finished solution. One that loses whatever is done is of no use: others are
    /// more likely to be answered wrongly.
    fn solved(&self, role: RoleId, legal: &[MoveId]) -> Option<Decision> {
        let (action, goal) = self.solver.as_ref()?.best(self.search.state(), role)?;
        let useful = goal > 0 && legal.contains(&action);
        useful.then_some(Decision { action, reason: Reason::Solved(goal) })
    }

    /// Thinks in advance.
    pub fn think(&mut self, effort: Effort, stop: &AtomicBool) {
        think(&mut self.search, effort, stop);
    }

    /// Thinks in advance, and uses what is found out meanwhile.
    pub(crate) fn think_and_learn(&mut self, role: RoleId, deadline: Instant, stop: &AtomicBool) {
        let (legal, effort) = (self.legal(role), Effort::Until(deadline));
        let question = Question { role, legal: &legal, effort, stop };
        while self.think_for_a_while(question, deadline) {}
    }

    /// Thinks as long as new parts may still be found.
    fn think_while_reconsidering(&mut self, question: Question<'_>, deadline: Instant) {
        while self.reconsider()
            && Instant::now() + SLICE < deadline
            && self.think_for_a_while(question, deadline)
        {}
        self.learn();
    }

    /// Uses what has been found out, and thinks for a slice; says whether to go on.
    fn think_for_a_while(&mut self, question: Question<'_>, deadline: Instant) -> bool {
        self.learn();
        let begun = Instant::now();
        let (until, stop) = (deadline.min(begun + SLICE), question.stop);
        let effort = Effort::Until(until);
        self.plan(effort, stop);
        if self.by_structure(Question { effort, ..question }).is_none() {
            self.search.search(until, stop);
        }
        let thought = begun.elapsed();
        let more = thought >= SLICE / 2 && !self.plan_is_perfect();
        more && Instant::now() < deadline && !stop.load(Ordering::Relaxed)
    }

    /// Thinks on while others do; says whether there is anything left to think about.
    pub(crate) fn ponder(&mut self, time: Duration, stop: &AtomicBool) -> bool {
        let worth_while = self.settings.way == Way::Search
            && !stop.load(Ordering::Relaxed)
            && self.search.is_worth_searching();
        if worth_while {
            self.learn();
            self.search.search(Instant::now() + time, stop);
        }
        worth_while
    }

    pub(crate) fn legal_names(&self, role: RoleId) -> Vec<String> {
        self.legal(role).into_iter().map(|action| self.name(action).to_string()).collect()
    }

    /// Whether a move by its name is legal.
    pub(crate) fn is_legal(&self, role: RoleId, name: &str) -> bool {
        self.prepared.named(role, name).is_some_and(|action| self.legal(role).contains(&action))
    }

    pub(crate) fn name(&self, action: MoveId) -> &str {
        self.prepared.name(action)
    }

    /// Random games so far.
    pub fn playouts(&self) -> u64 {
        let plans = self.plans.as_ref().map_or(0, |plans| plans.playouts);
        plans + self.search.playouts + self.parts.iter().map(|part| part.playouts).sum::<u64>()
    }
}

pub(crate) fn think(search: &mut TreeSearch<'_>, effort: Effort, stop: &AtomicBool) {
    match effort {
        Effort::Until(deadline) => search.search(deadline, stop),
        Effort::Playouts(playouts) => search.search_playouts_unless(playouts, stop),
    }
}
