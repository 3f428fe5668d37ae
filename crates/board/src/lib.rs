//! [`Net`](gambol_net::Net) to [`Boards`]: which fluents lie on a grid, and what is left over.
//!
//! A board is two arguments of a family of fluents that act as coordinates. Spelling plays no part
//! in finding them: coordinates have alike domains, come in an order (numbers, or a chain of facts
//! like `(succ a b)`), cover most of their product, and what lies on a place is one thing at a time
//! in random play.
//!
//! ```
//! use gambol_board::Boards;
//! let rules = b"(role r) (index 1) (index 2) (index 3)
//!     (<= (init (cell ?x ?y dark)) (index ?x) (index ?y))
//!     (<= (legal r (light ?x ?y)) (true (cell ?x ?y dark)))
//!     (<= (next (cell ?x ?y lit)) (does r (light ?x ?y)))
//!     (<= (next (cell ?x ?y lit)) (true (cell ?x ?y lit)))
//!     (<= (next (cell ?x ?y dark)) (true (cell ?x ?y dark)) (does r (light ?a ?b)) (distinct ?x ?a))
//!     (<= (next (cell ?x ?y dark)) (true (cell ?x ?y dark)) (does r (light ?a ?b)) (distinct ?y ?b))
//!     (<= terminal (true (cell 2 2 lit))) (<= (goal r 100) (true (cell 2 2 lit)))";
//! let rules = gambol_syntax::read(rules, &Default::default()).rules.ok_or("does not parse")?;
//! let net = gambol_net::build(&gambol_ground::instantiate(&rules, &Default::default())?)?;
//! let boards = Boards::find(&net, &rules);
//! let board = &boards.boards[0];
//! assert_eq!((board.columns.len(), board.rows.len()), (3, 3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod boards;
mod decided;
mod find;
mod glyph;
mod layout;
mod look;
mod slide;
mod svg;
mod term;
mod text;
mod touch;
mod words;

pub use boards::{Board, Boards, Edges, Lattice, Occupant, Plan, RestGroup, Spot};
pub use decided::decided;
pub use look::{Look, Shape};
pub use slide::{changed, slide};
pub use svg::{BoardStyle, svg};
pub use text::{draw, draw_in_colour};
pub use touch::Path;
pub use words::{Chessman, Ink};
