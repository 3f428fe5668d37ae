//! Files of a layer: sorted keys in gaps, and values in few bits.
//!
//! A file is a *head*, a table of pieces and a body. The head is eight letters, the length and the digest of what
//! follows, and then a description in JSON: of what plan and layer it is, how many pieces it has, and the digest of
//! their table. The table has for each piece its partition, how many states and bytes it has, and its digest. A piece
//! is cut into blocks of states: a table, and the blocks. The table has for each block its first key, where it begins,
//! and its digest, so that also who asks for a single state is not deceived by damage; the digest of a piece is that
//! of this table. Keys are written in gaps (`gaps`), values as numbers into the palette of the file, all of the same
//! few bits, in the order of the keys.

use std::cell::OnceCell;
use std::ops::Range;

use gambol_verify::Fraction;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::gaps::{BitReader, BitWriter, low_bits, read_gaps, write_gaps};
use super::groups::bits_for;
use super::key_code::Moment;
use super::shelf::Shelf;
use crate::store_error::StoreError;

/// Changes whenever files are written in another way.
pub(crate) const VERSION: u32 = 4;
/// States of a block.
const BLOCK: usize = 4096;
/// Letters, length of the description, its digest.
const HEAD: u64 = 24;
/// Of a piece: partition, states, bytes, digest.
const PIECE: usize = 32;
/// Of a block: first key, offset, digest.
const ROW: usize = 24;
/// A body of at most so many bytes is read at once.
const READ_AT_ONCE: u64 = 1 << 23;

/// What a partition has in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub(crate) partition: u32,
    pub(crate) states: u64,
    offset: u64,
    pub(crate) bytes: u64,
    pub(crate) digest: u64,
}

/// What stands at the head of a file.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
struct Head<H> {
    version: u32,
    plan: u64,
    layer: u32,
    /// How many pieces there are, and the digest of their table.
    pieces: u64,
    table: u64,
    about: H,
}

/// What a role can secure, from the worst reading of unclear ends to the best.
pub(crate) type Range2 = [Fraction; 2];

/// What stands at the head of a file of values.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct ValueHead {
    /// The values that occur in the layer: for each role from the worst reading to the best.
    pub(crate) palette: Vec<Vec<Range2>>,
    /// How many states have each of them, where one of this file stands for all that are symmetric to it.
    pub(crate) states: Vec<u64>,
    /// The least and the most that the goals add up to in an end of this file; none if there is no end.
    pub(crate) sums: Option<[u64; 2]>,
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
    /// A key from its partition and the bits below it.
    pub(crate) fn key_of(self, partition: u32, low: u64) -> u64 {
        u64::from(partition) << self.low | low
    }

    fn low_of(self, key: u64) -> u64 {
        key & ((1 << self.low) - 1)
    }
}

/// The pieces of a file that is being written.
#[derive(Default)]
pub(crate) struct Pieces {
    table: Vec<u8>,
    body: Vec<u8>,
    pub(crate) states: u64,
}

impl Pieces {
    /// Adds the keys of a partition, in order and without the bits that name it.
    pub(crate) fn add_keys(&mut self, place: Place, partition: u32, keys: &[u64]) {
        let low = low_bits(keys.len(), place.low);
        let blocks = keys.chunks(BLOCK).map(|keys| (keys[0], write_gaps(keys, low)));
        self.add(partition, keys.len(), blocks);
    }

    /// Adds the values of a partition, as numbers into a palette of so many.
    pub(crate) fn add_values(&mut self, partition: u32, values: &[u32], palette: usize) {
        let width = bits_for(palette);
        let blocks = values.chunks(BLOCK).map(|values| {
            let mut writer = BitWriter::default();
            values.iter().for_each(|&number| writer.put(number.into(), width));
            (0, writer.finish())
        });
        self.add(partition, values.len(), blocks);
    }

    fn add(
        &mut self,
        partition: u32,
        states: usize,
        blocks: impl ExactSizeIterator<Item = (u64, Vec<u8>)>,
    ) {
        let (start, rows) = (self.body.len(), blocks.len() * ROW);
        self.body.resize(start + rows, 0);
        for (number, (first, block)) in blocks.enumerate() {
            let offset = (self.body.len() - start - rows) as u64;
            let row = words([first, offset, digest(&block)]);
            self.body[start + number * ROW..][..ROW].copy_from_slice(&row);
            self.body.extend_from_slice(&block);
        }
        let (bytes, sum) = (self.body.len() - start, digest(&self.body[start..start + rows]));
        self.table.extend(words([partition.into(), states as u64, bytes as u64, sum]));
        self.states += states as u64;
    }

