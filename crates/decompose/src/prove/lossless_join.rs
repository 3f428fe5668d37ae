//! Lossless join: what a role may do in one part does not depend on what it does in the others.
//!
//! Whatever classes of its moves are possible in the parts, there is a move that belongs to all of
//! them; or, where the parts are quiet, there is for each of them a move that is idle in all other
//! parts, so that they can be made one after the other.

use gambol_analysis::{Encoding, Frame, Lit, Proof};
use gambol_net::{MoveId, RoleId};

use crate::decomposition::{MetaAction, SubgameId};
use crate::prove::prover::{Case, EFFORT};

impl Case<'_> {
    /// For each role that acts in several parts, that it chooses freely; the role if that is open.
    pub(crate) fn joins(&self) -> Vec<Result<Proof, RoleId>> {
        let mut joins = Vec::new();
        for role in self.net.roles.ids() {
            let parts = self.acted_in(role);
            let quiet = parts.iter().all(|&id| self.is_quiet(id));
            // Moves that act in one part each need only be made one after the other.
            if parts.len() > 1 && (!quiet || self.is_compound(role, &parts)) {
                joins.push(self.is_free(role, &parts, quiet).ok_or(role));
            }
        }
        joins
    }

    /// The roles with moves that act in several parts, or that act in parts that are not quiet.
    pub(crate) fn compound_roles(&self) -> Vec<RoleId> {
        let compound = |&role: &RoleId| self.is_compound(role, &self.acted_in(role));
        self.net.roles.ids().filter(compound).collect()
    }

    /// Whether nothing happens to a part while nobody acts in it; so it is if nobody can be idle.
    fn is_quiet(&self, id: SubgameId) -> bool {
        let idle = self.found.subgames[id].meta_actions.iter().any(|class| class.idle);
        !idle || self.known.quiet[id].is_some()
    }

    /// The parts in which a role can act.
    fn acted_in(&self, role: RoleId) -> Vec<SubgameId> {
        let acts = |&id: &SubgameId| self.classes(id, role).any(|class| !class.idle);
        self.played().into_iter().filter(acts).collect()
    }

    fn classes(&self, id: SubgameId, role: RoleId) -> impl Iterator<Item = &MetaAction> {
        self.found.subgames[id].meta_actions.iter().filter(move |class| class.role == role)
    }

    fn acts(&self, id: SubgameId, action: MoveId) -> bool {
        self.found.subgames[id].moves.binary_search(&action).is_ok()
    }

    /// Whether a move of a role acts in several of these parts.
    fn is_compound(&self, role: RoleId, parts: &[SubgameId]) -> bool {
        let several = |action| parts.iter().filter(|&&id| self.acts(id, action)).count() > 1;
        self.net.moves_of(role).map(MoveId::new).any(several)
    }

    /// Whether each combination of classes that are possible in a state can be played.
    fn is_free(&self, role: RoleId, parts: &[SubgameId], quiet: bool) -> Option<Proof> {
        let mut encoding = self.encoding();
        let state = encoding.state();
        self.going_on(&mut encoding, state);
        let mut picks: Vec<Vec<Lit>> = Vec::new();
        let mut apart = Vec::new();
        for &id in parts {
            let mut of_part = Vec::new();
            for class in self.classes(id, role) {
                let pick = encoding.fresh();
                let legal = self.legal_any(&mut encoding, state, &class.moves);
                encoding.add(&[!pick, legal]);
                of_part.push(pick);
                if quiet && !class.idle {
                    let alone = self.possible_alone(&mut encoding, state, id, class, parts);
                    apart.push(encoding.and(vec![pick, !alone]));
                }
            }
            encoding.add(&of_part);
            picks.push(of_part);
        }
        if quiet {
            // Something is to be done that cannot be done by itself.
            encoding.add(&apart);
        }
        for action in self.net.moves_of(role).map(MoveId::new) {
            let legal = encoding.gate(state, self.net.legal[action]);
            let mut clause = vec![!legal];
            for (&id, picks) in parts.iter().zip(&picks) {
                let mut classes = self.classes(id, role).zip(picks);
                let (_, &pick) =
                    classes.find(|(class, _)| class.moves.binary_search(&action).is_ok())?;
                clause.push(!pick);
            }
            encoding.add(&clause);
        }
        encoding.prove("classes are chosen freely", &[], EFFORT)
    }

    /// Whether a class of a part can be played by a move that acts in no other part.
    fn possible_alone(
        &self,
        encoding: &mut Encoding<'_>,
        state: Frame,
        id: SubgameId,
        class: &MetaAction,
        parts: &[SubgameId],
    ) -> Lit {
        let elsewhere =
            |action: MoveId| parts.iter().any(|&other| other != id && self.acts(other, action));
        let moves = class.moves.iter().copied().filter(|&action| !elsewhere(action));
        self.legal_any(encoding, state, &moves.collect::<Vec<_>>())
    }
}
