//! Gambol from Python: the module `gambol._gambol`.
//!
//! It translates: Python's values to those of the library, and its answers and errors back. What is decided is decided
//! in the library; what needs no speed is written in Python, in `python/gambol`.

use pyo3::pymodule;

mod decomposition;
mod error;
mod game;
mod interrupt;
mod loading;
mod net;
mod oracle;
mod owned;
mod player;
mod policy;
mod reasoning;
mod report;
mod shared;
mod solution;
mod state;
mod table;
mod vector;

/// Everything that the package takes from here.
#[pymodule]
mod _gambol {
    #[pymodule_export]
    use crate::decomposition::Decomposition;
    #[pymodule_export]
    use crate::game::Game;
    #[pymodule_export]
    use crate::loading::{bundled, games, read, restore_game, restore_state};
    #[pymodule_export]
    use crate::net::Net;
    #[pymodule_export]
    use crate::player::Player;
    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use crate::solution::Solution;
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::vector::VectorEnv;
}
