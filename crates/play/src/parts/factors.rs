//! What a search uses of a decomposition: for each part, which moves do the same in it, and the part as
//! a game of its own.

use gambol_decompose::{Basis, Composition, DecomposeOptions, Decomposition, Subgame, decompose};
use gambol_index::{Id, IndexVec};
use gambol_net::rewrite::Fixed;
use gambol_net::{FluentId, GateId, MoveId, Net};
use gambol_sim::Rollouts;

use crate::parts::part_game::PartGame;

/// The parts of a game, for a search.
#[derive(Debug)]
pub struct Factors {
    parts: Vec<Part>,
    /// What the cut rests on.
    basis: Basis,
    /// The parts as games, or none at all.
    games: Vec<PartGame>,
    /// Whether two players choose the part they move in. The parts as games are then those in which
    /// both keep to the part.
    chosen: bool,
}

/// One part.
#[derive(Clone, Debug)]
struct Part {
    fluents: Vec<FluentId>,
    /// The class of each move.
    class_of: IndexVec<MoveId, u32>,
    /// Whether each move acts in it.
    acting: IndexVec<MoveId, bool>,
    useful: bool,
}

/// More parts are more trouble than they are worth.
const MOST_PARTS: usize = 64;

impl Factors {
    /// Takes a game apart; `None` if it is of one piece, or if nothing supports the cut.
    pub fn find(net: &Net, options: &DecomposeOptions) -> Option<Self> {
        Self::of(net, &decompose(net, options))
    }

    /// The parts of a decomposition.
    pub fn of(net: &Net, decomposition: &Decomposition) -> Option<Self> {
        let played = || decomposition.subgames.iter().filter(|part| part.action_dependent);
        let basis = played().map(|part| part.basis).reduce(Basis::and)?;
        if basis == Basis::Assumed || !(2..=MOST_PARTS).contains(&played().count()) {
            return None;
        }
        let parts = played().map(|part| Part::new(net, part)).collect();
        let asynchronous = decomposition.composition == Composition::ParallelAsynchronous;
        let chosen = asynchronous && net.roles.len() == 2 && is_chosen(net, decomposition);
        Some(Self { parts, basis, games: games_of(net, decomposition, chosen), chosen })
    }

    /// The parts as games; none if one of them cannot be one.
    pub(crate) fn games(&self) -> &[PartGame] {
        &self.games
    }

    /// Whether two players choose the part they move in.
    pub(crate) fn are_chosen(&self) -> bool {
        self.chosen && !self.games.is_empty()
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

    /// Whether anything depends on a part.
    pub(crate) fn is_useful(&self, part: usize) -> bool {
        self.parts[part].useful
    }

    /// Whether a move acts in a part.
    pub(crate) fn acts(&self, part: usize, action: MoveId) -> bool {
        self.parts[part].acting[action]
    }

    /// What a move is in a part.
    pub(crate) fn class(&self, part: usize, action: MoveId) -> u32 {
        self.parts[part].class_of[action]
    }
}

/// Whether no move acts in more than one part, and each part has a result of its own: whose turn it is at
/// the end, or how late it is, does not matter to the goals.
fn is_chosen(net: &Net, decomposition: &Decomposition) -> bool {
    let read = read_by(net, net.goals.iter().map(|goal| goal.gate));
    let clocks = decomposition.subgames.iter().filter(|part| !part.action_dependent);
    if clocks.flat_map(|clock| &clock.fluents).any(|&fluent| read[fluent]) {
        return false;
    }
    let mut acts: IndexVec<MoveId, u32> = IndexVec::filled(0, net.moves.len());
    for part in decomposition.subgames.iter().filter(|part| part.action_dependent) {
        let acting = part.meta_actions.iter().filter(|one| !one.idle);
        acting.flat_map(|one| &one.moves).for_each(|&action| acts[action] += 1);
    }
    acts.iter().all(|&parts| parts <= 1)
}

/// Every part as a game; none if one of them cannot be one.
fn games_of(net: &Net, decomposition: &Decomposition, confined: bool) -> Vec<PartGame> {
    let subgames = decomposition.subgames.iter_ids();
    let played = subgames.filter(|(_, part)| part.action_dependent).map(|(id, _)| id);
    let games = played.map(|id| PartGame::new(net, decomposition, id, confined));
    games.collect::<Option<Vec<_>>>().unwrap_or_default()
}

impl Part {
    fn new(net: &Net, part: &Subgame) -> Self {
        let mut class_of = IndexVec::filled(u32::MAX, net.moves.len());
        let mut acting = IndexVec::filled(false, net.moves.len());
        for (class, meta_action) in (0u32..).zip(&part.meta_actions) {
            // What is done in a part that matters to nothing is all the same.
            let class = if part.useful { class } else { u32::from(meta_action.idle) };
            for &action in &meta_action.moves {
                (class_of[action], acting[action]) = (class, !meta_action.idle);
            }
        }
        Self { fluents: part.fluents.clone(), class_of, acting, useful: part.useful }
    }
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
