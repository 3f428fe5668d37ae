//! A source becomes an and-graph, under assumptions.
//!
//! Gates are visited in evaluation order, first those that read the state alone, then the others,
//! because a move's legality must be known before the products that hold the move.

use super::exactly_one::ExactlyOne;
use super::factor::sum_of_products;
use super::graph::{AndGraph, InputCounts};
use super::implied::Implied;
use super::literal::Literal;
use crate::source::{Gate, Source};

/// What is taken for granted, and which rules are tried.
#[derive(Clone, Debug)]
pub(crate) struct Assumptions {
    /// Fluents whose value is known.
    pub(crate) fluents: Vec<Option<bool>>,
    /// Moves that are known to be done or not to be done.
    pub(crate) does: Vec<Option<bool>>,
    /// Whether moves that are done may be taken to be legal.
    pub(crate) done_is_legal: bool,
}

impl Assumptions {
    /// Nothing is known.
    pub(crate) fn none(source: &Source) -> Self {
        Self {
            fluents: vec![None; source.fluent_count()],
            does: vec![None; source.move_count()],
            done_is_legal: false,
        }
    }
}

/// A variable of a recursive component: an input that must equal its function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) function: Literal,
    /// Components are evaluated in this order.
    pub(crate) component: u32,
}

/// The literals of all roots.
pub(crate) struct Translation {
    pub(crate) graph: AndGraph,
    pub(crate) next: Vec<Literal>,
    pub(crate) legal: Vec<Literal>,
    pub(crate) terminal: Literal,
    pub(crate) goals: Vec<Literal>,
    pub(crate) percepts: Vec<Literal>,
    pub(crate) variables: Vec<Variable>,
}

/// Translates the gates that read the state alone: legality, termination, goals. The transitions
/// and percepts of the result are false.
pub(crate) fn translate_state(source: &Source, assumptions: &Assumptions) -> Translation {
    Translator::new(source, assumptions).finish(false)
}

/// Translates everything.
pub(crate) fn translate(source: &Source, assumptions: &Assumptions) -> Translation {
    Translator::new(source, assumptions).finish(true)
}

/// Products longer than this are kept whole when a sum of them is factored.
const LONG_PRODUCT: usize = 256;

struct Translator<'a> {
    source: &'a Source,
    assumptions: &'a Assumptions,
    graph: AndGraph,
    literal: Vec<Literal>,
    /// The variable of each gate that an earlier gate of its cycle reads.
    variable_of: Vec<u32>,
    variables: Vec<Variable>,
    fanout: Vec<u32>,
    implied: Option<Implied>,
}

const NO_VARIABLE: u32 = u32::MAX;

impl<'a> Translator<'a> {
    fn new(source: &'a Source, assumptions: &'a Assumptions) -> Self {
        let (variable_of, variables) = find_variables(source);
        let inputs = InputCounts {
            fluents: source.fluent_count() as u32,
            moves: source.move_count() as u32,
            variables: variables.len() as u32,
        };
        let live = source.moves_of.iter().map(|moves| {
            moves.clone().filter(|&m| assumptions.does[m as usize] != Some(false)).collect()
        });
        let exactly_one = ExactlyOne::new(source.role_of_moves(), live.collect());
        Self {
            source,
            assumptions,
            graph: AndGraph::new(inputs, Some(exactly_one)),
            literal: vec![Literal::FALSE; source.gate_count()],
            variable_of,
            variables,
            fanout: source.fanout(),
            implied: None,
        }
    }

    fn finish(mut self, with_moves: bool) -> Translation {
        let reads_does = self.source.reads_does();
        self.visit_all(&reads_does, false);
        if with_moves {
            if self.assumptions.done_is_legal {
                self.implied = Some(Implied::new(self.literals(&self.source.legal)));
            }
            self.visit_all(&reads_does, true);
        }
        Translation {
            next: self.literals(&self.source.next),
            legal: self.literals(&self.source.legal),
            terminal: self.literal[self.source.terminal as usize],
            goals: self.literals(&self.source.goals),
            percepts: self.literals(&self.source.percepts),
            variables: self.variables,
            graph: self.graph,
        }
    }

