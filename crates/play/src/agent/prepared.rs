//! A game that can be searched, and what is known of its structure.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gambol_analysis::{Budget, OpenGoals, Shape, ShapeOptions, shape};
use gambol_decompose::{DecomposeOptions, Decomposition};
use gambol_index::Id;
use gambol_net::{MoveId, Net, RoleId};
use gambol_sim::{Circuit, Evaluator, Rollouts, SimError};
use gambol_solve::{Ends, Limits};
use rustc_hash::FxHashMap;

use crate::agent::online::Conditional;
use crate::evaluation::{Evaluation, Guidance};
use crate::learning::judgement::judged;
use crate::learning::{Lesson, learn};
use crate::mcts::tree_search::chance_of;
use crate::parts::factors::Factors;

/// A game that can be searched.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) net: Arc<Net>,
    pub(crate) circuit: Arc<Circuit>,
    moves: FxHashMap<(RoleId, Box<str>), MoveId>,
    factors: OnceLock<Option<Arc<Factors>>>,
    /// What it falls into later.
    pub(crate) conditional: Conditional,
    open_goals: OnceLock<Option<Arc<OpenGoals>>>,
    /// What is proved of its ends.
    ends: OnceLock<Ends>,
    guidance: OnceLock<Guidance>,
}

/// Nets with more gates are searched as they are.
const LARGEST_STUDIED: usize = 200_000;
/// The share of learning in the time that is spent on it; the rest is for the judgement.
const LEARNING: f64 = 0.4;
/// More games teach nothing new.
const MOST_GAMES: usize = 30_000;

impl Prepared {
    /// Compiles a net.
    pub fn new(net: Net) -> Result<Self, SimError> {
        let circuit = Circuit::compile(&net, &Default::default())?;
        Ok(Self::of(Arc::new(net), Arc::new(circuit)))
    }

    /// Takes a net that is compiled.
    pub fn of(net: Arc<Net>, circuit: Arc<Circuit>) -> Self {
        let moves = net.moves.iter_ids();
        let moves = moves.map(|(id, action)| ((action.role, action.name.to_string().into()), id));
        let moves = moves.collect();
        let (factors, open_goals, guidance) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (conditional, ends) = (Conditional::default(), OnceLock::new());
        Self { net, circuit, moves, factors, conditional, open_goals, ends, guidance }
    }

    /// Takes over what others have found out about the game, so that [`Prepared::study`] need not: a shape that is
    /// complete, and parts that are as well proved as they can be. What was studied before stays.
    pub fn hand_over(&self, shape: Option<Arc<Shape>>, parts: Option<Arc<Decomposition>>) {
        if self.net.gate_count() > LARGEST_STUDIED {
            return;
        }
        if let Some(parts) = parts.filter(|parts| parts.complete && parts.basis.is_proved()) {
            self.factors.get_or_init(|| Factors::of(&self.net, &parts).map(Arc::new));
        }
        if let Some(shape) = shape.filter(|shape| shape.complete) {
            self.open_goals.get_or_init(|| self.open_goals_of(&shape).map(Arc::new));
        }
    }

