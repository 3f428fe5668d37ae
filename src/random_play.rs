//! Random games on a machine that plays one state at a time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::RoleId;
use gambol_sim::{GoalCount, Tally};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::machine::{Machine, MachineError};

/// How much to play.
#[derive(Clone, Debug)]
pub struct RandomPlay<'a> {
    /// Stop after this many games.
    pub playouts: Option<u64>,
    /// Start no game after so much time.
    pub time: Option<Duration>,
    /// Game number `n` depends on this and on `n` alone.
    pub seed: u64,
    /// Cut a game off after this many steps.
    pub max_steps: u32,
    /// Raised from outside to stop.
    pub stop: Option<&'a AtomicBool>,
}

/// Plays random games: each role chooses uniformly among its legal moves.
///
/// Goals are counted for games that ended by themselves, not for those cut off or stuck.
pub fn play_at_random<M: Machine>(
    machine: &mut M,
    play: &RandomPlay<'_>,
) -> Result<Tally, MachineError> {
    let started = Instant::now();
    let mut tally = nothing_played();
    let initial = machine.initial()?;
    while goes_on(play, &tally, started) {
        let mut random = generator(play.seed, tally.playouts);
        let played = play_one(machine, initial.clone(), play, &mut random);
        match played.and_then(|end| end.count(machine, &mut tally)) {
            Ok(()) => {}
            // A game cut short from outside is not counted.
            Err(_) if is_stopped(play) => break,
            Err(error) => return Err(error),
        }
    }
    tally.seconds = started.elapsed().as_secs_f64();
    tally.thread_seconds = tally.seconds;
    tally.goals.sort_by_key(|goal| (goal.role, goal.value));
    Ok(tally)
}

/// One thread that plays one game at a time.
fn nothing_played() -> Tally {
    Tally {
        playouts: 0,
        steps: 0,
        lengths: Vec::new(),
        goals: Vec::new(),
        stuck: 0,
        capped: 0,
        undefined_goals: 0,
        seconds: 0.0,
        thread_seconds: 0.0,
        lanes: 1,
        threads: 1,
        engine: "one state at a time",
    }
}

/// Counts a game that has come to its end.
fn count_end(tally: &mut Tally, goals: &[Option<u32>], steps: u32) {
    let length = steps as usize;
    if tally.lengths.len() <= length {
        tally.lengths.resize(length + 1, 0);
    }
    tally.lengths[length] += 1;
    tally.undefined_goals += u64::from(goals.contains(&None));
    for (role, value) in goals.iter().enumerate() {
        let Some(value) = *value else { continue };
        let role = RoleId::from_index(role);
        let known = tally.goals.iter_mut().find(|goal| (goal.role, goal.value) == (role, value));
        match known {
            Some(goal) => goal.count += 1,
            None => tally.goals.push(GoalCount { role, value, count: 1 }),
        }
    }
}

/// The generator of one game. Seeds and numbers are small and alike, so both are mixed well:
/// otherwise neighbouring games would begin alike.
fn generator(seed: u64, game: u64) -> Xoshiro256PlusPlus {
    let of_seed: u64 = Xoshiro256PlusPlus::seed_from_u64(seed).random();
    Xoshiro256PlusPlus::seed_from_u64(of_seed.wrapping_add(game))
}

fn goes_on(play: &RandomPlay<'_>, tally: &Tally, started: Instant) -> bool {
    play.playouts.is_none_or(|playouts| tally.playouts < playouts)
        && play.time.is_none_or(|time| started.elapsed() < time)
        && !is_stopped(play)
}

fn is_stopped(play: &RandomPlay<'_>) -> bool {
    play.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// How one game ended.
enum End<S> {
    Terminal(S, u32),
    Stuck(u32),
    Capped(u32),
}

impl<S> End<S> {
    fn count<M: Machine<State = S>>(
        self,
        machine: &mut M,
        tally: &mut Tally,
    ) -> Result<(), MachineError> {
        let steps = match self {
            End::Terminal(state, steps) => {
                count_end(tally, &machine.goals(&state)?, steps);
                steps
            }
            End::Stuck(steps) => {
                tally.stuck += 1;
                steps
            }
            End::Capped(steps) => {
                tally.capped += 1;
                steps
            }
        };
        tally.steps += u64::from(steps);
        tally.playouts += 1;
        Ok(())
    }
}

fn play_one<M: Machine>(
    machine: &mut M,
    mut state: M::State,
    play: &RandomPlay<'_>,
    random: &mut Xoshiro256PlusPlus,
) -> Result<End<M::State>, MachineError> {
    let mut steps = 0;
    let mut joint = Vec::new();
    while !machine.terminal(&state)? {
        if steps == play.max_steps {
            return Ok(End::Capped(steps));
        }
        let legal = machine.legal(&state)?;
        if legal.iter().any(Vec::is_empty) {
            return Ok(End::Stuck(steps));
        }
        joint.clear();
        joint.extend(legal.iter().map(|moves| moves[random.random_range(0..moves.len())].clone()));
        state = machine.next(&state, &joint)?;
        steps += 1;
    }
    Ok(End::Terminal(state, steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, NetMachine};

    #[test]
    fn random_tic_tac_toe_has_its_known_averages() {
        let game = Game::bundled("tic-tac-toe").unwrap();
        let mut machine = NetMachine::new(game.net().unwrap());
        let play =
            RandomPlay { playouts: Some(20_000), time: None, seed: 1, max_steps: 9, stop: None };
        let outcomes = play_at_random(&mut machine, &play).unwrap();
        // By counting: 7.626 steps, of deviation 1.37; the first player wins 58.5 %, draws 12.7 %.
        assert!((outcomes.mean_length() - 7.626).abs() < 5.0 * 1.37 / 141.0, "{outcomes:?}");
        let first = outcomes.mean_goal(RoleId::from_index(0));
        assert!((first - 64.85).abs() < 5.0 * 45.0 / 141.0, "{first}");
    }

    #[test]
    fn games_without_end_are_cut_and_games_without_moves_are_stuck() {
        let outcomes_of = |text: &str| {
            let game = Game::read(text.as_bytes(), &Default::default()).unwrap();
            let play =
                RandomPlay { playouts: Some(3), time: None, seed: 1, max_steps: 5, stop: None };
            play_at_random(&mut NetMachine::new(game.net().unwrap()), &play).unwrap()
        };
        let rules = "(role r) (init p) (<= terminal (true q)) (goal r 100)";
        let endless = outcomes_of(&format!("{rules} (legal r go) (<= (next p) (true p))"));
        assert_eq!((endless.capped, endless.stuck, endless.steps), (3, 0, 15));
        let stuck = outcomes_of(&format!("{rules} (<= (legal r go) (true p))"));
        assert_eq!((stuck.capped, stuck.stuck, stuck.steps), (0, 3, 3));
        assert_eq!(stuck.lengths, [0; 0]);
    }
}
