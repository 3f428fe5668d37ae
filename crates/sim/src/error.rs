//! Why a net cannot be compiled.

/// What is wrong with a net. None of these can happen to a net that `gambol_net` built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// A gate reads a later gate that is not in its own cycle.
    #[error("gate {gate} reads a gate that comes after it; build the net anew")]
    NotInOrder {
        /// The number of the reading gate.
        gate: u32,
    },
    /// A recursive range is not monotone, so it has no least fixpoint.
    #[error("gate {gate} is an inverter inside a cycle; the rules are not stratified")]
    InverterInCycle {
        /// The number of the inverter.
        gate: u32,
    },
    /// The moves of one role do not stand together.
    #[error("move {action} is out of the order of the roles; sort the moves by role")]
    MovesNotSorted {
        /// The number of the move.
        action: u32,
    },
}
