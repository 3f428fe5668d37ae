//! Players who choose at the same time, in games too large to be listed: what each can secure on
//! average, within proved bounds.
//!
//! Depth first, each state once. States are replaced by the one that stands for their residue, whatever
//! goals are worth there, and then by the least of their images under symmetry; a state from which only
//! one goal value can still come is worth that. What goals are worth is left aside, and what is left of
//! them is a value, only if it is proved that every play comes to an end with a goal; else play may be
//! worth nothing, whatever the goals.
//! The exact value of such a game can have thousands of digits, so values are carried as bounds, rounded
//! outwards at each state. Of what follows a state only as much is solved as its value depends on.

mod aliases;
mod checkpoint;
pub(crate) mod matrix_bounds;
mod rescale;

use std::sync::Arc;

use gambol_analysis::Latches;
use gambol_index::Id;
use gambol_net::{Net, RoleId};
use gambol_verify::HIGHEST_GOAL;

use self::aliases::Aliases;
use self::checkpoint::{Keeper, Kept};
use self::matrix_bounds::{Outlook, Span, outlook};
use self::rescale::Rescale;
use crate::checkpoint::fingerprint;
use crate::circuit_dynamics::CircuitDynamics;
use crate::facts::{ConstantSum, EveryPlayScores};
use crate::limits::Meter;
use crate::listing::store::{StateId, Store};
use crate::matrix_game::NoMatrixValue;
use crate::problem::Task;
use crate::reduction::images::Images;
use crate::reduction::minimal_dnf::unfolded;
use crate::reduction::relevance::{Residues, Scale};
use crate::reduction::symmetry::symmetries;
use crate::{
    Bounds, Dynamics, Limits, Looks, Meaning, Method, Observer, Shortcuts, Solution, SolveError,
    Unfinished, Use,
};

/// How many symmetries are worth looking at for each state.
const MOST_SYMMETRIES: usize = 64;
/// The limits are looked at after so many joint moves.
const UNCHECKED: usize = 2_000;
/// A state with more joint moves is too much.
const MOST_JOINT_MOVES: usize = 1 << 18;

/// Why there are no bounds.
enum Stop {
    Unfinished(Unfinished),
    Value(NoMatrixValue),
}

impl From<Unfinished> for Stop {
    fn from(unfinished: Unfinished) -> Self {
        Self::Unfinished(unfinished)
    }
}

