//! The program as its users meet it.

mod authoring;
mod commands;
mod corpus;
mod decompose;
mod endurance;
mod explorer;
mod files;
mod kills;
mod language_server;
mod limits;
mod match_play;
mod play;
mod program;
mod readme;
mod reasoning;
mod records;
mod referee;
mod regress;
mod replay;
mod signals;
mod solve;
mod store;
mod structure;
mod tournament;
