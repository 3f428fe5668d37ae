//! What a thing on a board looks like: a shape and a colour.
//!
//! Words come first (`white pawn`, `x`, `lit`), then structure: what only one role ever brings about has the colour of
//! that role, what most places hold at the start is nothing, what changes place is a man. Text is the last resort.

use gambol_net::{Net, RoleId};
use rustc_hash::FxHashSet;

use crate::boards::{Board, Boards};
use crate::find::sample::Sample;
use crate::look::{Look, Shape};
use crate::slide::slide;
use crate::words::{Chessman, Ink, Word, initials, ink, shape, words};

/// Colours for roles and things without one.
const PALETTE: [Ink; 7] =
    [Ink::Blue, Ink::Orange, Ink::Green, Ink::Purple, Ink::Cyan, Ink::Pink, Ink::Brown];
/// Counters of larger heaps are not drawn one by one.
const LARGEST_HEAP: u32 = 24;

/// A colour for each role: the one it is named after, or one that no other has.
pub(crate) fn role_inks(net: &Net) -> Vec<Ink> {
    let named: Vec<Option<Ink>> = net.roles.iter().map(|role| ink_of_role(role)).collect();
    let mut free = PALETTE.iter().filter(|one| !named.contains(&Some(**one))).cycle();
    let mut chosen = |one: &Option<Ink>| one.or_else(|| free.next().copied()).unwrap_or(Ink::Grey);
    named.iter().map(&mut chosen).collect()
}

/// A role that is not named after a colour has that of the pieces that it alone brings about, if their names tell one.
/// All other roles have colours that no piece is named after, for these pieces are not theirs.
pub(crate) fn colour_roles(boards: &mut Boards, net: &Net, sample: &Sample) {
    let owners = owners(boards, net, sample);
    let named = |label: &String| words(label).iter().find_map(|word| ink(word));
    let pieces: Vec<Option<Ink>> = boards.labels.iter().map(named).collect();
    let own = |role: RoleId| {
        let owned = pieces.iter().zip(&owners).filter(|(_, owner)| **owner == Some(role));
        let mut inks = owned.filter_map(|(ink, _)| *ink);
        let first = inks.next()?;
        inks.all(|ink| ink == first).then_some(first)
    };
    let by_name: Vec<Option<Ink>> = net.roles.iter().map(|role| ink_of_role(role)).collect();
    let by_piece = net.roles.ids().map(own).map(|ink| ink.filter(|_| several_choose(net)));
    let known: Vec<Option<Ink>> =
        by_name.iter().zip(by_piece).map(|(name, piece)| name.or(piece)).collect();
    let is_free = |one: &&Ink| !known.contains(&Some(**one)) && !pieces.contains(&Some(**one));
    let mut free = PALETTE.iter().filter(is_free).cycle();
    let alone = |ink: &Ink| known.iter().flatten().filter(|other| *other == ink).count() == 1;
    for (role, (name, ink)) in by_name.iter().zip(&known).enumerate() {
        if name.is_none() {
            let ink = ink.filter(alone).or_else(|| free.next().copied());
            boards.role_inks[role] = ink.unwrap_or(boards.role_inks[role]);
        }
    }
}

fn several_choose(net: &Net) -> bool {
    net.roles.iter().filter(|role| &***role != "random").count() > 1
}

fn ink_of_role(role: &str) -> Option<Ink> {
    let words = words(role);
    let mark = |word: &String| match shape(word) {
        Some(Word::Cross) => Some(Ink::Blue),
        Some(Word::Nought) => Some(Ink::Red),
        _ => None,
    };
    let named = words.iter().find_map(|word| ink(word));
    named.or_else(|| words.iter().find_map(mark)).or((role == "random").then_some(Ink::Grey))
}

/// A look for each label.
pub(crate) fn find_looks(boards: &Boards, net: &Net, sample: &Sample) -> Vec<Look> {
    let seen = Seen::of(boards, net, sample);
    let mut looks: Vec<Look> = (0..boards.labels.len()).map(|label| seen.look(label)).collect();
    let plain: Vec<bool> =
        boards.labels.iter().map(|label| seen.named_ink(&words(label)).is_none()).collect();
    for board in &boards.boards {
        tell_apart(board, &boards.labels, &plain, &mut looks);
    }
    looks
}

