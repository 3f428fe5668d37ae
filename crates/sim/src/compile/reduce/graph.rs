//! Conjunctions of any width with complemented edges, each stored once.
//!
//! Inputs come first: node 0 is the constant false, then the fluents, the moves, and the variables
//! of recursive components. Every other node is an AND of two or more literals. Equal nodes are one
//! node, and local rules are applied as a node is made:
//!
//! - constants, repetition, `a · ¬a = 0`;
//! - `a · ¬(a · b) = a · ¬b`, `a · ¬(¬a · b) = a`, `a · (¬a · b) = 0`, `a · (a · b) = a · b`;
//! - exactly one move of a role is done (see [`ExactlyOne`]).

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::exactly_one::ExactlyOne;
use super::literal::Literal;

/// How many inputs of each kind a graph has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InputCounts {
    pub(crate) fluents: u32,
    pub(crate) moves: u32,
    pub(crate) variables: u32,
}

/// What an input node represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Input {
    Fluent(u32),
    Does(u32),
    Variable(u32),
}

impl InputCounts {
    pub(crate) fn total(self) -> u32 {
        self.fluents + self.moves + self.variables
    }

    pub(crate) fn fluent(self, fluent: u32) -> Literal {
        Literal::of(1 + fluent)
    }

    pub(crate) fn does(self, action: u32) -> Literal {
        Literal::of(1 + self.fluents + action)
    }

    pub(crate) fn variable(self, variable: u32) -> Literal {
        Literal::of(1 + self.fluents + self.moves + variable)
    }

    /// What a node represents, unless it is the constant or a conjunction.
    pub(crate) fn input(self, node: u32) -> Option<Input> {
        let place = node.checked_sub(1)?;
        if place < self.fluents {
            return Some(Input::Fluent(place));
        }
        let place = place - self.fluents;
        if place < self.moves {
            return Some(Input::Does(place));
        }
        let place = place - self.moves;
        (place < self.variables).then_some(Input::Variable(place))
    }

    /// The move, if the node is one.
    #[inline]
    pub(crate) fn move_of(self, node: u32) -> Option<u32> {
        let action = node.wrapping_sub(1 + self.fluents);
        (action < self.moves).then_some(action)
    }
}

/// Rules that look through a node are quadratic in its size; wider nodes are left alone.
const NARROW: usize = 64;
/// How deep a rule may make new nodes while it makes a node.
const REWRITE_DEPTH: u32 = 8;

/// Larger sets of moves are not looked into.
const MOST_ABSENT: u32 = 20_000;

/// The graph. The children of conjunction `n` are `children[first[i]..first[i + 1]]` where `i` is
/// `n` less the inputs and the constant.
pub(crate) struct AndGraph {
    pub(crate) inputs: InputCounts,
    first: Vec<u32>,
    children: Vec<Literal>,
    known: HashTable<u32>,
    /// Per conjunction that says that certain moves are not done, and nothing else, how many
    /// moves it names, repetitions included; 0 for others.
    absences: Vec<u32>,
    exactly_one: Option<ExactlyOne>,
}

enum Change {
    None,
    Some,
    False,
}

impl AndGraph {
    pub(crate) fn new(inputs: InputCounts, exactly_one: Option<ExactlyOne>) -> Self {
        Self {
            inputs,
            first: vec![0],
            children: Vec::new(),
            known: HashTable::new(),
            absences: Vec::new(),
            exactly_one,
        }
    }

    /// The number of nodes, constant and inputs included.
    pub(crate) fn node_count(&self) -> usize {
        self.inputs.total() as usize + self.first.len()
    }

    /// The children of a conjunction; empty for inputs and the constant.
    #[inline]
    pub(crate) fn children(&self, node: u32) -> &[Literal] {
        match node.checked_sub(self.inputs.total() + 1) {
            Some(row) => {
                let row = row as usize;
                &self.children[self.first[row] as usize..self.first[row + 1] as usize]
            }
            None => &[],
        }
    }

    pub(crate) fn is_conjunction(&self, node: u32) -> bool {
        node > self.inputs.total()
    }

    /// Whether a literal says that certain moves are not done, and nothing else.
    pub(crate) fn is_absence(&self, literal: Literal) -> bool {
        self.absent_moves(literal) > 0
    }

    /// How many moves an absence names, repetitions included.
    pub(crate) fn absent_moves(&self, literal: Literal) -> u32 {
        match literal.node().checked_sub(self.inputs.total() + 1) {
            Some(row) if !literal.is_negated() => self.absences[row as usize],
            Some(_) => 0,
            None => u32::from(literal.is_negated() && self.is_does(literal)),
        }
    }

    fn absence_of(&self, literals: &[Literal]) -> u32 {
        let mut named = 0;
        for &literal in literals {
            match self.absent_moves(literal) {
                0 => return 0,
                moves => named += moves,
            }
        }
        if named <= MOST_ABSENT { named } else { 0 }
    }

    pub(crate) fn is_does(&self, literal: Literal) -> bool {
        self.inputs.move_of(literal.node()).is_some()
    }

    pub(crate) fn and(&mut self, literals: Vec<Literal>) -> Literal {
        self.and_at(literals, 0)
    }

    pub(crate) fn or(&mut self, mut literals: Vec<Literal>) -> Literal {
        for literal in &mut literals {
            *literal = !*literal;
        }
        !self.and(literals)
    }

