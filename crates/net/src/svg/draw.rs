//! The picture as text.

use std::fmt::{Result, Write};

use super::layout::{Frame, Layout};
use super::routes::{loop_back, return_margin, returns, smooth};
use super::size::shortened;
use crate::diagram::{Diagram, Node, Shape};
use crate::dot::thickness;

const STYLE: &str = include_str!("style.css");
/// The colours of parts, the same in every picture, on light and on dark pages; further parts use them
/// again.
pub const PART_HUES: [&str; 8] =
    ["#3d86d8", "#dd7420", "#35a05a", "#b04aa2", "#c29a12", "#22a0a8", "#d9505f", "#7d68dd"];
const MARGIN: f64 = 18.0;
const THIN: f64 = 1.2;
const LEGEND: [(&str, &str); 5] = [
    ("base", "base"),
    ("input", "input"),
    ("view", "view"),
    ("answer", "what players ask"),
    ("transition", "transition"),
];

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
    let height = layout.bottom + around + 28.0 - y;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x:.0} {y:.0} {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">"
    )?;
    writeln!(out, "<title>{}</title>", escaped(title.unwrap_or("propositional net")))?;
    let coloured = diagram.nodes.iter().any(|node| node.part.is_some());
    let parts = if coloured { part_styles() } else { String::new() };
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
    write_legend(x + MARGIN, y + height - 12.0, out)?;
    writeln!(out, "</svg>")
}

/// The style of pictures of nets, for pages that show them without their own.
pub fn picture_style() -> String {
    format!("{STYLE}{}", part_styles())
}

/// Parts are tinted; what is true stays brighter.
fn part_styles() -> String {
    // Plain selectors only: not every viewer of pictures knows more.
    let style = |(part, hue): (usize, &&str)| {
        format!(
            ".part-{part} rect, .part-{part} path, .part-{part} circle \
             {{ fill: {hue}; fill-opacity: .28; stroke: {hue}; }}\n"
        )
    };
    let lit = ".node.lit rect, .node.lit path, .node.lit circle { fill-opacity: 1; }\n";
    PART_HUES.iter().enumerate().map(style).chain([lit.to_string()]).collect()
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

/// What the colours mean, in one line.
fn write_legend(x: f64, y: f64, out: &mut String) -> Result {
    let mut x = x;
    for (class, word) in LEGEND {
        let round = if class == "transition" { 1 } else { 6 };
        writeln!(
            out,
            "<g class=\"node {class}\"><rect x=\"{x:.0}\" y=\"{:.0}\" width=\"18\" height=\"12\" \
             rx=\"{round}\"/><text class=\"key\" x=\"{:.0}\" y=\"{y:.0}\">{word}</text></g>",
            y - 10.0,
            x + 23.0
        )?;
        x += 40.0 + word.len() as f64 * 6.2;
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
        node.gate.map_or(String::new(), |gate| format!(" data-gate=\"{}\"", gate.number())),
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
fn and_gate(frame: &Frame) -> String {
    let (left, top, height) = (frame.left(), frame.top(), frame.size.height);
    let (round, flat) = (frame.size.width / 2.0, frame.size.width / 2.0);
    format!(
        "M{left:.1} {top:.1}h{flat:.1}a{round:.1} {:.1} 0 0 1 0 {height:.1}h-{flat:.1}z",
        height / 2.0
    )
}

/// Hollow on the left, pointed on the right.
fn or_gate(frame: &Frame) -> String {
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
fn write_inverter(frame: &Frame, out: &mut String) -> Result {
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

fn write_box(frame: &Frame, round: f64, out: &mut String) -> Result {
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
