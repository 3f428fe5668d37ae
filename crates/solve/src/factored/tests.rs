//! Compound games: two random parts, combined in some way, solved as a whole and part by part. The values must be the
//! same.
//! values must be the same.

use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net, NetBuilder, RoleId, Wire};
use gambol_sim::{Circuit, CompileOptions};

use super::{NotFactored, PartReplies, by_residues, factored};
use crate::circuit_dynamics::CircuitDynamics;
use crate::listing::list;
use crate::listing::retrograde::forced_values;
use crate::listing::store::Store;
use crate::problem::{Choice, Task};
use crate::rounds::nobody;
use crate::simultaneous::mixed;
use crate::solve;
use crate::{Dynamics, Limits, Reading, Solution, SolveOptions, Unobserved};
use gambol_run::Random;

/// How two parts are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Glue {
    /// A move acts in one part; the other stands still.
    Apart,
    /// A move acts in one part; the other goes on by itself.
    Drifting,
    /// A move acts in all.
    Compound,
    /// A move acts in one part; those of the others are legal when the first is in its last state.
    Serial,
    /// What happens in each part depends on the moves of both players together.
    Clash,
}

/// When players choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Alternate,
    AtOnce,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    Clock,
    Either,
    Both,
}

const STATES: usize = 4;
const MOVES: usize = 2;
const STEPS: usize = 5;

struct Glued {
    net: Net,
    parts: Vec<Vec<FluentId>>,
}

/// What a move makes of each state of a part; `None` where it is not legal.
type Effect = [Option<usize>; STATES];

fn effect(random: &mut Random, total: bool) -> Effect {
    std::array::from_fn(|_| (total || random.below(3) > 0).then(|| random.below(STATES)))
}

struct Builder {
    net: NetBuilder,
    states: Vec<Vec<FluentId>>,
    clock: Vec<FluentId>,
    roles: Vec<RoleId>,
    /// For each move what it does to each part, if it acts there.
    moves: Vec<(MoveId, Vec<Option<Effect>>)>,
    /// The role of each move.
    players: Vec<usize>,
    turn: Turn,
}

impl Builder {
    fn new(roles: usize, parts: usize, turn: Turn) -> Self {
        let mut net = NetBuilder::new();
        let roles = (0..roles).map(|role| net.role(&format!("r{role}"))).collect();
        let part = |net: &mut NetBuilder, part: usize| {
            let names = (0..STATES).map(|state| format!("s{part}{state}"));
            names.map(|name| net.fluent(&name)).collect::<Vec<_>>()
        };
        let states: Vec<Vec<FluentId>> = (0..parts).map(|number| part(&mut net, number)).collect();
        let clock: Vec<FluentId> =
            (0..=STEPS).map(|step| net.fluent(&format!("c{step}"))).collect();
        states.iter().for_each(|states| net.initial(states[0]));
        net.initial(clock[0]);
        Self { net, states, clock, roles, moves: Vec::new(), players: Vec::new(), turn }
    }

    fn turn(&mut self, role: usize) -> Wire {
        if self.turn == Turn::AtOnce {
            return self.net.constant(true);
        }
        let steps = (0..=STEPS).filter(|step| step % self.roles.len() == role);
        let wires: Vec<Wire> = steps.map(|step| self.net.truth(self.clock[step])).collect();
        self.net.or(wires)
    }

    fn any_state(&mut self, part: usize, wanted: impl Fn(usize) -> bool) -> Wire {
        let states = (0..STATES).filter(|&state| wanted(state));
        let wires: Vec<Wire> =
            states.map(|state| self.net.truth(self.states[part][state])).collect();
        self.net.or(wires)
    }

