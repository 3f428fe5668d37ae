//! Sums of impartial games: both players have the same moves in every part, each move acts in one
//! part, and who finds no move left loses (or, in misère play, wins).
//!
//! The Grundy value of a state of a part is the least number that no state after it has. Who is to move
//! in a sum wins if and only if the values of the parts, added without carry, do not give 0 (Sprague and
//! Grundy). In misère play that holds for heaps of counters only, and the other way round when no
//! heap holds more than one (Bouton).

use gambol_net::{FluentId, Gate, GateId, MoveId, Net};
use rustc_hash::FxHashSet;

use super::context::{Moment, Orbit};
use super::gate_sweep::GateSweep;
use super::local::{Local, NONE, load_part};
use super::node::Node;
use super::quotient::Quotient;
use crate::{Bounds, Dynamics, Meaning, Method, Solution};

/// Ends that differ are looked at one by one, up to so many.
const MOST_ENDS: usize = 4_096;

/// Solves a game if it is a sum of impartial parts.
pub(crate) fn impartial(net: &Net, quotient: &mut Quotient<'_>) -> Option<Solution> {
    let movers = movers(&quotient.orbit)?;
    let sums = Sums::of(&quotient.orbit, &quotient.parts)?;
    if !ends_when_stuck(net, &quotient.parts, &sums) {
        return None;
    }
    let ends = ends(quotient, &sums)?;
    let misere = play(movers, ends)?;
    if misere && !sums.parts.iter().all(ImpartialPart::is_heap) {
        return None;
    }
    let start: Vec<u32> = quotient.start.iter().take(sums.parts.len()).map(|&b| b as u32).collect();
    let wins = sums.mover_wins(&start, misere);
    let winner = if wins { movers[0] } else { 1 - movers[0] };
    // Whose turn it is at the end: the loser's, who is stuck, or in misère play the winner's.
    let last = if misere { winner } else { 1 - winner };
    let step = movers.iter().position(|&mover| mover == last)?;
    let line = line(quotient, &sums, misere);
    Some(Solution {
        values: ends[step].map(Bounds::exact).to_vec(),
        meaning: Meaning::Opposed,
        nodes: line.len() as u64,
        line,
        shortest: false,
        method: Method::Factored,
        states: sums.parts.iter().map(|part| part.grundy.len() as u64).sum(),
        unfinished: None,
        notes: vec![format!(
            "a sum of impartial games: Grundy values {}{}",
            sums.values_of(&start).map(|value| value.to_string()).collect::<Vec<_>>().join(", "),
            if misere { ", misère play" } else { "" }
        )],
    })
}

/// Who chooses in the first and in the second step, if two roles alternate and nothing else runs.
fn movers(orbit: &Orbit) -> Option<[usize; 2]> {
    let chooser = |moment: &Moment| match moment.choices.as_slice() {
        [_, 1] => Some(0),
        [1, _] => Some(1),
        _ => None,
    };
    match (orbit.contexts.len(), orbit.back_to, orbit.moments.as_slice()) {
        (2, 0, [first, second]) => {
            let movers = [chooser(first)?, chooser(second)?];
            (movers[0] != movers[1]).then_some(movers)
        }
        _ => None,
    }
}

/// A part both players play by the same rules.
struct ImpartialPart {
    /// For each block those one move away, ascending.
    options: Vec<Vec<u32>>,
    grundy: Vec<u32>,
}

impl ImpartialPart {
    /// Nothing if a block can come back.
    fn of(options: Vec<Vec<u32>>) -> Option<Self> {
        let mut grundy: Vec<Option<u32>> = vec![None; options.len()];
        let mut entered = vec![false; options.len()];
        let mut path: Vec<u32> = (0..options.len() as u32).collect();
        while let Some(&block) = path.last() {
            let place = block as usize;
            let open: Vec<u32> =
                options[place].iter().copied().filter(|&b| grundy[b as usize].is_none()).collect();
            if grundy[place].is_some() {
                path.pop();
            } else if open.is_empty() {
                let values = options[place].iter().filter_map(|&b| grundy[b as usize]);
                grundy[place] = Some(least_missing(values.collect()));
                path.pop();
            } else if std::mem::replace(&mut entered[place], true) {
                return None;
            } else {
                path.extend(open);
            }
        }
        Some(Self { grundy: grundy.into_iter().collect::<Option<_>>()?, options })
    }

