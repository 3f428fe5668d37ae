//! Plans by satisfiability: play as clauses, one step longer at a time, until a model is a plan.
//!
//! "No model" proves that no plan has that many steps. A model is replayed before it is believed.

use gambol_analysis::{Answer, Budget, Encoding, Frame, Lit};
use gambol_index::{Id, bits};
use gambol_net::{FluentId, Net};

use crate::limits::Meter;
use crate::{Dynamics, Limits, Unfinished};

/// Effort per number of steps in the first round, and the factor for each further round.
const FIRST_EFFORT: u64 = 300;
const MORE_EFFORT: u64 = 10;
/// Steps beyond this are not tried.
const MOST_STEPS: usize = 400;
/// Gates in all steps together.
const MOST_GATES: usize = 12_000_000;

/// What was found about one goal value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// Moves that lead to it; whether there are none with fewer steps.
    Plan(Vec<u32>, bool),
    /// It cannot be reached.
    None,
    /// Neither.
    Open(Unfinished),
}

/// Looks for a way of the only player to an end with this goal value, with at most so much effort for
/// each number of steps.
pub(crate) fn plan_for(
    net: &Net,
    game: &mut impl Dynamics,
    start: &[u64],
    value: u32,
    most_effort: u64,
    limits: &Limits,
) -> Found {
    let meter = Meter::start(limits);
    let mut effort = FIRST_EFFORT;
    while effort <= most_effort && meter.check_time().is_ok() {
        let mut round = Round::new(net, start, value, effort, limits, &meter);
        match round.run(game, start) {
            Found::Open(_) => effort *= MORE_EFFORT,
            found => return found,
        }
        if round.steps_met_the_end {
            return Found::Open(Unfinished::Memory);
        }
    }
    Found::Open(Unfinished::Time)
}

struct Round<'a> {
    net: &'a Net,
    encoding: Encoding<'a>,
    frames: Vec<Frame>,
    value: u32,
    effort: u64,
    meter: &'a Meter,
    /// The number of steps was the reason to stop, so that more effort does not help.
    steps_met_the_end: bool,
}

impl<'a> Round<'a> {
    fn new(
        net: &'a Net,
        start: &[u64],
        value: u32,
        effort: u64,
        limits: &Limits,
        meter: &'a Meter,
    ) -> Self {
        let budget = Budget { time: limits.time, stop: limits.stop.clone() };
        let mut encoding = Encoding::new(net, &budget);
        let is_true = |fluent: &FluentId| bits::is_set(start, fluent.index());
        let fluents: Vec<FluentId> = net.fluents.ids().filter(is_true).collect();
        let frames = vec![encoding.state_of(&fluents)];
        Self { net, encoding, frames, value, effort, meter, steps_met_the_end: false }
    }

    fn run(&mut self, game: &mut impl Dynamics, start: &[u64]) -> Found {
        let mut sure = true;
        loop {
            let now = self.frames[self.frames.len() - 1];
            let over = self.encoding.gate(now, self.net.terminal);
            // Several goals may stand for the value, and an end without any may be read as one of them.
            let (wanted, others): (Vec<_>, Vec<_>) =
                self.net.goals.iter().partition(|goal| goal.value == self.value);
            let mut without = vec![over];
            for goal in &wanted {
                let reached = self.encoding.gate(now, goal.gate);
                without.push(!reached);
                match self.solve(&[over, reached]) {
                    Answer::Model => {
                        let plan = self.plan();
                        if leads_to(game, start, &plan, self.value) {
                            return Found::Plan(plan, sure);
                        }
                        sure = false;
                    }
                    Answer::Unknown => sure = false,
                    Answer::NoModel => {}
                }
            }
            for goal in others {
                without.push(!self.encoding.gate(now, goal.gate));
            }
            sure &= self.solve(&without) == Answer::NoModel;
            // Without certainty about fewer steps there is nothing to conclude from an end.
            if sure && self.solve(&[!over]) == Answer::NoModel {
                return Found::None;
            }
            let gates = self.frames.len() * self.net.gate_count();
            if self.frames.len() > MOST_STEPS || gates > MOST_GATES {
                self.steps_met_the_end = true;
                return Found::Open(Unfinished::Memory);
            }
            if self.meter.check_time().is_err() {
                return Found::Open(Unfinished::Time);
            }
            let next = self.encoding.step(now);
            self.frames.push(next);
        }
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.encoding.solve(assumptions, self.effort)
    }

    fn plan(&self) -> Vec<u32> {
        let steps = &self.frames[..self.frames.len() - 1];
        let moves = steps.iter().flat_map(|&frame| self.encoding.moves_in_model(frame));
        moves.map(|action| action.number()).collect()
    }
}

/// Whether the moves are legal one after the other and lead to an end with this value.
pub(crate) fn leads_to(game: &mut impl Dynamics, start: &[u64], plan: &[u32], value: u32) -> bool {
    let mut state = start.to_vec();
    for action in plan {
        let looks = game.look(&state);
        if looks.over(0) || !looks.moves(0, 0).contains(action) {
            return false;
        }
        state = game.step(&state, &[*action]);
    }
    let looks = game.look(&state);
    looks.over(0) && looks.goals(0)[0].value() == Some(value)
}
