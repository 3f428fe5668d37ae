//! Random sums of games, solved as a whole and by the theory of sums. The values must be the same, and a game that is
//! no sum must not be treated as one.
//! and what is no sum must not be taken for one.

use gambol_net::{FluentId, Net, NetBuilder, RoleId, Wire};
use gambol_sim::{Circuit, CompileOptions};

use super::tests::check_replies;
use super::{NotFactored, factored};
use crate::problem::{Choice, Task};
use crate::rounds::nobody;
use crate::solve;
use crate::{Limits, Solution, SolveOptions, Unobserved};
use gambol_run::Random;

const STATES: usize = 5;

/// When play is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    /// Who is to move has no move.
    Stuck,
    /// Who is to move has no move in some part.
    StuckSomewhere,
}

#[derive(Clone, Copy, Debug)]
struct Kind {
    parts: usize,
    /// Whether both players have the same moves.
    impartial: bool,
    misere: bool,
    ending: Ending,
    /// Whether moves in other parts ask what the state of the first is.
    tied: bool,
}

const PARTIZAN: Kind =
    Kind { parts: 2, impartial: false, misere: false, ending: Ending::Stuck, tied: false };

/// A move of a role in a part from one state to another.
#[derive(Clone, Copy)]
struct Step {
    role: usize,
    part: usize,
    from: usize,
    to: usize,
}

fn random_steps(kind: Kind, random: &mut Random) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in 0..kind.parts {
        for (from, to) in (0..STATES).flat_map(|from| (0..from).map(move |to| (from, to))) {
            let first = random.below(2) == 0;
            let second = if kind.impartial { first } else { random.below(2) == 0 };
            let roles = (0..2).filter(|&role| [first, second][role]);
            steps.extend(roles.map(|role| Step { role, part, from, to }));
        }
    }
    steps
}

/// A net that is being built.
struct Builder {
    net: NetBuilder,
    roles: Vec<RoleId>,
    turns: Vec<FluentId>,
    states: Vec<Vec<FluentId>>,
}

impl Builder {
    fn new(kind: Kind, first: usize) -> Self {
        let mut net = NetBuilder::new();
        let roles = ["one", "other"].map(|name| net.role(name)).to_vec();
        let turns = ["turn one", "turn other"].map(|name| net.fluent(name)).to_vec();
        let part = |net: &mut NetBuilder, part: usize| {
            (0..STATES).map(|state| net.fluent(&format!("{part} {state}"))).collect::<Vec<_>>()
        };
        let states: Vec<_> = (0..kind.parts).map(|number| part(&mut net, number)).collect();
        net.initial(turns[first]);
        states.iter().for_each(|part| net.initial(part[STATES - 1]));
        Self { net, roles, turns, states }
    }

    /// When a step can be made, the turn apart.
    fn room(&mut self, kind: Kind, step: Step) -> Wire {
        let here = self.net.truth(self.states[step.part][step.from]);
        if !kind.tied || step.part == 0 {
            return here;
        }
        let other = self.net.truth(self.states[0][STATES - 1]);
        let free = self.net.not(other);
        self.net.and([here, free])
    }

    /// The moves of a role; gives back where it has none, part by part, and what is done.
    fn add_moves(&mut self, kind: Kind, role: usize, steps: &[Step]) -> (Vec<Wire>, Vec<Wire>) {
        let turn = self.net.truth(self.turns[role]);
        let wait = self.net.action(self.roles[role], "wait");
        let away = self.net.not(turn);
        self.net.legal(wait, away);
        let mut rooms: Vec<Vec<Wire>> = vec![Vec::new(); kind.parts];
        let mut done = Vec::new();
        for (number, &step) in steps.iter().enumerate().filter(|(_, step)| step.role == role) {
            let action = self.net.action(self.roles[role], &format!("{number}"));
            let room = self.room(kind, step);
            rooms[step.part].push(room);
            let legal = self.net.and([turn, room]);
            self.net.legal(action, legal);
            done.push(self.net.does(action));
        }
        let none = |room: Vec<Wire>| {
            let some = self.net.or(room);
            self.net.not(some)
        };
        (rooms.into_iter().map(none).collect(), done)
    }

