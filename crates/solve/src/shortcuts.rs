//! Short cuts: what makes solving faster and must not change any value. Tests take each always and never.

/// How far a short cut is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Use {
    /// Where it is expected to pay.
    #[default]
    Auto,
    /// Wherever it is possible.
    Always,
    /// Nowhere.
    Never,
}

/// Which short cuts are taken. Bounds from latches and dead states are
/// [`pruning`](crate::SolveOptions::pruning).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Shortcuts {
    /// States that are equal by symmetry count once.
    pub symmetries: Use,
    /// States in which the same is left of the game count once.
    pub residues: Use,
    /// States of a part that nothing tells apart count once.
    pub quotients: Use,
    /// Sums of games are decided by their theory, not as products.
    pub sums: Use,
    /// Games with crossing points are solved phase by phase, where that is not refused.
    pub phases: Use,
    /// Attempts that may take a moment only come before those that may take long.
    pub looks: Use,
}
