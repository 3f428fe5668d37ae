//! Whether two samples can come from the same distribution.

use gambol::net::RoleId;
use gambol::sim::Tally;

/// So many standard deviations are no accident: one in some three million.
const ALARM: f64 = 5.0;

/// What is unlikely about one engine's random games, given the other's; none if all is well.
pub(crate) fn suspicion(ours: &Tally, judge: &Tally) -> Option<String> {
    let lengths = deviation(&ours.lengths, &judge.lengths);
    if lengths > ALARM {
        return Some(format!("the lengths of games differ by {lengths:.1} deviations"));
    }
    // The circuit names every goal of the rules, met or not.
    let mut roles: Vec<RoleId> = ours.goals.iter().map(|goal| goal.role).collect();
    roles.dedup();
    roles.into_iter().find_map(|role| {
        let goals = deviation(&goal_counts(ours, role), &goal_counts(judge, role));
        let suspicious = goals > ALARM;
        suspicious.then(|| format!("the goals of {role:?} differ by {goals:.1} deviations"))
    })
}

/// How often a role got each value.
fn goal_counts(tally: &Tally, role: RoleId) -> Vec<u64> {
    let mut counts = vec![0; 101];
    for goal in tally.goals.iter().filter(|goal| goal.role == role) {
        if let Some(count) = counts.get_mut(goal.value as usize) {
            *count += goal.count;
        }
    }
    counts
}

/// The chi-square statistic of two histograms, as a deviation of the normal distribution.
fn deviation(one: &[u64], other: &[u64]) -> f64 {
    let bins = pooled(one, other);
    let sum = |pick: fn(&(f64, f64)) -> f64| bins.iter().map(pick).sum::<f64>();
    let (ones, others) = (sum(|bin| bin.0), sum(|bin| bin.1));
    let freedom = bins.len() as f64 - 1.0;
    if freedom < 1.0 || ones == 0.0 || others == 0.0 {
        return 0.0;
    }
    let (scale, inverse) = ((others / ones).sqrt(), (ones / others).sqrt());
    let square: f64 = bins.iter().map(|(a, b)| (scale * a - inverse * b).powi(2) / (a + b)).sum();
    // After Wilson and Hilferty: the cube root of a chi-square is almost normal.
    let variance = 2.0 / (9.0 * freedom);
    ((square / freedom).cbrt() - (1.0 - variance)) / variance.sqrt()
}

/// Neighbouring bins put together until each holds enough of both for the statistic to apply.
fn pooled(one: &[u64], other: &[u64]) -> Vec<(f64, f64)> {
    const ENOUGH: f64 = 10.0;
    let ones: f64 = one.iter().sum::<u64>() as f64;
    let others: f64 = other.iter().sum::<u64>() as f64;
    let smaller_part = ones.min(others) / (ones + others).max(1.0);
    let mut bins: Vec<(f64, f64)> = Vec::new();
    let mut bin = (0.0, 0.0);
    for index in 0..one.len().max(other.len()) {
        bin.0 += one.get(index).copied().unwrap_or(0) as f64;
        bin.1 += other.get(index).copied().unwrap_or(0) as f64;
        if (bin.0 + bin.1) * smaller_part >= ENOUGH {
            bins.push(std::mem::take(&mut bin));
        }
    }
    match bins.last_mut() {
        Some(last) => *last = (last.0 + bin.0, last.1 + bin.1),
        None => bins.push(bin),
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_one_distribution_are_not_suspicious() {
        assert!(deviation(&[1000, 2010, 990], &[105, 195, 100]) < 2.0);
        assert_eq!(deviation(&[5000], &[10]), 0.0);
        assert_eq!(deviation(&[], &[10]), 0.0);
    }

    #[test]
    fn a_bias_of_a_few_percent_is_found() {
        assert!(deviation(&[52_000, 48_000], &[5_000, 5_000]) < ALARM);
        assert!(deviation(&[60_000, 40_000], &[5_000, 5_000]) > ALARM);
        assert!(deviation(&[0, 0, 100_000], &[2_000, 0, 0]) > ALARM);
    }
}