    /// Does now what would otherwise be done when the first move is asked for.
    pub(crate) fn warm_up(&self) {
        drop(Rollouts::new(&self.circuit, 1, 1));
        Evaluator::new(&self.circuit).terminal(&self.circuit.initial());
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// Looks for structure, once, within a time: parts first, then goals out of reach, and what is true of all ends.
    pub fn study(&self, time: Duration, stop: &Arc<AtomicBool>) {
        if self.net.gate_count() > LARGEST_STUDIED {
            return;
        }
        let begun = Instant::now();
        self.factors.get_or_init(|| self.take_apart(time.mul_f64(0.7), stop).map(Arc::new));
        let left = time.saturating_sub(begun.elapsed());
        self.open_goals.get_or_init(|| self.goals_out_of_reach(left, stop).map(Arc::new));
        // Of its limit a proof takes a share.
        let limits = Limits { time: Some(time), stop: Some(Arc::clone(stop)), ..Limits::default() };
        let ends = || Ends::of_play_from(&self.net, &self.circuit, &self.net.initial, &limits);
        self.ends.get_or_init(ends);
    }

    /// Learns from own play, once, within a time, what states are worth; and what makes the search stronger. Only
    /// games of two players are learnt, since others cannot be judged by matches of two.
    pub fn learn(&self, time: Duration, stop: &AtomicBool) {
        if !self.can_be_learnt() {
            return;
        }
        let lesson =
            |share: f64| Lesson { time: time.mul_f64(share), games: MOST_GAMES, stop, seed: 1 };
        self.guidance.get_or_init(|| {
            let learnt = learn(&self.net, &self.circuit, &lesson(LEARNING));
            judged(&self.net, &self.circuit, learnt.as_ref(), &lesson(1.0 - LEARNING))
        });
    }

    /// Whether it is a game of two players that is not too large to learn anything in time.
    fn can_be_learnt(&self) -> bool {
        let two = self.net.roles.len() == 2 && chance_of(&self.net).is_none();
        two && self.net.gate_count() <= LARGEST_STUDIED
    }

    /// What own play has taught, if anything was learnt.
    pub(crate) fn guidance(&self) -> Option<&Guidance> {
        self.guidance.get()
    }

    /// What states are worth, if the game was studied and own play has taught that.
    pub fn evaluation(&self) -> Option<Arc<Evaluation>> {
        self.guidance()?.evaluation.clone()
    }

    /// How often random games keep to moves that did well in the tree, in eighths, as trial matches have shown.
    pub fn playout_bias(&self) -> u8 {
        self.guidance().map_or(0, |guidance| guidance.bias)
    }

    fn take_apart(&self, time: Duration, stop: &Arc<AtomicBool>) -> Option<Factors> {
        let mut options = DecomposeOptions::default();
        options.time = Some(time);
        options.stop = Some(Arc::clone(stop));
        options.prove = true;
        Factors::find(&self.net, &options)
    }

    fn goals_out_of_reach(&self, time: Duration, stop: &Arc<AtomicBool>) -> Option<OpenGoals> {
        let mut options = ShapeOptions::default();
        options.budget = Budget { time: Some(time), stop: Some(Arc::clone(stop)) };
        options.inhibitors = false;
        self.open_goals_of(&shape(&self.net, &options))
    }

    fn open_goals_of(&self, shape: &Shape) -> Option<OpenGoals> {
        let open_goals = OpenGoals::of(&self.net, shape);
        open_goals.ever_closes().then_some(open_goals)
    }

    /// The parts, if the game was studied and falls apart.
    pub fn factors(&self) -> Option<Arc<Factors>> {
        self.factors.get().cloned().flatten()
    }

    pub(crate) fn known_factors(&self) -> Option<&Arc<Factors>> {
        self.factors.get()?.as_ref()
    }

    /// Whether it is small enough, and was looked at from the start.
    pub(crate) fn can_be_studied(&self) -> bool {
        self.net.gate_count() <= LARGEST_STUDIED && self.factors.get().is_some()
    }

    /// When goals are out of reach, if the game was studied and they ever are.
    pub fn open_goals(&self) -> Option<Arc<OpenGoals>> {
        self.open_goals.get().cloned().flatten()
    }

    /// What is proved of the ends of the game, if it was studied.
    pub(crate) fn ends(&self) -> Option<Ends> {
        self.ends.get().copied()
    }

    /// A move by its name.
    pub fn named(&self, role: RoleId, name: &str) -> Option<MoveId> {
        self.moves.get(&(role, name.into())).copied()
    }

    /// The name of a move.
    pub fn name(&self, action: MoveId) -> &str {
        &self.net.moves[action].name
    }

    /// A role by its name.
    pub fn role(&self, name: &str) -> Option<RoleId> {
        self.net.roles.iter().position(|role| &**role == name).map(RoleId::from_index)
    }
}