    fn literals(&self, gates: &[u32]) -> Vec<Literal> {
        gates.iter().map(|&gate| self.literal[gate as usize]).collect()
    }

    fn visit_all(&mut self, reads_does: &[bool], wanted: bool) {
        // A gate of a cycle may read a later variable, so these are known from the start.
        for (gate, &variable) in self.variable_of.iter().enumerate() {
            if variable != NO_VARIABLE {
                self.literal[gate] = self.graph.inputs.variable(variable);
            }
        }
        for gate in 0..self.source.gate_count() as u32 {
            if reads_does[gate as usize] == wanted {
                self.visit(gate);
            }
        }
    }

    fn visit(&mut self, gate: u32) {
        let literal = self.translate(gate);
        match self.variable_of[gate as usize] {
            NO_VARIABLE => self.literal[gate as usize] = literal,
            variable => self.variables[variable as usize].function = literal,
        }
    }

    fn translate(&mut self, gate: u32) -> Literal {
        let known = |value: Option<bool>, input: Literal| value.map_or(input, Literal::constant);
        match self.source.gate(gate) {
            Gate::Constant(value) => Literal::constant(value),
            Gate::Fluent(fluent) => {
                let value = self.assumptions.fluents[fluent as usize];
                known(value, self.graph.inputs.fluent(fluent))
            }
            Gate::Does(action) => {
                let value = self.assumptions.does[action as usize];
                known(value, self.graph.inputs.does(action))
            }
            Gate::Not(input) => !self.literal[input as usize],
            Gate::And(inputs) => {
                let product = self.literals(inputs);
                self.conjunction(product)
            }
            Gate::Or(inputs) => self.disjunction(inputs),
        }
    }

    fn conjunction(&mut self, mut product: Vec<Literal>) -> Literal {
        if self.simplify(&mut product) { self.graph.and(product) } else { Literal::FALSE }
    }

    /// Drops what the moves of a product imply. Says no if the product can never hold.
    fn simplify(&mut self, product: &mut Vec<Literal>) -> bool {
        match &mut self.implied {
            Some(implied) => implied.simplify(&self.graph, product),
            None => true,
        }
    }

    fn disjunction(&mut self, inputs: &[u32]) -> Literal {
        let mut products = Vec::with_capacity(inputs.len());
        for &input in inputs {
            let mut product = self.product(input);
            if self.simplify(&mut product) {
                products.push(product);
            }
        }
        sum_of_products(&mut self.graph, products)
    }

    /// The literals of an input of a sum: those of a conjunction that only this sum reads.
    fn product(&self, input: u32) -> Vec<Literal> {
        let literal = self.literal[input as usize];
        let children = self.graph.children(literal.node());
        let open = !literal.is_negated()
            && !children.is_empty()
            && children.len() <= LONG_PRODUCT
            && self.fanout[input as usize] == 1;
        if open { children.to_vec() } else { vec![literal] }
    }
}

/// Cuts every cycle: a gate that is read by itself or an earlier gate becomes a variable.
fn find_variables(source: &Source) -> (Vec<u32>, Vec<Variable>) {
    let mut variable_of = vec![NO_VARIABLE; source.gate_count()];
    let mut variables = Vec::new();
    for (component, cycle) in source.cycles.iter().enumerate() {
        for gate in cycle.clone() {
            for &input in source.inputs(gate).iter().filter(|&&input| input >= gate) {
                variable_of[input as usize] = 0;
            }
        }
        for place in &mut variable_of[cycle.start as usize..cycle.end as usize] {
            if *place != NO_VARIABLE {
                *place = variables.len() as u32;
                let function = Literal::FALSE;
                variables.push(Variable { function, component: component as u32 });
            }
        }
    }
    (variable_of, variables)
}