/// What every role can secure on average, within bounds; nothing but the limit that was met if that
/// takes too long. Goes on from a checkpoint if there is one.
pub(crate) fn mixed(
    task: &Task<'_>,
    limits: &Limits,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Result<Result<Solution, Unfinished>, SolveError> {
    let mut search = Search::new(task, limits);
    // What stands for a state, and how values are taken over, depends on what could be proved.
    let print = fingerprint(task) ^ u64::from(search.scores.is_some());
    let size = (task.start.len(), task.net.moves.len());
    let kept = resume.map(|bytes| Kept::read(bytes, print, size)).transpose()?;
    let mut keeper = Keeper::new(observer, Some(print), kept.as_ref());
    let mut values = Vec::new();
    for role in 0..search.game.roles() {
        let known = match (search.sum, values.as_slice()) {
            (Some(sum), [Bounds { least, most }]) => {
                let rest = |value| crate::Fraction::from(sum.sum()).minus(value);
                rest(*most).zip(rest(*least)).map(|(least, most)| Bounds { least, most })
            }
            _ => None,
        };
        let known = known.or_else(|| keeper.earlier.get(role).copied().map(bounds_of));
        let kept = kept.as_ref().filter(|kept| kept.earlier.len() == role);
        values.push(match known {
            Some(bounds) => bounds,
            None => match search.solve(task.start, role, kept, &mut keeper) {
                Ok(span) => {
                    keeper.earlier.push(span);
                    bounds_of(span)
                }
                Err(Stop::Unfinished(unfinished)) => return Ok(Err(unfinished)),
                Err(Stop::Value(error)) => return Err(error.into()),
            },
        });
    }
    let opposed = search.sum.is_some();
    let mut solution = Solution {
        values,
        meaning: if opposed { Meaning::Opposed } else { Meaning::Secured },
        line: Vec::new(),
        shortest: false,
        method: Method::Mixed,
        nodes: search.nodes,
        states: search.states,
        unfinished: None,
        notes: Vec::new(),
    };
    if !solution.is_exact() {
        let width = solution.values.iter().map(Bounds::width).fold(0.0, f64::max);
        solution.notes.push(format!(
            "players mix their moves; values are carried as bounds, at the end at most {width:.1e} \
             apart"
        ));
    }
    Ok(Ok(solution))
}

fn bounds_of(span: Span) -> Bounds {
    let (least, most) = (span.least_fraction(), span.most_fraction());
    Bounds { least: least.expect("the unit is not 0"), most: most.expect("the unit is not 0") }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    New,
    Open,
    Done,
}

/// A state by the one that stands for it, and how to take the value of the one for that of the other.
#[derive(Clone, Copy)]
struct Entry {
    state: StateId,
    rescale: u32,
}

impl Entry {
    fn packed(self) -> u64 {
        u64::from(self.rescale) << 32 | u64::from(self.state.number())
    }

    fn of(packed: u64) -> Self {
        Self { state: StateId::new(packed as u32), rescale: (packed >> 32) as u32 }
    }
}

/// A state whose successors are being solved.
struct Frame {
    state: StateId,
    /// The states that follow, the role's moves as rows.
    entries: Vec<Entry>,
    columns: usize,
    /// The moves that rows and columns stand for, so many of them each.
    moves: [Vec<u32>; 2],
    /// The entries that are to be solved before more is known, the next one last.
    wanted: Vec<StateId>,
}

impl Frame {
    /// Where among the entries those are that are to be solved.
    fn places_of_wanted(&self) -> Vec<u32> {
        let place = |wanted: &StateId| self.entries.iter().position(|next| next.state == *wanted);
        self.wanted.iter().filter_map(place).map(|place| place as u32).collect()
    }
}

struct Search<'a> {
    game: CircuitDynamics<'a>,
    /// The rules in the form in which states are compared.
    net: Arc<Net>,
    limits: Limits,
    latched: Arc<Latches>,
    residues: Residues,
    /// The ways to take values over that are met.
    rescales: Vec<Rescale>,
    images: Images,
    /// If so, a single goal value that is left is the value.
    scores: Option<EveryPlayScores>,
    shortcuts: Shortcuts,
    /// What the role that is asked about can get at all.
    range: Span,
    ranges: Vec<Span>,
    meter: Meter,
    /// States as they are met, but for symmetry, and those that stand for them.
    aliases: Aliases,
    store: Store,
    spans: Vec<Span>,
    seen: Vec<Seen>,
    /// How often each move was part of a solution.
    merit: Vec<u32>,
    /// What the goals of two roles add up to, if every play comes to an end.
    sum: Option<ConstantSum>,
    nodes: u64,
    states: u64,
    /// Joint moves made since the limits were looked at.
    unchecked: usize,
}

/// The latches of all states; and, if play begins at the start, of those it comes to.
fn latches(task: &Task<'_>, limits: &Limits) -> Latches {
    let mut latches = Latches::everywhere(task.net);
    task.shape(limits).iter().for_each(|shape| latches.add_proved(shape));
    latches
}

impl<'a> Search<'a> {
    fn new(task: &Task<'a>, limits: &Limits) -> Self {
        let net: &Net = task.net;
        let game = CircuitDynamics::new(net, task.circuit);
        let latched = Arc::new(latches(task, limits));
        let scores = EveryPlayScores::of(task, &latched, limits);
        // Where play may be worth nothing to both, what one has says nothing about the other.
        let sum = scores.and_then(|_| ConstantSum::of(net, limits));
        let plain = Arc::new(unfolded(net).unwrap_or_else(|| net.clone()));
        let shortcuts = task.options.shortcuts;
        let mut renamings = match shortcuts.symmetries {
            Use::Never => Vec::new(),
            _ => symmetries(&plain, MOST_SYMMETRIES),
        };
        renamings.retain(|renaming| latched.is_kept_by(renaming));
        Self {
            residues: residues(&plain, RoleId::new(0), scores, &latched, (limits, shortcuts)),
            rescales: vec![Rescale::NONE],
            images: Images::new(&renamings, game.width()),
            latched,
            limits: limits.clone(),
            scores,
            shortcuts,
            range: Span::exact(0),
            ranges: net.roles.ids().map(|role| range(net, role, scores)).collect(),
            meter: Meter::start(limits),
            aliases: Aliases::new(game.width()),
            store: Store::new(game.width()),
            spans: Vec::new(),
            seen: Vec::new(),
            merit: vec![0; net.moves.len()],
            sum,
            nodes: 0,
            states: 0,
            unchecked: 0,
            net: plain,
            game,
        }
    }