    fn add_moves(&mut self, glue: Glue, random: &mut Random) {
        for role in 0..self.roles.len() {
            let turn = self.turn(role);
            let away = self.net.not(turn);
            // Passing is legal on one's turn too, so that nobody is ever stuck.
            let pass = self.net.action(self.roles[role], "pass");
            let always = self.net.or([turn, away]);
            self.net.legal(pass, always);
            let parts = self.states.len();
            for number in 0..parts * MOVES {
                let effects: Vec<Option<Effect>> = match glue {
                    Glue::Compound => (0..parts).map(|_| Some(effect(random, true))).collect(),
                    Glue::Clash => vec![None; parts],
                    _ => {
                        let own = effect(random, false);
                        // Who chooses at the same time acts in parts of its own.
                        let alone = self.turn == Turn::AtOnce && number % parts != role;
                        let acts = |part: usize| !alone && part == number % parts;
                        (0..parts).map(|part| acts(part).then_some(own)).collect()
                    }
                };
                let action = self.net.action(self.roles[role], &format!("m{number}"));
                let mut conditions = vec![turn];
                for (part, effect) in effects.iter().enumerate() {
                    if let Some(effect) = effect {
                        conditions.push(self.any_state(part, |state| effect[state].is_some()));
                    }
                }
                if glue == Glue::Serial {
                    let first = number % parts == 0;
                    conditions.push(self.any_state(0, |state| (state == STATES - 1) != first));
                }
                let legal = self.net.and(conditions);
                self.net.legal(action, legal);
                self.moves.push((action, effects));
                self.players.push(role);
            }
        }
    }

    fn add_transitions(&mut self, glue: Glue, random: &mut Random) {
        for part in 0..self.states.len() {
            if glue == Glue::Clash {
                self.add_clash(part, random);
                continue;
            }
            let still: Effect = std::array::from_fn(Some);
            let idle = if glue == Glue::Drifting { effect(random, true) } else { still };
            let acting: Vec<(MoveId, Effect)> =
                self.moves.iter().filter_map(|(m, e)| e[part].map(|e| (*m, e))).collect();
            let done: Vec<Wire> = acting.iter().map(|&(m, _)| self.net.does(m)).collect();
            let some = self.net.or(done.clone());
            let none = self.net.not(some);
            for state in 0..STATES {
                let mut ways = Vec::new();
                let effects = acting.iter().map(|(_, effect)| *effect).zip(done.iter().copied());
                for (effect, when) in effects.chain([(idle, none)]) {
                    let from = self.any_state(part, |from| effect[from] == Some(state));
                    ways.push(self.net.and([from, when]));
                }
                let next = self.net.or(ways);
                self.net.next(self.states[part][state], next);
            }
        }
        for step in 0..STEPS {
            let now = self.net.truth(self.clock[step]);
            self.net.next(self.clock[step + 1], now);
        }
    }

    /// For each two moves a random effect; nothing changes if a player passes.
    fn add_clash(&mut self, part: usize, random: &mut Random) {
        let players = self.players.clone();
        let of = |role: usize| (0..players.len()).filter(|&m| players[m] == role).collect();
        let [ones, others]: [Vec<usize>; 2] = [of(0), of(1)];
        let pairs = ones.iter().flat_map(|&one| others.iter().map(move |&other| (one, other)));
        let mut effects = Vec::new();
        for (one, other) in pairs {
            let both = [one, other].map(|place| self.net.does(self.moves[place].0));
            effects.push((effect(random, true), self.net.and(both)));
        }
        let any = self.net.or(effects.iter().map(|(_, when)| *when).collect::<Vec<_>>());
        effects.push((std::array::from_fn(Some), self.net.not(any)));
        for state in 0..STATES {
            let mut ways = Vec::new();
            for &(effect, when) in &effects {
                let from = self.any_state(part, |from| effect[from] == Some(state));
                ways.push(self.net.and([from, when]));
            }
            let next = self.net.or(ways);
            self.net.next(self.states[part][state], next);
        }
    }

    fn add_end(&mut self, ending: Ending, random: &mut Random) {
        let (one, other) = (random.below(STATES), random.below(STATES));
        let ends = [self.any_state(0, |s| s == one), self.any_state(1, |s| s == other)];
        let parts = match ending {
            Ending::Clock => self.net.constant(false),
            Ending::Either => self.net.or(ends),
            Ending::Both => self.net.and(ends),
        };
        let late = self.net.truth(self.clock[STEPS]);
        let terminal = self.net.or([parts, late]);
        self.net.terminal(terminal);
    }

    fn add_goals(&mut self, random: &mut Random) {
        let worth: [[u32; 2]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| [0, 50, 100][random.below(3)]));
        let classes: Vec<Vec<usize>> =
            (0..2).map(|_| (0..STATES).map(|_| random.below(2)).collect()).collect();
        for (role, sign) in (0..self.roles.len()).zip([false, true]) {
            for value in [0, 50, 100] {
                let mut ways = Vec::new();
                for (one, row) in worth.iter().enumerate() {
                    for (other, &found) in row.iter().enumerate() {
                        if value == if sign { 100 - found } else { found } {
                            let first = self.any_state(0, |state| classes[0][state] == one);
                            let second = self.any_state(1, |state| classes[1][state] == other);
                            ways.push(self.net.and([first, second]));
                        }
                    }
                }
                let goal = self.net.or(ways);
                self.net.goal(self.roles[role], value, goal);
            }
        }
    }
}

