//! Gates of a source become an and-graph, under assumptions.
//!
//! Gates are visited in evaluation order, first those that read the state alone, then the others,
//! because a move's legality must be known before the products that hold the move. A gate that only
//! one other gate reads is opened into it, so that factoring sees whole sums of whole products.

use gambol_net::When;

use super::exactly_one::ExactlyOne;
use super::factor::sum_of_products;
use super::graph::{AndGraph, InputCounts};
use super::implied::Implied;
use super::literal::Literal;
use super::liveness::Liveness;
use crate::compile::source::{Gate, Source};

/// What is taken for granted.
#[derive(Clone, Debug)]
pub(crate) struct Assumptions {
    /// Fluents whose value is known.
    pub(crate) fluents: Vec<Option<bool>>,
    /// Moves that are known to be done or not to be done.
    pub(crate) does: Vec<Option<bool>>,
}

impl Assumptions {
    /// Nothing is known.
    pub(crate) fn none(source: &Source) -> Self {
        Self { fluents: vec![None; source.fluent_count()], does: vec![None; source.move_count()] }
    }
}

/// Which rules are tried. None of them always helps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Strategy {
    /// Moves that are done are taken to be legal.
    pub(crate) done_is_legal: bool,
    /// Products of sums are multiplied out, so that they can be factored in another way.
    pub(crate) multiply_out: bool,
    /// Short products are opened into the sums that read them even if there are several.
    pub(crate) open_shared: bool,
}

/// A variable of a recursive component: an input that must equal its function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) function: Literal,
    /// Components are evaluated in this order.
    pub(crate) component: u32,
}

/// The literals of the roots.
pub(crate) struct Translation {
    pub(crate) graph: AndGraph,
    pub(crate) roots: Vec<Literal>,
    pub(crate) variables: Vec<Variable>,
}

/// Translates what the roots need.
pub(crate) fn translate(
    source: &Source,
    assumptions: &Assumptions,
    strategy: Strategy,
    roots: &[u32],
) -> Translation {
    let mut translator = Translator::new(source, assumptions, strategy, roots);
    let reads_does = source.reads_does();
    translator.visit_all(|gate| !reads_does[gate as usize]);
    if strategy.done_is_legal {
        translator.implied = Some(Implied::new(translator.literals(&source.legal)));
    }
    translator.visit_all(|gate| reads_does[gate as usize]);
    Translation {
        roots: translator.literals(roots),
        variables: translator.variables,
        graph: translator.graph,
    }
}

/// Longer conjunctions are kept whole when they occur in another gate.
const LONG: usize = 256;
/// Conjunctions that several gates read are opened up to this length.
const SHORT: usize = 3;
/// Products are multiplied out only if they become no more products than this.
const MOST_PRODUCTS: usize = 64;
/// A sum may become this many times as long when its products are multiplied out.
const MOST_GROWTH: usize = 8;
/// All sums together may grow by this many literals.
const BUDGET: usize = 20_000_000;

struct Translator<'a> {
    source: &'a Source,
    assumptions: &'a Assumptions,
    strategy: Strategy,
    graph: AndGraph,
    literal: Vec<Literal>,
    /// The variable of each gate that an earlier gate of its cycle reads.
    variable_of: Vec<u32>,
    variables: Vec<Variable>,
    live: Liveness,
    /// How many gates read each node, as far as gates became nodes.
    uses: Vec<u32>,
    implied: Option<Implied>,
    /// How many literals may still be made by multiplying out.
    budget: std::cell::Cell<usize>,
}

const NO_VARIABLE: u32 = u32::MAX;

impl<'a> Translator<'a> {
    fn new(
        source: &'a Source,
        assumptions: &'a Assumptions,
        strategy: Strategy,
        roots: &[u32],
    ) -> Self {
        let (variable_of, variables) = find_variables(source);
        let inputs = InputCounts {
            fluents: source.fluent_count() as u32,
            moves: source.move_count() as u32,
            variables: variables.len() as u32,
        };
        let possible = source.moves_of.iter().map(|moves| {
            moves.clone().filter(|&m| assumptions.does[m as usize] != Some(false)).collect()
        });
        let exactly_one = (source.reductions != When::Never)
            .then(|| ExactlyOne::new(source.role_of_moves(), possible.collect()));
        let mut live = Liveness::of(source, assumptions, roots);
        if strategy.done_is_legal {
            live.also_visit(source, &source.legal);
        }
        Self {
            source,
            assumptions,
            strategy,
            graph: AndGraph::new(inputs, exactly_one),
            literal: vec![Literal::FALSE; source.gate_count()],
            variable_of,
            variables,
            live,
            uses: Vec::new(),
            implied: None,
            budget: std::cell::Cell::new(BUDGET),
        }
    }

    fn literals(&self, gates: &[u32]) -> Vec<Literal> {
        gates.iter().map(|&gate| self.literal[gate as usize]).collect()
    }

