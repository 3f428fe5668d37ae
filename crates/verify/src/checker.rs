//! What all checks have in common: the rules, the states a certificate names, and what an end is worth.

use std::sync::atomic::AtomicU64;

use gambol_reference::{GroundTerm, Interpreter, State};
use rustc_hash::FxHashMap;

use crate::certificate::{Certificate, HIGHEST_GOAL};
use crate::options::VerifyOptions;
use crate::refusal::{Fault, Refusal, fault};

/// What an end is worth to a role: from the worst reading of its goals to the best. With one goal they are
/// the same; an end without a goal may be worth anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Worth {
    pub(crate) least: u32,
    pub(crate) most: u32,
}

/// The rules, and what the entries of all claims have in common. Clones know the same states by the
/// same terms.
#[derive(Clone)]
pub(crate) struct Checker<'a> {
    pub(crate) game: Interpreter,
    pub(crate) roles: Vec<String>,
    fluents: Vec<GroundTerm>,
    /// The state the certificate is about.
    pub(crate) start: State,
    /// Whether that is where a match begins.
    pub(crate) is_initial: bool,
    pub(crate) options: VerifyOptions<'a>,
    /// How many entries are checked.
    pub(crate) done: &'a AtomicU64,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        mut game: Interpreter,
        certificate: &Certificate,
        options: VerifyOptions<'a>,
        done: &'a AtomicU64,
    ) -> Result<Self, Refusal> {
        let roles = game.roles().iter().map(|&role| game.text(role)).collect();
        let fluents = read_fluents(&mut game, &certificate.fluents)?;
        let initial = game.initial()?;
        let mut checker =
            Self { start: initial.clone(), is_initial: true, game, roles, fluents, options, done };
        if let Some(at) = &certificate.at {
            checker.start = checker.state(at).ok_or_else(|| Refusal::malformed(NO_STATE))?;
            checker.is_initial = checker.start == initial;
        }
        Ok(checker)
    }

    /// None if the places are not ascending or not all among the fluents.
    fn state(&self, places: &[u32]) -> Option<State> {
        let fluent = |&place: &u32| self.fluents.get(place as usize).copied();
        let ascending = places.is_sorted_by(|one, other| one < other);
        let fluents = ascending.then(|| places.iter().map(fluent).collect::<Option<Vec<_>>>());
        Some(State::of(fluents??))
    }

    /// The state an entry names.
    pub(crate) fn listed(&self, places: &[u32]) -> Result<State, Fault> {
        self.state(places).ok_or_else(|| Fault::Reason(NO_STATE.to_string()))
    }

    /// The states of all entries and what is known of each. No state may occur twice.
    pub(crate) fn table<'e, E, T>(
        &self,
        entries: &'e [E],
        of: impl Fn(&'e E) -> (&'e [u32], T),
    ) -> Result<FxHashMap<State, T>, Fault> {
        let mut known = FxHashMap::default();
        for (places, what) in entries.iter().map(of) {
            if known.insert(self.listed(places)?, what).is_some() {
                return fault("a state occurs twice");
            }
        }
        Ok(known)
    }

    /// The state an entry names, which must not be an end.
    pub(crate) fn open_state(&mut self, places: &[u32]) -> Result<State, Fault> {
        let state = self.listed(places)?;
        if self.game.terminal(&state)? { fault("an entry is an end") } else { Ok(state) }
    }

    /// The legal move with a name.
    pub(crate) fn legal_move(&self, moves: &[GroundTerm], name: &str) -> Result<GroundTerm, Fault> {
        match moves.iter().copied().find(|&term| self.game.text(term) == name) {
            Some(term) => Ok(term),
            None => fault(format!("{name} is not legal")),
        }
    }

    /// The place of a role.
    pub(crate) fn place(&self, name: &str) -> Result<usize, Fault> {
        match self.roles.iter().position(|role| role == name) {
            Some(place) => Ok(place),
            None => fault(format!("{name} is not a role")),
        }
    }

    /// The places of some roles.
    pub(crate) fn places(&self, players: &[String]) -> Result<Vec<usize>, Fault> {
        let players = players.iter().map(|player| self.place(player));
        let players = players.collect::<Result<Vec<usize>, Fault>>()?;
        if players.is_sorted_by(|one, other| one < other) {
            Ok(players)
        } else {
            fault("the players are not in the order of the roles, each once")
        }
    }

    /// What an end is worth to a role. A state that is no end and not listed is a way out.
    pub(crate) fn end(&mut self, state: &State, role: usize) -> Result<Worth, Fault> {
        if !self.game.terminal(state)? {
            return fault("play can leave the entries");
        }
        let goals = std::mem::take(&mut self.game.goals(state)?[role]);
        let mut worth = None;
        for &term in &goals {
            let goal = self.game.number(term).filter(|&goal| goal <= HIGHEST_GOAL);
            let Some(goal) = goal else {
                let (goal, name) = (self.game.text(term), &self.roles[role]);
                return fault(format!("an end is worth {goal} to {name}, which is no goal"));
            };
            let Worth { least, most } = worth.unwrap_or(Worth { least: goal, most: goal });
            worth = Some(Worth { least: least.min(goal), most: most.max(goal) });
        }
        Ok(worth.unwrap_or(Worth { least: 0, most: HIGHEST_GOAL }))
    }

    /// What follows a state, by joint moves. They are all made before anything else is asked: as
    /// long as the state stays the same, what follows from it need not be found again.
    pub(crate) fn followers(
        &mut self,
        state: &State,
        joint: &[Vec<GroundTerm>],
    ) -> Result<Vec<State>, Fault> {
        joint.iter().map(|joint| Ok(self.game.next(state, joint)?)).collect()
    }
}