    fn add_transitions(&mut self, steps: &[Step], done: &[Wire]) {
        for part in 0..self.states.len() {
            let own: Vec<(Step, Wire)> = steps.iter().copied().zip(done.iter().copied()).collect();
            let own: Vec<_> = own.into_iter().filter(|(step, _)| step.part == part).collect();
            for state in 0..STATES {
                let leaving = own.iter().filter(|(step, _)| step.from == state);
                let left = self.net.or(leaving.map(|(_, wire)| *wire).collect::<Vec<_>>());
                let stays = self.net.not(left);
                let here = self.net.truth(self.states[part][state]);
                let entering = own.iter().filter(|(step, _)| step.to == state);
                let mut ways: Vec<Wire> = entering.map(|(_, wire)| *wire).collect();
                ways.push(self.net.and([here, stays]));
                let next = self.net.or(ways);
                self.net.next(self.states[part][state], next);
            }
        }
    }

    fn add_end(&mut self, kind: Kind, stuck: Vec<Vec<Wire>>) {
        let mut ends = Vec::new();
        for (role, stuck) in stuck.into_iter().enumerate() {
            let turn = self.net.truth(self.turns[role]);
            let stuck = match kind.ending {
                Ending::Stuck => self.net.and(stuck),
                Ending::StuckSomewhere => self.net.or(stuck),
            };
            ends.push(self.net.and([turn, stuck]));
            self.net.next(self.turns[1 - role], turn);
            let away = self.net.not(turn);
            self.net.goal(self.roles[role], if kind.misere { 100 } else { 0 }, turn);
            self.net.goal(self.roles[role], if kind.misere { 0 } else { 100 }, away);
        }
        let terminal = self.net.or(ends);
        self.net.terminal(terminal);
    }
}

fn random_sum(kind: Kind, seed: u64) -> (Net, Vec<Vec<FluentId>>) {
    let mut random = Random::new(seed);
    let mut steps = random_steps(kind, &mut random);
    steps.sort_by_key(|step| step.role);
    let mut builder = Builder::new(kind, random.below(2));
    let (first, mut done) = builder.add_moves(kind, 0, &steps);
    let (second, others) = builder.add_moves(kind, 1, &steps);
    done.extend(others);
    builder.add_transitions(&steps, &done);
    builder.add_end(kind, vec![first, second]);
    let parts = builder.states.clone();
    (builder.net.finish().expect("all moves of a role stand together"), parts)
}

/// Solves random sums as a whole and by parts; how often what a note says was used.
fn check(kind: Kind, seeds: u64, note: &str) -> usize {
    let mut used = 0;
    for seed in 0..seeds {
        let (net, hint) = random_sum(kind, seed);
        let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("small");
        let options = SolveOptions { choice: Choice::Listing, ..SolveOptions::default() };
        let whole = solve(&net, &circuit, &options).expect("all states are listed");
        let mut start = circuit.initial().words().to_vec();
        start.resize(1, 0);
        let task = Task { net: &net, circuit: &circuit, start: &start, options: &options };
        check_replies(&task, &hint);
        let parts = factored(&task, &hint, &Limits::default(), &mut Unobserved, &mut nobody);
        let parts = parts.and_then(|found| found.map_err(|_| NotFactored::Value));
        let Ok(parts) = parts else { continue };
        assert_eq!(parts.values, whole.values, "{kind:?} {seed}");
        used += usize::from(says(&parts, note));
    }
    used
}

fn says(solution: &Solution, note: &str) -> bool {
    solution.notes.iter().any(|found| found.contains(note))
}

#[test]
fn grundy_values_give_the_value_of_the_whole() {
    for parts in [2, 3] {
        let used = check(Kind { parts, impartial: true, ..PARTIZAN }, 40, "impartial");
        assert!(used > 20, "{used}");
    }
}

#[test]
fn misere_play_is_by_grundy_values_for_heaps_only() {
    let used = check(Kind { impartial: true, misere: true, ..PARTIZAN }, 60, "a sum of");
    assert!(used < 40, "{used}");
}

#[test]
fn canonical_forms_give_the_value_of_the_whole() {
    for parts in [2, 3] {
        let used = check(Kind { parts, ..PARTIZAN }, 60, "partizan");
        assert!(used > 40, "{used}");
    }
}

#[test]
fn misere_sums_of_partizan_games_are_not_taken_for_normal_ones() {
    assert_eq!(check(Kind { misere: true, ..PARTIZAN }, 40, "partizan"), 0);
}

#[test]
fn a_game_that_one_part_ends_for_all_is_no_sum() {
    let used = check(Kind { ending: Ending::StuckSomewhere, ..PARTIZAN }, 40, "a sum of");
    assert_eq!(used, 0);
}

#[test]
fn parts_that_ask_about_one_another_are_no_sum() {
    // In a few of them what is asked for can never be or is always so.
    let used = check(Kind { tied: true, ..PARTIZAN }, 40, "a sum of");
    assert!(used < 4, "{used}");
}
