//! Shapes as SVG, drawn around the origin; a place reaches from -22 to 22.

use std::fmt::{Result, Write};

use gambol_net::escaped;

use crate::look::{Look, Shape};
use crate::words::{Chessman, Ink};

/// The widest text, and how wide a letter is at most, in parts of its size.
const TEXT_WIDTH: f64 = 27.0;
const LETTER: f64 = 0.68;
/// Longer words are cut.
const LETTERS: usize = 6;

impl Ink {
    /// The colour of the inside.
    pub(crate) fn fill(self) -> &'static str {
        match self {
            Ink::White => "#f8f4e9",
            Ink::Black => "#2d3138",
            Ink::Red => "#d6423b",
            Ink::Yellow => "#f5c531",
            Ink::Blue => "#3477cc",
            Ink::Green => "#2f9e57",
            Ink::Orange => "#e2782a",
            Ink::Purple => "#8a53c1",
            Ink::Pink => "#d8589f",
            Ink::Brown => "#94653c",
            Ink::Grey => "#8793a1",
            Ink::Cyan => "#1f9aa5",
        }
    }

    /// The colour of the outline: told from the inside and from either background.
    pub(crate) fn edge(self) -> &'static str {
        match self {
            Ink::White => "#5b5547",
            Ink::Black => "#939ba6",
            Ink::Red => "#8f1f1a",
            Ink::Yellow => "#97740a",
            Ink::Blue => "#174a8a",
            Ink::Green => "#15602f",
            Ink::Orange => "#92460d",
            Ink::Purple => "#55297f",
            Ink::Pink => "#8c2a60",
            Ink::Brown => "#573818",
            Ink::Grey => "#4e5965",
            Ink::Cyan => "#0b5a61",
        }
    }

    /// A colour that can be read on the inside.
    fn text(self) -> &'static str {
        match self {
            Ink::White | Ink::Yellow => "#1f2933",
            _ => "#ffffff",
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Ink::White => "white",
            Ink::Black => "black",
            Ink::Red => "red",
            Ink::Yellow => "yellow",
            Ink::Blue => "blue",
            Ink::Green => "green",
            Ink::Orange => "orange",
            Ink::Purple => "purple",
            Ink::Pink => "pink",
            Ink::Brown => "brown",
            Ink::Grey => "grey",
            Ink::Cyan => "cyan",
        }
    }
}

/// A thing.
pub(crate) fn glyph(look: &Look, out: &mut String) -> Result {
    let (fill, edge) = (look.ink.fill(), look.ink.edge());
    let open = format!(
        "<g fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"1.5\" stroke-linejoin=\"round\">"
    );
    match &look.shape {
        Shape::Nothing => Ok(()),
        Shape::Number(text) | Shape::Token(text) => {
            let body = match look.shape {
                Shape::Number(_) => {
                    "<rect x=\"-16\" y=\"-16\" width=\"32\" height=\"32\" rx=\"5\"/>"
                }
                _ => "<circle r=\"16.5\"/>",
            };
            write!(out, "{open}{body}</g>")?;
            text_at(text, look.ink.text(), 0.0, out)
        }
        Shape::Heap(count) => heap(*count, &open, out),
        Shape::Slab(width, text) => {
            let half = 38.0 * f64::from(*width) / 100.0;
            write!(
                out,
                "{open}<rect x=\"{:.1}\" y=\"-6\" width=\"{:.1}\" height=\"12\" rx=\"5\"/></g>",
                -half,
                2.0 * half
            )?;
            small_text(text, 2.0 * half, look.ink.text(), out)
        }
        shape => write!(out, "{open}{}</g>", outline(shape, fill, edge)),
    }
}

/// Shapes without text.
fn outline(shape: &Shape, fill: &str, edge: &str) -> String {
    match shape {
        Shape::Disc => "<circle r=\"16\"/><circle r=\"11.5\" fill=\"none\" stroke-opacity=\".35\"/>".to_string(),
        Shape::Man => MAN.to_string(),
        Shape::Crowned => format!("{MAN}<path d=\"M-7 5 L-8 -5 L-3.5 -1 L0 -7 L3.5 -1 L8 -5 L7 5Z\" \
         fill=\"{edge}\"/>"),
        Shape::Chess(man) => chessman(*man, edge),
        Shape::Cross => format!(
            "<path class=\"stroke\" d=\"M-11 -11 L11 11 M11 -11 L-11 11\" fill=\"none\" stroke=\"{fill}\" stroke-width=\"6\" \
             stroke-linecap=\"round\"/>"
        ),
        Shape::Nought => format!("<circle class=\"stroke\" r=\"12.5\" fill=\"none\" stroke=\"{fill}\" stroke-width=\"6\"/>"),
        Shape::Lamp => format!(
            "<circle r=\"18\" fill=\"{fill}\" fill-opacity=\".3\" stroke=\"none\"/><circle r=\"12.5\"/>\
             <path d=\"M-5 -6 A8 8 0 0 1 2 -8.5\" fill=\"none\" stroke=\"#fff\" stroke-width=\"2.5\" \
              stroke-linecap=\"round\"/>"
        ),
        Shape::DarkLamp => "<circle r=\"12.5\" fill=\"none\" stroke=\"#8793a1\" stroke-width=\"2\"/>".to_string(),
        Shape::Hole => "<circle r=\"6.5\" fill=\"none\" stroke=\"#8793a1\" stroke-width=\"2\"/>".to_string(),
        Shape::Peg => "<circle r=\"12\"/><circle cx=\"-3\" cy=\"-4\" r=\"3.5\" fill=\"#fff\" \
         fill-opacity=\".5\" stroke=\"none\"/>".to_string(),
        Shape::Block => "<rect x=\"-18\" y=\"-18\" width=\"36\" height=\"36\" rx=\"4\"/>\
                         <path d=\"M-13 -13 H13\" fill=\"none\" stroke=\"#fff\" stroke-opacity=\".45\" \
                          stroke-width=\"2\" stroke-linecap=\"round\"/>"
            .to_string(),
        Shape::Mark => "<circle r=\"5\"/>".to_string(),
        Shape::Arrow(turn) => format!("<path transform=\"rotate({turn})\" d=\"M0 -15 L11 0 L4.5 0 L4.5 14 L-4.5 \
         14 L-4.5 0 L-11 0Z\"/>"),
        _ => String::new(),
    }
}

