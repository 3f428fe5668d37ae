//! Certificates of the values of games, and their checker.
//!
//! A [`Certificate`] says what the roles of a game get and why: strategies, state by state. [`verify`] follows them
//! through the rules with the plain interpreter and says what they prove ([`Accepted`]): in which state, for whom,
//! what, and in which [`Sense`]. It knows nothing of nets, circuits or solvers. This crate does not depend on them,
//! so nothing that finds values can be part of what judges them.
//!
//! ```
//! use gambol_reference::Interpreter;
//! use gambol_syntax::{ReadOptions, read};
//! use gambol_verify::{Certificate, Sense, VerifyOptions, verify};
//!
//! let rules = "(role r) (legal r press) (legal r wait) (<= (next on) (does r press)) (<= terminal (true on))
//!     (<= (goal r 100) (true on))";
//! let rules = read(rules.as_bytes(), &ReadOptions::default()).rules.expect("this parses");
//! let text = r#"{
//!     "format": 3, "sense": "forced", "fluents": ["on"], "at": null, "value": {"r": "100"},
//!     "claims": [{
//!         "players": ["r"],
//!         "ends": [{"role": "r", "at_least": 100, "at_most": null}],
//!         "entries": [{"state": [], "rank": 0, "reply": ["press"]}]
//!     }],
//!     "averages": [], "equilibrium": [], "digest": ""
//! }"#;
//! let mut certificate: Certificate = serde_json::from_str(text)?;
//! certificate.digest = certificate.compute_digest();
//! let game = Interpreter::new(&rules)?;
//! let accepted = verify(&game, &certificate, VerifyOptions::default())?;
//! assert_eq!(accepted.values[0].sense, Sense::Forced);
//! assert_eq!(
//!     accepted.values[0].to_string(),
//!     "r: 100, forced: r can get this whatever the others do; no goal is higher"
//! );
//!
//! // Who waits never comes to an end.
//! certificate.claims[0].entries[0].reply = vec!["wait".to_string()];
//! certificate.digest = certificate.compute_digest();
//! assert!(verify(&game, &certificate, VerifyOptions::default()).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is not in the language is decided once, for every sense. Play that never ends, or in which a role has no move,
//! gives nothing, so it never breaks an upper bound and always breaks a lower one. Where an end has several goals for a
//! role, a bound must hold for each; where it has none, for anything from 0 to [`HIGHEST_GOAL`].
//!
//! Where to read on: `certificate.rs` has the format; `check.rs` the order of the checks; `claims.rs`, `averages.rs`
//! and `equilibrium.rs` one kind of proof each; `bounds.rs` what they say about values.

mod accepted;
mod averages;
mod book;
mod bounds;
mod certificate;
mod check;
mod checker;
mod claims;
mod digest;
mod equilibrium;
mod fraction;
mod options;
mod refusal;
mod walk;

pub use accepted::{Accepted, AcceptedValue, Ground};
pub use book::{Lookup, WrongEntry, check_entry};
pub use certificate::{
    AverageClaim, AverageEntry, Certificate, Claim, ClaimEntry, Condition, EquilibriumEntry,
    FORMAT, FORMAT_WITHOUT_SENSE, HIGHEST_GOAL, Sense,
};
pub use check::verify;
pub use digest::Digest;
pub use fraction::{Fraction, NoFraction};
pub use options::VerifyOptions;
pub use refusal::Refusal;
