//! Two players in turn, searched from the start.
//!
//! Random games suggest what the goals of both add up to. That need not be so in every end, but every
//! end that an answer rests on is looked at. "The first role gets at least v" is shown by a finite tree of
//! play: at each of its ends the first role has v or more and the goals add up to the sum, so the
//! same strategy holds the second role to what is left. "At most v" is shown by such a tree of the second
//! role, in which it has what is left or more. Ends outside both trees do not matter. What no tree shows,
//! that nobody gets less than its least goal or more than its greatest, is read off the goals the rules
//! have; if they could contradict the sum, or an end does, each role is asked about by itself:
//! what can it secure, whatever the other does? That needs no sum.
//!
//! Trees are finite, so that an answer holds even if play can go on for ever. Where it is not proved that
//! every play scores, "nothing" is one more value, below all goals of either role.

mod bounds;
mod checkpoint;
mod deferred_search;
mod engine;
mod evaluation;
mod frame;
mod node_kind;
mod order;
mod proof_number;
mod replies;
mod report;
mod search_problem;
mod sweeps;
mod table;
mod tuning;
mod weights;

use std::sync::Arc;
use std::time::Instant;

use gambol_analysis::Inhibitors;
use gambol_index::Id;
use gambol_net::MoveId;
use rustc_hash::FxHashSet;

pub(crate) use self::replies::Replies;
pub(crate) use self::search_problem::{SearchProblem, Stake};

use self::engine::{Engine, Halt};
use self::frame::{Child, Frame};
use self::proof_number::NumberTable;
use self::report::Report;
use self::search_problem::Turn;
use self::table::Table;
use self::tuning::Trial;
use self::weights::Weights;
use crate::checkpoint::fingerprint;
use crate::circuit_dynamics::CircuitDynamics;
use crate::error::BadCheckpoint;
use crate::facts::{ConstantSum, EveryPlayScores, SupposedSum};
use crate::limits::{Meter, Unfinished};
use crate::problem::{Choice, Task};
use crate::rounds::{Found, Others};
use crate::{Bounds, Dynamics, Meaning, Method, Observer, Reading, Solution, Unobserved};

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

/// The value of a game for two players in turn; if their interests are not opposite, what each can
/// secure. The others have their round before weights are tried.
pub(crate) fn alpha_beta(
    task: &Task<'_>,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
    others: &mut Others<'_>,
) -> Result<Found, NotForUs> {
    if task.net.roles.len() != 2 {
        return Err(NotForUs::Roles);
    }
    let started = Instant::now();
    let opposed = board_of(task).and_then(|board| search(task, &board, resume, (observer, others)));
    match opposed {
        Err(NotForUs::Sum) => one_by_one(task, started, (observer, others)),
        found => found,
    }
}

