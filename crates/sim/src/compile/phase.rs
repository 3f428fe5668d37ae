//! One phase of a game, reduced to gates.

use std::ops::Range;

use gambol_net::When;

use crate::compile::reduce::binary::Gates;
use crate::compile::reduce::gates_for;
use crate::compile::reduce::literal::Literal;
use crate::compile::reduce::translate::{Assumptions, Strategy, translate};
use crate::compile::source::Source;

/// Which moves the transitions must be right for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trust {
    /// Only legal moves are done.
    Legal,
    /// Any move of each role may be done, legal or not.
    Any,
}

/// Gates for one phase.
///
/// A move that cannot be legal in the phase is left out. A role with one move left does it, so the
/// move is a constant; its legality is still computed, unless it is a constant too, because a role
/// without a legal move is stuck.
pub(crate) struct PhaseGates {
    /// Termination, then the legality of [`Self::moves`].
    pub(crate) legality: Gates,
    /// The new values of [`Self::changing`].
    pub(crate) transition: Gates,
    /// The fluents that do not just keep their value, ascending.
    pub(crate) changing: Vec<u32>,
    /// The moves whose legality is computed, ascending.
    pub(crate) moves: Vec<u32>,
    /// Moves that are always legal and the only ones of their role, ascending.
    pub(crate) always_legal: Vec<u32>,
    /// The place of each move among those that are done, unless it is a constant.
    pub(crate) places: Vec<Option<u32>>,
    /// Which of [`Self::moves`] belong to each role that has something to choose or can be stuck.
    pub(crate) choices: Vec<Range<usize>>,
}

impl PhaseGates {
    pub(crate) fn of(source: &Source, known: &[Option<bool>], trust: Trust) -> Self {
        let mut assumptions = no_moves(source);
        assumptions.fluents = known.to_vec();
        let roots: Vec<u32> = source.legal.iter().copied().chain([source.terminal]).collect();
        let legality = Candidate::smallest(source, &assumptions, STATE, &roots, |legal| {
            let moves = Moves::of(source, legal);
            let outputs = [source.move_count()].into_iter();
            outputs.chain(moves.computed.iter().map(|&action| action as usize)).collect()
        });
        let legal = &legality.roots[..source.move_count()];
        let (does, rules) = match trust {
            Trust::Legal => (forced_moves(source, legal), STEP),
            Trust::Any => (vec![None; source.move_count()], STATE),
        };
        assumptions.does = does;
        let next = &source.next;
        let transition = Candidate::smallest(source, &assumptions, rules, next, |next| {
            (0..source.fluent_count()).filter(|&f| !keeps(&assumptions, f, next[f])).collect()
        });
        let Moves { computed, always_legal, choices } = Moves::of(source, legal);
        let places = match trust {
            Trust::Legal => places_of(&computed, source.move_count()),
            Trust::Any => (0..source.move_count() as u32).map(Some).collect(),
        };
        Self {
            places,
            legality: legality.gates,
            changing: transition.outputs.iter().map(|&fluent| fluent as u32).collect(),
            transition: transition.gates,
            moves: computed,
            always_legal,
            choices,
        }
    }
}

/// The place of each move in a list.
fn places_of(moves: &[u32], count: usize) -> Vec<Option<u32>> {
    let mut places = vec![None; count];
    for (&action, place) in moves.iter().zip(0..) {
        places[action as usize] = Some(place);
    }
    places
}

/// Goals, which are asked in any phase.
pub(crate) fn goal_gates(source: &Source) -> Gates {
    all_gates(source, &no_moves(source), STATE, &source.goals)
}

/// Percepts, which depend on the state and the moves.
pub(crate) fn percept_gates(source: &Source) -> Gates {
    all_gates(source, &Assumptions::none(source), &[], &source.percepts)
}

/// Nothing is done while a state is asked, whatever the rules say.
fn no_moves(source: &Source) -> Assumptions {
    Assumptions { does: vec![Some(false); source.move_count()], ..Assumptions::none(source) }
}

