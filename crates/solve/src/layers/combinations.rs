//! Groups that restrict one another, and the combinations of values that occur.
//!
//! A column of connect four has few fillings among all combinations of its cells. Two values count as
//! impossible together if they never came up in the sample although chance would have given them [`EXPECTED`]
//! times. Groups are put together where that saves bits; the combinations without an impossible pair get
//! codes. A state that has none is found out when it is coded.

use super::groups::{Group, bits_for};
use super::sample::{LATEST, Sample};

/// A pair of values that chance would give so often, and never came up, counts as impossible.
const EXPECTED: usize = 50;
/// Bits of all values of the groups that are coded together.
const WIDEST: u32 = 16;
/// So many combinations have codes at most.
pub(crate) const MOST: usize = 1 << 12;
/// Groups whose combinations are all possible share a table of this width.
const SHARED: u32 = 10;
/// Effort to count pairs, and to put groups together.
const PAIR_WORK: usize = 30_000_000;
const UNION_WORK: usize = 4_000_000;

/// Groups that are coded together, with the combinations of their values that have a code. The value of the
/// first group stands in the lowest bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Combined {
    pub(crate) groups: Vec<Group>,
    pub(crate) rows: Vec<u32>,
}

/// Every group by itself, all values possible.
pub(crate) fn each_alone(groups: &[Group]) -> Vec<Combined> {
    let values = |group: &Group| (0..group.values() as u32).collect();
    let alone =
        groups.iter().map(|group| Combined { groups: vec![group.clone()], rows: values(group) });
    shared(alone.collect())
}

/// Groups put together as a sample suggests.
pub(crate) fn combined(groups: &[Group], sample: &Sample) -> Vec<Combined> {
    let pairs = Pairs::of(groups, sample);
    let mut unions: Vec<Vec<usize>> = (0..groups.len()).map(|group| vec![group]).collect();
    let mut of: Vec<usize> = (0..groups.len()).collect();
    let mut work = 0;
    for (one, other) in pairs.most_restricted_first() {
        let (one, other) = (of[one], of[other]);
        if one == other || work > UNION_WORK {
            continue;
        }
        let together: Vec<usize> = unions[one].iter().chain(&unions[other]).copied().collect();
        let mut count = |members: &[usize]| {
            let found = pairs.combinations(groups, members, &mut work);
            found.map(|rows| bits_for(rows.len()))
        };
        let counts = [count(&unions[one]), count(&unions[other]), count(&together)];
        let [Some(alone), Some(apart), Some(both)] = counts else { continue };
        if both <= alone + apart {
            together.iter().for_each(|&group| of[group] = one);
            unions[one] = together;
            unions[other].clear();
        }
    }
    let unions = unions.iter().filter(|members| !members.is_empty());
    let combined = unions.map(|members| Combined {
        groups: members.iter().map(|&group| groups[group].clone()).collect(),
        rows: pairs
            .combinations(groups, members, &mut 0)
            .unwrap_or_else(|| (0..groups[members[0]].values() as u32).collect()),
    });
    shared(combined.collect())
}

/// Puts small tables together, so that there are fewer to look into.
fn shared(tables: Vec<Combined>) -> Vec<Combined> {
    let mut found: Vec<Combined> = Vec::new();
    for table in tables {
        match found.last_mut() {
            Some(last) if width(&last.groups) + width(&table.groups) <= SHARED => {
                let shift = width(&last.groups);
                let lows = std::mem::take(&mut last.rows);
                for high in table.rows {
                    last.rows.extend(lows.iter().map(|low| high << shift | low));
                }
                last.groups.extend(table.groups);
            }
            _ => found.push(table),
        }
    }
    found
}

/// Bits of all values of some groups.
pub(crate) fn width(groups: &[Group]) -> u32 {
    groups.iter().map(Group::width).sum()
}

/// For each pair of groups which values are possible together.
struct Pairs {
    groups: usize,
    /// Of groups `a < b` at `a * groups + b`; value `x` of `a` and `y` of `b` at `x * values of b + y`.
    possible: Vec<Vec<bool>>,
    values: Vec<usize>,
}

