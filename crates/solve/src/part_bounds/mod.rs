//! Bounds by parts, where players choose in all parts at the same time and any part's end ends all.
//!
//! The parts are those of a free [`cut`](cut::cut): a joint move is any combination of what each player does in each
//! part. The game is over as soon as one part is, or the context. Nothing exact follows from the parts alone, but bounds do. Let a
//! *player* be a role, or all other roles together, and let it play each part by itself, mixing independently of
//! the other parts. Then whatever the other side does, and however it ties its moves in different parts to one another, the parts are
//! independent as long as that is fixed, so the expectation of a product is the product of expectations.
//!
//! *Any is enough.* Let b be kinds of ends, and let the payoff be at least g at an end at which some part is in b, and at least g0 at all ends. Let L(i) be
//! the first step at which another part, or the context, can be over without being in b, and v(i, s, t) the chance the player can secure in
//! part i, in state s after t steps, of being in b at some step up to L(i). Played like that, the product of 1 - v(i) does not rise on
//! average. At an end without any b some part j, or the context, is over and not in b. Then v(j) is 0, and so are all others, because
//! L(i) has come and part i is not in b: the product is 1. So the chance of an end without b is at most the product at the start, and the payoff is at least
//! g0 + (g - g0) (1 - (1 - v(1)) ... (1 - v(n))).
//!
//! *The first is enough.* Let the payoff be at least g at an end at which some part is in b and all others are in b or go on, and let L be the first step
//! at which any part, or the context, can be over without being in b. With v(i) the chance of being in b at some step before L the same holds: at an end
//! before L every part that is over is in b, and if play comes to step L no part was in b before, so that all v(i) are 0.
//!
//! *Each adds.* Let the payoff be at least c and d(i) for each part in b at the end. With L(i) the first step at which another part, or the context, can be over at all, nothing
//! cuts part i short before it is in b or has failed. So it is at least c + d(1) v(1) + ... + d(n) v(n).
//!
//! *None may be.* Let a be any kinds, and the payoff at least g at an end without any a. Let w(i) be the chance the player can secure of keeping part i out of a
//! until it is over. The product of the w(i) does not fall on average, and is 0 where some part is in a. So the payoff is at least g0 + (g - g0) w(1) ... w(n).
//!
//! *Each takes away.* If the payoff is at least c less d(i) for each part in a at the end: at least c - d(1) (1 - w(1)) - ... - d(n) (1 - w(n)).
//!
//! The same rules for all others together, whose payoff is the role's with the sign turned, bound the role from above. Every play must come to an end, and nobody may be stuck before.

mod copy;
mod cut;
mod levels;
mod local;
mod outcome;
mod questions;
mod rules;

use std::time::{Duration, Instant};

use gambol_analysis::{Answer, Budget, Encoding};
use gambol_index::Id;
use gambol_net::{Net, RoleId};
use rustc_hash::FxHashMap;

use self::cut::{Cut, cut};
use self::levels::Levels;
use self::local::{Purpose, local_net, same_shape};
use self::outcome::Outcomes;
use self::questions::Question;
use self::rules::{Candidate, ONE, Rule};
use crate::factored::{Supports, from_here};
use crate::limits::Meter;
use crate::mixed::{Ends, Latched, always_ends};
use crate::solve::Task;
use crate::unfolded::unfolded;
use crate::{
    Bounds, Fraction, Limits, Meaning, Method, Observer, Solution, SolveOptions, Unfinished,
};

/// The most parts.
const MOST_PARTS: usize = 6;
/// The most ways to mark the kinds of all parts.
const MOST_MARKS: usize = 1 << 12;
/// Effort for a question about all states, and the time for it.
const EFFORT: u64 = 50_000;
const LONGEST: Duration = Duration::from_secs(2);
/// More states than these are not solved as a whole.
const MANY_STATES: u128 = 100_000_000;

/// A game whose parts are known, and what is known of them.
pub(crate) struct Parts {
    net: Net,
    cut: Cut,
    outcomes: Outcomes,
    levels: Vec<Levels>,
    /// For each part the first that is the same but for names.
    same_as: Vec<usize>,
    /// For parts and kinds a step before which the part cannot be in them.
    later: Vec<((usize, u32), usize)>,
    /// Answers given before; nothing where one was not found in time.
    answers: FxHashMap<Question, Option<[i128; 2]>>,
    /// Whether an answer was not found.
    cut_short: bool,
    options: SolveOptions,
    nodes: u64,
    states: u64,
}

