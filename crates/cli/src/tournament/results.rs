//! What came of matches: who got how much, who was at fault, and who came out ahead of whom.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::records::match_record::Head;
use crate::records::tournament_plan::Plan;
use crate::records::trace::{Place, Playout};
use crate::tournament::{Fixture, is_chance};

/// One match.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Played {
    /// By player: the mean goal of its roles; `None` if the match was called off.
    pub(crate) goals: BTreeMap<usize, Option<f64>>,
    /// By player.
    pub(crate) faults: BTreeMap<usize, usize>,
    pub(crate) steps: usize,
}

/// All matches that came to an end.
pub(crate) type Results = BTreeMap<Fixture, Played>;

/// The results that a file holds.
pub(crate) fn results(plan: &Plan, matches: &[(Head, Playout, Place)]) -> Results {
    let ended = matches.iter().filter(|(_, playout, _)| !playout.broken_off);
    ended.filter_map(|(head, playout, _)| result(plan, head, playout)).collect()
}

/// A match of the plan; `None` if it belongs to another.
fn result(plan: &Plan, head: &Head, playout: &Playout) -> Option<(Fixture, Played)> {
    let game = plan.games.iter().position(|game| game.name == head.game)?;
    let (mut sums, mut faults) = (BTreeMap::<usize, Vec<f64>>::new(), BTreeMap::new());
    for (role, player) in head.roles.iter().zip(&head.players) {
        if is_chance(role) {
            continue;
        }
        let player = plan.players.iter().position(|known| known == player)?;
        let goal = playout.end.goals.get(role).copied().flatten().unwrap_or(0);
        sums.entry(player).or_default().push(goal as f64);
        let all = playout.steps.iter().flat_map(|step| &step.faults);
        *faults.entry(player).or_default() += all.filter(|fault| fault.role == *role).count();
    }
    let over = playout.end.terminal == Some(true);
    let mean = |goals: &[f64]| over.then(|| goals.iter().sum::<f64>() / goals.len().max(1) as f64);
    let goals: BTreeMap<_, _> = sums.iter().map(|(&who, own)| (who, mean(own))).collect();
    let fixture = Fixture { game, round: head.round?, players: goals.keys().copied().collect() };
    Some((fixture, Played { goals, faults, steps: playout.steps.len() }))
}

/// Two players who can be compared: the game, and who came out ahead.
pub(crate) struct Comparison {
    pub(crate) game: usize,
    pub(crate) one: usize,
    pub(crate) other: usize,
    /// How the one's goal compares with the other's.
    pub(crate) ordering: Ordering,
}

impl Comparison {
    /// Points of the one.
    pub(crate) fn points(&self) -> f64 {
        match self.ordering {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        }
    }
}

/// Who can be compared with whom: the two players of a match, and in games with one seat those who played the same
/// game in the same round.
pub(crate) fn comparisons(results: &Results) -> Vec<Comparison> {
    let mut found = Vec::new();
    let mut alone: BTreeMap<(usize, u32), Vec<(usize, f64)>> = BTreeMap::new();
    for (fixture, played) in results {
        let goals: Vec<(usize, f64)> =
            played.goals.iter().filter_map(|(&who, goal)| Some((who, (*goal)?))).collect();
        match goals[..] {
            [one, other] => found.push(compared(fixture.game, one, other)),
            [one] => alone.entry((fixture.game, fixture.round)).or_default().push(one),
            _ => {}
        }
    }
    for ((game, _), goals) in alone {
        for (place, &one) in goals.iter().enumerate() {
            found.extend(goals[place + 1..].iter().map(|&other| compared(game, one, other)));
        }
    }
    found
}

fn compared(game: usize, one: (usize, f64), other: (usize, f64)) -> Comparison {
    Comparison { game, one: one.0, other: other.0, ordering: one.1.total_cmp(&other.1) }
}
