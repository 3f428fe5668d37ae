//! A net as a picture.
//!
//! The layout is Sugiyama's: nodes in columns by how much must be known before them \[layers\], the
//! order within a column chosen for few crossings \[crossings\], heights chosen for straight lines
//! \[heights\]. Values flow from left to right; transitions carry them back to the base
//! propositions, below the picture \[routes\].

mod crossings;
mod draw;
mod heights;
mod layers;
mod layout;
mod legend;
mod routes;
mod size;

pub use draw::{PART_HUES, escaped, picture_style};

use crate::Net;
use crate::diagram::{PictureOptions, diagram};

/// The net as an SVG document, whole or by relations as its size suggests.
pub fn svg(net: &Net) -> String {
    svg_with(net, &PictureOptions::default())
}

/// The net as an SVG document.
pub fn svg_with(net: &Net, options: &PictureOptions) -> String {
    let diagram = diagram(net, options);
    let layout = layout::layout(&diagram);
    draw::draw(&diagram, &layout, options.title)
}
