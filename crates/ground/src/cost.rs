//! How far to split a rule when it is turned into gates.
//!
//! A bag of its own costs an atom per value of its interface; merged into its parent it costs the
//! product of both. Starting fully split, a bag is merged into its parent whenever that makes no
//! more gates. The sizes are those of the finished tables.

use gambol_index::IndexVec;

use crate::names::{GroundTerm, Names};
use crate::program::{Literal, Pattern, RelationId, Sign};
use crate::split::Bag;
use crate::tables::RelationTables;

/// A merge may cost this much more than the split it replaces.
const SLACK: f64 = 1.02;

/// Merges bags into their parents where that does not cost more.
pub(crate) fn merge_bags(bag: &mut Bag, sizes: &mut Sizes) {
    for child in &mut bag.children {
        merge_bags(child, sizes);
    }
    let mut place = 0;
    while place < bag.children.len() {
        let child = &bag.children[place];
        if is_guard(child) {
            place += 1;
            continue;
        }
        let mut merged = bag.clone();
        absorb(&mut merged, place);
        let split_cost = sizes.cost(bag) + sizes.cost(child);
        if sizes.cost(&merged) <= split_cost * SLACK {
            *bag = merged;
        } else {
            place += 1;
        }
    }
}

fn is_guard(bag: &Bag) -> bool {
    bag.children.is_empty() && bag.literals.iter().all(|literal| literal.sign == Sign::Filter)
}

fn absorb(bag: &mut Bag, place: usize) {
    let child = bag.children.remove(place);
    bag.literals.extend(child.literals);
    bag.tests.extend(child.tests);
    bag.children.extend(child.children);
}

/// How many values the variables inside a pattern take where it meets these terms.
fn values_inside(
    pattern: &Pattern,
    mut terms: Vec<GroundTerm>,
    names: &Names,
    values: &mut Vec<(u32, f64)>,
) {
    terms.sort_unstable();
    terms.dedup();
    match pattern {
        Pattern::Ground(_) => {}
        Pattern::Variable(variable) => values.push((*variable, (terms.len() as f64).max(1.0))),
        Pattern::Function(functor, arguments) => {
            terms.retain(|&term| {
                names.functor(term) == *functor && names.arguments(term).len() == arguments.len()
            });
            for (place, argument) in arguments.iter().enumerate() {
                let inner = terms.iter().map(|&term| names.arguments(term)[place]).collect();
                values_inside(argument, inner, names, values);
            }
        }
    }
}

/// Sizes of tables and what follows from them.
pub(crate) struct Sizes<'a> {
    pub(crate) names: &'a Names,
    pub(crate) tables: &'a mut RelationTables,
    pub(crate) dynamic: &'a IndexVec<RelationId, bool>,
}

/// A factor of a join: how many rows, and how many values of each of its variables.
struct Factor {
    rows: f64,
    values: Vec<(u32, f64)>,
}

impl Sizes<'_> {
    pub(crate) fn is_dynamic(&self, bag: &Bag) -> bool {
        bag.literals
            .iter()
            .any(|literal| literal.sign != Sign::Filter && self.dynamic[literal.relation])
            || bag.children.iter().any(|child| self.is_dynamic(child))
    }

    /// Gate inputs that a bag makes, its children apart.
    fn cost(&mut self, bag: &Bag) -> f64 {
        let own = bag
            .literals
            .iter()
            .filter(|literal| literal.sign != Sign::Filter && self.dynamic[literal.relation])
            .count();
        let inherited = bag.children.iter().filter(|child| self.is_dynamic(child)).count();
        if own + inherited == 0 {
            return 0.0;
        }
        self.instances(bag) * (own + inherited + 1) as f64
    }

    /// The expected number of matches of a bag.
    pub(crate) fn instances(&mut self, bag: &Bag) -> f64 {
        let factors = self.factors(bag);
        let mut rows: f64 = factors.iter().map(|factor| factor.rows).product();
        let mut seen: Vec<(u32, f64, f64)> = Vec::new();
        for &(variable, values) in factors.iter().flat_map(|factor| &factor.values) {
            match seen.iter_mut().find(|(other, ..)| *other == variable) {
                Some((_, product, smallest)) => {
                    *product *= values;
                    *smallest = smallest.min(values);
                }
                None => seen.push((variable, values, values)),
            }
        }
        for (_, product, smallest) in seen {
            rows /= (product / smallest).max(1.0);
        }
        rows
    }

    fn factors(&mut self, bag: &Bag) -> Vec<Factor> {
        let binders: Vec<&Literal> =
            bag.literals.iter().filter(|literal| literal.binds()).collect();
        let mut factors: Vec<Factor> =
            binders.into_iter().map(|literal| self.literal_factor(literal)).collect();
        for child in &bag.children {
            factors.push(self.child_factor(child));
        }
        factors
    }

    fn literal_factor(&mut self, literal: &Literal) -> Factor {
        let rows = self.matching_rows(literal);
        let table = self.tables.get_mut(literal.relation);
        let mut values = Vec::new();
        for (column, pattern) in literal.arguments.iter().enumerate() {
            if let Pattern::Variable(variable) = pattern {
                let distinct = f64::from(table.distinct(column));
                values.push((*variable, distinct.min(rows).max(1.0)));
            } else {
                let terms = table.rows().map(|row| GroundTerm::new(row[column]));
                values_inside(pattern, terms.collect(), self.names, &mut values);
            }
        }
        values.sort_by(|left, right| left.0.cmp(&right.0).then(left.1.total_cmp(&right.1)));
        values.dedup_by_key(|(variable, _)| *variable);
        Factor { rows, values }
    }

    fn matching_rows(&mut self, literal: &Literal) -> f64 {
        let constants: Vec<(usize, u32)> = literal
            .arguments
            .iter()
            .enumerate()
            .filter_map(|(column, pattern)| match pattern {
                Pattern::Ground(term) => Some((column, term.number())),
                _ => None,
            })
            .collect();
        let table = self.tables.get_mut(literal.relation);
        if constants.is_empty() {
            return f64::from(table.len());
        }
        let columns: Vec<usize> = constants.iter().map(|&(column, _)| column).collect();
        let key: Vec<u32> = constants.iter().map(|&(_, term)| term).collect();
        if columns.len() == literal.arguments.len() {
            return if table.find(&key).is_some() { 1.0 } else { 0.0 };
        }
        let index = table.index_on(&columns);
        let mut count = 0.0;
        let mut row = table.first_with(index, &key);
        while let Some(number) = row {
            count += 1.0;
            row = table.next_with(index, number);
        }
        count
    }

    /// A child seen from outside: the rows of its interface.
    fn child_factor(&mut self, child: &Bag) -> Factor {
        let inner = self.factors(child);
        let values: Vec<(u32, f64)> = child
            .interface
            .iter()
            .map(|&variable| {
                let smallest = inner
                    .iter()
                    .flat_map(|factor| &factor.values)
                    .filter(|(other, _)| *other == variable)
                    .map(|&(_, values)| values)
                    .fold(f64::INFINITY, f64::min);
                (variable, if smallest.is_finite() { smallest } else { 1.0 })
            })
            .collect();
        let product: f64 = values.iter().map(|&(_, values)| values).product();
        let covered = inner
            .iter()
            .filter(|factor| {
                values.iter().all(|(wanted, _)| factor.values.iter().any(|(had, _)| had == wanted))
            })
            .map(|factor| factor.rows)
            .fold(f64::INFINITY, f64::min);
        let rows = self.instances(child).min(product).min(covered);
        Factor { rows, values }
    }
}
