//! [`GroundGame`](gambol_ground::GroundGame) to [`Net`].

mod bounds;
mod build;
mod builder;
mod diagram;
mod dot;
mod draft;
mod engine;
mod error;
mod fixpoint;
mod frame;
mod marking;
mod net;
mod order;
mod readers;
pub mod rewrite;
mod statistics;
mod svg;

pub use build::build;
pub use builder::NetBuilder;
pub use diagram::{Detail, PictureOptions};
pub use dot::{dot, dot_with};
pub use draft::Wire;
pub use engine::NetEngine;
pub use error::NetError;
pub use gambol_ground::{AtomName, FluentId, Move, MoveId, Names, RoleId};
pub use marking::{BaseMarking, Marking};
pub use net::{Gate, GateId, GoalGate, Net, PerceptGate, ViewGate};
pub use readers::Readers;
pub use rewrite::simplify;
pub use statistics::Statistics;
pub use svg::{svg, svg_with};
