//! Memory, signals and threads, as the operating system sees them.
//!
//! [`resident_mib`] is what the process holds, [`give_back`] returns what it no longer needs, and [`Limited`] is
//! an allocator that asks before it goes beyond a limit.

mod allocator;
mod memory;
mod priority;
mod signal;

pub use allocator::{Limited, limit_memory, look_at_memory};
pub use memory::{give_back, give_back_large_blocks, peak_mib, resident_mib, resident_mib_of};
pub use priority::yield_to_others;
pub use signal::{hangup_is_ignored, ignore_hangup};
