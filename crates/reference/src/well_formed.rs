//! Whether a game is well formed in play: every play ends, every role can always move, and at the
//! end each has one goal value from 0 to 100. Small games are searched through, others played.

use rustc_hash::FxHashMap;

use crate::explore::Exploration;
use crate::inspect::{Inspector, Position};
use crate::playout::random_joint_move;
use crate::random::Random;
use crate::{Fault, Finding, GroundTerm, Interpreter, ReferenceError, State};

/// How far to look.
#[derive(Clone, Debug)]
pub struct WellFormedOptions {
    /// Games with at most this many states are searched through.
    pub states: usize,
    /// How often other games are played.
    pub playouts: u64,
    /// The seed of the first playout; the others follow.
    pub seed: u64,
    /// The length at which a playout is given up.
    pub max_steps: usize,
}

impl Default for WellFormedOptions {
    fn default() -> Self {
        Self { states: 2_000, playouts: 100, seed: 1, max_steps: 1_000 }
    }
}

/// What was looked at, and what was found.
#[derive(Clone, Debug, Default)]
pub struct WellFormed {
    /// Each fault once per role, with the first play that showed it.
    pub findings: Vec<Finding>,
    /// Whether every state was seen: then what was not found is not there.
    pub complete: bool,
    /// States seen in the search.
    pub states: usize,
    /// Terminal states among them.
    pub terminal_states: usize,
    /// Joint moves between them.
    pub transitions: usize,
    /// Games played at random.
    pub playouts: u64,
    /// Those given up for their length.
    pub capped: u64,
    /// Whether each role had 100 at the end of some play that was seen.
    pub won: Vec<bool>,
    /// Why looking ended early, if it did.
    pub error: Option<ReferenceError>,
}

/// Searches through a small game, or plays a larger one.
pub fn well_formed(game: &mut Interpreter, options: &WellFormedOptions) -> WellFormed {
    let mut report = WellFormed::default();
    let mut inspector = match Inspector::new(game) {
        Ok(inspector) => inspector,
        Err(error) => return WellFormed { error: Some(error), ..report },
    };
    report.error = look(game, options, &mut inspector, &mut report).err();
    report.findings = inspector.findings;
    report.won = inspector.won;
    report
}

/// Searches for every state of a game with at most `limit` states.
pub fn explore(game: &mut Interpreter, limit: usize) -> WellFormed {
    let options = WellFormedOptions { states: limit, playouts: 0, ..WellFormedOptions::default() };
    well_formed(game, &options)
}

fn look(
    game: &mut Interpreter,
    options: &WellFormedOptions,
    inspector: &mut Inspector,
    report: &mut WellFormed,
) -> Result<(), ReferenceError> {
    search(game, options.states, inspector, report)?;
    if report.complete {
        return Ok(());
    }
    for number in 0..options.playouts {
        let mut random = Random::seeded(options.seed.wrapping_add(number));
        let mut choose = |legal: &[Vec<GroundTerm>]| random_joint_move(&mut random, legal).ok();
        let ended = play(game, options.max_steps, inspector, &mut choose)?;
        report.playouts += 1;
        report.capped += u64::from(!ended);
    }
    // Who always does the same comes to ends that random games miss.
    for pick in [<[GroundTerm]>::first, <[GroundTerm]>::last] {
        let mut choose =
            |legal: &[Vec<GroundTerm>]| legal.iter().map(|moves| pick(moves).copied()).collect();
        play(game, options.max_steps, inspector, &mut choose)?;
    }
    Ok(())
}

fn search(
    game: &mut Interpreter,
    limit: usize,
    inspector: &mut Inspector,
    report: &mut WellFormed,
) -> Result<(), ReferenceError> {
    let mut exploration = Exploration::default();
    let outcome = exploration.run(game, inspector, limit);
    exploration.inspect_termination(inspector);
    if exploration.complete {
        inspector.inspect_winnability();
    }
    report.complete = exploration.complete;
    report.states = exploration.states();
    report.terminal_states = exploration.terminal_states();
    report.transitions = exploration.transitions();
    outcome
}

/// A move of each role.
type JointMove = Vec<GroundTerm>;

/// Plays one game and checks every state on the way; says whether it ended by itself.
fn play(
    game: &mut Interpreter,
    max_steps: usize,
    inspector: &mut Inspector,
    choose: &mut dyn FnMut(&[Vec<GroundTerm>]) -> Option<JointMove>,
) -> Result<bool, ReferenceError> {
    let mut moves: Vec<Vec<GroundTerm>> = Vec::new();
    let mut visited: FxHashMap<State, usize> = FxHashMap::default();
    let mut state = game.initial()?;
    let mut before: Option<Position> = None;
    loop {
        let position = inspector.inspect(game, &state, &|| moves.clone())?;
        if let Some(before) = &before {
            inspector.inspect_step(before, &position, &|| moves.clone());
        }
        let Some(joint) = choose(&position.legal) else { return Ok(true) };
        if let Some(first) = visited.insert(state.clone(), moves.len()) {
            let witness = || moves[..first].to_vec();
            inspector.report(Fault::Nonterminating, None, None, &witness);
        }
        if moves.len() >= max_steps {
            return Ok(false);
        }
        state = game.next(&state, &joint)?;
        moves.push(joint);
        before = Some(position);
    }
}
