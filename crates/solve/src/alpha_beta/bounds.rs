//! What ends and bounds say about values, for many states at once.
//!
//! A verdict is a word per threshold: in which lanes the value is surely at least the threshold, and
//! in which it may be.

use gambol_sim::Sweep;

use super::engine::Halt;
use super::frame::Child;
use super::search_problem::SearchProblem;
use super::sweeps::MOST_PARTS;
use crate::Reading;
use gambol_index::bits::ones;

/// Games with more values are asked about one threshold at a time.
const FEW_VALUES: u8 = 4;

/// What verdicts are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// The thresholds: places of values.
    first: u8,
    last: u8,
    reading: Option<Reading>,
    bounds: bool,
}

impl Asked {
    /// For the question whether the value is at least the one at `target`.
    pub(crate) fn about(target: u8, top: u8, reading: Option<Reading>, bounds: bool) -> Self {
        let (first, last) = if top <= FEW_VALUES { (1, top) } else { (target, target) };
        Self { first, last, reading, bounds }
    }

    fn thresholds(self) -> std::ops::RangeInclusive<u8> {
        self.first..=self.last
    }

    fn count(self) -> usize {
        usize::from(self.last + 1 - self.first)
    }

    /// How many rows verdicts take.
    pub(crate) fn rows(self) -> usize {
        1 + 2 * self.count()
    }

    /// Bounds children by the verdicts about them; child `l` is in lane `l`.
    pub(crate) fn read<const K: usize>(
        self,
        first_row: usize,
        row: impl Fn(usize) -> u64,
        mask: u64,
        children: &mut [Child<K>],
    ) {
        for (number, threshold) in self.thresholds().enumerate() {
            for lane in ones(row(first_row + number)) {
                children[lane].least = children[lane].least.max(threshold);
            }
            for lane in ones(!row(first_row + self.count() + number) & mask) {
                children[lane].most = children[lane].most.min(threshold - 1);
            }
        }
    }

    /// Bounds a child by the verdicts about its own children.
    pub(crate) fn bound<const K: usize>(
        self,
        first_row: usize,
        row: impl Fn(usize) -> u64,
        mask: u64,
        child: &mut Child<K>,
    ) {
        for (number, threshold) in self.thresholds().enumerate() {
            let surely = row(first_row + number);
            let perhaps = row(first_row + self.count() + number);
            // The first role takes the best of them, the second the worst.
            let (surely, perhaps) = match child.turn.mover {
                0 => (surely != 0, perhaps != 0),
                _ => (surely == mask, perhaps == mask),
            };
            if surely {
                child.least = child.least.max(threshold);
            }
            if !perhaps {
                child.most = child.most.min(threshold - 1);
            }
        }
    }
}

/// Finds verdicts.
pub(crate) struct Verdicts<'a> {
    board: &'a SearchProblem,
    bounds: Option<Sweep<'a>>,
}

impl<'a> Verdicts<'a> {
    pub(crate) fn new(board: &'a SearchProblem, game: &Sweep<'_>) -> Self {
        let bounds = board.bounds.as_ref().map(Sweep::new);
        Self { board, bounds: bounds.filter(|it| it.parts() == game.parts()) }
    }

