//! What is proved about the games in the folder of games, and what is true of them.

mod boards;
mod exhaustive;
mod textbook;
mod truth;
