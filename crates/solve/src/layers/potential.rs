//! Potentials: numbers for fluents that add up to one more with every step, whatever is played.
//!
//! With a potential a state tells how many steps led to it, so that it comes up at one step only: discs on a
//! board, pegs that are left, a counter. The numbers are found by elimination from a sample of play, in the
//! field of a prime. That they add up is checked for every state that is coded.

use super::sample::{LATEST, Sample, holds};

/// Numbers are taken modulo this prime; a game of more steps than that has no potential here.
pub(crate) const PRIME: u64 = 65_521;
/// So many states per fluent are used to find the numbers.
const STATES_PER_FLUENT: usize = 8;
/// Then so many that the numbers do not fit, in so many rounds.
const MISFITS: usize = 64;
const ROUNDS: usize = 16;

/// For each fluent a number; `None` if no numbers fit the sample. Those `first` are preferred: others get
/// 0 where they are not needed.
pub(crate) fn potential(sample: &Sample, fluents: usize, first: &[u32]) -> Option<Vec<u16>> {
    if sample.comes_back {
        return None;
    }
    let mut order: Vec<u32> = first.to_vec();
    order.extend((0..fluents as u32).filter(|fluent| !first.contains(fluent)));
    let mut system = System::new(order);
    let stride = (sample.len() / (STATES_PER_FLUENT * fluents).max(1)).max(1);
    // The last states are those that were found out by a run: they count in any case.
    let last = sample.len().saturating_sub(LATEST);
    for place in (0..sample.len()).filter(|&place| place % stride == 0 || place >= last) {
        system.add(sample, place).then_some(())?;
    }
    for _ in 0..ROUNDS {
        let numbers = system.solve(fluents);
        let fits = |place: &usize| {
            sum(&numbers, sample.row(*place), sample.row(0)) == sample.depth(*place) as u64 % PRIME
        };
        let wrong: Vec<usize> =
            (0..sample.len()).filter(|place| !fits(place)).take(MISFITS).collect();
        if wrong.is_empty() {
            return Some(numbers);
        }
        // A fluent that is true in few states may be in none of those that were used.
        wrong.into_iter().all(|place| system.add(sample, place)).then_some(())?;
    }
    None
}

/// What the numbers of a state add up to, less those of another.
fn sum(numbers: &[u16], row: &[u64], start: &[u64]) -> u64 {
    (total(numbers, row) + PRIME - total(numbers, start)) % PRIME
}

/// What the numbers of a state add up to.
pub(crate) fn total(numbers: &[u16], row: &[u64]) -> u64 {
    let numbers = numbers.iter().zip(0..).filter(|&(_, fluent)| holds(row, fluent));
    numbers.map(|(&number, _)| u64::from(number)).sum::<u64>() % PRIME
}

/// Equations in echelon form. Column `c` belongs to fluent `order[c]`, the last column is the right side.
struct System {
    order: Vec<u32>,
    /// Equations with their leading columns, in which they have a 1.
    rows: Vec<(usize, Vec<u64>)>,
}

impl System {
    fn new(order: Vec<u32>) -> Self {
        Self { order, rows: Vec::new() }
    }

    /// Adds that the difference of a state to the start is its step; whether that can be.
    fn add(&mut self, sample: &Sample, place: usize) -> bool {
        let value = |&fluent: &u32| {
            let [now, then] = [place, 0].map(|place| u64::from(sample.holds(place, fluent)));
            (PRIME + now - then) % PRIME
        };
        let mut row: Vec<u64> = self.order.iter().map(value).collect();
        row.push(sample.depth(place) as u64 % PRIME);
        for (lead, known) in &self.rows {
            subtract(&mut row, known, *lead);
        }
        let Some(lead) = row.iter().position(|&number| number != 0) else { return true };
        if lead == self.order.len() {
            return false;
        }
        let inverse = power(row[lead], PRIME - 2);
        row.iter_mut().for_each(|number| *number = *number * inverse % PRIME);
        self.rows.push((lead, row));
        true
    }

    /// A solution, 0 wherever there is a choice.
    fn solve(&mut self, fluents: usize) -> Vec<u16> {
        let right = self.order.len();
        let mut numbers = vec![0; fluents];
        self.rows.sort_by_key(|(lead, _)| std::cmp::Reverse(*lead));
        for (lead, row) in &self.rows {
            let known = (lead + 1..right).map(|column| {
                row[column] * u64::from(numbers[self.order[column] as usize]) % PRIME
            });
            let known = known.sum::<u64>() % PRIME;
            numbers[self.order[*lead] as usize] = ((row[right] + PRIME - known) % PRIME) as u16;
        }
        numbers
    }
}

/// Takes so much of a known equation away that the leading number is gone.
fn subtract(row: &mut [u64], known: &[u64], lead: usize) {
    let factor = PRIME - row[lead];
    if factor == PRIME {
        return;
    }
    for (number, known) in row[lead..].iter_mut().zip(&known[lead..]) {
        *number = (*number + factor * known) % PRIME;
    }
}

fn power(base: u64, exponent: u64) -> u64 {
    let square = |base: u64| base * base % PRIME;
    match exponent {
        0 => 1,
        _ if exponent % 2 == 1 => base * power(square(base), exponent / 2) % PRIME,
        _ => power(square(base), exponent / 2),
    }
}
