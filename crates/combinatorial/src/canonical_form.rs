//! Canonical forms of games in which two players move in turn and who cannot move loses.
//!
//! A game is what Left can move to and what Right can move to, `{L | R}`. G is at least H if Left, going
//! second, wins G - H: no right option of G is at most H, and no left option of H at least G. Games are
//! equal if each is at least the other; then one can stand for the other in every sum. An option is
//! *dominated* if another is as good for its player. A left option is *reversible* if Right can answer
//! it by a game that is at most G; then it may be replaced by the left options of that answer. A game
//! without dominated and reversible options is canonical: equal games have the same one (Conway). So
//! forms are kept once each, and games are equal if and only if their forms have the same number.
//!
//! The *stops* of a game are the numbers it comes to when both play for a large and a small one, Left
//! or Right going first. If G is at least H, so are its stops; if the right stop of G is greater than
//! the left stop of H, G is greater than H.

use std::fmt;

use gambol_index::{IndexVec, define_id};
use rustc_hash::FxHashMap;

use crate::number::Number;
use crate::players::{LEFT, RIGHT};
use crate::thermograph::Thermograph;

/// The most moves of play in a form: comparing is recursive.
const LONGEST: u32 = 400;
/// The number of comparisons between two checks of the time.
const UNCHECKED: u64 = 4_096;
/// What an entry of a table takes, in bytes, roughly.
const COMPARED: usize = 16;
const STORED: usize = 160;

define_id! {
    /// A canonical form of a table.
    pub struct FormId;
}

/// A game by its options, Left's and Right's.
type Options = [Box<[FormId]>; 2];

/// A canonical form, and what is known of it.
pub struct Form {
    /// What Left and what Right can move to.
    pub options: Options,
    /// The most moves that can be made.
    pub birthday: u32,
    /// The number it is, if it is one.
    pub number: Option<Number>,
    /// What it comes to if Left begins, and if Right does.
    pub stops: [Number; 2],
    /// Its walls, mean and temperature.
    pub thermograph: Thermograph,
}

/// Forms grow too large for the limits, or too fine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the forms of the games are too large")
    }
}

impl std::error::Error for TooLarge {}

/// A table of canonical forms, each once.
pub struct Forms {
    forms: IndexVec<FormId, Form>,
    /// The form of games by their options, canonical or not.
    known: FxHashMap<Options, FormId>,
    compared: FxHashMap<[FormId; 2], bool>,
    negatives: FxHashMap<FormId, FormId>,
    sums: FxHashMap<[FormId; 2], FormId>,
    numbers: FxHashMap<Number, FormId>,
    moved: FxHashMap<(FormId, Number), FormId>,
    may_hold: Box<dyn Fn(usize) -> bool>,
    comparisons: u64,
}

impl Forms {
    /// An empty table. It asks from time to time whether it may go on, with the bytes it holds.
    pub fn new(may_hold: impl Fn(usize) -> bool + 'static) -> Self {
        Self {
            forms: IndexVec::new(),
            known: FxHashMap::default(),
            compared: FxHashMap::default(),
            negatives: FxHashMap::default(),
            sums: FxHashMap::default(),
            numbers: FxHashMap::default(),
            moved: FxHashMap::default(),
            may_hold: Box::new(may_hold),
            comparisons: 0,
        }
    }

    /// A form of this table.
    pub fn get(&self, form: FormId) -> &Form {
        &self.forms[form]
    }

    /// How many comparisons were made.
    pub fn comparisons(&self) -> u64 {
        self.comparisons
    }

    /// The canonical form of a game with these options.
    pub fn form(&mut self, options: [Vec<FormId>; 2]) -> Result<FormId, TooLarge> {
        let given = options.map(|options| sorted(options).into_boxed_slice());
        if let Some(&known) = self.known.get(&given) {
            return Ok(known);
        }
        let mut game: Options = given.clone();
        for player in [LEFT, RIGHT] {
            game[player] = self.undominated(player, game[player].to_vec())?;
        }
        let mut beside = Beside { game, known: FxHashMap::default() };
        let mut canonical: [Vec<FormId>; 2] = Default::default();
        for player in [LEFT, RIGHT] {
            canonical[player] = self.bypassed(player, &mut beside)?;
        }
        let mut game = beside.game;
        for (player, options) in canonical.into_iter().enumerate() {
            game[player] = self.undominated(player, options)?;
        }
        let form = self.keep(game)?;
        self.known.insert(given, form);
        Ok(form)
    }

