//! Files of a layer: sorted keys in gaps, and values in few bits.
//!
//! A file is a *head* and a body. The head is eight letters, the length and the digest of what follows, and then
//! a description in JSON: of what plan and layer it is, and for each partition where its bytes lie in the body, how
//! many states it has, and the digest of its bytes. A partition is cut into blocks of states: a table, its digest, and
//! the blocks. The table has for each block its first key, where it begins, and its digest, so that also who asks for
//! a single state is not deceived by damage. Keys are written in gaps (`gaps`), values as numbers into the palette of
//! the file, all of the same few bits, in the order of the keys.

use std::ops::Range;

use gambol_verify::Fraction;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::gaps::{BitReader, BitWriter, low_bits, read_gaps, write_gaps};
use super::groups::bits_for;
use super::key_code::Moment;
use super::shelf::Shelf;
use crate::store_error::StoreError;

/// Changes whenever files are written in another way.
pub(crate) const VERSION: u32 = 3;
/// States of a block.
const BLOCK: usize = 4096;
/// Letters, length of the description, its digest.
const HEAD: u64 = 24;
/// First key, offset, digest.
const ROW: usize = 24;

/// What a partition has in a file.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) partition: u32,
    pub(crate) states: u64,
    offset: u64,
    pub(crate) bytes: u64,
    pub(crate) digest: u64,
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
    blocked(keys.chunks(BLOCK).map(|keys| (keys[0], write_gaps(keys, low))))
}

fn value_body(values: &[u16], width: u32) -> Vec<u8> {
    blocked(values.chunks(BLOCK).map(|values| {
        let mut writer = BitWriter::default();
        values.iter().for_each(|&number| writer.put(number.into(), width));
        (0, writer.finish())
    }))
}

