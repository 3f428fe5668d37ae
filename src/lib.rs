//! Takes games apart: reads the rules of a game in the Game Description Language, grounds them,
//! builds the propositional net, and runs it.
//!
//! ```
//! use gambol::{EngineKind, Game};
//!
//! let game = Game::bundled("tic-tac-toe")?;
//! let mut engine = game.engine(EngineKind::Circuit)?;
//! let start = engine.initial()?;
//! assert_eq!(engine.legal(&start)?[0].len(), 9);
//! assert!(!engine.terminal(&start)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The stages are crates of their own and can be used alone: [`syntax`] turns text into rules,
//! [`ground`] rules into a ground game, [`mod@net`] that into a propositional net, [`sim`] the net
//! into a circuit that plays many games at once. [`reference`](mod@reference) is the plain
//! interpreter that judges them.
//!
//! ```
//! use gambol::{ground, net, sim, syntax};
//!
//! let text = "(role r) (init dark) (legal r press) (<= (next lit) (does r press))
//!             (<= terminal (true lit)) (<= (goal r 100) (true lit)) (<= (goal r 0) (true dark))";
//! let reading = syntax::read(text.as_bytes(), &syntax::ReadOptions::default());
//! let rules = reading.rules.expect("it parses");
//! let ground = ground::instantiate(&rules, &ground::Limits::default())?;
//! let net = net::build(&ground)?;
//! let circuit = sim::Circuit::compile(&net, &sim::CompileOptions::default())?;
//! assert_eq!(circuit.fluents_of(&circuit.initial()).len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod automata;
mod bundled;
mod engine;
mod facts;
mod game;
mod machine;
mod random_play;
mod terms;

pub use agreement::{Agreement, Comparison, Disagreement, compare_engines, compare_with};
pub use automata::{bundled_automata, bundled_automaton};
pub use bundled::{Bundled, bundled_game, bundled_games};
pub use engine::{Engine, Named, State};
pub use facts::{Facts, FactsError, MeanLength};
pub use gambol_lint::{Examination, Finding, examine};
pub use game::{Game, LoadError, StageError};
pub use machine::{
    CircuitMachine, EngineKind, Machine, MachineError, NetMachine, ReferenceMachine,
};
pub use random_play::{Outcomes, RandomPlay, play_at_random};
pub use terms::{TermsError, terms};

pub use gambol_analysis as analysis;
pub use gambol_board as board;
pub use gambol_decompose as decompose;
pub use gambol_ground as ground;
pub use gambol_index as index;
pub use gambol_lint as lint;
pub use gambol_net as net;
pub use gambol_play as play;
pub use gambol_reference as reference;
pub use gambol_regress as regress;
pub use gambol_sim as sim;
pub use gambol_solve as solve;
pub use gambol_syntax as syntax;
pub use gambol_verify as verify;
pub use gambol_verify_cuts as verify_cuts;
