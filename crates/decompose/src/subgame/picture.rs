//! The dependency matrix as a picture: a row for each fluent, a column for each move, a mark where
//! the move acts on the fluent. Twice: in the order of the rules, and reordered so that the subgames
//! are blocks.

use std::fmt::{Result, Write};

use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net, PART_HUES, PartColours, escaped};

use super::time_line::by_phase;
use crate::decomposition::{Decomposition, Subgame, SubgameId};

/// The longer side of a matrix on the page.
const SIDE: f64 = 420.0;
/// Marks are at most so large.
const LARGEST_MARK: f64 = 16.0;
/// Names are written beside marks of at least this size.
const READABLE: f64 = 9.0;
/// More rows or columns than this share marks.
const FINEST: usize = 420;
const MARGIN: f64 = 18.0;
const HEADING: f64 = 52.0;
/// Room for the line above each matrix.
const NARROWEST: f64 = 350.0;
const LEGEND_LINE: f64 = 18.0;
const NAMES: f64 = 128.0;
/// Room for the names of groups, where single names would not fit.
const GROUP_NAMES: f64 = 84.0;
/// How wide a letter of the legend is at most.
const LETTER: f64 = 6.2;
const LONGEST_NAME: usize = 19;

/// The style of pictures of matrices, for pages that show them without their own.
pub const MATRIX_STYLE: &str = "\
text { font: 12px system-ui, \"DejaVu Sans\", sans-serif; fill: #1f2933; }
.heading { font-size: 15px; font-weight: 600; }
.note { fill: #5f6b7a; font-size: 11px; }
.name { font-size: 9px; }
.page { fill: #ffffff; }
.frame { fill: none; stroke: #b8c2cd; }
.block { fill: none; stroke-width: 1.4; }
.none { fill: #8592a3; }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e9ef; }
  .note { fill: #9aa7b6; }
  .page { fill: #14181d; }
  .frame { stroke: #46525f; }
}
";

/// The dependency matrix before and after, as one SVG document. If there are phases, a time line and one matrix for
/// each of them follow.
pub fn matrix_svg(net: &Net, decomposition: &Decomposition, title: &str) -> String {
    let whole = panel(net, decomposition, title);
    match decomposition.phases.is_empty() {
        true => whole.text,
        false => by_phase(net, decomposition, title, whole),
    }
}

/// One picture of a matrix, before and after.
pub(super) fn panel(net: &Net, decomposition: &Decomposition, title: &str) -> Drawn {
    let picture = Picture { net, decomposition, title };
    let mut text = String::new();
    let (width, height) = picture.write(&mut text).expect("a string takes all text");
    Drawn { text, width, height }
}

/// An SVG document and its size.
pub(super) struct Drawn {
    pub(super) text: String,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The subgames as colours for a picture of the net.
pub fn part_colours(net: &Net, decomposition: &Decomposition) -> PartColours {
    let number = |id: &Option<SubgameId>| id.map(SubgameId::number);
    let subgames = decomposition.subgame_of_fluents(net.fluents.len());
    let mut moves = vec![Acting::Nowhere; net.moves.len()];
    for (id, subgame) in decomposition.subgames.iter_ids() {
        for action in &subgame.moves {
            let acting = &mut moves[action.index()];
            *acting = match acting {
                Acting::Nowhere => Acting::In(id.number()),
                _ => Acting::Elsewhere,
            };
        }
    }
    let only = |acting: Acting| if let Acting::In(part) = acting { Some(part) } else { None };
    PartColours {
        fluents: subgames.iter().map(number).collect::<Vec<_>>().into(),
        moves: moves.into_iter().map(only).collect::<Vec<_>>().into(),
    }
}

/// Where a move acts: in one subgame, or in none or several.
#[derive(Clone, Copy)]
enum Acting {
    Nowhere,
    In(u32),
    Elsewhere,
}

struct Picture<'a> {
    net: &'a Net,
    decomposition: &'a Decomposition,
    title: &'a str,
}

/// The order of rows and columns.
#[derive(Default)]
struct Order {
    fluents: Vec<FluentId>,
    moves: Vec<MoveId>,
}

/// How one matrix lies on the page.
struct Panel<'a> {
    order: &'a Order,
    /// How many rows, and how many columns, share a mark.
    coarse: usize,
    /// How wide and how high a mark is.
    mark: (f64, f64),
    left: f64,
    top: f64,
    /// Whether the subgames are shown.
    coloured: bool,
}

impl<'a> Panel<'a> {
    fn new(order: &'a Order, left: f64, top: f64, coloured: bool) -> Self {
        let (rows, columns) = (order.fluents.len().max(1), order.moves.len().max(1));
        let coarse = rows.max(columns).div_ceil(FINEST);
        let mark = |count: usize| (SIDE / count.div_ceil(coarse) as f64).min(LARGEST_MARK);
        let mut panel =
            Self { order, coarse, mark: (mark(columns), mark(rows)), left, top, coloured };
        panel.left += if panel.names_fluents() { NAMES } else { GROUP_NAMES };
        panel.top += if panel.names_moves() { NAMES } else { GROUP_NAMES };
        panel
    }

    fn names_fluents(&self) -> bool {
        self.coarse == 1 && self.mark.1 >= READABLE
    }

    fn names_moves(&self) -> bool {
        self.coarse == 1 && self.mark.0 >= READABLE
    }

    fn width(&self) -> f64 {
        self.order.moves.len().div_ceil(self.coarse) as f64 * self.mark.0
    }

    fn height(&self) -> f64 {
        self.order.fluents.len().div_ceil(self.coarse) as f64 * self.mark.1
    }

    fn right(&self) -> f64 {
        self.left + self.width()
    }

    fn bottom(&self) -> f64 {
        self.top + self.height()
    }
}

impl Picture<'_> {
    /// Writes the document; says how wide and how high it is.
    fn write(&self, out: &mut String) -> std::result::Result<(f64, f64), std::fmt::Error> {
        let (before, after) = self.orders();
        let first = Panel::new(&before, MARGIN, MARGIN + HEADING, false);
        let middle = (first.right() + 3.0 * MARGIN).max(NARROWEST);
        let second = Panel::new(&after, middle, MARGIN + HEADING, true);
        let legend = first.bottom().max(second.bottom()) + 2.0 * MARGIN;
        let lines = self.legend();
        let longest = lines.iter().map(|(_, line)| line.chars().count()).max().unwrap_or(0);
        let width = (second.right() + MARGIN)
            .max(middle + NARROWEST)
            .max(2.0 * MARGIN + 20.0 + LETTER * longest as f64);
        let height = legend + LEGEND_LINE * lines.len() as f64 + MARGIN;
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
             width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n\
             <title>{}: fluents by moves</title>\n<style>{MATRIX_STYLE}</style>\n\
             <rect class=\"page\" width=\"{width:.0}\" height=\"{height:.0}\"/>",
            escaped(self.title)
        )?;
        let parts = self.decomposition.counts().action_dependent;
        let whole = match parts {
            0 | 1 => "one part",
            _ => self.decomposition.composition.as_str(),
        };
        let heading = format!("{}: {whole} ({})", self.title, self.decomposition.basis.as_str());
        write_text(out, "heading", (MARGIN, MARGIN + 14.0), &heading)?;
        let counted = format!(
            "{} fluents by {} moves, in the order of the rules",
            before.fluents.len(),
            before.moves.len()
        );
        write_text(out, "note", (MARGIN, MARGIN + 34.0), &counted)?;
        let told = format!(
            "the same by part: {parts} that {} on what is played",
            if parts == 1 { "depends" } else { "depend" }
        );
        write_text(out, "note", (middle, MARGIN + 34.0), &told)?;
        self.write_panel(&first, out)?;
        self.write_panel(&second, out)?;
        self.write_blocks(&second, out)?;
        write_legend(&lines, legend, out)?;
        writeln!(out, "</svg>")?;
        Ok((width, height))
    }

    /// Fluents and moves that have to do with each other: as in the rules, and by subgame.
    fn orders(&self) -> (Order, Order) {
        let entries = &self.decomposition.matrix.entries;
        let mut before = Order::default();
        before.fluents.extend(entries.iter().map(|entry| entry.fluent));
        before.fluents.dedup();
        before.moves.extend(entries.iter().map(|entry| entry.action));
        before.moves.sort_unstable();
        before.moves.dedup();
        let (subgame, first) = (self.subgames(), self.first_subgames());
        let last = SubgameId::new(u32::MAX);
        let mut after = Order { fluents: before.fluents.clone(), moves: before.moves.clone() };
        after.fluents.sort_by_key(|fluent| (subgame[fluent.index()].unwrap_or(last), *fluent));
        after.moves.sort_by_key(|action| (first[action.index()].unwrap_or(last), *action));
        (before, after)
    }

    fn subgames(&self) -> Vec<Option<SubgameId>> {
        let fluents = self.net.fluents.len();
        self.decomposition.subgame_of_fluents(fluents).into_vec()
    }

    /// The first subgame that each move acts in.
    fn first_subgames(&self) -> Vec<Option<SubgameId>> {
        let mut first = vec![None; self.net.moves.len()];
        for (id, subgame) in self.decomposition.subgames.iter_ids() {
            for action in &subgame.moves {
                first[action.index()].get_or_insert(id);
            }
        }
        first
    }

    fn write_panel(&self, panel: &Panel<'_>, out: &mut String) -> Result {
        writeln!(
            out,
            "<rect class=\"frame\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            panel.left,
            panel.top,
            panel.width(),
            panel.height()
        )?;
        let subgame = self.subgames();
        let (width, height) = panel.mark;
        let gap = |size: f64| if size > 4.0 { size - 1.0 } else { size };
        for ((row, column), (fluent, effect)) in self.marks(panel) {
            let fill = match subgame[fluent.index()].filter(|_| panel.coloured) {
                Some(id) => format!("fill=\"{}\"", hue(id)),
                None => "class=\"none\"".to_string(),
            };
            writeln!(
                out,
                "<rect {fill} fill-opacity=\"{:.2}\" x=\"{:.1}\" y=\"{:.1}\" \
                 width=\"{:.1}\" height=\"{:.1}\"/>",
                0.3 + 0.7 * effect,
                panel.left + column as f64 * width,
                panel.top + row as f64 * height,
                gap(width),
                gap(height)
            )?;
        }
        if panel.names_fluents() {
            self.write_fluent_names(panel, out)?;
        } else {
            let names =
                panel.order.fluents.iter().map(|&fluent| function(&self.net.fluents[fluent]));
            for (name, middle) in groups(names, panel.coarse, panel.mark.1) {
                let y = panel.top + middle + 3.0;
                write_name(
                    out,
                    &format!("text-anchor=\"end\" x=\"{:.1}\" y=\"{y:.1}\"", panel.left - 4.0),
                    name,
                )?;
            }
        }
        if panel.names_moves() {
            return self.write_move_names(panel, out);
        }
        let names = panel.order.moves.iter().map(|&action| {
            let moved = &self.net.moves[action];
            match self.net.roles.len() {
                1 => function(&moved.name).to_string(),
                _ => format!("{} {}", self.net.roles[moved.role], function(&moved.name)),
            }
        });
        let names: Vec<String> = names.collect();
        for (name, middle) in groups(names.iter().map(String::as_str), panel.coarse, panel.mark.0) {
            let (x, y) = (panel.left + middle + 3.0, panel.top - 4.0);
            write_name(out, &format!("transform=\"translate({x:.1} {y:.1}) rotate(-90)\""), name)?;
        }
        Ok(())
    }

    /// The strongest dependency under each mark, by row and column.
    fn marks(&self, panel: &Panel<'_>) -> Vec<((usize, usize), (FluentId, f32))> {
        let rows = places(panel.order.fluents.iter().map(|fluent| fluent.index()));
        let columns = places(panel.order.moves.iter().map(|action| action.index()));
        let entries = self.decomposition.matrix.entries.iter();
        let mut marks: Vec<_> = entries
            .map(|entry| {
                let row = rows[entry.fluent.index()] / panel.coarse;
                let column = columns[entry.action.index()] / panel.coarse;
                ((row, column), (entry.fluent, entry.effect))
            })
            .collect();
        marks.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.1.total_cmp(&a.1.1)));
        marks.dedup_by_key(|mark| mark.0);
        marks
    }

    fn write_fluent_names(&self, panel: &Panel<'_>, out: &mut String) -> Result {
        for (row, &fluent) in panel.order.fluents.iter().enumerate() {
            let y = panel.top + (row as f64 + 0.75) * panel.mark.1;
            writeln!(
                out,
                "<text class=\"name\" text-anchor=\"end\" x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
                panel.left - 4.0,
                escaped(&shortened(&self.net.fluents[fluent]))
            )?;
        }
        Ok(())
    }

    fn write_move_names(&self, panel: &Panel<'_>, out: &mut String) -> Result {
        for (column, &action) in panel.order.moves.iter().enumerate() {
            let x = panel.left + (column as f64 + 0.75) * panel.mark.0;
            let (y, moved) = (panel.top - 4.0, &self.net.moves[action]);
            let name = match self.net.roles.len() {
                1 => moved.name.to_string(),
                _ => format!("{} {}", self.net.roles[moved.role], moved.name),
            };
            writeln!(
                out,
                "<text class=\"name\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{}</text>",
                escaped(&shortened(&name))
            )?;
        }
        Ok(())
    }

    /// A frame around each subgame: its fluents, and the moves that act in it.
    fn write_blocks(&self, panel: &Panel<'_>, out: &mut String) -> Result {
        let rows = places(panel.order.fluents.iter().map(|fluent| fluent.index()));
        let columns = places(panel.order.moves.iter().map(|action| action.index()));
        let marked = |place: &usize| *place != usize::MAX;
        let at = |places: &[usize], index: usize| places.get(index).copied().unwrap_or(usize::MAX);
        for (id, subgame) in self.decomposition.subgames.iter_ids() {
            let fluents = subgame.fluents.iter().map(|fluent| at(&rows, fluent.index()));
            let moves = subgame.moves.iter().map(|action| at(&columns, action.index()));
            let (Some((top, bottom)), Some((left, right))) =
                (extent(fluents.filter(marked)), extent(moves.filter(marked)))
            else {
                continue;
            };
            let across = |place: usize| (place / panel.coarse) as f64 * panel.mark.0;
            let down = |place: usize| (place / panel.coarse) as f64 * panel.mark.1;
            writeln!(
                out,
                "<rect class=\"block\" stroke=\"{}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                hue(id),
                panel.left + across(left),
                panel.top + down(top),
                across(right) - across(left) + panel.mark.0,
                down(bottom) - down(top) + panel.mark.1
            )?;
        }
        Ok(())
    }

    /// The subgames in words, as many as fit below the picture.
    fn legend(&self) -> Vec<(SubgameId, String)> {
        let subgames = self.decomposition.subgames.iter_ids().take(24);
        let told = |(id, subgame): (SubgameId, &Subgame)| {
            let name = subgame.fluents.first().map_or("", |fluent| &self.net.fluents[*fluent]);
            let kind = match (subgame.action_dependent, subgame.useful) {
                (true, true) => "",
                (true, false) => ", on which the outcome does not depend",
                (false, true) => ", which changes by itself",
                (false, false) => {
                    ", which changes by itself, and on which the outcome does not depend"
                }
            };
            let words = format!(
                "part {}: {} and {}, such as {}{kind} ({})",
                id.number(),
                counted(subgame.fluents.len(), "fluent"),
                counted(subgame.moves.len(), "move"),
                shortened(name),
                subgame.basis.as_str()
            );
            (id, words)
        };
        subgames.map(told).collect()
    }
}

fn write_legend(lines: &[(SubgameId, String)], top: f64, out: &mut String) -> Result {
    for (line, (id, words)) in lines.iter().enumerate() {
        let y = top + line as f64 * LEGEND_LINE;
        writeln!(
            out,
            "<rect fill=\"{}\" x=\"{MARGIN}\" y=\"{:.0}\" width=\"12\" height=\"12\"/>",
            hue(*id),
            y - 10.0
        )?;
        write_text(out, "note", (MARGIN + 20.0, y), words)?;
    }
    Ok(())
}

/// The first word of a term.
fn function(name: &str) -> &str {
    let inside = name.strip_prefix('(').unwrap_or(name);
    inside.split([' ', ')']).next().unwrap_or(inside)
}

/// Names that stand one behind the other are one group: its name, and where its middle is. Groups without room for a
/// name are left out.
fn groups<'n>(
    names: impl Iterator<Item = &'n str>,
    coarse: usize,
    mark: f64,
) -> Vec<(&'n str, f64)> {
    let names: Vec<&str> = names.collect();
    let size = mark / coarse as f64;
    let mut start = 0;
    let mut groups = Vec::new();
    for group in names.chunk_by(|one, other| one == other) {
        if group.len() as f64 * size >= READABLE {
            groups.push((group[0], (start as f64 + group.len() as f64 / 2.0) * size));
        }
        start += group.len();
    }
    groups
}

