//! Questions about the gates of a net that need no state.

mod condition;
mod cone;
mod conjuncts;
mod isomorphism;
mod readers;
mod support;

pub use condition::Condition;
pub use isomorphism::{NotIsomorphic, isomorphic};
pub use readers::Readers;
pub use support::Supports;