    /// Whether the blocks are heaps of 0, 1, 2... counters of which any number can be taken.
    fn is_heap(&self) -> bool {
        let mut values = self.grundy.clone();
        values.sort_unstable();
        values.dedup();
        let all_below = |block: usize| self.options[block].len() == self.grundy[block] as usize;
        values.len() == self.grundy.len() && (0..self.grundy.len()).all(all_below)
    }

    fn is_stuck(&self, block: usize) -> bool {
        self.options[block].is_empty()
    }
}

fn least_missing(mut values: Vec<u32>) -> u32 {
    values.sort_unstable();
    values.dedup();
    values.iter().zip(0..).take_while(|(value, place)| **value == *place).count() as u32
}

/// The parts of a sum.
struct Sums {
    parts: Vec<ImpartialPart>,
}

impl Sums {
    /// Nothing unless every move acts in one part, the others stand still, and both players can do
    /// the same.
    fn of(orbit: &Orbit, nodes: &[Node]) -> Option<Self> {
        let mut options: Vec<[Vec<Vec<u32>>; 2]> = Vec::new();
        for node in nodes {
            let count = node.len();
            options.push([vec![Vec::new(); count], vec![Vec::new(); count]]);
        }
        for (number, moment) in orbit.moments.iter().enumerate() {
            for (place, legality) in moment.legality.iter().enumerate() {
                if !legality.shared.is_empty() {
                    return None;
                }
                let column = |part: usize| nodes[part].reduced.column(number, place);
                let mut acting = (0..nodes.len()).filter(|&part| !stands_still(column(part)));
                let part = acting.next()?;
                if acting.next().is_some() {
                    return None;
                }
                for (block, &next) in column(part).iter().enumerate() {
                    if next != NONE {
                        options[part][number][block].push(next);
                    }
                }
            }
        }
        let same = |[mut one, mut other]: [Vec<Vec<u32>>; 2]| {
            for options in one.iter_mut().chain(&mut other) {
                options.sort_unstable();
                options.dedup();
            }
            if one == other { ImpartialPart::of(one) } else { None }
        };
        Some(Self { parts: options.into_iter().map(same).collect::<Option<_>>()? })
    }

    fn values_of<'a>(&'a self, blocks: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        self.parts.iter().zip(blocks).map(|(part, &block)| part.grundy[block as usize])
    }

    /// Whether the player to move wins.
    fn mover_wins(&self, blocks: &[u32], misere: bool) -> bool {
        let sum = self.values_of(blocks).fold(0, |sum, value| sum ^ value);
        let small = self.values_of(blocks).all(|value| value <= 1);
        if misere && small { sum == 0 } else { sum != 0 }
    }
}

fn stands_still(column: &[u32]) -> bool {
    column.iter().zip(0..).all(|(&next, block)| next == block)
}

/// Whether the game is over exactly when no part has a move left. The end must be a conjunction of
/// conditions that each ask one part only.
fn ends_when_stuck(net: &Net, nodes: &[Node], sums: &Sums) -> bool {
    let mut conditions: Vec<Vec<(GateId, bool)>> = vec![Vec::new(); nodes.len()];
    let mut open = vec![(net.terminal, true)];
    while let Some((gate, holds)) = open.pop() {
        match net.gate(gate) {
            Gate::Not(input) => open.push((input, !holds)),
            Gate::And(inputs) if holds => open.extend(inputs.iter().map(|&input| (input, holds))),
            Gate::Or(inputs) if !holds => open.extend(inputs.iter().map(|&input| (input, holds))),
            _ => {
                let read = fluents_read(net, gate);
                let owner = nodes.iter().position(|node| {
                    let fluents = &node.reduced.fluents;
                    !read.is_empty() && read.iter().all(|f| fluents.binary_search(f).is_ok())
                });
                match owner {
                    Some(part) => conditions[part].push((gate, holds)),
                    None => return false,
                }
            }
        }
    }
    let parts = nodes.iter().zip(&sums.parts).zip(&conditions);
    let mut parts = parts;
    parts.all(|((node, part), conditions)| {
        let fulfilled = fulfilled(net, &node.reduced, conditions);
        fulfilled.iter().enumerate().all(|(block, &done)| done == part.is_stuck(block))
    })
}

fn fluents_read(net: &Net, gate: GateId) -> Vec<FluentId> {
    let mut seen = FxHashSet::default();
    let (mut open, mut found) = (vec![gate], Vec::new());
    while let Some(gate) = open.pop() {
        if !seen.insert(gate) {
            continue;
        }
        match net.gate(gate) {
            Gate::Fluent(fluent) => found.push(fluent),
            Gate::Not(input) => open.push(input),
            Gate::And(inputs) | Gate::Or(inputs) => open.extend(inputs),
            Gate::Constant(_) | Gate::Does(_) => {}
        }
    }
    found
}

