//! [`GroundGame`](gambol_ground::GroundGame) to [`Net`].

mod net;

pub use gambol_ground::{AtomName, FluentId, Move, MoveId, Names, RoleId};
pub use net::{Gate, GateId, GoalGate, Net, PerceptGate, ViewGate};