/// The observer, and the other methods of the portfolio.
type Company<'c, 'o> = (&'c mut dyn Observer, &'c mut Others<'o>);

/// What each role can secure, asked about by itself. Keeps no checkpoints.
fn one_by_one(
    task: &Task<'_>,
    started: Instant,
    (observer, others): Company<'_, '_>,
) -> Result<Found, NotForUs> {
    let mut solutions = Vec::new();
    for role in 0..2 {
        let mut options = task.options.clone();
        options.limits = options.limits.left(started);
        let task = Task { options: &options, ..*task };
        let board = board_for(&task, Stake::Role(role))?;
        let mut known = None;
        let mut others = |_: &mut dyn Observer| {
            known = others(observer);
            known.clone()
        };
        let found = search(&task, &board, None, (&mut Unobserved, &mut others))?;
        match (known, found) {
            // The others know about both roles.
            (Some(known), _) => return Ok(known),
            (None, Ok(solution)) => solutions.push(solution),
            (None, error) => return Ok(error),
        }
    }
    let [first, second] = [&solutions[0], &solutions[1]];
    Ok(Ok(Solution {
        values: vec![first.values[0], second.values[1]],
        meaning: Meaning::Secured,
        line: Vec::new(),
        nodes: first.nodes + second.nodes,
        states: first.states + second.states,
        unfinished: first.unfinished.or(second.unfinished),
        notes: [&first.notes[..], &second.notes].concat(),
        ..*first
    }))
}

fn search(
    task: &Task<'_>,
    board: &SearchProblem,
    resume: Option<&[u8]>,
    company: Company<'_, '_>,
) -> Result<Found, NotForUs> {
    match task.start.len() {
        1 => Search::<1>::solve(task, board, resume, company),
        2 => Search::<2>::solve(task, board, resume, company),
        3..=4 => Search::<4>::solve(task, board, resume, company),
        5..=8 => Search::<8>::solve(task, board, resume, company),
        9..=16 => Search::<16>::solve(task, board, resume, company),
        _ => Err(NotForUs::Large),
    }
}

/// The game as the search sees it, if the goals of two roles seem to add up to the same.
pub(crate) fn board_of(task: &Task<'_>) -> Result<SearchProblem, NotForUs> {
    if task.net.roles.len() != 2 {
        return Err(NotForUs::Roles);
    }
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let supposed = SupposedSum::of(&mut game, task.start, task.options.seed);
    let sum = supposed.ok_or(NotForUs::Sum)?;
    let mut first = task.net.goals.iter().filter(|goal| goal.role.index() == 0);
    if first.any(|goal| goal.value > sum.sum()) {
        return Err(NotForUs::Sum);
    }
    let board = board_for(task, Stake::Sum(sum))?;
    let proved = || {
        let proved = ConstantSum::of(task.net, &task.options.limits);
        proved.is_some_and(|proved| proved.sum() == sum.sum())
    };
    if board.goals_fit_the_sum(task.net) || proved() { Ok(board) } else { Err(NotForUs::Sum) }
}

fn board_for(task: &Task<'_>, stake: Stake) -> Result<SearchProblem, NotForUs> {
    let lines = Inhibitors::everywhere(task.net);
    let scores = EveryPlayScores::of(task, &lines.latches, &task.options.limits);
    SearchProblem::of(task, stake, scores, &lines).ok_or(NotForUs::Large)
}

/// Nodes before weights are tried out, and a table for them.
const FIRST_NODES: u64 = 60_000;
const FIRST_BYTES: u64 = 8 << 20;
/// The factor by which each table is larger than the one before, from the first one after the trial on.
const GROWTH: u64 = 8;
const SECOND_BYTES: u64 = 64 << 20;
/// Bytes for what proof-number search has proved.
const MOST_PROOF_BYTES: u64 = 128 << 20;
/// Nodes for the first trial of weights; later ones take this part of the nodes so far.
const FIRST_TRIAL: u64 = 800_000;
const TRIAL_SHARE: u64 = 3;
/// A trial solves positions that cost this part of the nodes so far, but at least this many.
const TRIAL_POSITION: u64 = 200;
const LEAST_TRIAL_POSITION: u64 = 3_000;
/// A search that needs weights is expected to take at least this many nodes.
const LEAST_EXPECTED: u64 = 1_000_000;

struct Search<'a, const K: usize> {
    task: &'a Task<'a>,
    board: &'a SearchProblem,
    root: Root<K>,
    nodes: u64,
    /// The weights found by trial, if there was need of any.
    weights: Option<Weights>,
    range: Range,
    method: Method,
}

/// The state that is solved.
#[derive(Clone)]
struct Root<const K: usize> {
    state: [u64; K],
    turn: Turn,
    moves: Vec<u32>,
}

/// What a search has proved: places of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    least: u8,
    most: u8,
}

impl Range {
    /// What is known before anything is searched.
    fn of(board: &SearchProblem) -> Self {
        let (least, most) = board.range;
        Self { least, most }
    }

    /// What to ask next: whether the value reaches this place.
    fn middle(self) -> Option<u8> {
        (self.least < self.most).then(|| self.least + (self.most - self.least).div_ceil(2))
    }

    fn learn(&mut self, asked: u8, value: u8) {
        if value >= asked {
            self.least = value;
        } else {
            self.most = value;
        }
    }
}

