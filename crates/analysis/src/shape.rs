//! The shape of a game: everything that is proved about its net, within a budget.

use std::time::{Duration, Instant};

use gambol_net::{FluentId, Net};
use rustc_hash::FxHashSet;

use crate::Literal;
use crate::candidates::Candidates;
use crate::clock::{Clock, clock};
use crate::conjunction::add_conjunctions;
use crate::encode::Encoding;
use crate::endings::Endings;
use crate::exclusive::Exclusive;
use crate::forbidden::{ForbiddenMoves, forbidden_moves};
use crate::goal::{GoalFacts, goal_facts};
use crate::group::GroupLatch;
use crate::induction::Induction;
use crate::inhibitor::{Inhibitor, first_step, inhibitors};
use crate::invariant::Invariants;
use crate::latch::{Latch, is_lost, latch};
use crate::literal::Clause;
use crate::sample::{Sample, SampleLimits};
use crate::stage::{Progress, Stage};
use crate::strengthen::{Target, strengthen};
use crate::turn::{Turn, turns};
use crate::verdict::Verdict;
use crate::view::{ViewLatch, view_latches};
use gambol_run::{Budget, Deadline};

/// How to analyse.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShapeOptions {
    /// What it may cost.
    pub budget: Budget,
    /// For the random playouts.
    pub seed: u64,
    /// How many states the sample of play may hold.
    pub states: usize,
    /// Whether a sample that holds all states of the game counts as proof.
    pub listing: bool,
    /// How many consecutive steps an induction may look at.
    pub depth: usize,
    /// Whether to look for inhibitors among all pairs of fluents.
    pub inhibitors: bool,
    /// Whether searches that seldom end go on as long as there is time. Otherwise each is given a small share.
    pub thorough: bool,
}

impl Default for ShapeOptions {
    fn default() -> Self {
        Self {
            budget: Budget::seconds(8.0),
            seed: 1,
            states: 8192,
            listing: true,
            depth: 2,
            inhibitors: true,
            thorough: false,
        }
    }
}

/// One setting after another: `ShapeOptions::default().seconds(2.0).thorough()`.
impl ShapeOptions {
    /// For no longer than this. A time that no clock can count is no limit.
    pub fn seconds(mut self, seconds: f64) -> Self {
        self.budget.time = Duration::try_from_secs_f64(seconds).ok();
        self
    }

    /// From the games of this seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// With all of the time, if there is something left to look for.
    pub fn thorough(mut self) -> Self {
        self.thorough = true;
        self
    }
}

/// What is known about a game.
#[derive(Debug)]
pub struct Shape {
    /// Fluents that always have one value. Proved.
    pub constants: Vec<Literal>,
    /// Clauses that hold in every reachable state: constants, exclusions, implications, groups of
    /// which one is true, and what other proofs needed. Proved.
    pub invariants: Vec<Clause>,
    /// Fluents that exclude one another. Proved.
    pub exclusive: Exclusive,
    /// For each fluent that is not constant, whether it latches: true first, then false.
    pub latches: Vec<Latch>,
    /// Goals, legal moves and other views that latch.
    pub view_latches: Vec<ViewLatch>,
    /// Moves that latches take away. Proved.
    pub forbidden_moves: Vec<ForbiddenMoves>,
    /// Pairs of fluents, proved or unknown.
    pub inhibitors: Vec<Inhibitor>,
    /// What is proved about the goal values, each role's best first.
    pub goals: Vec<GoalFacts>,
    /// Clocks and rhythms. Proved.
    pub clocks: Vec<Clock>,
    /// The turn markers, if there are any. Proved.
    pub turn: Vec<Turn>,
    /// The number of reachable states, if all were met.
    pub states: Option<usize>,
    /// Whether the budget was enough for everything.
    pub complete: bool,
    /// The searches that the clock ended although something was left to try: with more time they may find more.
    pub cut_short: Vec<Stage>,
    /// How long it took.
    pub time: Duration,
    /// How long each stage took.
    pub stages: Vec<(Stage, Duration)>,
    sample: Sample,
}

/// Shares of the time that is left for work of which one cannot say when it is done.
#[derive(Clone, Copy)]
struct Shares {
    strengthening: f64,
    forbidden_moves: f64,
    conjunctions: f64,
}

const SMALL: Shares = Shares { strengthening: 0.1, forbidden_moves: 0.2, conjunctions: 0.25 };
const STILL_FLUENTS: f64 = 0.05;