    /// The form of a game that is canonical.
    fn keep(&mut self, options: Options) -> Result<FormId, TooLarge> {
        if let Some(&known) = self.known.get(&options) {
            return Ok(known);
        }
        let all = options.iter().flat_map(|options| options.iter());
        let birthday = all.map(|&option| self.forms[option].birthday + 1).max().unwrap_or(0);
        if birthday > LONGEST {
            return Err(TooLarge);
        }
        let number = self.number(&options)?;
        let thermograph = match number {
            Some(number) => Thermograph::of_number(number),
            None => {
                let of = |&option: &FormId| &self.forms[option].thermograph;
                let options = [LEFT, RIGHT].map(|player| options[player].iter().map(of).collect());
                Thermograph::of_options(options).ok_or(TooLarge)?
            }
        };
        let (options_kept, stops) = (options.clone(), thermograph.at(Number::ZERO));
        let form =
            self.forms.push(Form { options: options_kept, birthday, number, stops, thermograph });
        self.known.insert(options, form);
        Ok(form)
    }

    /// The number a canonical form is, if it is one.
    fn number(&self, options: &Options) -> Result<Option<Number>, TooLarge> {
        let number = |option: FormId| self.forms[option].number;
        Ok(match (&*options[LEFT], &*options[RIGHT]) {
            ([], []) => Some(Number::ZERO),
            (&[below], []) => number(below).map(|below| below + Number::whole(1)),
            ([], &[above]) => number(above).map(|above| above - Number::whole(1)),
            (&[below], &[above]) => match (number(below), number(above)) {
                (Some(below), Some(above)) if below < above => {
                    Some(Number::between(below, above).ok_or(TooLarge)?)
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// Whether the first game is at least the second.
    pub fn at_least(&mut self, one: FormId, other: FormId) -> Result<bool, TooLarge> {
        let (first, second) = (&self.forms[one], &self.forms[other]);
        if one == other || first.stops[RIGHT] > second.stops[LEFT] {
            return Ok(true);
        }
        if first.stops[LEFT] < second.stops[LEFT] || first.stops[RIGHT] < second.stops[RIGHT] {
            return Ok(false);
        }
        if let Some(&known) = self.compared.get(&[one, other]) {
            return Ok(known);
        }
        self.count()?;
        let found = !self.any_option(one, RIGHT, |forms, option| forms.at_least(other, option))?
            && !self.any_option(other, LEFT, |forms, option| forms.at_least(option, one))?;
        self.compared.insert([one, other], found);
        Ok(found)
    }

    /// Whether the first game is as good for a player as the second.
    fn is_as_good(&mut self, player: usize, one: FormId, other: FormId) -> Result<bool, TooLarge> {
        if player == LEFT { self.at_least(one, other) } else { self.at_least(other, one) }
    }

    /// Whether something holds for an option of a form.
    fn any_option(
        &mut self,
        form: FormId,
        player: usize,
        mut holds: impl FnMut(&mut Self, FormId) -> Result<bool, TooLarge>,
    ) -> Result<bool, TooLarge> {
        for place in 0..self.forms[form].options[player].len() {
            let option = self.forms[form].options[player][place];
            if holds(self, option)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The options of a player without those that others dominate.
    fn undominated(
        &mut self,
        player: usize,
        options: Vec<FormId>,
    ) -> Result<Box<[FormId]>, TooLarge> {
        let mut best: Vec<FormId> = Vec::new();
        'options: for option in sorted(options) {
            for &other in &best {
                if self.is_as_good(player, other, option)? {
                    continue 'options;
                }
            }
            let mut kept = Vec::with_capacity(best.len() + 1);
            for other in best {
                if !self.is_as_good(player, option, other)? {
                    kept.push(other);
                }
            }
            kept.push(option);
            best = kept;
        }
        Ok(sorted(best).into_boxed_slice())
    }

    /// The options of a player, with what the answers leave for those that are reversible.
    fn bypassed(&mut self, player: usize, beside: &mut Beside) -> Result<Vec<FormId>, TooLarge> {
        let (mut open, mut found) = (beside.game[player].to_vec(), Vec::new());
        while let Some(option) = open.pop() {
            let answers = self.forms[option].options[1 - player].clone();
            let mut reversing = None;
            for &answer in &answers {
                if self.is_beside(player, beside, answer)? {
                    reversing = Some(answer);
                    break;
                }
            }
            match reversing {
                Some(answer) => open.extend(&self.forms[answer].options[player]),
                None => found.push(option),
            }
        }
        Ok(found)
    }

    /// Whether a game by its options is as good for a player as a form.
    fn is_beside(
        &mut self,
        player: usize,
        beside: &mut Beside,
        form: FormId,
    ) -> Result<bool, TooLarge> {
        if let Some(&known) = beside.known.get(&(player, form)) {
            return Ok(known);
        }
        self.count()?;
        let mut found = true;
        for place in 0..beside.game[1 - player].len() {
            let option = beside.game[1 - player][place];
            if self.is_as_good(player, form, option)? {
                found = false;
                break;
            }
        }
        found = found
            && !self.any_option(form, player, |forms, option| {
                forms.is_beside(1 - player, beside, option)
            })?;
        beside.known.insert((player, form), found);
        Ok(found)
    }

    /// The same game with the players changed about.
    pub fn negative(&mut self, form: FormId) -> Result<FormId, TooLarge> {
        if let Some(&known) = self.negatives.get(&form) {
            return Ok(known);
        }
        let mut options: [Vec<FormId>; 2] = Default::default();
        for player in [LEFT, RIGHT] {
            for option in self.forms[form].options[player].clone() {
                options[1 - player].push(self.negative(option)?);
            }
        }
        let found = self.keep(options.map(|options| sorted(options).into_boxed_slice()))?;
        self.negatives.insert(form, found);
        self.negatives.insert(found, form);
        Ok(found)
    }

    /// The form of a number.
    fn of_number(&mut self, number: Number) -> Result<FormId, TooLarge> {
        if let Some(&known) = self.numbers.get(&number) {
            return Ok(known);
        }
        let mut options: [Vec<FormId>; 2] = Default::default();
        for player in [LEFT, RIGHT] {
            if let Some(option) = number.option(player) {
                options[player].push(self.of_number(option)?);
            }
        }
        let found = self.form(options)?;
        self.numbers.insert(number, found);
        Ok(found)
    }

    /// The sum of a form and a number. If it is no number itself, nobody need move in the number, so
    /// that is added to its options.
    fn moved(&mut self, form: FormId, by: Number) -> Result<FormId, TooLarge> {
        if let Some(number) = self.forms[form].number {
            return self.of_number(number + by);
        }
        if let Some(&known) = self.moved.get(&(form, by)) {
            return Ok(known);
        }
        let mut options: [Vec<FormId>; 2] = Default::default();
        for player in [LEFT, RIGHT] {
            for option in self.forms[form].options[player].clone() {
                options[player].push(self.moved(option, by)?);
            }
        }
        let found = self.form(options)?;
        self.moved.insert((form, by), found);
        Ok(found)
    }

    /// A form as the sum of one with mean 0 and its mean.
    pub fn centred(&mut self, form: FormId) -> Result<(FormId, Number), TooLarge> {
        let mean = self.forms[form].thermograph.mean;
        Ok((self.moved(form, -mean)?, mean))
    }

    /// The sum of two forms: who moves chooses one and leaves the other.
    pub fn plus(&mut self, one: FormId, other: FormId) -> Result<FormId, TooLarge> {
        let key = [one.min(other), one.max(other)];
        if let Some(&known) = self.sums.get(&key) {
            return Ok(known);
        }
        let mut options: [Vec<FormId>; 2] = Default::default();
        for (moved, left) in [(one, other), (other, one)] {
            for player in [LEFT, RIGHT] {
                for option in self.forms[moved].options[player].clone() {
                    options[player].push(self.plus(option, left)?);
                }
            }
        }
        let found = self.form(options)?;
        self.sums.insert(key, found);
        Ok(found)
    }

    /// Whether this many bytes may be held and there is time.
    pub(crate) fn may_hold(&self, bytes: usize) -> Result<(), TooLarge> {
        if (self.may_hold)(bytes) { Ok(()) } else { Err(TooLarge) }
    }

    fn count(&mut self) -> Result<(), TooLarge> {
        self.comparisons += 1;
        if self.comparisons.is_multiple_of(UNCHECKED) {
            let sums = self.sums.capacity() + self.moved.capacity();
            let compared = COMPARED * (self.compared.capacity() + 2 * sums);
            let bytes = compared + STORED * self.known.capacity();
            self.may_hold(bytes)?;
        }
        Ok(())
    }
}

/// A game beside the table, and for which players it is known to be as good as some forms, or not.
struct Beside {
    game: Options,
    known: FxHashMap<(usize, FormId), bool>,
}

fn sorted(mut forms: Vec<FormId>) -> Vec<FormId> {
    forms.sort_unstable();
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::notation;
    use crate::testing::Random;
    use crate::testing::{board, game, plus, random_forms, table};

    fn check_board(width: usize, height: usize, value: &str) {
        let forms = &mut table();
        let form = board(forms, width, height);
        assert_eq!(notation(forms, form), Ok(value.to_string()), "{width} {height}");
    }

    #[test]
    fn small_games_have_their_usual_names() {
        let forms = &mut table();
        let zero = game(forms, &[], &[]);
        let one = game(forms, &[zero], &[]);
        let minus_one = game(forms, &[], &[zero]);
        let half = game(forms, &[zero], &[one]);
        let star = game(forms, &[zero], &[zero]);
        let up = game(forms, &[zero], &[star]);
        let down = forms.negative(up).expect("it is small");
        let switch = game(forms, &[one], &[minus_one]);
        let forms_by_name = [
            (game(forms, &[minus_one], &[one]), "0"),
            (game(forms, &[minus_one, zero], &[]), "1"),
            (game(forms, &[half], &[one]), "3/4"),
            (game(forms, &[star], &[star]), "0"),
            (game(forms, &[zero, star], &[zero, star]), "*2"),
            (game(forms, &[one], &[one]), "1*"),
            (up, "↑"),
            (down, "↓"),
            // Who moves here is answered by a move to star, so this is what star is.
            (game(forms, &[up], &[down]), "*"),
            (switch, "±1"),
            (game(forms, &[switch], &[minus_one]), "{±1 | -1}"),
        ];
        for (form, name) in forms_by_name {
            assert_eq!(notation(forms, form), Ok(name.to_string()));
        }
    }

    #[test]
    fn the_order_is_that_of_the_literature() {
        let forms = &mut table();
        let zero = game(forms, &[], &[]);
        let one = game(forms, &[zero], &[]);
        let star = game(forms, &[zero], &[zero]);
        let up = game(forms, &[zero], &[star]);
        let double_up = plus(forms, up, up);
        assert_eq!(forms.at_least(up, zero), Ok(true));
        assert_eq!(forms.at_least(one, double_up), Ok(true));
        assert_eq!([forms.at_least(up, star), forms.at_least(star, up)], [Ok(false); 2]);
        assert_eq!(forms.at_least(double_up, star), Ok(true));
    }

    #[test]
    fn boards_of_dominoes_are_worth_what_the_literature_says() {
        for length in 1..8 {
            check_board(length, 1, &(-(length as i64) / 2).to_string());
            check_board(1, length, &(length / 2).to_string());
        }
        check_board(2, 2, "±1");
        check_board(3, 2, "{2 | -1/2}");
        check_board(2, 3, "{1/2 | -2}");
        check_board(3, 3, "±1");
        check_board(5, 2, "1/2");
        check_board(4, 3, "-3/2");
    }

    #[test]
    fn a_game_less_itself_is_nothing() {
        let forms = &mut table();
        let zero = game(forms, &[], &[]);
        for form in [board(forms, 4, 2), board(forms, 4, 3)] {
            let negative = forms.negative(form).expect("it is small");
            assert_eq!(plus(forms, form, negative), zero);
        }
    }

    /// At least, by the definition alone.
    fn defined(forms: &Forms, one: FormId, other: FormId) -> bool {
        let right = &forms.get(one).options[RIGHT];
        let left = &forms.get(other).options[LEFT];
        !right.iter().any(|&option| defined(forms, other, option))
            && !left.iter().any(|&option| defined(forms, option, one))
    }

    #[test]
    fn forms_compare_as_defined_and_equal_ones_are_the_same() {
        for seed in 0..30 {
            let forms = &mut table();
            let found = random_forms(forms, &mut Random(seed));
            for (&one, &other) in found.iter().flat_map(|one| found.iter().map(move |o| (one, o))) {
                let [over, under] = [(one, other), (other, one)].map(|(a, b)| defined(forms, a, b));
                assert_eq!(forms.at_least(one, other), Ok(over), "{seed}");
                assert_eq!(over && under, one == other, "{seed}");
            }
        }
    }

    #[test]
    fn a_sum_does_not_depend_on_the_way_a_game_is_written() {
        for seed in 0..30 {
            let (forms, random) = (&mut table(), &mut Random(seed));
            let found = random_forms(forms, random);
            let (one, other) = (found[random.below(found.len())], found[random.below(found.len())]);
            let sum = plus(forms, one, other);
            let negative = forms.negative(other).expect("it is small");
            assert_eq!(plus(forms, sum, negative), one, "{seed}");
        }
    }
}
