//! How workers speak to one another: blocks of bytes with an address, and rounds.
//!
//! This is all that a solver asks of a network. One worker needs none; `crates/cluster` has threads and processes.

/// Bytes on their way from one worker to another.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Block {
    /// The worker it is for.
    pub to: u32,
    /// The worker it is from.
    pub from: u32,
    /// What it holds.
    pub kind: u32,
    /// A number that an answer repeats.
    pub tag: u32,
    /// What it says.
    pub body: Vec<u8>,
}

/// A worker's place among its peers, and what it sends and gets.
pub trait Exchange {
    /// Which worker this is.
    fn index(&self) -> usize;
    /// How many workers there are.
    fn peers(&self) -> usize;
    /// Sends a block, never to itself.
    fn send(&mut self, block: Block);
    /// Ends a round. Waits until all blocks of all rounds but the last `lag` have come in everywhere.
    fn round(&mut self, lag: u64);
    /// The next block that has come in.
    fn receive(&mut self) -> Option<Block>;
}

/// A worker without peers.
#[derive(Clone, Copy, Default, Debug)]
pub struct Alone;

impl Exchange for Alone {
    fn index(&self) -> usize {
        0
    }

    fn peers(&self) -> usize {
        1
    }

    fn send(&mut self, _: Block) {}

    fn round(&mut self, _: u64) {}

    fn receive(&mut self) -> Option<Block> {
        None
    }
}

/// What a block holds.
pub(crate) mod kind {
    /// Keys of states that are to be listed.
    pub(crate) const INSERT: u32 = 1;
    /// Keys of states whose values are wanted.
    pub(crate) const ASK: u32 = 2;
    /// The numbers of those values, in the same order.
    pub(crate) const ANSWER: u32 = 3;
    /// Bytes for everybody.
    pub(crate) const ALL: u32 = 4;
    /// Keys of states, each with the number of a state before it.
    pub(crate) const EDGE: u32 = 5;
    /// Numbers of states one of whose successors is decided.
    pub(crate) const DECIDE: u32 = 6;
}

/// What every worker says to all, by worker. Nothing else may be on its way.
pub(crate) fn all(exchange: &mut dyn Exchange, said: &[u8]) -> Vec<Vec<u8>> {
    let (index, peers) = (exchange.index(), exchange.peers());
    for to in (0..peers).filter(|&to| to != index) {
        let (to, from, body) = (to as u32, index as u32, said.to_vec());
        exchange.send(Block { to, from, kind: kind::ALL, tag: 0, body });
    }
    exchange.round(0);
    let mut heard = vec![Vec::new(); peers];
    heard[index] = said.to_vec();
    while let Some(block) = exchange.receive() {
        heard[block.from as usize] = block.body;
    }
    heard
}

/// Keys as bytes, as few as a key takes. Whole words are written and read, since copying bytes one by one costs more
/// than all else that is done to a key on its way.
#[inline]
pub(crate) fn put_key(key: u64, stride: usize, bytes: &mut Vec<u8>) {
    let end = bytes.len() + stride;
    bytes.extend_from_slice(&key.to_le_bytes());
    bytes.truncate(end);
}

/// Many keys as bytes.
pub(crate) fn keys_as_bytes(keys: &[u64], stride: usize) -> Vec<u8> {
    let mut bytes = vec![0; keys.len() * stride + 8];
    for (number, key) in keys.iter().enumerate() {
        // The next key overwrites what is too much.
        bytes[number * stride..][..8].copy_from_slice(&key.to_le_bytes());
    }
    bytes.truncate(keys.len() * stride);
    bytes
}

/// The keys in some bytes.
pub(crate) fn keys_in(bytes: &[u8], stride: usize) -> Vec<u64> {
    let (count, mask) = (bytes.len() / stride, u64::MAX >> (64 - 8 * stride));
    let mut keys = Vec::with_capacity(count);
    for number in 0..count {
        let rest = &bytes[number * stride..];
        keys.push(match rest.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word) & mask,
            None => rest[..stride].iter().rev().fold(0, |key, &byte| key << 8 | u64::from(byte)),
        });
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_every_length_are_read_as_they_were_written() {
        for stride in 1..=8 {
            let most = u64::MAX >> (64 - 8 * stride);
            for count in 0..12 {
                let keys: Vec<u64> = (0..count).map(|number| most - number * 7 % 5).collect();
                let mut bytes = Vec::new();
                keys.iter().for_each(|&key| put_key(key, stride, &mut bytes));
                assert_eq!(bytes.len(), keys.len() * stride);
                assert_eq!(keys_in(&bytes, stride), keys);
                assert_eq!(keys_as_bytes(&keys, stride), bytes);
            }
        }
    }
}
