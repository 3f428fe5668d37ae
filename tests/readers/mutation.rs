//! Mutations of well-formed texts and files, the same every time.

/// SplitMix64: the same mutations every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Pieces that readers take special notice of.
const PIECES: [&str; 20] = [
    "(",
    ")",
    "\n",
    " ",
    ";",
    "\"",
    "<=",
    ":-",
    "-1",
    "18446744073709551616",
    "0",
    "\0",
    "\u{1b}[2J",
    "ä",
    "x=",
    "to",
    "node",
    "end",
    "nil",
    "?",
];

/// A piece of the text, from a place on.
fn piece(text: &[u8], random: &mut Random) -> (usize, usize) {
    let start = random.below(text.len());
    let longest = if random.below(4) == 0 { 200 } else { 12 };
    (start, (start + random.below(longest)).min(text.len()))
}

/// One to three changes: bits, pieces lost, doubled, moved or put in, the end cut off.
pub(crate) fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..1 + random.below(3) {
        let (start, end) = piece(&text, random);
        match random.below(8) {
            0 if !text.is_empty() => text[start] ^= 1 << random.below(8),
            1 => drop(text.drain(start..end)),
            2 => {
                let copy = text[start..end].to_vec();
                let place = random.below(text.len() + 1);
                text.splice(place..place, copy);
            }
            3 if random.below(10) == 0 => text.truncate(start),
            4 => {
                let new = PIECES[random.below(PIECES.len())].bytes();
                text.splice(start..end, new);
            }
            5 => swap_lines(&mut text, random),
            6 => double_word(&mut text, random),
            _ => {
                let new = PIECES[random.below(PIECES.len())].bytes();
                text.splice(start..start, new);
            }
        }
    }
    text
}

fn swap_lines(text: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    lines.swap(one, other);
    if random.below(2) == 0 {
        lines.insert(one, lines[other]);
    }
    *text = lines.join(&b'\n');
}

/// Puts one word in the place of another: a name that is declared twice, a number that is too large.
fn double_word(text: &mut Vec<u8>, random: &mut Random) {
    let mut words: Vec<&[u8]> = text.split(|byte| *byte == b' ').collect();
    let (one, other) = (random.below(words.len()), random.below(words.len()));
    words[one] = words[other];
    *text = words.join(&b' ');
}
