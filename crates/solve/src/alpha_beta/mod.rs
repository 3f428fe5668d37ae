//! Two players in turn with opposite interests, searched from the start.

mod board;
mod checkpoint;
mod engine;
mod knowledge;
mod lifelines;
mod replies;
mod report;
mod table;
pub(crate) mod ternary;
mod trial;
mod weights;

use gambol_net::MoveId;

pub(crate) use self::board::Board;
pub use self::checkpoint::BadCheckpoint;
pub(crate) use self::replies::Replies;

use self::board::Turn;
use self::engine::{Engine, Halt, Reading};
use self::report::Report;
use self::weights::Weights;
use crate::circuit_dynamics::CircuitDynamics;
use crate::limits::{Meter, Unfinished};
use crate::random_walk::common_sum;
use crate::solve::Task;
use crate::{Bounds, Dynamics, Meaning, Method, Observer, Solution};

/// Why this search is not for the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NotForUs {
    #[error("there are not two players")]
    Roles,
    #[error("the goals of the two players do not add up to the same sum in every end")]
    Sum,
    #[error("both players can choose at the same time")]
    Simultaneous,
    #[error("a player can be without a move although the game goes on")]
    Stuck,
    #[error("a line of play has no end in sight")]
    Deep,
    #[error("states have too many fluents")]
    Large,
    #[error("{0}")]
    Checkpoint(#[from] BadCheckpoint),
}

/// The value of a game for two players in turn.
pub(crate) fn alpha_beta(
    task: &Task<'_>,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Result<Solution, NotForUs> {
    let board = board_of(task)?;
    match task.start.len() {
        1 => Search::<1>::new(task, &board).run(resume, observer),
        2 => Search::<2>::new(task, &board).run(resume, observer),
        3..=4 => Search::<4>::new(task, &board).run(resume, observer),
        5..=8 => Search::<8>::new(task, &board).run(resume, observer),
        9..=16 => Search::<16>::new(task, &board).run(resume, observer),
        _ => Err(NotForUs::Large),
    }
}

/// The game as the search sees it, if it is one for this search as far as random games tell.
pub(crate) fn board_of(task: &Task<'_>) -> Result<Board, NotForUs> {
    if task.net.roles.len() != 2 {
        return Err(NotForUs::Roles);
    }
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let sum = common_sum(&mut game, task.start, task.options.seed).ok_or(NotForUs::Sum)?;
    Board::of(task.net, task.circuit, sum).ok_or(NotForUs::Large)
}

/// Nodes before weights are tried out.
const FIRST_NODES: u64 = 20_000;

struct Search<'a, const K: usize> {
    task: &'a Task<'a>,
    board: &'a Board,
    root: [u64; K],
    nodes: u64,
    /// The weights found by trial, if there was need of any.
    weights: Option<Weights>,
}

/// What a search has proved: places of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    least: u8,
    most: u8,
}

impl<'a, const K: usize> Search<'a, K> {
    fn new(task: &'a Task<'a>, board: &'a Board) -> Self {
        let mut root = [0; K];
        root[..task.start.len()].copy_from_slice(task.start);
        Self { task, board, root, nodes: 0, weights: None }
    }

    fn run(
        mut self,
        resume: Option<&[u8]>,
        observer: &mut dyn Observer,
    ) -> Result<Solution, NotForUs> {
        let mut game = CircuitDynamics::new(self.task.net, self.task.circuit);
        let looks = game.look(self.task.start);
        if looks.over(0) {
            let values = looks.goals(0).iter().map(|goal| Bounds::exact(goal.unwrap_or(0)));
            return Ok(self.solution(values.collect(), Vec::new(), None));
        }
        let (turn, moves) = root_turn(&looks)?;
        let meter = Meter::start(&self.task.options.limits);
        let bytes = self.task.options.limits.memory_mib << 20;
        let mut engine =
            Engine::<K>::new(self.board, self.task.circuit, bytes / 10 * 9, meter.clone());
        let fingerprint = checkpoint::fingerprint(self.task);
        let mut range = Range { least: 0, most: self.board.top() };
        let mut halt = Err(Halt::Nodes);
        let mut weights = None;
        if let Some(bytes) = resume {
            let checkpoint = checkpoint::read::<K>(bytes, fingerprint)?;
            checkpoint.entries.iter().for_each(|(key, entry)| engine.table.add(key, *entry));
            (range, engine.nodes) = (checkpoint.range, checkpoint.nodes);
            weights = Some(checkpoint.weights);
        } else if !self.task.options.pruning {
            weights = Some(Weights::PLAIN);
        } else {
            engine.most_nodes = FIRST_NODES;
            halt = self.bisect(&mut engine, turn, &moves, &mut range);
            engine.most_nodes = u64::MAX;
        }
        if halt == Err(Halt::Nodes) {
            observer.progress(engine.nodes, "trying weights");
            let seed = self.task.options.seed;
            let best = || trial::best_weights::<K>(self.task, self.board, &meter, seed);
            engine.weights = weights.unwrap_or_else(best);
            self.weights = Some(engine.weights);
            engine.report = Some(Report::new(observer, fingerprint));
            halt = self.bisect(&mut engine, turn, &moves, &mut range);
            engine.report = None;
        }
        if engine.ambiguous {
            (range, halt) = self.both_readings(&mut engine, turn, &moves);
        }
        self.nodes = engine.nodes;
        let unfinished = match halt {
            Ok(()) => None,
            Err(Halt::Unfinished(unfinished)) => Some(unfinished),
            Err(Halt::Nodes) => Some(Unfinished::Time),
            Err(Halt::Simultaneous) => return Err(NotForUs::Simultaneous),
            Err(Halt::Stuck) => return Err(NotForUs::Stuck),
            Err(Halt::Sum) => return Err(NotForUs::Sum),
            Err(Halt::Deep) => return Err(NotForUs::Deep),
        };
        let line = match unfinished {
            None if !engine.ambiguous => self.line(&mut engine, turn, &moves, range.least),
            _ => Vec::new(),
        };
        let (least, most) = (self.value(range.least), self.value(range.most));
        let sum = self.board.sum;
        let values = vec![Bounds::between(least, most), Bounds::between(sum - most, sum - least)];
        Ok(self.solution(values, line, unfinished))
    }

