//! How large the nodes are.

use std::borrow::Cow;

use crate::diagram::{Node, Shape};

/// In characters.
const LONGEST: usize = 40;

/// Width and height, in pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The size of a node that reads this many others.
pub(super) fn size(node: &Node, inputs: usize) -> Size {
    match node.shape {
        Shape::Not => Size { width: 30.0, height: 22.0 },
        Shape::And | Shape::Or => {
            let height = (inputs as f64 * 9.0 + 9.0).clamp(30.0, 150.0);
            Size { width: 36.0, height }
        }
        Shape::Base | Shape::Input | Shape::View | Shape::Answer | Shape::Transition => {
            let text = text_width(&shortened(&node.label)).max(text_width(&node.note) * 0.8);
            let lines = if node.note.is_empty() { 26.0 } else { 40.0 };
            let notch = if node.shape == Shape::Transition { 10.0 } else { 0.0 };
            Size { width: (text + 20.0 + notch).max(34.0), height: lines }
        }
    }
}

/// A label with its end left out if it is very long; the tooltip has it whole.
pub(super) fn shortened(label: &str) -> Cow<'_, str> {
    match label.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}…", &label[..end])),
        None => Cow::Borrowed(label),
    }
}

/// About how wide a text is at thirteen pixels in a sans-serif face.
fn text_width(text: &str) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'j' | 'l' | '(' | ')' | ' ' | ',' | '.' | '\'' | '1' | 't' | 'f' | 'r' => 4.9,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 11.5,
        letter if letter.is_ascii_uppercase() => 9.0,
        letter if letter.is_ascii() => 7.6,
        _ => 13.0,
    };
    text.chars().map(width).sum()
}
