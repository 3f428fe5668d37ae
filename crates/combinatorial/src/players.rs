//! The two players of a combinatorial game, as indices of pairs.

/// The number of the player who begins the notation of a game.
pub const LEFT: usize = 0;
/// The number of the other player.
pub const RIGHT: usize = 1;
