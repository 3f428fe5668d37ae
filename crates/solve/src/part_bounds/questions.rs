//! Questions about a part by itself, and their answers.

use std::time::Instant;

use gambol_index::Id;
use gambol_net::{Net, RoleId};
use gambol_sim::{Circuit, CompileOptions};

use super::Parts;
use super::levels::earliest_by_changes;
use super::local::{Purpose, local_net};
use super::rules::{Candidate, ONE, Rule};
use crate::mixed::secured;
use crate::solve::Task;
use crate::{Limits, Observer};

/// What takes too long must leave time for the rest: the share of what is left for one answer.
const SHARE: f64 = 0.7;

/// What is the chance that a role, or all others, brings a part to some kinds (bits) within some steps?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Question {
    pub(super) part: usize,
    pub(super) kinds: u32,
    pub(super) role: RoleId,
    pub(super) others: bool,
    pub(super) limit: Option<usize>,
}

impl Parts {
    /// The last step at which what is reached in a part counts, since no part can have spoilt it; nothing if none ever can.
    pub(super) fn limit(
        &mut self,
        candidate: &Candidate,
        number: usize,
        limits: &Limits,
    ) -> Option<usize> {
        let mut earliest: Option<usize> = None;
        let first = candidate.rule == Rule::FirstReached;
        for other in (0..self.outcomes.places.len()).filter(|&other| first || other != number) {
            let mut spoils = self.outcomes.places[other].ends;
            if candidate.rule != Rule::EachReached {
                spoils &= !candidate.marks.get(other).copied().unwrap_or(0);
            }
            if spoils == 0 {
                continue;
            }
            if let Some(step) = self.earliest(other, spoils, limits) {
                earliest = Some(earliest.map_or(step, |known| known.min(step)));
            }
        }
        // Nothing else may be over at that step either.
        earliest.map(|step| step.saturating_sub(usize::from(first)))
    }

    /// A step before which a part cannot be over in one of some kinds; nothing if it never can.
    fn earliest(&mut self, number: usize, kinds: u32, limits: &Limits) -> Option<usize> {
        let step = self.levels[number].earliest(kinds)?;
        if step < self.levels[number].open.len() {
            return Some(step);
        }
        let part = (number, kinds);
        if let Some(&(_, later)) = self.later.iter().find(|(known, _)| *known == part) {
            return Some(step.max(later));
        }
        let later = earliest_by_changes(&self.net, &mut self.cut, &self.outcomes, part, limits);
        self.later.push((part, later));
        Some(step.max(later))
    }

    /// The first question that is the same but for names.
    pub(super) fn plain(&self, question: Question) -> Question {
        let mut plain = Question { part: self.same_as[question.part], ..question };
        if plain.others && self.net.roles.len() == 2 {
            // Of two roles, all others are the other one.
            plain.role = RoleId::from_index(1 - plain.role.index());
            plain.others = false;
        }
        plain
    }

    /// Bounds for a chance; nothing if it is not found in time.
    pub(super) fn reach(
        &mut self,
        question: Question,
        (limits, observer): (&Limits, &mut dyn Observer),
    ) -> Option<[i128; 2]> {
        if let Some(&known) = self.answers.get(&question) {
            return known;
        }
        let answer = match question.limit {
            Some(limit) => self.reach_within(question, limit, (limits, observer)),
            None => self.reach_ever(question, (limits, observer)),
        };
        self.answers.insert(question, answer);
        answer
    }

    fn reach_within(
        &mut self,
        question: Question,
        limit: usize,
        (limits, observer): (&Limits, &mut dyn Observer),
    ) -> Option<[i128; 2]> {
        let first = match self.earliest(question.part, question.kinds, limits) {
            Some(first) if first <= limit => first,
            _ => return Some([0, 0]),
        };
        // The shorter, the sooner it is known.
        let mut steps = vec![limit];
        if !self.levels[question.part].all {
            steps = vec![first, first + 1, first.midpoint(limit), limit.saturating_sub(1), limit];
            steps.sort_unstable();
            steps.retain(|steps| (first..=limit).contains(steps));
            steps.dedup();
        }
        let (mut least, started) = (None, Instant::now());
        for limit in steps {
            let limits = limits.left(started);
            let sooner = Question { limit: Some(limit), ..question };
            let found = match self.answers.get(&sooner) {
                Some(&known) => known,
                None => self.play(sooner, (&limits, observer)),
            };
            self.answers.insert(sooner, found);
            let Some([found, _]) = found else { break };
            least = Some(found);
        }
        least.map(|least| [least, ONE])
    }

    fn reach_ever(
        &mut self,
        question: Question,
        (limits, observer): (&Limits, &mut dyn Observer),
    ) -> Option<[i128; 2]> {
        let (ends, kinds) = (self.outcomes.places[question.part].ends, question.kinds);
        let context_ends = self.outcomes.places[self.cut.parts.len()].end.is_some();
        let turned = self.net.roles.len() == 2
            && (question.role.index() == 1 && !context_ends)
            && (kinds & !ends == 0 && kinds != ends);
        if !turned {
            return self.play(question, (limits, observer));
        }
        // If only the part itself ends it, who brings it to some ends keeps it from the others.
        let turned = Question { kinds: ends & !kinds, role: RoleId::new(0), ..question };
        let [least, most] = self.reach(turned, (limits, observer))?;
        Some([ONE - most, ONE - least])
    }

    /// Solves the part as a game of its own.
    fn play(
        &mut self,
        Question { part, kinds, role, others, limit }: Question,
        (limits, observer): (&Limits, &mut dyn Observer),
    ) -> Option<[i128; 2]> {
        let purpose = Purpose::Reach { kinds, role, wanted: !others, limit };
        let net = local_net(&self.net, &self.cut, &self.outcomes, part, purpose)?;
        let span = self.solve(&net, role, limits, observer);
        span.map(|[least, most]| if others { [ONE - most, ONE - least] } else { [least, most] })
    }

    /// What a role can secure in a part, within bounds.
    fn solve(
        &mut self,
        net: &Net,
        role: RoleId,
        limits: &Limits,
        observer: &mut dyn Observer,
    ) -> Option<[i128; 2]> {
        let limits = match limits.time {
            Some(time) => limits.within(time.mul_f64(SHARE)),
            None => limits.clone(),
        };
        let circuit = Circuit::compile(net, &CompileOptions::default()).ok()?;
        let mut start = circuit.initial().words().to_vec();
        start.resize(net.fluents.len().div_ceil(64).max(1), 0);
        let task = Task { net, circuit: &circuit, start: &start, options: &self.options };
        let found = secured(&task, role.index(), &limits, observer);
        self.cut_short |= found.is_none();
        let (span, nodes, states) = found?;
        self.nodes += nodes;
        self.states = self.states.max(states);
        Some([span.0.max(0).into(), i128::from(span.1).min(ONE)])
    }
}