    /// What a role can secure from a state on.
    fn solve(
        &mut self,
        start: &[u64],
        role: usize,
        kept: Option<&Kept<'_>>,
        keeper: &mut Keeper<'_>,
    ) -> Result<Span, Stop> {
        self.store = Store::new(self.game.width());
        self.aliases = Aliases::new(self.game.width());
        self.spans.clear();
        self.seen.clear();
        self.range = self.ranges[role];
        let of_role = RoleId::from_index(role);
        let net = Arc::clone(&self.net);
        self.residues =
            residues(&net, of_role, self.scores, &self.latched, (&self.limits, self.shortcuts));
        self.enter(start, role)?;
        let mut path = match kept {
            Some(kept) => self.restore(kept, role)?,
            None => Vec::new(),
        };
        if self.seen[0] == Seen::New {
            path.push(self.expand(StateId::new(0), role)?);
        }
        while let Some(frame) = path.last_mut() {
            while frame.wanted.last().is_some_and(|next| self.seen[next.index()] == Seen::Done) {
                frame.wanted.pop();
            }
            let next = match frame.wanted.last() {
                Some(&next) => next,
                None => match self.ask(frame) {
                    Some(span) => {
                        self.spans[frame.state.index()] = span;
                        self.seen[frame.state.index()] = Seen::Done;
                        path.pop();
                        continue;
                    }
                    None => continue,
                },
            };
            if self.seen[next.index()] == Seen::Open {
                return Err(Stop::Value(NoMatrixValue::Endless));
            }
            path.push(self.expand(next, role)?);
            if self.unchecked > UNCHECKED {
                self.unchecked = 0;
                keeper.look(self, &path);
                if let Err(unfinished) = self.meter.check(self.bytes()) {
                    keeper.keep(self, &path);
                    return Err(unfinished.into());
                }
            }
        }
        self.states = self.states.max(self.store.len() as u64);
        Ok(self.spans[0])
    }

    fn bytes(&self) -> usize {
        let stores = self.store.bytes() + self.aliases.bytes() + self.residues.bytes();
        stores + self.spans.capacity() * 17
    }

    /// The value of a state if enough is known of what follows; else puts down what to solve next.
    fn ask(&mut self, frame: &mut Frame) -> Option<Span> {
        let worth = |next: &Entry| {
            self.rescales[next.rescale as usize].apply(self.spans[next.state.index()])
        };
        let entries: Vec<Span> = frame.entries.iter().map(worth).collect();
        let Outlook { span, hopeful_rows, hopeful_columns } = outlook(&entries, frame.columns);
        for &row in &hopeful_rows {
            for &column in &hopeful_columns {
                let next = frame.entries[row * frame.columns + column].state;
                if self.seen[next.index()] != Seen::Done {
                    frame.wanted.push(next);
                }
            }
        }
        if !frame.wanted.is_empty() {
            return None;
        }
        let others = frame.moves[1].len() / frame.columns;
        let columns = hopeful_columns
            .iter()
            .flat_map(|&column| &frame.moves[1][column * others..(column + 1) * others]);
        for &action in hopeful_rows.iter().map(|&row| &frame.moves[0][row]).chain(columns) {
            self.merit[action as usize] = self.merit[action as usize].saturating_add(1);
        }
        Some(span)
    }

    /// The states that follow a state, by moves of merit first.
    fn expand(&mut self, state: StateId, role: usize) -> Result<Frame, Stop> {
        let looks = self.game.look(self.store.row(state));
        match looks.joint_count(0) {
            // Somebody is stuck: that is worth nothing, but no answer of this search.
            0 => Err(Stop::Value(NoMatrixValue::Endless)),
            count if count > MOST_JOINT_MOVES => Err(Unfinished::Memory.into()),
            _ => {
                let merit = |action: u32| self.merit[action as usize];
                self.follow(state, by_merit(&looks, role, &merit), role)
            }
        }
    }

    /// The states that follow a state by moves in some order.
    fn follow(&mut self, state: StateId, moves: [Vec<u32>; 2], role: usize) -> Result<Frame, Stop> {
        self.nodes += 1;
        self.seen[state.index()] = Seen::Open;
        let joint = by_rows(&moves, role, self.game.roles());
        let count = joint.len() / self.game.roles();
        self.unchecked += count;
        let next = self.game.step(&self.store.row(state).repeat(count), &joint);
        let entries = self.enter(&next, role)?;
        let columns = count / moves[0].len();
        Ok(Frame { state, entries, columns, moves, wanted: Vec::new() })
    }

