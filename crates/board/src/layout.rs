//! Where boards and their places lie on the page.

use crate::boards::{Board, Lattice, Plan};

/// The side of a square.
pub(crate) const SQUARE: f64 = 44.0;
/// The distance between neighbours of a plan.
const STEP: f64 = 52.0;
/// The distance from the middle of a hexagon to its corners.
pub(crate) const HEXAGON: f64 = 25.0;
/// The width of a letter on the axes.
const LETTER: f64 = 7.0;
/// Room for the name of a board; one that stands alone has none.
const HEADING: f64 = 24.0;
const NO_HEADING: f64 = 6.0;
const GAP: f64 = 22.0;
/// Names on the axes are cut after so many letters.
pub(crate) const AXIS_LETTERS: usize = 8;
/// Boards lie side by side up to the first of these widths at which the page is not much higher than wide.
const PAGES: [f64; 4] = [760.0, 1150.0, 1540.0, 1930.0];
const HIGHEST: f64 = 1.2;
/// Lines between dots, and the boxes between them.
pub(crate) const LINE: f64 = 14.0;
const BOX: f64 = 52.0;
/// A place that holds several things.
const WIDE: f64 = 88.0;
const LAYER: f64 = 15.0;

/// Where each board lies, and how large the page is.
pub(crate) struct Page {
    /// How far below its corner each board begins.
    pub(crate) heading: f64,
    pub(crate) corners: Vec<(f64, f64)>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// How wide and high a place is.
pub(crate) fn place_size(board: &Board, place: usize) -> (f64, f64) {
    let columns = board.columns.len();
    let along = |at: usize| if at.is_multiple_of(2) { LINE } else { BOX };
    match board.lattice {
        Lattice::Dots => (along(place % columns), along(place / columns)),
        Lattice::Hexagons { .. } => (3.0_f64.sqrt() * HEXAGON, 1.5 * HEXAGON),
        Lattice::Squares if board.crowded => (WIDE, LAYER * capacity(board) as f64 + 26.0),
        Lattice::Squares => (SQUARE, SQUARE),
    }
}

/// How many things a place can hold.
fn capacity(board: &Board) -> usize {
    board.places.iter().flatten().map(Vec::len).max().unwrap_or(1).clamp(3, 16)
}

/// The middle of a place, from the corner of the first.
pub(crate) fn centre(board: &Board, place: usize) -> (f64, f64) {
    let (columns, rows) = (board.columns.len(), board.rows.len());
    let (column, row) = (place % columns, rows - 1 - place / columns);
    let (width, height) = place_size(board, place);
    if let Some(plan) = &board.plan {
        return planned(plan, place);
    }
    match board.lattice {
        Lattice::Dots => {
            let before = |at: usize| (at.div_ceil(2)) as f64 * LINE + (at / 2) as f64 * BOX;
            (before(column) + width / 2.0, before(row) + height / 2.0)
        }
        Lattice::Hexagons { rightwards } => {
            // The number of rows below this one, or above it, that push it to the right.
            let pushes = if rightwards { rows - 1 - row } else { row };
            let x = width * (column as f64 + 0.5 + pushes as f64 / 2.0);
            (x, HEXAGON + height * row as f64)
        }
        Lattice::Squares => (width * (column as f64 + 0.5), height * (row as f64 + 0.5)),
    }
}

/// The middle of a place of a plan: the leftmost and the topmost touch the edges.
fn planned(plan: &Plan, place: usize) -> (f64, f64) {
    let least = plan.places.iter().map(|place| place.0).min().unwrap_or(0);
    let most = plan.places.iter().map(|place| place.1).max().unwrap_or(0);
    let (x, y) = plan.places[place];
    let steps = |hundredths: i32| f64::from(hundredths) / 100.0 * STEP + SQUARE / 2.0;
    (steps(x - least), steps(most - y))
}

/// Room for the names of rows.
pub(crate) fn margin(board: &Board) -> f64 {
    let letters = board.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    12.0 + LETTER * letters.min(AXIS_LETTERS) as f64
}

/// The whole of a board with its names.
fn board_size(board: &Board, heading: f64) -> (f64, f64) {
    let (mut right, mut bottom) = (0.0_f64, 0.0_f64);
    for place in 0..board.places.len() {
        let ((x, y), (width, height)) = (centre(board, place), place_size(board, place));
        let height =
            if let Lattice::Hexagons { .. } = board.lattice { 2.0 * HEXAGON } else { height };
        (right, bottom) = (right.max(x + width / 2.0), bottom.max(y + height / 2.0));
    }
    (margin(board) + right + GAP, heading + bottom + GAP)
}

/// Families that lie in a grid keep it; all other boards follow one another as words on a page.
pub(crate) fn lay_out(boards: &[Board]) -> Page {
    let mut page = lay_out_within(boards, PAGES[0]);
    for widest in &PAGES[1..] {
        if page.height <= HIGHEST * page.width {
            break;
        }
        page = lay_out_within(boards, *widest);
    }
    balanced(boards, page)
}

/// Lines of boards are alike in length: as narrow a page as is no higher. Four boards lie in two lines of two, not of
/// three and one, so that each can be drawn larger.
fn balanced(boards: &[Board], mut page: Page) -> Page {
    loop {
        let narrower = lay_out_within(boards, page.width - 1.0);
        if narrower.width >= page.width || narrower.height > page.height {
            return page;
        }
        page = narrower;
    }
}

fn lay_out_within(boards: &[Board], widest: f64) -> Page {
    let heading = if boards.len() > 1 { HEADING } else { NO_HEADING };
    let mut flow = Flow {
        page: Page { heading, corners: Vec::new(), width: 0.0, height: 0.0 },
        widest,
        x: 0.0,
        y: 0.0,
        line: 0.0,
    };
    for family in boards.chunk_by(|one, other| one.family == other.family) {
        if family.iter().any(|board| board.position.1 > 0) {
            flow.grid(family);
        } else {
            family.iter().for_each(|board| {
                let corner = flow.take(board_size(board, heading));
                flow.page.corners.push(corner);
            });
        }
    }
    flow.page
}

struct Flow {
    page: Page,
    widest: f64,
    x: f64,
    y: f64,
    line: f64,
}

impl Flow {
    /// The corner of the next free room of this size.
    fn take(&mut self, (width, height): (f64, f64)) -> (f64, f64) {
        if self.x > 0.0 && self.x + width > self.widest {
            (self.x, self.y, self.line) = (0.0, self.y + self.line, 0.0);
        }
        let corner = (self.x, self.y);
        (self.x, self.line) = (self.x + width, self.line.max(height));
        self.page.width = self.page.width.max(self.x);
        self.page.height = self.page.height.max(self.y + self.line);
        corner
    }

    fn grid(&mut self, family: &[Board]) {
        let heading = self.page.heading;
        let sizes = || family.iter().map(|board| board_size(board, heading));
        let width = sizes().map(|size| size.0).fold(0.0, f64::max);
        let height = sizes().map(|size| size.1).fold(0.0, f64::max);
        let columns = family.iter().map(|board| board.position.0 + 1).max().unwrap_or(1);
        let rows = family.iter().map(|board| board.position.1 + 1).max().unwrap_or(1);
        let (x, y) = self.take((columns as f64 * width, rows as f64 * height));
        for board in family {
            let (column, row) = board.position;
            self.page
                .corners
                .push((x + column as f64 * width, y + (rows - 1 - row) as f64 * height));
        }
    }
}
