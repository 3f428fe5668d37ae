//! The picture as text.

use std::fmt::{Result, Write};

use super::layout::{Frame, Layout};
use super::legend::Legend;
use super::routes::{loop_back, return_margin, returns, smooth};
use super::size::shortened;
use crate::diagram::{Diagram, Node, Shape};
use crate::dot::thickness;

const STYLE: &str = include_str!("style.css");
/// The colours of parts, the same in every picture, on light and on dark pages, and none of them that of a kind of
/// proposition; further parts use them again, and are told apart by their numbers.
pub const PART_HUES: [&str; 12] = [
    "#b8439f", "#139aa0", "#c29a12", "#7565dd", "#d9505f", "#7c9a1f", "#a2713f", "#e06c9f",
    "#5f8f86", "#9a59d1", "#c7792b", "#6f7fb0",
];
const MARGIN: f64 = 18.0;
pub(super) const THIN: f64 = 1.2;
pub(super) fn draw(diagram: &Diagram, layout: &Layout, title: Option<&str>) -> String {
    let mut text = String::new();
    write(diagram, layout, title, &mut text).expect("a string takes all text");
    text
}

fn write(diagram: &Diagram, layout: &Layout, title: Option<&str>, out: &mut String) -> Result {
    let around = MARGIN + return_margin(diagram);
    let over = if diagram.back.is_empty() { 0.0 } else { 26.0 };
    let heading = if title.is_some() { 26.0 } else { 0.0 };
    let (x, y) = (layout.left - around, layout.top - MARGIN - over - heading);
    let width = (layout.right + around - x).max(460.0);
    let legend = Legend::of(diagram, width - 2.0 * MARGIN);
    let height = layout.bottom + around + 10.0 + legend.height() - y;
    let by_part = diagram.nodes.iter().any(|node| node.part.is_some());
    let class = if by_part { " class=\"by-part\"" } else { "" };
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x:.0} {y:.0} {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\"{class}>"
    )?;
    writeln!(out, "<title>{}</title>", escaped(title.unwrap_or("propositional net")))?;
    let parts = if by_part { part_styles() } else { String::new() };
    writeln!(out, "<style>\n{STYLE}{parts}</style>")?;
    writeln!(out, "{ARROW}")?;
    writeln!(
        out,
        "<rect class=\"page\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\"/>"
    )?;
    if let Some(title) = title {
        let (x, y) = (x + MARGIN, y + MARGIN + 8.0);
        writeln!(
            out,
            "<text class=\"heading\" x=\"{x:.0}\" y=\"{y:.0}\">{}</text>",
            escaped(title)
        )?;
    }
    write_lines(diagram, layout, out)?;
    for (id, node) in diagram.nodes.iter_ids() {
        write_node(node, &layout.frames[id], out)?;
    }
    let top = y + height + 6.0 - legend.height();
    legend.write(x + MARGIN, top, out)?;
    writeln!(out, "</svg>")
}

/// The style of pictures of nets, for pages that show them without their own.
pub fn picture_style() -> String {
    format!("{STYLE}{}", part_styles())
}

/// Where parts have colours kinds have none: their shapes tell them apart. What is true stays brighter.
fn part_styles() -> String {
    // Plain selectors only: not every viewer of pictures knows more.
    let style = |(part, hue): (usize, &&str)| {
        format!(
            ".by-part .part-{part} rect, .by-part .part-{part} path, .by-part .part-{part} circle \
             {{ fill: {hue}; fill-opacity: .28; stroke: {hue}; }}\n"
        )
    };
    let kinds = [".base", ".input", ".view", ".answer", ".transition"]
        .map(|kind| format!(".by-part {kind} rect"))
        .join(", ");
    let plain = format!("{kinds} {{ fill: #8592a3; fill-opacity: .14; stroke: #8592a3; }}\n");
    let lit = ".by-part .node.lit rect, .by-part .node.lit path, .by-part .node.lit circle { fill-opacity: 1; }\n";
    let parts = PART_HUES.iter().enumerate().map(style);
    [plain].into_iter().chain(parts).chain([lit.to_string()]).collect()
}

const ARROW: &str = "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"1\" refY=\"4\" \
    markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
    <path class=\"arrow\" d=\"M0 0.8L8 4L0 7.2z\"/></marker></defs>";

fn write_lines(diagram: &Diagram, layout: &Layout, out: &mut String) -> Result {
    for path in returns(diagram, layout) {
        writeln!(
            out,
            "<path class=\"line return\" stroke-width=\"1.2\" marker-end=\"url(#arrow)\" d=\"{path}\"/>"
        )?;
    }
    for (edge, points) in diagram.edges.iter().zip(&layout.lines) {
        let (from, to) = (&diagram.nodes[edge.from], &diagram.nodes[edge.to]);
        let lit = if from.value == Some(true) { " lit" } else { "" };
        let arrow = if to.shape.is_gate() { "" } else { " marker-end=\"url(#arrow)\"" };
        let width = if edge.weight > 1 { thickness(edge.weight) } else { THIN };
        write!(
            out,
            "<path class=\"line{lit}\"{arrow} stroke-width=\"{width:.1}\" d=\"{}\"",
            smooth(points)
        )?;
        if edge.weight > 1 {
            let told = format!("{} of {} read {}", edge.weight, to.label, from.label);
            writeln!(out, "><title>{}</title></path>", escaped(&told))?;
        } else {
            writeln!(out, "/>")?;
        }
    }
    for edge in &diagram.back {
        let path = loop_back(&layout.frames[edge.from], &layout.frames[edge.to]);
        writeln!(
            out,
            "<path class=\"line back\" stroke-width=\"1.2\" marker-end=\"url(#arrow)\" d=\"{path}\"/>"
        )?;
    }
    Ok(())
}

