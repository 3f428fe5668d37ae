//! What was found out about a game, in words and as data that serialises: one source for the command
//! line, the explorer, and whoever else tells of it.
//!
//! ```
//! use gambol::{Game, report};
//!
//! let game = Game::bundled("untwisty-corridor")?;
//! let (net, structure) = (game.net()?, game.structure()?);
//! let sections = report::sections(net, &structure);
//! assert_eq!(sections[0].title, "Latches");
//! assert_eq!(sections[0].facts[0].text, "once (clock 1) is false it stays false");
//!
//! let json = serde_json::to_value(report::Structure::of(net, &structure))?;
//! assert_eq!(json["latches"][0]["fluent"], "(clock 1)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decomposition;
mod facts;
mod families;
mod phases;
mod plans;
mod solution;
mod structure;
mod witness;

pub use decomposition::{Decomposition, crossing, names, score, summary};
pub use facts::{Fact, Section, known, sections};
pub use families::{Family, Sentence, families};
pub use phases::{phase_parts, phases};
pub use plans::BestPlans;
pub use solution::{Number, Solution, line_in_words, value_in_words};
pub use structure::Structure;
pub use witness::{Repair, joint_moves};
