//! The game as the search sees it: two roles, the values at stake, whose turn it is, and what the net says about the
//! worth of moves.
//! says about the worth of moves.

use gambol_analysis::Inhibitors;
use gambol_index::{Id, IndexVec, bits};
use gambol_net::{FluentId, MoveId, Net, RoleId};
use gambol_sim::{Circuit, Sweep};
use gambol_verify::HIGHEST_GOAL;

use super::engine::Halt;
use super::evaluation::{
    Flips, KilledCubes, bounds_circuit, cube_masks, flips, killed_cubes, path_counts,
};
use super::weights::Weights;
use crate::facts::{EveryPlayScores, SupposedSum};
use crate::problem::Task;
use crate::reduction::symmetry::symmetries;
use crate::{Reading, Use};
use gambol_index::bits::{ones, ones_of_row};

/// Whose turn it is, and the only move of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub(crate) mover: u8,
    pub(crate) other: u32,
}

/// What a search is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stake {
    /// The goals of both roles, which must add up to this in every end that is looked at.
    Sum(SupposedSum),
    /// The goals of one role, whatever the other gets. For the second role the search is about what is
    /// missing to its greatest goal, which the first role makes as large as it can.
    Role(u8),
}

pub(crate) struct SearchProblem {
    pub(crate) fluents: usize,
    pub(crate) width: usize,
    /// The values at stake as the first role sees them, ascending, and 0 for either role.
    pub(crate) values: Vec<u32>,
    /// The places of the least and the greatest value there can be: those of goals if every play scores.
    pub(crate) range: (u8, u8),
    /// What the values of both roles add up to.
    pub(crate) sum: u32,
    /// The role whose goals alone count, if so.
    pub(super) only: Option<u8>,
    /// For each goal of the net its role and its value as a place among the values; none if the sum
    /// cannot be had with it, or it does not count.
    pub(super) goals: Vec<(u8, Option<u8>)>,
    /// The goals of the role that is asked about, the first if both count, with their places.
    pub(super) leading_goals: Vec<(usize, u8)>,
    /// Pairs of goals, one of each role, that stand for the same value.
    pub(super) agreeing: Vec<(usize, usize)>,
    /// For each role and word which of the computed moves are its.
    masks: [Vec<u64>; 2],
    /// The moves whose legality is computed.
    pub(super) computed: Vec<u32>,
    /// For each role the moves that are always legal.
    always: [Vec<u32>; 2],
    pub(crate) bounds: Option<Circuit>,
    pub(crate) flips: [Option<Flips>; 2],
    pub(crate) symmetries: Vec<Vec<u32>>,
    paths: [Vec<i64>; 2],
    cubes: [Vec<u128>; 2],
    killed: [KilledCubes; 2],
}

/// How many symmetries are worth looking at for each state.
const MOST_SYMMETRIES: usize = 16;

impl SearchProblem {
    /// A game of two roles. What can still be had bounds values only if every play scores.
    pub(crate) fn of(
        task: &Task<'_>,
        stake: Stake,
        scores: Option<EveryPlayScores>,
        lines: &Inhibitors,
    ) -> Option<Self> {
        let (net, circuit) = (task.net, task.circuit);
        let of_role = |role: usize| net.goals.iter().filter(move |goal| goal.role.index() == role);
        let (lead, sum) = match stake {
            Stake::Sum(sum) => (0, sum.sum()),
            Stake::Role(role) => {
                let goals = of_role(usize::from(role)).map(|goal| goal.value);
                (role, goals.max().unwrap_or(0).max(HIGHEST_GOAL))
            }
        };
        let seen = |role: usize, value: u32| match role {
            0 => Some(value),
            _ => sum.checked_sub(value),
        };
        let leading = of_role(usize::from(lead));
        let mut values: Vec<u32> =
            leading.filter_map(|goal| seen(usize::from(lead), goal.value)).collect();
        let goals_from = *values.iter().min()?;
        let goals_to = *values.iter().max()?;
        // Places must be the same in every run, whatever is proved in it: they stand in checkpoints.
        values.extend([0, sum]);
        values.sort_unstable();
        values.dedup();
        if net.roles.len() != 2 || values.len() > 200 {
            return None;
        }
        let only = if let Stake::Role(role) = stake { Some(role) } else { None };
        let place = |value: u32| values.binary_search(&value).ok().map(|place| place as u8);
        let goals = net.goals.iter().map(|goal| {
            let role = goal.role.index();
            let place = seen(role, goal.value).and_then(place);
            (role as u8, place.filter(|_| only.is_none_or(|only| usize::from(only) == role)))
        });
        let goals: Vec<(u8, Option<u8>)> = goals.collect();
        let leading_goals = goals_of(lead, &goals);
        let range = match scores {
            Some(_) => (place(goals_from)?, place(goals_to)?),
            None => (0, values.len() as u8 - 1),
        };
        let sweep = Sweep::new(circuit);
        let computed = sweep.computed_moves().to_vec();
        let is_of = |role: usize, action: u32| net.moves[MoveId::new(action)].role.index() == role;
        let masks = [0, 1].map(|role| {
            let mut mask = vec![0; sweep.legal_width()];
            for (number, _) in
                computed.iter().enumerate().filter(|(_, action)| is_of(role, **action))
            {
                mask[number / 64] |= 1 << (number % 64);
            }
            mask
        });
        let always = [0, 1].map(|role| {
            let always = sweep.always_legal().iter().copied();
            always.filter(|&action| is_of(role, action)).collect()
        });
        let roles = [RoleId::new(0), RoleId::new(1)];
        let cubes = roles.map(|role| cube_masks(net, role));
        Some(Self {
            fluents: net.fluents.len(),
            width: net.fluents.len().div_ceil(64).max(1),
            range,
            values,
            sum,
            agreeing: agreeing(&goals, &leading_goals),
            leading_goals,
            only,
            goals,
            masks,
            computed,
            always,
            bounds: scores.and_then(|_| bounds_circuit(net, lines, circuit.options())),
            flips: roles.map(|role| flips(net, lines, role, circuit.options())),
            symmetries: match task.options.shortcuts.symmetries {
                Use::Never => Vec::new(),
                _ => symmetries(net, MOST_SYMMETRIES),
            },
            paths: roles.map(|role| whole_weights(&path_counts(net, role))),
            killed: [&cubes[0], &cubes[1]].map(|cubes| killed_cubes(lines, cubes)),
            cubes: cubes.map(IndexVec::into_vec),
        })
    }

