//! The least of the states that are equal by symmetry.

/// Renamings of fluents, ready to be applied to states byte by byte.
pub(crate) struct Images {
    width: usize,
    /// For each renaming, byte and value of the byte the words it adds.
    tables: Vec<Vec<u64>>,
}

impl Images {
    /// For renamings given as the image of each fluent.
    pub(crate) fn new(renamings: &[Vec<u32>], width: usize) -> Self {
        Self { width, tables: renamings.iter().map(|images| table(images, width)).collect() }
    }

    /// Replaces a state by the least of its images.
    pub(crate) fn make_least(&self, state: &mut [u64]) {
        if let ([word], 1) = (&mut *state, self.width) {
            let own = *word;
            *word = self.tables.iter().map(|table| image_of_word(table, own)).fold(own, u64::min);
            return;
        }
        let (own, mut image) = (state.to_vec(), vec![0; self.width]);
        for table in &self.tables {
            image.fill(0);
            for (byte, rows) in table.chunks_exact(256 * self.width).enumerate() {
                let bits = (own[byte / 8] >> (8 * (byte % 8))) as u8;
                let added = &rows[usize::from(bits) * self.width..][..self.width];
                image.iter_mut().zip(added).for_each(|(word, added)| *word |= added);
            }
            if *image < *state {
                state.copy_from_slice(&image);
            }
        }
    }
}

/// The image of a state of one word.
fn image_of_word(table: &[u64], state: u64) -> u64 {
    let rows = table.chunks_exact(256).zip(state.to_le_bytes());
    rows.fold(0, |image, (row, byte)| image | row[usize::from(byte)])
}

fn table(images: &[u32], width: usize) -> Vec<u64> {
    let mut table = vec![0; images.len().div_ceil(8) * 256 * width];
    for (byte, rows) in table.chunks_exact_mut(256 * width).enumerate() {
        for (value, row) in rows.chunks_exact_mut(width).enumerate() {
            for bit in (0..8).filter(|bit| value >> bit & 1 == 1) {
                if let Some(&image) = images.get(8 * byte + bit) {
                    row[image as usize / 64] |= 1 << (image % 64);
                }
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_states_have_the_same_least_image() {
        let turned = Images::new(&[vec![1, 2, 0], vec![2, 0, 1]], 1);
        for state in 1..7u64 {
            let (mut one, mut other) = ([state], [state << 1 & 7 | state >> 2]);
            turned.make_least(&mut one);
            turned.make_least(&mut other);
            assert_eq!(one, other, "{state}");
        }
    }
}
