//! Why a set of gates is not a net.

/// What is wrong with the gates or propositions given.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NetError {
    /// An inverter lies on a cycle of gates that no transition breaks.
    #[error(
        "{gate} depends on its own negation within one step; \
         let the negation look at the previous state instead"
    )]
    NegativeCycle {
        /// A view on the cycle if one is named, else a gate's number.
        gate: String,
    },
    /// The moves of a role are not neighbours, or the roles' moves are out of order.
    #[error("move {name} stands apart from the other moves of its role; add moves role by role")]
    ScatteredMoves {
        /// The first move out of place.
        name: String,
    },
}