/// A table of blocks, its digest, and the blocks.
fn blocked(blocks: impl Iterator<Item = (u64, Vec<u8>)>) -> Vec<u8> {
    let (mut table, mut all) = (Vec::new(), Vec::new());
    for (first, block) in blocks {
        for word in [first, all.len() as u64, digest(&block)] {
            table.extend_from_slice(&word.to_le_bytes());
        }
        all.extend_from_slice(&block);
    }
    let sum = digest(&table);
    [table, sum.to_le_bytes().to_vec(), all].concat()
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
    let bodies = partitions
        .iter()
        .map(|(partition, values)| (*partition, values.len() as u64, value_body(values, width)));
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
        let (before, rows) = (keys.len(), self.rows(piece, &body)?);
        keys.reserve_exact(piece.states as usize);
        let low = low_bits(piece.states as usize, self.place.low);
        for row in &rows {
            let block = body.get(row.bytes.clone()).ok_or_else(|| self.damaged())?;
            self.add_block(row, block, low, keys)?;
        }
        keys[before..].iter_mut().for_each(|key| *key = self.place.key_of(piece.partition, *key));
        Ok(())
    }

    /// The number of a key among those of its piece. Reads the table of blocks and one block.
    pub(crate) fn find(&self, piece: &Piece, key: u64) -> Result<Option<usize>, StoreError> {
        let (wanted, rows) = (self.place.low_of(key), self.table(piece)?);
        let before = rows.partition_point(|row| row.first <= wanted);
        let Some(number) = before.checked_sub(1) else { return Ok(None) };
        let block = self.block(piece, &rows[number])?;
        let (mut keys, low) = (Vec::new(), low_bits(piece.states as usize, self.place.low));
        self.add_block(&rows[number], &block, low, &mut keys)?;
        Ok(keys.binary_search(&wanted).ok().map(|place| number * BLOCK + place))
    }

    fn add_block(
        &self,
        row: &Row,
        block: &[u8],
        low: u32,
        keys: &mut Vec<u64>,
    ) -> Result<(), StoreError> {
        read_gaps(block, row.first, row.states, low, keys).ok_or_else(|| self.damaged())?;
        // Keys go up, so that no other is greater.
        let fits = keys.last().is_none_or(|key| key >> self.place.low == 0);
        fits.then_some(()).ok_or_else(|| self.damaged())
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
        let (mut values, width) = (Vec::new(), bits_for(self.head.palette.len()));
        for row in self.rows(piece, &body)? {
            let block = body.get(row.bytes.clone()).ok_or_else(|| self.damaged())?;
            let mut reader = BitReader::new(block);
            for _ in 0..row.states {
                values.push(self.number(reader.take(width))?);
            }
        }
        Ok(values)
    }

    /// The value of a state by its number within its piece.
    pub(crate) fn value(&self, piece: &Piece, state: usize) -> Result<&[Range2], StoreError> {
        let rows = self.table(piece)?;
        let row = rows.get(state / BLOCK).ok_or_else(|| self.damaged())?;
        let (block, width) = (self.block(piece, row)?, bits_for(self.head.palette.len()));
        let mut reader = BitReader::new(&block);
        let numbers = (0..=state % BLOCK).map(|_| reader.take(width));
        let number = self.number(numbers.last().flatten())?;
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

    /// Where a part of a piece lies in the file.
    fn range(&self, piece: &Piece, part: Range<usize>) -> Result<Range<u64>, StoreError> {
        let at = |place: u64| self.body.checked_add(piece.offset)?.checked_add(place);
        let range = at(part.start as u64).zip(at(part.end as u64)).map(|(start, end)| start..end);
        let inside = part.start <= part.end && part.end as u64 <= piece.bytes;
        range.filter(|_| inside).ok_or_else(|| self.damaged())
    }

    /// The bytes of a piece, found whole.
    fn body_of(&self, piece: &Piece) -> Result<Vec<u8>, StoreError> {
        let body = self.read(self.range(piece, 0..piece.bytes as usize)?)?;
        if digest(&body) == piece.digest { Ok(body) } else { Err(self.damaged()) }
    }

    /// The table of a piece, found whole. Nothing else is read.
    fn table(&self, piece: &Piece) -> Result<Vec<Row>, StoreError> {
        let size = self.table_size(piece).ok_or_else(|| self.damaged())?;
        self.rows(piece, &self.read(self.range(piece, 0..size)?)?)
    }

    /// One block of a piece, found whole.
    fn block(&self, piece: &Piece, row: &Row) -> Result<Vec<u8>, StoreError> {
        let block = self.read(self.range(piece, row.bytes.clone())?)?;
        if digest(&block) == row.digest { Ok(block) } else { Err(self.damaged()) }
    }

    /// The bytes of the table and its digest.
    fn table_size(&self, piece: &Piece) -> Option<usize> {
        let blocks = usize::try_from(piece.states).ok()?.div_ceil(BLOCK);
        blocks.checked_mul(ROW)?.checked_add(8)
    }

    /// The rows of the table that these bytes begin with.
    fn rows(&self, piece: &Piece, bytes: &[u8]) -> Result<Vec<Row>, StoreError> {
        let size = self.table_size(piece).ok_or_else(|| self.damaged())?;
        let (table, sum) = bytes
            .get(..size)
            .and_then(|table| table.split_last_chunk::<8>())
            .ok_or_else(|| self.damaged())?;
        if digest(table) != u64::from_le_bytes(*sum) {
            return Err(self.damaged());
        }
        let words: Vec<u64> =
            table.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        let (rows, _) = words.as_chunks::<3>();
        // Where a block begins the one before it ends.
        let place = |offset: u64| usize::try_from(offset).ok()?.checked_add(size);
        let end = |number: usize| match rows.get(number + 1) {
            Some(next) => place(next[1]),
            None => usize::try_from(piece.bytes).ok(),
        };
        let row = |(number, &[first, offset, digest]): (usize, &[u64; 3])| {
            let bytes = place(offset)?..end(number)?;
            let states = (piece.states as usize - number * BLOCK).min(BLOCK);
            let whole = bytes.start <= bytes.end && first >> self.place.low == 0;
            whole.then_some(Row { first, bytes, states, digest })
        };
        let found: Option<Vec<Row>> = rows.iter().enumerate().map(row).collect();
        found.ok_or_else(|| self.damaged())
    }
}

/// A block of a piece, as the table tells of it.
struct Row {
    first: u64,
    bytes: Range<usize>,
    states: usize,
    digest: u64,
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
