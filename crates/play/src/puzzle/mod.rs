//! Puzzles: games of one player, in which a line that was found once can be followed to its end.

pub(crate) mod nested;
