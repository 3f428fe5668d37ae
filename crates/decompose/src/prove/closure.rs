//! What a part becomes depends on that part, on clocks, and on the classes of the moves; and so does
//! which classes can be played.
//!
//! A state in which two moves of one class do different things to the part splits the class. Where
//! there is only one part nothing else can be read, and classes of one move each will always do.

use std::time::Duration;

use gambol_analysis::{Answer, Budget, Encoding, Frame, Lit, Proof, reads_only};
use gambol_index::IndexVec;
use gambol_net::{FluentId, MoveId, State};

use crate::decomposition::{MetaAction, SubgameId};
use crate::evaluate::lanes::Lanes;
use crate::prove::bounded_runs::agree;
use crate::prove::prover::{Case, EFFORT, MOST_SPLITS};
use crate::prove::refinement::{Unlike, joint, split};
use crate::prove::refutation::Open;

/// Nets with more gates than this are not asked about classes if there is only one part.
const MOST_GATES_OF_ONE: usize = 20_000;
/// The time for questions about the classes of the only part.
const A_MOMENT: Duration = Duration::from_millis(150);
/// Decisions per question about the classes of the only part.
const EFFORT_FOR_ONE: u64 = 20_000;

impl Case<'_> {
    /// Whether a part satisfies the conditions on single parts; if not, which are open. Its classes are
    /// made finer where that is needed.
    pub(crate) fn part_is_apart(
        &mut self,
        lanes: &mut Lanes<'_>,
        id: SubgameId,
    ) -> Result<Proof, Vec<Open>> {
        let before = self.found.subgames[id].clone();
        let alone = self.played().len() < 2;
        if alone {
            return self.classes_of_the_only_part(lanes, id).ok_or_else(Vec::new);
        }
        let (closed, settled) = self.conditions(lanes, id, alone);
        if let Some(proof) = settled {
            return Ok(proof);
        }
        self.known.quiet[id] = None;
        // Classes that were split for states that need not occur would make free choice harder.
        let split = self.found.subgames[id].meta_actions != before.meta_actions;
        self.found.subgames[id] = before;
        let open = [Open::Closure(id), Open::Idle(id), Open::Availability(id)];
        Err(open.into_iter().skip(usize::from(closed.is_some() && !split)).collect())
    }

    /// That a part is closed; and that it satisfies the other conditions too.
    fn conditions(
        &mut self,
        lanes: &mut Lanes<'_>,
        id: SubgameId,
        alone: bool,
    ) -> (Option<Proof>, Option<Proof>) {
        let Some(closed) = self.closure(lanes, id, alone) else { return (None, None) };
        self.known.quiet[id] = self.quiet(lanes, id, alone);
        let available = self.availability(id, alone);
        let proofs = available.map(|all| all.into_iter().chain(self.known.quiet[id]));
        let all = proofs.and_then(|all| Proof::all("a part is apart", all.chain([closed])));
        (Some(closed), all)
    }

    /// Exact classes where there is nothing else to read. Larger ones are worth a moment.
    fn classes_of_the_only_part(&mut self, lanes: &mut Lanes<'_>, id: SubgameId) -> Option<Proof> {
        let short = Budget { time: Some(A_MOMENT), stop: self.budget.stop.clone() };
        let budget = std::mem::replace(&mut self.budget, short);
        let (_, exact) = self.conditions(lanes, id, true);
        self.budget = budget;
        exact.or_else(|| self.one_move_per_class(id))
    }

    /// Which fluents a part may read: its own, clocks, and what never changes.
    pub(crate) fn readable(&self, id: SubgameId) -> IndexVec<FluentId, bool> {
        let mut readable = IndexVec::filled(false, self.net.next.len());
        let parts = self.found.subgames.iter_ids();
        let parts = parts.filter(|&(other, part)| other == id || !part.action_dependent);
        parts.flat_map(|(_, part)| &part.fluents).for_each(|&fluent| readable[fluent] = true);
        self.found.rest.iter().for_each(|&fluent| readable[fluent] = true);
        readable
    }

    /// Whether a part reads only itself and clocks, moves of one class being alike.
    fn closure(&mut self, lanes: &mut Lanes<'_>, id: SubgameId, alone: bool) -> Option<Proof> {
        let (mut splits, effort) = match alone {
            true => (MOST_SPLITS, EFFORT_FOR_ONE),
            false => (self.splits, EFFORT),
        };
        if alone && self.net.gate_count() > MOST_GATES_OF_ONE {
            return None;
        }
        let readable = self.readable(id);
        let mut encoding = self.encoding();
        let one = encoding.state();
        let other = encoding.state_sharing(one, |fluent| readable[fluent]);
        self.leave(&mut encoding, one);
        self.leave(&mut encoding, other);
        self.same_stage(&mut encoding, one, other);
        same_classes(&mut encoding, one, other, &self.found.subgames[id].meta_actions);
        let mut proofs = Vec::new();
        for fluent in self.found.subgames[id].fluents.clone() {
            let differ = self.becomes_different(&mut encoding, one, other, fluent);
            let proof = loop {
                if let Some(proof) = encoding.prove("a part reads itself", &[differ], effort) {
                    break proof;
                }
                let unlike = self.unlike_moves(&mut encoding, [one, other], differ, effort)?;
                splits = splits.checked_sub(1)?;
                if !split(lanes, &unlike, &mut self.found.subgames[id]) {
                    return None;
                }
                // What was said of larger classes remains true.
                same_classes(&mut encoding, one, other, &self.found.subgames[id].meta_actions);
            };
            proofs.push(proof);
        }
        Proof::all("a part reads itself and clocks", proofs)
    }

    /// Two moves of a class that make a difference in one state already: then the class is too large.
    fn unlike_moves(
        &self,
        encoding: &mut Encoding<'_>,
        frames: [Frame; 2],
        differ: Lit,
        effort: u64,
    ) -> Option<Unlike> {
        let same = agree(encoding, frames[0], frames[1], self.net.fluents.ids());
        encoding.observe(frames[0]);
        (encoding.solve(&[differ, same], effort) == Answer::Model).then(|| Unlike {
            state: State::of(self.net, &encoding.fluents_in_model(frames[0])),
            moves: frames.map(|frame| joint(self.net, encoding.moves_in_model(frame))),
        })
    }

    /// Whether each class of moves can be played wherever the part and the clocks are the same. Idle
    /// moves of a quiet part are left out: they do nothing. So is a class of all moves of a role: one of
    /// them can be made as long as play goes on.
    fn availability(&mut self, id: SubgameId, alone: bool) -> Option<Vec<Proof>> {
        let quiet = self.known.quiet[id].is_some();
        if alone {
            // There is nowhere else to act, so what does something here is not idle.
            self.found.subgames[id].activate_unless(quiet);
            return self.anything_is_own(id).map(|proof| vec![proof]);
        }
        let readable = self.readable(id);
        let mut encoding = self.encoding();
        let one = encoding.state();
        let other = encoding.state_sharing(one, |fluent| readable[fluent]);
        self.going_on(&mut encoding, one);
        self.going_on(&mut encoding, other);
        self.same_stage(&mut encoding, one, other);
        let all = |class: &MetaAction| class.moves.len() == self.net.moves_of(class.role).len();
        let classes = self.found.subgames[id].meta_actions.iter();
        let asked = classes.filter(|class| !(all(class) || quiet && class.idle));
        let proofs = asked.map(|class| {
            let here = self.legal_any(&mut encoding, one, &class.moves);
            let there = self.legal_any(&mut encoding, other, &class.moves);
            encoding.prove("a class is available", &[here, !there], EFFORT)
        });
        proofs.collect()
    }

    /// Where there is one part, everything that can be read is its own.
    fn anything_is_own(&self, id: SubgameId) -> Option<Proof> {
        let readable = self.readable(id);
        let gates = self.net.next.iter().chain(self.net.legal.iter()).copied();
        reads_only(self.net, gates, |fluent| readable[fluent])
    }

    /// Classes of one move each, none of them idle: they are exact where there is one part.
    fn one_move_per_class(&mut self, id: SubgameId) -> Option<Proof> {
        let proof = self.anything_is_own(id)?;
        let part = &mut self.found.subgames[id];
        part.moves = self.net.moves.ids().collect();
        let class = |&action: &MoveId| MetaAction {
            role: self.net.moves[action].role,
            moves: vec![action],
            idle: false,
        };
        part.meta_actions = part.moves.iter().map(class).collect();
        Some(proof)
    }

    pub(crate) fn legal_any(
        &self,
        encoding: &mut Encoding<'_>,
        frame: Frame,
        moves: &[MoveId],
    ) -> Lit {
        let legal = moves.iter().map(|&action| encoding.gate(frame, self.net.legal[action]));
        let legal: Vec<Lit> = legal.collect();
        encoding.or(legal)
    }
}

/// In two states moves of the same classes are made.
fn same_classes(encoding: &mut Encoding<'_>, one: Frame, other: Frame, classes: &[MetaAction]) {
    for class in classes {
        let here = does_any(encoding, one, &class.moves);
        let there = does_any(encoding, other, &class.moves);
        encoding.add(&[!here, there]);
        encoding.add(&[here, !there]);
    }
}

/// One of these moves is made.
pub(crate) fn does_any(encoding: &mut Encoding<'_>, frame: Frame, moves: &[MoveId]) -> Lit {
    let does: Vec<Lit> = moves.iter().map(|&action| encoding.does(frame, action)).collect();
    encoding.or(does)
}
