//! Files of a layer: sorted keys in gaps, and values in few bits.
//!
//! A file is a *head* and a body. The head is eight letters, the length and the digest of what follows, and then
//! a description in JSON: of what plan and layer it is, and for each partition where its bytes lie in the body, how
//! many states it has, and the digest of its bytes. The keys of a partition are cut into blocks: a table with the first
//! key of each block and where it begins, then the blocks, each in gaps (`gaps`). Values are numbers into the
//! palette of the file, all of the same few bits, in the order of the keys.

use std::ops::Range;

use gambol_verify::Fraction;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::gaps::{BitReader, BitWriter, low_bits, read_gaps, write_gaps};
use super::groups::bits_for;
use super::key_code::Moment;
use super::shelf::Shelf;
use crate::store_error::StoreError;

/// Changes whenever files are written in another way.
pub(crate) const VERSION: u32 = 1;
/// Keys of a block.
const BLOCK: usize = 4096;
/// Letters, length of the description, its digest.
const HEAD: u64 = 24;

/// What a partition has in a file.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) partition: u32,
    pub(crate) states: u64,
    offset: u64,
    bytes: u64,
    digest: u64,
}

/// What stands at the head of a file of keys.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct KeyHead {
    version: u32,
    plan: u64,
    layer: u32,
    pub(crate) moment: Moment,
    pub(crate) pieces: Vec<Piece>,
}

/// What a role can secure, from the worst reading of unclear ends to the best.
pub(crate) type Range2 = [Fraction; 2];

/// What stands at the head of a file of values.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct ValueHead {
    version: u32,
    plan: u64,
    layer: u32,
    /// The values that occur: for each role from the worst reading to the best.
    pub(crate) palette: Vec<Vec<Range2>>,
    /// How many states of this file have each of them.
    pub(crate) states: Vec<u64>,
    /// The least and the most that the goals add up to in an end of this file; none if there is no end.
    pub(crate) sums: Option<[u64; 2]>,
    pub(crate) pieces: Vec<Piece>,
}

/// Which layer of which plan, and how its keys are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) plan: u64,
    pub(crate) layer: u32,
    /// Bits of a key that vary within a partition.
    pub(crate) low: u32,
}

impl Place {
    fn key_of(self, partition: u32, low: u64) -> u64 {
        u64::from(partition) << self.low | low
    }

    fn low_of(self, key: u64) -> u64 {
        key & ((1 << self.low) - 1)
    }
}

/// A file of keys, partition by partition.
pub(crate) fn write_keys(place: Place, moment: &Moment, partitions: &[(u32, Vec<u64>)]) -> Vec<u8> {
    let bodies = partitions
        .iter()
        .map(|(partition, keys)| (*partition, keys.len() as u64, key_body(place, keys)));
    let (pieces, body) = assemble(bodies);
    let Place { plan, layer, .. } = place;
    let head = KeyHead { version: VERSION, plan, layer, moment: moment.clone(), pieces };
    with_head(b"gmbl-key", &head, &body)
}

fn key_body(place: Place, keys: &[u64]) -> Vec<u8> {
    let keys: Vec<u64> = keys.iter().map(|&key| place.low_of(key)).collect();
    let low = low_bits(keys.len(), place.low);
    let blocks: Vec<Vec<u8>> = keys.chunks(BLOCK).map(|keys| write_gaps(keys, low)).collect();
    let (mut body, mut offset) = (Vec::new(), 16 * blocks.len() as u64);
    for (keys, block) in keys.chunks(BLOCK).zip(&blocks) {
        body.extend_from_slice(&keys[0].to_le_bytes());
        body.extend_from_slice(&offset.to_le_bytes());
        offset += block.len() as u64;
    }
    blocks.iter().for_each(|block| body.extend_from_slice(block));
    body
}

/// A file of values: for each partition the numbers of the values of its keys.
pub(crate) fn write_values(
    place: Place,
    palette: &[Vec<Range2>],
    sums: Option<[u64; 2]>,
    partitions: &[(u32, &[u16])],
) -> Vec<u8> {
    let width = bits_for(palette.len());
    let mut states = vec![0; palette.len()];
    for &number in partitions.iter().flat_map(|(_, values)| *values) {
        states[number as usize] += 1;
    }
    let bodies = partitions.iter().map(|(partition, values)| {
        let mut writer = BitWriter::default();
        values.iter().for_each(|&number| writer.put(number.into(), width));
        (*partition, values.len() as u64, writer.finish())
    });
    let (pieces, body) = assemble(bodies);
    let Place { plan, layer, .. } = place;
    let palette = palette.to_vec();
    let head = ValueHead { version: VERSION, plan, layer, palette, states, sums, pieces };
    with_head(b"gmbl-val", &head, &body)
}

