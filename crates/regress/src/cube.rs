//! Cubes: one non-empty set of allowed values per variable, packed into words.
//!
//! Bit plane `p` holds one bit per variable that has more than `p` values and says whether value
//! `p` is allowed. Variables with many values come first, so that the planes of high values are
//! short. Intersection is the bitwise AND of all words; two cubes are disjoint if, for some
//! variable, no plane of the intersection has its bit.

use gambol_index::{IndexVec, define_id};
use smallvec::SmallVec;

define_id! {
    /// A variable of an automaton.
    pub struct VariableId;
}

/// A value of a variable, as a place in the variable's list of values.
pub type ValueIndex = u16;

/// Packed words of a cube. A state is a cube with one value per variable.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cube(SmallVec<[u64; 4]>);

impl Cube {
    /// Its words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Whether every state of this cube is one of `other`.
    #[inline]
    pub fn is_within(&self, other: &Cube) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one & !other == 0)
    }

    /// The states of both; may be empty, see [`Layout::meet`].
    #[inline]
    pub(crate) fn and(&self, other: &Cube) -> Cube {
        Cube(self.0.iter().zip(&other.0).map(|(one, other)| one & other).collect())
    }

    /// All bits of either.
    #[inline]
    pub(crate) fn or(&self, other: &Cube) -> Cube {
        Cube(self.0.iter().zip(&other.0).map(|(one, other)| one | other).collect())
    }

    /// The bits of this one that `other` lacks.
    #[inline]
    pub(crate) fn without(&self, other: &Cube) -> Cube {
        Cube(self.0.iter().zip(&other.0).map(|(one, other)| one & !other).collect())
    }

    /// How many values are allowed in all: larger cubes have more.
    pub(crate) fn weight(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

#[derive(Clone, Copy, Debug)]
struct Plane {
    start: u32,
    words: u32,
}

/// Where each variable's values lie in the words of a cube.
#[derive(Clone, Debug)]
pub struct Layout {
    sizes: IndexVec<VariableId, ValueIndex>,
    places: IndexVec<VariableId, u32>,
    at_place: Vec<VariableId>,
    planes: Vec<Plane>,
    /// The bits of all variables, in the first plane.
    mask: Vec<u64>,
    everything: Cube,
    nothing: Cube,
}

impl Layout {
    /// The layout for variables with these numbers of values, none of them zero.
    pub fn new(sizes: IndexVec<VariableId, ValueIndex>) -> Self {
        let mut order: Vec<VariableId> = sizes.ids().collect();
        order.sort_by_key(|&variable| std::cmp::Reverse(sizes[variable]));
        let mut places = IndexVec::filled(0, sizes.len());
        for (place, &variable) in order.iter().enumerate() {
            places[variable] = place as u32;
        }
        let most = sizes.iter().copied().max().unwrap_or(0);
        let (mut planes, mut start) = (Vec::new(), 0);
        for value in 0..most {
            let members = sizes.iter().filter(|&&size| size > value).count();
            let words = members.div_ceil(64) as u32;
            planes.push(Plane { start, words });
            start += words;
        }
        let nothing = Cube(SmallVec::from_elem(0, start as usize));
        let mask = vec![0; sizes.len().div_ceil(64)];
        let mut layout = Self {
            sizes,
            places,
            at_place: order,
            planes,
            mask,
            everything: nothing.clone(),
            nothing,
        };
        layout.fill();
        layout
    }

    fn fill(&mut self) {
        for variable in self.sizes.ids() {
            let place = self.places[variable];
            self.mask[place as usize / 64] |= 1 << (place % 64);
            for value in 0..self.sizes[variable] {
                let (word, bit) = self.bit(variable, value);
                self.everything.0[word] |= bit;
            }
        }
    }

    /// The word and the bit in it of a variable's value.
    #[inline]
    pub(crate) fn bit(&self, variable: VariableId, value: ValueIndex) -> (usize, u64) {
        let place = self.places[variable];
        let word = self.planes[value as usize].start + place / 64;
        (word as usize, 1 << (place % 64))
    }

    /// All variables.
    pub fn variables(&self) -> impl DoubleEndedIterator<Item = VariableId> + use<> {
        self.sizes.ids()
    }

    /// How many values a variable has.
    pub fn size(&self, variable: VariableId) -> ValueIndex {
        self.sizes[variable]
    }

    /// The cube of all states.
    pub fn everything(&self) -> &Cube {
        &self.everything
    }

    /// No bit set: not a cube, but where one begins.
    pub(crate) fn nothing(&self) -> &Cube {
        &self.nothing
    }

    /// Whether a cube allows a value.
    #[inline]
    pub fn allows(&self, cube: &Cube, variable: VariableId, value: ValueIndex) -> bool {
        let (word, bit) = self.bit(variable, value);
        cube.0[word] & bit != 0
    }

    /// The values a cube allows a variable, in order.
    pub fn values<'a>(
        &'a self,
        cube: &'a Cube,
        variable: VariableId,
    ) -> impl Iterator<Item = ValueIndex> + 'a {
        (0..self.sizes[variable]).filter(move |&value| self.allows(cube, variable, value))
    }

    /// The value of a variable in a state.
    pub fn value(&self, state: &Cube, variable: VariableId) -> ValueIndex {
        self.values(state, variable).next().unwrap_or(0)
    }

    /// Whether a cube says anything about a variable.
    pub fn constrains(&self, cube: &Cube, variable: VariableId) -> bool {
        (0..self.sizes[variable]).any(|value| !self.allows(cube, variable, value))
    }

    /// Allows a value.
    pub(crate) fn allow(&self, cube: &mut Cube, variable: VariableId, value: ValueIndex) {
        let (word, bit) = self.bit(variable, value);
        cube.0[word] |= bit;
    }

    /// Forbids a value.
    pub(crate) fn forbid(&self, cube: &mut Cube, variable: VariableId, value: ValueIndex) {
        let (word, bit) = self.bit(variable, value);
        cube.0[word] &= !bit;
    }

    /// Allows a variable all its values.
    pub(crate) fn free(&self, cube: &mut Cube, variable: VariableId) {
        (0..self.sizes[variable]).for_each(|value| self.allow(cube, variable, value));
    }

    /// Leaves a variable one value only.
    pub(crate) fn fix(&self, cube: &mut Cube, variable: VariableId, value: ValueIndex) {
        (0..self.sizes[variable]).for_each(|value| self.forbid(cube, variable, value));
        self.allow(cube, variable, value);
    }

    /// Whether some variable has no value left.
    pub(crate) fn is_empty(&self, cube: &Cube) -> bool {
        self.is_disjoint(cube, cube)
    }

    /// Whether two cubes have no state in common.
    #[inline]
    pub fn is_disjoint(&self, one: &Cube, other: &Cube) -> bool {
        let (one, other) = (one.words(), other.words());
        for (word, &mask) in self.mask.iter().enumerate() {
            let mut support = 0;
            for plane in &self.planes {
                if word >= plane.words as usize {
                    break;
                }
                let at = plane.start as usize + word;
                support |= one[at] & other[at];
            }
            if support != mask {
                return true;
            }
        }
        false
    }

    /// The variables of which some value that `region` allows is not allowed by `cube`.
    pub(crate) fn told_apart<'a>(
        &'a self,
        region: &'a Cube,
        cube: &'a Cube,
    ) -> impl Iterator<Item = VariableId> + 'a {
        let (region, cube) = (region.words(), cube.words());
        (0..self.mask.len()).flat_map(move |word| {
            let planes = self.planes.iter().take_while(move |plane| word < plane.words as usize);
            let differing = planes.fold(0, |bits, plane| {
                let at = plane.start as usize + word;
                bits | region[at] & !cube[at]
            });
            Ones(differing).map(move |bit| self.at_place[word * 64 + bit as usize])
        })
    }

    /// The states two cubes have in common, if any.
    pub fn meet(&self, one: &Cube, other: &Cube) -> Option<Cube> {
        (!self.is_disjoint(one, other)).then(|| one.and(other))
    }

    /// A cube of these words, if they are those of one.
    pub(crate) fn cube_from_words(&self, words: &[u64]) -> Option<Cube> {
        let fits = words.len() == self.everything.words().len();
        let cube = Cube(SmallVec::from_slice(words));
        let valid = fits && cube.is_within(&self.everything) && !self.is_empty(&cube);
        valid.then_some(cube)
    }

    /// A state of a cube: the first allowed value of each variable.
    pub(crate) fn first_state(&self, cube: &Cube) -> Cube {
        let mut state = self.nothing.clone();
        for variable in self.variables() {
            self.allow(&mut state, variable, self.value(cube, variable));
        }
        state
    }

    /// The state with these values.
    pub(crate) fn state(&self, values: &IndexVec<VariableId, ValueIndex>) -> Cube {
        let mut state = self.nothing.clone();
        values.iter_ids().for_each(|(variable, &value)| self.allow(&mut state, variable, value));
        state
    }

    /// How many states there are, as a number that may be large.
    pub fn state_count(&self) -> f64 {
        self.sizes.iter().map(|&size| f64::from(size)).product()
    }
}