    /// Whether the goals of a role count.
    pub(super) fn counts(&self, role: u8) -> bool {
        self.only.is_none_or(|only| only == role)
    }

    /// Whether no goal of the second role is more or less than the values leave it, nor what a missing goal may be
    /// read as. Then the least and the greatest value are bounds for both roles, whatever the ends that are not
    /// looked at.
    pub(crate) fn goals_fit_the_sum(&self, net: &Net) -> bool {
        let (least, most) = self.range;
        let [least, most] = [least, most].map(|place| self.values[usize::from(place)]);
        let mut second = net.goals.iter().filter(|goal| goal.role.index() == 1);
        self.sum >= HIGHEST_GOAL
            && second.all(|goal| (self.sum - most..=self.sum - least).contains(&goal.value))
    }

    /// The place of the greatest value.
    pub(crate) fn top(&self) -> u8 {
        (self.values.len() - 1) as u8
    }

    /// A sweep of a role's flips, with the flips in their lanes.
    pub(crate) fn flip_sweep<'a>(&self, flips: &'a Flips) -> Sweep<'a> {
        let mut sweep = Sweep::new(&flips.circuit);
        let (parts, slots) = (sweep.parts(), sweep.slots());
        let words = sweep.words_mut();
        for flip in 0..flips.count {
            let slot = (slots.fluents.start + self.fluents + flip) * parts;
            words[slot..slot + parts].fill(0);
            for lane in (flip..64 * parts).step_by(flips.count) {
                words[slot + lane / 64] |= 1 << (lane % 64);
            }
        }
        sweep
    }

    /// The least and the greatest value an end may be read as; none if the goals do not add up.
    pub(crate) fn end_range(&self, holds: impl Fn(usize) -> bool) -> Option<(u8, u8)> {
        let mut range = (u8::MAX, 0);
        let mut met = [0, 0];
        for (number, &(role, place)) in self.goals.iter().enumerate() {
            if holds(number) && self.counts(role) {
                let place = place?;
                met[usize::from(role)] += 1;
                range = (range.0.min(place), range.1.max(place));
            }
        }
        let without =
            [0, 1].into_iter().any(|role| self.counts(role) && met[usize::from(role)] == 0);
        match met {
            _ if without => (self.sum >= HIGHEST_GOAL).then_some((0, self.top())),
            // One goal each: they must agree.
            [1, 1] => (range.0 == range.1).then_some(range),
            _ => Some(range),
        }
    }

    /// Reads an end that is not clear, and says for each threshold whether it is reached.
    pub(super) fn settle_unclear(
        &self,
        holds: impl Fn(usize) -> bool,
        reading: Option<Reading>,
        thresholds: std::ops::RangeInclusive<u8>,
        mut set: impl FnMut(usize, bool),
    ) -> Result<(), Halt> {
        let (least, most) = self.end_range(holds).ok_or(Halt::Sum)?;
        let value = match reading {
            _ if least == most => least,
            Some(Reading::Least) => least,
            Some(Reading::Most) => most,
            None => return Err(Halt::Unclear),
        };
        thresholds.enumerate().for_each(|(number, threshold)| set(number, value >= threshold));
        Ok(())
    }

    /// Whose turn it is by the legal moves, given as bits; the mover's moves are appended.
    pub(crate) fn turn(&self, legal: &[u64], moves: &mut Vec<u32>) -> Result<Turn, Halt> {
        let count = |role: usize| {
            let computed = legal.iter().zip(&self.masks[role]);
            let computed: u32 = computed.map(|(legal, mask)| (legal & mask).count_ones()).sum();
            computed as usize + self.always[role].len()
        };
        let mover = match (count(0), count(1)) {
            (0, _) | (_, 0) => return Err(Halt::Stuck),
            (_, 1) => 0,
            (1, _) => 1,
            _ => return Err(Halt::Simultaneous),
        };
        moves.extend(self.moves_of(mover, legal));
        let other = self.moves_of(1 - mover, legal).next().ok_or(Halt::Stuck)?;
        Ok(Turn { mover: mover as u8, other })
    }

    fn moves_of<'b>(&'b self, role: usize, legal: &'b [u64]) -> impl Iterator<Item = u32> + 'b {
        let words = legal.iter().zip(&self.masks[role]).enumerate();
        let computed = words.flat_map(move |(word, (legal, mask))| {
            ones(legal & mask).map(move |bit| self.computed[64 * word + bit])
        });
        computed.chain(self.always[role].iter().copied())
    }

    /// How full the cubes of both roles are in a state.
    pub(crate) fn count_lines(&self, state: &[u64]) -> LineCounts {
        let mut counts = LineCounts { live: [u128::MAX; 2], low: [0; 2], high: [0; 2] };
        for fluent in ones_of_row(state) {
            for role in 0..2 {
                counts.live[role] &= !self.killed[role].when_true.as_slice()[fluent];
                counts.add(role, self.cubes[role][fluent]);
            }
        }
        for role in 0..2 {
            for &(fluent, mask) in &self.killed[role].when_false {
                if !bits::is_set(state, fluent.index()) {
                    counts.live[role] &= !mask;
                }
            }
        }
        counts
    }

    /// The weight of a move by what it makes true.
    pub(crate) fn weigh(
        &self,
        weights: &Weights,
        lines: &LineCounts,
        mover: u8,
        before: &[u64],
        after: &[u64],
    ) -> i64 {
        let (own, other) = (usize::from(mover), 1 - usize::from(mover));
        let (mut advanced, mut taken, mut paths) = (0, 0, 0);
        for (word, (before, after)) in before.iter().zip(after).enumerate() {
            let mut fresh = after & !before;
            while fresh != 0 {
                let fluent = 64 * word + fresh.trailing_zeros() as usize;
                fresh &= fresh - 1;
                advanced |= self.cubes[own][fluent];
                taken |= self.killed[other].when_true.as_slice()[fluent];
                paths += self.paths[own][fluent];
            }
        }
        let lines = lines.weight(own, advanced, weights.growth)
            + lines.weight(other, taken, weights.growth);
        weights.lines * lines + weights.paths * paths
    }
}

