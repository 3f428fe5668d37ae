//! Small numbers, one per lane, counted in all lanes at once: bit `p` of the number of a lane is that
//! lane's bit of plane `p`.

use crate::evaluate::lanes::{LANES, NONE, Word, and, and_not, is_none, lanes_of, set, xor};

/// A number per lane.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    planes: Vec<Word>,
}

impl Tally {
    /// One more in some lanes.
    pub(crate) fn add(&mut self, lanes: &Word) {
        let mut carry = *lanes;
        for plane in &mut self.planes {
            if is_none(&carry) {
                return;
            }
            let both = and(plane, &carry);
            *plane = xor(plane, &carry);
            carry = both;
        }
        if !is_none(&carry) {
            self.planes.push(carry);
        }
    }

    /// One less in some lanes, in which the number is not 0.
    pub(crate) fn subtract(&mut self, lanes: &Word) {
        let mut borrow = *lanes;
        for plane in &mut self.planes {
            if is_none(&borrow) {
                return;
            }
            let left = and_not(&borrow, plane);
            *plane = xor(plane, &borrow);
            borrow = left;
        }
    }

    /// The lanes, among some, whose number is 0.
    pub(crate) fn zero_in(&self, lanes: &Word) -> Word {
        self.planes.iter().fold(*lanes, |zero, plane| and_not(&zero, plane))
    }

    /// The number of every lane.
    pub(crate) fn numbers(&self) -> [u32; LANES] {
        let mut numbers = [0; LANES];
        for (place, plane) in self.planes.iter().enumerate() {
            lanes_of(plane).for_each(|lane| numbers[lane] |= 1 << place);
        }
        numbers
    }

    /// Gives every lane a number.
    pub(crate) fn of(numbers: &[u32; LANES]) -> Self {
        let most = numbers.iter().copied().max().unwrap_or(0);
        let mut planes = vec![NONE; (u32::BITS - most.leading_zeros()) as usize];
        for (lane, &number) in numbers.iter().enumerate() {
            for (place, plane) in planes.iter_mut().enumerate() {
                if number >> place & 1 == 1 {
                    set(plane, lane);
                }
            }
        }
        Self { planes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_up_and_down_agrees_with_numbers() {
        let wanted: [u32; LANES] = std::array::from_fn(|lane| (lane * 37 % 301) as u32);
        let mut tally = Tally::default();
        for step in 0..301 {
            let mut lanes = NONE;
            (0..LANES).filter(|&lane| step < wanted[lane]).for_each(|lane| set(&mut lanes, lane));
            tally.add(&lanes);
        }
        assert_eq!(tally.numbers(), wanted);
        let mut down = Tally::of(&wanted);
        let mut above = NONE;
        (0..LANES).filter(|&lane| wanted[lane] > 0).for_each(|lane| set(&mut above, lane));
        down.subtract(&above);
        assert_eq!(down.numbers(), wanted.map(|number| number.saturating_sub(1)));
        let zero = down.zero_in(&crate::evaluate::lanes::ALL);
        assert!(lanes_of(&zero).all(|lane| wanted[lane] <= 1));
    }
}
