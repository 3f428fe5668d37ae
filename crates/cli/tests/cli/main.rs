//! The program as its users meet it.

mod commands;
mod corpus;
mod limits;
mod program;
mod readme;
mod regress;
mod replay;
mod structure;
