//! What is to be played next: all against all, or up a ladder.
//!
//! On the ladder the first player stands at the top. Each further one begins at the bottom and meets the one above, and
//! goes up as long as it makes more than half of the points.

use crate::records::tournament_plan::Plan;
use crate::tournament::Fixture;
use crate::tournament::results::{Results, comparisons};

/// The next match; `None` if all are played.
pub(crate) fn next(plan: &Plan, results: &Results) -> Option<Fixture> {
    match plan.ladder {
        false => round_robin(plan).find(|fixture| !results.contains_key(fixture)),
        true => climb(plan, results).err(),
    }
}

/// How many matches there are in all; for a ladder that is known only at its end.
pub(crate) fn count(plan: &Plan) -> Option<usize> {
    (!plan.ladder).then(|| round_robin(plan).count())
}

/// Round by round, so that a tournament that is broken off has seen all players about equally often.
fn round_robin(plan: &Plan) -> impl Iterator<Item = Fixture> + '_ {
    let rounds =
        (0..plan.rounds).flat_map(|round| (0..plan.games.len()).map(move |game| (round, game)));
    rounds.flat_map(|(round, game)| {
        let players = plan.players.len();
        let seatings: Vec<Vec<usize>> = match plan.games[game].seats {
            0 => Vec::new(),
            1 => (0..players).map(|one| vec![one]).collect(),
            _ => (0..players)
                .flat_map(|one| (one + 1..players).map(move |other| vec![one, other]))
                .collect(),
        };
        seatings.into_iter().map(move |players| Fixture { game, round, players })
    })
}

/// The ladder from the top as it stands at the end; or the match that is to be played next.
pub(crate) fn climb(plan: &Plan, results: &Results) -> Result<Vec<usize>, Fixture> {
    let mut ladder: Vec<usize> = Vec::new();
    for newcomer in 0..plan.players.len() {
        let mut place = ladder.len();
        while place > 0 && wins(plan, results, newcomer, ladder[place - 1])? {
            place -= 1;
        }
        ladder.insert(place, newcomer);
    }
    Ok(ladder)
}

/// Whether a player makes more than half of the points against another, once all their matches are played.
fn wins(plan: &Plan, results: &Results, one: usize, other: usize) -> Result<bool, Fixture> {
    let pair = [one.min(other), one.max(other)];
    let between = |fixture: &Fixture| fixture.players.iter().all(|player| pair.contains(player));
    if let Some(open) = round_robin(plan).filter(between).find(|one| !results.contains_key(one)) {
        return Err(open);
    }
    let met = comparisons(results).into_iter().filter(|met| [met.one, met.other] == pair);
    let (points, games) =
        met.fold((0.0, 0.0), |(sum, count), met| (sum + met.points(), count + 1.0));
    let points = if one == pair[0] { points } else { games - points };
    Ok(points > games / 2.0)
}

/// Who sits where: two players take turns, and change seats from round to round.
pub(crate) fn seating(fixture: &Fixture, seats: usize) -> Vec<usize> {
    let count = fixture.players.len().max(1);
    (0..seats).map(|seat| fixture.players[(seat + fixture.round as usize) % count]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::records::tournament_plan::{FORMAT, PlannedGame};
    use crate::tournament::results::Played;

    fn plan(players: usize, seats: &[usize], rounds: u32, ladder: bool) -> Plan {
        let game = |&seats: &usize| PlannedGame { name: "g".into(), rules: String::new(), seats };
        Plan {
            format: FORMAT.into(),
            games: seats.iter().map(game).collect(),
            players: (0..players).map(|player| format!("p{player}")).collect(),
            rounds,
            ladder,
            clock: 1.0,
            playouts: None,
            start_clock: 1,
            play_clock: 1,
            seed: 1,
            most_steps: 10,
        }
    }

    /// Plays everything; the player with the higher number in `strengths` wins.
    fn played(plan: &Plan, strengths: &[u32]) -> Results {
        let mut results = Results::new();
        while let Some(fixture) = next(plan, &results) {
            let goal = |&who: &usize| (who, Some(f64::from(strengths[who])));
            let goals: BTreeMap<_, _> = fixture.players.iter().map(goal).collect();
            results.insert(fixture, Played { goals, faults: BTreeMap::new(), steps: 1 });
        }
        results
    }

    #[test]
    fn all_meet_all_in_every_game_and_round() {
        let plan = plan(4, &[2, 3, 1], 2, false);
        let results = played(&plan, &[1, 2, 3, 4]);
        assert_eq!(Some(results.len()), count(&plan));
        assert_eq!(results.len(), 2 * (6 + 6 + 4));
        // Six pairs in three games and two rounds, also where each plays alone.
        assert_eq!(comparisons(&results).len(), 6 * 3 * 2);
    }

    #[test]
    fn on_a_ladder_the_strongest_comes_to_the_top_with_fewer_matches() {
        let plan = plan(5, &[2], 2, true);
        for strengths in [[3, 1, 5, 2, 4], [5, 4, 3, 2, 1], [1, 2, 3, 4, 5]] {
            let results = played(&plan, &strengths);
            let ladder = climb(&plan, &results).expect("all is played");
            let order: Vec<u32> = ladder.iter().map(|&player| strengths[player]).collect();
            assert_eq!(order, [5, 4, 3, 2, 1]);
        }
        assert_eq!(played(&plan, &[5, 4, 3, 2, 1]).len(), 4 * 2);
    }

    #[test]
    fn players_change_seats_from_round_to_round() {
        let fixture = |round| Fixture { game: 0, round, players: vec![4, 7] };
        assert_eq!((seating(&fixture(0), 2), seating(&fixture(1), 2)), (vec![4, 7], vec![7, 4]));
        assert_eq!(seating(&fixture(0), 3), [4, 7, 4]);
    }
}
