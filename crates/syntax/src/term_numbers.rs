//! Numbers for terms such that terms written alike have the same number.

use rustc_hash::FxHashMap;

use crate::{Rules, Symbol, Term, TermId};

/// A term whose parts are numbered.
#[derive(PartialEq, Eq, Hash)]
enum Shape {
    Variable(Symbol),
    Function(Symbol, Vec<u32>),
}

#[derive(Default)]
pub(crate) struct TermNumbers {
    numbers: FxHashMap<Shape, u32>,
}

impl TermNumbers {
    pub(crate) fn of(&mut self, rules: &Rules, root: TermId) -> u32 {
        let mut open = vec![(root, 0)];
        let mut ready: Vec<u32> = Vec::new();
        while let Some((term, done)) = open.pop() {
            let shape = match rules.term(term) {
                Term::Variable(name) => Shape::Variable(name),
                Term::Function(name, arguments) => {
                    if let Some(&argument) = arguments.get(done) {
                        open.push((term, done + 1));
                        open.push((argument, 0));
                        continue;
                    }
                    Shape::Function(name, ready.split_off(ready.len() - arguments.len()))
                }
            };
            let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            ready.push(*self.numbers.entry(shape).or_insert(next));
        }
        ready.pop().unwrap_or(u32::MAX)
    }
}
