//! Formulas to gates.
//!
//! Complemented edges become inverters, shared by all who read the complement. A formula's inputs
//! are usually older than the formula; where they are not (recursive relations), the gate is opened
//! first and given its inputs at the end.

use std::sync::Arc;

use gambol_ground::{Formula, FormulaId, Formulas, GroundGame, Signal};

use crate::draft::{Draft, FALSE, TRUE, Wire};
use crate::frame::Frame;
use crate::net::Kind;
use crate::order::order;
use crate::rewrite::fold_constants;
use crate::{Net, NetError};

/// The propositional net of a ground game.
///
/// Fails only if a formula depends on its own negation, which
/// [`instantiate`](gambol_ground) refuses beforehand.
pub fn build(game: &GroundGame) -> Result<Net, NetError> {
    let mut gates = Gates::of(game);
    let frame = translate_roots(game, &mut gates);
    let net = order(&gates.draft, frame)?;
    // Constants were folded on the way, but not through gates that got their inputs late.
    Ok(if gates.opened.is_empty() { net } else { fold_constants(&net) })
}

fn translate_roots(game: &GroundGame, gates: &mut Gates) -> Frame {
    let next = game.next.iter().map(|&signal| gates.wire(signal)).collect();
    let legal = game.legal.iter().map(|&signal| gates.wire(signal)).collect();
    let terminal = gates.wire(game.terminal);
    let goals = game.goals.iter().map(|goal| (goal.role, goal.value, gates.wire(goal.when)));
    let goals = goals.collect();
    let percepts = game.percepts.iter();
    let percepts = percepts.map(|seen| (seen.role, seen.name.clone(), gates.wire(seen.when)));
    let percepts = percepts.collect();
    let views = game.views.iter().map(|view| (view.atom.clone(), gates.wire(view.when))).collect();
    Frame {
        roles: game.roles.clone(),
        fluents: game.fluents.clone(),
        moves: game.moves.clone(),
        initial: game.initial.clone(),
        next,
        legal,
        terminal,
        goals,
        percepts,
        views,
        names: Arc::clone(&game.names),
    }
}

/// The gates made so far, by formula.
struct Gates {
    draft: Draft,
    of_formula: Vec<Wire>,
    opened: Vec<FormulaId>,
    wires: Vec<Wire>,
}

impl Gates {
    fn of(game: &GroundGame) -> Self {
        let formulas = &game.formulas;
        let needed = mark_needed(game);
        let of_formula = vec![FALSE; formulas.len()];
        let mut gates =
            Self { draft: Draft::new(), of_formula, opened: Vec::new(), wires: Vec::new() };
        for id in (0..number(formulas.len())).map(FormulaId::new) {
            if !needed[id.number() as usize] {
                continue;
            }
            if reads_younger(formulas, id) {
                let kind = junction_kind(formulas, id);
                gates.of_formula[id.number() as usize] = gates.draft.open(kind);
                gates.opened.push(id);
            } else {
                gates.add(formulas, id);
            }
        }
        for row in 0..gates.opened.len() {
            gates.close(formulas, gates.opened[row]);
        }
        gates
    }

    fn add(&mut self, formulas: &Formulas, id: FormulaId) {
        let wire = match formulas.formula(id) {
            Formula::False => FALSE,
            Formula::Fluent(fluent) => self.draft.fluent(fluent),
            Formula::Does(action) => self.draft.does(action),
            Formula::And(inputs) => self.junction(Kind::And, inputs),
            Formula::Or(inputs) => self.junction(Kind::Or, inputs),
        };
        self.of_formula[id.number() as usize] = wire;
    }

    /// Formulas are shared by structure already, so different ones make different gates.
    fn junction(&mut self, kind: Kind, inputs: &[Signal]) -> Wire {
        self.wires.clear();
        for &input in inputs {
            let wire = self.wire(input);
            self.wires.push(wire);
        }
        self.draft.new_junction(kind, self.wires.iter().copied())
    }

    fn close(&mut self, formulas: &Formulas, id: FormulaId) {
        let wires: Vec<Wire> = inputs(formulas, id).iter().map(|&input| self.wire(input)).collect();
        self.draft.close(self.of_formula[id.number() as usize], wires);
    }

    fn wire(&mut self, signal: Signal) -> Wire {
        if let Some(value) = signal.constant() {
            return if value { TRUE } else { FALSE };
        }
        let wire = self.of_formula[signal.formula().number() as usize];
        if signal.is_negated() { self.draft.not(wire) } else { wire }
    }
}

/// The formulas that the roots lead to.
fn mark_needed(game: &GroundGame) -> Vec<bool> {
    let mut needed = vec![false; game.formulas.len()];
    let mut open: Vec<FormulaId> = roots(game).map(Signal::formula).collect();
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut needed[id.number() as usize], true) {
            let below = inputs(&game.formulas, id).iter().map(|input| input.formula());
            open.extend(below.filter(|input| !needed[input.number() as usize]));
        }
    }
    needed
}

fn roots(game: &GroundGame) -> impl Iterator<Item = Signal> {
    let transitions = game.next.iter().chain(&game.legal).copied();
    let goals = game.goals.iter().map(|goal| goal.when);
    let percepts = game.percepts.iter().map(|percept| percept.when);
    let views = game.views.iter().map(|view| view.when);
    transitions.chain([game.terminal]).chain(goals).chain(percepts).chain(views)
}

fn inputs(formulas: &Formulas, id: FormulaId) -> &[Signal] {
    match formulas.formula(id) {
        Formula::And(inputs) | Formula::Or(inputs) => inputs,
        Formula::False | Formula::Fluent(_) | Formula::Does(_) => &[],
    }
}

fn reads_younger(formulas: &Formulas, id: FormulaId) -> bool {
    inputs(formulas, id).iter().any(|input| input.formula() >= id)
}

fn junction_kind(formulas: &Formulas, id: FormulaId) -> Kind {
    if matches!(formulas.formula(id), Formula::And(_)) { Kind::And } else { Kind::Or }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).expect("formulas are numbered with 32 bits")
}
