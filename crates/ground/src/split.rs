//! Splitting rule bodies: a conjunction becomes a tree of small ones.
//!
//! The variables of a rule are the vertices of a graph in which each literal is a clique, and the
//! head another. Eliminating the variables that the head does not need, cheapest first, gives a
//! bag for each: the literals that mention it, and an interface of the variables it shares with the
//! rest. A bag stands for "there are values of my own variables such that …", so a rule over sixty
//! independent conditions is sixty small joins and not the product of their answers.
//!
//! Sound: this is a tree decomposition of the graph. Every literal and test has one home, the bag of
//! the first of its variables to be eliminated, and the bags that mention a variable are connected, so
//! closing a bag's own variables existentially inside it changes nothing outside. A bag is then a
//! fresh relation with one rule; folding part of a body into such a relation keeps the stratified
//! model, through recursion too, since the new relation lies on the cycles of its head and depends on
//! no negation that the head did not depend on. Filters and guards are projections of literals of the
//! same rule, so they are implied by it.

use fixedbitset::FixedBitSet;

use crate::program::{Literal, Pattern, Rule, Sign, Test};
use crate::{Shortcuts, When};

/// A part of a rule body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bag {
    pub(crate) literals: Vec<Literal>,
    pub(crate) tests: Vec<Test>,
    /// The variables shared with the parent, in ascending order. For the root: those of the head.
    pub(crate) interface: Vec<u32>,
    pub(crate) children: Vec<Bag>,
}

/// The bag tree of a rule; the root stands for the rule itself.
pub(crate) fn split(rule: &Rule, shortcuts: &Shortcuts) -> Bag {
    let variables = rule.variables as usize;
    let head = variables_of(&rule.arguments, variables);
    if shortcuts.split == When::Never {
        let (literals, tests) = (rule.body.clone(), rule.tests.clone());
        let interface = head.ones().map(number).collect();
        return Bag { literals, tests, interface, children: Vec::new() };
    }
    let cliques: Vec<FixedBitSet> = rule
        .body
        .iter()
        .map(|literal| variables_of(&literal.arguments, variables))
        .chain(rule.tests.iter().map(|test| test_variables(test, variables)))
        .collect();
    let elimination = eliminate(&head, &cliques, variables, shortcuts.fill_limit);
    let mut flat = distribute(rule, &head, &cliques, &elimination);
    let mut root = nest(&mut flat, &elimination);
    drop_copies(&mut root);
    push_filters(&mut root, rule, variables, shortcuts.filtered_interface);
    add_guards(&mut root, rule, variables);
    root
}

pub(crate) fn variables_of(patterns: &[Pattern], variables: usize) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(variables);
    for pattern in patterns {
        pattern.visit_variables(&mut |variable| set.insert(variable as usize));
    }
    set
}

fn test_variables(test: &Test, variables: usize) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(variables);
    test.left.visit_variables(&mut |variable| set.insert(variable as usize));
    test.right.visit_variables(&mut |variable| set.insert(variable as usize));
    set
}

/// The order in which variables were eliminated, and the neighbours each had then.
struct Elimination {
    order: Vec<usize>,
    place: Vec<usize>,
    neighbours: Vec<FixedBitSet>,
}

/// A variable that was not eliminated.
const KEPT: usize = usize::MAX;

/// With more variables than `fill_limit`, the cheapest is judged by its neighbours alone. Any order
/// would do.
fn eliminate(
    head: &FixedBitSet,
    cliques: &[FixedBitSet],
    variables: usize,
    fill_limit: usize,
) -> Elimination {
    let mut graph = vec![FixedBitSet::with_capacity(variables); variables];
    let mut occurs = FixedBitSet::with_capacity(variables);
    for clique in cliques.iter().chain([head]) {
        occurs.union_with(clique);
        for variable in clique.ones() {
            graph[variable].union_with(clique);
        }
    }
    for (variable, row) in graph.iter_mut().enumerate() {
        row.set(variable, false);
    }
    let mut open: Vec<usize> = occurs.ones().filter(|&variable| !head.contains(variable)).collect();
    let mut elimination =
        Elimination { order: Vec::new(), place: vec![KEPT; variables], neighbours: Vec::new() };
    while let Some(cheapest) = (0..open.len()).min_by_key(|&at| {
        let row = &graph[open[at]];
        let degree = row.count_ones(..);
        if variables > fill_limit { (degree, 0) } else { (fill(&graph, row), degree) }
    }) {
        let variable = open.remove(cheapest);
        let neighbours = graph[variable].clone();
        for neighbour in neighbours.ones() {
            graph[neighbour].union_with(&neighbours);
            graph[neighbour].set(neighbour, false);
            graph[neighbour].set(variable, false);
        }
        elimination.place[variable] = elimination.order.len();
        elimination.order.push(variable);
        elimination.neighbours.push(neighbours);
    }
    elimination
}

/// The edges that eliminating a variable with these neighbours would add, twice counted.
fn fill(graph: &[FixedBitSet], neighbours: &FixedBitSet) -> usize {
    let degree = neighbours.count_ones(..);
    neighbours
        .ones()
        .map(|neighbour| degree - 1 - graph[neighbour].intersection_count(neighbours))
        .sum()
}

