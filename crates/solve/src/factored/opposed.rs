//! Alpha-beta on any game of two players in turn whose goals add up to the same, with a table of bounds.
//!
//! Plain on purpose: it is for games of blocks, which the search on the circuit cannot run. An answer is
//! taken only if no state came back on a line that was looked at. Where an end has no goal, or several,
//! it counts once as the worst for the first player and once as the best; both must agree.

use gambol_index::Id;
use gambol_net::MoveId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::NotFactored;
use crate::limits::Meter;
use crate::random_walk::common_sum;
use crate::solve::Task;
use crate::{Bounds, Dynamics, Limits, Looks, Meaning, Method, Solution};

/// Lines of play beyond this are not followed.
const DEEPEST: usize = 1_000;
/// What an entry of the table takes besides its row, in bytes.
const ENTRY: usize = 48;
/// Time is looked at after so many nodes.
const UNCHECKED: u64 = 256;

/// What both players can secure.
pub(super) fn opposed(
    task: &Task<'_>,
    game: &mut impl Dynamics,
    start: &[u64],
    limits: &Limits,
) -> Result<Solution, NotFactored> {
    if task.net.roles.len() != 2 {
        return Err(NotFactored::Value);
    }
    let sum = common_sum(game, start, task.options.seed).ok_or(NotFactored::Value)?;
    let mut goals = task.net.goals.iter().filter(|goal| goal.role.index() == 0);
    if goals.any(|goal| goal.value > sum) {
        return Err(NotFactored::Value);
    }
    let meter = Meter::start(limits);
    let mut search = Search::new(game, sum, meter, task.net.moves.len());
    let least = search.solve(start, 0)?;
    let most = if search.met_odd_end { search.solve(start, sum)? } else { least };
    if least != most {
        return Err(NotFactored::Value);
    }
    let line = search.line(start, least)?;
    Ok(Solution {
        values: [least, sum - least].map(Bounds::exact).to_vec(),
        meaning: Meaning::Opposed,
        line,
        shortest: false,
        method: Method::Factored,
        nodes: search.nodes,
        states: search.known.len() as u64,
        unfinished: None,
        notes: Vec::new(),
    })
}

struct Search<'a, G> {
    game: &'a mut G,
    sum: u32,
    meter: Meter,
    /// Bounds of what the first player gets.
    known: FxHashMap<Box<[u64]>, [u32; 2]>,
    /// States of the line that is looked at.
    path: FxHashSet<Box<[u64]>>,
    /// How often a move was good enough.
    history: Vec<u32>,
    /// What an end without a goal counts, and whether there was one.
    odd: u32,
    met_odd_end: bool,
    nodes: u64,
}

/// States that follow a state, with what was seen in them and the mover's moves.
struct Followers {
    rows: Vec<Vec<u64>>,
    joint_moves: Vec<Vec<u32>>,
    looks: Looks,
    /// Whether the first player chooses.
    first: bool,
}

impl<'a, G: Dynamics> Search<'a, G> {
    fn new(game: &'a mut G, sum: u32, meter: Meter, moves: usize) -> Self {
        Self {
            game,
            sum,
            meter,
            known: FxHashMap::default(),
            path: FxHashSet::default(),
            history: vec![0; moves],
            odd: 0,
            met_odd_end: false,
            nodes: 0,
        }
    }

    /// The value of a state if an end without a goal counts so much.
    fn solve(&mut self, start: &[u64], odd: u32) -> Result<u32, NotFactored> {
        self.odd = odd;
        self.known.clear();
        let looks = self.game.look(start);
        self.value(start, (&looks, 0), [0, self.sum])
    }

    /// The value of a state if it lies between the two; else a bound on the same side of both.
    fn value(
        &mut self,
        state: &[u64],
        (looks, at): (&Looks, usize),
        [mut low, mut high]: [u32; 2],
    ) -> Result<u32, NotFactored> {
        if looks.over(at) {
            return self.end(looks.goals(at));
        }
        let [least, most] = self.known.get(state).copied().unwrap_or([0, self.sum]);
        if least >= high || least == most {
            return Ok(least);
        }
        if most <= low {
            return Ok(most);
        }
        (low, high) = (low.max(least), high.min(most));
        self.count()?;
        if self.path.len() > DEEPEST || !self.path.insert(state.into()) {
            return Err(NotFactored::Value);
        }
        let followers = self.followers(state, looks, at)?;
        let value = self.best(&followers, [low, high])?;
        self.path.remove(state);
        let value = value.clamp(least, most);
        let bounds = match value {
            value if value <= low => [least, value],
            value if value >= high => [value, most],
            value => [value, value],
        };
        self.known.insert(state.into(), bounds);
        Ok(value)
    }

