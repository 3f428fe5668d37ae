//! The stages of an analysis: what is being done, and how long each took.

use std::time::{Duration, Instant};

/// A stage of an analysis, in the order in which they are entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Playing at random and trying moves.
    Sample,
    /// Looking for clauses that no state of the sample breaks.
    Candidates,
    /// Proving such clauses together.
    Invariants,
    /// Looking for invariants that failed proofs ask for.
    Strengthening,
    /// Fluents that keep a value.
    Latches,
    /// What puts goal values out of reach.
    Goals,
    /// Turn markers and clocks.
    Turns,
    /// Goals, legal moves and other views that keep a value.
    Views,
    /// Pairs of fluents.
    Inhibitors,
    /// Literals that together put goal values out of reach.
    Conjunctions,
}

impl Stage {
    /// What is being done, in a few words.
    pub fn text(self) -> &'static str {
        match self {
            Stage::Sample => "playing",
            Stage::Candidates => "guessing invariants",
            Stage::Invariants => "proving invariants",
            Stage::Strengthening => "looking for further invariants",
            Stage::Latches => "proving latches",
            Stage::Goals => "looking for dead states",
            Stage::Turns => "looking for clocks and turns",
            Stage::Views => "proving latches of views",
            Stage::Inhibitors => "proving inhibitors",
            Stage::Conjunctions => "looking for conjunctions that last",
        }
    }
}

/// Tells a listener which stage is entered, and keeps the times.
pub(crate) struct Progress<'a> {
    tell: &'a mut dyn FnMut(Stage),
    present: Option<(Stage, Instant)>,
    times: Vec<(Stage, Duration)>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(tell: &'a mut dyn FnMut(Stage)) -> Self {
        Self { tell, present: None, times: Vec::new() }
    }

    pub(crate) fn enter(&mut self, stage: Stage) {
        self.leave();
        (self.tell)(stage);
        self.present = Some((stage, Instant::now()));
    }

    fn leave(&mut self) {
        let Some((stage, since)) = self.present.take() else { return };
        let time = since.elapsed();
        match self.times.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, sum)) => *sum += time,
            None => self.times.push((stage, time)),
        }
    }

    pub(crate) fn finish(mut self) -> Vec<(Stage, Duration)> {
        self.leave();
        self.times
    }
}
