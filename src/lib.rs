//! Takes games apart: from the rules of a game in the Game Description Language to its propositional
//! net, what is proved about it, its independent parts, its value, and good moves.
//!
//! ```
//! use gambol::Game;
//! use gambol::solve::SolveOptions;
//!
//! let game = Game::bundled("double-tic-tac-toe")?;            // or Game::open(path), or text.parse()
//! let start = game.start()?;
//! assert_eq!(start.legal("xplayer")?.len(), 18);
//! let next = start.play(["(put left 2 2)", "wait"])?;        // positions are values: Clone, Eq, Hash
//! assert!(next.holds("(cell left 2 2 x)")? && !next.is_terminal());
//!
//! let structure = game.structure()?;                          // latches, clocks, what is exclusive; proved
//! assert!(structure.proved_latches().count() > 0);
//! let parts = game.subgames()?;                               // the two boards, each a game of its own
//! assert_eq!(parts.counts().action_dependent, 2);
//! let solution = game.solve(&SolveOptions::default().seconds(60.0))?;   // the game-theoretic values
//! assert_eq!(solution.values[0].value(), Some(50.into()));
//! let chosen = game.agent("oplayer").playouts(1_000).seed(7).choose(&next)?;
//! assert_eq!(next.play(["wait", chosen.as_str()])?.legal("xplayer")?.len(), 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Whatever is found out about a [`Game`] is found once and kept in it. A [`Position`] owns what it needs
//! and answers without `&mut`; [`Game::state`] reads one from text. Wrong names are refused with the name
//! that was probably meant.
//!
//! The three engines of a game, [interpreter](EngineKind::Reference), [net](EngineKind::Net) and
//! [circuit](EngineKind::Circuit), stand behind one trait, [`Engine`], for those who compare them.
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

mod agent;
mod agreement;
mod automata;
mod bundled;
mod engine;
mod error;
mod facts;
mod game;
mod game_automaton;
mod gamer;
mod kept;
mod machine;
mod moving;
mod names;
mod position;
pub mod quiz;
mod random_play;
pub mod report;
mod scramble;
mod terms;

pub use agent::{Agent, Choice};
pub use agreement::{Agreement, Comparison, Disagreement, compare_engines, compare_with};
pub use automata::{bundled_automata, bundled_automaton};
pub use bundled::{Bundled, bundled_game, bundled_games};
pub use engine::{Engine, Named, State};
pub use error::{LoadError, PositionError, StageError};
pub use facts::{Facts, FactsError, MeanLength};
pub use gambol_lint::{Examination, Finding, examine};
pub use game::Game;
pub use game_automaton::AutomatonError;
pub use gamer::{Gamer, serve_gamer};
pub use machine::{
    CircuitMachine, EngineKind, Machine, MachineError, NetMachine, ReferenceMachine,
};
pub use moving::{Marker, Moving, moving};
pub use position::{Move, Position};
pub use random_play::{RandomPlay, play_at_random};
pub use scramble::{ScrambleError, Scrambled, scramble, scramble_within};
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
