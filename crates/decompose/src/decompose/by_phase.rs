//! The phases of a game, each taken apart by itself.

use std::time::Duration;

use gambol_analysis::{Clause, Literal, Proof, ShapeOptions, invariants};
use gambol_net::{FluentId, Net, State};

use super::{FIRST, PROOF_SECONDS, Work};
use crate::decomposition::{Basis, Phase};
use crate::evaluate::scope::Scope;
use crate::options::{DecomposeOptions, Method};
use crate::phases::crossing::{Crossing, crossings};
use crate::phases::proof::Points;
use crate::sample::interventions::Play;

/// The share of the time left for the proof of crossing points, and for invariants.
const CROSSING: f64 = 0.2;

/// Gates of a net that is not searched for invariants on account of its crossing points.
const MOST_GATES: usize = 4_000;

/// Crossing points with the phases before and after them, and what the points rest on.
#[derive(Clone)]
struct Course {
    points: Vec<Crossing>,
    scopes: Vec<Scope>,
    bases: Vec<Basis>,
    invariants: Vec<Clause>,
}

impl Course {
    fn of(points: Vec<Crossing>, invariants: Vec<Clause>) -> Self {
        let condition = |place: usize| points.get(place).map(|point| point.condition.clone());
        let scope = |place: usize| Scope {
            begins: place.checked_sub(1).and_then(condition),
            ends: condition(place),
            facts: Vec::new(),
        };
        let scopes = (0..=points.len()).map(scope).collect();
        let bases = vec![Basis::Sampled; points.len()];
        Self { points, scopes, bases, invariants }
    }

    /// Finds what is handed on at each crossing point.
    fn hand_on(&mut self, net: &Net) {
        for place in 0..self.points.len() {
            let (so_far, later) = self.points.split_at_mut(place + 1);
            so_far[place].hand_on(net, later);
        }
    }
}

/// Whether the parts of phases are proved too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Prove {
    Points,
    PointsAndParts,
}

impl Work<'_> {
    /// The phases of the game, if it has crossing points at which it forgets what was. The clauses are proved to hold
    /// in every state; the parts of the phases are proved if that is asked for.
    pub(super) fn phases(&self, play: &Play<'_>, known: &[Clause], parts: Prove) -> Vec<Phase> {
        if self.deadline.is_over() {
            return Vec::new();
        }
        let seed = self.options.seed.wrapping_add(6);
        let others = || Play::only_trail(self.net, seed, &self.deadline);
        let (trail, dependent) = (play.trail(), &play.seen().dependent);
        let points = crossings(self.net, trail, others, dependent, &self.deadline);
        if points.is_empty() {
            return Vec::new();
        }
        let mut course = Course::of(points, known.to_vec());
        course.hand_on(self.net);
        if self.options.prove {
            self.prove_course(&mut course);
            if course.points.is_empty() {
                return Vec::new();
            }
        }
        (0..course.scopes.len()).map(|place| self.phase(&course, place, parts)).collect()
    }

    /// Proves the crossing points: as they are, or with invariants if too much seems to be handed on without. In a
    /// large net that search takes longer than all else, and seldom helps.
    fn prove_course(&self, course: &mut Course) {
        let tried = self.proved(course);
        let as_seen = |(one, seen): (&Crossing, &Crossing)| one.interface == seen.interface;
        let all = tried.points.len() == course.points.len();
        let searched = self.invariants.is_some() || self.net.gate_count() > MOST_GATES;
        if searched || all && tried.points.iter().zip(&course.points).all(as_seen) {
            *course = tried;
            return;
        }
        let within = self.deadline.within(Duration::from_secs_f64(PROOF_SECONDS));
        let mut options = ShapeOptions::default();
        options.budget = within.budget(CROSSING);
        options.seed = self.options.seed;
        course.invariants.extend(invariants(self.net, &options));
        *course = self.proved(course);
    }

    /// The same crossing points with their proofs, up to the first that is not proved to be one. Each rests on those
    /// before it.
    fn proved(&self, course: &Course) -> Course {
        let Course { mut points, mut scopes, mut bases, invariants } = course.clone();
        let within = self.deadline.within(Duration::from_secs_f64(PROOF_SECONDS));
        let budget = within.budget(CROSSING);
        let prover = Points { net: self.net, invariants: &invariants, budget: &budget };
        let initial = State::initial(self.net);
        let value = |fluent: FluentId| Literal { fluent, holds: initial.holds(fluent) };
        let mut begun: Vec<Literal> = self.net.fluents.ids().map(value).collect();
        let mut so_far: Option<Proof> = None;
        let mut proved = 0;
        for (place, point) in points.iter_mut().enumerate() {
            let Some(proof) = prover.prove(&mut scopes[place], &begun, point) else { break };
            let proof = so_far.map_or(proof, |earlier| earlier.and(proof));
            so_far = Some(proof);
            bases[place] = Basis::Proved(proof);
            begun.clone_from(&point.entry);
            proved += 1;
        }
        points.truncate(proved);
        bases.truncate(proved);
        scopes.truncate(proved + 1);
        if let Some(last) = scopes.last_mut().filter(|_| proved > 0) {
            // What the last phase begins with may last.
            (last.ends, last.facts) = (None, Vec::new());
            last.facts = prover.constant(last, begun).literals;
        }
        let mut course = Course { points, scopes, bases, invariants };
        course.hand_on(self.net);
        course
    }

    /// One phase, from a crossing point to the next. Its parts are proved only if its crossing points are.
    fn phase(&self, course: &Course, place: usize, parts: Prove) -> Phase {
        let point = place.checked_sub(1).map(|before| &course.points[before]);
        let around = course.bases.iter().take(place + 1).copied().reduce(Basis::and);
        let around = around.unwrap_or(Basis::Sampled);
        let prove = parts == Prove::PointsAndParts && self.options.prove && around.is_proved();
        let playouts = self.options.playouts;
        let options = DecomposeOptions {
            // What the rules say of other phases is no matter.
            method: Method::Statistical,
            prove,
            // What the whole game is said to be does not hang on it.
            playouts: if prove { playouts } else { playouts.min(FIRST) },
            ..self.options.clone()
        };
        let mut work = Work::new(self.net, &options, self.deadline.clone());
        // A phase is not worth a search of its own.
        work.invariants = Some(course.invariants.clone());
        work.scope = Some(course.scopes[place].clone());
        let mut play = Play::within(self.net, work.scope.clone(), self.options.seed);
        let mut parts = work.parts(&mut play, &mut |_| {});
        for part in parts.subgames.iter_mut() {
            part.safe_until = None;
        }
        Phase {
            begins: course.scopes[place].begins.clone(),
            interface: point.map_or_else(Vec::new, |point| point.interface.clone()),
            entry: point.map_or_else(Vec::new, |point| point.entry.clone()),
            facts: course.scopes[place].facts.clone(),
            steps: point.map_or([0, 0], |point| point.steps),
            seen: point.map_or_else(|| self.net.initial.clone(), |point| point.seen.fluents()),
            basis: match place {
                0 => course.bases[0],
                _ => course.bases[place - 1],
            },
            parts,
        }
    }
}