/// A way to put parts together.
#[derive(Clone, Copy, Debug)]
struct Way {
    roles: usize,
    parts: usize,
    turn: Turn,
    glue: Glue,
    ending: Ending,
}

fn glued(way: Way, seed: u64) -> Glued {
    let mut random = Random::new(seed);
    let mut builder = Builder::new(way.roles, way.parts, way.turn);
    builder.add_moves(way.glue, &mut random);
    builder.add_transitions(way.glue, &mut random);
    builder.add_end(way.ending, &mut random);
    builder.add_goals(&mut random);
    let parts = builder.states.clone();
    Glued { net: builder.net.finish().expect("all moves of a role stand together"), parts }
}

fn check(way: Way, seeds: u64) {
    let mut compared = 0;
    for seed in 0..seeds {
        let game = glued(way, seed);
        let circuit = Circuit::compile(&game.net, &CompileOptions::default()).expect("small");
        let options = SolveOptions {
            choice: if way.roles == 1 { Choice::Search } else { Choice::Listing },
            pruning: false,
            ..SolveOptions::default()
        };
        let whole = solve(&game.net, &circuit, &options);
        let mut start = circuit.initial().words().to_vec();
        start.resize(1, 0);
        let task = Task { net: &game.net, circuit: &circuit, start: &start, options: &options };
        let parts = factored(&task, &game.parts, &Limits::default(), &mut Unobserved, &mut nobody);
        let parts = parts.and_then(|found| found.map_err(|_| NotFactored::Value));
        if let Ok(whole) = &whole {
            check_residues(&task, whole);
        }
        if way.turn == Turn::Alternate && way.roles == 2 {
            check_replies(&task, &game.parts);
        }
        match (whole, parts) {
            (Ok(whole), Ok(parts)) => {
                assert_eq!(parts.values, whole.values, "{way:?} {seed}");
                compared += 1;
            }
            // A part that nothing changes is none; some mixed values have too many digits.
            (_, Err(reason)) => {
                assert!(
                    matches!(reason, NotFactored::Whole | NotFactored::Value),
                    "{way:?} {seed}"
                );
            }
            (Err(_), Ok(_)) => {}
        }
    }
    assert!(compared * 2 > seeds, "{way:?} {compared}");
}

/// What is solved by residues, and within bounds, is what the whole says.
fn check_residues(task: &Task<'_>, whole: &Solution) {
    let limits = Limits::default();
    let residues = by_residues(task, &limits, &mut Unobserved, &mut nobody).expect("it is small");
    let residues = residues.expect("it has a value");
    assert_eq!(residues.values, whole.values);
    if task.net.roles.len() == 2 {
        let within = mixed(task, &limits, None, &mut Unobserved).expect("it has a value");
        for (bounds, exact) in within.expect("it is small").values.iter().zip(&whole.values) {
            assert!(
                bounds.is_settled() && bounds.least <= exact.least && exact.most <= bounds.most
            );
        }
    }
}

/// Replies by parts never lose what a role could force before, whatever the others did.
pub(super) fn check_replies(task: &Task<'_>, hint: &[Vec<FluentId>]) {
    let limits = Limits::default();
    let Some(mut replies) = PartReplies::of(task, hint, &limits) else { return };
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let listing = list(&mut game, task.start, &limits).expect("it is small");
    let nothing = Store::new(game.width());
    for role in 0..2 {
        let forced = forced_values(&listing, role, Reading::Least).values;
        for state in listing.states().filter(|&state| !listing.over(state)) {
            let looks = game.look(listing.store.row(state));
            let reply = replies
                .reply(role, listing.store.row(state), &looks, &nothing)
                .expect("there is one");
            let numbers = 0..listing.successors(state).len();
            let mut kept = numbers.filter(|&n| listing.joint_move(state, n)[role] == reply);
            assert!(
                kept.all(|n| forced[listing.successors(state)[n].index()] >= forced[state.index()])
            );
        }
    }
}

const IN_TURN: [Glue; 4] = [Glue::Apart, Glue::Drifting, Glue::Compound, Glue::Serial];
const AT_ONCE: [Glue; 4] = [Glue::Apart, Glue::Drifting, Glue::Serial, Glue::Clash];

