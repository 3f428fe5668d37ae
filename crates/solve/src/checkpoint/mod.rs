//! Checkpoints as words: which kind, a fingerprint of the game, what is kept, and a sum.
//!
//! The sum tells damaged checkpoints, the kind and the fingerprint those of other solvers, games and
//! states. What is said about lengths is checked against what is there before anything is reserved.

pub(crate) mod pace;

use gambol_index::Id;
use gambol_net::Gate;

use crate::error::BadCheckpoint;
use crate::problem::Task;

/// The number every checkpoint begins with, but for what kind it is.
const MAGIC: u64 = 0x6761_6d62_6f6c_0000;

/// What a checkpoint holds; the number changes with the form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A table of alpha-beta.
    Table = 0x003,
    /// A search for a plan.
    Plan = 0x102,
    /// A search with mixtures.
    Mixtures = 0x202,
    /// A listing.
    Listing = 0x301,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Table, Self::Plan, Self::Mixtures, Self::Listing];

    /// The number it begins with.
    pub(crate) fn number(self) -> u64 {
        MAGIC | self as u64
    }

    /// Whether bytes begin like a checkpoint of this kind.
    pub(crate) fn is_of(self, bytes: &[u8]) -> bool {
        bytes.starts_with(&self.number().to_le_bytes())
    }
}

/// Whether bytes begin like a checkpoint, of whatever game.
pub fn is_checkpoint(bytes: &[u8]) -> bool {
    Kind::ALL.iter().any(|kind| kind.is_of(bytes))
}

/// A checkpoint that is being written.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new(kind: Kind, fingerprint: u64) -> Self {
        let mut writer = Self(Vec::new());
        writer.put(kind.number());
        writer.put(fingerprint);
        writer
    }

    pub(crate) fn put(&mut self, word: u64) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    /// Words without their number.
    pub(crate) fn put_all(&mut self, words: impl IntoIterator<Item = u64>) {
        words.into_iter().for_each(|word| self.put(word));
    }

    /// How many, and then which.
    pub(crate) fn list(&mut self, words: &[u32]) {
        self.put(words.len() as u64);
        self.put_all(words.iter().map(|&word| word.into()));
    }

    /// All of it, with the sum.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let words = self.0.as_chunks::<8>().0;
        let end = sum(words.iter().map(|&word| u64::from_le_bytes(word)));
        self.put(end);
        self.0
    }
}

/// The words of a checkpoint that are still to be read.
pub(crate) struct Words<'a>(&'a [[u8; 8]]);

impl<'a> Words<'a> {
    /// What is in a checkpoint of this kind, game and state.
    pub(crate) fn open(
        bytes: &'a [u8],
        kind: Kind,
        fingerprint: u64,
    ) -> Result<Self, BadCheckpoint> {
        let mut words = Self::whole(bytes)?;
        let head = (words.next(), words.next());
        let ours = head == (Some(kind.number()), Some(fingerprint));
        ours.then_some(words).ok_or(BadCheckpoint::Other)
    }

    /// All words but the sum, if that is right.
    pub(crate) fn whole(bytes: &'a [u8]) -> Result<Self, BadCheckpoint> {
        let (words, rest) = bytes.as_chunks::<8>();
        let (&last, words) = words.split_last().ok_or(BadCheckpoint::Damaged)?;
        let found = sum(words.iter().map(|&word| u64::from_le_bytes(word)));
        let whole = rest.is_empty() && u64::from_le_bytes(last) == found;
        whole.then_some(Self(words)).ok_or(BadCheckpoint::Damaged)
    }

    pub(crate) fn next(&mut self) -> Option<u64> {
        self.take(1).map(|words| u64::from_le_bytes(words[0]))
    }

    /// A number of things that are all in memory at once.
    pub(crate) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.next()?).ok()
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [[u8; 8]]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// So many rows of so many words.
    pub(crate) fn rows(&mut self, count: usize, width: usize) -> Option<&'a [[u8; 8]]> {
        self.take(count.checked_mul(width)?)
    }

    pub(crate) fn list(&mut self) -> Option<Vec<u32>> {
        let count = self.count()?;
        let word = |&word: &[u8; 8]| u32::try_from(u64::from_le_bytes(word)).ok();
        self.take(count)?.iter().map(word).collect()
    }

    /// A number from 0 on, or none.
    pub(crate) fn option(&mut self) -> Option<Option<u32>> {
        Some(self.next()?.checked_sub(1).map(|number| number as u32))
    }

    /// All that is left.
    pub(crate) fn rest(&self) -> &'a [[u8; 8]] {
        self.0
    }
}

/// A sum of words that depends on their order.
pub(crate) fn sum(words: impl IntoIterator<Item = u64>) -> u64 {
    let step =
        |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    words.into_iter().fold(0x243f_6a88_85a3_08d3, step)
}

/// A number that tells games, states and ways to solve apart.
pub(crate) fn fingerprint(task: &Task<'_>) -> u64 {
    let net = task.net;
    let mut words = vec![net.gate_count() as u64, u64::from(task.options.pruning)];
    words.extend(task.start);
    let moves = net.moves.iter().map(|action| &action.name);
    for text in net.roles.iter().chain(net.fluents.iter()).chain(moves) {
        words.push(text.len() as u64);
        words.extend(text.bytes().map(u64::from));
    }
    for gate in net.gate_ids().map(|gate| net.gate(gate)) {
        add_gate(&mut words, &gate);
    }
    for gate in net.next.iter().chain(net.legal.iter()).chain([&net.terminal]) {
        words.push(gate.index() as u64);
    }
    for goal in &net.goals {
        words.extend([goal.role.index() as u64, goal.value.into(), goal.gate.index() as u64]);
    }
    sum(words)
}

/// What a gate is and reads.
fn add_gate(words: &mut Vec<u64>, gate: &Gate<'_>) {
    let (tag, inputs) = match gate {
        Gate::And(inputs) => (0, *inputs),
        Gate::Or(inputs) => (1, *inputs),
        Gate::Not(input) => return words.extend([2, input.index() as u64]),
        Gate::Fluent(fluent) => return words.extend([3, fluent.index() as u64]),
        Gate::Does(action) => return words.extend([4, action.index() as u64]),
        Gate::Constant(value) => return words.extend([5, u64::from(*value)]),
    };
    words.extend([tag, inputs.len() as u64]);
    words.extend(inputs.iter().map(|input| input.index() as u64));
}
