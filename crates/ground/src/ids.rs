//! What roles, fluents and moves are counted by.

use gambol_index::define_id;

define_id! {
    /// A player, in the order of the `role` facts.
    pub struct RoleId;
    /// A fluent: a ground term that can be true in some state.
    pub struct FluentId;
    /// A move: a role with a ground term it can do in some state. The moves of one role stand together.
    pub struct MoveId;
}
