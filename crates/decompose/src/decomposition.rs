//! A decomposition: the subgames of a game, and how the game is put together from them.

use std::time::Duration;

use gambol_analysis::{Clause, Literal, Proof};
use gambol_index::{IndexVec, define_id};
use gambol_net::{Condition, FluentId, MoveId, RoleId};

use crate::sample::matrix::DependencyMatrix;

define_id! {
    /// A subgame. Those that depend on what is played come first.
    pub struct SubgameId;
}

/// What a claim rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// It was not tested: the limits were met first, or playouts do not reach that far.
    Assumed,
    /// Nothing in the sample of play contradicts it.
    Sampled,
    /// It holds in every reachable state, and this is why.
    Proved(Proof),
}

impl Basis {
    /// The word used for it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Sampled => "sampled",
            Self::Proved(_) => "proved",
        }
    }

    /// Whether it is proved.
    pub fn is_proved(self) -> bool {
        self.proof().is_some()
    }

    /// The proof, if there is one.
    pub fn proof(self) -> Option<Proof> {
        match self {
            Self::Proved(proof) => Some(proof),
            Self::Assumed | Self::Sampled => None,
        }
    }

    /// What two claims together rest on: the weaker of the two.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Proved(one), Self::Proved(two)) => Self::Proved(one.and(two)),
            (Self::Assumed, _) | (_, Self::Assumed) => Self::Assumed,
            _ => Self::Sampled,
        }
    }

    /// The same, with a proof if there is one.
    pub(crate) fn or_proved(self, proof: Option<Proof>) -> Self {
        proof.map_or(self, Self::Proved)
    }
}

/// How far the search for parts came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoundBy {
    /// By reading the gates: what is closed under reading runs by itself, everything else is one part.
    Reading,
    /// By play, with what the rules say about what play does not reach.
    Play,
}

impl FoundBy {
    /// The word used for it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Play => "play",
        }
    }
}

/// Moves of one role that do the same in a subgame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MetaAction {
    /// Whose moves.
    pub role: RoleId,
    /// The moves, sorted. Any of them will do.
    pub moves: Vec<MoveId>,
    /// Whether these moves leave the subgame to itself: they act elsewhere, or nowhere.
    pub idle: bool,
}

/// What a subgame has to do with the score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoleInGoal {
    /// No goal reads it.
    None,
    /// It alone can give some role the highest score.
    Decides,
    /// It contributes to the score of some role.
    Contributes,
}

impl RoleInGoal {
    /// The word used for it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Decides => "decides",
            Self::Contributes => "contributes",
        }
    }
}

/// How a score is made of one condition per part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combination {
    /// It looks at one part only.
    One,
    /// All conditions must hold.
    All,
    /// One of the conditions must hold.
    Any,
    /// At least so many must hold, whichever they are: more than one, and not all.
    AtLeast(usize),
}

impl Combination {
    pub(crate) fn at_least(least: usize, number: usize) -> Self {
        match least {
            _ if number == 1 => Self::One,
            _ if least == number => Self::All,
            1 => Self::Any,
            _ => Self::AtLeast(least),
        }
    }

    /// How many conditions must hold, of so many.
    pub fn least(self, number: usize) -> usize {
        match self {
            Self::One | Self::Any => 1,
            Self::All => number,
            Self::AtLeast(least) => least,
        }
    }

    /// The word used for it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::All => "all",
            Self::Any => "any",
            Self::AtLeast(_) => "at-least",
        }
    }
}

/// What a role gets, by which conditions hold at the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pays {
    /// Not by these conditions alone, or it is not known.
    Unknown,
    /// A sum: so much in any case, and a share for each part whose condition holds.
    Shares {
        /// In any case.
        base: u32,
        /// For each part.
        shares: Vec<i64>,
    },
    /// By how many conditions hold, from none to all; `None` where that cannot be.
    Count(Vec<Option<u32>>),
}

impl Pays {
    /// From what each set of conditions pays; sets are numbers, one bit for each condition.
    pub(crate) fn of(entries: &[Option<u32>], conditions: usize) -> Self {
        Self::shares(entries, conditions)
            .or_else(|| Self::count(entries, conditions))
            .unwrap_or(Self::Unknown)
    }