impl Shares {
    /// The most that searches which ended too early can be given when as much time is left, and all other work takes
    /// as long as it did before.
    fn larger(found: &Shape, left: Duration) -> Option<Self> {
        const SLACK: f64 = 1.5;
        let took = |stage: Stage| {
            let mut times = found.stages.iter().filter(|(known, _)| *known == stage);
            times.next().map_or(Duration::ZERO, |(_, time)| *time)
        };
        let grows = [Stage::Strengthening, Stage::Views, Stage::Conjunctions];
        let cut = |stage: Stage| found.cut_short.contains(&stage);
        if !found.cut_short.iter().all(|stage| grows.contains(stage)) {
            return None;
        }
        let (left, other) =
            (left.as_secs_f64(), found.time.saturating_sub(took(Stage::Strengthening)));
        let spare = 1.0 - SLACK * other.as_secs_f64() / left;
        let larger = Self {
            strengthening: if cut(Stage::Strengthening) {
                0.7 * spare
            } else {
                SMALL.strengthening
            },
            forbidden_moves: if cut(Stage::Views) { 0.5 } else { SMALL.forbidden_moves },
            conjunctions: if cut(Stage::Conjunctions) { 0.95 } else { SMALL.conjunctions },
        };
        (spare > 0.1).then_some(larger)
    }
}

/// Analyses a net.
pub fn shape(net: &Net, options: &ShapeOptions) -> Shape {
    shape_with_progress(net, options, &mut |_| {})
}

/// The clauses that hold in every reachable state, as [`Shape::invariants`] has them, and nothing else: for whoever
/// needs no more this takes a fraction of the time.
pub fn invariants(net: &Net, options: &ShapeOptions) -> Vec<Clause> {
    let deadline = Deadline::start(&options.budget);
    let mut silent = |_| {};
    let mut progress = Progress::new(&mut silent);
    Ground::of(net, options, SMALL.strengthening, &deadline, &mut progress).invariants
}

/// What all other facts are proved from.
struct Ground<'a> {
    sample: Sample,
    /// The number of reachable states, if all were met.
    states: Option<usize>,
    invariants: Vec<Clause>,
    /// A solver that knows a step between states that satisfy them.
    step: Encoding<'a>,
    /// Whether the time was enough.
    finished: bool,
    cut_short: Vec<Stage>,
}

impl<'a> Ground<'a> {
    fn of(
        net: &'a Net,
        options: &ShapeOptions,
        strengthening: f64,
        deadline: &Deadline,
        progress: &mut Progress<'_>,
    ) -> Self {
        progress.enter(Stage::Sample);
        let limits = SampleLimits::new(net, options.states);
        let share = deadline.share(0.2);
        let mut sample = Sample::of(net, limits, options.seed, &share);
        let mut cut_short = Vec::new();
        let mut note = |stage: Stage, ended: bool| cut_short.extend(ended.then_some(stage));
        note(Stage::Sample, !sample.complete && share.is_over());
        let states = sample.complete.then_some(sample.states.len());
        sample.complete &= options.listing;

        progress.enter(Stage::Candidates);
        let share = deadline.share(0.2);
        let candidates = Candidates::of(net, &sample, &share);
        note(Stage::Candidates, share.is_over());
        progress.enter(Stage::Invariants);
        let (mut invariants, mut step, finished) =
            single_steps(net, &sample, candidates.clone(), deadline);
        note(Stage::Invariants, !finished);
        progress.enter(Stage::Strengthening);
        if finished && !sample.complete {
            let mut ended = false;
            for (targets, share) in targets(net, &sample, &candidates, &invariants, strengthening) {
                let share = deadline.share(share);
                invariants.extend(strengthen(net, &sample, &mut step, &targets, &share));
                ended |= share.is_over();
            }
            note(Stage::Strengthening, ended);
            step.solver.set_deadline(deadline);
        }
        Self { sample, states, invariants, step, finished, cut_short }
    }
}

/// Analyses a net and tells which stage is entered.
pub fn shape_with_progress(
    net: &Net,
    options: &ShapeOptions,
    tell: &mut dyn FnMut(Stage),
) -> Shape {
    let started = Instant::now();
    let deadline = Deadline::start(&options.budget);
    let mut found = look(net, options, SMALL, &deadline, tell);
    let left = deadline.time_left().filter(|_| options.thorough && !found.cut_short.is_empty());
    if let Some(shares) = left.and_then(|left| Shares::larger(&found, left)) {
        let more = look(net, options, shares, &deadline, tell);
        if more.complete {
            found = more;
        }
    }
    found.time = started.elapsed();
    found
}

