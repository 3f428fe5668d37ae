//! Where answers come from: two engines that must agree, a table of all states, and what is proved.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use gambol_analysis::{Literal, Shape};
use gambol_solve::{Fraction, SolveOptions, StateId, StateValues, state_values};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

use super::question::Asked;
use super::{Answer, Kind, QuizError, QuizOptions};
use crate::engine::{Engine, State};
use crate::{EngineKind, Game, MachineError, PositionError};

/// A random game: its states, and the moves made in all but the last.
pub(super) struct Walk {
    pub(super) states: Vec<State>,
    moves: Vec<Vec<String>>,
}

/// Longer games are cut off.
const LONGEST: usize = 200;
/// Walks that do nothing but look for fluents that change back.
const MOST_LOOKS: usize = 200;

/// What questions are asked of.
pub(super) struct Sources<'g> {
    game: &'g Game,
    circuit: Box<dyn Engine + 'g>,
    interpreter: Box<dyn Engine + 'g>,
    structure: Arc<Shape>,
    /// The latches that have not fallen at the start, by name.
    latches: BTreeMap<String, Literal>,
    /// The fluents that were seen to change back to what they are at the start: no latches.
    returning: BTreeSet<String>,
    looks: usize,
    values: Option<StateValues>,
}

impl<'g> Sources<'g> {
    pub(super) fn open(game: &'g Game, options: &QuizOptions) -> Result<Self, QuizError> {
        let net = game.net()?;
        let structure = game.structure()?;
        let open = |latch: &Literal| net.initial.contains(&latch.fluent) != latch.holds;
        let named = |latch: Literal| (net.fluents[latch.fluent].to_string(), latch);
        let wants_values =
            options.kinds.iter().any(|kind| matches!(kind, Kind::Value | Kind::Best));
        Ok(Self {
            game,
            circuit: game.engine(EngineKind::Circuit)?,
            interpreter: game.engine(EngineKind::Reference)?,
            latches: structure.proved_latches().filter(open).map(named).collect(),
            structure,
            returning: BTreeSet::new(),
            looks: 0,
            values: if wants_values { listed(game, options)? } else { None },
        })
    }

    pub(super) fn structure(&self) -> &Shape {
        &self.structure
    }

    /// Whether there can be questions of a kind.
    pub(super) fn can_answer(&self, kind: Kind) -> bool {
        match kind {
            Kind::Value | Kind::Best => self.values.is_some(),
            Kind::Latches => !self.latches.is_empty(),
            _ => true,
        }
    }

    /// A random game.
    pub(super) fn walk(&mut self, random: &mut Xoshiro256PlusPlus) -> Result<Walk, QuizError> {
        let mut state = self.circuit.initial()?;
        let mut walk = Walk { states: Vec::new(), moves: Vec::new() };
        while walk.moves.len() < LONGEST && !self.circuit.terminal(&state)? {
            let legal = self.circuit.legal(&state)?;
            if legal.iter().any(Vec::is_empty) {
                break;
            }
            let draw = |own: &Vec<String>| own[random.random_range(0..own.len())].clone();
            let joint: Vec<String> = legal.iter().map(draw).collect();
            let next = self.circuit.next(&state, &joint)?;
            walk.states.push(std::mem::replace(&mut state, next));
            walk.moves.push(joint);
        }
        walk.states.push(state);
        self.note_returns(&walk)?;
        Ok(walk)
    }

    /// Notes which fluents change back to what they are at the start. A latch among them is a fault of ours.
    fn note_returns(&mut self, walk: &Walk) -> Result<(), QuizError> {
        let mut gone: BTreeSet<&String> = BTreeSet::new();
        for state in &walk.states {
            let changed: BTreeSet<&String> = changed(&walk.states[0], state).collect();
            let back = gone.difference(&changed).map(|name| name.to_string());
            self.returning.extend(back);
            gone.extend(changed);
        }
        match self.latches.keys().any(|name| self.returning.contains(name)) {
            true => Err(QuizError::Disagreement),
            false => Ok(()),
        }
    }

    /// What circuit and interpreter both say.
    fn agreed<T: PartialEq>(
        &mut self,
        ask: impl Fn(&mut dyn Engine) -> Result<T, MachineError>,
    ) -> Result<T, QuizError> {
        let answer = ask(&mut *self.circuit)?;
        match ask(&mut *self.interpreter)? == answer {
            true => Ok(answer),
            false => Err(QuizError::Disagreement),
        }
    }

    /// A question about a state of a walk; none if there is nothing to ask about it.
    pub(super) fn question(
        &mut self,
        kind: Kind,
        walk: &Walk,
        place: usize,
        random: &mut Xoshiro256PlusPlus,
        steps: usize,
    ) -> Result<Option<Asked>, QuizError> {
        let state = &walk.states[place];
        let over = self.agreed(|engine| engine.terminal(state))?;
        let about = |answer| Ok(Some(Asked::about(kind, state, answer)));
        match kind {
            Kind::Terminal => about(Answer::Truth(over)),
            Kind::Goals if over => {
                let goals = self.agreed(|engine| engine.goals(state))?;
                about(Answer::Goals(self.by_role(goals)))
            }
            Kind::Latches => match self.fallen(&walk.states[0], state, random)? {
                Some(fallen) => about(Answer::Terms(fallen)),
                None => Ok(None),
            },
            _ if over => Ok(None),
            Kind::Legal => {
                let legal = self.agreed(|engine| engine.legal(state))?;
                about(Answer::Moves(self.by_role(legal)))
            }
            Kind::Next => self.next(walk, place, steps),
            Kind::Value => self.value(state),
            Kind::Best => self.best(state),
            Kind::Goals => Ok(None),
        }
    }

