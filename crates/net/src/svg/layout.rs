//! Where everything goes on the page.

use gambol_index::IndexVec;

use super::crossings::{Neighbours, reduce_crossings};
use super::heights::assign_heights;
use super::layers::{Layers, PlaceId};
use super::routes::ARROW;
use super::size::{Size, size};
use crate::diagram::{Diagram, NodeId};

/// Between one place and the next below it.
const GAP: f64 = 14.0;

/// A point on the page.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A node on the page, by its middle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Frame {
    pub(super) middle: Point,
    pub(super) size: Size,
}

impl Frame {
    pub(super) fn left(&self) -> f64 {
        self.middle.x - self.size.width / 2.0
    }

    pub(super) fn right(&self) -> f64 {
        self.middle.x + self.size.width / 2.0
    }

    pub(super) fn top(&self) -> f64 {
        self.middle.y - self.size.height / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.middle.y + self.size.height / 2.0
    }
}

/// Nodes and lines on the page.
pub(super) struct Layout {
    pub(super) frames: IndexVec<NodeId, Frame>,
    /// For each edge of the diagram, its points: pairs between which it runs level.
    pub(super) lines: Vec<Vec<Point>>,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

pub(super) fn layout(diagram: &Diagram) -> Layout {
    let mut layers = Layers::of(diagram);
    reduce_crossings(&mut layers);
    let sizes = sizes(diagram);
    let extent = |&node: &Option<NodeId>| node.map_or(6.0, |node| sizes[node].height) + GAP;
    let extents: IndexVec<PlaceId, f64> = layers.node.iter().map(extent).collect();
    let heights = assign_heights(&layers, &Neighbours::of(&layers), &extents);
    let columns = Columns::of(&layers, &sizes);
    let frames: IndexVec<NodeId, Frame> = diagram
        .nodes
        .ids()
        .map(|node| {
            let place = Layers::place_of(node);
            let x = columns.middle[layers.column[place]];
            Frame { middle: Point { x, y: heights[place] }, size: sizes[node] }
        })
        .collect();
    let lines = lines(diagram, &layers, &columns, &frames, &heights);
    let top = frames.iter().map(Frame::top).fold(f64::INFINITY, f64::min);
    let bottom = frames.iter().map(Frame::bottom).fold(f64::NEG_INFINITY, f64::max);
    let (top, bottom) = if frames.is_empty() { (0.0, 0.0) } else { (top, bottom) };
    let low = heights.iter().copied().fold(bottom, f64::max);
    let high = heights.iter().copied().fold(top, f64::min);
    Layout { frames, lines, left: 0.0, right: columns.right, top: high, bottom: low }
}

fn sizes(diagram: &Diagram) -> IndexVec<NodeId, Size> {
    let mut inputs = IndexVec::filled(0, diagram.nodes.len());
    diagram.edges.iter().for_each(|edge| inputs[edge.to] += 1);
    diagram.nodes.iter_ids().map(|(id, node)| size(node, inputs[id])).collect()
}

/// The columns from left to right.
struct Columns {
    middle: Vec<f64>,
    width: Vec<f64>,
    right: f64,
}

impl Columns {
    fn of(layers: &Layers, sizes: &IndexVec<NodeId, Size>) -> Self {
        let mut links = vec![0usize; layers.columns.len()];
        layers.links().for_each(|(from, _)| links[layers.column[from]] += 1);
        let mut columns = Self { middle: Vec::new(), width: Vec::new(), right: 0.0 };
        for (places, links) in layers.columns.iter().zip(links) {
            let nodes = places.iter().filter_map(|&place| layers.node[place]);
            let width = nodes.map(|node| sizes[node].width).fold(0.0, f64::max);
            columns.middle.push(columns.right + width / 2.0);
            columns.width.push(width);
            // Many lines need room to sort themselves out.
            columns.right += width + (34.0 + links as f64 * 2.5).min(150.0);
        }
        let last = columns.middle.last().zip(columns.width.last());
        columns.right = last.map_or(0.0, |(middle, width)| middle + width / 2.0);
        columns
    }
}

fn lines(
    diagram: &Diagram,
    layers: &Layers,
    columns: &Columns,
    frames: &IndexVec<NodeId, Frame>,
    heights: &IndexVec<PlaceId, f64>,
) -> Vec<Vec<Point>> {
    let ports = ports(diagram, layers, frames, heights);
    let line = |(row, path): (usize, &Vec<PlaceId>)| {
        let from = &frames[diagram.edges[row].from];
        let mut points = vec![Point { x: from.right(), y: from.middle.y }];
        for &place in &path[1..path.len() - 1] {
            let column = layers.column[place];
            let half = columns.width[column] / 2.0;
            let (x, y) = (columns.middle[column], heights[place]);
            points.extend([Point { x: x - half, y }, Point { x: x + half, y }]);
        }
        points.push(ports[row]);
        points
    };
    layers.paths.iter().enumerate().map(line).collect()
}

/// Where each edge enters its node: spread over the left side in the order the edges arrive.
fn ports(
    diagram: &Diagram,
    layers: &Layers,
    frames: &IndexVec<NodeId, Frame>,
    heights: &IndexVec<PlaceId, f64>,
) -> Vec<Point> {
    let mut arriving: IndexVec<NodeId, Vec<usize>> =
        IndexVec::filled(Vec::new(), diagram.nodes.len());
    for (row, edge) in diagram.edges.iter().enumerate() {
        arriving[edge.to].push(row);
    }
    let from_height = |row: usize| {
        let path = &layers.paths[row];
        heights[path[path.len() - 2]]
    };
    let mut ports = vec![Point { x: 0.0, y: 0.0 }; diagram.edges.len()];
    for (node, edges) in arriving.iter_ids() {
        let mut edges = edges.clone();
        edges.sort_by(|&one, &other| from_height(one).total_cmp(&from_height(other)));
        let frame = &frames[node];
        let step = (frame.size.height - 8.0) / (edges.len() + 1) as f64;
        for (count, &row) in edges.iter().enumerate() {
            let y = frame.top() + 4.0 + step * (count + 1) as f64;
            let arrow = if diagram.nodes[node].shape.is_gate() { 0.0 } else { ARROW };
            ports[row] = Point { x: frame.left() - arrow, y };
        }
    }
    ports
}