    fn shares(entries: &[Option<u32>], conditions: usize) -> Option<Self> {
        let base = entries[0]?;
        let share = |place: usize| Some(i64::from(entries[1 << place]?) - i64::from(base));
        let shares: Vec<i64> = (0..conditions).map(share).collect::<Option<_>>()?;
        let sum = |set: usize| {
            let paid = (0..conditions).filter(|place| set >> place & 1 == 1);
            i64::from(base) + paid.map(|place| shares[place]).sum::<i64>()
        };
        let adds_up = |(set, entry): (usize, &Option<u32>)| {
            entry.is_none_or(|entry| i64::from(entry) == sum(set))
        };
        entries.iter().enumerate().all(adds_up).then_some(Self::Shares { base, shares })
    }

    fn count(entries: &[Option<u32>], conditions: usize) -> Option<Self> {
        let mut counts: Vec<Option<u32>> = vec![None; conditions + 1];
        for (set, &entry) in entries.iter().enumerate() {
            let known = &mut counts[set.count_ones() as usize];
            if known.zip(entry).is_some_and(|(known, entry)| known != entry) {
                return None;
            }
            *known = known.or(entry);
        }
        Some(Self::Count(counts))
    }
}

/// How the highest score of a role is made of the parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScoreForm {
    /// Whose score.
    pub role: RoleId,
    /// The parts it looks at.
    pub parts: Vec<SubgameId>,
    /// How their conditions are combined.
    pub combination: Combination,
    /// What all scores of the role pay for these conditions.
    pub pays: Pays,
    /// What that rests on.
    pub basis: Basis,
}

/// A part of a game that can be looked at alone.
#[derive(Clone, PartialEq, Debug)]
pub struct Subgame {
    /// Its part of the state, sorted.
    pub fluents: Vec<FluentId>,
    /// The moves that act in it, sorted; none if nothing that is played changes it.
    pub moves: Vec<MoveId>,
    /// All moves of the game, grouped by what they do here: one idle class per role at most.
    pub meta_actions: Vec<MetaAction>,
    /// Whether it depends on what is played. If not it runs by itself: a clock, a turn marker.
    pub action_dependent: bool,
    /// Whether a goal or the end of the game looks at it, or at something it leads to.
    pub useful: bool,
    /// Whether the end of the game looks at it.
    pub ends_game: bool,
    /// What it has to do with the score.
    pub role_in_goal: RoleInGoal,
    /// What its separation from the others rests on.
    pub basis: Basis,
    /// Lines of play that tie its fluents together, each two of them once.
    pub ties: Vec<Tie>,
    /// Whether the ties connect all its fluents: then it cannot be cut further.
    pub finest: bool,
    /// A whole state of play, as its true fluents, in which this part was up to the players.
    pub seen_with: Vec<FluentId>,
    /// The fewest steps after which another part, or a clock, was seen to end the game while only
    /// this part was played: it must be over by then, or the others be seen to.
    pub safe_until: Option<u32>,
}

/// How the subgames that depend on what is played are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Composition {
    /// There is only one, or none.
    None,
    /// Each is played in every step, by different players or on different boards in turn.
    ParallelSynchronous,
    /// A move is made in one of them, or in some.
    ParallelAsynchronous,
    /// One move of one player acts in several.
    CompoundMoves,
    /// One after the other.
    Serial,
    /// Several of which only some count.
    Multiple,
    /// Heaps from which all players take.
    Impartial,
    /// Several of these at once.
    Mixed,
}

impl Composition {
    /// The word used for it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ParallelSynchronous => "parallel-synchronous",
            Self::ParallelAsynchronous => "parallel-asynchronous",
            Self::CompoundMoves => "compound-moves",
            Self::Serial => "serial",
            Self::Multiple => "multiple",
            Self::Impartial => "impartial",
            Self::Mixed => "mixed",
        }
    }
}

