//! A digest that tells damaged files: 64 bits of FNV-1a. Each byte moves it by a bijection, so that a change of
//! one byte is always seen. It is no protection against somebody who means to deceive.

/// The digest of bytes that follow on those with digest `before`.
pub(crate) fn digest_after(before: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(before, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The digest of bytes.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    digest_after(EMPTY, bytes)
}

/// The digest of nothing.
pub(crate) const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_function_and_sees_every_flipped_bit() {
        assert_eq!(digest(b"foobar"), 0x8594_4171_f739_67e8);
        let text = *b"(cell 1 1 x)";
        for place in 0..text.len() * 8 {
            let mut damaged = text;
            damaged[place / 8] ^= 1 << (place % 8);
            assert_ne!(digest(&damaged), digest(&text));
        }
    }
}
