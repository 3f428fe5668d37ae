//! A net as Graphviz text.

use std::fmt::Write;

use crate::Net;
use crate::diagram::{Diagram, Edge, Node, PictureOptions, Shape, diagram};

/// The net in the language of Graphviz, whole or by relations as its size suggests.
pub fn dot(net: &Net) -> String {
    dot_with(net, &PictureOptions::default())
}

/// The net in the language of Graphviz.
pub fn dot_with(net: &Net, options: &PictureOptions) -> String {
    let mut text = String::new();
    write(&diagram(net, options), options.title, &mut text).expect("a string takes all text");
    text
}

fn write(diagram: &Diagram, title: Option<&str>, text: &mut String) -> std::fmt::Result {
    writeln!(text, "digraph {} {{", quoted(title.unwrap_or("net")))?;
    writeln!(text, "  rankdir=LR;\n  node [fontname=\"sans-serif\"];")?;
    for (id, node) in diagram.nodes.iter_ids() {
        writeln!(text, "  n{} [{}];", id.number(), attributes(node))?;
    }
    for edge in &diagram.edges {
        write_edge(edge, "", text)?;
    }
    for edge in diagram.back.iter().chain(&diagram.feedback) {
        write_edge(edge, "style=dashed, constraint=false", text)?;
    }
    writeln!(text, "}}")
}

fn write_edge(edge: &Edge, style: &str, text: &mut String) -> std::fmt::Result {
    let comma = if style.is_empty() || edge.weight == 1 { "" } else { ", " };
    let label = match edge.weight {
        1 => String::new(),
        weight => format!("label={weight}, penwidth={:.1}", thickness(weight)),
    };
    let (from, to) = (edge.from.number(), edge.to.number());
    writeln!(text, "  n{from} -> n{to} [{style}{comma}{label}];")
}

/// The width of a line for this many connections.
pub(crate) fn thickness(weight: u32) -> f64 {
    1.2 + f64::from(weight).log2() * 0.35
}

fn attributes(node: &Node) -> String {
    let shape = match node.shape {
        Shape::Base | Shape::Input | Shape::View | Shape::Answer => "ellipse",
        Shape::Transition => "box",
        Shape::And => "invhouse",
        Shape::Or => "invtrapezium",
        Shape::Not => "invtriangle",
    };
    let mut label = if node.shape.is_gate() { node.shape.word() } else { &node.label }.to_string();
    if !node.note.is_empty() {
        label = format!("{label}\n{}", node.note);
    }
    let fill = if node.value == Some(true) { ", style=filled, fillcolor=gold" } else { "" };
    format!("shape={shape}, label={}, tooltip={}{fill}", quoted(&label), quoted(&node.title))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