/// How the end of the game depends on the subgames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Termination {
    /// It looks at one subgame, or at none.
    Single,
    /// Any of several subgames can end the game.
    Disjunctive,
    /// Several subgames must all be over.
    Conjunctive,
    /// Both.
    Mixed,
}

impl Termination {
    /// The word used for it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Disjunctive => "disjunctive",
            Self::Conjunctive => "conjunctive",
            Self::Mixed => "mixed",
        }
    }
}

/// Where one part of a series ends and another begins: the literals that then hold for good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrossingPoint {
    /// They hold together from then on, and not before.
    pub literals: Vec<Literal>,
    /// The subgames that are over by then.
    pub before: Vec<SubgameId>,
    /// The subgames that begin then.
    pub after: Vec<SubgameId>,
}

/// What a cut must satisfy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Requirement {
    /// What runs by itself reads nothing else.
    Clock,
    /// What a part becomes depends on that part, on the class of the moves there, and on clocks.
    Closure,
    /// A class of moves is possible wherever the part and the clocks are the same.
    Availability,
    /// Every combination of classes that are possible in the parts has a move.
    LosslessJoin,
    /// What is good in a part does not depend on another.
    Scores,
}

impl Requirement {
    /// The word used for it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Clock => "clock",
            Self::Closure => "closure",
            Self::Availability => "availability",
            Self::LosslessJoin => "lossless-join",
            Self::Scores => "scores",
        }
    }
}

/// A line of play from a state that was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The joint moves, one move per role.
    pub moves: Vec<Vec<MoveId>>,
    /// The state that they lead to, as its true fluents.
    pub state: Vec<FluentId>,
}

/// What a tie shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TieKind {
    /// In one state a role cannot choose the values of the two fluents freely.
    Choice(RoleId),
    /// Two states differ in the second fluent and others that are tied to it; after the same moves they
    /// differ in the first.
    Reading,
}

impl TieKind {
    /// The word used for it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Choice(_) => "choice",
            Self::Reading => "reading",
        }
    }
}

/// Play that shows that two fluents belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tie {
    /// What it shows.
    pub kind: TieKind,
    /// The two fluents.
    pub fluents: [FluentId; 2],
    /// Lines of play from the initial state: one for a choice, two for a reading.
    pub lines: Vec<Line>,
    /// Joint moves in the states that they lead to. Of a choice: two that do what no move does at once;
    /// of a reading: the one that is made in both.
    pub moves: Vec<Vec<MoveId>>,
}

/// Parts that play refutes to be separate, though no playout showed it, and that were joined therefore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// What the cut did not satisfy.
    pub requirement: Requirement,
    /// The parts as they were.
    pub joined: Vec<Vec<FluentId>>,
    /// Moves that show it: the joint moves made in the last states of the lines; if they cannot be
    /// combined, all moves of a role.
    pub moves: Vec<Vec<MoveId>>,
    /// A fluent that these moves make different, if that is the point.
    pub fluent: Option<FluentId>,
    /// Whose score it is about, if that is the point.
    pub role: Option<RoleId>,
    /// The state that the lines begin with, as its true fluents.
    pub start: Vec<FluentId>,
    /// One line of play or two; four ends of the game if it is about a score: the role has its highest
    /// score in the first and the last, and not in the two others.
    pub lines: Vec<Line>,
}

/// How many subgames there are of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Subgames that depend on what is played.
    pub action_dependent: usize,
    /// Those of them that matter to nothing.
    pub useless_action_dependent: usize,
    /// Subgames that run by themselves.
    pub action_independent: usize,
    /// Those of them that matter to nothing.
    pub useless_action_independent: usize,
}

/// How long the work took.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Times {
    /// Playing at random.
    pub playouts: Duration,
    /// Making the cut.
    pub decompose: Duration,
    /// Proving it.
    pub prove: Duration,
}

