//! A cut: the pieces of a state, which of them belong together, and what runs by itself.

use gambol_index::IndexVec;
use gambol_net::{FluentId, MoveId, Net, RoleId};

use crate::goals::joins::role_of;
use crate::partition::Partition;
use crate::sample::outcome::PartOf;

/// The pieces that depend on what is played, and what was seen of them.
#[derive(Clone)]
pub(crate) struct Pieces {
    pub(crate) fluents: Vec<Vec<FluentId>>,
    /// The pieces that each move acts on.
    pub(crate) acts_on: IndexVec<MoveId, Vec<u32>>,
    pub(crate) stages: Vec<Option<u32>>,
}

impl Pieces {
    pub(crate) fn part_of(&self, net: &Net, parts: &mut Partition) -> PartOf {
        let mut part_of: PartOf = IndexVec::filled(None, net.next.len());
        for (piece, fluents) in self.fluents.iter().enumerate() {
            let part = parts.find(piece as u32);
            fluents.iter().for_each(|&fluent| part_of[fluent] = Some(part));
        }
        part_of
    }

    /// The roles whose moves act in each part, by the piece that stands for it.
    pub(crate) fn acting(&self, net: &Net, parts: &mut Partition) -> Vec<Vec<RoleId>> {
        let mut acting = vec![Vec::new(); self.fluents.len()];
        for (action, pieces) in self.acts_on.iter_ids() {
            for &piece in pieces {
                acting[parts.find(piece) as usize].push(role_of(net, action));
            }
        }
        for roles in &mut acting {
            roles.sort_unstable();
            roles.dedup();
        }
        acting
    }

    /// The parts that each move acts on.
    pub(crate) fn acts_on_parts(&self, parts: &mut Partition) -> IndexVec<MoveId, Vec<u32>> {
        let mut acts_on = self.acts_on.clone();
        for of_move in acts_on.iter_mut() {
            of_move.iter_mut().for_each(|piece| *piece = parts.find(*piece));
            of_move.sort_unstable();
            of_move.dedup();
        }
        acts_on
    }

    /// The stage of each part, by the piece that stands for it. Stages that a part reaches over are one.
    pub(crate) fn part_stages(&self, parts: &mut Partition) -> Vec<Option<u32>> {
        let mut spans: Vec<Option<(u32, u32)>> = vec![None; self.fluents.len()];
        for (piece, &stage) in self.stages.iter().enumerate() {
            let Some(stage) = stage else { continue };
            let span = &mut spans[parts.find(piece as u32) as usize];
            let (first, last) = span.unwrap_or((stage, stage));
            *span = Some((first.min(stage), last.max(stage)));
        }
        let goes_on = |stage: u32| {
            spans.iter().flatten().any(|&(first, last)| first < stage && stage <= last)
        };
        let number = |(first, _)| (1..=first).filter(|&stage| !goes_on(stage)).count() as u32;
        spans.iter().map(|span| span.map(number)).collect()
    }

    pub(crate) fn is_serial(&self, parts: &mut Partition) -> bool {
        let mut stages: Vec<u32> = self.part_stages(parts).into_iter().flatten().collect();
        stages.sort_unstable();
        stages.dedup();
        stages.len() > 1
    }
}

/// Pieces, the partition of them, and what runs by itself.
#[derive(Clone)]
pub(crate) struct Cut {
    pub(crate) pieces: Pieces,
    pub(crate) parts: Partition,
    /// Groups that run by themselves, and pieces that follow several parts.
    pub(crate) running: Vec<Vec<FluentId>>,
    /// Whether the parts fade while others are played.
    pub(crate) fading: bool,
    /// Pieces whose parts are apart as far as play shows, but may be tied by what play does not show.
    pub(crate) doubts: Vec<(u32, u32)>,
}

/// Something that turned out to belong to something else.
pub(crate) struct Tied<'a> {
    pub(crate) fluents: &'a [FluentId],
    /// Whether it was held to run by itself.
    pub(crate) clock: bool,
}

impl Cut {
    /// Joins what is not known to be apart; whether there was anything.
    pub(crate) fn join_doubts(&mut self) -> bool {
        let before = self.parts.len();
        for (one, other) in std::mem::take(&mut self.doubts) {
            self.parts.join(one, other);
        }
        self.parts.len() < before
    }

    /// How many parts are up to the players.
    pub(crate) fn played(&mut self, net: &Net) -> usize {
        self.pieces.acting(net, &mut self.parts).iter().filter(|roles| !roles.is_empty()).count()
    }

    /// Joins what is tied. Clocks that are tied to one another alone remain a clock; `moves` act in
    /// what is no clock any more.
    pub(crate) fn join(&mut self, tied: &[Tied<'_>], moves: &[MoveId]) {
        if tied.len() > 1 && tied.iter().all(|one| one.clock) {
            return self.join_clocks(tied);
        }
        let mut joined = Vec::new();
        for one in tied {
            joined.extend(self.pieces_of(one, moves));
        }
        self.parts.join_all(joined);
    }

    /// Notes that a move acts in a part; whether that is new.
    pub(crate) fn acts(&mut self, part: &[FluentId], action: MoveId) -> bool {
        let within = |piece: &[FluentId]| piece.iter().any(|f| part.binary_search(f).is_ok());
        let pieces = self.pieces.fluents.iter().zip(0..).filter(|(piece, _)| within(piece));
        let pieces: Vec<u32> = pieces.map(|(_, number)| number).collect();
        let acts_on = &mut self.pieces.acts_on[action];
        if pieces.is_empty() || pieces.iter().any(|piece| acts_on.contains(piece)) {
            return false;
        }
        acts_on.push(pieces[0]);
        acts_on.sort_unstable();
        true
    }

    fn join_clocks(&mut self, tied: &[Tied<'_>]) {
        let mut together: Vec<FluentId> =
            tied.iter().flat_map(|one| self.stop(one.fluents)).flatten().collect();
        together.sort_unstable();
        self.running.push(together);
    }

    /// Takes the groups that share a fluent with these out of what runs by itself.
    fn stop(&mut self, fluents: &[FluentId]) -> Vec<Vec<FluentId>> {
        let among = |group: &mut Vec<FluentId>| group.iter().any(|f| fluents.contains(f));
        self.running.extract_if(.., among).collect()
    }

    /// The pieces that something is made of; what has none becomes one.
    fn pieces_of(&mut self, tied: &Tied<'_>, moves: &[MoveId]) -> Vec<u32> {
        if tied.clock {
            self.stop(tied.fluents);
        }
        let within = |piece: &[FluentId]| piece.iter().any(|f| tied.fluents.contains(f));
        let known = self.pieces.fluents.iter().zip(0..).filter(|(piece, _)| within(piece));
        let mut pieces: Vec<u32> = known.map(|(_, number)| number).collect();
        let in_piece = |f: &FluentId| self.pieces.fluents.iter().any(|piece| piece.contains(f));
        let free: Vec<FluentId> = tied.fluents.iter().copied().filter(|f| !in_piece(f)).collect();
        if tied.clock && !free.is_empty() {
            pieces.push(self.add_piece(free, moves));
        }
        pieces
    }

    fn add_piece(&mut self, fluents: Vec<FluentId>, moves: &[MoveId]) -> u32 {
        let piece = self.pieces.fluents.len() as u32;
        self.pieces.fluents.push(fluents);
        self.pieces.stages.push(None);
        for &action in moves {
            self.pieces.acts_on[action].push(piece);
        }
        self.parts.add();
        piece
    }
}