fn write_name(out: &mut String, place: &str, name: &str) -> Result {
    let name = shortened(name);
    writeln!(out, "<text class=\"name\" {place}>{}</text>", escaped(&name))
}

pub(super) fn write_text(out: &mut String, class: &str, (x, y): (f64, f64), text: &str) -> Result {
    writeln!(out, "<text class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\">{}</text>", escaped(text))
}

pub(super) fn hue(subgame: SubgameId) -> &'static str {
    PART_HUES[subgame.index() % PART_HUES.len()]
}

/// For each index its place in the order; `usize::MAX` for those that are not in it.
fn places(order: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut places = Vec::new();
    for (place, index) in order.enumerate() {
        if places.len() <= index {
            places.resize(index + 1, usize::MAX);
        }
        places[index] = place;
    }
    places
}

/// The least and the greatest.
fn extent(places: impl Iterator<Item = usize>) -> Option<(usize, usize)> {
    places.fold(None, |extent, place| match extent {
        None => Some((place, place)),
        Some((least, greatest)) => Some((place.min(least), place.max(greatest))),
    })
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_inverse_to_an_order() {
        assert_eq!(places([2, 0].into_iter()), [1, usize::MAX, 0]);
    }

    #[test]
    fn names_in_a_row_are_one_group() {
        let names = ["cell", "cell", "cell", "turn", "cell", "cell"];
        let found = groups(names.into_iter(), 1, 5.0);
        assert_eq!(found, [("cell", 7.5), ("cell", 25.0)]);
        assert_eq!((function("(cell 1 x)"), function("noop")), ("cell", "noop"));
    }

    #[test]
    fn names_are_cut_between_letters() {
        assert_eq!(shortened("(cell 1 1 x)"), "(cell 1 1 x)");
        assert_eq!(shortened(&"ä".repeat(30)), format!("{}…", "ä".repeat(LONGEST_NAME)));
    }
}
