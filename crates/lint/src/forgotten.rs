//! Fluents that are set, gone in the next state, and missed: a frame rule was forgotten.
//!
//! What moves set and nothing keeps may be meant to pass: the last move, or a position that each move gives anew. Three
//! things speak against that: there are several of them at the start and never again so many, many of them
//! vanish in one step, or play goes wrong and they matter for the end.

use gambol_ground::GroundGame;
use gambol_reference::{GroundTerm, Interpreter, ReferenceError, State};
use gambol_syntax::{Diagnosis, Rules};
use rustc_hash::FxHashSet;

use crate::frame::{Group, decisive_shapes, set_and_read, take_apart};

/// How many random games are looked at, and how long they may be.
const GAMES: u64 = 4;
const STEPS: usize = 40;
/// So many findings at most: one cause has few.
const MOST: usize = 2;

/// What play has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Amiss {
    Nothing,
    /// Nobody ever won, as happens in games that are hard to win.
    Perhaps,
    /// Nobody can move or has a goal, or no game ends.
    Surely,
}

/// What nothing keeps though it should be kept.
pub(crate) fn look(
    rules: &Rules,
    game: &GroundGame,
    interpreter: &mut Interpreter,
    amiss: Amiss,
) -> Vec<Diagnosis> {
    let groups = set_and_read(rules, game);
    let decisive = match amiss {
        Amiss::Nothing => FxHashSet::default(),
        Amiss::Perhaps | Amiss::Surely => decisive_shapes(rules),
    };
    let Ok(seen) = watch(interpreter, &groups) else { return Vec::new() };
    let missed = |((group, kept), seen): &((Group<'_>, bool), Seen)| {
        // The last move is there in every state, what was lost is not.
        let told = amiss == Amiss::Surely || seen.lapses;
        let new = seen.at_start == 0 || (amiss == Amiss::Surely && seen.lapses);
        // A counter is gone at each step, and its next value there.
        let passes = !group.is_followed() || seen.lapses;
        let put = || told && !kept && new && passes && decisive.contains(&group.shape());
        seen.vanishes || (seen.gone && !seen.stays && (seen.is_lost() || put()))
    };
    let found = groups.into_iter().zip(seen).filter(missed);
    found.filter_map(|((group, _), _)| Some(group.finding(rules)?.1)).take(MOST).collect()
}

/// What happened to the fluents of a group.
#[derive(Clone, Default)]
struct Seen {
    /// How many hold at the start, and later at most.
    at_start: usize,
    most_later: usize,
    steps: usize,
    /// One of them held in a state and the next.
    stays: bool,
    /// One of them held in a state and not in the next.
    gone: bool,
    /// One of them held in a state and none in the next.
    lapses: bool,
    /// As many as make up a board held from the start, and none in a state that is not the last, nor was another board
    /// put in its place, as between the phases of a game.
    vanishes: bool,
}

/// So many fluents of one function at the start make up a board.
const BOARD: usize = 4;

impl Seen {
    /// Several at the start, and never again more than half of them.
    fn is_lost(&self) -> bool {
        self.at_start > 1 && self.steps > 2 && 2 * self.most_later <= self.at_start
    }

    fn step(&mut self, before: &[GroundTerm], after: &[GroundTerm], passes: bool) {
        let stay = before.iter().filter(|fluent| after.contains(fluent)).count();
        self.stays |= stay > 0;
        self.gone |= stay < before.len();
        self.lapses |= !before.is_empty() && after.is_empty();
        self.vanishes |= !passes && self.at_start.min(before.len()) >= BOARD && after.is_empty();
        self.most_later = self.most_later.max(after.len());
        self.steps += 1;
    }
}

fn watch(
    interpreter: &mut Interpreter,
    groups: &[(Group<'_>, bool)],
) -> Result<Vec<Seen>, ReferenceError> {
    let start = interpreter.initial()?;
    let at_start = members(interpreter, &start, groups);
    let mut seen: Vec<Seen> =
        at_start.iter().map(|held| Seen { at_start: held.len(), ..Seen::default() }).collect();
    for seed in 0..GAMES {
        let (mut state, mut before) = (start.clone(), at_start.clone());
        for joint in interpreter.playout(seed, STEPS)?.moves {
            state = interpreter.next(&state, &joint)?;
            let after = members(interpreter, &state, groups);
            let new =
                |(before, after): (&Vec<_>, &Vec<_>)| before.is_empty() && after.len() >= BOARD;
            let passes = interpreter.terminal(&state)? || before.iter().zip(&after).any(new);
            for (place, seen) in seen.iter_mut().enumerate() {
                seen.step(&before[place], &after[place], passes);
            }
            before = after;
        }
    }
    Ok(seen)
}

/// The fluents of each group that hold.
fn members(
    interpreter: &Interpreter,
    state: &State,
    groups: &[(Group<'_>, bool)],
) -> Vec<Vec<GroundTerm>> {
    let mut members = vec![Vec::new(); groups.len()];
    for &fluent in state.fluents() {
        let text = interpreter.text(fluent);
        let (functor, arguments) = take_apart(&text);
        if let Some(place) = groups.iter().position(|(it, _)| it.has(functor, arguments.len())) {
            members[place].push(fluent);
        }
    }
    members
}