/// A bound from below for a payoff.
struct Proved {
    bound: i128,
    /// What it rests on, if that is more than the goals there are.
    basis: Option<Basis>,
}

/// A rule and the chances it is used with.
struct Basis {
    candidate: Candidate,
    chances: Vec<i128>,
}

impl Parts {
    /// The parts of a game; nothing if it has none that bounds follow from.
    pub(crate) fn of(task: &Task<'_>, limits: &Limits) -> Option<Self> {
        if task.net.roles.len() < 2 {
            return None;
        }
        let mut net = from_here(task);
        if !net.cycles.is_empty() {
            net = unfolded(&net).filter(|net| net.cycles.is_empty())?;
        }
        let supports = Supports::of(&net)?;
        let cut = cut(&net, &supports).filter(|cut| cut.parts.len() <= MOST_PARTS)?;
        let outcomes = Outcomes::of(&net, &supports, &cut, limits)?;
        let counting = outcomes.places[..cut.parts.len()].iter().filter(|place| place.counts());
        if counting.count() < 2 {
            return None;
        }
        let meter = Meter::start(limits);
        let mut levels: Vec<Levels> = Vec::new();
        let (mut same_as, mut nets): (Vec<usize>, Vec<Net>) = (Vec::new(), Vec::new());
        for number in 0..=cut.parts.len() {
            let part = local_net(&net, &cut, &outcomes, number, Purpose::Kinds)?;
            let ends = |part: usize| outcomes.places[part].ends;
            let same = (0..number)
                .find(|&same| ends(same) == ends(number) && same_shape(&nets[same], &part));
            levels.push(match same {
                Some(same) => levels[same].clone(),
                None => Levels::of(&part, &meter)?,
            });
            same_as.push(same.unwrap_or(number));
            nets.push(part);
        }
        let ends = levels.iter().any(|levels| levels.all) || {
            let latched = Latched::of(&Task { net: &net, ..*task }, limits);
            always_ends(&net, &latched)
        };
        let mut options = task.options.clone();
        options.at = None;
        (ends && nobody_is_stuck(&net, limits)).then_some(Self {
            net,
            cut,
            outcomes,
            levels,
            same_as,
            later: Vec::new(),
            answers: FxHashMap::default(),
            cut_short: false,
            options,
            nodes: 0,
            states: 0,
        })
    }

    /// The parts that count have at least so many states together.
    pub(crate) fn least_states(&self) -> u128 {
        let places = self.outcomes.places[..self.cut.parts.len()].iter().zip(&self.levels);
        let parts = || places.clone().filter(|(place, _)| place.counts()).map(|(_, levels)| levels);
        let steps = parts().map(|levels| levels.open.len()).min().unwrap_or(0);
        let at = |step: usize| {
            parts().map(|levels| levels.open[step] as u128).fold(1, u128::saturating_mul)
        };
        (0..steps).map(at).max().unwrap_or(1)
    }

    /// Whether there are too many states to solve the game as a whole.
    pub(crate) fn are_many(&self) -> bool {
        self.least_states() > MANY_STATES
    }

