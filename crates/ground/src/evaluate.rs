//! Last steps on the finished graph: the first state, questions that may not read moves, and
//! whether negation is stratified where the rules alone did not tell.

use gambol_index::{Components, Graph, Id, IndexVec};

use crate::formulas::{Formula, FormulaId, Formulas, Signal};
use crate::ground_game::GroundGame;
use crate::ids::FluentId;
use crate::{GroundError, View};

/// Settles the initial state and the roots of a game.
pub(crate) fn settle(
    game: &mut GroundGame,
    initial_when: &IndexVec<FluentId, Signal>,
) -> Result<(), GroundError> {
    if game.formulas.has_cycles() {
        refuse_negative_cycles(game, initial_when)?;
    }
    game.initial = initial_state(&game.formulas, initial_when);
    forget_moves(game);
    Ok(())
}

fn initial_state(formulas: &Formulas, initial_when: &IndexVec<FluentId, Signal>) -> Vec<FluentId> {
    let decided = initial_when.iter().all(|signal| signal.constant().is_some());
    let values = if decided { Vec::new() } else { values_at_nothing(formulas) };
    let holds = |signal: Signal| match signal.constant() {
        Some(constant) => constant,
        None => values[signal.formula().index()] != signal.is_negated(),
    };
    initial_when
        .iter_ids()
        .filter(|&(_, &signal)| holds(signal))
        .map(|(fluent, _)| fluent)
        .collect()
}

/// The value of every formula when no fluent is true and no move is done.
fn values_at_nothing(formulas: &Formulas) -> Vec<bool> {
    let graph = input_graph(formulas);
    let components = Components::of(&graph);
    let mut values = vec![false; formulas.len()];
    for members in components.iter() {
        // Least fixpoint from false; a component without a cycle settles in one round.
        loop {
            let mut changed = false;
            for &member in members {
                let value = value_of(formulas, FormulaId::new(member), &values);
                changed |= value != values[member as usize];
                values[member as usize] = value;
            }
            if !changed || members.len() == 1 {
                break;
            }
        }
    }
    values
}

fn value_of(formulas: &Formulas, id: FormulaId, values: &[bool]) -> bool {
    let holds = |signal: &Signal| values[signal.formula().index()] != signal.is_negated();
    match formulas.formula(id) {
        Formula::False | Formula::Fluent(_) | Formula::Does(_) => false,
        Formula::And(inputs) => inputs.iter().all(holds),
        Formula::Or(inputs) => inputs.iter().any(holds),
    }
}

fn inputs_of(formulas: &Formulas, id: FormulaId) -> &[Signal] {
    match formulas.formula(id) {
        Formula::And(inputs) | Formula::Or(inputs) => inputs,
        Formula::False | Formula::Fluent(_) | Formula::Does(_) => &[],
    }
}

fn input_graph(formulas: &Formulas) -> Graph {
    Graph::from_successors(
        formulas
            .ids()
            .map(|id| inputs_of(formulas, id).iter().map(|signal| signal.formula().number())),
    )
}

fn refuse_negative_cycles(
    game: &GroundGame,
    initial_when: &IndexVec<FluentId, Signal>,
) -> Result<(), GroundError> {
    let formulas = &game.formulas;
    let mut roots = state_roots(game);
    roots.extend(game.next.iter());
    roots.extend(game.percepts.iter().map(|percept| percept.when));
    roots.extend(initial_when.iter());
    let reached = reached_from(formulas, roots);
    let components = Components::of(&input_graph(formulas));
    for id in formulas.ids().filter(|id| reached[id.index()]) {
        let component = components.component_of(id.number());
        let negates_itself = inputs_of(formulas, id).iter().any(|signal| {
            signal.is_negated() && components.component_of(signal.formula().number()) == component
        });
        if negates_itself {
            let on_cycle =
                |view: &&View| components.component_of(view.when.formula().number()) == component;
            let atom = game.views.iter().find(on_cycle);
            let atom = atom.map_or("an atom".to_owned(), |view| game.names.atom_text(&view.atom));
            return Err(GroundError::NotStratified { atom, at: None });
        }
    }
    Ok(())
}

/// The questions about a state that no move may decide.
fn state_roots(game: &GroundGame) -> Vec<Signal> {
    let mut roots: Vec<Signal> = game.legal.iter().copied().collect();
    roots.push(game.terminal);
    roots.extend(game.goals.iter().map(|goal| goal.when));
    roots
}

fn reached_from(formulas: &Formulas, roots: impl IntoIterator<Item = Signal>) -> Vec<bool> {
    let mut reached = vec![false; formulas.len()];
    let mut open: Vec<FormulaId> = roots.into_iter().map(Signal::formula).collect();
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut reached[id.index()], true) {
            open.extend(inputs_of(formulas, id).iter().map(|signal| signal.formula()));
        }
    }
    reached
}

/// Old rulesheets ask for moves in `legal`, `goal` or `terminal`; there no move is done yet.
fn forget_moves(game: &mut GroundGame) {
    let reached = reached_from(&game.formulas, state_roots(game));
    let reads_moves = game
        .formulas
        .ids()
        .any(|id| reached[id.index()] && matches!(game.formulas.formula(id), Formula::Does(_)));
    if !reads_moves {
        return;
    }
    let without = without_moves(&mut game.formulas, &reached);
    let replace = |signal: &mut Signal| {
        let new = without[signal.formula().index()];
        *signal = if signal.is_negated() { !new } else { new };
    };
    game.legal.iter_mut().for_each(replace);
    replace(&mut game.terminal);
    game.goals.iter_mut().for_each(|goal| replace(&mut goal.when));
}

/// For each reached formula, the formula that it is when no move is done. Only disjunctions that
/// were left open can read formulas made after them, so going through in order meets the rest.
fn without_moves(formulas: &mut Formulas, reached: &[bool]) -> Vec<Signal> {
    let mut new = vec![Signal::FALSE; reached.len()];
    let mut open = Vec::new();
    for row in (0..reached.len()).filter(|&row| reached[row]) {
        let id = FormulaId::from_index(row);
        let through = |new: &[Signal], inputs: &[Signal]| -> Vec<Signal> {
            let map = |signal: &Signal| {
                let mapped = new[signal.formula().index()];
                if signal.is_negated() { !mapped } else { mapped }
            };
            inputs.iter().map(map).collect()
        };
        new[row] = match formulas.formula(id) {
            Formula::False | Formula::Does(_) => Signal::FALSE,
            Formula::Fluent(_) => Signal::of(id),
            Formula::And(inputs) => {
                let inputs = through(&new, inputs);
                formulas.and(inputs)
            }
            Formula::Or(inputs) if inputs.iter().any(|signal| signal.formula() >= id) => {
                open.push(id);
                formulas.open_or()
            }
            Formula::Or(inputs) => {
                let inputs = through(&new, inputs);
                formulas.or(inputs)
            }
        };
    }
    for id in open {
        let inputs: Vec<Signal> = inputs_of(formulas, id)
            .iter()
            .map(|signal| {
                let mapped = new[signal.formula().index()];
                if signal.is_negated() { !mapped } else { mapped }
            })
            .collect();
        formulas.close_or(new[id.index()], inputs);
    }
    new
}
