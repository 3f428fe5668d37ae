//! Standings: Elo with intervals, points, the cross table, and the results game by game.

use gambol::play::{Encounter, elo};
use serde::Serialize;

use crate::interval::Interval;
use crate::records::tournament_plan::Plan;
use crate::tournament::results::{Results, comparisons};
use crate::tournament::schedule::{climb, count};

/// A tournament as far as it has come.
#[derive(Serialize, Debug)]
pub(crate) struct Standings<'a> {
    pub(crate) games: Vec<&'a str>,
    pub(crate) rounds: u32,
    pub(crate) system: &'static str,
    pub(crate) matches: usize,
    /// How many there are in all; a ladder knows only at its end.
    pub(crate) planned: Option<usize>,
    pub(crate) complete: bool,
    /// The best first.
    pub(crate) players: Vec<Standing<'a>>,
}

/// One player.
#[derive(Serialize, Debug)]
pub(crate) struct Standing<'a> {
    pub(crate) player: &'a str,
    pub(crate) elo: f64,
    /// With 95 % confidence; none without games.
    pub(crate) interval: Option<Interval>,
    /// Comparisons with another player: won, drawn and lost.
    pub(crate) won: usize,
    pub(crate) drawn: usize,
    pub(crate) lost: usize,
    pub(crate) faults: usize,
    /// Points against each player in the order of the standings, and out of how many; none against oneself.
    pub(crate) against: Vec<Option<Points>>,
    /// Points and mean goal in each game.
    pub(crate) by_game: Vec<GamePoints>,
}

impl Standing<'_> {
    pub(crate) fn points(&self) -> f64 {
        self.won as f64 + self.drawn as f64 / 2.0
    }

    pub(crate) fn games(&self) -> usize {
        self.won + self.drawn + self.lost
    }
}

#[derive(Serialize, Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Points {
    pub(crate) points: f64,
    pub(crate) games: f64,
}

#[derive(Serialize, Debug, Clone, Copy, Default)]
pub(crate) struct GamePoints {
    #[serde(flatten)]
    pub(crate) score: Points,
    /// None if no match came to its end.
    pub(crate) mean_goal: Option<f64>,
}

/// The standings after these results.
pub(crate) fn standings<'a>(plan: &'a Plan, results: &Results, complete: bool) -> Standings<'a> {
    let players = plan.players.len();
    let table = Table::of(players, plan.games.len(), results);
    let ratings = elo(players, &table.encounters());
    let mut order: Vec<usize> = (0..players).collect();
    order.sort_by(|&a, &b| ratings[b].elo.total_cmp(&ratings[a].elo));
    if let (true, Ok(ladder)) = (plan.ladder, climb(plan, results)) {
        order = ladder;
    }
    let standing = |&player: &usize| {
        let rating = ratings[player];
        let [won, drawn, lost] = table.outcomes[player];
        Standing {
            player: &plan.players[player],
            elo: rounded(rating.elo),
            interval: rating.margin.map(|margin| Interval {
                least: rounded(rating.elo - margin),
                most: rounded(rating.elo + margin),
            }),
            won,
            drawn,
            lost,
            faults: results.values().filter_map(|played| played.faults.get(&player)).sum(),
            against: order
                .iter()
                .map(|&other| (other != player).then(|| table.cross[player][other]))
                .collect(),
            by_game: (0..plan.games.len())
                .map(|game| GamePoints {
                    score: table.by_game[player][game],
                    mean_goal: mean_goal(results, player, game),
                })
                .collect(),
        }
    };
    Standings {
        games: plan.games.iter().map(|game| &*game.name).collect(),
        rounds: plan.rounds,
        system: if plan.ladder { "ladder" } else { "round robin" },
        matches: results.len(),
        planned: count(plan).or(complete.then_some(results.len())),
        complete,
        players: order.iter().map(standing).collect(),
    }
}

/// To a tenth: more digits mean nothing.
fn rounded(elo: f64) -> f64 {
    (elo * 10.0).round() / 10.0
}

fn mean_goal(results: &Results, player: usize, game: usize) -> Option<f64> {
    let own = results.iter().filter(|(fixture, _)| fixture.game == game);
    let goals: Vec<f64> =
        own.filter_map(|(_, played)| played.goals.get(&player).copied().flatten()).collect();
    (!goals.is_empty()).then(|| goals.iter().sum::<f64>() / goals.len() as f64)
}

/// Sums over all comparisons.
struct Table {
    /// Points of one player against another.
    cross: Vec<Vec<Points>>,
    by_game: Vec<Vec<Points>>,
    /// Won, drawn and lost.
    outcomes: Vec<[usize; 3]>,
}

impl Table {
    fn of(players: usize, games: usize, results: &Results) -> Self {
        let mut table = Self {
            cross: vec![vec![Points::default(); players]; players],
            by_game: vec![vec![Points::default(); games]; players],
            outcomes: vec![[0; 3]; players],
        };
        for met in comparisons(results) {
            table.add(met.one, met.other, met.game, met.points());
            table.add(met.other, met.one, met.game, 1.0 - met.points());
        }
        table
    }

    fn add(&mut self, one: usize, other: usize, game: usize, points: f64) {
        for sum in [&mut self.cross[one][other], &mut self.by_game[one][game]] {
            sum.points += points;
            sum.games += 1.0;
        }
        // A whole point is a win, none a loss.
        self.outcomes[one][2 - (2.0 * points) as usize] += 1;
    }

    fn encounters(&self) -> Vec<Encounter> {
        let rows = self.cross.iter().enumerate();
        let pairs = rows.flat_map(|(one, row)| {
            row.iter().enumerate().skip(one + 1).map(move |(other, sum)| (one, other, sum))
        });
        pairs
            .map(|(one, other, sum)| Encounter { one, other, points: sum.points, games: sum.games })
            .collect()
    }
}
