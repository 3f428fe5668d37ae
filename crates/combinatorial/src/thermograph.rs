//! Thermographs: what a game is worth to both players if each move costs a tax.
//!
//! At a tax t the *left wall* is the number the game comes to when Left begins: the best right wall of a
//! left option, less t; the *right wall* is the same for Right. Where the two meet a move no longer pays:
//! that t is the *temperature* of the game, the number there its *mean*, and from there on both walls
//! stay at the mean. Without a tax the walls are the stops. With the tax the left wall never rises, and it
//! falls no faster than the tax grows; the right wall never falls, and rises no faster.
//!
//! Taxed games are games again, and a tax on a sum is a tax on each part, so what holds for stops holds for
//! walls: the left wall of a sum is at most the sum of the left walls, and at least the left wall of one
//! part and the right walls of the others.

use crate::number::Number;
use crate::players::{LEFT, RIGHT};

/// A number for each tax from 0 on: linear between corners, the last one stays. It rises or falls as the
/// tax does, or stays.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Wall(Vec<Corner>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Corner {
    tax: Number,
    value: Number,
}

impl Wall {
    /// The value at a tax.
    fn at(&self, tax: Number) -> Number {
        let after = self.0.partition_point(|corner| corner.tax <= tax);
        let from = self.0[after - 1];
        match self.0.get(after) {
            Some(to) if to.value > from.value => from.value + (tax - from.tax),
            Some(to) if to.value < from.value => from.value - (tax - from.tax),
            _ => from.value,
        }
    }

    /// The better of two walls for a player.
    fn better(&self, other: &Self, player: usize) -> Self {
        let pick = |one: Number, other: Number| match player {
            LEFT => one.max(other),
            _ => one.min(other),
        };
        let mut corners: Vec<Corner> = Vec::new();
        let taxes = merged(self, other);
        for (place, &tax) in taxes.iter().enumerate() {
            let [one, two] = [self, other].map(|wall| wall.at(tax));
            corners.push(Corner { tax, value: pick(one, two) });
            // Between two corners the walls can cross once, one of them level.
            let Some(&next) = taxes.get(place + 1) else { break };
            let [one_next, two_next] = [self, other].map(|wall| wall.at(next));
            if (one < two && one_next > two_next) || (one > two && one_next < two_next) {
                let level = if one == one_next { one } else { two };
                let moving = if one == one_next { two } else { one };
                let tax = tax + if moving < level { level - moving } else { moving - level };
                corners.push(Corner { tax, value: level });
            }
        }
        Self(corners)
    }
}

/// The taxes at which two walls have corners.
fn merged(one: &Wall, other: &Wall) -> Vec<Number> {
    let mut taxes: Vec<Number> = one.0.iter().chain(&other.0).map(|corner| corner.tax).collect();
    taxes.sort_unstable();
    taxes.dedup();
    taxes
}

/// The walls of a game, with its mean and temperature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thermograph {
    walls: [Wall; 2],
    /// What the game is worth on average.
    pub mean: Number,
    /// From which tax on a move no longer pays.
    pub temperature: Number,
}

impl Thermograph {
    /// That of a number: a mast.
    pub fn of_number(number: Number) -> Self {
        let mast = Wall(vec![Corner { tax: Number::ZERO, value: number }]);
        Self { walls: [mast.clone(), mast], mean: number, temperature: Number::ZERO }
    }

    /// That of a game that is no number, from those of its options. None if it is too fine.
    pub fn of_options(options: [Vec<&Self>; 2]) -> Option<Self> {
        let [left, right] = options;
        let best = |options: Vec<&Self>, player: usize| {
            let mut walls = options.into_iter().map(|option| &option.walls[1 - player]);
            let first = walls.next()?.clone();
            Some(walls.fold(first, |best, wall| best.better(wall, player)))
        };
        Self::below_mast(&best(left, LEFT)?, &best(right, RIGHT)?)
    }

    /// The walls from what the players can come to before the tax, up to where they meet.
    fn below_mast(left: &Wall, right: &Wall) -> Option<Self> {
        let taxed = |tax: Number| [left.at(tax) - tax, right.at(tax) + tax];
        let mut corners: [Vec<Corner>; 2] = Default::default();
        let taxes = merged(left, right);
        let mut meeting = None;
        for (place, &tax) in taxes.iter().enumerate() {
            let [high, low] = taxed(tax);
            if high <= low {
                meeting = Some(tax);
                break;
            }
            corners[LEFT].push(Corner { tax, value: high });
            corners[RIGHT].push(Corner { tax, value: low });
            // Behind the last corner both come nearer, so they have met at this distance.
            let gap = high - low;
            let [high_next, low_next] = taxed(taxes.get(place + 1).copied().unwrap_or(tax + gap));
            if high_next < low_next {
                let both = high_next < high && low_next > low;
                let way = if both { Number::between(Number::ZERO, gap)? } else { gap };
                meeting = Some(tax + way);
                break;
            }
        }
        let temperature = meeting?;
        let mean = taxed(temperature)[LEFT];
        let walls = corners.map(|mut corners| {
            corners.retain(|corner| corner.tax < temperature);
            corners.push(Corner { tax: temperature, value: mean });
            Wall(corners)
        });
        Some(Self { walls, mean, temperature })
    }

    /// The numbers the game comes to at a tax, Left or Right going first.
    pub fn at(&self, tax: Number) -> [Number; 2] {
        [LEFT, RIGHT].map(|player| self.walls[player].at(tax))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, board, plus, random_forms, table};

    fn check_board(width: usize, height: usize, mean: &str, temperature: &str) {
        let forms = &mut table();
        let form = board(forms, width, height);
        let thermograph = &forms.get(form).thermograph;
        assert_eq!(thermograph.mean.to_string(), mean, "{width} {height}");
        assert_eq!(thermograph.temperature.to_string(), temperature, "{width} {height}");
    }

    #[test]
    fn a_switch_is_as_hot_as_half_of_what_it_decides() {
        check_board(2, 2, "0", "1");
        check_board(3, 2, "3/4", "5/4");
        check_board(2, 3, "-3/4", "5/4");
        check_board(5, 1, "-2", "0");
    }

    #[test]
    fn means_add_up_and_a_sum_is_no_hotter_than_its_parts() {
        for seed in 0..60 {
            let (forms, random) = (&mut table(), &mut Random(seed));
            let found = random_forms(forms, random);
            let parts = [0; 2].map(|_| found[random.below(found.len())]);
            let sum = plus(forms, parts[0], parts[1]);
            let [one, other, sum] = [parts[0], parts[1], sum].map(|form| forms.get(form));
            let [a, b, whole] = [one, other, sum].map(|form| &form.thermograph);
            assert_eq!(whole.mean, a.mean + b.mean, "{seed}");
            assert!(whole.temperature <= a.temperature.max(b.temperature), "{seed}");
            assert!(sum.stops[LEFT] <= one.stops[LEFT] + other.stops[LEFT], "{seed}");
            assert!(sum.stops[LEFT] >= one.stops[LEFT] + other.stops[RIGHT], "{seed}");
            assert!(sum.stops[RIGHT] >= one.stops[RIGHT] + other.stops[RIGHT], "{seed}");
            assert!(whole.mean <= sum.stops[LEFT], "{seed}");
            assert!(sum.stops[LEFT] <= whole.mean + whole.temperature, "{seed}");
        }
    }
}
