//! What chances in the parts, each played by itself, are worth in the whole.
//!
//! A player here is a role, or all others together; it wants more of a *payoff*, a whole number for each end. For each part some
//! kinds are *marked*. All rules rise with the player's chances in the parts.

use super::outcome::Outcomes;

/// One, in numbers that are rounded against the player.
pub(super) const ONE: i128 = 1 << 44;

/// How marks in the parts bear on the payoff.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// Marked ends are good, and one is enough.
    AnyReached,
    /// Marked ends are good as long as no part is over in another way, and one is enough.
    FirstReached,
    /// Each marked end adds something.
    EachReached,
    /// Marked kinds are bad, and one is enough.
    NoneReached,
    /// Each marked kind takes something away.
    EachAvoided,
}

impl Rule {
    /// Whether the player wants to come to marked kinds.
    pub(super) fn reaches(self) -> bool {
        matches!(self, Self::AnyReached | Self::FirstReached | Self::EachReached)
    }
}

/// A rule, marks for each part, and what follows from them for the payoff.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) rule: Rule,
    /// For each part the marked kinds, as bits.
    pub(super) marks: Vec<u32>,
    /// The payoff without what the parts add, or take away.
    base: i128,
    /// What all parts together, or each of them, are about.
    stakes: Vec<i128>,
}

impl Candidate {
    /// Nothing if marks say nothing about the payoff.
    pub(super) fn of(
        rule: Rule,
        marks: Vec<u32>,
        outcomes: &Outcomes,
        payoff: impl Fn(&[[u32; 2]]) -> i64,
    ) -> Option<Self> {
        let mut least: Vec<Option<i128>> = vec![None; 1 << marks.len()];
        for (kinds, worth) in outcomes.ends() {
            if rule == Rule::FirstReached && is_spoilt(&kinds, &marks, outcomes) {
                continue;
            }
            let marked = marks.iter().zip(kinds).map(|(mark, kind)| (mark >> kind & 1) as usize);
            let set = marked.rev().fold(0, |set, one| set << 1 | one);
            let found = i128::from(payoff(worth)) * ONE;
            least[set] = Some(least[set].map_or(found, |known| known.min(found)));
        }
        let all = outcomes.ends().map(|(_, worth)| i128::from(payoff(worth)) * ONE);
        let lowest = all.min()?;
        let others =
            || least.iter().enumerate().skip(1).filter_map(|(set, one)| Some((set, (*one)?)));
        let (base, stakes) = match rule {
            Rule::AnyReached | Rule::FirstReached => {
                (lowest, vec![others().map(|(_, one)| one).min()? - lowest])
            }
            Rule::NoneReached => (lowest, vec![least[0]? - lowest]),
            Rule::EachReached => {
                // The gain is shared by the marked parts alike, so that no end is promised too much.
                let share = |part: usize| {
                    let with = others().filter(|(set, _)| set >> part & 1 == 1);
                    let each =
                        |(set, one): (usize, i128)| (one - lowest) / i128::from(set.count_ones());
                    with.map(each).min().unwrap_or(0)
                };
                // Where nothing is marked there is no gain, but no less than the lowest either.
                (lowest, (0..marks.len()).map(share).collect())
            }
            Rule::EachAvoided => {
                let base = least[0]?;
                let loss = |part: usize| {
                    let with = others().filter(|(set, _)| set >> part & 1 == 1);
                    let each = |(set, one): (usize, i128)| {
                        (base - one + i128::from(set.count_ones()) - 1)
                            / i128::from(set.count_ones())
                    };
                    with.map(each).max().unwrap_or(0).max(0)
                };
                (base, (0..marks.len()).map(loss).collect())
            }
        };
        let says_something = stakes.iter().any(|&stake| stake > 0);
        says_something.then_some(Self { rule, marks, base, stakes })
    }

    /// The least payoff on average, if these are the chances in the parts to come to what is marked, or to avoid it.
    pub(super) fn worth(&self, chances: &[i128]) -> i128 {
        let Self { base, stakes, .. } = self;
        match self.rule {
            Rule::AnyReached | Rule::FirstReached => {
                let none = chances.iter().fold(ONE, |all, one| up(all * (ONE - one)));
                base + (stakes[0] * (ONE - none)).div_euclid(ONE)
            }
            Rule::NoneReached => {
                let all = chances.iter().fold(ONE, |all, one| (all * one).div_euclid(ONE));
                base + (stakes[0] * all).div_euclid(ONE)
            }
            Rule::EachReached => {
                let gains =
                    stakes.iter().zip(chances).map(|(stake, one)| (stake * one).div_euclid(ONE));
                base + gains.sum::<i128>()
            }
            Rule::EachAvoided => {
                base - stakes
                    .iter()
                    .zip(chances)
                    .map(|(stake, one)| up(stake * (ONE - one)))
                    .sum::<i128>()
            }
        }
    }

    /// Whether the chance in a part matters.
    pub(super) fn asks(&self, part: usize) -> bool {
        let each = matches!(self.rule, Rule::EachReached | Rule::EachAvoided);
        self.marks[part] != 0 && (!each || self.stakes[part] > 0)
    }

    /// The chance in a part that does not matter.
    pub(super) fn unmarked(&self) -> i128 {
        if self.rule.reaches() { 0 } else { ONE }
    }
}

/// Whether some part, or the context, is over and marked in none of its kinds, though another part is in a marked one.
fn is_spoilt(kinds: &[usize], marks: &[u32], outcomes: &Outcomes) -> bool {
    let marked = |(place, &kind): (usize, &usize)| {
        marks.get(place).is_some_and(|mark| mark >> kind & 1 == 1)
    };
    let spoils = |(place, kind): (usize, &usize)| {
        outcomes.places[place].ends >> kind & 1 == 1 && !marked((place, kind))
    };
    kinds.iter().enumerate().any(marked) && kinds.iter().enumerate().any(spoils)
}

fn up(product: i128) -> i128 {
    -(-product).div_euclid(ONE)
}
