//! The last line of a file that is read back: a digest of all that stands before it, so that no damaged file is taken
//! for another one. The digest is FNV-1a in 64 bits: each byte moves it by a bijection, and so every change of one
//! byte is seen.

const LENGTH: usize = "sum 0123456789abcdef\n".len();

/// The content of a file whose digest is right.
pub(crate) fn unsealed(file: &[u8]) -> Option<&[u8]> {
    let (content, line) = file.split_at_checked(file.len().checked_sub(LENGTH)?)?;
    (line == seal(content).as_bytes()).then_some(content)
}

/// The line that belongs after a content.
pub(crate) fn seal(content: &[u8]) -> String {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let sum = content.iter().fold(0xcbf2_9ce4_8422_2325, step);
    format!("sum {sum:016x}\n")
}
