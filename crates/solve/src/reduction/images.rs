//! The least of the states that are equal by symmetry.

use smallvec::SmallVec;

/// Renamings of fluents, ready to be applied to states byte by byte. Many renamings do the same to a
/// byte, so what becomes of it is looked up once for all of them.
pub(crate) struct Images {
    width: usize,
    /// What can become of bytes.
    ways: Vec<Way>,
    /// For each renaming and byte the number of what becomes of it.
    renamings: Vec<Vec<u32>>,
}

/// What becomes of a byte of a state: the words that each value of it adds.
#[derive(PartialEq, Eq)]
struct Way {
    byte: usize,
    rows: Vec<u64>,
}

impl Images {
    /// For renamings given as the image of each fluent.
    pub(crate) fn new(renamings: &[Vec<u32>], width: usize) -> Self {
        let mut images = Self { width, ways: Vec::new(), renamings: Vec::new() };
        for renaming in renamings {
            let bytes = 0..renaming.len().div_ceil(8);
            let ways = bytes.map(|byte| images.number(way(renaming, byte, width))).collect();
            images.renamings.push(ways);
        }
        images
    }

    fn number(&mut self, way: Way) -> u32 {
        let known = self.ways.iter().position(|known| *known == way);
        known.unwrap_or_else(|| {
            self.ways.push(way);
            self.ways.len() - 1
        }) as u32
    }

    /// Replaces a state by the least of its images.
    pub(crate) fn make_least(&self, state: &mut [u64]) {
        match self.width {
            _ if self.renamings.is_empty() => {}
            1 => self.make_least_of::<1>(state),
            2 => self.make_least_of::<2>(state),
            3 => self.make_least_of::<3>(state),
            4 => self.make_least_of::<4>(state),
            _ => self.make_least_of_many(state),
        }
    }

    fn make_least_of<const WIDTH: usize>(&self, state: &mut [u64]) {
        let added: SmallVec<[[u64; WIDTH]; 64]> = self
            .ways
            .iter()
            .map(|way| std::array::from_fn(|word| way.added(state, WIDTH)[word]))
            .collect();
        for renaming in &self.renamings {
            let mut image = [0; WIDTH];
            for &way in renaming {
                let added = &added[way as usize];
                image.iter_mut().zip(added).for_each(|(word, added)| *word |= added);
            }
            if image[..] < *state {
                state.copy_from_slice(&image);
            }
        }
    }

    fn make_least_of_many(&self, state: &mut [u64]) {
        let (own, mut image) = (state.to_vec(), vec![0; self.width]);
        for renaming in &self.renamings {
            image.fill(0);
            for &way in renaming {
                let added = self.ways[way as usize].added(&own, self.width);
                image.iter_mut().zip(added).for_each(|(word, added)| *word |= added);
            }
            if *image < *state {
                state.copy_from_slice(&image);
            }
        }
    }
}

impl Way {
    /// The words that the byte of a state adds to the image.
    fn added(&self, state: &[u64], width: usize) -> &[u64] {
        let value = (state[self.byte / 8] >> (8 * (self.byte % 8))) as u8;
        &self.rows[usize::from(value) * width..][..width]
    }
}

fn way(images: &[u32], byte: usize, width: usize) -> Way {
    let mut rows = vec![0; 256 * width];
    for (value, row) in rows.chunks_exact_mut(width).enumerate() {
        for bit in (0..8).filter(|bit| value >> bit & 1 == 1) {
            if let Some(&image) = images.get(8 * byte + bit) {
                row[image as usize / 64] |= 1 << (image % 64);
            }
        }
    }
    Way { byte, rows }
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

    /// The last fluent of some words goes to the first place of the first or of the second word.
    #[test]
    fn wide_states_have_least_images() {
        for width in 1..6usize {
            let count = 64 * width as u32;
            let shift = |by: u32| (0..count).map(|fluent| (fluent + by) % count).collect();
            let images = Images::new(&[shift(1), shift(65)], width);
            let (mut last, mut moved) = (vec![0; width], vec![0; width]);
            last[width - 1] = 1 << 63;
            moved[usize::from(width > 1)] = 1;
            let mut state = last.clone();
            images.make_least(&mut state);
            assert_eq!(state, moved.min(last), "{width}");
        }
    }
}