/// Looks once for everything.
fn look(
    net: &Net,
    options: &ShapeOptions,
    shares: Shares,
    deadline: &Deadline,
    tell: &mut dyn FnMut(Stage),
) -> Shape {
    let mut progress = Progress::new(tell);
    let started = Instant::now();
    let ground = Ground::of(net, options, shares.strengthening, deadline, &mut progress);
    let Ground { sample, states, invariants, step, finished, mut cut_short } = ground;
    let mut note = |stage: Stage, ended: bool| cut_short.extend(ended.then_some(stage));
    progress.enter(Stage::Latches);
    let exclusive = Exclusive::of(net, &invariants);
    let mut induction = Induction::with_step(net, &invariants, step, options.depth, deadline);
    let latches = fluent_latches(net, &sample, &mut induction, &invariants, deadline);
    let latching: Vec<Literal> = latches
        .iter()
        .filter(|latch| latch.verdict.is_proved() && latch.moves)
        .map(|latch| latch.literal)
        .collect();
    progress.enter(Stage::Goals);
    let mut single = Encoding::of_steps(net, 0, &invariants, deadline);
    let mut goals = all_goal_facts(net, &sample, &mut single, &mut induction, &latching);
    progress.enter(Stage::Turns);
    let (mut turn, mut clocks, mut views) = (Vec::new(), Vec::new(), Vec::new());
    let mut forbidden = Vec::new();
    if !deadline.is_over() {
        turn = turns(net, &mut single, &exclusive);
        let groups = exclusive.exactly_one.iter();
        clocks = groups.filter_map(|group| clock(&sample, &mut induction, group)).collect();
        progress.enter(Stage::Views);
        views = view_latches(net, &sample, &mut induction);
        let share = deadline.share(shares.forbidden_moves);
        forbidden = forbidden_moves(net, &sample, &mut single, &latching, &share);
        note(Stage::Views, share.is_over());
    }
    progress.enter(Stage::Inhibitors);
    let inhibitors = match options.inhibitors && !deadline.is_over() {
        true => inhibitors(net, &sample, &mut induction),
        false => Vec::new(),
    };
    let complete = finished && !deadline.is_over();
    note(Stage::Inhibitors, deadline.is_over());
    progress.enter(Stage::Conjunctions);
    let rest = deadline.share(shares.conjunctions);
    let ended = add_conjunctions(net, &sample, &mut induction, &latching, &mut goals, &rest);
    note(Stage::Conjunctions, ended);
    Shape {
        constants: constants(&invariants),
        invariants,
        exclusive,
        latches,
        view_latches: views,
        forbidden_moves: forbidden,
        inhibitors,
        goals,
        clocks,
        turn,
        states,
        complete,
        cut_short,
        time: started.elapsed(),
        stages: progress.finish(),
        sample,
    }
}

/// The invariants that could be proved, a solver that knows a step between states that satisfy
/// them, and whether the time was enough.
///
/// What is cheap and useful comes first, so that something is left when the rest takes too long.
fn single_steps<'a>(
    net: &'a Net,
    sample: &Sample,
    candidates: Candidates,
    deadline: &Deadline,
) -> (Vec<Clause>, Encoding<'a>, bool) {
    if sample.complete {
        let known = candidates.stages().concat();
        let step = Encoding::of_steps(net, 1, &known, deadline);
        return (known, step, true);
    }
    let mut invariants = Invariants::new(net, deadline);
    let (mut tried, mut finished) = (Vec::new(), true);
    // For each stage, its share of the time and how many weaker clauses it may try.
    let means = [(0.35, 0), (0.5, 0), (0.35, 0), (0.3, 4_000), (0.2, 10_000)];
    for (stage, (share, weaker)) in candidates.stages().into_iter().zip(means) {
        tried.extend(stage);
        finished = invariants.prove(tried.clone(), weaker, &deadline.share(share));
        if !finished {
            break;
        }
    }
    let (known, step) = invariants.finish(deadline);
    (known, step, finished)
}