const MAN: &str =
    "<circle r=\"16\"/><circle r=\"11.5\" fill=\"none\"/><circle r=\"6\" fill=\"none\"/>";
const FOOT: &str = "<path d=\"M-10 14 L-8 9 L8 9 L10 14Z\"/>";

/// The men of chess, in plain outlines of our own.
fn chessman(man: Chessman, edge: &str) -> String {
    let body = match man {
        Chessman::Pawn => "<path d=\"M-4 -1 L-7 9 L7 9 L4 -1Z\"/><circle cy=\"-6\" r=\"5.5\"/>".to_string(),
        Chessman::Rook => {
            "<path d=\"M-10 -14 h4.5 v4 h3.5 v-4 h4 v4 h3.5 v-4 h4.5 v8 l-3.5 2.5 v9 l2 3.5 h-17 l2 -3.5 v-9 \
             l-3.5 -2.5z\"/>"
                .to_string()
        }
        Chessman::Bishop => format!(
            "<path d=\"M0 -13 C6 -9 8 -4 5.5 1 L4.5 9 L-4.5 9 L-5.5 1 C-8 -4 -6 -9 0 -13Z\"/><circle \
             cy=\"-14.5\" r=\"2.2\"/>\
             <path d=\"M1 -9 L4 -4\" fill=\"none\" stroke=\"{edge}\" stroke-width=\"1.8\"/>"
        ),
        Chessman::Knight => format!(
            "<path d=\"M-7 9 C-7 4 -2 2 -1 -2 C-4 -1 -7 2 -9.5 0.5 C-12 -1 -8 -6 -5.5 -9 L-5 -15 L-1 -11.5 C7 \
             -11 10 -3 8 9Z\"/>\
             <circle cx=\"-3\" cy=\"-6\" r=\"1.4\" fill=\"{edge}\" stroke=\"none\"/>"
        ),
        Chessman::Queen => "<path d=\"M-8 9 L-12 -8 L-6 1 L-5 -12 L0 0 L5 -12 L6 1 L12 -8 L8 9Z\"/>\
             <circle cx=\"-12\" cy=\"-9\" r=\"2\"/><circle cx=\"-5\" cy=\"-13\" r=\"2\"/>\
             <circle cx=\"5\" cy=\"-13\" r=\"2\"/><circle cx=\"12\" cy=\"-9\" r=\"2\"/>"
            .to_string(),
        Chessman::King => "<path d=\"M0 -5 C4 -10 13 -9 12 -2 C11 3 8 5 8 9 L-8 9 C-8 5 -11 3 -12 -2 C-13 -9 -4 \
         -10 0 -5Z\"/>\
             <path d=\"M-1.6 -17 h3.2 v3 h3 v3 h-3 v4 h-3.2 v-4 h-3 v-3 h3z\"/>"
            .to_string(),
    };
    format!("{body}{FOOT}")
}

/// Counters in rows of five, and their number below.
fn heap(count: u32, open: &str, out: &mut String) -> Result {
    write!(out, "{open}")?;
    for counter in 0..count {
        let (column, row) = (f64::from(counter % 5), counter / 5);
        let wide = f64::from((count - 5 * row).min(5));
        let (x, y) = ((column - (wide - 1.0) / 2.0) * 7.6, 3.0 - 7.0 * f64::from(row));
        write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" stroke-width=\"1\"/>")?;
    }
    write!(
        out,
        "</g><text class=\"count\" y=\"19\" text-anchor=\"middle\" font-size=\"12\">{count}</text>"
    )
}

/// A word, as large as fits.
fn text_at(text: &str, colour: &str, y: f64, out: &mut String) -> Result {
    let shown: String = text.chars().take(LETTERS).collect();
    let letters = shown.chars().count().max(1) as f64;
    let size = (TEXT_WIDTH / (LETTER * letters)).min(18.0);
    write!(
        out,
        "<text class=\"word\" x=\"0\" y=\"{:.1}\" font-size=\"{size:.1}\" fill=\"{colour}\" \
         text-anchor=\"middle\">{}</text>",
        y + size * 0.36,
        escaped(&shown)
    )
}

/// A word in so much room, at least three letters.
fn small_text(text: &str, width: f64, colour: &str, out: &mut String) -> Result {
    let letters = (width / (LETTER * 10.0)) as usize;
    let shown: String = text.chars().take(letters.max(3)).collect();
    write!(
        out,
        "<text class=\"word\" x=\"0\" y=\"3.6\" font-size=\"10\" fill=\"{colour}\" text-anchor=\"middle\">{}</text>",
        escaped(&shown)
    )
}