/// The places of the bits that are set, in order.
struct Ones(u64);

impl Iterator for Ones {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        let bit = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        Layout::new(vec![2, 3, 70, 1].into())
    }

    #[test]
    fn a_state_has_one_value_per_variable() {
        let layout = layout();
        let state = layout.state(&vec![1, 2, 69, 0].into());
        let values: Vec<_> = layout.variables().map(|v| layout.value(&state, v)).collect();
        assert_eq!(values, [1, 2, 69, 0]);
        assert!(state.is_within(layout.everything()));
        assert_eq!(layout.state_count(), 420.0);
    }

    #[test]
    fn cubes_that_agree_on_no_value_of_one_variable_are_disjoint() {
        let layout = layout();
        let third = VariableId::new(2);
        let (mut low, mut high) = (layout.everything().clone(), layout.everything().clone());
        (0..35).for_each(|value| layout.forbid(&mut low, third, value));
        (35..70).for_each(|value| layout.forbid(&mut high, third, value));
        assert!(layout.is_disjoint(&low, &high));
        assert!(layout.meet(&low, layout.everything()).is_some());
        assert!(layout.constrains(&low, third) && !layout.constrains(&low, VariableId::new(0)));
    }

    #[test]
    fn more_variables_than_bits_in_a_word() {
        let layout = Layout::new(vec![3; 150].into());
        let mut cube = layout.everything().clone();
        layout.fix(&mut cube, VariableId::new(149), 2);
        let mut other = layout.everything().clone();
        layout.fix(&mut other, VariableId::new(149), 1);
        assert!(layout.is_disjoint(&cube, &other));
        layout.free(&mut other, VariableId::new(149));
        assert!(!layout.is_disjoint(&cube, &other));
    }
}