    /// Appends a row that says where the game is over, a row for each threshold that says where the
    /// value surely reaches it, and one for each that says where it may.
    pub(crate) fn append(
        &mut self,
        game: &mut Sweep<'_>,
        used: usize,
        valid: &[u64; MOST_PARTS],
        asked: Asked,
        kept: &mut Vec<u64>,
        words_swept: &mut u64,
    ) -> Result<(), Halt> {
        let terminal = game.slots().terminal * game.parts();
        let start = kept.len();
        kept.extend_from_slice(&game.words()[terminal..terminal + used]);
        let any_over = (0..used).any(|part| kept[start + part] & valid[part] != 0);
        if any_over {
            game.goals();
        }
        let bounded = asked.bounds && self.run_bounds(game, used);
        *words_swept += u64::from(bounded) * used as u64;
        let goals = Goals::of(game);
        let possible = self.bounds.as_ref().filter(|_| bounded).map(Goals::of);
        for surely in [true, false] {
            for threshold in asked.thresholds() {
                for part in 0..used {
                    let over = kept[start + part];
                    let at_end =
                        if any_over { goals.reach(self.board, part, threshold) } else { 0 };
                    let on_the_way =
                        possible.as_ref().map_or(if surely { 0 } else { u64::MAX }, |it| {
                            match surely {
                                true => !it.may_fall_short(self.board, part, threshold),
                                false => it.may_reach(self.board, part, threshold),
                            }
                        });
                    kept.push(over & at_end | !over & on_the_way);
                }
            }
        }
        if any_over {
            for part in 0..used {
                let unclear = kept[start + part] & valid[part] & !goals.clear(self.board, part);
                for lane in ones(unclear) {
                    self.board.settle_unclear(
                        |goal| goals.word(goal, part) >> lane & 1 == 1,
                        asked.reading,
                        asked.thresholds(),
                        |number, reached| {
                            for row in [1 + number, 1 + asked.count() + number] {
                                let word = &mut kept[start + row * used + part];
                                *word = *word & !(1 << lane) | u64::from(reached) << lane;
                            }
                        },
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Asks which goals are still possible.
    fn run_bounds(&mut self, game: &Sweep<'_>, used: usize) -> bool {
        let Some(bounds) = &mut self.bounds else { return false };
        let parts = game.parts();
        let (from, to) = (game.slots().fluents, bounds.slots().fluents.start * parts);
        let from = &game.words()[from.start * parts..from.end * parts];
        let to = &mut bounds.words_mut()[to..to + from.len()];
        for (to, from) in to.chunks_exact_mut(parts).zip(from.chunks_exact(parts)) {
            to[0] = from[0];
            if used > 1 {
                to[..used].copy_from_slice(&from[..used]);
            }
        }
        bounds.goals();
        true
    }
}

/// The goals of a sweep.
struct Goals<'s> {
    words: &'s [u64],
    parts: usize,
}

impl<'s> Goals<'s> {
    fn of(sweep: &'s Sweep<'_>) -> Self {
        let (goals, parts) = (sweep.slots().goals, sweep.parts());
        Self { words: &sweep.words()[goals.start * parts..goals.end * parts], parts }
    }

    fn word(&self, goal: usize, part: usize) -> u64 {
        self.words[goal * self.parts + part]
    }

    /// Where the role that leads has a goal at the threshold or above.
    fn reach(&self, board: &SearchProblem, part: usize, threshold: u8) -> u64 {
        let goals = board.leading_goals.iter().filter(|(_, place)| *place >= threshold);
        goals.fold(0, |any, &(goal, _)| any | self.word(goal, part))
    }

    /// Where a goal of either role that counts stands for the threshold or more, or cannot be placed.
    fn may_reach(&self, board: &SearchProblem, part: usize, threshold: u8) -> u64 {
        self.any(board, part, |place| place.is_none_or(|place| place >= threshold))
    }

    /// Where one stands for less, or cannot be placed.
    fn may_fall_short(&self, board: &SearchProblem, part: usize, threshold: u8) -> u64 {
        self.any(board, part, |place| place.is_none_or(|place| place < threshold))
    }

    fn any(&self, board: &SearchProblem, part: usize, wanted: impl Fn(Option<u8>) -> bool) -> u64 {
        let goals = board.goals.iter().enumerate();
        let goals = goals.filter(|(_, (role, place))| board.counts(*role) && wanted(*place));
        goals.fold(0, |any, (goal, _)| any | self.word(goal, part))
    }

    /// Where each role that counts has exactly one goal, and they agree.
    fn clear(&self, board: &SearchProblem, part: usize) -> u64 {
        let (mut one, mut two) = ([0; 2], [0; 2]);
        for (goal, &(role, _)) in board.goals.iter().enumerate() {
            let (role, word) = (usize::from(role), self.word(goal, part));
            two[role] |= one[role] & word;
            one[role] |= word;
        }
        if let Some(role) = board.only {
            return one[usize::from(role)] & !two[usize::from(role)];
        }
        let agree = board.agreeing.iter().fold(0, |any, &(first, second)| {
            any | self.word(first, part) & self.word(second, part)
        });
        one[0] & one[1] & !two[0] & !two[1] & agree
    }
}
