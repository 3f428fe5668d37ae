//! Numbers side by side in as few bits as the greatest of them needs.

use super::groups::bits_for;

/// Numbers that are not changed any more.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    width: u32,
    len: usize,
    /// One word more than the numbers fill, so that a number may be read across an edge anywhere.
    words: Box<[u64]>,
}

impl Packed {
    /// These numbers.
    pub(crate) fn of(numbers: &[u32]) -> Self {
        let most = numbers.iter().copied().max().unwrap_or(0);
        let width = bits_for(most as usize + 1);
        let mut words = vec![0u64; (numbers.len() * width as usize) / 64 + 2];
        for (place, &number) in numbers.iter().enumerate() {
            let (word, shift) = position(place, width);
            words[word] |= u64::from(number) << shift;
            words[word + 1] |= u64::from(number) >> 1 >> (63 - shift);
        }
        Self { width, len: numbers.len(), words: words.into() }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// One of them.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> u32 {
        let (word, shift) = position(place, self.width);
        let both = self.words[word] >> shift | self.words[word + 1] << 1 << (63 - shift);
        (both & ((1 << self.width) - 1)) as u32
    }

    /// How many bytes they take.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + 8 * self.words.len()
    }
}

/// The word and the bit at which a number begins.
#[inline]
fn position(place: usize, width: u32) -> (usize, u32) {
    let bit = place * width as usize;
    (bit / 64, (bit % 64) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_run::Random;

    #[test]
    fn what_is_packed_is_read() {
        let mut random = Random::new(7);
        for bits in [0, 1, 5, 21, 31, 32] {
            let below = |word: u64| (word & ((1u64 << bits) - 1)) as u32;
            let numbers: Vec<u32> = (0..1000).map(|_| below(random.word())).collect();
            let packed = Packed::of(&numbers);
            assert!((0..numbers.len()).all(|place| packed.get(place) == numbers[place]));
            assert_eq!((packed.len(), Packed::of(&[]).len()), (1000, 0));
            assert!(packed.bytes() <= 1000 * bits / 8 + 64);
        }
    }
}