fn all_gates(
    source: &Source,
    assumptions: &Assumptions,
    changes: &[Change],
    roots: &[u32],
) -> Gates {
    let all = |roots: &[Literal]| (0..roots.len()).collect();
    Candidate::smallest(source, assumptions, changes, roots, all).gates
}

/// Whether a fluent just keeps its value.
fn keeps(assumptions: &Assumptions, fluent: usize, next: Literal) -> bool {
    match assumptions.fluents[fluent] {
        Some(value) => next == Literal::constant(value),
        // Fluents are the first inputs of a graph.
        None => next == Literal::of(1 + fluent as u32),
    }
}

/// The moves of a phase, by what has to be computed for them.
struct Moves {
    computed: Vec<u32>,
    always_legal: Vec<u32>,
    choices: Vec<Range<usize>>,
}

impl Moves {
    fn of(source: &Source, legal: &[Literal]) -> Self {
        let mut moves = Self { computed: vec![], always_legal: vec![], choices: vec![] };
        for range in &source.moves_of {
            let first = moves.computed.len();
            let possible = |&action: &u32| legal[action as usize] != Literal::FALSE;
            moves.computed.extend(range.clone().filter(possible));
            match moves.computed[first..] {
                [only] if legal[only as usize] == Literal::TRUE => {
                    moves.always_legal.extend(moves.computed.pop());
                }
                _ => moves.choices.push(first..moves.computed.len()),
            }
        }
        moves
    }
}

/// Moves that are never legal are never done; a role's only other move always is.
fn forced_moves(source: &Source, legal: &[Literal]) -> Vec<Option<bool>> {
    let never = |&legal: &Literal| (legal == Literal::FALSE).then_some(false);
    let mut does: Vec<Option<bool>> = legal.iter().take(source.move_count()).map(never).collect();
    for range in &source.moves_of {
        let mut live = range.clone().filter(|&action| does[action as usize].is_none());
        if let (Some(only), None) = (live.next(), live.next()) {
            does[only as usize] = Some(true);
        }
    }
    does
}

type Change = fn(&mut Strategy);

/// Rules worth trying on what reads the state alone.
const STATE: &[Change] = &[|s| s.open_shared = true, |s| s.multiply_out = true];
/// Rules worth trying on what reads moves too.
const STEP: &[Change] =
    &[|s| s.done_is_legal = true, |s| s.open_shared = true, |s| s.multiply_out = true];
/// Nets with more gates than this are compiled in one way only.
const LARGE: usize = 400_000;

/// One way to compile some roots.
struct Candidate {
    roots: Vec<Literal>,
    /// Which of the roots are computed.
    outputs: Vec<usize>,
    gates: Gates,
}

impl Candidate {
    /// Compiles without special rules, then adds one rule after the other and keeps each if it
    /// helps. `select` says which roots to compute.
    fn smallest(
        source: &Source,
        assumptions: &Assumptions,
        changes: &[Change],
        roots: &[u32],
        select: impl Fn(&[Literal]) -> Vec<usize>,
    ) -> Self {
        let compile = |strategy: Strategy| {
            let translation = translate(source, assumptions, strategy, roots);
            let outputs = select(&translation.roots);
            let gates = gates_for(&translation, &outputs);
            Self { roots: translation.roots, outputs, gates }
        };
        let mut strategy = Strategy::default();
        let mut best = compile(strategy);
        let tried = match source.reductions {
            When::Always => changes,
            When::Never => &[],
            When::WhenItPays if source.gate_count() <= LARGE => changes,
            When::WhenItPays => &[],
        };
        for change in tried {
            let mut changed = strategy;
            change(&mut changed);
            let candidate = compile(changed);
            let smaller = candidate.gates.gates.len() < best.gates.gates.len();
            if smaller || source.reductions == When::Always {
                (strategy, best) = (changed, candidate);
            }
        }
        best
    }
}
