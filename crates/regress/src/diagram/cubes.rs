//! Sets as cubes: an irredundant cover (Minato's and Morreale's algorithm).
//!
//! Of two sets, the first inside the second, the cubes found take in all of the first and nothing
//! outside the second; what lies between may be used to make them fewer and larger.

use oxidd::{BooleanFunction, Function, LevelNo, Manager};

use super::encode::{Encoding, Set};
use crate::cube::Cube;
use crate::error::RegressError;
use crate::limits::Halt;

/// Cubes that cover `lower` and stay inside `upper`; an error if there are more than `most`.
pub(crate) fn cubes(
    encoding: &Encoding<'_>,
    lower: &Set,
    upper: &Set,
    most: usize,
) -> Result<Vec<Cube>, RegressError> {
    let mut search = Search { encoding, path: Vec::new(), found: Vec::new(), most, steps: 0 };
    search.cover(lower, upper)?;
    Ok(search.found)
}

struct Search<'e, 'a> {
    encoding: &'e Encoding<'a>,
    /// The bits fixed on the way here.
    path: Vec<(u32, bool)>,
    found: Vec<Cube>,
    most: usize,
    steps: u64,
}

impl Search<'_, '_> {
    /// Adds cubes, each with what is on the path, and returns the set they make without it.
    fn cover(&mut self, lower: &Set, upper: &Set) -> Result<Set, RegressError> {
        if !lower.satisfiable() {
            return Ok(self.encoding.nothing());
        }
        self.steps += 1;
        if self.steps.is_multiple_of(1 << 12) {
            self.encoding.meter.look(0)?;
        }
        if upper.valid() {
            self.found.extend(self.encoding.cube_of_bits(&self.path));
            if self.found.len() > self.most {
                return Err(Halt::Memory.into());
            }
            return Ok(self.encoding.everything());
        }
        let bit = level(lower).min(level(upper));
        let ((low_1, low_0), (up_1, up_0)) = (parts(lower, bit), parts(upper, bit));
        // What only the bit's being off, or on, can explain.
        let zeros = self.on(bit, false, &up_1.imp_strict(&low_0)?, &up_0)?;
        let ones = self.on(bit, true, &up_0.imp_strict(&low_1)?, &up_1)?;
        let rest = zeros.imp_strict(&low_0)?.or(&ones.imp_strict(&low_1)?)?;
        let either = self.cover(&rest, &up_0.and(&up_1)?)?;
        let test = self.encoding.bit(bit)?;
        Ok(test.ite(&ones, &zeros)?.or(&either)?)
    }

    fn on(
        &mut self,
        bit: u32,
        is_set: bool,
        lower: &Set,
        upper: &Set,
    ) -> Result<Set, RegressError> {
        self.path.push((bit, is_set));
        let set = self.cover(lower, upper);
        self.path.pop();
        set
    }
}

/// The bit that is tested first; bits are their own levels.
fn level(set: &Set) -> LevelNo {
    set.with_manager_shared(|manager, edge| manager.get_node(edge).level())
}

/// The parts in which a bit is set and not set; no bit before it is tested.
fn parts(set: &Set, bit: LevelNo) -> (Set, Set) {
    match set.cofactors() {
        Some(parts) if level(set) == bit => parts,
        _ => (set.clone(), set.clone()),
    }
}
