//! What a search uses of a decomposition: for each part, which bits of a state belong to it, and
//! which moves do the same in it.
//!
//! A part is looked at together with the clocks and turn markers that its moves and their effects
//! read. What only the end of the game or the goals read is left out: a step counter would keep
//! equal positions of a part from being recognised.

use gambol_decompose::{Basis, DecomposeOptions, Decomposition, Subgame, decompose};
use gambol_index::{Id, IndexVec};
use gambol_net::rewrite::Fixed;
use gambol_net::{FluentId, GateId, MoveId, Net};
use gambol_sim::{Rollouts, State};
use smallvec::SmallVec;

use crate::subgames::PartGame;

/// The parts of a game, for a search.
#[derive(Debug)]
pub struct Factors {
    parts: Vec<Part>,
    /// What the cut rests on.
    basis: Basis,
    /// The parts as games, or none at all.
    games: Vec<PartGame>,
}

/// One part.
#[derive(Clone, Debug)]
struct Part {
    fluents: Vec<FluentId>,
    /// Its bits, by word of a state; words without any are left out.
    mask: Vec<(usize, u64)>,
    /// The class of each move.
    class_of: IndexVec<MoveId, u32>,
    useful: bool,
}

/// A state as one part sees it.
pub(crate) type PartState = SmallVec<[u64; 4]>;

/// More parts are more trouble than they are worth.
const MOST_PARTS: usize = 64;

impl Factors {
    /// Takes a game apart; nothing if it is of one piece, or if nothing supports the cut.
    pub fn find(net: &Net, options: &DecomposeOptions) -> Option<Self> {
        Self::of(net, &decompose(net, options))
    }

    /// The parts of a decomposition.
    pub fn of(net: &Net, decomposition: &Decomposition) -> Option<Self> {
        let played = || decomposition.subgames.iter().filter(|part| part.action_dependent);
        let basis = played().map(|part| part.basis).min()?;
        if basis == Basis::Assumed || !(2..=MOST_PARTS).contains(&played().count()) {
            return None;
        }
        let parts = played().map(|part| Part::new(net, decomposition, part)).collect();
        Some(Self { parts, basis, games: games_of(net, decomposition) })
    }

    /// The parts as games; none if one of them cannot be one.
    pub(crate) fn games(&self) -> &[PartGame] {
        &self.games
    }

    /// The fluents of each part.
    pub(crate) fn fluents(&self) -> Vec<Vec<FluentId>> {
        self.parts.iter().map(|part| part.fluents.clone()).collect()
    }

    /// How many parts there are.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// How many of them matter.
    pub fn useful_count(&self) -> usize {
        self.parts.iter().filter(|part| part.useful).count()
    }

    /// How many of them matter and are not over where something is fixed.
    pub(crate) fn open_count(&self, fixed: &Fixed) -> usize {
        let is_fixed = |fluent| fixed.fluents.binary_search_by_key(fluent, |one| one.0).is_ok();
        let parts = self.parts.iter().filter(|part| part.useful);
        parts.filter(|part| !part.fluents.iter().all(is_fixed)).count()
    }

    /// The gates of the parts as games.
    pub(crate) fn gates(&self) -> usize {
        self.games.iter().map(|game| game.net.gate_count()).sum()
    }

    /// Does now what would otherwise be done when the parts are searched.
    pub(crate) fn warm_up(&self) {
        for game in &self.games {
            drop(Rollouts::new(&game.circuit, 1, 1));
        }
    }

    /// What the cut rests on.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// What a part sees of a state.
    pub(crate) fn seen(&self, part: usize, state: &State) -> PartState {
        let words = state.words();
        self.parts[part].mask.iter().map(|&(word, mask)| words[word] & mask).collect()
    }

    /// Whether anything depends on a part.
    pub(crate) fn is_useful(&self, part: usize) -> bool {
        self.parts[part].useful
    }

    /// What a move is in a part.
    pub(crate) fn class(&self, part: usize, action: MoveId) -> u32 {
        self.parts[part].class_of[action]
    }
}

/// Every part as a game; none if one of them cannot be one.
fn games_of(net: &Net, decomposition: &Decomposition) -> Vec<PartGame> {
    let subgames = decomposition.subgames.iter_ids();
    let played = subgames.filter(|(_, part)| part.action_dependent).map(|(id, _)| id);
    let games = played.map(|id| PartGame::new(net, decomposition, id));
    games.collect::<Option<Vec<_>>>().unwrap_or_default()
}

impl Part {
    fn new(net: &Net, decomposition: &Decomposition, part: &Subgame) -> Self {
        let mut seen = vec![0u64; net.fluents.len().div_ceil(64)];
        // Nothing depends on the state of a part that matters to nothing.
        let own = if part.useful { &part.fluents[..] } else { &[] };
        let clocks = clocks_read(net, decomposition, part);
        for fluent in own.iter().chain(clocks) {
            seen[fluent.index() / 64] |= 1 << (fluent.index() % 64);
        }
        let mut class_of = IndexVec::filled(u32::MAX, net.moves.len());
        for (class, meta_action) in (0u32..).zip(&part.meta_actions) {
            let class = if part.useful { class } else { u32::from(meta_action.idle) };
            meta_action.moves.iter().for_each(|&action| class_of[action] = class);
        }
        let mask = seen.into_iter().enumerate().filter(|&(_, mask)| mask != 0).collect();
        Self { fluents: part.fluents.clone(), mask, class_of, useful: part.useful }
    }
}

/// The fluents of the clocks that a part's moves and their effects read.
fn clocks_read<'d>(
    net: &Net,
    decomposition: &'d Decomposition,
    part: &Subgame,
) -> impl Iterator<Item = &'d FluentId> {
    let effects = part.fluents.iter().map(|&fluent| net.next[fluent]);
    let legality = part.moves.iter().map(|&action| net.legal[action]);
    let read = read_by(net, effects.chain(legality));
    let clocks = decomposition.subgames.iter().filter(|other| !other.action_dependent);
    clocks
        .filter(move |clock| clock.fluents.iter().any(|&fluent| read[fluent]))
        .flat_map(|clock| &clock.fluents)
}

fn read_by(net: &Net, roots: impl Iterator<Item = GateId>) -> IndexVec<FluentId, bool> {
    let mut met = vec![false; net.gate_count()];
    let mut open: Vec<GateId> = roots.collect();
    while let Some(gate) = open.pop() {
        if !std::mem::replace(&mut met[gate.index()], true) {
            open.extend(net.inputs_of(gate));
        }
    }
    net.fluents.ids().map(|fluent| met[net.fluent_gate(fluent).index()]).collect()
}