/// Two labels of one board never look the same. What has its colour from its name keeps it, and says what else it is.
fn tell_apart(board: &Board, names: &[String], plain: &[bool], looks: &mut [Look]) {
    let mut labels: Vec<usize> =
        board.places.iter().flatten().flatten().map(|one| one.label).collect();
    labels.sort_unstable();
    labels.dedup();
    for (at, &label) in labels.iter().enumerate() {
        let taken: Vec<Look> = labels[..at].iter().map(|&other| looks[other].clone()).collect();
        let free = |ink: &Ink| !taken.contains(&Look { ink: *ink, ..looks[label].clone() });
        let own = looks[label].ink;
        if !plain[label] && taken.contains(&looks[label]) {
            looks[label].shape = Shape::Token(without_ink(&names[label]));
            continue;
        }
        let ink = std::iter::once(own).chain(PALETTE).find(free).unwrap_or(own);
        if looks[label].shape != Shape::Nothing {
            looks[label].ink = ink;
        }
    }
}

/// The words of a label but for those that name a colour, if any are left.
fn without_ink(label: &str) -> String {
    let mut rest = words(label);
    rest.retain(|word| ink(word).is_none());
    if rest.is_empty() { label.to_string() } else { rest.join(" ") }
}

/// What random play and the labels together tell.
struct Seen<'a> {
    boards: &'a Boards,
    roles: Vec<&'a str>,
    /// The only role that ever brings each label about.
    owners: Vec<Option<RoleId>>,
    slides: FxHashSet<usize>,
    /// Whether labels are a side and the first letter of a man.
    by_initials: bool,
    /// Whether these men are those of draughts.
    draughts: bool,
}

impl<'a> Seen<'a> {
    fn of(boards: &'a Boards, net: &'a Net, sample: &Sample) -> Self {
        let letters: Vec<char> = boards
            .labels
            .iter()
            .filter_map(|label| initials(label))
            .map(|(_, letter)| letter)
            .collect();
        Self {
            boards,
            roles: net.roles.iter().map(|role| &**role).collect(),
            owners: owners(boards, net, sample),
            slides: sliding(boards, sample),
            by_initials: letters.len() >= 3,
            draughts: letters.iter().all(|letter| "pmk".contains(*letter)),
        }
    }

    fn look(&self, label: usize) -> Look {
        let shape = self.shape(label);
        let counts =
            matches!(shape, Shape::Heap(_) | Shape::Number(_) | Shape::Lamp | Shape::DarkLamp);
        let ink = self.ink(label).filter(|_| !counts);
        Look { ink: ink.unwrap_or_else(|| plain_ink(&shape, label)), shape }
    }

