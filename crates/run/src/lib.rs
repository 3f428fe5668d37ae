//! What long work is given: [`Random`] numbers from a seed, and a [`Deadline`].
//!
//! ```
//! use std::time::Duration;
//!
//! use gambol_run::{Budget, Deadline, Random};
//!
//! let mut random = Random::new(7);
//! let deadline = Deadline::start(&Budget::seconds(60.0));
//! let first_half = deadline.share(0.5);
//! assert!(random.below(6) < 6);
//! assert!(!first_half.is_over() && first_half.time_left() < Some(Duration::from_secs(31)));
//! ```

mod deadline;
mod random;

pub use deadline::{Budget, Deadline};
pub use random::{Random, mixed};
