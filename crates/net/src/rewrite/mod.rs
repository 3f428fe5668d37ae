//! Nets to smaller nets that give the same answers.
//!
//! Each file holds one simplification: it takes a net and returns a new one with the same fluents,
//! moves and names. Views survive; several may come to name one gate.

mod constants;
mod copy;
mod duplicates;
mod ended_by;
mod fixed;
mod flatten;
mod from_state;
mod unobserved;

pub use constants::fold_constants;
pub use duplicates::merge_duplicates;
pub use ended_by::{Paid, ended_by};
pub use fixed::{Fixed, find_fixed, replace_fixed};
pub use flatten::flatten;
pub use from_state::from_state;
pub use unobserved::{Views, drop_unobserved};

use std::borrow::Cow;

use crate::Net;

/// Which simplifications are made. All of them hold in every state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rewrites {
    /// [`fold_constants`].
    pub fold_constants: bool,
    /// [`merge_duplicates`].
    pub merge_duplicates: bool,
    /// [`flatten`].
    pub flatten: bool,
    /// [`drop_unobserved`], and with it the views.
    pub drop_views: bool,
}

impl Default for Rewrites {
    fn default() -> Self {
        // No builder leaves duplicates behind, and copying merges those that a rewrite lays bare.
        Self { fold_constants: true, merge_duplicates: false, flatten: true, drop_views: false }
    }
}

impl Rewrites {
    /// The net as it is.
    pub const NONE: Self =
        Self { fold_constants: false, merge_duplicates: false, flatten: false, drop_views: false };
    /// Every one.
    pub const ALL: Self =
        Self { fold_constants: true, merge_duplicates: true, flatten: true, drop_views: true };
}

/// All simplifications that keep every view.
pub fn simplify(net: &Net) -> Net {
    simplify_with(net, &Rewrites::default())
}

/// These simplifications, one after the other.
pub fn simplify_with(net: &Net, rewrites: &Rewrites) -> Net {
    let mut net = Cow::Borrowed(net);
    if rewrites.fold_constants {
        net = Cow::Owned(fold_constants(&net));
    }
    if rewrites.merge_duplicates {
        net = Cow::Owned(merge_duplicates(&net));
    }
    if rewrites.flatten {
        net = Cow::Owned(flatten(&net));
    }
    if rewrites.drop_views {
        net = Cow::Owned(drop_unobserved(&net, Views::Drop));
    }
    net.into_owned()
}
