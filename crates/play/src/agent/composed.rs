//! Composed moves: one move of the whole game made of the best moves of its parts.

use std::sync::atomic::AtomicBool;

use gambol_net::{MoveId, RoleId};

use crate::agent::{Agent, Decision, Effort, Question, Reason, think};
use crate::mcts::report::{MoveReport, SearchReport};
use crate::parts::factors::Factors;

impl Agent<'_> {
    /// The best move of each part, put together; `None` if the parts cannot be played one by one
    /// here.
    pub(crate) fn by_parts(&mut self, question: Question<'_>) -> Option<Decision> {
        let Question { role, legal, effort, stop } = question;
        let factors = self.factors().filter(|_| !self.parts.is_empty())?;
        let choices = choices(factors, legal);
        // Every combination of what can be done in the parts must be a move, and only one.
        let combinations = choices.iter().map(Vec::len).try_fold(1usize, usize::checked_mul);
        if combinations != Some(legal.len()) || !self.can_all(role, &choices) {
            return None;
        }
        let is_open = |part: usize| choices[part].len() > 1 && factors.is_useful(part);
        let all = (0..choices.len()).filter(|&part| is_open(part)).count() as u32;
        let mut left = all;
        let (mut wanted, mut least) = (Vec::with_capacity(choices.len()), 1.0f64);
        for (part, classes) in choices.iter().enumerate() {
            if !is_open(part) {
                wanted.push(*classes.first()?);
                continue;
            }
            let report = self.part_report(part, role, effort.share(left, all), stop);
            left -= 1;
            let class = |one: &MoveReport| factors.games()[part].class(one.action);
            let best = report.moves.iter().find(|one| classes.contains(&class(one)))?;
            least = least.min(share_of(best, &report));
            wanted.push(class(best));
        }
        let fits = |action: MoveId| {
            wanted.iter().enumerate().all(|(part, &class)| factors.class(part, action) == class)
        };
        let action = legal.iter().copied().find(|&action| fits(action))?;
        Some(Decision { action, reason: Reason::Parts { share: least } })
    }

    /// Whether the parts alone allow exactly these classes; if not, they are not what they seem.
    fn can_all(&mut self, role: RoleId, choices: &[Vec<u32>]) -> bool {
        let Some(factors) = self.factors() else { return false };
        (0..choices.len()).all(|part| {
            let game = &factors.games()[part];
            self.parts[part].go_to(game.state_of(self.search.state()));
            let mut alone: Vec<u32> =
                self.parts[part].legal(role).iter().map(|&action| game.class(action)).collect();
            alone.sort_unstable();
            !factors.is_useful(part) || alone == choices[part]
        })
    }

    /// What the search of a part knows after some thought.
    pub(crate) fn part_report(
        &mut self,
        part: usize,
        role: RoleId,
        effort: Effort,
        stop: &AtomicBool,
    ) -> SearchReport {
        if let Some(factors) = self.factors() {
            let state = factors.games()[part].state_of(self.search.state());
            self.parts[part].go_to(state);
        }
        think(&mut self.parts[part], effort, stop);
        self.parts[part].report(role)
    }
}

/// What can be done in each part.
fn choices(factors: &Factors, legal: &[MoveId]) -> Vec<Vec<u32>> {
    let classes = |part: usize| {
        let mut classes: Vec<u32> =
            legal.iter().map(|&action| factors.class(part, action)).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
    };
    (0..factors.count()).map(classes).collect()
}

/// The share of the descents that went through a move.
pub(crate) fn share_of(one: &MoveReport, report: &SearchReport) -> f64 {
    let visits: u32 = report.moves.iter().map(|one| one.visits).sum();
    f64::from(one.visits) / f64::from(visits.max(1))
}