    /// A file of keys.
    pub(crate) fn key_file(self, place: Place, moment: &Moment) -> Vec<u8> {
        self.file(b"gmbl-key", place, moment)
    }

    /// A file of values.
    pub(crate) fn value_file(self, place: Place, head: &ValueHead) -> Vec<u8> {
        self.file(b"gmbl-val", place, head)
    }

    fn file<H: Serialize>(self, letters: &[u8; 8], place: Place, about: &H) -> Vec<u8> {
        let Place { plan, layer, .. } = place;
        let (pieces, table) = ((self.table.len() / PIECE) as u64, digest(&self.table));
        let head = Head { version: VERSION, plan, layer, pieces, table, about };
        // Numbers, lists and text always have a form in JSON.
        let head = serde_json::to_vec(&head).unwrap_or_default();
        let start = words([head.len() as u64, digest(&head)]);
        [letters, &start[..], &head, &self.table, &self.body].concat()
    }
}

/// Numbers as bytes.
fn words<const N: usize>(words: [u64; N]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Bytes as numbers.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|&word| u64::from_le_bytes(word))
}

/// A file that is open: its head and the table of its pieces were read and found whole.
pub(crate) struct Open<'a, H> {
    shelf: &'a dyn Shelf,
    name: String,
    pub(crate) head: H,
    /// In the order of their partitions.
    pub(crate) pieces: Vec<Piece>,
    /// Where the body begins, and the body, if it was read at once.
    body: u64,
    read: OnceCell<Vec<u8>>,
    place: Place,
}

impl<'a> Open<'a, Moment> {
    /// Opens a file of keys.
    pub(crate) fn keys(
        shelf: &'a dyn Shelf,
        name: String,
        place: Place,
    ) -> Result<Self, StoreError> {
        Self::read_head(shelf, name, place, b"gmbl-key")
    }

    /// Appends all keys of a piece, without the bits that name the partition.
    pub(crate) fn add_keys(&self, piece: &Piece, keys: &mut Vec<u64>) -> Result<(), StoreError> {
        keys.reserve(piece.states as usize);
        let low = low_bits(piece.states as usize, self.place.low);
        self.each_block(piece, |row, block| self.add_block(row, block, low, keys))
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
        Self::read_head(shelf, name, place, b"gmbl-val")
    }

    /// Appends the numbers of all values of a piece.
    pub(crate) fn add_values(
        &self,
        piece: &Piece,
        values: &mut Vec<u32>,
    ) -> Result<(), StoreError> {
        let width = bits_for(self.head.palette.len());
        values.reserve(piece.states as usize);
        self.each_block(piece, |row, block| {
            let mut reader = BitReader::new(block);
            for _ in 0..row.states {
                values.push(self.number(reader.take(width))?);
            }
            Ok(())
        })
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

    fn number(&self, read: Option<u64>) -> Result<u32, StoreError> {
        let known = read.filter(|&number| number < self.head.palette.len() as u64);
        known.map(|number| number as u32).ok_or_else(|| self.damaged())
    }
}

impl<'a, H: DeserializeOwned> Open<'a, H> {
    fn read_head(
        shelf: &'a dyn Shelf,
        name: String,
        place: Place,
        letters: &[u8; 8],
    ) -> Result<Self, StoreError> {
        let (head, start): (Head<H>, u64) = read_head(shelf, &name, letters)?;
        if head.version != VERSION {
            return Err(StoreError::Version(name));
        }
        if (head.plan, head.layer) != (place.plan, place.layer) {
            return Err(StoreError::Other(name));
        }
        let read = OnceCell::new();
        let mut open =
            Self { shelf, name, head: head.about, pieces: Vec::new(), body: start, read, place };
        open.read_pieces(head.pieces, head.table)?;
        Ok(open)
    }

