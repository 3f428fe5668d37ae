//! Taking up, in the course of a match, what the game has fallen into since.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gambol_sim::State;
use rustc_hash::FxHashMap;

use crate::agent::Agent;
use crate::agent::online::Request;
use crate::parts::factors::Factors;

/// The states of a match so far, and what is looked for in them.
#[derive(Debug, Default)]
pub(crate) struct Course {
    /// How many steps had been made in each state.
    steps: FxHashMap<State, usize>,
    /// The step from which on the parts in use hold; `None` if they hold from the start.
    since: Option<usize>,
    request: Arc<Request>,
    /// Whether new parts are in use that were not reported yet.
    news: bool,
}

impl Course {
    pub(crate) fn starting(state: &State) -> Self {
        let mut course = Self::default();
        course.step(state);
        course
    }

    /// One more step, to this state.
    pub(crate) fn step(&mut self, state: &State) {
        let step = self.steps.len();
        self.steps.entry(state.clone()).or_insert(step);
    }

    /// Back to a state, or to another game altogether. Says whether the parts in use still hold.
    fn jump(&mut self, state: &State) -> bool {
        let Some(&step) = self.steps.get(state) else {
            let held_always = self.since.is_none();
            *self = Self::starting(state);
            return held_always;
        };
        self.steps.retain(|_, one| *one <= step);
        let hold = self.since.is_none_or(|since| since <= step);
        if !hold {
            self.since = None;
        }
        hold
    }
}

impl Drop for Course {
    fn drop(&mut self) {
        self.request.stop.store(true, Ordering::Relaxed);
    }
}

impl<'a> Agent<'a> {
    /// Uses these parts from now on.
    pub(crate) fn take_up(&mut self, factors: &'a Arc<Factors>) {
        self.factors = Some(factors);
        self.search_parts();
    }

    /// Uses the parts that were found last on the way here.
    pub(crate) fn take_up_later_parts(&mut self) {
        let found = self.prepared.conditional.found();
        let on_the_way = found.filter_map(|one| Some((*self.course.steps.get(&one.at)?, one)));
        let Some((step, latest)) = on_the_way.max_by_key(|(step, _)| *step) else { return };
        if self.course.since.is_none_or(|since| since < step) {
            self.take_up(&latest.factors);
            (self.course.since, self.course.news) = (Some(step), true);
        }
    }

    /// Begins to look for parts from here on, if there is time for that. Says whether it is worth waiting
    /// for an answer.
    pub(crate) fn reconsider(&self) -> bool {
        let (state, known) = (self.search.state(), self.factors.cloned());
        self.settings.decompose
            && !self.search.is_over()
            && self.prepared.begin_study_from(state, known, &self.course.request)
    }

    /// The state was changed from outside.
    pub(crate) fn jumped(&mut self) {
        if !self.course.jump(self.search.state()) {
            self.factors = None;
            self.parts.clear();
            self.knows_parts = false;
        }
    }

    /// The parts that are used.
    pub fn factors(&self) -> Option<&'a Factors> {
        self.factors.map(|factors| &**factors)
    }

    /// The parts into which the game has fallen in the course of the match, if there are any that this
    /// was not asked about before.
    pub fn new_parts(&mut self) -> Option<&'a Factors> {
        let news = std::mem::take(&mut self.course.news);
        self.factors().filter(|_| news)
    }
}