    /// What follows for the whole from the parts.
    pub(crate) fn bounds(&mut self, limits: &Limits, observer: &mut dyn Observer) -> Solution {
        let started = Instant::now();
        let ends = Ends::of(&self.net, limits);
        let mut known: Vec<[Proved; 2]> = Vec::new();
        for role in self.net.roles.ids() {
            let [least, most] = self.range(role);
            known.push([least, -most].map(|bound| Proved { bound, basis: None }));
        }
        // What is to be avoided knows no limit of steps, and there are fewer such questions.
        let avoiding: &[Rule] = &[Rule::NoneReached, Rule::EachAvoided];
        let reaching: &[Rule] = &[Rule::AnyReached, Rule::FirstReached, Rule::EachReached];
        for rules in [avoiding, reaching] {
            for role in self.net.roles.ids() {
                for others in [false, true] {
                    let known = &mut known[role.index()][usize::from(others)];
                    let limits = limits.left(started);
                    self.improve((role, others), rules, known, (&limits, observer));
                }
            }
        }
        let (mut values, mut notes) = (Vec::new(), Vec::new());
        for (role, sides) in self.net.roles.ids().zip(&known) {
            for (others, proved) in [false, true].into_iter().zip(sides) {
                notes.extend(self.why(role, others, proved));
            }
            let fraction = |value| Fraction::new(value, ONE).unwrap_or(Fraction::ZERO);
            let [least, most] = sides;
            values.push(Bounds { least: fraction(least.bound), most: fraction(-most.bound) });
        }
        if let (Some(sum), [one, other]) = (ends.sum, &mut values[..]) {
            together(one, other, sum.into());
        }
        let settled = values.iter().all(Bounds::is_settled);
        if !settled {
            notes.push(self.refusal());
        }
        Solution {
            values,
            meaning: if ends.sum.is_some() { Meaning::Opposed } else { Meaning::Secured },
            line: Vec::new(),
            shortest: false,
            method: Method::Factored,
            nodes: self.nodes,
            states: self.states,
            unfinished: (!settled).then_some(Unfinished::States),
            notes,
        }
    }

    /// The least and the greatest goal of a role at any end.
    fn range(&self, role: RoleId) -> [i128; 2] {
        let all = || self.outcomes.ends().map(|(_, worth)| worth[role.index()]);
        let least = all().map(|[least, _]| least).min().unwrap_or(0);
        let most = all().map(|[_, most]| most).max().unwrap_or(0);
        [i128::from(least) * ONE, i128::from(most) * ONE]
    }

    /// Why there are only bounds.
    fn refusal(&self) -> String {
        let (parts, states) = (self.cut.parts.len(), self.least_states());
        let why = match self.are_many() {
            true => format!(", more than {MANY_STATES} are not solved as a whole"),
            false => String::new(),
        };
        let short = match self.cut_short {
            true => "; with more time the bounds could be narrower",
            false => "",
        };
        format!(
            "no exact value: {parts} parts are played at the same time and any of them ends the game; together \
             they have at least {states} states{why}{short}"
        )
    }

    /// Improves what is proved of what a role gets at least; or of what it loses at least if all others play against it.
    fn improve(
        &mut self,
        (role, others): (RoleId, bool),
        rules: &[Rule],
        known: &mut Proved,
        (limits, observer): (&Limits, &mut dyn Observer),
    ) {
        let started = Instant::now();
        let payoff = |worth: &[[u32; 2]]| match (worth[role.index()], others) {
            ([least, _], false) => i64::from(least),
            ([_, most], true) => -i64::from(most),
        };
        let mut candidates: Vec<(i128, Candidate)> = Vec::new();
        for &rule in rules {
            for marks in self.marks(rule) {
                if let Some(found) = Candidate::of(rule, marks, &self.outcomes, payoff) {
                    candidates.push((found.worth(&vec![ONE; self.cut.parts.len()]), found));
                }
            }
        }
        candidates.sort_by_key(|(hope, candidate)| {
            (-*hope, candidate.marks.iter().map(|marks| marks.count_ones()).sum::<u32>())
        });
        for (hope, candidate) in candidates {
            if hope <= known.bound {
                break;
            }
            let limits = limits.left(started);
            let player = (role, others);
            let chances = self.chances(&candidate, player, known.bound, (&limits, observer));
            if let Some(chances) = chances {
                let bound = candidate.worth(&chances);
                *known = Proved { bound, basis: Some(Basis { candidate, chances }) };
            }
        }
    }

