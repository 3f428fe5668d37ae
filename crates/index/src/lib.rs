//! Typed ids, and the vectors they index.
//!
//! Every table in Gambol says what indexes it: a `FluentId` cannot be used where a `MoveId` is
//! meant, and ids are `u32` so that large nets stay small.
//!
//! ```
//! use gambol_index::{IndexVec, define_id};
//! define_id! {
//!     /// A lamp.
//!     pub struct LampId;
//! }
//! let mut lit: IndexVec<LampId, bool> = IndexVec::new();
//! let first = lit.push(true);
//! assert!(lit[first]);
//! ```

pub mod bits;
mod components;
mod index_vec;
mod natural;
mod union_find;

pub use components::{Components, Graph};
pub use index_vec::{Id, IndexVec};
pub use natural::natural_order;
pub use union_find::UnionFind;

/// Defines newtypes over `u32` that can index an [`IndexVec`].
#[macro_export]
macro_rules! define_id {
    ($($(#[$meta:meta])* $visibility:vis struct $name:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(u32);

        impl $name {
            /// The id with this number.
            #[inline]
            pub const fn new(number: u32) -> Self {
                Self(number)
            }

            /// The number itself.
            #[inline]
            pub const fn number(self) -> u32 {
                self.0
            }
        }

        impl $crate::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table holds at most 2^32 rows"))
            }

            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(out, "{}({})", stringify!($name), self.0)
            }
        }
    )*};
}
