//! How many rows a condition is likely to give: the rows now in the table that agree with the
//! pattern's constants, divided by the number of values at each place whose variable is bound.

use rustc_hash::FxHashSet;

use crate::program::RuleTerm;
use crate::table::{Probe, Table};
use crate::terms::{GroundTerm, Terms};

/// Rows looked at; more would cost more time than a better guess saves.
const SAMPLE: u32 = 512;
/// The guess for a table without rows: it may fill up in later states.
const UNKNOWN: f64 = 8.0;

/// The cost of a call with so many columns left open, in the same measure.
pub(crate) fn estimate_call(open: usize) -> f64 {
    let open = i32::try_from(open).unwrap_or(i32::MAX);
    50.0 * 30f64.powi(open)
}

/// The number of rows an index with these probes is likely to give for one key.
pub(crate) fn estimate(terms: &Terms, table: &Table, probes: &[Probe], key: &[RuleTerm]) -> f64 {
    if table.len() == 0 {
        return UNKNOWN;
    }
    let stride = table.len().div_ceil(SAMPLE);
    let rows = (0..table.len()).step_by(stride as usize).map(|number| table.row(number));
    let mut values = vec![FxHashSet::default(); key.len()];
    let mut agreeing = 0u32;
    for row in rows {
        agreeing += u32::from(agrees(terms, row, probes, key, &mut values));
    }
    let scaled = f64::from(agreeing) * f64::from(stride);
    // Places are taken to be independent, which errs towards trying indexed conditions early.
    values.iter().fold(scaled, |rows, values| rows / (values.len().max(1) as f64))
}

fn agrees(
    terms: &Terms,
    row: &[GroundTerm],
    probes: &[Probe],
    key: &[RuleTerm],
    values: &mut [FxHashSet<GroundTerm>],
) -> bool {
    let mut place = 0;
    for probe in probes {
        let path = match probe {
            Probe::Key(path) | Probe::Function(path, ..) => path,
        };
        let Some(found) = path.follow(terms, row) else { return false };
        match probe {
            Probe::Key(_) => {
                if key[place].ground().is_some_and(|constant| constant != found) {
                    return false;
                }
                values[place].insert(found);
                place += 1;
            }
            Probe::Function(_, name, arity) => {
                let (function, arguments) = terms.parts(found);
                if (function, arguments.len()) != (*name, *arity) {
                    return false;
                }
            }
        }
    }
    true
}
