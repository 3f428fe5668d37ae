//! Idle moves: while everybody is idle in a part it stays as it is, clocks of its own apart.
//!
//! Only then is it the same to move in one part after the other. Which moves are idle was sampled, so it
//! must be proved; and since of no state everything is true, play must have come to a state in which everybody can be
//! idle. A move that turns out to act in the part is idle no more; its class must then be as
//! free as the others.

use gambol_analysis::{Answer, Encoding, Frame, Lit, Proof};
use gambol_net::{FluentId, MoveId, RoleId, State};

use crate::decomposition::{MetaAction, SubgameId};
use crate::evaluate::lanes::Lanes;
use crate::prove::closure::does_any;
use crate::prove::prover::{Case, EFFORT, MOST_SPLITS};
use crate::prove::refinement::{effects, joint};

impl Case<'_> {
    /// Whether a part is quiet. Moves that act in it are taken out of its idle classes.
    pub(crate) fn quiet(
        &mut self,
        lanes: &mut Lanes<'_>,
        id: SubgameId,
        alone: bool,
    ) -> Option<Proof> {
        let mut splits = if alone { MOST_SPLITS } else { self.splits };
        loop {
            let mut encoding = self.encoding();
            let state = encoding.state();
            self.leave(&mut encoding, state);
            self.all_idle(&mut encoding, state, id);
            let possible = encoding.solve(&[], EFFORT) == Answer::Model;
            if !possible || !alone && !self.all_can_be_idle(id) {
                // Nobody is ever idle, or it cannot be told.
                return None;
            }
            let mut proofs = Vec::new();
            let mut moved = Vec::new();
            for &fluent in &self.found.subgames[id].fluents {
                let changes = self.changes(&mut encoding, state, fluent);
                match encoding.prove("idle moves change nothing", &[changes], EFFORT) {
                    Some(proof) => proofs.push(proof),
                    None => moved.push(fluent),
                }
            }
            let (clock, proof) = self.clock_within(moved.clone());
            proofs.extend(proof);
            moved.retain(|fluent| clock.binary_search(fluent).is_err());
            let Some(&fluent) = moved.first() else {
                return Proof::all("a part is quiet", proofs);
            };
            splits = splits.checked_sub(1)?;
            let changes = self.changes(&mut encoding, state, fluent);
            encoding.observe(state);
            if encoding.solve(&[changes], EFFORT) != Answer::Model {
                return None;
            }
            let moves = joint(self.net, encoding.moves_in_model(state));
            let state = State::of(self.net, &encoding.fluents_in_model(state));
            if !self.activate(lanes, id, (&state, &moves), &clock) {
                return None;
            }
        }
    }

    /// Every role makes a move that is idle in a part.
    fn all_idle(&self, encoding: &mut Encoding<'_>, frame: Frame, id: SubgameId) {
        for role in self.net.roles.ids() {
            let idle = does_any(encoding, frame, &self.idle_moves(id, role));
            encoding.add(&[idle]);
        }
    }

    /// Whether play was seen to come to a state in which every role can make a move that is idle in a part.
    fn all_can_be_idle(&self, id: SubgameId) -> bool {
        let acting = &self.found.subgames[id].moves;
        let idle = |action: &MoveId| acting.binary_search(action).is_err();
        let all = |moves: &Vec<MoveId>| moves.iter().any(idle);
        self.met.iter().any(|met| met.goes_on() && met.legal.iter().all(all))
    }

    fn idle_moves(&self, id: SubgameId, role: RoleId) -> Vec<MoveId> {
        let classes = self.found.subgames[id].meta_actions.iter();
        let idle = classes.filter(|class| class.role == role && class.idle);
        idle.flat_map(|class| class.moves.iter().copied()).collect()
    }

    fn changes(&self, encoding: &mut Encoding<'_>, frame: Frame, fluent: FluentId) -> Lit {
        let (now, next) =
            (encoding.fluent(frame, fluent), encoding.gate(frame, self.net.next[fluent]));
        encoding.differ(now, next)
    }

    /// Those of some fluents that run by themselves together.
    fn clock_within(&self, mut fluents: Vec<FluentId>) -> (Vec<FluentId>, Option<Proof>) {
        while !fluents.is_empty() {
            let proof = self.runs_by_itself(&fluents);
            if proof.is_some() {
                return (fluents, proof);
            }
            let before = fluents.len();
            let mut encoding = self.encoding();
            let one = encoding.state();
            let other = encoding.state_sharing(one, |f| fluents.binary_search(&f).is_ok());
            self.leave(&mut encoding, one);
            self.leave(&mut encoding, other);
            self.same_stage(&mut encoding, one, other);
            let keeps = |&fluent: &FluentId| {
                let differ = self.becomes_different(&mut encoding, one, other, fluent);
                encoding.solve(&[differ], EFFORT) == Answer::NoModel
            };
            fluents = fluents.iter().copied().filter(keeps).collect();
            if fluents.len() == before {
                break;
            }
        }
        (Vec::new(), None)
    }

    /// Takes the moves that act in a part in some state out of an idle class; whether there are any.
    fn activate(
        &mut self,
        lanes: &mut Lanes<'_>,
        id: SubgameId,
        (state, moves): (&State, &[MoveId]),
        clock: &[FluentId],
    ) -> bool {
        let mut fluents = self.found.subgames[id].fluents.clone();
        fluents.retain(|fluent| clock.binary_search(fluent).is_err());
        let unchanged = state.values(&fluents);
        for role in self.net.roles.ids() {
            let idle = self.idle_moves(id, role);
            let by_effect = effects(lanes, state, moves, role, &idle, &fluents);
            let (quiet, acting): (Vec<_>, Vec<_>) =
                by_effect.into_iter().partition(|(after, _)| *after == unchanged);
            // With several roles it is one whose idle moves are not all alike.
            if acting.is_empty() || quiet.is_empty() && self.net.roles.len() > 1 {
                continue;
            }
            let part = &mut self.found.subgames[id];
            part.meta_actions.retain(|class| class.role != role || !class.idle);
            let quiet: Vec<MoveId> = quiet.into_iter().flat_map(|(_, moves)| moves).collect();
            if !quiet.is_empty() {
                part.meta_actions.push(MetaAction { role, moves: quiet, idle: true });
            }
            for (_, moves) in acting {
                part.meta_actions.push(MetaAction { role, moves, idle: false });
            }
            part.settle_classes();
            return true;
        }
        false
    }
}