/// For each block whether all conditions hold.
fn fulfilled(net: &Net, local: &Local, conditions: &[(GateId, bool)]) -> Vec<bool> {
    let width = local.fluents.len().div_ceil(64).max(1);
    let mut sweep = GateSweep::of(net, conditions.iter().map(|&(gate, _)| gate));
    let mut found = Vec::with_capacity(local.store.len());
    for states in local.store.rows(0..local.store.len()).chunks(64 * width) {
        load_part(&mut sweep, &local.fluents, width, states);
        sweep.run();
        let all = conditions.iter().fold(u64::MAX, |all, &(gate, holds)| {
            all & if holds { sweep.value(gate) } else { !sweep.value(gate) }
        });
        found.extend((0..states.len() / width).map(|lane| all >> lane & 1 == 1));
    }
    found
}

/// What the ends are worth, in the first and in the second step; nothing unless the step alone
/// decides that.
fn ends(quotient: &mut Quotient<'_>, sums: &Sums) -> Option<[[u32; 2]; 2]> {
    let mut rows: Vec<Vec<u64>> = vec![Vec::new()];
    for part in &sums.parts {
        let stuck: Vec<u64> =
            (0..part.grundy.len()).filter(|&b| part.is_stuck(b)).map(|b| b as u64).collect();
        let longer = |row: &Vec<u64>| {
            stuck.iter().map(|&block| [&row[..], &[block]].concat()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
        if rows.len() > MOST_ENDS {
            return None;
        }
    }
    let mut found = Vec::new();
    for step in 0..2u64 {
        let states: Vec<u64> = rows.iter().flat_map(|row| [&row[..], &[step]].concat()).collect();
        let looks = quotient.look(&states);
        let goals = |place: usize| match *looks.goals(place) {
            [Some(one), Some(other)] if looks.over(place) => Some([one, other]),
            _ => None,
        };
        let first = goals(0)?;
        if !(1..looks.len()).all(|place| goals(place) == Some(first)) {
            return None;
        }
        found.push(first);
    }
    found.try_into().ok()
}

/// Whether play is misère; nothing if the players' interests are not opposite.
fn play(movers: [usize; 2], ends: [[u32; 2]; 2]) -> Option<bool> {
    let sums = ends.map(|[one, other]| one + other);
    // What the one gets who is stuck first, then when the other is stuck.
    let (stuck, other) = (ends[0][movers[0]], ends[1][movers[0]]);
    (sums[0] == sums[1] && stuck != other).then_some(stuck > other)
}

/// The winner plays to win, the loser takes the first move there is.
fn line(quotient: &mut Quotient<'_>, sums: &Sums, misere: bool) -> Vec<Vec<MoveId>> {
    let mut line = Vec::new();
    let mut row = quotient.start.clone();
    loop {
        let looks = quotient.look(&row);
        if looks.joint_count(0) == 0 {
            return line;
        }
        let mut joint = Vec::new();
        (0..looks.joint_count(0)).for_each(|number| looks.joint_move(0, number, &mut joint));
        let rows: Vec<u64> = (0..looks.joint_count(0)).flat_map(|_| row.iter().copied()).collect();
        let next = quotient.step(&rows, &joint);
        let good = |next: &[u64]| {
            let blocks: Vec<u32> = next[..sums.parts.len()].iter().map(|&b| b as u32).collect();
            !sums.mover_wins(&blocks, misere)
        };
        let number = next.chunks_exact(row.len()).position(good).unwrap_or(0);
        row = next[number * row.len()..(number + 1) * row.len()].to_vec();
        line.push(joint[2 * number..2 * number + 2].iter().map(|&m| MoveId::new(m)).collect());
    }
}

#[cfg(test)]
mod tests {
    use gambol_net::{FluentId, Net, NetBuilder, Wire};
    use gambol_sim::{Circuit, CompileOptions};

    use super::super::factored;
    use crate::random_walk::Random;
    use crate::solve::{Choice, Task, solve};
    use crate::{Limits, Solution, SolveOptions, Unobserved};

    const STATES: usize = 5;

    /// Random parts in which play goes down only; the last player to move wins, or loses.
    fn random_sum(parts: usize, misere: bool, seed: u64) -> (Net, Vec<Vec<FluentId>>) {
        let mut random = Random(seed);
        let mut net = NetBuilder::new();
        let roles = [net.role("one"), net.role("other")];
        let turns = [net.fluent("turn one"), net.fluent("turn other")];
        let states: Vec<Vec<FluentId>> = (0..parts)
            .map(|part| (0..STATES).map(|s| net.fluent(&format!("{part} {s}"))).collect())
            .collect();
        net.initial(turns[0]);
        states.iter().for_each(|part| net.initial(part[STATES - 1]));
        let moves: Vec<(usize, usize, usize)> = (0..parts)
            .flat_map(|part| (0..STATES).flat_map(move |a| (0..a).map(move |b| (part, a, b))))
            .filter(|_| random.below(2) == 0)
            .collect();
        let mut done: Vec<Vec<Wire>> = vec![Vec::new(); moves.len()];
        for (&role, turn) in roles.iter().zip(turns) {
            let turn = net.truth(turn);
            let wait = net.action(role, "wait");
            let away = net.not(turn);
            net.legal(wait, away);
            for (number, &(part, from, _)) in moves.iter().enumerate() {
                let action = net.action(role, &format!("{number}"));
                let here = net.truth(states[part][from]);
                let legal = net.and([turn, here]);
                net.legal(action, legal);
                let does = net.does(action);
                done[number].push(does);
            }
        }
        let done: Vec<Wire> = done.into_iter().map(|ways| net.or(ways)).collect();
        let mut stuck = Vec::new();
        for (part, fluents) in states.iter().enumerate() {
            let own = |f: &dyn Fn(usize, usize) -> bool| -> Vec<Wire> {
                let own = moves.iter().zip(&done).filter(|((p, a, b), _)| *p == part && f(*a, *b));
                own.map(|(_, &wire)| wire).collect()
            };
            for (state, &fluent) in fluents.iter().enumerate() {
                let left = net.or(own(&|from, _| from == state));
                let stays = net.not(left);
                let here = net.truth(fluent);
                let kept = net.and([here, stays]);
                let mut ways = own(&|_, to| to == state);
                ways.push(kept);
                let next = net.or(ways);
                net.next(fluent, next);
            }
            let has_none = |state: &usize| !moves.iter().any(|&(p, a, _)| p == part && a == *state);
            let ends: Vec<usize> = (0..STATES).filter(has_none).collect();
            let ends: Vec<Wire> = ends.into_iter().map(|s| net.truth(fluents[s])).collect();
            stuck.push(net.or(ends));
        }
        let [one, other] = turns.map(|turn| net.truth(turn));
        net.next(turns[0], other);
        net.next(turns[1], one);
        let terminal = net.and(stuck);
        net.terminal(terminal);
        for (role, turn) in roles.into_iter().zip([one, other]) {
            let away = net.not(turn);
            net.goal(role, if misere { 100 } else { 0 }, turn);
            net.goal(role, if misere { 0 } else { 100 }, away);
        }
        (net.finish().expect("all moves of a role stand together"), states)
    }

    fn solve_both_ways(parts: usize, misere: bool, seed: u64) -> Option<(Solution, Solution)> {
        let (net, hint) = random_sum(parts, misere, seed);
        let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("small");
        let options = SolveOptions { choice: Choice::Listing, ..SolveOptions::default() };
        let whole = solve(&net, &circuit, &options).expect("all states are listed");
        let mut start = circuit.initial().words().to_vec();
        start.resize(1, 0);
        let task = Task { net: &net, circuit: &circuit, start: &start, options: &options };
        let by_parts = factored(&task, &hint, &Limits::default(), &mut Unobserved).ok()?;
        Some((whole, by_parts))
    }

    fn is_a_sum(solution: &Solution) -> bool {
        solution.notes.iter().any(|note| note.contains("impartial"))
    }

    #[test]
    fn grundy_values_give_the_value_of_the_whole() {
        let mut sums = 0;
        for seed in 0..60 {
            let Some((whole, parts)) = solve_both_ways(2 + seed as usize % 2, false, seed) else {
                continue;
            };
            assert_eq!(parts.values, whole.values, "{seed}");
            sums += usize::from(is_a_sum(&parts));
        }
        assert!(sums > 30, "{sums}");
    }

    #[test]
    fn misere_play_is_by_grundy_values_for_heaps_only() {
        let mut refused = 0;
        for seed in 0..60 {
            let Some((whole, parts)) = solve_both_ways(2, true, seed) else { continue };
            assert_eq!(parts.values, whole.values, "{seed}");
            refused += usize::from(!is_a_sum(&parts));
        }
        assert!(refused > 30, "{refused}");
    }
}