/// What is worth proving and does not follow from single invariants, each list with its share of
/// the time: latches and exclusions within a relation, then other exclusions, which are more often
/// false.
fn targets(
    net: &Net,
    sample: &Sample,
    candidates: &Candidates,
    invariants: &[Clause],
    strengthening: f64,
) -> [(Vec<Target>, f64); 2] {
    let fluents = net.fluents.ids();
    let literals = fluents.flat_map(|fluent| [Literal::is(fluent), Literal::is_not(fluent)]);
    let keeps =
        literals.filter(|&literal| sample.varies(literal.fluent) && !is_lost(sample, literal));
    let known: FxHashSet<&Clause> = invariants.iter().collect();
    let never = |clause: &&Clause| {
        let cube = clause.iter().map(|literal| literal.negated()).collect();
        (!known.contains(clause)).then_some(Target::Never(cube))
    };
    let Candidates { variables, close_siblings, siblings, mutexes, .. } = candidates;
    let siblings = variables.iter().chain(close_siblings).chain(siblings);
    let first = keeps.map(Target::Keeps).chain(siblings.filter_map(|clause| never(&clause)));
    let last = mutexes.iter().filter_map(|clause| never(&clause));
    [(first.collect(), strengthening), (last.collect(), strengthening / 4.0)]
}

fn constants(invariants: &[Clause]) -> Vec<Literal> {
    invariants.iter().filter(|clause| clause.len() == 1).map(|clause| clause[0]).collect()
}

fn fluent_latches(
    net: &Net,
    sample: &Sample,
    induction: &mut Induction<'_>,
    invariants: &[Clause],
    deadline: &Deadline,
) -> Vec<Latch> {
    let mut constant: Vec<FluentId> =
        constants(invariants).into_iter().map(|literal| literal.fluent).collect();
    constant.sort_unstable();
    let changing = net.fluents.ids().filter(|fluent| constant.binary_search(fluent).is_err());
    let literals: Vec<Literal> =
        changing.flat_map(|fluent| [Literal::is(fluent), Literal::is_not(fluent)]).collect();
    // Those that the sample does not show to move may be constant, and come last.
    let (first, last): (Vec<Literal>, Vec<Literal>) =
        literals.into_iter().partition(|&literal| sample.varies(literal.fluent));
    let mut latches: Vec<Latch> =
        first.into_iter().map(|literal| latch(sample, induction, literal)).collect();
    induction.set_deadline(&deadline.share(STILL_FLUENTS));
    latches.extend(last.into_iter().map(|literal| latch(sample, induction, literal)));
    induction.set_deadline(deadline);
    latches.sort_by_key(|latch| (latch.literal.fluent, !latch.literal.holds));
    latches
}

fn all_goal_facts(
    net: &Net,
    sample: &Sample,
    states: &mut Encoding<'_>,
    induction: &mut Induction<'_>,
    latches: &[Literal],
) -> Vec<GoalFacts> {
    if induction.is_over() {
        return Vec::new();
    }
    let endings = Endings::of(net, sample);
    let mut order: Vec<usize> = (0..net.goals.len()).collect();
    order.sort_by_key(|&goal| (std::cmp::Reverse(net.goals[goal].value), net.goals[goal].role));
    let mut facts = Vec::new();
    for goal in order {
        if induction.is_over() {
            break;
        }
        facts.push(goal_facts(net, sample, &endings, states, induction, latches, goal));
    }
    facts
}

impl Shape {
    /// The latches that are proved and are not constants.
    pub fn proved_latches(&self) -> impl Iterator<Item = Literal> {
        let proved = self.latches.iter().filter(|latch| latch.moves && latch.verdict.is_proved());
        proved.map(|latch| latch.literal)
    }

    /// The group latches that matter to some goal, each once.
    pub fn group_latches(&self) -> Vec<&GroupLatch> {
        let mut groups: Vec<&GroupLatch> =
            self.goals.iter().flat_map(|facts| &facts.groups).collect();
        let key = |group: &GroupLatch| (group.together, group.members.clone());
        groups.sort_by_cached_key(|group| key(group));
        groups.dedup();
        groups
    }

    /// Whether a fluent inhibits another, with the step that shows it if not.
    pub fn inhibits(&self, inhibitor: FluentId, inhibited: FluentId) -> Verdict {
        if let Some(step) = first_step(&self.sample, inhibitor, inhibited) {
            return Verdict::Refuted(self.sample.path_through(step));
        }
        let pair = |pair: &&Inhibitor| (pair.inhibitor, pair.inhibited) == (inhibitor, inhibited);
        self.inhibitors.iter().find(pair).map_or(Verdict::Unknown, |pair| pair.verdict.clone())
    }
}
