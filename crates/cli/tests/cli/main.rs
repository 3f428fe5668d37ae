//! The program as its users meet it.

mod authoring;
mod commands;
mod corpus;
mod decompose;
mod explorer;
mod limits;
mod match_play;
mod play;
mod program;
mod readme;
mod regress;
mod replay;
mod solve;
mod structure;
