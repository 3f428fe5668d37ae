//! Fluents that share words: what is learnt of `(cell 3 7 white)` is partly true of `(cell 4 7 white)`.
//!
//! A pattern is a fluent with some of its words left open, as `(cell _ 7 white)`. The weight of a fluent is
//! the sum of the weights of its patterns: what is common to many fluents is learnt from few games, what
//! sets one apart from many. Words are only compared; what they mean does not matter.

use std::ops::Range;

use gambol_net::Net;
use rustc_hash::FxHashMap;

/// The patterns of all fluents, and one of its own for the bias, which comes after the last fluent.
pub(crate) struct Patterns {
    /// Fluent `f` has the patterns `numbers[firsts[f]..firsts[f + 1]]`.
    numbers: Vec<u32>,
    firsts: Vec<u32>,
    count: usize,
    /// Room for the gradient of each pattern.
    gradient: Vec<f32>,
}

/// Of fluents with more words only these many are ever left open.
const MOST_OPEN: usize = 4;

impl Patterns {
    pub(crate) fn of(net: &Net) -> Self {
        let mut known: FxHashMap<Vec<Option<String>>, u32> = FxHashMap::default();
        let (mut numbers, mut firsts) = (Vec::new(), vec![0]);
        for name in net.fluents.iter() {
            let words = words_of(name);
            let open = words.len().saturating_sub(1).min(MOST_OPEN);
            for left_open in 0..1usize << open {
                let is_open = |place: usize| place > 0 && left_open >> (place - 1) & 1 == 1;
                let word = |(place, word): (usize, &String)| {
                    (place > open || !is_open(place)).then(|| word.clone())
                };
                let pattern: Vec<Option<String>> = words.iter().enumerate().map(word).collect();
                let fresh = known.len() as u32;
                numbers.push(*known.entry(pattern).or_insert(fresh));
            }
            firsts.push(numbers.len() as u32);
        }
        numbers.push(known.len() as u32);
        firsts.push(numbers.len() as u32);
        let count = known.len() + 1;
        Self { numbers, firsts, count, gradient: vec![0.0; count] }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    fn span(&self, fluent: usize) -> Range<usize> {
        self.firsts[fluent] as usize..self.firsts[fluent + 1] as usize
    }

    /// One step of AdaGrad along the gradient of the fluents; a weight and the sum of its squared
    /// gradients for each pattern.
    pub(crate) fn descend(&mut self, of_fluents: &[f32], weights: &mut [(f32, f32)], rate: f32) {
        self.gradient.fill(0.0);
        for (fluent, &gradient) in of_fluents.iter().enumerate() {
            if gradient != 0.0 {
                for place in self.span(fluent) {
                    self.gradient[self.numbers[place] as usize] += gradient;
                }
            }
        }
        for ((weight, squares), &gradient) in weights.iter_mut().zip(&self.gradient) {
            *squares += gradient * gradient;
            *weight += rate * gradient / (1.0 + *squares).sqrt();
        }
    }

    /// The weight of a fluent.
    pub(crate) fn weight_of(&self, fluent: usize, weights: &[(f32, f32)]) -> f32 {
        self.numbers[self.span(fluent)].iter().map(|&number| weights[number as usize].0).sum()
    }
}

/// The words of a term at its outermost level.
fn words_of(term: &str) -> Vec<String> {
    let inner = term.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(term);
    let (mut words, mut word, mut depth) = (Vec::new(), String::new(), 0);
    for letter in inner.chars() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if letter == ' ' && depth == 0 {
            words.push(std::mem::take(&mut word));
        } else {
            word.push(letter);
        }
    }
    words.push(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_net::NetBuilder;

    #[test]
    fn a_term_is_split_at_its_outermost_level() {
        assert_eq!(words_of("(cell 1 (pair a b) x)"), ["cell", "1", "(pair a b)", "x"]);
        assert_eq!(words_of("over"), ["over"]);
    }

    #[test]
    fn what_is_learnt_of_a_fluent_is_partly_learnt_of_its_kind() {
        let mut net = NetBuilder::new();
        for name in ["(cell 1 x)", "(cell 2 x)", "(cell 2 o)", "over"] {
            net.fluent(name);
        }
        let mut patterns = Patterns::of(&net.finish().expect("a net"));
        let mut weights = vec![(0.0, 0.0); patterns.count()];
        patterns.descend(&[1.0, 0.0, 0.0, 0.0, 0.0], &mut weights, 0.1);
        let weight = |fluent| patterns.weight_of(fluent, &weights);
        assert!(weight(0) > weight(1) && weight(1) > weight(2) && weight(2) > 0.0);
        assert_eq!((weight(3), weight(4)), (0.0, 0.0));
    }
}
