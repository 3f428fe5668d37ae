//! Solving bundled games: values, lines of play, certificates.

mod certificates;
mod games;
mod values;
