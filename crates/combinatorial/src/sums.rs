//! Who wins a sum of games.
//!
//! Numbers are added up, a form and its negative cancel, and what is left is searched with a table, the
//! hottest forms first. Much of that is decided at once by [thermographs](crate::Thermograph): they
//! bound the stops of the sum, and who moves first wins if the stop is on his side, and loses if it is
//! on the other.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::canonical_form::{FormId, Forms, TooLarge};
use crate::number::Number;
use crate::players::{LEFT, RIGHT};

/// What an entry of the table takes, in bytes, besides its forms.
const ENTRY: usize = 64;
/// Cold forms with no more moves than this in all are added up.
const SMALL: u32 = 12;
/// Longer lines of play are not searched.
const DEEPEST: usize = 1_000;
/// The number of sums between two checks of the time.
const UNCHECKED: u64 = 1_024;

/// Says who wins sums of canonical forms, and remembers it.
pub struct Sums {
    forms: Forms,
    known: FxHashMap<(usize, FormSum), bool>,
    searched: u64,
    /// How many moves the search has made in the sum it looks at.
    depth: usize,
}

/// A sum of forms: those that are no numbers, ascending, none with its negative, and a number.
#[derive(Clone, PartialEq, Eq, Hash)]
struct FormSum {
    forms: Box<[FormId]>,
    number: Number,
}

impl Sums {
    /// Sums of the forms of a table.
    pub fn new(forms: Forms) -> Self {
        Self { forms, known: FxHashMap::default(), searched: 0, depth: 0 }
    }

    /// The table of forms.
    pub fn forms(&mut self) -> &mut Forms {
        &mut self.forms
    }

    /// How many sums were searched, and forms compared.
    pub fn nodes(&self) -> u64 {
        self.searched + self.forms.comparisons()
    }

    /// Whether the player who is to move wins a sum.
    pub fn wins(&mut self, player: usize, forms: Vec<FormId>) -> Result<bool, TooLarge> {
        let sum = self.sum(forms, Number::ZERO)?;
        // A search that was given up has left it where it was.
        self.depth = 0;
        self.wins_sum(player, sum)
    }

    /// The sum of some forms and a number. Cold forms are added up as long as they are small.
    fn sum(&mut self, all: Vec<FormId>, mut number: Number) -> Result<FormSum, TooLarge> {
        let mut left: Vec<FormId> = Vec::with_capacity(all.len());
        let mut open = all;
        while let Some(form) = open.pop() {
            let (form, mean) = self.forms.centred(form)?;
            number = number + mean;
            if self.forms.get(form).number.is_some() {
                continue;
            }
            let negative = self.forms.negative(form)?;
            if let Some(place) = left.iter().position(|&other| other == negative) {
                left.swap_remove(place);
                continue;
            }
            match left.iter().position(|&other| self.are_small([form, other])) {
                Some(place) => {
                    let other = left.swap_remove(place);
                    open.push(self.forms.plus(form, other)?);
                }
                None => left.push(form),
            }
        }
        left.sort_unstable();
        Ok(FormSum { forms: left.into_boxed_slice(), number })
    }

    /// Whether two forms are cold and have little in them.
    fn are_small(&self, forms: [FormId; 2]) -> bool {
        let forms = forms.map(|form| self.forms.get(form));
        let moves: u32 = forms.iter().map(|form| form.birthday).sum();
        moves <= SMALL && forms.iter().all(|form| form.thermograph.temperature == Number::ZERO)
    }

    /// Whether a player wins who is to move.
    fn wins_sum(&mut self, player: usize, sum: FormSum) -> Result<bool, TooLarge> {
        if let Some(decided) = self.by_stops(player, &sum) {
            return Ok(decided);
        }
        let key = (player, sum);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        self.count(key.1.forms.len())?;
        if self.depth == DEEPEST {
            return Err(TooLarge);
        }
        self.depth += 1;
        let sum = &key.1;
        let mut places: Vec<usize> = (0..sum.forms.len()).collect();
        places.dedup_by_key(|&mut place| sum.forms[place]);
        places.sort_by_key(|&place| {
            Reverse(self.forms.get(sum.forms[place]).thermograph.temperature)
        });
        let mut found = false;
        'moves: for place in places {
            for option in self.forms.get(sum.forms[place]).options[player].clone() {
                let mut forms = sum.forms.to_vec();
                forms[place] = option;
                let next = self.sum(forms, sum.number)?;
                if !self.wins_sum(1 - player, next)? {
                    found = true;
                    break 'moves;
                }
            }
        }
        if let Some(number) = sum.number.option(player)
            && !found
        {
            found = !self.wins_sum(1 - player, FormSum { number, ..sum.clone() })?;
        }
        self.depth -= 1;
        self.known.insert(key, found);
        Ok(found)
    }

    /// Who wins, as far as the numbers decide it that the sum can come to.
    fn by_stops(&self, player: usize, sum: &FormSum) -> Option<bool> {
        if sum.forms.is_empty() {
            return Some(if player == LEFT {
                sum.number > Number::ZERO
            } else {
                sum.number < Number::ZERO
            });
        }
        let graphs = || sum.forms.iter().map(|&form| &self.forms.get(form).thermograph);
        let mut taxes: Vec<Number> = graphs().map(|graph| graph.temperature).collect();
        taxes.push(Number::ZERO);
        taxes.sort_unstable();
        taxes.dedup();
        // From the greatest: there most is decided.
        taxes.into_iter().rev().find_map(|tax| {
            let (mut walls, mut widest) = ([sum.number; 2], Number::ZERO);
            for [left, right] in graphs().map(|graph| graph.at(tax)) {
                walls = [walls[LEFT] + left, walls[RIGHT] + right];
                widest = widest.max(left - right);
            }
            // The most and the least that the stop of the sum can be, seen by the player.
            let [most, least] = match player {
                LEFT => [walls[LEFT] + tax, walls[RIGHT] + widest],
                _ => [tax - walls[RIGHT], widest - walls[LEFT]],
            };
            match Number::ZERO {
                zero if least > zero => Some(true),
                zero if most < zero => Some(false),
                _ => None,
            }
        })
    }

    fn count(&mut self, forms: usize) -> Result<(), TooLarge> {
        self.searched += 1;
        if self.searched.is_multiple_of(UNCHECKED) {
            let bytes = self.known.capacity() * (ENTRY + 4 * forms);
            self.forms.may_hold(bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, plus, random_forms, table};

    #[test]
    fn who_wins_a_sum_is_what_its_canonical_form_says() {
        for seed in 0..200 {
            let (mut forms, random) = (table(), &mut Random(seed));
            let found = random_forms(&mut forms, random);
            let picked: Vec<FormId> = (0..3).map(|_| found[random.below(found.len())]).collect();
            let zero = found[0];
            let whole = picked.iter().fold(zero, |sum, &form| plus(&mut forms, sum, form));
            // Who goes second wins a game that is at least, or at most, nothing.
            let seconds = [forms.at_least(zero, whole), forms.at_least(whole, zero)];
            let mut sums = Sums::new(forms);
            for player in [LEFT, RIGHT] {
                let wins = sums.wins(player, picked.clone());
                assert_eq!(wins, seconds[player].map(|second| !second), "{seed} {player}");
            }
        }
    }
}