fn assemble(bodies: impl Iterator<Item = (u32, u64, Vec<u8>)>) -> (Vec<Piece>, Vec<u8>) {
    let (mut pieces, mut all) = (Vec::new(), Vec::new());
    for (partition, states, body) in bodies {
        let (offset, bytes) = (all.len() as u64, body.len() as u64);
        pieces.push(Piece { partition, states, offset, bytes, digest: digest(&body) });
        all.extend_from_slice(&body);
    }
    (pieces, all)
}

fn with_head(letters: &[u8; 8], head: &impl Serialize, body: &[u8]) -> Vec<u8> {
    // Numbers, lists and text always have a form in JSON.
    let head = serde_json::to_vec(head).unwrap_or_default();
    let mut file = letters.to_vec();
    file.extend_from_slice(&(head.len() as u64).to_le_bytes());
    file.extend_from_slice(&digest(&head).to_le_bytes());
    file.extend_from_slice(&head);
    file.extend_from_slice(body);
    file
}

/// A file that is open: its head was read and found whole.
pub(crate) struct Open<'a, H> {
    shelf: &'a dyn Shelf,
    name: String,
    pub(crate) head: H,
    body: u64,
    place: Place,
}

impl<'a> Open<'a, KeyHead> {
    /// Opens a file of keys.
    pub(crate) fn keys(
        shelf: &'a dyn Shelf,
        name: String,
        place: Place,
    ) -> Result<Self, StoreError> {
        let (head, body): (KeyHead, u64) = read_head(shelf, &name, b"gmbl-key")?;
        let open = Self { shelf, name, head, body, place };
        open.belongs(open.head.version, open.head.plan, open.head.layer)?;
        Ok(open)
    }

    /// Appends all keys of a piece.
    pub(crate) fn add_keys(&self, piece: &Piece, keys: &mut Vec<u64>) -> Result<(), StoreError> {
        let body = self.body_of(piece)?;
        let before = keys.len();
        keys.reserve_exact(piece.states as usize);
        for (first, bytes, count) in self.blocks(piece, &body)? {
            let low = low_bits(piece.states as usize, self.place.low);
            let block = body.get(bytes).ok_or_else(|| self.damaged())?;
            read_gaps(block, first, count, low, keys).ok_or_else(|| self.damaged())?;
        }
        keys[before..].iter_mut().for_each(|key| *key = self.place.key_of(piece.partition, *key));
        Ok(())
    }

    /// The number of a key among those of its piece. Reads the table of blocks and one block.
    pub(crate) fn find(&self, piece: &Piece, key: u64) -> Result<Option<usize>, StoreError> {
        let wanted = self.place.low_of(key);
        let table = 16 * piece.states.div_ceil(BLOCK as u64);
        let start = self.body + piece.offset;
        let table = self.read(start..start + table.min(piece.bytes))?;
        let blocks = self.blocks(piece, &table)?;
        let before = blocks.partition_point(|block| block.0 <= wanted);
        let Some(number) = before.checked_sub(1) else { return Ok(None) };
        let (first, bytes, count) = blocks[number].clone();
        let block = self.read(start + bytes.start as u64..start + bytes.end as u64)?;
        let (mut keys, low) = (Vec::new(), low_bits(piece.states as usize, self.place.low));
        read_gaps(&block, first, count, low, &mut keys).ok_or_else(|| self.damaged())?;
        Ok(keys.binary_search(&wanted).ok().map(|place| number * BLOCK + place))
    }

    /// For each block its first key, where it lies, and how many keys it has.
    fn blocks(
        &self,
        piece: &Piece,
        body: &[u8],
    ) -> Result<Vec<(u64, Range<usize>, usize)>, StoreError> {
        let count = (piece.states as usize).div_ceil(BLOCK);
        let table = body.get(..16 * count).ok_or_else(|| self.damaged())?;
        let words: Vec<u64> =
            table.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        let end =
            |number: usize| words.get(2 * number + 3).copied().unwrap_or(piece.bytes) as usize;
        let keys = |number: usize| (piece.states as usize - number * BLOCK).min(BLOCK);
        let block = |number: usize| {
            (words[2 * number], words[2 * number + 1] as usize..end(number), keys(number))
        };
        let blocks: Vec<_> = (0..count).map(block).collect();
        let whole = |(first, bytes, _): &(u64, Range<usize>, usize)| {
            bytes.start <= bytes.end
                && bytes.end as u64 <= piece.bytes
                && first >> self.place.low == 0
        };
        if blocks.iter().all(whole) { Ok(blocks) } else { Err(self.damaged()) }
    }
}