    fn visit_all(&mut self, wanted: impl Fn(u32) -> bool) {
        // A gate of a cycle may read a later variable, so these are known from the start.
        for (gate, &variable) in self.variable_of.iter().enumerate() {
            if variable != NO_VARIABLE {
                self.literal[gate] = self.graph.inputs.variable(variable);
            }
        }
        for gate in 0..self.source.gate_count() as u32 {
            if wanted(gate) && self.live.is_visited(gate) {
                self.visit(gate);
            }
        }
    }

    fn visit(&mut self, gate: u32) {
        let literal = match self.live.constant(gate) {
            Some(value) => Literal::constant(value),
            None => self.translate(gate),
        };
        match self.variable_of[gate as usize] {
            NO_VARIABLE => {
                self.literal[gate as usize] = literal;
                self.count_uses(literal, self.live.readers(gate));
            }
            variable => self.variables[variable as usize].function = literal,
        }
    }

    fn count_uses(&mut self, literal: Literal, readers: u32) {
        if self.uses.len() < self.graph.node_count() {
            self.uses.resize(self.graph.node_count(), 0);
        }
        self.uses[literal.node() as usize] += readers;
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
            Gate::And(inputs) => self.conjunction(inputs),
            Gate::Or(inputs) => self.disjunction(inputs),
        }
    }

    fn conjunction(&mut self, inputs: &[u32]) -> Literal {
        let mut product = Vec::with_capacity(inputs.len());
        for &input in inputs {
            self.add_to_product(self.literal[input as usize], &mut product);
        }
        if self.simplify(&mut product) { self.graph.and(product) } else { Literal::FALSE }
    }

    fn disjunction(&mut self, inputs: &[u32]) -> Literal {
        let mut products = Vec::with_capacity(inputs.len());
        for &input in inputs {
            self.add_to_sum(self.literal[input as usize], &mut products);
        }
        if self.strategy.multiply_out {
            products = self.multiplied_out_all(products);
        }
        let mut possible = Vec::with_capacity(products.len());
        for mut product in products {
            if self.simplify(&mut product) {
                possible.push(product);
            }
        }
        sum_of_products(&mut self.graph, possible)
    }

    /// Drops what the moves of a product imply. Says no if the product can never hold.
    fn simplify(&mut self, product: &mut Vec<Literal>) -> bool {
        match &mut self.implied {
            Some(implied) => implied.simplify(&self.graph, product),
            None => true,
        }
    }

    /// A conjunction that nothing else reads is part of the product that reads it.
    fn add_to_product(&self, literal: Literal, product: &mut Vec<Literal>) {
        match self.opened(literal) {
            Some(children) => product.extend_from_slice(children),
            None => product.push(literal),
        }
    }

    /// A disjunction that nothing else reads is part of the sum that reads it.
    fn add_to_sum(&self, literal: Literal, products: &mut Vec<Vec<Literal>>) {
        let mut add = |literal| {
            let mut product = Vec::new();
            self.add_to_product(literal, &mut product);
            products.push(product);
        };
        match self.opened(!literal) {
            Some(children) => children.iter().for_each(|&child| add(!child)),
            None => add(literal),
        }
    }

    /// Multiplies out all products of a sum, unless it grows too much.
    fn multiplied_out_all(&self, products: Vec<Vec<Literal>>) -> Vec<Vec<Literal>> {
        let literals = |products: &[Vec<Literal>]| products.iter().map(Vec::len).sum::<usize>();
        let limit = (MOST_GROWTH * literals(&products) + MOST_PRODUCTS).min(self.budget.get());
        let mut result = Vec::with_capacity(products.len());
        let mut length = 0;
        for product in &products {
            let multiplied = self.multiplied_out(product);
            length += literals(&multiplied);
            if length > limit {
                return products;
            }
            result.extend(multiplied);
        }
        self.budget.set(self.budget.get() - length);
        result
    }

    /// The products that a product with sums in it comes to.
    fn multiplied_out(&self, product: &[Literal]) -> Vec<Vec<Literal>> {
        let mut result = vec![Vec::new()];
        for &literal in product {
            match self.opened(!literal) {
                Some(terms) if result.len() * terms.len() <= MOST_PRODUCTS => {
                    let mut terms_as_products = Vec::new();
                    self.add_to_sum(literal, &mut terms_as_products);
                    result = multiply(&result, &terms_as_products);
                }
                _ => result.iter_mut().for_each(|product| product.push(literal)),
            }
        }
        result
    }

    /// The children of a conjunction that at most one gate reads, or a few if it is short.
    fn opened(&self, literal: Literal) -> Option<&[Literal]> {
        let children = self.graph.children(literal.node());
        let uses = self.uses.get(literal.node() as usize).copied().unwrap_or(0);
        let is_open = match uses {
            0 | 1 => children.len() <= LONG,
            _ => self.strategy.open_shared && children.len() <= SHORT,
        };
        (is_open && !literal.is_negated() && !children.is_empty()).then_some(children)
    }
}

fn multiply(sum: &[Vec<Literal>], terms: &[Vec<Literal>]) -> Vec<Vec<Literal>> {
    let mut products = Vec::with_capacity(sum.len() * terms.len());
    for product in sum {
        products.extend(terms.iter().map(|term| [product.as_slice(), term].concat()));
    }
    products
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