    /// Where the rules leave a goal open, the value is proved only if it is the same both ways.
    fn both_readings(
        &mut self,
        engine: &mut Engine<'_, K>,
        turn: Turn,
        moves: &[u32],
    ) -> (Range, Result<(), Halt>) {
        let mut whole = Range { least: 0, most: self.board.top() };
        // What is still possible is known for single goals only.
        engine.weights.bounds = false;
        let bytes = self.task.options.limits.memory_mib << 20;
        for reading in [Reading::Least, Reading::Most] {
            engine.reading = reading;
            engine.table = table::Table::within(bytes / 10 * 9);
            let mut range = Range { least: 0, most: self.board.top() };
            let halt = self.bisect(engine, turn, moves, &mut range);
            match reading {
                Reading::Least => whole.least = range.least,
                Reading::Most => whole.most = range.most,
            }
            if halt.is_err() {
                return (whole, halt);
            }
        }
        (whole, Ok(()))
    }

    /// Asks about values from the middle until one is left.
    fn bisect(
        &mut self,
        engine: &mut Engine<'_, K>,
        turn: Turn,
        moves: &[u32],
        range: &mut Range,
    ) -> Result<(), Halt> {
        while range.least < range.most {
            let middle = range.least + (range.most - range.least).div_ceil(2);
            if let Some(report) = &mut engine.report {
                report.range = *range;
            }
            let value = engine.search(0, &self.root, turn, moves, middle)?;
            if value >= middle {
                range.least = value;
            } else {
                range.most = value;
            }
        }
        Ok(())
    }

    /// Best play from the root, as far as time allows.
    fn line(
        &self,
        engine: &mut Engine<'_, K>,
        turn: Turn,
        moves: &[u32],
        value: u8,
    ) -> Vec<Vec<MoveId>> {
        let (mut state, mut turn, mut moves) = (self.root, turn, moves.to_vec());
        let mut line = Vec::new();
        loop {
            let mut frame = engine.take_frame(0);
            if engine.expand(&state, turn, &moves, &mut frame).is_err() {
                return line;
            }
            let first = turn.mover == 0;
            let keeps = |engine: &mut Engine<'_, K>, place: usize| {
                let child = &frame.children[place];
                // The mover keeps the value if the answer is good enough for it.
                let (proved, target) = if first {
                    (child.least >= value, value)
                } else {
                    (child.most <= value, value + 1)
                };
                if child.over || proved {
                    return Ok(proved);
                }
                let found =
                    engine.search(1, &child.state, child.turn, frame.moves_of(child), target)?;
                Ok::<bool, Halt>(if first { found >= value } else { found <= value })
            };
            let trivial = if first { value == 0 } else { value == self.board.top() };
            let place = match trivial {
                true => Some(0),
                false => (0..frame.children.len()).find(|&place| keeps(engine, place) == Ok(true)),
            };
            let Some(place) = place else { return line };
            let child = frame.children[place];
            let mut joint = vec![MoveId::new(child.action), MoveId::new(turn.other)];
            if !first {
                joint.swap(0, 1);
            }
            line.push(joint);
            if child.over {
                return line;
            }
            (state, turn, moves) = (child.state, child.turn, frame.moves_of(&child).to_vec());
        }
    }

    fn value(&self, place: u8) -> u32 {
        self.board.values[usize::from(place)]
    }

    fn solution(
        &self,
        values: Vec<Bounds>,
        line: Vec<Vec<MoveId>>,
        unfinished: Option<Unfinished>,
    ) -> Solution {
        Solution {
            values,
            meaning: Meaning::Opposed,
            line,
            shortest: false,
            method: Method::AlphaBeta,
            nodes: self.nodes,
            states: self.nodes,
            unfinished,
            notes: self.weights.iter().map(|weights| weights.in_words()).collect(),
        }
    }
}

/// Whose turn it is at the root, and the moves.
fn root_turn(looks: &crate::Looks) -> Result<(Turn, Vec<u32>), NotForUs> {
    let (one, other) = (looks.moves(0, 0), looks.moves(0, 1));
    match (one.len(), other.len()) {
        (0, _) | (_, 0) => Err(NotForUs::Stuck),
        (_, 1) => Ok((Turn { mover: 0, other: other[0] }, one.to_vec())),
        (1, _) => Ok((Turn { mover: 1, other: one[0] }, other.to_vec())),
        _ => Err(NotForUs::Simultaneous),
    }
}