/// One bag per eliminated variable and the root as the last, each with its own literals.
fn distribute(
    rule: &Rule,
    head: &FixedBitSet,
    cliques: &[FixedBitSet],
    elimination: &Elimination,
) -> Vec<Bag> {
    let root = elimination.order.len();
    let mut bags = vec![Bag::default(); root + 1];
    for (bag, neighbours) in bags.iter_mut().zip(&elimination.neighbours) {
        bag.interface = neighbours.ones().map(number).collect();
    }
    bags[root].interface = head.ones().map(number).collect();
    let home = |clique: &FixedBitSet| {
        clique.ones().map(|variable| elimination.place[variable].min(root)).min().unwrap_or(root)
    };
    let (literals, tests) = cliques.split_at(rule.body.len());
    for (literal, clique) in rule.body.iter().zip(literals) {
        bags[home(clique)].literals.push(literal.clone());
    }
    for (test, clique) in rule.tests.iter().zip(tests) {
        bags[home(clique)].tests.push(test.clone());
    }
    bags
}

/// Hangs each bag under the bag of its neighbour that was eliminated next.
fn nest(flat: &mut Vec<Bag>, elimination: &Elimination) -> Bag {
    let root = flat.len() - 1;
    for place in 0..root {
        let parent = elimination.neighbours[place]
            .ones()
            .map(|variable| elimination.place[variable].min(root))
            .min()
            .unwrap_or(root);
        let bag = std::mem::take(&mut flat[place]);
        flat[parent].children.push(bag);
    }
    flat.pop().unwrap_or_default()
}

/// A filter on the head's values also narrows the parts that show many of them. An interface of
/// fewer variables than `least` has a small table anyway.
fn push_filters(root: &mut Bag, rule: &Rule, variables: usize, least: usize) {
    for filter in rule.body.iter().filter(|literal| literal.sign == Sign::Filter) {
        let filtered = variables_of(&filter.arguments, variables);
        let mut open: Vec<&mut Bag> = root.children.iter_mut().collect();
        while let Some(bag) = open.pop() {
            let narrows = bag.interface.len() >= least
                && bag.interface.iter().all(|&variable| filtered.contains(variable as usize))
                && !bag.literals.contains(filter);
            if narrows {
                bag.children.push(Bag {
                    literals: vec![filter.clone()],
                    interface: bag.interface.clone(),
                    ..Bag::default()
                });
            }
            open.extend(bag.children.iter_mut().filter(|child| !is_filter(child)));
        }
    }
}

fn is_filter(bag: &Bag) -> bool {
    bag.children.is_empty() && bag.literals.iter().all(|literal| literal.sign == Sign::Filter)
}

/// A negative literal or a test may have a variable that no positive literal of its bag binds. The
/// rest of the rule binds it: a projection of one of its literals serves as a filter.
fn add_guards(root: &mut Bag, rule: &Rule, variables: usize) {
    let mut open = vec![root];
    while let Some(bag) = open.pop() {
        let mut missing = wanted_by(bag, variables);
        missing.difference_with(&bound_by(bag, variables));
        let inside = bag_variables(bag, variables);
        while missing.count_ones(..) > 0 {
            let Some(guard) = best_guard(rule, &missing, &inside, variables) else { break };
            let mut interface = variables_of(&guard.arguments, variables);
            interface.intersect_with(&inside);
            missing.difference_with(&interface);
            bag.children.push(Bag {
                literals: vec![Literal { sign: Sign::Filter, ..guard.clone() }],
                interface: interface.ones().map(number).collect(),
                ..Bag::default()
            });
        }
        open.extend(bag.children.iter_mut());
    }
}

fn best_guard<'r>(
    rule: &'r Rule,
    missing: &FixedBitSet,
    inside: &FixedBitSet,
    variables: usize,
) -> Option<&'r Literal> {
    let gain = |literal: &Literal| {
        let set = variables_of(&literal.arguments, variables);
        (set.intersection_count(missing), set.intersection_count(inside))
    };
    let binders = rule.body.iter().filter(|literal| literal.binds());
    binders.max_by_key(|literal| gain(literal)).filter(|literal| gain(literal).0 > 0)
}

fn wanted_by(bag: &Bag, variables: usize) -> FixedBitSet {
    let mut wanted = FixedBitSet::with_capacity(variables);
    wanted.extend(bag.interface.iter().map(|&variable| variable as usize));
    for literal in &bag.literals {
        wanted.union_with(&variables_of(&literal.arguments, variables));
    }
    for test in &bag.tests {
        wanted.union_with(&test_variables(test, variables));
    }
    wanted
}

fn bound_by(bag: &Bag, variables: usize) -> FixedBitSet {
    let mut bound = FixedBitSet::with_capacity(variables);
    for child in &bag.children {
        bound.extend(child.interface.iter().map(|&variable| variable as usize));
    }
    for literal in bag.literals.iter().filter(|literal| literal.binds()) {
        bound.union_with(&variables_of(&literal.arguments, variables));
    }
    bound
}

/// All variables of a bag: its interface and its own.
fn bag_variables(bag: &Bag, variables: usize) -> FixedBitSet {
    let mut inside = wanted_by(bag, variables);
    inside.union_with(&bound_by(bag, variables));
    inside
}

/// A bag that adds nothing to its only child is that child, with fewer variables to show.
fn drop_copies(root: &mut Bag) {
    let mut open = vec![root];
    while let Some(bag) = open.pop() {
        while bag.literals.is_empty() && bag.tests.is_empty() && bag.children.len() == 1 {
            let child = bag.children.remove(0);
            bag.literals = child.literals;
            bag.tests = child.tests;
            bag.children = child.children;
        }
        open.extend(bag.children.iter_mut());
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("bounded by the size of the text")
}