    fn and_at(&mut self, mut literals: Vec<Literal>, depth: u32) -> Literal {
        loop {
            if !normalise(&mut literals) {
                return Literal::FALSE;
            }
            match self.look_through(&mut literals, depth) {
                Change::False => return Literal::FALSE,
                Change::Some => continue,
                Change::None => {}
            }
            match self.one_move_per_role(&mut literals) {
                Change::False => return Literal::FALSE,
                Change::Some => continue,
                Change::None => break,
            }
        }
        match literals[..] {
            [] => Literal::TRUE,
            [single] => single,
            _ => self.intern(&literals),
        }
    }

    /// Applies the rules that see the children of children. `literals` is sorted.
    fn look_through(&mut self, literals: &mut Vec<Literal>, depth: u32) -> Change {
        if literals.len() < 2 || literals.len() > NARROW || depth > REWRITE_DEPTH {
            return Change::None;
        }
        let among = |child: Literal| literals.binary_search(&child).is_ok();
        for place in 0..literals.len() {
            let literal = literals[place];
            let children = self.children(literal.node());
            if children.is_empty() || children.len() > NARROW {
                continue;
            }
            let contradicts = children.iter().any(|&child| among(!child));
            let repeats = children.iter().any(|&child| among(child));
            match (literal.is_negated(), contradicts, repeats) {
                (_, false, false) => {}
                (false, true, _) => return Change::False,
                (false, false, true) => {
                    let children = children.to_vec();
                    literals.retain(|literal| children.binary_search(literal).is_err());
                    return Change::Some;
                }
                (true, true, _) => {
                    literals.remove(place);
                    return Change::Some;
                }
                (true, false, true) => {
                    let rest = children.iter().copied().filter(|&child| !among(child)).collect();
                    literals[place] = !self.and_at(rest, depth + 1);
                    return Change::Some;
                }
            }
        }
        Change::None
    }

    fn one_move_per_role(&mut self, literals: &mut Vec<Literal>) -> Change {
        let Some(rule) = self.exactly_one.take() else { return Change::None };
        let change = match rule.apply(self, literals) {
            Ok(Some(replacement)) => {
                for moves in replacement.one_of {
                    let one_of = self.or(moves);
                    literals.push(one_of);
                }
                Change::Some
            }
            Ok(None) => Change::None,
            Err(super::exactly_one::Impossible) => Change::False,
        };
        self.exactly_one = Some(rule);
        change
    }

    fn intern(&mut self, literals: &[Literal]) -> Literal {
        let hash = hash_of(literals);
        let base = self.inputs.total() + 1;
        let found = self.known.find(hash, |&row| self.children(base + row) == literals);
        if let Some(&row) = found {
            return Literal::of(base + row);
        }
        let row = (self.first.len() - 1) as u32;
        self.absences.push(self.absence_of(literals));
        self.children.extend_from_slice(literals);
        self.first.push(self.children.len() as u32);
        let (first, children) = (&self.first, &self.children);
        self.known.insert_unique(hash, row, |&row| {
            let row = row as usize;
            hash_of(&children[first[row] as usize..first[row + 1] as usize])
        });
        Literal::of(base + row)
    }
}

/// Sorts and removes repetitions and the constant true. Says no if the conjunction is false.
fn normalise(literals: &mut Vec<Literal>) -> bool {
    literals.sort_unstable();
    literals.dedup();
    // A literal and its negation are neighbours in the order.
    if literals.first() == Some(&Literal::FALSE)
        || literals.windows(2).any(|pair| pair[0] == !pair[1])
    {
        return false;
    }
    if literals.first() == Some(&Literal::TRUE) {
        literals.remove(0);
    }
    true
}

fn hash_of(literals: &[Literal]) -> u64 {
    let mut hasher = FxHasher::default();
    literals.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> (AndGraph, [Literal; 4]) {
        let inputs = InputCounts { fluents: 4, moves: 0, variables: 0 };
        (AndGraph::new(inputs, None), [0, 1, 2, 3].map(|fluent| inputs.fluent(fluent)))
    }

    #[test]
    fn equal_conjunctions_are_one_node() {
        let (mut graph, [a, b, c, _]) = graph();
        let first = graph.and(vec![a, b, c]);
        assert_eq!(graph.and(vec![c, Literal::TRUE, a, b, a]), first);
    }

    #[test]
    fn a_contradiction_is_false() {
        let (mut graph, [a, b, ..]) = graph();
        assert_eq!(graph.and(vec![a, b, !a]), Literal::FALSE);
        let both = graph.and(vec![a, b]);
        assert_eq!(graph.and(vec![both, !b]), Literal::FALSE);
    }

    #[test]
    fn what_is_given_is_not_asked_again() {
        let (mut graph, [a, b, c, d]) = graph();
        let inner = graph.and(vec![a, b, c]);
        let rest = graph.and(vec![b, c]);
        let expected = graph.and(vec![a, d, !rest]);
        assert_eq!(graph.and(vec![a, d, !inner]), expected);
        let never = graph.and(vec![!a, b]);
        let pair = graph.and(vec![a, d]);
        assert_eq!(graph.and(vec![a, d, !never]), pair);
        let triple = graph.and(vec![inner, d]);
        assert_eq!(graph.and(vec![inner, b, d]), triple);
    }
}
