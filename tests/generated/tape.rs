//! Games as lists of numbers: whatever the numbers are, they make a game, and fewer or smaller
//! numbers make a simpler one.

/// Numbers to be read one after the other; zeros at the end without end.
pub(crate) struct Tape<'a> {
    numbers: std::slice::Iter<'a, u16>,
}

impl<'a> Tape<'a> {
    pub(crate) fn of(numbers: &'a [u16]) -> Self {
        Self { numbers: numbers.iter() }
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::from(self.numbers.next().copied().unwrap_or(0)) % limit.max(1)
    }

    /// True once in `of` cases, and never at the end of the tape.
    pub(crate) fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    /// One of these.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Numbers that depend on the seed alone (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// A list of random length.
pub(crate) fn random(seed: u64, longest: usize) -> Vec<u16> {
    let mut random = Random(seed);
    let length = longest / 4 + random.below(longest - longest / 4);
    (0..length).map(|_| random.next() as u16).collect()
}

/// A list as short and small as possible for which `fails` still holds.
pub(crate) fn shortest(numbers: &[u16], fails: impl Fn(&[u16]) -> bool) -> Vec<u16> {
    let mut best = numbers.to_vec();
    loop {
        let before = best.clone();
        let mut size = best.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < best.len() {
                let end = (at + size).min(best.len());
                let without: Vec<u16> = [&best[..at], &best[end..]].concat();
                let mut zeroed = best.clone();
                zeroed[at..end].fill(0);
                if fails(&without) {
                    best = without;
                } else if zeroed != best && fails(&zeroed) {
                    best = zeroed;
                    at = end;
                } else {
                    at = end;
                }
            }
            if size == 1 {
                break;
            }
            size /= 2;
        }
        if best == before {
            return best;
        }
    }
}