/// For each role its cubes that can still be filled, and how full they are: 0, 1, 2 or more, as two
/// bits of a counter that stays at 3.
pub(crate) struct LineCounts {
    live: [u128; 2],
    low: [u128; 2],
    high: [u128; 2],
}

impl LineCounts {
    fn add(&mut self, role: usize, cubes: u128) {
        let (low, high) = (self.low[role], self.high[role]);
        let full = low & high;
        self.low[role] = (low ^ cubes) | (full & cubes);
        self.high[role] = high | (low & cubes);
    }

    fn weight(&self, role: usize, cubes: u128, growth: u32) -> i64 {
        let cubes = cubes & self.live[role];
        if cubes == 0 {
            return 0;
        }
        let (low, high) = (self.low[role], self.high[role]);
        let counts = [!low & !high, low & !high, !low & high, low & high];
        let weight = |(place, mask): (usize, &u128)| {
            i64::from((cubes & mask).count_ones()) << (growth * place as u32)
        };
        counts.iter().enumerate().map(weight).sum()
    }
}

fn goals_of(lead: u8, goals: &[(u8, Option<u8>)]) -> Vec<(usize, u8)> {
    let places = goals.iter().enumerate().filter(|(_, (role, _))| *role == lead);
    places.filter_map(|(goal, &(_, place))| Some((goal, place?))).collect()
}

fn agreeing(goals: &[(u8, Option<u8>)], first: &[(usize, u8)]) -> Vec<(usize, usize)> {
    let second = goals.iter().enumerate().filter(|(_, (role, _))| *role == 1);
    let second = second.filter_map(|(goal, &(_, place))| Some((goal, place?)));
    let same = |place: u8| first.iter().filter(move |(_, other)| *other == place);
    second.flat_map(|(goal, place)| same(place).map(move |&(other, _)| (other, goal))).collect()
}

/// Weights as whole numbers of a moderate size.
fn whole_weights(counts: &IndexVec<FluentId, f64>) -> Vec<i64> {
    let most = counts.iter().copied().fold(1.0, f64::max);
    let scale = if most > 1000.0 { 1000.0 / most } else { 1.0 };
    counts.iter().map(|count| (count * scale) as i64).collect()
}
