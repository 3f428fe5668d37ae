//! Keys into lanes and out of them: fluents are decoded and coded bit by bit, many states at a time.
//!
//! A *slice* is one bit of the rows of all lanes. Rows are transposed to slices once per 64 lanes; a fluent
//! is a conjunction of slices, a slice a disjunction of fluents. On the way out everything the code supposes
//! about single fluents is checked in all lanes: groups, and fluents that the layer decides.

use gambol_sim::{Sweep, transpose};

use super::key_code::{KeyCode, Moment};

/// How fluents follow from slices, and slices from fluents.
pub(crate) struct Wiring {
    /// For each fluent in a group the slices that tell it, each with the value it must have.
    fluents: Vec<(u32, Vec<(u32, bool)>)>,
    /// For each group its members with the slices they are part of, and whether one must be true.
    groups: Vec<Members>,
    timed: Vec<u32>,
    timed_origin: Vec<u32>,
    row_words: usize,
}

struct Members {
    members: Vec<(u32, Vec<u32>)>,
    exact: bool,
}

impl Wiring {
    /// The wires of a code. What is read are the images of states under a symmetry: a fluent holds in the image where
    /// `origin` of it holds in the state.
    pub(crate) fn new(code: &KeyCode, origin: impl Fn(u32) -> u32) -> Self {
        let (mut fluents, mut groups) = (Vec::new(), Vec::new());
        for (group, word, shift) in code.groups() {
            let first = word as u32 * 64 + shift;
            let mut members = Vec::new();
            for (place, &member) in group.members.iter().enumerate() {
                let value = group.value_of(place);
                let slices = (0..group.width()).map(|bit| (first + bit, value >> bit & 1 == 1));
                let slices: Vec<(u32, bool)> = slices.collect();
                let set = slices.iter().filter(|slice| slice.1).map(|slice| slice.0).collect();
                fluents.push((member, slices));
                members.push((origin(member), set));
            }
            groups.push(Members { members, exact: group.exact });
        }
        let timed = code.parts.timed.clone();
        let timed_origin = timed.iter().map(|&fluent| origin(fluent)).collect();
        Self { fluents, groups, timed, timed_origin, row_words: code.row_words }
    }

    /// How many slices there are.
    pub(crate) fn slices(&self) -> usize {
        64 * self.row_words
    }

    /// Puts rows into the first lanes. What the other lanes hold is undefined.
    pub(crate) fn load<const P: usize>(
        &self,
        rows: &[u64],
        moment: &Moment,
        slices: &mut [[u64; P]],
        sweep: &mut Sweep<'_>,
    ) {
        for (part, rows) in rows.chunks(64 * self.row_words).enumerate() {
            for word in 0..self.row_words {
                let mut square = [0; 64];
                let words = rows.iter().skip(word).step_by(self.row_words);
                square.iter_mut().zip(words).for_each(|(to, &from)| *to = from);
                transpose(&mut square);
                let slices = &mut slices[64 * word..64 * word + 64];
                slices.iter_mut().zip(square).for_each(|(slice, bits)| slice[part] = bits);
            }
        }
        let first = sweep.slots().fluents.start;
        let lanes = &mut sweep.words_mut().as_chunks_mut::<P>().0[first..];
        for (fluent, code) in &self.fluents {
            let mut held = [u64::MAX; P];
            for &(slice, value) in code {
                let flip = if value { 0 } else { u64::MAX };
                let bits = &slices[slice as usize];
                held.iter_mut().zip(bits).for_each(|(held, bits)| *held &= bits ^ flip);
            }
            lanes[*fluent as usize] = held;
        }
        for (place, &fluent) in self.timed.iter().enumerate() {
            lanes[fluent as usize] = [if moment.holds(place) { u64::MAX } else { 0 }; P];
        }
    }

    /// Reads the slices of all lanes. Gives the lanes in which the code does not hold.
    pub(crate) fn read<const P: usize>(
        &self,
        sweep: &Sweep<'_>,
        moment: &Moment,
        slices: &mut [[u64; P]],
    ) -> [u64; P] {
        let first = sweep.slots().fluents.start;
        let lanes = &sweep.words().as_chunks::<P>().0[first..];
        let mut wrong = [0; P];
        slices.fill([0; P]);
        for group in &self.groups {
            let (mut one, mut two) = ([0; P], [0; P]);
            for (fluent, set) in &group.members {
                let held = &lanes[*fluent as usize];
                for part in 0..P {
                    two[part] |= one[part] & held[part];
                    one[part] |= held[part];
                }
                for &slice in set {
                    let slice = &mut slices[slice as usize];
                    slice.iter_mut().zip(held).for_each(|(slice, held)| *slice |= held);
                }
            }
            let missing = if group.exact { u64::MAX } else { 0 };
            for part in 0..P {
                wrong[part] |= two[part] | (missing & !one[part]);
            }
        }
        for (place, &fluent) in self.timed_origin.iter().enumerate() {
            let expected = if moment.holds(place) { u64::MAX } else { 0 };
            let held = &lanes[fluent as usize];
            wrong.iter_mut().zip(held).for_each(|(wrong, held)| *wrong |= held ^ expected);
        }
        wrong
    }

    /// Writes the rows of 64 lanes.
    pub(crate) fn rows<const P: usize>(&self, slices: &[[u64; P]], part: usize, rows: &mut [u64]) {
        for word in 0..self.row_words {
            let mut square = [0; 64];
            let slices = &slices[64 * word..64 * word + 64];
            square.iter_mut().zip(slices).for_each(|(to, slice)| *to = slice[part]);
            transpose(&mut square);
            let words = rows.iter_mut().skip(word).step_by(self.row_words);
            words.zip(square).for_each(|(to, from)| *to = from);
        }
    }
}
