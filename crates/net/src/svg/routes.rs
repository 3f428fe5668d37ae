//! The lines: level at both ends, smooth between, and around the picture where values go back.

use std::fmt::Write;

use super::layout::{Frame, Layout, Point};
use crate::diagram::Diagram;

/// More returning lines than this would be a thicket; the names tell where they go.
pub(super) const MOST_RETURNS: usize = 8;

/// Lines end this far before what they point to: the arrow fills the rest.
pub(super) const ARROW: f64 = 6.0;
/// From the picture to the first lane, and from lane to lane.
const OUTSIDE: f64 = 16.0;
const LANE: f64 = 11.0;
const CORNER: f64 = 7.0;

/// A path through the points, in the language of SVG.
pub(super) fn smooth(points: &[Point]) -> String {
    let mut path = String::new();
    let Some(first) = points.first() else { return path };
    write_point(&mut path, 'M', *first);
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        if (from.y - to.y).abs() < 0.5 {
            write_point(&mut path, 'L', to);
        } else {
            let middle = (from.x + to.x) / 2.0;
            let _ = write!(
                path,
                "C{middle:.1} {:.1} {middle:.1} {:.1} {:.1} {:.1}",
                from.y, to.y, to.x, to.y
            );
        }
    }
    path
}

fn write_point(path: &mut String, command: char, point: Point) {
    let _ = write!(path, "{command}{:.1} {:.1}", point.x, point.y);
}

/// How far returning lines reach beyond the picture on each side.
pub(super) fn return_margin(diagram: &Diagram) -> f64 {
    match diagram.feedback.len() {
        0 => 0.0,
        count if count > MOST_RETURNS => 0.0,
        count => OUTSIDE + LANE * count as f64,
    }
}

/// Paths from the transitions around below to the base propositions, the lowest transition inside.
pub(super) fn returns(diagram: &Diagram, layout: &Layout) -> Vec<String> {
    if diagram.feedback.len() > MOST_RETURNS {
        return Vec::new();
    }
    let frames = |edge: &crate::diagram::Edge| (layout.frames[edge.from], layout.frames[edge.to]);
    let mut returns: Vec<(Frame, Frame)> = diagram.feedback.iter().map(frames).collect();
    returns.sort_by(|one, other| other.0.middle.y.total_cmp(&one.0.middle.y));
    let path = |(lane, (from, to)): (usize, &(Frame, Frame))| {
        let out = OUTSIDE + LANE * lane as f64;
        let (right, left) = (layout.right + out, layout.left - out);
        let bottom = layout.bottom + 12.0 + LANE * lane as f64;
        around(from.right(), from.middle.y, right, bottom, left, to.left() - ARROW, to.middle.y)
    };
    returns.iter().enumerate().map(path).collect()
}

/// Right, down, left, up and right again, with round corners.
fn around(x0: f64, y0: f64, right: f64, bottom: f64, left: f64, x1: f64, y1: f64) -> String {
    let r = CORNER;
    format!(
        "M{x0:.1} {y0:.1}H{:.1}q{r} 0 {r} {r}V{:.1}q0 {r} -{r} {r}H{:.1}q-{r} 0 -{r} -{r}V{:.1}q0 -{r} {r} -{r}H{x1:.1}",
        right - r,
        bottom - r,
        left + r,
        y1 + r
    )
}

/// A loop over the top from one node back to another, or to itself.
pub(super) fn loop_back(from: &Frame, to: &Frame) -> String {
    let inset = |frame: &Frame| frame.size.width * 0.3;
    let (start, end) = (from.right() - inset(from), to.left() + inset(to));
    let rise = from.top().min(to.top()) - 16.0;
    format!(
        "M{start:.1} {:.1}C{:.1} {rise:.1} {:.1} {rise:.1} {end:.1} {:.1}",
        from.top(),
        start + 10.0,
        end - 10.0,
        to.top() - 5.0
    )
}
