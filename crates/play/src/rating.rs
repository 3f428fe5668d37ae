//! Elo ratings: strengths that make the results of games likely.
//!
//! The model is Bradley and Terry's: a player 400 points ahead of another expects ten points for each one of the
//! other's. Ratings are the maximum of the likelihood, a drawn game counting as half a won one, with the mean of all
//! ratings at zero. Every two players who met get one additional draw, so that nobody who won every game is
//! infinitely strong. Intervals are those of the normal approximation at the maximum.

/// The games of two players against each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Encounter {
    /// One.
    pub one: usize,
    /// The other.
    pub other: usize,
    /// Points of the one: games won, and half the drawn ones.
    pub points: f64,
    /// How many games.
    pub games: f64,
}

/// How strong a player is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The rating; the mean of all players is zero.
    pub elo: f64,
    /// Half the width of its 95 % interval; none for a player without games.
    pub margin: Option<f64>,
}

/// Points of rating for each unit of the logistic scale.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;
/// Drawn games added to each encounter.
const PRIOR: f64 = 1.0;
const ROUNDS: usize = 200;
const Z: f64 = 1.959_964;

/// Rates players by their encounters.
pub fn elo(players: usize, encounters: &[Encounter]) -> Vec<Rating> {
    let known = |one: &&Encounter| {
        one.games > 0.0 && one.one < players && one.other < players && one.one != one.other
    };
    let encounters: Vec<Encounter> = encounters.iter().filter(known).copied().collect();
    let mut strengths = vec![0.0; players];
    for _ in 0..ROUNDS {
        let (slope, information) = derivatives(&strengths, &encounters);
        let steps = solved(&information, &slope);
        // Newton's steps are cut: far from the maximum they leap too far.
        strengths.iter_mut().zip(&steps).for_each(|(one, step)| *one += step.clamp(-1.0, 1.0));
        if steps.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    let (_, information) = derivatives(&strengths, &encounters);
    let met = |player: usize| encounters.iter().any(|e| e.one == player || e.other == player);
    let margin = |player: usize| {
        let variance = variance(&information, player);
        (met(player)).then(|| Z * variance.max(0.0).sqrt() * SCALE)
    };
    let rating = |player: usize| Rating { elo: strengths[player] * SCALE, margin: margin(player) };
    (0..players).map(rating).collect()
}

/// The slope of the log-likelihood, and its curvature with the sign turned. The mean of all strengths is held at
/// zero by a term that makes the curvature regular.
fn derivatives(strengths: &[f64], encounters: &[Encounter]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let count = strengths.len();
    let mean: f64 = strengths.iter().sum::<f64>() / count.max(1) as f64;
    let mut slope = vec![-mean; count];
    let mut information = vec![vec![1.0 / count.max(1) as f64; count]; count];
    for &Encounter { one, other, points, games } in encounters {
        let games = games + PRIOR;
        let expected = 1.0 / (1.0 + (strengths[other] - strengths[one]).exp());
        let surplus = points + PRIOR / 2.0 - games * expected;
        let weight = games * expected * (1.0 - expected);
        slope[one] += surplus;
        slope[other] -= surplus;
        information[one][one] += weight;
        information[other][other] += weight;
        information[one][other] -= weight;
        information[other][one] -= weight;
    }
    (slope, information)
}

/// How uncertain a strength is, relative to the mean of all.
fn variance(information: &[Vec<f64>], player: usize) -> f64 {
    let count = information.len() as f64;
    let share = |other: usize| f64::from(u8::from(other == player)) - 1.0 / count;
    let deviation: Vec<f64> = (0..information.len()).map(share).collect();
    let covered = solved(information, &deviation);
    covered.iter().zip(&deviation).map(|(a, b)| a * b).sum()
}

/// The solution of linear equations, by elimination; what is not determined is zero.
fn solved(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let count = right.len();
    let mut rows: Vec<Vec<f64>> =
        matrix.iter().zip(right).map(|(row, &value)| [row.as_slice(), &[value]].concat()).collect();
    for column in 0..count {
        let largest =
            |&a: &usize, &b: &usize| rows[a][column].abs().total_cmp(&rows[b][column].abs());
        let Some(pivot) = (column..count).max_by(largest) else { continue };
        rows.swap(column, pivot);
        if rows[column][column].abs() < 1e-12 {
            continue;
        }
        let pivot = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(place, _)| *place != column) {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(&pivot).for_each(|(value, above)| *value -= factor * above);
        }
    }
    let value = |place: usize| match rows[place][place] {
        pivot if pivot.abs() < 1e-12 => 0.0,
        pivot => rows[place][count] / pivot,
    };
    (0..count).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(one: usize, other: usize, points: f64, games: f64) -> Encounter {
        Encounter { one, other, points, games }
    }

    #[test]
    fn ten_to_one_is_four_hundred_points_once_games_are_many() {
        let ratings = elo(2, &[met(0, 1, 10_000.0, 11_000.0)]);
        let ahead = ratings[0].elo - ratings[1].elo;
        assert!((ahead - 400.0).abs() < 1.0, "{ahead}");
        assert!((ratings[0].elo + ratings[1].elo).abs() < 1e-6);
        assert!(ratings[0].margin.is_some_and(|margin| margin < 10.0));
    }

    #[test]
    fn who_wins_everything_is_strong_and_not_infinitely_so() {
        let few = elo(2, &[met(0, 1, 4.0, 4.0)]);
        let many = elo(2, &[met(0, 1, 40.0, 40.0)]);
        assert!(few[0].elo > 100.0 && few[0].elo < many[0].elo && many[0].elo.is_finite());
    }

    #[test]
    fn strength_is_passed_on_through_those_in_between() {
        let ratings = elo(3, &[met(0, 1, 30.0, 40.0), met(1, 2, 30.0, 40.0)]);
        assert!(ratings[0].elo > ratings[1].elo && ratings[1].elo > ratings[2].elo);
        assert!(ratings[1].margin < ratings[0].margin, "the one in the middle played more");
    }

    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        // Two equal players, 40 games: the share of 400 tournaments whose interval holds the truth.
        let mut random = 88_172_645_463_325_252_u64;
        let mut flip = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            f64::from(u8::from(random >> 63 == 1))
        };
        let holds = |points: f64| {
            let ratings = elo(2, &[met(0, 1, points, 40.0)]);
            ratings[0].margin.is_some_and(|margin| ratings[0].elo.abs() <= margin)
        };
        let held = (0..400).filter(|_| holds((0..40).map(|_| flip()).sum())).count();
        assert!((370..=396).contains(&held), "{held} of 400");
    }

    #[test]
    fn without_games_nothing_is_known() {
        let ratings = elo(3, &[met(0, 1, 1.0, 2.0)]);
        assert_eq!((ratings[2].elo, ratings[2].margin), (0.0, None));
        assert!(elo(0, &[]).is_empty());
    }
}
