//! Solving bundled games: values, lines of play, certificates.

mod certificates;
mod checkpoints;
mod games;
mod soundness;
mod stated;
mod values;
