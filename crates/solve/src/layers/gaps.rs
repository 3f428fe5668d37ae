//! Sorted keys as gaps, in the code of Golomb and Rice.
//!
//! A gap is written as a quotient in unary (so many zeros and a one) and a remainder of `low` bits, where 2^`low`
//! is about the mean gap. Evenly spread keys take about 1.5 bits more than their mean gap tells.

/// Bits, the lowest of each byte first.
#[derive(Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    word: u64,
    used: u32,
}

impl BitWriter {
    /// Appends the lowest `count` bits, at most 32.
    #[inline]
    pub(crate) fn put(&mut self, value: u64, count: u32) {
        self.word |= value << self.used;
        self.used += count;
        while self.used >= 8 {
            self.bytes.push(self.word as u8);
            self.word >>= 8;
            self.used -= 8;
        }
    }

    /// All bytes, the last one filled up with zeros.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.used > 0 {
            self.bytes.push(self.word as u8);
        }
        self.bytes
    }
}

/// Bits that are read.
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next 56 bits and more; zeros after the end.
    #[inline]
    fn peek(&self) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or(&[]);
        let word = match rest.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        word >> (self.at % 8)
    }

    /// The next bits, at most 32; none if there are not so many.
    #[inline]
    pub(crate) fn take(&mut self, count: u32) -> Option<u64> {
        let value = self.peek() & ((1 << count) - 1);
        self.at += count as usize;
        (self.at <= 8 * self.bytes.len()).then_some(value)
    }

    /// How many zeros come before the next one.
    #[inline]
    fn unary(&mut self) -> Option<u64> {
        let mut zeros = 0;
        loop {
            let word = self.peek();
            let ahead = word.trailing_zeros().min(56);
            self.at += ahead as usize;
            zeros += u64::from(ahead);
            if self.at >= 8 * self.bytes.len() {
                return None;
            }
            if ahead < 56 {
                self.at += 1;
                return Some(zeros);
            }
        }
    }
}

/// How many bits a remainder takes, for so many keys in a range of 2^`bits`.
pub(crate) fn low_bits(count: usize, bits: u32) -> u32 {
    bits.saturating_sub(count.max(1).ilog2()).saturating_sub(1).min(31)
}

/// Keys in order, each greater than the one before; the first one is not written.
pub(crate) fn write_gaps(keys: &[u64], low: u32) -> Vec<u8> {
    let mut writer = BitWriter::default();
    for two in keys.windows(2) {
        let gap = two[1] - two[0] - 1;
        let mut zeros = gap >> low;
        while zeros >= 32 {
            writer.put(0, 32);
            zeros -= 32;
        }
        writer.put(1 << zeros, zeros as u32 + 1);
        writer.put(gap & ((1 << low) - 1), low);
    }
    writer.finish()
}

/// Appends so many keys from the first one on; none if the bytes do not hold them.
pub(crate) fn read_gaps(
    bytes: &[u8],
    first: u64,
    count: usize,
    low: u32,
    keys: &mut Vec<u64>,
) -> Option<()> {
    let (mut reader, mut last) = (BitReader::new(bytes), first);
    keys.push(last);
    for _ in 1..count {
        let gap = reader.unary()?.checked_shl(low)? | reader.take(low)?;
        last = last.checked_add(gap)?.checked_add(1)?;
        keys.push(last);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_run::Random;

    #[test]
    fn what_is_written_is_read() {
        let mut random = Random::new(5);
        for (count, bits) in [(1, 10), (2, 60), (700, 12), (1000, 40), (4096, 12)] {
            let mut keys: Vec<u64> =
                (0..count).map(|_| random.word() & ((1 << bits) - 1)).collect();
            keys.sort_unstable();
            keys.dedup();
            let low = low_bits(keys.len(), bits);
            let bytes = write_gaps(&keys, low);
            let mut found = Vec::new();
            assert_eq!(read_gaps(&bytes, keys[0], keys.len(), low, &mut found), Some(()));
            assert_eq!(found, keys);
            if bytes.len() > 1 {
                let cut = &bytes[..bytes.len() / 2];
                assert_eq!(read_gaps(cut, keys[0], keys.len(), low, &mut Vec::new()), None);
            }
        }
    }
}
