//! Plans: small programs for the [join machine](crate::evaluation::join).

use gambol_index::define_id;

use crate::access::{Access, Match};
use crate::program::{Pattern, RelationId, RuleTerm};

define_id! {
    /// A relation with some columns bound.
    pub(crate) struct CallId;
}

/// An instruction of the join machine.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Have the answers to this call for this key in its table, and go on.
    Call { call: CallId, key: Vec<RuleTerm> },
    /// Go on with each matching row; with `recent` with those new in this round only, with `once`
    /// with one of them only.
    Scan { access: Access, recent: bool, once: bool },
    /// Go on if the atom, all of whose variables are bound, holds (or does not). `inside` marks an
    /// atom whose truth the stratum at work decides.
    Lookup { pattern: Pattern, holds: bool, inside: bool },
    /// Go on if the terms are equal (or differ).
    Compare { left: RuleTerm, right: RuleTerm, equal: bool },
    /// Go on at each of these steps.
    Either(Vec<usize>),
    /// Go on at this step.
    Jump(usize),
    /// A question begins whose answer is yes or no.
    Enter,
    /// The answer is yes: forget the other ways to find it.
    Leave,
    /// The head holds.
    Derive,
}

/// The ways to evaluate one rule.
#[derive(Clone, Debug)]
pub(crate) struct RulePlan {
    /// From all rows.
    pub(crate) full: Vec<Step>,
    /// From the recent rows of one relation of the same stratum, for each such condition.
    pub(crate) recent: Vec<(RelationId, Vec<Step>)>,
}

/// How to evaluate one rule for some columns of its head.
#[derive(Clone, Debug)]
pub(crate) struct CallPlan {
    /// What the key's terms must be.
    pub(crate) key: Vec<Match>,
    pub(crate) steps: Vec<Step>,
}