impl Pairs {
    fn of(groups: &[Group], sample: &Sample) -> Self {
        let values: Vec<usize> = groups.iter().map(Group::values).collect();
        let work = (groups.len() * groups.len() / 2 * sample.len() / PAIR_WORK).max(1);
        let read = |place: usize| {
            let value = |group: &Group| group.value_in(sample.row(place)).unwrap_or(0);
            groups.iter().map(value).collect::<Vec<u32>>()
        };
        // The last states are those that were found out by a run: they count in any case.
        let last = sample.len().saturating_sub(LATEST);
        let places = (0..sample.len()).filter(|&place| place % work == 0 || place >= last);
        let rows: Vec<Vec<u32>> = places.map(read).collect();
        let mut met: Vec<Vec<usize>> = values.iter().map(|&values| vec![0; values]).collect();
        for row in &rows {
            row.iter().zip(&mut met).for_each(|(&value, met)| met[value as usize] += 1);
        }
        let mut pairs = Self { groups: groups.len(), possible: Vec::new(), values };
        for one in 0..groups.len() {
            for other in 0..groups.len() {
                let possible =
                    if one < other { pairs.seen(&rows, &met, one, other) } else { Vec::new() };
                pairs.possible.push(possible);
            }
        }
        pairs
    }

    fn seen(&self, rows: &[Vec<u32>], met: &[Vec<usize>], one: usize, other: usize) -> Vec<bool> {
        let columns = self.values[other];
        let rare = |x: usize, y: usize| met[one][x] * met[other][y] < EXPECTED * rows.len();
        let cells =
            (0..self.values[one] * columns).map(|cell| rare(cell / columns, cell % columns));
        let mut possible: Vec<bool> = cells.collect();
        for row in rows {
            possible[row[one] as usize * columns + row[other] as usize] = true;
        }
        possible
    }

    fn is_possible(&self, (one, x): (usize, u32), (other, y): (usize, u32)) -> bool {
        let ((one, x), (other, y)) =
            if one < other { ((one, x), (other, y)) } else { ((other, y), (one, x)) };
        self.possible[one * self.groups + other][x as usize * self.values[other] + y as usize]
    }

    fn most_restricted_first(&self) -> Vec<(usize, usize)> {
        let mut order: Vec<(u64, usize, usize)> = Vec::new();
        for one in 0..self.groups {
            for other in one + 1..self.groups {
                let cells = &self.possible[one * self.groups + other];
                let possible = cells.iter().filter(|&&possible| possible).count();
                if possible < cells.len() {
                    // In whole numbers, so that the order is the same everywhere.
                    order.push((((possible as u64) << 32) / cells.len() as u64, one, other));
                }
            }
        }
        order.sort_unstable();
        order.into_iter().map(|(_, one, other)| (one, other)).collect()
    }

    /// The combinations of values of some groups without an impossible pair; none if there are too many.
    fn combinations(
        &self,
        groups: &[Group],
        members: &[usize],
        work: &mut usize,
    ) -> Option<Vec<u32>> {
        let all: u32 = members.iter().map(|&group| groups[group].width()).sum();
        if all > WIDEST {
            return None;
        }
        let mut found: Vec<u32> = vec![0];
        let mut shifts = Vec::new();
        let mut shift = 0;
        for &group in members {
            let mut longer = Vec::new();
            for &row in &found {
                for value in 0..self.values[group] as u32 {
                    *work += 1;
                    let fits = |(&(before, at), width): (&(usize, u32), u32)| {
                        let earlier = row >> at & ((1 << width) - 1);
                        self.is_possible((before, earlier), (group, value))
                    };
                    let widths =
                        shifts.iter().map(|&(before, _): &(usize, u32)| groups[before].width());
                    if shifts.iter().zip(widths).all(fits) {
                        longer.push(row | value << shift);
                    }
                }
            }
            if longer.len() > MOST {
                return None;
            }
            found = longer;
            shifts.push((group, shift));
            shift += groups[group].width();
        }
        Some(found)
    }
}