const NO_STATE: &str = "a state is not a list of fluents, ascending, each once";

fn read_fluents(game: &mut Interpreter, names: &[String]) -> Result<Vec<GroundTerm>, Refusal> {
    let mut fluents = Vec::with_capacity(names.len());
    for name in names {
        match game.terms_from_text(name).as_deref() {
            Ok(&[term]) => fluents.push(term),
            _ => return Err(Refusal::malformed(format!("{name} is not one fluent"))),
        }
    }
    let mut sorted = fluents.clone();
    sorted.sort_unstable();
    if sorted.is_sorted_by(|one, other| one < other) {
        Ok(fluents)
    } else {
        Err(Refusal::malformed("a fluent is listed twice"))
    }
}

/// Joint moves that are made at once, about. There may be more than can be held.
const BATCH: usize = 4096;

/// All combinations of one move per role, the last changing fastest, some at a time. None if a role has no move.
pub(crate) struct JointMoves<'a> {
    choices: &'a [Vec<GroundTerm>],
    /// The places of the next combination, if there is one.
    next: Option<Vec<usize>>,
    batch: usize,
}

impl<'a> JointMoves<'a> {
    /// For each combination that many joint moves are to be made.
    pub(crate) fn of(choices: &'a [Vec<GroundTerm>], each: usize) -> Self {
        let possible = choices.iter().all(|moves| !moves.is_empty());
        let next = possible.then(|| vec![0; choices.len()]);
        Self { choices, next, batch: (BATCH / each.max(1)).max(1) }
    }

    fn advance(&mut self) {
        let Some(places) = &mut self.next else { return };
        for (place, moves) in places.iter_mut().zip(self.choices).rev() {
            *place += 1;
            if *place < moves.len() {
                return;
            }
            *place = 0;
        }
        self.next = None;
    }
}

impl Iterator for JointMoves<'_> {
    type Item = Vec<Vec<GroundTerm>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut batch = Vec::new();
        while let Some(places) = self.next.as_ref().filter(|_| batch.len() < self.batch) {
            let moves = places.iter().zip(self.choices);
            batch.push(moves.map(|(&place, moves)| moves[place]).collect());
            self.advance();
        }
        (!batch.is_empty()).then_some(batch)
    }
}