    fn by_role<T>(&self, all: Vec<T>) -> BTreeMap<String, T> {
        self.circuit.roles().iter().cloned().zip(all).collect()
    }

    fn next(
        &mut self,
        walk: &Walk,
        place: usize,
        steps: usize,
    ) -> Result<Option<Asked>, QuizError> {
        let moves: Vec<Vec<String>> = walk.moves[place..].iter().take(steps).cloned().collect();
        if moves.is_empty() {
            return Ok(None);
        }
        let start = &walk.states[place];
        let answer = self.agreed(|engine| {
            moves.iter().try_fold(start.clone(), |state, joint| engine.next(&state, joint))
        })?;
        let difficulty = answer.len() * moves.len();
        let asked = Asked::about(Kind::Next, start, Answer::Terms(answer));
        Ok(Some(Asked { moves, difficulty, ..asked }))
    }

    /// The latches that have fallen since the start. Nothing if a fluent has changed of which it is not known whether
    /// it is a latch: neither proved, nor seen to change back.
    fn fallen(
        &mut self,
        start: &State,
        state: &State,
        random: &mut Xoshiro256PlusPlus,
    ) -> Result<Option<Vec<String>>, QuizError> {
        let open = |sources: &Self, name: &String| {
            !sources.latches.contains_key(name) && !sources.returning.contains(name)
        };
        while changed(start, state).any(|name| open(self, name)) {
            if self.looks == MOST_LOOKS {
                return Ok(None);
            }
            self.looks += 1;
            self.walk(random)?;
        }
        let latches = changed(start, state).filter_map(|name| self.latches.get_key_value(name));
        let text = |(name, latch): (&String, &Literal)| match latch.holds {
            true => name.clone(),
            false => format!("(not {name})"),
        };
        Ok(Some(latches.map(text).collect()))
    }

    /// The table, and the number of a state in it.
    fn looked_up(&self, state: &State) -> Result<Option<(&StateValues, StateId)>, QuizError> {
        let Some(table) = &self.values else { return Ok(None) };
        let position = self.game.state(&state.join(" ")).map_err(|error| match error {
            PositionError::Stage(error) => QuizError::Stage(error),
            _ => QuizError::Disagreement,
        })?;
        let mut row = position.state().words().to_vec();
        row.resize(row.len().max(1), 0);
        Ok(table.listing.store.find(&row).map(|found| (table, found)))
    }

    fn value(&self, state: &State) -> Result<Option<Asked>, QuizError> {
        let Some((table, found)) = self.looked_up(state)? else { return Ok(None) };
        let values: Option<Vec<Fraction>> = table.values(found).into_iter().collect();
        let Some(values) = values else { return Ok(None) };
        let values = values.iter().map(ToString::to_string).collect();
        let asked = Asked::about(Kind::Value, state, Answer::Values(self.by_role(values)));
        Ok(Some(Asked { difficulty: following(table, found), ..asked }))
    }

    fn best(&self, state: &State) -> Result<Option<Asked>, QuizError> {
        let Some((table, found)) = self.looked_up(state)? else { return Ok(None) };
        let Some((role, best)) = table.best_moves(found) else { return Ok(None) };
        // Where all moves are as good as each other there is nothing to find.
        if best.len() == table.listing.moves(found, role).len() {
            return Ok(None);
        }
        let moves = self.game.net()?.moves.as_slice();
        let names = best.iter().map(|&action| moves[action as usize].name.to_string());
        let asked = Asked::about(Kind::Best, state, Answer::Terms(names.collect()));
        let role = Some(self.circuit.roles()[role].clone());
        Ok(Some(Asked { role, difficulty: following(table, found), ..asked }))
    }
}

/// The fluents in which two states differ.
fn changed<'a>(start: &'a State, state: &'a State) -> impl Iterator<Item = &'a String> {
    let missing = |from: &'a State, other: &'a State| {
        from.iter().filter(move |name| other.binary_search(name).is_err())
    };
    missing(start, state).chain(missing(state, start))
}

/// All states with their values, if there are few enough.
fn listed(game: &Game, options: &QuizOptions) -> Result<Option<StateValues>, QuizError> {
    let mut solving = SolveOptions::default();
    solving.limits.time = Some(options.time);
    solving.limits.stop = options.stop.clone();
    let found = state_values(game.net()?, game.circuit()?, &solving);
    // A game whose values nobody knows still has legal moves.
    Ok(found.ok().and_then(Result::ok))
}

/// How many states can follow a state, itself included.
fn following(table: &StateValues, state: StateId) -> usize {
    let mut seen = HashSet::from([state]);
    let mut open = vec![state];
    while let Some(state) = open.pop() {
        let next = table.listing.successors(state).iter().copied();
        open.extend(next.filter(|&next| seen.insert(next)));
    }
    seen.len()
}
