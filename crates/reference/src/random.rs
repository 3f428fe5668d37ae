//! Random numbers for playouts: SplitMix64, so that a seed means the same game everywhere.

/// A generator of equally likely numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The sequence of this seed.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of the items, each equally likely; none if there is none. Numbers that would favour
    /// some items are drawn again.
    pub(crate) fn choose<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        let count = u64::try_from(items.len()).ok().filter(|&count| count > 0)?;
        let fair = u64::MAX - u64::MAX % count;
        loop {
            let number = self.next();
            if number < fair {
                return usize::try_from(number % count)
                    .ok()
                    .and_then(|place| items.get(place).copied());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_about_equally_likely() {
        let mut random = Random::seeded(1);
        let mut counts = [0u32; 3];
        for _ in 0..30_000 {
            counts[random.choose(&[0usize, 1, 2]).unwrap()] += 1;
        }
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 400), "{counts:?}");
    }

    #[test]
    fn of_nothing_nothing_is_chosen() {
        assert_eq!(Random::seeded(1).choose::<u8>(&[]), None);
    }
}
