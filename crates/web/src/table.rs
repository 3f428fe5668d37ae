//! A table: a game with hidden information that one person plays, and what has really happened there.

use std::hash::{DefaultHasher, Hash, Hasher};

use gambol::ground::{MoveId, RoleId};
use gambol::net::{BaseMarking, Net, NetEngine};
use gambol::play::Worlds;

use crate::refusal::Refusal;
use crate::sight::Sight;

/// Who sits there, and all joint moves so far.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) number: u64,
    /// The person's role.
    pub(crate) viewer: RoleId,
    /// Of all that chance decides.
    pub(crate) seed: u64,
    pub(crate) history: Vec<Vec<MoveId>>,
}

impl Table {
    /// The joint moves up to a step.
    fn until(&self, step: usize) -> Result<&[Vec<MoveId>], Refusal> {
        let past = self.history.get(..step);
        past.ok_or_else(|| Refusal::Senseless("the game has not come so far".to_string()))
    }

    /// The true state.
    pub(crate) fn state(
        &self,
        engine: &mut NetEngine<&Net>,
        step: usize,
    ) -> Result<BaseMarking, Refusal> {
        let start = engine.initial();
        Ok(self.until(step)?.iter().fold(start, |state, joint| engine.next(&state, joint)))
    }

    /// The states that a role cannot tell apart.
    pub(crate) fn worlds(&self, net: &Net, role: RoleId, step: usize) -> Result<Worlds, Refusal> {
        Worlds::after(net, role, self.until(step)?, self.seed)
            .ok_or_else(|| Refusal::Senseless("these moves are not legal here".to_string()))
    }

    /// What the person knows.
    pub(crate) fn sight(&self, net: &Net, step: usize) -> Result<Sight, Refusal> {
        Ok(Sight::of(net, &self.worlds(net, self.viewer, step)?))
    }

    /// One of the moves of chance, all equally likely.
    pub(crate) fn lot(&self, moves: &[MoveId], step: usize) -> Option<MoveId> {
        let mut drawn = DefaultHasher::new();
        (self.seed, step).hash(&mut drawn);
        let place = drawn.finish().checked_rem(moves.len() as u64)?;
        moves.get(place as usize).copied()
    }
}