impl<'a, const K: usize> Search<'a, K> {
    fn solve(
        task: &'a Task<'a>,
        board: &'a SearchProblem,
        resume: Option<&[u8]>,
        company: Company<'_, '_>,
    ) -> Result<Found, NotForUs> {
        let mut game = CircuitDynamics::new(task.net, task.circuit);
        let looks = game.look(task.start);
        let (turn, moves) = match looks.over(0) {
            true => (Turn { mover: 0, other: 0 }, Vec::new()),
            false => root_turn(&looks)?,
        };
        let mut state = [0; K];
        state[..task.start.len()].copy_from_slice(task.start);
        let root = Root { state, turn, moves };
        let range = Range::of(board);
        let search =
            Self { task, board, root, nodes: 0, weights: None, range, method: Method::AlphaBeta };
        if looks.over(0) {
            let values = looks.goals(0).iter().map(|goal| Bounds::between(goal.least, goal.most));
            let clear = looks.goals(0).iter().all(|goal| goal.value().is_some());
            let unfinished = (!clear).then_some(Unfinished::Readings);
            return Ok(Ok(search.solution(values.collect(), Vec::new(), unfinished)));
        }
        search.run(resume, company)
    }

    fn run(
        mut self,
        resume: Option<&[u8]>,
        (observer, others): Company<'_, '_>,
    ) -> Result<Found, NotForUs> {
        let meter = Meter::start(&self.task.options.limits);
        let table = Arc::new(Table::within(FIRST_BYTES.min(self.table_bytes())));
        let mut engine = Engine::new(self.board, self.task.circuit, table, meter.clone());
        let mut halt = Err(Halt::Nodes);
        let fingerprint = fingerprint(self.task);
        if let Some(bytes) = resume {
            let checkpoint = checkpoint::read::<K>(bytes, fingerprint)?;
            engine.table = Arc::new(Table::within(self.table_bytes()));
            checkpoint.entries.iter().for_each(|(key, entry)| engine.table.add(key, *entry));
            (self.range, engine.nodes) = (checkpoint.range, checkpoint.nodes);
            self.weights = Some(checkpoint.weights);
        } else if self.task.options.choice == Choice::ProofNumber {
            engine.table = Arc::new(Table::within(self.table_bytes().min(MOST_PROOF_BYTES)));
            halt = self.bisect_by_proof_numbers(&mut engine, u64::MAX);
        } else if !self.task.options.pruning {
            self.weights = Some(Weights::PLAIN);
        } else {
            engine.most_nodes = FIRST_NODES;
            halt = self.bisect(&mut engine);
            if halt == Err(Halt::Nodes) {
                halt = self.bisect_by_proof_numbers(&mut engine, FIRST_NODES);
                // Proof numbers may go round in circles where alpha-beta does not.
                halt = halt.map_err(|halt| if halt == Halt::Deep { Halt::Nodes } else { halt });
            }
        }
        if halt == Err(Halt::Nodes) {
            if let Some(found) = others(observer) {
                return Ok(found);
            }
            let mut report = Report::new(observer, fingerprint);
            report.progress(engine.nodes, "choosing what to look at first");
            match self.weights {
                Some(weights) => engine.weights = weights,
                None => self.try_weights(&mut engine, &meter),
            }
            halt = self.search_at_length(&mut engine, &meter, &mut report);
        }
        let unclear = halt == Err(Halt::Unclear);
        if unclear {
            halt = self.both_readings(&mut engine);
        }
        self.nodes = engine.nodes;
        let unfinished = match halt {
            Ok(()) => None,
            Err(Halt::Unfinished(unfinished)) => Some(unfinished),
            Err(Halt::Nodes | Halt::Answered | Halt::Unclear) => Some(Unfinished::Time),
            Err(Halt::Simultaneous) => return Err(NotForUs::Simultaneous),
            Err(Halt::Stuck) => return Err(NotForUs::Stuck),
            Err(Halt::Sum) => return Err(NotForUs::Sum),
            Err(Halt::Deep) => return Err(NotForUs::Deep),
        };
        let line = match unfinished {
            None if !unclear => self.line(&mut engine),
            _ => Vec::new(),
        };
        let unread = unclear && self.range.least < self.range.most;
        let unfinished = unfinished.or(unread.then_some(Unfinished::Readings));
        let (least, most) = (self.value(self.range.least), self.value(self.range.most));
        let sum = self.board.sum;
        let values = vec![Bounds::between(least, most), Bounds::between(sum - most, sum - least)];
        Ok(Ok(self.solution(values, line, unfinished)))
    }

    /// Bytes for the largest table.
    fn table_bytes(&self) -> u64 {
        (self.task.options.limits.memory_mib << 20) / 10 * 8
    }