    fn boards_with(&self, label: usize) -> impl Iterator<Item = &'a Board> {
        self.boards.boards.iter().filter(move |board| {
            board.places.iter().flatten().flatten().any(|one| one.label == label)
        })
    }

    fn shape(&self, label: usize) -> Shape {
        let text = &self.boards.labels[label];
        if self.by_initials
            && let Some((_, letter)) = initials(text)
        {
            return self.man(letter);
        }
        let words = words(text);
        let coloured = self.named_ink(&words).is_some();
        match words.iter().find_map(|word| shape(word)) {
            Some(Word::Block) if coloured => self.plain_man(label),
            Some(Word::Arrow(_)) if self.arrows() < 2 => self.by_structure(label, coloured),
            // A king in a row of places is a card.
            Some(Word::Chess(_)) if self.boards_with(label).all(Board::is_row) => {
                self.by_structure(label, coloured)
            }
            Some(word) => self.by_word(word, &words),
            None => self.by_structure(label, coloured),
        }
    }

    fn man(&self, letter: char) -> Shape {
        match (letter, self.draughts) {
            ('k', true) => Shape::Crowned,
            (_, true) | ('m', _) => Shape::Man,
            ('k', _) => Shape::Chess(Chessman::King),
            ('q', _) => Shape::Chess(Chessman::Queen),
            ('r', _) => Shape::Chess(Chessman::Rook),
            ('b', _) => Shape::Chess(Chessman::Bishop),
            ('n', _) => Shape::Chess(Chessman::Knight),
            _ => Shape::Chess(Chessman::Pawn),
        }
    }

    fn by_word(&self, word: Word, words: &[String]) -> Shape {
        let draughts = || {
            self.boards.labels.iter().any(|label| {
                crate::words::words(label).iter().any(|word| shape(word) == Some(Word::Man))
            })
        };
        match word {
            Word::Chess(Chessman::King) if words.len() > 1 && draughts() => Shape::Crowned,
            Word::Chess(man) => Shape::Chess(man),
            Word::Man => Shape::Man,
            Word::Crowned => Shape::Crowned,
            Word::Cross => Shape::Cross,
            Word::Nought => Shape::Nought,
            Word::Lamp => Shape::Lamp,
            Word::DarkLamp => Shape::DarkLamp,
            Word::Peg => Shape::Peg,
            Word::Block => Shape::Block,
            Word::Mark => Shape::Mark,
            Word::Arrow(turn) => Shape::Arrow(turn),
            Word::Nothing => Shape::Nothing,
        }
    }

    /// How many labels are directions: one alone is a name like any other.
    fn arrows(&self) -> usize {
        let is_arrow = |label: &&String| matches!(shape(label), Some(Word::Arrow(_)));
        self.boards.labels.iter().filter(is_arrow).count()
    }

    fn by_structure(&self, label: usize, coloured: bool) -> Shape {
        let text = &self.boards.labels[label];
        let usual = || self.boards_with(label).any(|board| board.usual == Some(label));
        if self.boards_with(label).any(|board| board.crowded) {
            return self.thing(label);
        }
        if let Ok(number) = text.parse::<u32>() {
            let in_row = self.boards_with(label).all(Board::is_row);
            return match in_row && number <= LARGEST_HEAP {
                true => Shape::Heap(number),
                false => Shape::Number(text.clone()),
            };
        }
        match (coloured, usual() || self.is_the_hole(label)) {
            (true, _) => self.plain_man(label),
            (false, true) => Shape::Nothing,
            // What is the only thing on its board needs no word.
            (false, false) if self.boards_with(label).all(|board| board.bare) => Shape::Disc,
            (false, false) => Shape::Token(self.short(label)),
        }
    }

    /// The label without the word of its family, if what is left tells it from all others.
    fn short(&self, label: usize) -> String {
        let labels = &self.boards.labels;
        let rest = |label: &str| label.split_once(' ').map(|(_, rest)| rest.to_string());
        let own = rest(&labels[label]);
        let is_same = |other: &String| rest(other) == own || Some(other) == own.as_ref();
        match &own {
            Some(short) if labels.iter().filter(|other| is_same(other)).count() == 1 => {
                short.clone()
            }
            _ => labels[label].clone(),
        }
    }

    /// Something that lies on a heap of others: wider if it comes later in its order.
    fn thing(&self, label: usize) -> Shape {
        let text = &self.boards.labels[label];
        let Ok(number) = text.parse::<u32>() else { return Shape::Slab(100, text.clone()) };
        let numbers = self.boards.labels.iter().filter_map(|label| label.parse::<u32>().ok());
        let most = numbers.max().unwrap_or(1).max(1);
        Shape::Slab(30 + 70 * number.min(most) / most, text.clone())
    }

    /// The only label of its board that is no number, among numbers.
    fn is_the_hole(&self, label: usize) -> bool {
        let is_number = |label: usize| self.boards.labels[label].parse::<i64>().is_ok();
        self.boards_with(label).any(|board| {
            let labels: FxHashSet<usize> =
                board.places.iter().flatten().flatten().map(|one| one.label).collect();
            labels.len() > 2 && labels.iter().all(|&other| other == label || is_number(other))
        })
    }

    fn plain_man(&self, label: usize) -> Shape {
        if self.slides.contains(&label) { Shape::Man } else { Shape::Disc }
    }

    fn ink(&self, label: usize) -> Option<Ink> {
        let text = &self.boards.labels[label];
        let by_letter = || initials(text).filter(|_| self.by_initials).map(|(ink, _)| ink);
        let owner = || {
            let several = self.roles.iter().filter(|role| **role != "random").count() > 1;
            let owner = self.owners[label].filter(|_| several)?;
            Some(self.boards.role_inks[owner.number() as usize])
        };
        self.named_ink(&words(text)).or_else(by_letter).or_else(owner)
    }

    /// The colour that words name, or that of the role they name.
    fn named_ink(&self, words: &[String]) -> Option<Ink> {
        let of_role = |word: &String| {
            let role = self.roles.iter().position(|role| role.eq_ignore_ascii_case(word))?;
            (self.roles.len() > 1).then(|| self.boards.role_inks[role])
        };
        words.iter().find_map(|word| ink(word)).or_else(|| words.iter().find_map(of_role))
    }
}

