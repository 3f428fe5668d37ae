//! Diagram policies as files, with a version, whole or refused.
//!
//! ```text
//! gambol-diagram 2
//! method layers
//! distances no
//! automaton 22        (so many lines of the automaton follow)
//! order 0 1 2 5 …     (the first bit of each variable)
//! layers 17           (so many lines follow: the sets of a layer, node after node)
//! rows 4711           (so many rows of three numbers of four bytes, the least first: bit, high, low)
//! sum 0123456789abcdef      (the digest of everything above)
//! ```
//!
//! A set is twice the number of its row, and one more for its complement; 0 is everything, 1 nothing.

use std::fmt::Write;

use gambol_index::IndexVec;

use super::table::{DiagramMethod, DiagramPolicy, Edge, Layer, Row};
use crate::automaton::Automaton;
use crate::cube::VariableId;
use crate::file::{read_automaton, to_text};
use crate::policy_file::Lines;
use crate::policy_file::{PolicyFileError, VERSION};
use crate::seal::{seal, unsealed};

/// The first word of a diagram policy.
pub const DIAGRAM_HEADER: &str = "gambol-diagram";

const ROW_BYTES: usize = 12;

type Result<T> = std::result::Result<T, PolicyFileError>;

/// A diagram policy as bytes.
pub fn diagram_to_bytes(policy: &DiagramPolicy) -> Vec<u8> {
    let automaton = to_text(&policy.automaton);
    let mut text = format!(
        "{DIAGRAM_HEADER} {VERSION}\nmethod {}\ndistances {}\nautomaton {}\n{automaton}order",
        policy.method.word(),
        if policy.distances { "yes" } else { "no" },
        automaton.lines().count()
    );
    // Writing to a string cannot fail.
    policy.bits.iter().for_each(|(first, _)| _ = write!(text, " {first}"));
    let _ = write!(text, "\nlayers {}", policy.layers.len());
    for layer in &policy.layers {
        text.push('\n');
        let sets: Vec<String> = layer.iter().flatten().map(|set| set.0.to_string()).collect();
        text += &sets.join(" ");
    }
    let _ = writeln!(text, "\nrows {}", policy.rows.len());
    let mut bytes = text.into_bytes();
    for row in &policy.rows {
        [row.bit, row.high.0, row.low.0].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    }
    let line = seal(&bytes);
    bytes.extend_from_slice(line.as_bytes());
    bytes
}

/// Reads a diagram policy.
pub fn diagram_from_bytes(bytes: &[u8]) -> Result<DiagramPolicy> {
    let header = Lines::of(bytes).next("a header").map_err(|_| PolicyFileError::NotADiagram)?;
    match header.split_once(' ') {
        Some((DIAGRAM_HEADER, VERSION)) => {}
        Some((DIAGRAM_HEADER, version)) => {
            return Err(PolicyFileError::Version(version.to_string()));
        }
        _ => return Err(PolicyFileError::NotADiagram),
    }
    let mut lines = Lines::of(unsealed(bytes).ok_or(PolicyFileError::Sum)?);
    lines.next("a header")?;
    let method = match lines.field("method")? {
        "layers" => DiagramMethod::Layers,
        "fixpoint" => DiagramMethod::Fixpoint,
        _ => return Err(lines.damaged("a known method")),
    };
    let distances = lines.field("distances")? == "yes";
    let source = lines.text("automaton")?;
    let automaton = read_automaton(&source)?;
    let bits = read_order(&automaton, &mut lines)?;
    let mut layers = Vec::new();
    for _ in 0..lines.count("layers")? {
        layers.push(read_layer(&automaton, &mut lines)?);
    }
    let mut policy = DiagramPolicy::new(&automaton, method, distances, bits);
    policy.rows = read_rows(&mut lines)?;
    policy.layers = layers;
    match is_sound(&policy) {
        true => Ok(policy),
        false => Err(lines.damaged("rows that lead to later bits")),
    }
}

/// Where the bits of each variable are: all bits once.
fn read_order(
    automaton: &Automaton,
    lines: &mut Lines<'_>,
) -> Result<IndexVec<VariableId, (u32, u32)>> {
    let places = lines.next("order")?.strip_prefix("order").ok_or(lines.damaged("order"))?;
    let numbers = numbers(lines, places)?;
    let variables = automaton.layout.variables();
    let counts = variables.map(|variable| bits_for(automaton.layout.size(variable)));
    let bits: Vec<(u32, u32)> = numbers.into_iter().zip(counts).collect();
    let mut sorted = bits.clone();
    sorted.sort_unstable();
    let in_a_row = sorted.iter().try_fold(0u32, |next, &(first, count)| {
        (first == next || count == 0).then_some(next + count)
    });
    match in_a_row {
        Some(_) if bits.len() == automaton.variables.len() => Ok(bits.into()),
        _ => Err(lines.damaged("a place for each variable")),
    }
}

/// How many bits the values of a variable need.
pub(crate) fn bits_for(size: u16) -> u32 {
    u32::BITS - (u32::from(size) - 1).leading_zeros()
}

fn read_layer(automaton: &Automaton, lines: &mut Lines<'_>) -> Result<Layer> {
    let sets = lines.next("the sets of a layer")?;
    let numbers = numbers(lines, sets)?;
    let outcomes = automaton.outcomes.len();
    if numbers.len() != automaton.nodes.len() * outcomes {
        return Err(lines.damaged("a set for each node and outcome"));
    }
    let nodes = numbers.chunks(outcomes.max(1));
    let sets = nodes.map(|sets| sets.iter().map(|&set| Edge(set)).collect());
    Ok(sets.collect())
}

fn read_rows(lines: &mut Lines<'_>) -> Result<Vec<Row>> {
    let count = lines.count("rows")?;
    if count == 0 || count.checked_mul(ROW_BYTES) != Some(lines.rest.len()) {
        return Err(lines.damaged("so many rows"));
    }
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
    let row = |bytes: &[u8]| Row {
        bit: number(&bytes[..4]),
        high: Edge(number(&bytes[4..8])),
        low: Edge(number(&bytes[8..])),
    };
    Ok(lines.rest.chunks_exact(ROW_BYTES).map(row).collect())
}

/// Whether every way down the table ends: bits grow, and all rows and bits are there.
fn is_sound(policy: &DiagramPolicy) -> bool {
    let bits = policy.bits.iter().map(|&(first, count)| first + count).max().unwrap_or(0);
    let rows = &policy.rows;
    let leads_on = |row: &Row, set: Edge| match set.0 / 2 {
        0 => true,
        place => rows.get(place as usize).is_some_and(|next| next.bit > row.bit),
    };
    let sets = policy.layers.iter().flatten().flatten();
    !policy.layers.is_empty()
        && rows[1..]
            .iter()
            .all(|row| row.bit < bits && leads_on(row, row.high) && leads_on(row, row.low))
        && sets.map(|set| set.0 / 2).all(|place| (place as usize) < rows.len())
}

fn numbers(lines: &Lines<'_>, text: &str) -> Result<Vec<u32>> {
    let numbers = text.split_whitespace().map(str::parse);
    numbers.collect::<std::result::Result<_, _>>().map_err(|_| lines.damaged("numbers"))
}