    fn best(
        &mut self,
        followers: &Followers,
        [mut low, mut high]: [u32; 2],
    ) -> Result<u32, NotFactored> {
        let mut best = if followers.first { 0 } else { self.sum };
        for number in self.order(followers) {
            let row = &followers.rows[number];
            let value = self.value(row, (&followers.looks, number), [low, high])?;
            if followers.first {
                best = best.max(value);
                low = low.max(best);
            } else {
                best = best.min(value);
                high = high.min(best);
            }
            if low >= high {
                let mover = followers.joint_moves[number][usize::from(!followers.first)];
                self.history[mover as usize] += 1;
                break;
            }
        }
        Ok(best)
    }

    /// Ends first, then moves that were often good enough.
    fn order(&self, followers: &Followers) -> Vec<usize> {
        let mut order: Vec<usize> = (0..followers.rows.len()).collect();
        order.sort_by_key(|&number| {
            let mover = followers.joint_moves[number][usize::from(!followers.first)];
            (!followers.looks.over(number), u32::MAX - self.history[mover as usize])
        });
        order
    }

    fn followers(
        &mut self,
        state: &[u64],
        looks: &Looks,
        at: usize,
    ) -> Result<Followers, NotFactored> {
        let choices = [0, 1].map(|role| looks.moves(at, role).len());
        if choices.contains(&0) || choices.iter().all(|&count| count > 1) {
            return Err(NotFactored::Value);
        }
        let count = looks.joint_count(at);
        let mut joint = Vec::new();
        (0..count).for_each(|number| looks.joint_move(at, number, &mut joint));
        let next = self.game.step(&state.repeat(count), &joint);
        let (mut rows, mut joint_moves, mut flat) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen: FxHashSet<&[u64]> = FxHashSet::default();
        for (row, moves) in next.chunks_exact(state.len()).zip(joint.chunks_exact(2)) {
            if seen.insert(row) {
                rows.push(row.to_vec());
                joint_moves.push(moves.to_vec());
                flat.extend_from_slice(row);
            }
        }
        let looks = self.game.look(&flat);
        Ok(Followers { rows, joint_moves, looks, first: choices[0] > 1 })
    }

    fn end(&mut self, goals: &[Option<u32>]) -> Result<u32, NotFactored> {
        match *goals {
            [Some(one), Some(other)] if one + other == self.sum => Ok(one),
            [Some(_), Some(_)] => Err(NotFactored::Value),
            _ => {
                self.met_odd_end = true;
                Ok(self.odd)
            }
        }
    }

    fn count(&mut self) -> Result<(), NotFactored> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(UNCHECKED) {
            let bytes = self.known.capacity() * (ENTRY + 8 * self.game.width());
            self.meter.check(bytes).map_err(|_| NotFactored::Product)?;
        }
        Ok(())
    }

    /// A line on which both get what they can.
    fn line(&mut self, start: &[u64], value: u32) -> Result<Vec<Vec<MoveId>>, NotFactored> {
        let (mut line, mut state) = (Vec::new(), start.to_vec());
        let mut looks = (self.game.look(start), 0);
        while !looks.0.over(looks.1) {
            let followers = self.followers(&state, &looks.0, looks.1)?;
            let window = match followers.first {
                true => [value.saturating_sub(1), value],
                false => [value, value + 1],
            };
            let mut good = None;
            for number in self.order(&followers) {
                let found =
                    self.value(&followers.rows[number], (&followers.looks, number), window)?;
                if if followers.first { found >= value } else { found <= value } {
                    good = Some(number);
                    break;
                }
            }
            let Some(number) = good else { break };
            line.push(followers.joint_moves[number].iter().map(|&m| MoveId::new(m)).collect());
            state.clone_from(&followers.rows[number]);
            looks = (followers.looks, number);
        }
        Ok(line)
    }
}