    /// Stores states, and what is known at once of those that are new.
    fn enter(&mut self, states: &[u64], role: usize) -> Result<Vec<Entry>, Stop> {
        let width = self.game.width();
        let mut states = states.to_vec();
        states.chunks_exact_mut(width).for_each(|row| self.images.make_least(row));
        self.aliases.reserve(states.len() / width);
        let (mut slots, mut fresh, mut fresh_slots) = (Vec::new(), Vec::new(), Vec::new());
        for row in states.chunks_exact(width) {
            let (slot, new) = self.aliases.insert(row);
            slots.push(slot);
            if new {
                fresh.extend_from_slice(row);
                fresh_slots.push(slot);
            }
        }
        let scales = self.residues.reduce(&mut fresh);
        let (mut rows, mut there) = (Vec::new(), Vec::new());
        let fresh = fresh.chunks_exact_mut(width).zip(fresh_slots);
        for ((row, slot), (own, standing)) in fresh.zip(scales) {
            self.images.make_least(row);
            let (state, new) = self.store.insert(row);
            let rescale = self.rescale(own, standing);
            self.aliases.answer(slot, Entry { state, rescale }.packed());
            if new {
                rows.extend_from_slice(row);
                there.push(standing);
            }
        }
        let looks = self.game.look(&rows);
        for (number, scale) in there.into_iter().enumerate() {
            let (span, known) = self.known(&looks, number, scale, role)?;
            self.spans.push(span);
            self.seen.push(if known { Seen::Done } else { Seen::New });
        }
        Ok(slots.into_iter().map(|slot| Entry::of(self.aliases.get(slot))).collect())
    }

    /// The number of the way from the goals of one state to those of another.
    fn rescale(&mut self, own: Option<Scale>, standing: Option<Scale>) -> u32 {
        let rescale = Rescale::between(own, standing);
        let known = self.rescales.iter().position(|&known| known == rescale);
        known.unwrap_or_else(|| {
            self.rescales.push(rescale);
            self.rescales.len() - 1
        }) as u32
    }

    /// What is known of a state at once, and whether that is its value: if it is an end, or only one
    /// goal is left.
    fn known(
        &self,
        looks: &Looks,
        number: usize,
        scale: Option<Scale>,
        role: usize,
    ) -> Result<(Span, bool), Stop> {
        if looks.over(number) {
            let goal = looks.goals(number)[role].value();
            return Ok((Span::exact(goal.ok_or(Stop::Value(NoMatrixValue::Goal))?), true));
        }
        Ok(match scale.filter(|_| self.scores.is_some()) {
            Some(Scale { least, most, .. }) => (Span::between(least, most), least == most),
            None => (self.range, false),
        })
    }
}

/// From the least a role can get to the most.
fn range(net: &Net, role: RoleId, scores: Option<EveryPlayScores>) -> Span {
    let goals = net.goals.iter().filter(|goal| goal.role == role).map(|goal| goal.value);
    let least = scores.and_then(|_| goals.clone().min()).unwrap_or(0);
    let unscored = scores.is_none().then_some(HIGHEST_GOAL);
    Span::between(least, goals.chain(unscored).max().unwrap_or(0))
}

/// Residues for what a role can secure. If every play scores, goals count but for their scale.
fn residues(
    net: &Arc<Net>,
    role: RoleId,
    scores: Option<EveryPlayScores>,
    latched: &Arc<Latches>,
    (limits, shortcuts): (&Limits, Shortcuts),
) -> Residues {
    match scores {
        _ if shortcuts.residues == Use::Never => Residues::none(Arc::clone(net), limits),
        Some(scores) => Residues::of_role(Arc::clone(net), role, scores, latched, limits),
        None => Residues::of_latched(Arc::clone(net), latched, limits),
    }
}

/// A role's moves in the only state, and those of the others together, those of merit first.
fn by_merit(looks: &Looks, role: usize, merit: &impl Fn(u32) -> u32) -> [Vec<u32>; 2] {
    let mut rows = looks.moves(0, role).to_vec();
    rows.sort_by_key(|&action| std::cmp::Reverse(merit(action)));
    let mut columns: Vec<Vec<u32>> = vec![Vec::new()];
    for other in (0..looks.roles()).filter(|&other| other != role) {
        let longer = |so_far: &Vec<u32>| {
            let moves = looks.moves(0, other).iter();
            moves.map(|&action| [&so_far[..], &[action]].concat()).collect::<Vec<_>>()
        };
        columns = columns.iter().flat_map(longer).collect();
    }
    let worth =
        |moves: &Vec<u32>| moves.iter().map(|&action| u64::from(merit(action))).sum::<u64>();
    columns.sort_by_key(|moves| std::cmp::Reverse(worth(moves)));
    [rows, columns.concat()]
}

/// The joint moves, a role's moves as rows, the others' as columns.
fn by_rows([rows, columns]: &[Vec<u32>; 2], role: usize, roles: usize) -> Vec<u32> {
    let others = roles - 1;
    let mut joint = Vec::with_capacity(rows.len() * columns.len() / others * roles);
    for &row in rows {
        for column in columns.chunks_exact(others) {
            joint.extend_from_slice(&column[..role]);
            joint.push(row);
            joint.extend_from_slice(&column[role..]);
        }
    }
    joint
}
