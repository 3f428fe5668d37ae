//! A game in phases as a picture: a time line with its crossing points, the matrix of the whole, and one matrix for
//! each phase.

use std::fmt::{Result, Write};

use gambol_index::Id;
use gambol_net::{Net, escaped};

use super::picture::{Drawn, MATRIX_STYLE, hue, panel, write_text};
use crate::decomposition::{Decomposition, Phase, SubgameId};

const MARGIN: f64 = 18.0;
/// How long the line is.
const LENGTH: f64 = 640.0;
const BAR: f64 = 26.0;
const LINE: f64 = 18.0;
/// Letters of a crossing point that are shown.
const MOST_LETTERS: usize = 90;

/// The picture of a game with phases, given that of the whole.
pub(super) fn by_phase(net: &Net, found: &Decomposition, title: &str, whole: Drawn) -> String {
    let phases = found.phases.iter().enumerate();
    let of_phase = |(number, phase): (usize, &Phase)| {
        panel(net, &phase.parts, &format!("{title}, phase {number}"))
    };
    let panels: Vec<Drawn> = std::iter::once(whole).chain(phases.map(of_phase)).collect();
    let line = 4.0 * MARGIN + BAR + LINE * found.phases.len() as f64;
    let width = panels.iter().map(|one| one.width).fold(LENGTH + 2.0 * MARGIN, f64::max);
    let height = line + panels.iter().map(|one| one.height).sum::<f64>();
    let mut text = String::new();
    let head = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n\
         <title>{}: phases</title>\n<style>{MATRIX_STYLE}</style>\n\
         <rect class=\"page\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n",
        escaped(title)
    );
    text.push_str(&head);
    write_line(net, found, &mut text).expect("a string takes all text");
    let mut top = line;
    for one in panels {
        // One style is enough, and the panel is moved to its place.
        let inner = one.text.replace(&format!("<style>{MATRIX_STYLE}</style>\n"), "");
        text.push_str(&inner.replacen("<svg ", &format!("<svg y=\"{top:.0}\" "), 1));
        top += one.height;
    }
    text.push_str("</svg>\n");
    text
}

/// The time line: a bar for each phase, as long as it lasts on average, and what is said of its beginning.
fn write_line(net: &Net, found: &Decomposition, out: &mut String) -> Result {
    let count = found.phases.len();
    let begins = |phase: &Phase| f64::from(phase.steps[0] + phase.steps[1]) / 2.0;
    let last = found.phases.last().map_or(0.0, begins);
    // How long the last phase lasts is not known; it gets an equal share.
    let whole = last * count as f64 / (count as f64 - 1.0).max(1.0);
    let at = |step: f64| MARGIN + LENGTH * step / whole.max(1.0);
    for (number, phase) in found.phases.iter().enumerate() {
        let end = found.phases.get(number + 1).map_or(whole, begins);
        let (left, right) = (at(begins(phase)), at(end));
        let colour = hue(SubgameId::from_index(number));
        writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{MARGIN:.1}\" width=\"{:.1}\" height=\"{BAR}\" \
             fill=\"{colour}\" fill-opacity=\"0.35\" stroke=\"{colour}\"/>",
            right - left
        )?;
        let parts = phase.parts.counts().action_dependent;
        let label =
            format!("phase {number}: {parts} {}", if parts == 1 { "part" } else { "parts" });
        write_text(out, "note", (left + 6.0, MARGIN + BAR - 9.0), &label)?;
        let line = MARGIN + BAR + MARGIN + LINE * number as f64;
        write_text(out, "note", (MARGIN, line), &told(net, number, phase))?;
    }
    Ok(())
}

fn told(net: &Net, number: usize, phase: &Phase) -> String {
    let Some(begins) = &phase.begins else {
        return format!("phase {number} begins with the game");
    };
    let mut condition = begins.text(net);
    if condition.chars().count() > MOST_LETTERS {
        condition = condition.chars().take(MOST_LETTERS).chain("…".chars()).collect();
    }
    let [first, last] = phase.steps;
    let handed = phase.interface.len();
    format!(
        "phase {number}: once {condition} holds (steps {first} to {last}); {handed} fluents are handed on"
    )
}