fn write_node(node: &Node, frame: &Frame, out: &mut String) -> Result {
    let lit = if node.value == Some(true) { " lit" } else { "" };
    let part = node
        .part
        .map_or(String::new(), |part| format!(" part-{}", part as usize % PART_HUES.len()));
    write!(
        out,
        "<g class=\"node {}{part}{lit}\"{}><title>{}</title>",
        node.shape.word(),
        node.gate.map_or_else(
            || format!(" data-relation=\"{}\"", escaped(&node.label)),
            |gate| format!(" data-gate=\"{}\"", gate.number())
        ),
        escaped(&node.title)
    )?;
    match node.shape {
        Shape::And => write!(out, "<path d=\"{}\"/>", and_gate(frame))?,
        Shape::Or => write!(out, "<path d=\"{}\"/>", or_gate(frame))?,
        Shape::Not => write_inverter(frame, out)?,
        Shape::Transition => write_transition(node, frame, out)?,
        Shape::Base | Shape::Input | Shape::View | Shape::Answer => {
            write_box(frame, frame.size.height / 2.0, out)?;
            write_label(node, frame, 0.0, out)?;
        }
    }
    writeln!(out, "</g>")
}

/// Flat on the left, round on the right.
pub(super) fn and_gate(frame: &Frame) -> String {
    let (left, top, height) = (frame.left(), frame.top(), frame.size.height);
    let (round, flat) = (frame.size.width / 2.0, frame.size.width / 2.0);
    format!(
        "M{left:.1} {top:.1}h{flat:.1}a{round:.1} {:.1} 0 0 1 0 {height:.1}h-{flat:.1}z",
        height / 2.0
    )
}

/// Hollow on the left, pointed on the right.
pub(super) fn or_gate(frame: &Frame) -> String {
    let (left, top, bottom) = (frame.left(), frame.top(), frame.bottom());
    let (right, middle, width) = (frame.right(), frame.middle.y, frame.size.width);
    let (hollow, bend) = (left + width * 0.24, left + width * 0.72);
    let start = left - width * 0.06;
    format!(
        "M{start:.1} {top:.1}H{:.1}Q{bend:.1} {top:.1} {right:.1} {middle:.1}Q{bend:.1} {bottom:.1} {:.1} {bottom:.1}H{start:.1}Q{hollow:.1} {middle:.1} {start:.1} {top:.1}z",
        left + width * 0.3,
        left + width * 0.3
    )
}

/// A triangle with a small circle at its tip.
pub(super) fn write_inverter(frame: &Frame, out: &mut String) -> Result {
    let (left, top, height) = (frame.left(), frame.top(), frame.size.height);
    let tip = frame.right() - 7.0;
    write!(
        out,
        "<path d=\"M{left:.1} {top:.1}L{tip:.1} {:.1}L{left:.1} {:.1}z\"/><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\"/>",
        frame.middle.y,
        top + height,
        tip + 3.5,
        frame.middle.y
    )
}

/// A box with the notch that marks a delay in circuit diagrams.
fn write_transition(node: &Node, frame: &Frame, out: &mut String) -> Result {
    write_box(frame, 2.0, out)?;
    let (left, bottom) = (frame.left(), frame.bottom());
    write!(out, "<path class=\"notch\" d=\"M{:.1} {bottom:.1}l5 -7l5 7\"/>", left + 4.0)?;
    write_label(node, frame, 4.0, out)
}

pub(super) fn write_box(frame: &Frame, round: f64, out: &mut String) -> Result {
    write!(
        out,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{round:.0}\"/>",
        frame.left(),
        frame.top(),
        frame.size.width,
        frame.size.height
    )
}

fn write_label(node: &Node, frame: &Frame, shift: f64, out: &mut String) -> Result {
    let (x, y) = (frame.middle.x + shift, frame.middle.y);
    let lift = if node.note.is_empty() { 4.5 } else { -1.5 };
    write!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
        y + lift,
        escaped(&shortened(&node.label))
    )?;
    if !node.note.is_empty() {
        write!(
            out,
            "<text class=\"note\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            y + 12.5,
            escaped(&node.note)
        )?;
    }
    Ok(())
}

/// Text as it must be written inside an SVG or HTML document.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Characters that no SVG document may contain.
            control if control.is_control() => escaped.push('\u{FFFD}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}