fn check_all(roles: usize, parts: usize, turn: Turn, seeds: u64) {
    for glue in if turn == Turn::AtOnce { AT_ONCE } else { IN_TURN } {
        for ending in [Ending::Clock, Ending::Either, Ending::Both] {
            check(Way { roles, parts, turn, glue, ending }, seeds);
        }
    }
}

#[test]
fn plans_for_glued_games_are_those_of_the_whole() {
    check_all(1, 2, Turn::Alternate, 60);
    check_all(1, 3, Turn::Alternate, 10);
}

#[test]
fn values_of_glued_games_in_turn_are_those_of_the_whole() {
    check_all(2, 2, Turn::Alternate, 60);
    check_all(2, 3, Turn::Alternate, 10);
}

#[test]
fn values_of_glued_games_at_once_are_those_of_the_whole() {
    check_all(2, 2, Turn::AtOnce, 20);
}

/// Two heaps one after the other; who takes the last counter of a heap has half the game. What was
/// taken from the first is remembered, but of no use.
const ONE_AFTER_THE_OTHER: &str = "(role a) (role b) (init (heap 1 9)) (init (heap 2 8)) (init (turn a))
    (minus 1 1 0) (minus 2 1 1) (minus 3 1 2) (minus 4 1 3) (minus 5 1 4) (minus 6 1 5) (minus 7 1 6)
    (minus 8 1 7) (minus 9 1 8) (minus 2 2 0) (minus 3 2 1) (minus 4 2 2) (minus 5 2 3) (minus 6 2 4)
    (minus 7 2 5) (minus 8 2 6) (minus 9 2 7)
    (<= over1 (true (heap 1 0)))
    (<= (legal ?p (take 1 ?k)) (true (turn ?p)) (not over1) (true (heap 1 ?n)) (minus ?n ?k ?m))
    (<= (legal ?p (take 2 ?k)) (true (turn ?p)) over1 (true (heap 2 ?n)) (minus ?n ?k ?m))
    (<= (legal a wait) (true (turn b))) (<= (legal b wait) (true (turn a)))
    (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
    (<= (next (heap ?h ?m)) (does ?p (take ?h ?k)) (true (heap ?h ?n)) (minus ?n ?k ?m))
    (<= (next (heap 1 ?n)) (true (heap 1 ?n)) over1)
    (<= (next (heap 2 ?n)) (true (heap 2 ?n)) (not over1))
    (<= (next (taken ?n)) (does ?p (take 1 2)) (true (heap 1 ?n)))
    (<= (next (taken ?n)) (true (taken ?n)))
    (<= (next (last ?h ?p)) (does ?p (take ?h ?k)))
    (<= (next (last 1 ?p)) (true (last 1 ?p)) over1)
    (<= terminal (true (heap 2 0)))
    (<= (goal ?p 100) (true (last 1 ?p)) (true (last 2 ?p)))
    (<= (goal ?p 50) (true (last 1 ?p)) (role ?q) (distinct ?p ?q) (true (last 2 ?q)))
    (<= (goal ?p 50) (true (last 2 ?p)) (role ?q) (distinct ?p ?q) (true (last 1 ?q)))
    (<= (goal ?p 0) (role ?p) (not (true (last 1 ?p))) (not (true (last 2 ?p))))";

#[test]
fn of_a_part_that_is_over_only_the_result_counts() {
    let rules = gambol_syntax::read(ONE_AFTER_THE_OTHER.as_bytes(), &Default::default());
    let rules = rules.rules.expect("the rules parse");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("they ground");
    let net = gambol_net::simplify(&gambol_net::build(&ground).expect("they make a net"));
    let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("and a circuit");
    let options = SolveOptions { choice: Choice::Listing, ..SolveOptions::default() };
    let whole = solve(&net, &circuit, &options).expect("it is small");
    let start = CircuitDynamics::new(&net, &circuit).start();
    let task = Task { net: &net, circuit: &circuit, start: &start, options: &options };
    let limits = Limits::default();
    let residues = by_residues(&task, &limits, &mut Unobserved, &mut nobody).expect("it is small");
    let residues = residues.expect("it has a value");
    assert_eq!(residues.values, whole.values);
    assert!(residues.nodes * 5 < whole.nodes, "{} {}", residues.nodes, whole.nodes);
}
