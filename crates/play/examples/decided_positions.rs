//! How often a player keeps what it has: positions of a game of two players in turn, labelled by the exact solver.
//!
//! `cargo run --release -p gambol-play --example decided_positions -- RULES FIRST LAST COUNT SECONDS PLAYER...`
//!
//! Positions come from games of uniform random moves, stopped after FIRST to LAST steps. One counts if every move in it
//! was solved and some move throws the value away. Each player, given as for `gambol match --local`, thinks about each
//! of them for SECONDS and has kept the value if its move does. Nothing is solved while it thinks.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::{MoveId, RoleId};
use gambol_play::{Agent, Effort, Prepared, Settings};
use gambol_sim::{Evaluator, State};
use gambol_solve::{Limits, SolveOptions, solve};

/// One solution may take so long; a position with a move that takes longer is left out.
const LONGEST: Duration = Duration::from_secs(20);
/// Learning before the first position, as in a start clock.
const LESSON: Duration = Duration::from_secs(10);

/// A state, who chooses in it, and the moves that keep its value.
struct Position {
    state: State,
    role: RoleId,
    moves: usize,
    keeping: Vec<MoveId>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, first, last, count, seconds, players @ ..] = arguments.as_slice() else {
        return Err("RULES FIRST LAST COUNT SECONDS PLAYER...".into());
    };
    let (first, last): (u64, u64) = (first.parse()?, last.parse()?);
    let (count, time): (usize, f64) = (count.parse()?, seconds.parse()?);
    let rules = gambol_syntax::read(&std::fs::read(rules)?, &Default::default()).rules;
    let rules = gambol_syntax::repair(rules.ok_or("does not parse")?).rules.ok_or("no game")?;
    let ground = gambol_ground::instantiate(&rules, &Default::default())?;
    let net = gambol_net::simplify(&gambol_net::build(&ground)?);
    let prepared = Arc::new(Prepared::new(net)?);
    let mut positions: Vec<Position> = Vec::new();
    for seed in 1..=40 * count as u64 {
        if positions.len() < count {
            positions.extend(labelled(&prepared, first, last, seed));
        }
    }
    let chance = positions.iter().map(|one| one.keeping.len() as f64 / one.moves as f64);
    let chance = 100.0 * chance.sum::<f64>() / positions.len().max(1) as f64;
    println!("{} positions, of which uniform random moves keep {chance:.1} %", positions.len());
    prepared.study(LESSON, &Arc::new(AtomicBool::new(false)));
    prepared.learn(LESSON, &AtomicBool::new(false));
    for player in players {
        let settings: Settings = player.parse()?;
        let kept = positions.iter().filter(|one| keeps(&prepared, &settings, one, time)).count();
        let share = 100.0 * kept as f64 / positions.len().max(1) as f64;
        println!("{player}: kept {kept} of {} ({share:.1} %)", positions.len());
    }
    Ok(())
}

/// A position after some random steps; `None` if it is not decided by the move, or was not solved in time.
fn labelled(prepared: &Prepared, first: u64, last: u64, seed: u64) -> Option<Position> {
    let mut evaluator = Evaluator::new(prepared.circuit());
    let mut draws = Draws(seed);
    let mut state = prepared.circuit().initial();
    for _ in 0..first + draws.below(last - first + 1) {
        let joint = any_joint_move(prepared, &evaluator.legal(&state), &mut draws)?;
        state = evaluator.next(&state, &joint);
        if evaluator.terminal(&state) {
            return None;
        }
    }
    let legal = evaluator.legal(&state);
    let of_role =
        |role: RoleId| legal.iter().copied().filter(move |&one| role_of(prepared, one) == role);
    let role = prepared.net().roles.ids().find(|&role| of_role(role).count() > 1)?;
    let other = RoleId::from_index(1 - role.index());
    let waiting = of_role(other).next().filter(|_| of_role(other).count() == 1)?;
    let mut values = Vec::new();
    for action in of_role(role) {
        let mut joint = [waiting; 2];
        joint[role.index()] = action;
        values.push((action, value(prepared, &evaluator.next(&state, &joint), role)?));
    }
    let best = values.iter().map(|(_, value)| *value).max()?;
    let keeping: Vec<MoveId> =
        values.iter().filter(|(_, value)| *value == best).map(|(action, _)| *action).collect();
    (keeping.len() < values.len()).then(|| Position { state, role, moves: values.len(), keeping })
}

fn role_of(prepared: &Prepared, action: MoveId) -> RoleId {
    prepared.net().moves[action].role
}

fn any_joint_move(prepared: &Prepared, legal: &[MoveId], draws: &mut Draws) -> Option<Vec<MoveId>> {
    let roles = prepared.net().roles.ids();
    let drawn = roles.map(|role| {
        let own: Vec<MoveId> =
            legal.iter().copied().filter(|&one| role_of(prepared, one) == role).collect();
        own.get(draws.below(own.len() as u64) as usize).copied()
    });
    drawn.collect()
}

/// What a state is worth to a role by best play.
fn value(prepared: &Prepared, state: &State, role: RoleId) -> Option<u32> {
    let mut evaluator = Evaluator::new(prepared.circuit());
    if evaluator.terminal(state) {
        return Some(evaluator.goals(state)[role].unwrap_or(0));
    }
    let mut options = SolveOptions::default();
    options.at = Some(prepared.circuit().fluents_of(state));
    options.limits = Limits { time: Some(LONGEST), ..Limits::default() };
    let solution = solve(prepared.net(), prepared.circuit(), &options).ok()?;
    u32::try_from(solution.values[role.index()].value()?.whole()?).ok()
}

fn keeps(prepared: &Arc<Prepared>, settings: &Settings, one: &Position, time: f64) -> bool {
    let mut settings = settings.clone();
    settings.solve = false;
    let mut agent = Agent::new(prepared, settings);
    agent.go_to(one.state.clone());
    let until = Effort::Until(Instant::now() + Duration::from_secs_f64(time));
    let decision = agent.decide(one.role, until, &AtomicBool::new(false));
    decision.is_some_and(|decision| one.keeping.contains(&decision.action))
}

/// Numbers that look random (a linear congruential generator; Knuth).
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}
