//! Solving bundled games: values, lines of play, certificates.

mod certificates;
mod chance;
mod checkpoints;
mod counting;
mod damage;
mod games;
mod layers;
mod soundness;
mod stated;
mod values;