    /// Searches in ever larger tables, as long as they are needed; proved entries are copied.
    fn search_at_length(
        &mut self,
        engine: &mut Engine<'a, K>,
        meter: &Meter,
        report: &mut Report<'_>,
    ) -> Result<(), Halt> {
        let most = self.table_bytes();
        let mut bytes = SECOND_BYTES.min(most);
        let threads = self.task.options.threads.max(1);
        let new_engine =
            |_| Engine::new(self.board, self.task.circuit, engine.table.clone(), meter.clone());
        let mut others: Vec<Engine<'a, K>> = (1..threads).map(new_engine).collect();
        loop {
            if engine.table.bytes() < bytes {
                grow(engine, bytes);
            }
            let last = engine.table.bytes() >= most / 10 * 9;
            engine.most_nodes =
                if last { u64::MAX } else { engine.nodes + engine.table.room() / 2 };
            let halt = self.bisect_together(engine, &mut others, report);
            if last || halt != Err(Halt::Nodes) {
                return halt;
            }
            bytes = (bytes * GROWTH).min(most);
            if self.task.options.pruning {
                report.progress(engine.nodes, "choosing what to look at first");
                self.try_weights(engine, meter);
            }
        }
    }

    /// Looks for better weights, on positions that are the harder the longer the search has been.
    fn try_weights(&mut self, engine: &mut Engine<'_, K>, meter: &Meter) {
        let nodes = (engine.nodes / TRIAL_POSITION).max(LEAST_TRIAL_POSITION);
        let budget = (engine.nodes / TRIAL_SHARE).max(FIRST_TRIAL);
        let expected = (engine.nodes * GROWTH).max(LEAST_EXPECTED);
        let trial = Trial { task: self.task, board: self.board, meter, nodes, expected, budget };
        engine.weights = trial.improve(engine.weights, &engine.table);
        self.weights = Some(engine.weights);
    }

    /// Asks about values from the middle until one is left, with several engines.
    fn bisect_together(
        &mut self,
        engine: &mut Engine<'a, K>,
        others: &mut [Engine<'a, K>],
        report: &mut Report<'_>,
    ) -> Result<(), Halt> {
        while let Some(middle) = self.range.middle() {
            report.range = self.range;
            let value =
                deferred_search::ask(engine, others, report, &|engine: &mut Engine<'a, K>| {
                    engine.question(&self.root.state, self.root.turn, &self.root.moves, middle)
                })?;
            self.range.learn(middle, value);
        }
        Ok(())
    }

    /// Asks about values from the middle until one is left.
    fn bisect(&mut self, engine: &mut Engine<'_, K>) -> Result<(), Halt> {
        while let Some(middle) = self.range.middle() {
            let Root { state, turn, moves } = &self.root;
            let value = engine.question(state, *turn, moves, middle)?;
            self.range.learn(middle, value);
        }
        Ok(())
    }

    /// The same by proof-number search, within so many nodes.
    fn bisect_by_proof_numbers(
        &mut self,
        engine: &mut Engine<'_, K>,
        nodes: u64,
    ) -> Result<(), Halt> {
        let mut numbers = NumberTable::new(nodes, self.table_bytes());
        engine.most_nodes = engine.nodes.saturating_add(nodes);
        while let Some(middle) = self.range.middle() {
            let Root { state, turn, moves } = &self.root;
            let value = engine.prove(state, *turn, moves, middle, &mut numbers)?;
            self.range.learn(middle, value);
        }
        engine.most_nodes = u64::MAX;
        self.method = Method::ProofNumber;
        Ok(())
    }

    /// Where the rules leave a goal open, the value is proved only if it is the same both ways.
    fn both_readings(&mut self, engine: &mut Engine<'_, K>) -> Result<(), Halt> {
        let mut whole = Range::of(self.board);
        // What is still possible is known for single goals only.
        engine.weights.bounds = false;
        let mut halt = Ok(());
        for reading in [Reading::Least, Reading::Most] {
            engine.reading = Some(reading);
            engine.table = Arc::new(Table::within(self.table_bytes().min(FIRST_BYTES)));
            self.range = Range::of(self.board);
            halt = halt.and(self.bisect_at_length(engine));
            match reading {
                Reading::Least => whole.least = self.range.least,
                Reading::Most => whole.most = self.range.most,
            }
        }
        self.range = whole;
        halt
    }

