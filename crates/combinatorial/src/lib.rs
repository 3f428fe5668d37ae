//! Combinatorial game theory: canonical forms, thermographs, sums of games, Grundy values.
//!
//! Two players, Left and Right, move in turn; who cannot move loses. Nothing here knows of rules or
//! nets: a game is what Left can move to and what Right can move to.
//!
//! ```
//! use gambol_combinatorial::{Forms, LEFT, RIGHT, Sums, notation};
//!
//! let mut forms = Forms::new(|_| true);
//! let zero = forms.form([vec![], vec![]])?;
//! let one = forms.form([vec![zero], vec![]])?;
//! let minus_one = forms.form([vec![], vec![zero]])?;
//! let switch = forms.form([vec![one], vec![minus_one]])?;
//! assert_eq!(notation(&mut forms, switch)?, "±1");
//! assert_eq!(forms.get(switch).thermograph.temperature.to_string(), "1");
//!
//! // Two equal switches cancel: who moves first in their sum loses.
//! let mut sums = Sums::new(forms);
//! assert!(!sums.wins(LEFT, vec![switch, switch])?);
//! assert!(sums.wins(RIGHT, vec![switch])?);
//! # Ok::<(), gambol_combinatorial::TooLarge>(())
//! ```

mod canonical_form;
mod grundy;
mod notation;
mod number;
mod players;
mod sums;
#[cfg(test)]
mod testing;
mod thermograph;

pub use canonical_form::{Form, FormId, Forms, TooLarge};
pub use grundy::grundy_values;
pub use notation::notation;
pub use number::Number;
pub use players::{LEFT, RIGHT};
pub use sums::Sums;
pub use thermograph::Thermograph;