impl<'a> Open<'a, ValueHead> {
    /// Opens a file of values.
    pub(crate) fn values(
        shelf: &'a dyn Shelf,
        name: String,
        place: Place,
    ) -> Result<Self, StoreError> {
        let (head, body): (ValueHead, u64) = read_head(shelf, &name, b"gmbl-val")?;
        let open = Self { shelf, name, head, body, place };
        open.belongs(open.head.version, open.head.plan, open.head.layer)?;
        Ok(open)
    }

    /// The numbers of all values of a piece.
    pub(crate) fn all_values(&self, piece: &Piece) -> Result<Vec<u16>, StoreError> {
        let body = self.body_of(piece)?;
        let (mut reader, width) = (BitReader::new(&body), bits_for(self.head.palette.len()));
        let mut next = || self.number(reader.take(width));
        (0..piece.states).map(|_| next()).collect()
    }

    /// The value of a state by its number within its piece.
    pub(crate) fn value(&self, piece: &Piece, state: usize) -> Result<&[Range2], StoreError> {
        let width = bits_for(self.head.palette.len()) as usize;
        let start = self.body + piece.offset + (state * width / 8) as u64;
        let end = start + (width as u64).div_ceil(8) + 1;
        let bytes = self.read(start..end.min(self.body + piece.offset + piece.bytes))?;
        let mut reader = BitReader::new(&bytes);
        reader.take((state * width % 8) as u32);
        let number = self.number(reader.take(width as u32))?;
        Ok(&self.head.palette[number as usize])
    }

    fn number(&self, read: Option<u64>) -> Result<u16, StoreError> {
        let known = read.filter(|&number| number < self.head.palette.len() as u64);
        known.map(|number| number as u16).ok_or_else(|| self.damaged())
    }
}

impl<H> Open<'_, H> {
    fn belongs(&self, version: u32, plan: u64, layer: u32) -> Result<(), StoreError> {
        if version != VERSION {
            return Err(StoreError::Version(self.name.clone()));
        }
        match (plan, layer) == (self.place.plan, self.place.layer) {
            true => Ok(()),
            false => Err(StoreError::Other(self.name.clone())),
        }
    }

    fn damaged(&self) -> StoreError {
        StoreError::Damaged(self.name.clone())
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let bytes = self.shelf.read(&self.name, range.clone());
        let bytes = bytes.map_err(|error| StoreError::read(&self.name, &error))?;
        if bytes.len() as u64 == range.end - range.start { Ok(bytes) } else { Err(self.damaged()) }
    }

    /// The bytes of a piece, found whole.
    fn body_of(&self, piece: &Piece) -> Result<Vec<u8>, StoreError> {
        let start = self.body.checked_add(piece.offset).ok_or_else(|| self.damaged())?;
        let end = start.checked_add(piece.bytes).ok_or_else(|| self.damaged())?;
        let body = self.read(start..end)?;
        if digest(&body) == piece.digest { Ok(body) } else { Err(self.damaged()) }
    }
}

/// The description at the head of a file, and where its body begins.
fn read_head<H: DeserializeOwned>(
    shelf: &dyn Shelf,
    name: &str,
    letters: &[u8; 8],
) -> Result<(H, u64), StoreError> {
    let read = |range| shelf.read(name, range).map_err(|error| StoreError::read(name, &error));
    let damaged = || StoreError::Damaged(name.to_string());
    let head = read(0..HEAD)?;
    let words = head.as_chunks::<8>().0;
    let [found, length, sum] = words else { return Err(damaged()) };
    let length = u64::from_le_bytes(*length);
    if found != letters || length > 1 << 32 {
        return Err(damaged());
    }
    let text = read(HEAD..HEAD + length)?;
    if digest(&text) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let head = serde_json::from_slice(&text).map_err(|_| StoreError::Version(name.to_string()))?;
    Ok((head, HEAD + length))
}

/// A digest that tells damaged bytes. It is no defence against somebody who wants to deceive.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]).map(|&word| u64::from_le_bytes(word));
    crate::checkpoint::sum(words.chain([bytes.len() as u64]))
}
