//! Bits that moves change by sums modulo two, in blocks that do not touch each other, written down in other
//! coordinates: what is a fluent belongs to one block, or is the sum of bits of two. In one state of all a move may do
//! something else. Some moves clear a block for good, so that play forgets.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::compound::Dice;

/// The bits that are added up, and whether one is added to them.
type Sum = (BTreeSet<usize>, bool);

struct Bits {
    /// The block of each bit.
    block: Vec<usize>,
    /// For each move of the first role, what becomes of each bit.
    moves: Vec<Vec<Sum>>,
    start: Vec<bool>,
    /// Bits that stand for the sum of themselves and another.
    sums: Vec<(usize, usize)>,
}

/// A game as rules.
pub(crate) fn recoded(seed: u64) -> String {
    let dice = &mut Dice::new(seed ^ 0x5eed_b175);
    let mut bits = Bits::new(dice);
    for _ in 0..dice.below(3) {
        bits.recode(dice);
    }
    bits.rules(dice)
}

fn plus(one: &Sum, other: &Sum) -> Sum {
    (one.0.symmetric_difference(&other.0).copied().collect(), one.1 != other.1)
}

impl Bits {
    fn new(dice: &mut Dice) -> Self {
        let blocks = 2 + dice.below(2);
        let block: Vec<usize> =
            (0..blocks).flat_map(|block| vec![block; 1 + dice.below(2)]).collect();
        let start = block.iter().map(|_| dice.below(3) == 0).collect();
        let mut bits = Self { block, moves: Vec::new(), start, sums: Vec::new() };
        for _ in 0..2 + dice.below(4) {
            // A move acts in one block, or in all of them.
            let only = (dice.below(4) > 0).then(|| dice.below(blocks));
            let clears = dice.below(6) == 0;
            let moved = (0..bits.block.len()).map(|bit| bits.moved(dice, bit, only, clears));
            let moved = moved.collect();
            bits.moves.push(moved);
        }
        bits
    }

    fn moved(&self, dice: &mut Dice, bit: usize, only: Option<usize>, clears: bool) -> Sum {
        if only.is_some_and(|only| only != self.block[bit]) {
            return (BTreeSet::from([bit]), false);
        }
        if clears {
            return (BTreeSet::new(), false);
        }
        let own = (0..self.block.len()).filter(|&other| self.block[other] == self.block[bit]);
        (own.filter(|_| dice.below(2) == 0).collect(), dice.below(3) == 0)
    }

    /// From now on a bit is the sum of itself and one of another block.
    fn recode(&mut self, dice: &mut Dice) {
        let (one, other) = (dice.below(self.block.len()), dice.below(self.block.len()));
        let again = self.sums.iter().any(|&(a, b)| [a, b].contains(&one) || a == other);
        if self.block[one] == self.block[other] || again {
            return;
        }
        self.start[one] ^= self.start[other];
        for moved in &mut self.moves {
            moved[one] = plus(&moved[one], &moved[other]);
            for sum in moved {
                // The old bit is the sum of the new one and the other.
                if sum.0.contains(&one) {
                    *sum = plus(sum, &(BTreeSet::from([other]), false));
                }
            }
        }
        self.sums.push((one, other));
    }

    fn literal(bit: usize, holds: bool) -> String {
        if holds { format!("(true (b {bit}))") } else { format!("(not (true (b {bit})))") }
    }

    fn rules(&self, dice: &mut Dice) -> String {
        let count = self.block.len();
        let mut text = String::from("(role r)");
        let others = dice.below(3) == 0;
        if others {
            text.push_str(" (role s) (legal s wait) (legal s shake)\n");
        }
        (0..count).filter(|&bit| self.start[bit]).for_each(|bit| {
            let _ = writeln!(text, "(init (b {bit}))");
        });
        for action in 0..self.moves.len() {
            // One move at least is always possible.
            let guard = (action > 0 && dice.below(4) == 0)
                .then(|| Self::literal(dice.below(count), dice.below(2) == 0));
            let _ = writeln!(text, "(<= (legal r (m {action})) {})", guard.unwrap_or_default());
        }
        let rare = dice.below(3) == 0;
        let (turned, by) = (dice.below(count), dice.below(self.moves.len()));
        let state: Vec<String> =
            (0..count).map(|bit| Self::literal(bit, dice.below(2) == 0)).collect();
        let shaken = dice.below(count);
        for bit in 0..count {
            let mut becomes = false;
            for (action, moved) in self.moves.iter().enumerate() {
                becomes |= odd(&mut text, bit, action, &moved[bit]);
            }
            let mut flips = false;
            if rare && bit == turned {
                let state = state.join(" ");
                let _ = writeln!(text, "(<= (flip {bit}) (does r (m {by})) {state})");
                flips = true;
            }
            if others && bit == shaken {
                let _ = writeln!(text, "(<= (flip {bit}) (does s shake))");
                flips = true;
            }
            if becomes {
                let unless = if flips { format!("(not (flip {bit}))") } else { String::new() };
                let _ = writeln!(text, "(<= (next (b {bit})) (odd {bit}) {unless})");
            }
            if flips {
                let unless = if becomes { format!("(not (odd {bit}))") } else { String::new() };
                let _ = writeln!(text, "(<= (next (b {bit})) (flip {bit}) {unless})");
            }
        }
        self.end(&mut text, dice);
        text
    }

    fn end(&self, text: &mut String, dice: &mut Dice) {
        let count = self.block.len();
        if dice.below(3) > 0 {
            let last = 3 + dice.below(4);
            let _ = writeln!(text, "(init (step 0)) (<= terminal (true (step {last})))");
            for step in 0..last {
                let _ = writeln!(text, "(<= (next (step {})) (true (step {step})))", step + 1);
            }
        } else {
            let _ = writeln!(text, "(<= terminal (true (b {})))", dice.below(count));
        }
        let least = 1 + dice.below(count);
        for set in (0u32..1 << count).filter(|set| set.count_ones() as usize == least) {
            let all: Vec<String> = (0..count)
                .filter(|bit| set >> bit & 1 == 1)
                .map(|b| Self::literal(b, true))
                .collect();
            let _ = writeln!(text, "(<= good {})", all.join(" "));
        }
        text.push_str("(<= (goal r 100) good) (<= (goal r 0) (not good))\n");
        if text.contains("(role s)") {
            text.push_str("(<= (goal s 0) good) (<= (goal s 100) (not good))\n");
        }
    }
}

/// When a move makes a bit true; whether it ever does.
fn odd(text: &mut String, bit: usize, action: usize, (bits, one): &Sum) -> bool {
    let mut ever = false;
    for set in 0u32..1 << bits.len() {
        if (set.count_ones() % 2 == 1) == *one {
            continue;
        }
        let literal = |(place, &bit): (usize, &usize)| Bits::literal(bit, set >> place & 1 == 1);
        let state: Vec<String> = bits.iter().enumerate().map(literal).collect();
        let _ = writeln!(text, "(<= (odd {bit}) (does r (m {action})) {})", state.join(" "));
        ever = true;
    }
    ever
}
