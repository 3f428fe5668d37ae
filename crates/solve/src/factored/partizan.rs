//! Sums of games in which the players have different moves, in normal play.
//!
//! Each state of a part is brought to its [canonical form](super::canonical_form). Who wins is then a
//! question about a handful of forms: numbers are added up, a form and its negative cancel, and what is
//! left is searched with a table, the hottest forms first. Much of that is decided at once by
//! [thermographs](super::thermograph): they give bounds on the stops of the sum, and who moves first
//! wins if the stop is on his side, and loses if it is on the other.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::canonical_form::{FormId, Forms, LEFT, RIGHT, TooLarge};
use super::form_notation::notation;
use super::number::Number;
use super::sum::{Sum, SumPart};
use crate::limits::Meter;

/// What an entry of the table takes, in bytes, besides its forms.
const ENTRY: usize = 64;
/// Cold forms with no more moves than this in all are added up.
const SMALL: u32 = 12;
/// Longer lines of play are not searched.
const DEEPEST: usize = 1_000;
/// Time is looked at after so many sums.
const UNCHECKED: u64 = 1_024;

/// The forms of a sum. Left is the first role.
pub(super) struct Partizan {
    forms: Forms,
    /// The step in which Left is to move.
    left: usize,
    /// For each part the form of each block.
    form_of: Vec<Vec<FormId>>,
    known: FxHashMap<(usize, FormSum), bool>,
    meter: Meter,
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

impl Partizan {
    /// Nothing if play is misère, or the forms are too large.
    pub(super) fn of(sum: &Sum, meter: &Meter) -> Option<Self> {
        if sum.misere {
            return None;
        }
        let mut forms = Forms::new(meter.clone());
        let left = sum.first_role;
        let form_of = sum.parts.iter().map(|part| canonical(&mut forms, part, left));
        let form_of = form_of.collect::<Result<_, TooLarge>>().ok()?;
        let known = FxHashMap::default();
        Some(Self { forms, left, form_of, known, meter: meter.clone(), searched: 0, depth: 0 })
    }

    /// How many sums were searched, and forms compared.
    pub(super) fn nodes(&self) -> u64 {
        self.searched + self.forms.comparisons()
    }

    /// Whether the player to move wins.
    pub(super) fn mover_wins(&mut self, row: &[u64], step: usize) -> Result<bool, TooLarge> {
        let forms = self.form_of.iter().zip(row).map(|(forms, &block)| forms[block as usize]);
        let sum = self.sum(forms.collect(), Number::ZERO)?;
        // A search that was given up has left it where it was.
        self.depth = 0;
        self.wins(if step == self.left { LEFT } else { RIGHT }, sum)
    }

    /// What the parts are, in words.
    pub(super) fn notes(&mut self, row: &[u64]) -> Result<Vec<String>, TooLarge> {
        let (mut texts, mut counts) = (Vec::new(), Vec::new());
        for (forms, &block) in self.form_of.iter().zip(row) {
            texts.push(notation(&mut self.forms, forms[block as usize])?);
            let mut distinct = forms.clone();
            distinct.sort_unstable();
            distinct.dedup();
            counts.push(format!("{} of {}", distinct.len(), forms.len()));
        }
        Ok(vec![
            format!("a sum of partizan games: {}", texts.join(", ")),
            format!("states of the parts with different values: {}", counts.join(", ")),
        ])
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
    fn wins(&mut self, player: usize, sum: FormSum) -> Result<bool, TooLarge> {
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
                if !self.wins(1 - player, next)? {
                    found = true;
                    break 'moves;
                }
            }
        }
        if let Some(number) = sum.number.option(player)
            && !found
        {
            found = !self.wins(1 - player, FormSum { number, ..sum.clone() })?;
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
            self.meter.check(bytes).map_err(|_| TooLarge)?;
        }
        Ok(())
    }
}

/// The form of each block of a part, where Left is to move in a step.
fn canonical(forms: &mut Forms, part: &SumPart, left: usize) -> Result<Vec<FormId>, TooLarge> {
    let mut found = vec![FormId::new(0); part.order.len()];
    for &block in &part.order {
        let options = [left, 1 - left].map(|step| {
            let next = part.options[step].of_block(block).iter();
            next.map(|&next| found[next as usize]).collect()
        });
        found[block as usize] = forms.form(options)?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::canonical_form::tests::{plus, random_forms, table};
    use super::*;
    use crate::Limits;
    use crate::random_walk::Random;

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
            let meter = Meter::start(&Limits::default());
            let (form_of, known) = (Vec::new(), FxHashMap::default());
            let mut partizan =
                Partizan { forms, left: 0, form_of, known, meter, searched: 0, depth: 0 };
            let sum = partizan.sum(picked, Number::ZERO).expect("it is small");
            for player in [LEFT, RIGHT] {
                let wins = partizan.wins(player, sum.clone());
                assert_eq!(wins, seconds[player].map(|second| !second), "{seed} {player}");
            }
        }
    }
}
