//! Checkpoints: the expensive entries of the table, and the range of values that is left.
//!
//! Entries are proofs, so a search that begins with them comes to the same value.
//!
//! Entries are proofs, so a search that begins with them comes to the same value.

use super::Range;
use super::table::{Entry, Table};
use super::weights::Weights;
use crate::checkpoint::{Kind, Words, Writer};
use crate::error::BadCheckpoint;

/// The most entries that are kept.
const MOST_ENTRIES: u64 = 1_000_000;
/// Entries that are sampled to find out how many are expensive.
const SAMPLE: u64 = 4_000_000;

/// The state of a search that is continued.
pub(super) struct Checkpoint<const K: usize> {
    pub(super) range: Range,
    pub(super) weights: Weights,
    pub(super) nodes: u64,
    pub(super) entries: Vec<([u64; K], Entry)>,
}

/// The words of a checkpoint.
pub(super) fn write<const K: usize>(
    fingerprint: u64,
    range: Range,
    weights: &Weights,
    nodes: u64,
    table: &Table<K>,
) -> Vec<u8> {
    let mut words = Writer::new(Kind::Table, fingerprint);
    let range = u64::from(range.least) | u64::from(range.most) << 8;
    words.put_all([K as u64, nodes, range]);
    words.put_all(weights.to_words());
    for (key, entry) in table.entries(dear(table)) {
        words.put_all(key);
        words.put(entry.pack());
    }
    words.finish()
}

/// The least work of the entries that are kept. A part of a large table tells what the whole is like.
fn dear<const K: usize>(table: &Table<K>) -> u8 {
    let mut counts = [0u64; 65];
    let every = (table.room() / SAMPLE).max(1);
    let seen = table.some_entries(every as usize);
    seen.for_each(|(_, entry)| counts[usize::from(entry.work.min(64))] += every);
    let mut kept = 0;
    for work in (1..counts.len()).rev() {
        kept += counts[work];
        if kept > MOST_ENTRIES {
            return work as u8 + 1;
        }
    }
    1
}

pub(super) fn read<const K: usize>(
    bytes: &[u8],
    fingerprint: u64,
) -> Result<Checkpoint<K>, BadCheckpoint> {
    let mut words = Words::open(bytes, Kind::Table, fingerprint)?;
    if words.next() != Some(K as u64) {
        return Err(BadCheckpoint::Other);
    }
    table(&mut words).ok_or(BadCheckpoint::Damaged)
}

fn table<const K: usize>(words: &mut Words<'_>) -> Option<Checkpoint<K>> {
    let (nodes, range) = (words.next()?, words.next()?);
    let number = |&word: &[u8; 8]| u64::from_le_bytes(word);
    let weights: Vec<u64> = words.take(Weights::WORDS)?.iter().map(number).collect();
    let entries = words.rest().chunks_exact(K + 1).map(|row| {
        let key = std::array::from_fn(|place| number(&row[place]));
        (key, Entry::unpack(number(&row[K])))
    });
    Some(Checkpoint {
        range: Range { least: range as u8, most: (range >> 8) as u8 },
        weights: Weights::from_words(&weights)?,
        nodes,
        entries: entries.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Vec<u8> {
        let table = Table::<1>::within(1 << 12);
        for key in 0..20 {
            table.add(&[key], Entry { least: 1, most: 2, work: 3, action: key as u32 });
        }
        write(7, Range { least: 0, most: 2 }, &Weights::ALL, 99, &table)
    }

    #[test]
    fn what_is_written_is_read() {
        let found = read::<1>(&checkpoint(), 7).map_err(|bad| bad.to_string()).unwrap();
        assert_eq!((found.nodes, found.weights), (99, Weights::ALL));
        assert_eq!((found.range.least, found.range.most), (0, 2));
        assert!(found.entries.iter().all(|(key, entry)| key[0] == u64::from(entry.action)));
        assert!(found.entries.len() > 10);
    }

    #[test]
    fn damaged_checkpoints_and_those_of_other_games_are_refused() {
        let bytes = checkpoint();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 4;
            assert!(read::<1>(&damaged, 7).is_err(), "{place}");
            assert!(read::<1>(&bytes[..place], 7).is_err(), "{place}");
        }
        assert_eq!(read::<1>(&bytes, 8).err(), Some(BadCheckpoint::Other));
        assert_eq!(read::<2>(&bytes, 7).err(), Some(BadCheckpoint::Other));
    }
}
