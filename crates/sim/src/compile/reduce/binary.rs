//! Products become gates with two inputs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::graph::InputCounts;
use super::literal::Literal;
use super::products::{NeededVariable, Products};

/// Two-input AND gates with complemented edges. Gate `g` is node `g + 1 +` the number of inputs
/// and reads nodes of smaller number, or inputs.
#[derive(Clone, Debug)]
pub(crate) struct Gates {
    pub(crate) inputs: InputCounts,
    pub(crate) gates: Vec<[Literal; 2]>,
    pub(crate) outputs: Vec<Literal>,
    /// Recursive variables, sorted by component.
    pub(crate) variables: Vec<NeededVariable>,
}

impl Gates {
    /// The node of the first gate.
    pub(crate) fn base(&self) -> u32 {
        self.inputs.total() + 1
    }

    /// The gate that a node is, unless it is the constant or an input.
    #[inline]
    pub(crate) fn gate(&self, node: u32) -> Option<[Literal; 2]> {
        let place = node.checked_sub(self.base())?;
        Some(self.gates[place as usize])
    }
}

/// Beyond the depth of any circuit without recursion.
const LOOP_LEVEL: u32 = 10_000;

/// Splits every product into gates, shallow operands first, and keeps equal gates once.
pub(crate) fn binarise(products: Products) -> Gates {
    let mut split = Split::new(&products);
    for root in products.roots() {
        split.build(&products, root.node());
    }
    let outputs = products.outputs.iter().map(|&output| split.result(&products, output)).collect();
    let variable = |needed: &NeededVariable| NeededVariable {
        function: split.result(&products, needed.function),
        ..*needed
    };
    let variables = products.variables.iter().map(variable).collect();
    let gates = Gates { inputs: products.inputs, gates: split.gates, outputs, variables };
    without_unused(gates)
}

struct Split {
    gates: Vec<[Literal; 2]>,
    known: FxHashMap<[Literal; 2], u32>,
    /// The longest path to an input, per node.
    level: Vec<u32>,
    /// What each product became.
    result: Vec<Option<Literal>>,
}

impl Split {
    fn new(products: &Products) -> Self {
        let mut level = vec![0; products.base() as usize];
        // What does not change while a recursive component repeats is combined first, so that it
        // stays out of the loop.
        for needed in &products.variables {
            let node = products.inputs.variable(needed.variable).node();
            level[node as usize] = LOOP_LEVEL.saturating_mul(needed.component + 1);
        }
        Self {
            gates: Vec::new(),
            known: FxHashMap::default(),
            level,
            result: vec![None; products.products.len()],
        }
    }

    fn result(&self, products: &Products, literal: Literal) -> Literal {
        match literal.node().checked_sub(products.base()) {
            None => literal,
            Some(place) => self.result[place as usize]
                .expect("products are built before what reads them")
                .negate_if(literal.is_negated()),
        }
    }

    fn build(&mut self, products: &Products, root: u32) {
        let base = products.base();
        let mut open: Vec<u32> = root.checked_sub(base).into_iter().collect();
        while let Some(&place) = open.last() {
            if self.result[place as usize].is_some() {
                open.pop();
                continue;
            }
            let before = open.len();
            let product = &products.products[place as usize];
            let children = product.iter().filter_map(|child| child.node().checked_sub(base));
            open.extend(children.filter(|&child| self.result[child as usize].is_none()));
            if open.len() == before {
                let literals = product.iter().map(|&l| self.result(products, l)).collect();
                self.result[place as usize] = Some(self.conjunction(literals));
                open.pop();
            }
        }
    }

    fn conjunction(&mut self, mut literals: Vec<Literal>) -> Literal {
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0] == !pair[1])
            || literals.first() == Some(&Literal::FALSE)
        {
            return Literal::FALSE;
        }
        literals.retain(|&literal| literal != Literal::TRUE);
        let level = |literal: &Literal| Reverse((self.level[literal.node() as usize], *literal));
        let mut shallow: BinaryHeap<_> = literals.iter().map(level).collect();
        while let Some(Reverse((_, a))) = shallow.pop() {
            let Some(Reverse((_, b))) = shallow.pop() else { return a };
            let gate = self.gate(a.min(b), a.max(b));
            shallow.push(Reverse((self.level[gate.node() as usize], gate)));
        }
        Literal::TRUE
    }

    fn gate(&mut self, a: Literal, b: Literal) -> Literal {
        let new = self.level.len() as u32;
        let node = *self.known.entry([a, b]).or_insert(new);
        if node == new {
            self.gates.push([a, b]);
            let level = self.level[a.node() as usize].max(self.level[b.node() as usize]);
            self.level.push(level.saturating_add(1));
        }
        Literal::of(node)
    }
}

/// Drops gates that nothing reads.
fn without_unused(gates: Gates) -> Gates {
    let base = gates.base();
    let mut used = vec![false; base as usize + gates.gates.len()];
    for output in &gates.outputs {
        used[output.node() as usize] = true;
    }
    for variable in &gates.variables {
        used[variable.function.node() as usize] = true;
    }
    for (place, gate) in gates.gates.iter().enumerate().rev() {
        if used[base as usize + place] {
            gate.iter().for_each(|literal| used[literal.node() as usize] = true);
        }
    }
    let mut number: Vec<u32> = (0..used.len() as u32).collect();
    let moved = |literal: Literal, number: &[u32]| {
        Literal::of(number[literal.node() as usize]).negate_if(literal.is_negated())
    };
    let mut kept = Vec::new();
    for (place, gate) in gates.gates.iter().enumerate() {
        if used[base as usize + place] {
            number[base as usize + place] = base + kept.len() as u32;
            kept.push(gate.map(|literal| moved(literal, &number)));
        }
    }
    let variable = |needed: &NeededVariable| NeededVariable {
        function: moved(needed.function, &number),
        ..*needed
    };
    Gates {
        inputs: gates.inputs,
        outputs: gates.outputs.iter().map(|&output| moved(output, &number)).collect(),
        variables: gates.variables.iter().map(variable).collect(),
        gates: kept,
    }
}