    /// All ways to mark kinds of all parts.
    fn marks(&self, rule: Rule) -> Vec<Vec<u32>> {
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for place in &self.outcomes.places[..self.cut.parts.len()] {
            let every = (1u32 << place.kinds.len()) - 1;
            let of = if rule.reaches() { place.ends } else { every };
            let single =
                |marks: &u32| marks.count_ones() <= 1 || (every & !marks).count_ones() <= 1;
            let subsets: Vec<u32> = (0..=every).filter(|marks| marks & !of == 0).collect();
            let fits = all.len() * subsets.len() <= MOST_MARKS;
            let chosen = subsets.iter().filter(|marks| fits || single(marks));
            let longer = |so_far: &Vec<u32>| {
                chosen.clone().map(|&marks| [&so_far[..], &[marks]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
            if all.len() > MOST_MARKS * 4 {
                return Vec::new();
            }
        }
        all
    }

    /// The chances of a player in all parts, if they make more than is known already.
    fn chances(
        &mut self,
        candidate: &Candidate,
        (role, others): (RoleId, bool),
        known: i128,
        (limits, observer): (&Limits, &mut dyn Observer),
    ) -> Option<Vec<i128>> {
        let mut chances = vec![ONE; candidate.marks.len()];
        let mut asked = Vec::new();
        for (number, chance) in chances.iter_mut().enumerate() {
            if !candidate.asks(number) {
                *chance = candidate.unmarked();
                continue;
            }
            let reaches = candidate.rule.reaches();
            let limit = reaches.then(|| self.limit(candidate, number, limits)).flatten();
            // What one side keeps a part from, the other cannot bring it to.
            let (part, kinds, others) = (number, candidate.marks[number], others == reaches);
            asked.push((number, self.plain(Question { part, kinds, role, others, limit })));
        }
        // What is known already may do to see that the rest is of no use.
        asked.sort_by_key(|(_, question)| !self.answers.contains_key(question));
        for (number, question) in asked {
            if candidate.worth(&chances) <= known {
                return None;
            }
            let [least, most] = self.reach(question, (limits, observer))?;
            chances[number] = if candidate.rule.reaches() { least } else { ONE - most };
        }
        (candidate.worth(&chances) > known).then_some(chances)
    }

    /// A bound and its reason, in words.
    fn why(&self, role: RoleId, others: bool, proved: &Proved) -> Option<String> {
        let bound = proved.bound;
        let Basis { candidate, chances } = proved.basis.as_ref()?;
        let number = |value: i128| value as f64 / ONE as f64;
        let parts = chances.iter().enumerate().filter(|(part, _)| candidate.asks(*part));
        let chances: Vec<String> = parts.map(|(_, &one)| format!("{:.6}", number(one))).collect();
        // Rounded so that it stays a bound.
        let (side, bound) = match others {
            false => ("at least", (number(bound) * 1e6).floor() / 1e6),
            true => ("at most", (number(-bound) * 1e6).ceil() / 1e6),
        };
        let name = &self.net.roles[role];
        let (who, them) = if others { ("the others", "them") } else { (&**name, "it") };
        let what = match candidate.rule {
            Rule::AnyReached => format!("can come to what is enough for {them} in any one part"),
            Rule::FirstReached => format!(
                "can come to what is enough for {them} in any one part before any is over otherwise"
            ),
            Rule::EachReached => format!("can come to what counts for {them} in each part"),
            Rule::NoneReached => format!("can keep all parts from what spoils it for {them}"),
            Rule::EachAvoided => format!("can keep each part from what counts against {them}"),
        };
        let chances = chances.join(" and ");
        Some(format!("{name} {side} {bound:.6}: {who} {what}, with chances {chances}"))
    }
}

/// What two roles get adds up to a sum, so that a bound for one is one for the other.
fn together(one: &mut Bounds, other: &mut Bounds, sum: Fraction) {
    let rest = |value| sum.minus(value);
    let first = *one;
    if let (Some(least), Some(most)) = (rest(other.most), rest(other.least)) {
        *one = Bounds { least: one.least.max(least), most: one.most.min(most) };
    }
    if let (Some(least), Some(most)) = (rest(first.most), rest(first.least)) {
        *other = Bounds { least: other.least.max(least), most: other.most.min(most) };
    }
}

/// Whether in every state in which the game goes on each role has a move.
fn nobody_is_stuck(net: &Net, limits: &Limits) -> bool {
    let time = limits.time.map_or(LONGEST, |time| time.min(LONGEST));
    let mut encoding = Encoding::new(net, &Budget { time: Some(time), stop: limits.stop.clone() });
    let state = encoding.state();
    let over = encoding.gate(state, net.terminal);
    net.roles.ids().all(|role| {
        let mut stuck = vec![!over];
        for action in net.moves_of(role).map(gambol_net::MoveId::new) {
            stuck.push(!encoding.gate(state, net.legal[action]));
        }
        encoding.solve(&stuck, EFFORT) == Answer::NoModel
    })
}

#[cfg(test)]
mod tests;
