//! What a part can be in after so many steps, if all players help.

use std::time::Duration;

use gambol_analysis::{Answer, Budget, Encoding};
use gambol_net::{FluentId, Net};
use gambol_sim::{Circuit, CompileOptions};

use super::cut::Cut;
use super::outcome::{Outcomes, Place};
use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::Meter;
use crate::store::Store;
use crate::{Dynamics, Limits};

/// Joint moves that are tried in all, and steps.
const MOST_TRIED: usize = 2_000_000;
const MOST_LEVELS: usize = 1_000;
/// Effort for a question about all states, and time for all questions.
const EFFORT: u64 = 5_000;
const LONGEST: Duration = Duration::from_secs(2);

/// The first steps of a part, all of them looked at.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// For each step how many states there are in which the part goes on.
    pub(super) open: Vec<usize>,
    /// For each step the kinds of the states in which it is over, as bits.
    ended: Vec<u32>,
    /// Whether no state is left after the last of these steps.
    pub(super) all: bool,
}

impl Levels {
    /// Of a part whose goal is the number of the kind it ends in.
    pub(super) fn of(net: &Net, meter: &Meter) -> Option<Self> {
        let circuit = Circuit::compile(net, &CompileOptions::default()).ok()?;
        let mut game = CircuitDynamics::new(net, &circuit);
        let mut levels = Self { open: Vec::new(), ended: Vec::new(), all: false };
        let (mut states, mut tried) = (game.start(), 0);
        loop {
            let looks = game.look(&states);
            let (mut ended, mut open) = (0, Vec::new());
            for state in 0..looks.len() {
                match looks.over(state) {
                    true => ended |= looks.goals(state)[0].map_or(u32::MAX, |kind| 1 << kind),
                    false => open.push(state),
                }
            }
            levels.ended.push(ended);
            levels.open.push(open.len());
            levels.all = open.is_empty();
            let count = |&state: &usize| looks.joint_count(state);
            tried += open.iter().map(count).fold(0, usize::saturating_add);
            let over = tried > MOST_TRIED || levels.open.len() > MOST_LEVELS;
            if levels.all || over || meter.check_time().is_err() {
                return Some(levels);
            }
            let mut next = Store::new(game.width());
            for state in open {
                let row = &states[state * game.width()..(state + 1) * game.width()];
                let mut joint = Vec::new();
                (0..looks.joint_count(state)).for_each(|n| looks.joint_move(state, n, &mut joint));
                let after = game.step(&row.repeat(looks.joint_count(state)), &joint);
                after.chunks_exact(game.width()).for_each(|row| _ = next.insert(row));
            }
            states = next.rows(0..next.len()).to_vec();
        }
    }

    /// The first step at which the part can be over in one of some kinds, or an earlier one; nothing if it cannot.
    pub(super) fn earliest(&self, kinds: u32) -> Option<usize> {
        let found = self.ended.iter().position(|ended| ended & kinds != 0);
        found.or((!self.all).then_some(self.ended.len()))
    }
}

/// The step before which a part cannot be in one of some kinds because too few fluents change in a step.
pub(super) fn earliest_by_changes(
    net: &Net,
    cut: &mut Cut,
    outcomes: &Outcomes,
    (number, kinds): (usize, u32),
    limits: &Limits,
) -> usize {
    let Some(part) = cut.parts.get(number) else { return 0 };
    let changed = must_change(net, &part.fluents, &outcomes.places[number], kinds, limits);
    let at_once = cut.effects.most_changes(net, &changed);
    if at_once == 0 { 0 } else { changed.len().div_ceil(at_once) }
}

/// The fluents that have another value than at the start in all states of some kinds.
fn must_change(
    net: &Net,
    fluents: &[FluentId],
    place: &Place,
    kinds: u32,
    limits: &Limits,
) -> Vec<FluentId> {
    let time = limits.time.map_or(LONGEST, |time| time.min(LONGEST));
    let mut encoding = Encoding::new(net, &Budget { time: Some(time), stop: limits.stop.clone() });
    let state = encoding.state();
    let mut ways = Vec::new();
    let wanted = place.kinds.iter().enumerate().filter(|(kind, _)| kinds >> kind & 1 == 1);
    for answer in wanted.flat_map(|(_, answers)| answers) {
        let way = encoding.fresh();
        ways.push(way);
        for (test, &yes) in place.tests.iter().zip(answer) {
            let mut conditions = Vec::new();
            for &(gate, holds) in &test.conditions {
                let gate = encoding.gate(state, gate);
                conditions.push(if holds == yes { gate } else { !gate });
            }
            // Any is fulfilled, or none; all are, or not all.
            if test.any == yes {
                conditions.push(!way);
                encoding.add(&conditions);
            } else {
                conditions.into_iter().for_each(|one| encoding.add(&[!way, one]));
            }
        }
    }
    encoding.add(&ways);
    let at_start = |fluent: FluentId| net.initial.binary_search(&fluent).is_ok();
    let mut changed = Vec::new();
    for &fluent in fluents {
        let literal = encoding.fluent(state, fluent);
        let same = if at_start(fluent) { literal } else { !literal };
        if encoding.solve(&[same], EFFORT) == Answer::NoModel {
            changed.push(fluent);
        }
    }
    changed
}
