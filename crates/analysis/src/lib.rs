//! What a game's net proves about the game: latches, inhibitors, exclusive groups, dead states.
//!
//! ```
//! use gambol_analysis::{ShapeOptions, shape};
//! use gambol_net::NetBuilder;
//!
//! // A fuse that blows for good; the prize is for those who leave it whole.
//! let mut net = NetBuilder::new();
//! let player = net.role("player");
//! let (blown, late) = (net.fluent("blown"), net.fluent("late"));
//! let (touch, leave) = (net.action(player, "touch"), net.action(player, "leave"));
//! let (is_blown, is_late, always) = (net.truth(blown), net.truth(late), net.constant(true));
//! let touched = net.does(touch);
//! let blows = net.or([is_blown, touched]);
//! let whole = net.not(is_blown);
//! net.next(blown, blows);
//! net.next(late, always);
//! net.legal(touch, always);
//! net.legal(leave, always);
//! net.terminal(is_late);
//! net.goal(player, 100, whole);
//! net.goal(player, 0, is_blown);
//! let net = net.finish()?;
//!
//! let shape = shape(&net, &ShapeOptions::default());
//! let latches: Vec<String> = shape.proved_latches().map(|latch| latch.text(&net)).collect();
//! assert_eq!(latches, ["blown", "late"]);
//! let best = &shape.goals[0];
//! assert_eq!((best.goal.value, best.inhibitors[0].text(&net)), (100, "blown".to_string()));
//! # Ok::<(), gambol_net::NetError>(())
//! ```
//!
//! A sample of play refutes most claims at once, with the moves that show it. What survives is
//! proved by induction over the net, with invariants proved first; or it is unknown.
//!
//! For proofs of one's own: [`Induction`] proves a [`Claim`] about all states or steps from
//! [`Shape::invariants`]; an [`Encoding`] speaks about any number of states and steps, which may
//! share fluents, and answers any question that can be put in clauses.

mod candidates;
mod claim;
mod clock;
mod clocks;
mod columns;
mod conjunction;
mod dead_states;
mod encode;
mod endings;
mod exclusive;
mod explain;
mod fixed;
mod forbidden;
mod goal;
mod group;
mod induction;
mod inhibitor;
mod inhibitors;
mod invariant;
mod latch;
mod latches;
mod literal;
mod open_goals;
mod proof;
mod reading;
mod sample;
mod shape;
mod solver;
mod stage;
mod strengthen;
mod sweep;
mod turn;
mod verdict;
mod view;

pub use claim::{Claim, Condition};
pub use clock::Clock;
pub use clocks::{Clocks, Moments};
pub use dead_states::{DeadStates, TreeSize, tree_size};
pub use encode::{Encoding, Frame};
pub use exclusive::Exclusive;
pub use explain::{Fact, FactKind, explain, explain_latch, facts};
pub use fixed::FixedFluents;
pub use forbidden::ForbiddenMoves;
pub use gambol_run::Budget;
pub use goal::GoalFacts;
pub use group::{GroupLatch, Together};
pub use induction::Induction;
pub use inhibitor::Inhibitor;
pub use inhibitors::Inhibitors;
pub use latch::Latch;
pub use latches::Latches;
pub use literal::{Clause, Literal};
pub use open_goals::OpenGoals;
pub use proof::Proof;
pub use reading::{reads_only, runs_by_itself};
/// A literal of an [`Encoding`].
pub use rustsat::types::Lit;
pub use shape::{Shape, ShapeOptions, invariants, shape, shape_with_progress};
pub use solver::Answer;
pub use stage::Stage;
pub use turn::Turn;
pub use verdict::{Verdict, Witness};
pub use view::ViewLatch;

/// The code of the guide compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/latches.md")]
struct Guide;