    /// Asks about values until one is left, in a table that grows as there is need of it: to clear a
    /// large one takes longer than a short search.
    fn bisect_at_length(&mut self, engine: &mut Engine<'_, K>) -> Result<(), Halt> {
        let most = self.table_bytes().min(SECOND_BYTES);
        loop {
            let last = engine.table.bytes() >= most / 10 * 9;
            engine.most_nodes =
                if last { u64::MAX } else { engine.nodes + engine.table.room() / 2 };
            match self.bisect(engine) {
                Err(Halt::Nodes) if !last => grow(engine, most),
                halt => return halt,
            }
        }
    }

    /// Best play from the root, as far as time allows, or until a state comes again: where nobody can
    /// force an end, both may go round for ever.
    fn line(&self, engine: &mut Engine<'_, K>) -> Vec<Vec<MoveId>> {
        let Root { mut state, mut turn, mut moves } = self.root.clone();
        let (mut line, mut frame) = (Vec::new(), Frame::default());
        let mut met = FxHashSet::default();
        while met.insert(state) && engine.children(&state, turn, &moves, &mut frame).is_ok() {
            let Some(child) = self.best(engine, turn, &frame) else { return line };
            let mut joint = vec![MoveId::new(child.action), MoveId::new(turn.other)];
            if turn.mover != 0 {
                joint.swap(0, 1);
            }
            line.push(joint);
            if child.over {
                return line;
            }
            (state, turn, moves) = (child.state, child.turn, frame.moves_of(&child).to_vec());
        }
        line
    }

    /// A move that keeps the value of the game. To refute a bad move can take as long as the whole
    /// search did, so what is known comes first, and then whatever is shown with the least work.
    fn best(&self, engine: &mut Engine<'_, K>, turn: Turn, frame: &Frame<K>) -> Option<Child<K>> {
        let known = frame.children.iter().filter(|child| self.is_known(engine, turn, child));
        // Who gets nothing whatever it does plays where that was hardest to show.
        let gets_nothing = self.range.least == if turn.mover == 0 { 0 } else { self.board.top() };
        let work = |child: &&Child<K>| engine.known(&child.state).map_or(0, |known| known.work);
        let known = if gets_nothing {
            known.min_by_key(|child| std::cmp::Reverse(work(child)))
        } else {
            known.min_by_key(work)
        };
        if let Some(&child) = known {
            return Some(child);
        }
        let mut open: Vec<Child<K>> = frame.children.clone();
        let mut patience = FIRST_NODES;
        while !open.is_empty() {
            let mut left = Vec::new();
            for child in open {
                engine.most_nodes = engine.nodes + patience;
                match self.keeps(engine, turn, &child, frame) {
                    Ok(true) => return Some(child),
                    Ok(false) => {}
                    Err(Halt::Nodes) => left.push(child),
                    Err(_) => return None,
                }
            }
            open = left;
            patience *= GROWTH;
        }
        None
    }

    /// Whether ends, bounds or the table say that a move keeps the value of the game.
    fn is_known(&self, engine: &Engine<'_, K>, turn: Turn, child: &Child<K>) -> bool {
        let value = self.range.least;
        let keeps = |least, most| if turn.mover == 0 { least >= value } else { most <= value };
        let known = engine.known(&child.state);
        keeps(child.least, child.most) || known.is_some_and(|it| keeps(it.least, it.most))
    }

    /// Whether a move keeps the value of the game for the one who makes it.
    fn keeps(
        &self,
        engine: &mut Engine<'_, K>,
        turn: Turn,
        child: &Child<K>,
        frame: &Frame<K>,
    ) -> Result<bool, Halt> {
        let (value, first) = (self.range.least, turn.mover == 0);
        let is_kept = |found: u8| if first { found >= value } else { found <= value };
        let target = if first { value } else { value + 1 };
        if is_kept(if first { child.least } else { child.most }) {
            return Ok(true);
        }
        if child.over {
            return Ok(false);
        }
        engine.question(&child.state, child.turn, frame.moves_of(child), target).map(is_kept)
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
            method: self.method,
            nodes: self.nodes,
            states: self.nodes,
            unfinished,
            notes: self.weights.iter().map(|weights| weights.in_words()).collect(),
        }
    }
}

/// Gives an engine a table of this size; proved entries are copied.
fn grow<const K: usize>(engine: &mut Engine<'_, K>, bytes: u64) {
    let table = Table::within(bytes);
    engine.table.entries(0).for_each(|(key, entry)| table.add(&key, entry));
    engine.table = Arc::new(table);
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