    fn read_pieces(&mut self, count: u64, sum: u64) -> Result<(), StoreError> {
        let end = count.checked_mul(PIECE as u64).and_then(|size| size.checked_add(self.body));
        let end = end.ok_or_else(|| self.damaged())?;
        let table = self.read(self.body..end)?;
        if digest(&table) != sum {
            return Err(self.damaged());
        }
        let (words, mut offset): (Vec<u64>, u64) = (numbers(&table).collect(), 0);
        for &[partition, states, bytes, digest] in words.as_chunks::<4>().0 {
            let partition = u32::try_from(partition).map_err(|_| self.damaged())?;
            self.pieces.push(Piece { partition, states, offset, bytes, digest });
            offset = offset.checked_add(bytes).ok_or_else(|| self.damaged())?;
        }
        self.body = end;
        Ok(())
    }
}

impl<H> Open<'_, H> {
    /// The piece of a partition, if there is one.
    pub(crate) fn piece(&self, partition: u32) -> Option<&Piece> {
        let place = self.pieces.binary_search_by_key(&partition, |piece| piece.partition).ok()?;
        self.pieces.get(place)
    }

    fn damaged(&self) -> StoreError {
        StoreError::Damaged(self.name.clone())
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let bytes = self.shelf.read(&self.name, range.clone());
        let bytes = bytes.map_err(|error| StoreError::read(&self.name, &error))?;
        if bytes.len() as u64 == range.end - range.start { Ok(bytes) } else { Err(self.damaged()) }
    }

    /// Where a part of a piece lies in the body.
    fn range(&self, piece: &Piece, part: Range<usize>) -> Result<Range<u64>, StoreError> {
        let at = |place: u64| piece.offset.checked_add(place);
        let range = at(part.start as u64).zip(at(part.end as u64)).map(|(start, end)| start..end);
        let inside = part.start <= part.end && part.end as u64 <= piece.bytes;
        range.filter(|_| inside).ok_or_else(|| self.damaged())
    }

    fn read_body(&self, range: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let at = |place: u64| self.body.checked_add(place).ok_or_else(|| self.damaged());
        self.read(at(range.start)?..at(range.end)?)
    }

    /// All blocks of a piece in order, each found whole.
    fn each_block(
        &self,
        piece: &Piece,
        mut take: impl FnMut(&Row, &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let length = self.pieces.last().map_or(0, |last| last.offset.saturating_add(last.bytes));
        let range = self.range(piece, 0..piece.bytes as usize)?;
        let own;
        let bytes = if length <= READ_AT_ONCE {
            if self.read.get().is_none() {
                // Pieces are read one after the other by one thread, so nobody else has set it meanwhile.
                let _ = self.read.set(self.read_body(0..length)?);
            }
            let body = self.read.get().ok_or_else(|| self.damaged())?;
            body.get(range.start as usize..range.end as usize).ok_or_else(|| self.damaged())?
        } else {
            own = self.read_body(range)?;
            &own
        };
        for row in self.rows(piece, bytes)? {
            let block = bytes.get(row.bytes.clone()).ok_or_else(|| self.damaged())?;
            if digest(block) != row.digest {
                return Err(self.damaged());
            }
            take(&row, block)?;
        }
        Ok(())
    }

    /// The table of a piece, found whole. Nothing else is read.
    fn table(&self, piece: &Piece) -> Result<Vec<Row>, StoreError> {
        let size = self.table_size(piece).ok_or_else(|| self.damaged())?;
        self.rows(piece, &self.read_body(self.range(piece, 0..size)?)?)
    }

    /// One block of a piece, found whole.
    fn block(&self, piece: &Piece, row: &Row) -> Result<Vec<u8>, StoreError> {
        let block = self.read_body(self.range(piece, row.bytes.clone())?)?;
        if digest(&block) == row.digest { Ok(block) } else { Err(self.damaged()) }
    }

    fn table_size(&self, piece: &Piece) -> Option<usize> {
        usize::try_from(piece.states).ok()?.div_ceil(BLOCK).checked_mul(ROW)
    }

    /// The rows of the table that these bytes begin with.
    fn rows(&self, piece: &Piece, bytes: &[u8]) -> Result<Vec<Row>, StoreError> {
        let size = self.table_size(piece).ok_or_else(|| self.damaged())?;
        let table = bytes.get(..size).ok_or_else(|| self.damaged())?;
        if digest(table) != piece.digest {
            return Err(self.damaged());
        }
        let words: Vec<u64> = numbers(table).collect();
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

/// The description at the head of a file, and where it ends.
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