/// A stretch of play between two crossing points, taken apart by itself. Two phases may use the same fluents.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The crossing point that it begins with: once this holds it holds for good. None if it is the first phase.
    pub begins: Option<Condition>,
    /// The interface: the fluents whose values are handed on to this phase, and that it or a later one looks at.
    /// Play from a state in which the phase begins depends on these alone.
    pub interface: Vec<FluentId>,
    /// Fluents that always have the same value when it begins.
    pub entry: Vec<Literal>,
    /// What holds in all its states, as far as it is proved.
    pub facts: Vec<Literal>,
    /// The first and the last step at which it was seen to begin.
    pub steps: [u32; 2],
    /// A state in which it was seen to begin, as its true fluents.
    pub seen: Vec<FluentId>,
    /// What the crossing point and the interface rest on.
    pub basis: Basis,
    /// The parts of the phase. All that is said of them is about steps that do not leave it.
    pub parts: Decomposition,
}

/// A game taken apart.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// The subgames, disjoint; those that depend on what is played come first.
    pub subgames: IndexVec<SubgameId, Subgame>,
    /// The fluents in no subgame: those that never change, or that nothing was learnt about.
    pub rest: Vec<FluentId>,
    /// How the subgames that depend on what is played are put together.
    pub composition: Composition,
    /// How the end of the game depends on the subgames.
    pub termination: Termination,
    /// Where the parts of a series meet.
    pub crossing_points: Vec<CrossingPoint>,
    /// The phases of play, if there are crossing points at which it forgets what was; none otherwise. The parts above
    /// are those of the whole game.
    pub phases: Vec<Phase>,
    /// Which moves act on which fluents, and how strongly.
    pub matrix: DependencyMatrix,
    /// What was joined because a proof failed, in order.
    pub repairs: Vec<Repair>,
    /// Whether the parts are apart: clocks run by themselves, a part reads itself and clocks, and its
    /// classes of moves can be chosen freely.
    pub sound: Basis,
    /// Whether moves of one class always do the same in a part, and idle ones leave it alone.
    pub classes_exact: Basis,
    /// Whether every role's highest score is made of one condition for each part.
    pub scores_split: Basis,
    /// How each role's highest score is made of them, as far as it is known.
    pub scores: Vec<ScoreForm>,
    /// What the whole rests on: the weakest of these three.
    pub basis: Basis,
    /// Clauses that hold in every state of play, which the proofs use. Proved.
    pub invariants: Vec<Clause>,
    /// Whether the proofs compare states of the same stage of a series only.
    pub by_stage: bool,
    /// Whether the limits were wide enough for everything that was asked.
    pub complete: bool,
    /// How far the search for parts came.
    pub found_by: FoundBy,
    /// How many random games were looked at.
    pub playouts: u64,
    /// How long it took.
    pub times: Times,
}

impl Decomposition {
    /// The fluents of each part that is played.
    pub fn played_fluents(&self) -> Vec<Vec<FluentId>> {
        let played = self.subgames.iter().filter(|subgame| subgame.action_dependent);
        played.map(|subgame| subgame.fluents.clone()).collect()
    }

    /// How many subgames there are of each kind.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for subgame in &self.subgames {
            let useless = usize::from(!subgame.useful);
            match subgame.action_dependent {
                true => {
                    counts.action_dependent += 1;
                    counts.useless_action_dependent += useless;
                }
                false => {
                    counts.action_independent += 1;
                    counts.useless_action_independent += useless;
                }
            }
        }
        counts
    }

    /// Whether no part that is played can be cut further, as far as it is known.
    pub fn is_finest(&self) -> bool {
        self.sound.is_proved()
            && self.subgames.iter().all(|part| !part.action_dependent || part.finest)
    }

    /// What the word for the composition rests on: how often moves act in several parts is seen in
    /// playouts; that there is one part, or none, is the cut itself.
    pub fn composition_basis(&self) -> Basis {
        match self.composition {
            Composition::None => self.sound,
            _ => Basis::Sampled.and(self.sound),
        }
    }

    /// The subgame of each fluent, if it has one.
    pub fn subgame_of_fluents(&self, fluents: usize) -> IndexVec<FluentId, Option<SubgameId>> {
        let mut subgame_of = IndexVec::filled(None, fluents);
        for (id, subgame) in self.subgames.iter_ids() {
            subgame.fluents.iter().for_each(|&fluent| subgame_of[fluent] = Some(id));
        }
        subgame_of
    }
}
