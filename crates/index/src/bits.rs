//! The bits of words, by their places.

/// The places of the bits of a word that are set, ascending.
#[inline]
pub fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(bit)
    })
}

/// The places of the bits of a row of words that are set, ascending.
pub fn ones_of_row(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(word, &bits)| ones(bits).map(move |bit| 64 * word + bit))
}

/// Whether a bit of a row is set.
#[inline]
pub fn is_set(row: &[u64], place: usize) -> bool {
    row[place / 64] >> (place % 64) & 1 == 1
}

/// Sets a bit of a row.
#[inline]
pub fn set(row: &mut [u64], place: usize) {
    row[place / 64] |= 1 << (place % 64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_found_across_words() {
        let mut row = [0; 3];
        let places = [0, 63, 64, 129];
        places.iter().for_each(|&place| set(&mut row, place));
        assert_eq!(ones_of_row(&row).collect::<Vec<_>>(), places);
        assert!(is_set(&row, 129) && !is_set(&row, 128));
    }
}