/// The colour of a thing of which nothing is known.
fn plain_ink(shape: &Shape, label: usize) -> Ink {
    match shape {
        Shape::Lamp => Ink::Yellow,
        Shape::Peg => Ink::Brown,
        Shape::Cross => Ink::Blue,
        Shape::Nought => Ink::Red,
        Shape::Chess(_) => Ink::Black,
        Shape::Block | Shape::Mark | Shape::Number(_) | Shape::DarkLamp | Shape::Nothing => {
            Ink::Grey
        }
        Shape::Slab(..) => PALETTE[label % PALETTE.len()],
        Shape::Heap(_) => Ink::Orange,
        _ => PALETTE[label % PALETTE.len()],
    }
}

/// For each label the only role that was ever choosing when it turned up somewhere.
fn owners(boards: &Boards, net: &Net, sample: &Sample) -> Vec<Option<RoleId>> {
    let mut by: Vec<FxHashSet<Option<RoleId>>> = vec![FxHashSet::default(); boards.labels.len()];
    let occupants: Vec<_> = boards.occupants().map(|(_, one)| one.clone()).collect();
    for step in sample.steps.iter().filter(|step| !step.forced) {
        let (before, after) = (&sample.states[step.from], &sample.states[step.to]);
        for one in &occupants {
            if !before.holds(one.fluent) && after.holds(one.fluent) {
                by[one.label].insert(step.mover);
            }
        }
    }
    let known = |role: &RoleId| net.roles.ids().any(|one| one == *role);
    let only = |some: &FxHashSet<Option<RoleId>>| match some.len() {
        1 => some.iter().next().copied().flatten().filter(known),
        _ => None,
    };
    by.iter().map(only).collect()
}

/// The labels that were seen to change place.
fn sliding(boards: &Boards, sample: &Sample) -> FxHashSet<usize> {
    let mut labels = FxHashSet::default();
    for step in &sample.steps {
        let (before, after) = (&sample.states[step.from], &sample.states[step.to]);
        for (_, (board, place)) in slide(boards, before, after) {
            let there = boards.boards[board].places[place].iter().flatten();
            let come = there.filter(|one| !before.holds(one.fluent) && after.holds(one.fluent));
            labels.extend(come.map(|one| one.label));
        }
    }
    labels
}

impl Boards {
    /// Whether this is an empty place.
    pub(crate) fn is_nothing(&self, board: usize, label: usize) -> bool {
        match self.looks.get(label) {
            Some(look) => look.shape == Shape::Nothing,
            None => self.boards[board].usual == Some(label),
        }
    }

    /// What is drawn on a place where nothing lies.
    pub(crate) fn absent(&self, board: usize) -> Shape {
        let board = &self.boards[board];
        let mut looks =
            board.places.iter().flatten().flatten().map(|one| &self.looks[one.label].shape);
        match looks.next() {
            Some(Shape::Lamp) if board.bare => Shape::DarkLamp,
            Some(Shape::Peg) if board.bare => Shape::Hole,
            Some(Shape::Disc) if board.bare && board.is_row() => Shape::Hole,
            _ => Shape::Nothing,
        }
    }
}
