//! The legend: what shapes, colours and lines mean. It has what the picture has, in as many lines as that needs.

use std::fmt::{Result, Write};

use super::draw::{PART_HUES, THIN, and_gate, or_gate, write_box, write_inverter};
use super::layout::{Frame, Point};
use super::size::Size;
use crate::diagram::{Diagram, Shape};

const KINDS: [(Shape, &str); 8] = [
    (Shape::Base, "base"),
    (Shape::Input, "input"),
    (Shape::View, "view"),
    (Shape::Answer, "query"),
    (Shape::Transition, "transition"),
    (Shape::And, "and"),
    (Shape::Or, "or"),
    (Shape::Not, "not"),
];
const LEGEND_LINE: f64 = 18.0;

/// The entries, line by line.
pub(super) struct Legend {
    lines: Vec<Vec<(Key, String)>>,
}

/// What an entry of the legend shows.
enum Key {
    Kind(Shape),
    Part(u32),
    Line(&'static str, f64),
}

impl Legend {
    pub(super) fn of(diagram: &Diagram, width: f64) -> Self {
        let has = |shape: Shape| diagram.nodes.iter().any(|node| node.shape == shape);
        let kinds = KINDS.into_iter().filter(|&(shape, _)| has(shape));
        let mut keys: Vec<(Key, String)> =
            kinds.map(|(shape, word)| (Key::Kind(shape), word.to_string())).collect();
        if !diagram.feedback.is_empty() {
            keys.push((Key::Line("return", THIN), "to the next state".to_string()));
        }
        if !diagram.back.is_empty() {
            keys.push((Key::Line("back", THIN), "recursion".to_string()));
        }
        if diagram.edges.iter().any(|edge| edge.weight > 1) {
            keys.push((Key::Line("", 4.0), "thick: many are read".to_string()));
        }
        let mut parts: Vec<u32> = diagram.nodes.iter().filter_map(|node| node.part).collect();
        parts.sort_unstable();
        parts.dedup();
        if !parts.is_empty() {
            keys.extend(parts.iter().map(|&part| (Key::Part(part), format!("part {part}"))));
            keys.push((Key::Kind(Shape::Base), "in several parts, or in none".to_string()));
        }
        Self { lines: wrapped(keys, width) }
    }

    /// How high it is.
    pub(super) fn height(&self) -> f64 {
        LEGEND_LINE * self.lines.len() as f64
    }

    pub(super) fn write(&self, left: f64, top: f64, out: &mut String) -> Result {
        for (line, keys) in self.lines.iter().enumerate() {
            let (mut x, y) = (left, top + LEGEND_LINE * line as f64);
            for (key, word) in keys {
                key.write(x, y, out)?;
                let x_word = x + 24.0;
                writeln!(
                    out,
                    "<text class=\"key\" x=\"{x_word:.0}\" y=\"{y:.0}\">{word}</text></g>"
                )?;
                x += key_width(word);
            }
        }
        Ok(())
    }
}

impl Key {
    /// Opens a group and draws the sample in it.
    fn write(&self, x: f64, y: f64, out: &mut String) -> Result {
        let size = Size { width: 18.0, height: 12.0 };
        let middle = Point { x: x + 9.0, y: y - 4.0 };
        let frame = Frame { middle, size };
        match self {
            Key::Kind(shape) => {
                write!(out, "<g class=\"node {}\">", shape.word())?;
                match shape {
                    Shape::And => write!(out, "<path d=\"{}\"/>", and_gate(&frame)),
                    Shape::Or => write!(out, "<path d=\"{}\"/>", or_gate(&frame)),
                    Shape::Not => write_inverter(&frame, out),
                    Shape::Transition => write_box(&frame, 1.0, out),
                    _ => write_box(&frame, 6.0, out),
                }
            }
            Key::Part(part) => {
                write!(out, "<g class=\"node part-{}\">", *part as usize % PART_HUES.len())?;
                write_box(&frame, 2.0, out)
            }
            Key::Line(class, width) => write!(
                out,
                "<g><path class=\"line {class}\" stroke-width=\"{width:.1}\" d=\"M{x:.0} {:.1}h18\"/>",
                y - 4.0
            ),
        }
    }
}

fn key_width(word: &str) -> f64 {
    40.0 + word.len() as f64 * 6.2
}

/// Entries in lines that are no longer than the picture is wide.
fn wrapped(keys: Vec<(Key, String)>, width: f64) -> Vec<Vec<(Key, String)>> {
    let mut lines: Vec<Vec<(Key, String)>> = vec![Vec::new()];
    let mut used = 0.0;
    for key in keys {
        let own = key_width(&key.1);
        if used + own > width && used > 0.0 {
            lines.push(Vec::new());
            used = 0.0;
        }
        used += own;
        lines.last_mut().expect("there is always a line").push(key);
    }
    lines
}
