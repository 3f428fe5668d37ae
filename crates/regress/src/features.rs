//! Features: conditions that many rules share, named and counted.
//!
//! The pair of literals that most conditions contain is taken, grown by further literals as long as
//! that saves more, and taken out of the conditions that contain it; then the next. A feature of `n`
//! literals in `m` rules saves `m(n - 1) - n` literals.

use rustc_hash::FxHashMap;

use crate::cube::{Cube, Layout, VariableId};
use crate::file::condition;
use crate::policy::Policy;

/// A condition that many rules share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feature {
    /// What must hold.
    pub condition: Cube,
    /// The same in words.
    pub text: String,
    /// In how many rules.
    pub rules: usize,
    /// How many literals are saved by naming it.
    pub saved: usize,
}

/// What a condition says about one variable: the allowed values, as a cube of nothing else.
type Literal = (VariableId, Cube);

/// At most this many features of a policy's conditions; the one that saves most comes first.
pub fn features(policy: &Policy, most: usize) -> Vec<Feature> {
    let layout = &policy.automaton.layout;
    let classes = policy.store.list_ids().flat_map(|list| policy.store.classes(list));
    let mut rules: Vec<Vec<u32>> = Vec::new();
    let mut literals: Vec<Literal> = Vec::new();
    let mut numbers: FxHashMap<Literal, u32> = FxHashMap::default();
    for class in classes {
        let number = |literal: Literal| {
            *numbers.entry(literal).or_insert_with_key(|literal| {
                literals.push(literal.clone());
                literals.len() as u32 - 1
            })
        };
        let mut rule: Vec<u32> = literals_of(layout, &class.condition).map(number).collect();
        rule.sort_unstable();
        rules.push(rule);
    }
    let mut found = Vec::new();
    while found.len() < most {
        let Some(members) = best(&rules) else { break };
        let uses = take_out(&mut rules, &members);
        let cubes = members.iter().map(|&number| &literals[number as usize].1);
        let cube = cubes.fold(layout.everything().clone(), |all, one| all.and(one));
        let text = condition(&policy.automaton, &cube).trim_start().to_string();
        let saved = saved(uses, members.len());
        found.push(Feature { condition: cube, text, rules: uses, saved });
    }
    found.sort_by_key(|feature| std::cmp::Reverse(feature.saved));
    found
}

fn literals_of<'a>(layout: &'a Layout, cube: &'a Cube) -> impl Iterator<Item = Literal> + 'a {
    layout.told_apart(layout.everything(), cube).map(|variable| {
        let mut literal = layout.everything().clone();
        for value in 0..layout.size(variable) {
            if !layout.allows(cube, variable, value) {
                layout.forbid(&mut literal, variable, value);
            }
        }
        (variable, literal)
    })
}

fn saved(rules: usize, literals: usize) -> usize {
    (rules * (literals - 1)).saturating_sub(literals)
}

/// The pair that occurs most, grown as long as it saves more.
fn best(rules: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut pairs: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    for rule in rules {
        for (place, &one) in rule.iter().enumerate() {
            for &other in &rule[place + 1..] {
                *pairs.entry((one, other)).or_default() += 1;
            }
        }
    }
    let most = pairs.into_iter().max_by_key(|(pair, count)| (*count, std::cmp::Reverse(*pair)));
    let ((one, other), mut uses) = most.filter(|(_, count)| saved(*count, 2) > 0)?;
    let mut members = vec![one, other];
    loop {
        let mut counts: FxHashMap<u32, usize> = FxHashMap::default();
        for rule in rules.iter().filter(|rule| contains(rule, &members)) {
            for &number in rule.iter().filter(|number| !members.contains(number)) {
                *counts.entry(number).or_default() += 1;
            }
        }
        let next = counts.into_iter().max_by_key(|(number, n)| (*n, std::cmp::Reverse(*number)));
        let better =
            |&(_, n): &(u32, usize)| saved(n, members.len() + 1) > saved(uses, members.len());
        let Some((number, count)) = next.filter(better) else { return Some(members) };
        members.push(number);
        uses = count;
    }
}

fn contains(rule: &[u32], members: &[u32]) -> bool {
    members.iter().all(|number| rule.binary_search(number).is_ok())
}

fn take_out(rules: &mut [Vec<u32>], members: &[u32]) -> usize {
    let mut uses = 0;
    for rule in rules.iter_mut().filter(|rule| contains(rule, members)) {
        rule.retain(|number| !members.contains(number));
        uses += 1;
    }
    uses
}
