//! To which worker a key belongs, and to which of its partitions.
//!
//! The partition of a key is its top bits; partition `p` belongs to worker `p` modulo the number of workers. Where a
//! layer does not fit in memory, a worker's partitions are taken in passes, as if there were so many times as many
//! workers.

/// Division by a number below 2^16 of numbers below 2^16, by multiplication.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    divisor: u32,
    inverse: u64,
}

impl Divisor {
    fn new(divisor: u32) -> Self {
        Self { divisor, inverse: (1u64 << 32).div_ceil(divisor.into()) }
    }

    #[inline]
    fn quotient(self, number: u32) -> u32 {
        ((u64::from(number) * self.inverse) >> 32) as u32
    }

    #[inline]
    fn remainder(self, number: u32) -> u32 {
        number - self.quotient(number) * self.divisor
    }
}

/// How a key finds the worker it belongs to, in one pass of one worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Routing {
    /// Bits of a key below its partition.
    pub(crate) low: u32,
    /// Bits of a partition.
    partition_bits: u32,
    peers: Divisor,
    mine: u32,
    passes: Divisor,
    pass: u32,
}

impl Routing {
    /// For this worker of so many, and this pass of so many.
    pub(crate) fn new(
        low: u32,
        partition_bits: u32,
        (peers, mine): (u32, u32),
        (passes, pass): (u32, u32),
    ) -> Self {
        let (peers, passes) = (Divisor::new(peers), Divisor::new(passes));
        Self { low, partition_bits, peers, mine, passes, pass }
    }

    #[inline]
    fn partition(self, key: u64) -> u32 {
        (key >> self.low) as u32
    }

    /// A key without its partition.
    #[inline]
    pub(crate) fn low_of(self, key: u64) -> u64 {
        key & ((1 << self.low) - 1)
    }

    /// The worker a key belongs to.
    #[inline]
    pub(crate) fn owner(self, key: u64) -> usize {
        self.peers.remainder(self.partition(key)) as usize
    }

    /// The worker a key belongs to, unless it is this one.
    #[inline]
    pub(crate) fn elsewhere(self, key: u64) -> Option<usize> {
        Some(self.owner(key)).filter(|&owner| owner != self.mine as usize)
    }

    /// Whether a key is of this pass, for whichever worker.
    #[inline]
    pub(crate) fn in_pass(self, key: u64) -> bool {
        let place = self.peers.quotient(self.partition(key));
        self.passes.remainder(place) == self.pass
    }

    /// The place of its partition among those of the owner in this pass.
    #[inline]
    pub(crate) fn place(self, key: u64) -> usize {
        self.passes.quotient(self.peers.quotient(self.partition(key))) as usize
    }

    /// The partitions of this worker in this pass, in order.
    pub(crate) fn partitions(self) -> impl Iterator<Item = u32> + use<> {
        let all = 1u32 << self.partition_bits;
        (self.file()..all).step_by(self.files() as usize)
    }

    /// How many passes there are.
    pub(crate) fn passes(self) -> u32 {
        self.passes.divisor
    }

    /// How many partitions there are in this one.
    pub(crate) fn places(self) -> usize {
        self.partitions().count()
    }

    /// How many files all workers write in all passes, and which of them this worker writes in this pass.
    pub(crate) fn files(self) -> u32 {
        self.peers.divisor * self.passes.divisor
    }

    /// See `files`.
    pub(crate) fn file(self) -> u32 {
        self.pass * self.peers.divisor + self.mine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_one_owner_and_a_place_in_one_pass() {
        for (peers, passes) in [(1, 1), (2, 1), (3, 2), (5, 4), (7, 1), (1, 6)] {
            let mut met = vec![0; 256];
            for (mine, pass) in
                (0..peers).flat_map(|mine| (0..passes).map(move |pass| (mine, pass)))
            {
                let routing = Routing::new(10, 8, (peers, mine), (passes, pass));
                for (place, partition) in routing.partitions().enumerate() {
                    let key = u64::from(partition) << 10 | 77;
                    assert_eq!((routing.elsewhere(key), routing.place(key)), (None, place));
                    assert!(routing.in_pass(key) && routing.low_of(key) == 77);
                    met[partition as usize] += 1;
                }
                assert_eq!(routing.places(), routing.partitions().count());
            }
            assert!(met.iter().all(|&count| count == 1), "{peers} {passes}");
        }
    }
}
