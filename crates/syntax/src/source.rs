//! Places of a text in lines and columns.
//!
//! Lines end with LF, CRLF or a lone CR. Columns count characters; a byte that is not part of any
//! character counts one. A byte order mark at the start is no column.

use std::fmt::Write as _;

use crate::Span;

pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A text whose bytes can be located.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    bytes: &'a [u8],
    /// The first byte of each line.
    line_starts: Vec<u32>,
    /// Bytes at which a character begins, about a thousand apart, and how many characters come
    /// before: a rulesheet may be one line of megabytes.
    marks: Vec<(u32, u32)>,
}

/// How far marks are apart, in bytes.
const MARK_DISTANCE: u32 = 1024;

impl<'a> Source<'a> {
    /// Finds the lines of a text.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut line_starts = vec![0];
        for (index, &byte) in bytes.iter().enumerate() {
            let ends_line =
                byte == b'\n' || (byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'));
            if ends_line && let Ok(start) = u32::try_from(index + 1) {
                line_starts.push(start);
            }
        }
        Self { bytes, line_starts, marks: marks(bytes) }
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Line and column of a byte, both from 1.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_of(offset);
        let start = self.characters_before(self.content_start(line));
        let column = self.characters_before(offset as usize).saturating_sub(start);
        (number(line) + 1, column + 1)
    }

    /// The text of a line (from 1), without its end.
    pub fn line_text(&self, line: u32) -> &'a [u8] {
        let index = (line.max(1) - 1) as usize;
        if index >= self.line_starts.len() {
            return b"";
        }
        let end = self.line_starts.get(index + 1).map_or(self.bytes.len(), |&end| end as usize);
        let text = &self.bytes[self.content_start(index)..end];
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        text.strip_suffix(b"\r").unwrap_or(text)
    }

    /// The text of a line from a byte on.
    pub(crate) fn line_from(&self, line: u32, offset: u32) -> &'a [u8] {
        let text = self.line_text(line);
        let start = self.content_start((line.max(1) - 1) as usize);
        &text[(offset as usize).saturating_sub(start).min(text.len())..]
    }

    /// The text of a place: at most 80 characters, safe to print.
    pub fn excerpt(&self, span: Span) -> String {
        let start = (span.start as usize).min(self.bytes.len());
        let end = (span.end as usize).clamp(start, self.bytes.len());
        let mut text = String::new();
        for (count, character) in first_characters(&self.bytes[start..end], 81).enumerate() {
            if count == 80 {
                text.push('…');
                break;
            }
            push_escaped(&mut text, character);
        }
        text
    }

    /// How many characters begin before a byte.
    fn characters_before(&self, offset: usize) -> u32 {
        let offset = offset.min(self.bytes.len());
        let after = self.marks.partition_point(|&(mark, _)| mark as usize <= offset);
        let (mark, count) = self.marks[after - 1];
        count + number(characters(&self.bytes[mark as usize..offset]).count())
    }

    /// The byte that is `count` characters before another, in the same line.
    pub(crate) fn back(&self, offset: u32, count: u32) -> u32 {
        let line_start = self.content_start(self.line_of(offset));
        let target = self.characters_before(offset as usize).saturating_sub(count);
        let target = target.max(self.characters_before(line_start));
        let after = self.marks.partition_point(|&(_, characters)| characters <= target);
        let (mark, before) = self.marks[after - 1];
        let skipped = first_characters(&self.bytes[mark as usize..], (target - before) as usize);
        mark + skipped.map(width).sum::<u32>()
    }

    fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    fn content_start(&self, line: usize) -> usize {
        let start = self.line_starts.get(line).map_or(self.bytes.len(), |&start| start as usize);
        let marked = line == 0 && self.bytes.starts_with(BYTE_ORDER_MARK);
        if marked { BYTE_ORDER_MARK.len() } else { start }
    }
}

fn marks(bytes: &[u8]) -> Vec<(u32, u32)> {
    let mut marks = vec![(0, 0)];
    let (mut offset, mut count, mut last) = (0, 0, 0);
    for character in characters(bytes) {
        if offset - last >= MARK_DISTANCE {
            marks.push((offset, count));
            last = offset;
        }
        offset += width(character);
        count += 1;
    }
    marks
}

/// How many bytes a character takes.
fn width(character: Result<char, u8>) -> u32 {
    character.map_or(1, |character| number(character.len_utf8()))
}

/// The characters of a text; a byte that belongs to none stands for itself as `Err`.
pub(crate) fn characters(bytes: &[u8]) -> impl Iterator<Item = Result<char, u8>> {
    bytes.utf8_chunks().flat_map(|chunk| {
        chunk.valid().chars().map(Ok).chain(chunk.invalid().iter().map(|&byte| Err(byte)))
    })
}

/// The first characters of a text. Looks no further than needed, however long the text is.
pub(crate) fn first_characters(
    bytes: &[u8],
    count: usize,
) -> impl Iterator<Item = Result<char, u8>> {
    characters(&bytes[..bytes.len().min(4 * count)]).take(count)
}

/// Appends a character so that no terminal takes it for a command.
pub(crate) fn push_escaped(text: &mut String, character: Result<char, u8>) {
    let written = match character {
        Ok(character) if is_dangerous(character) => {
            write!(text, "\\u{{{:x}}}", character as u32)
        }
        Ok(character) => write!(text, "{character}"),
        Err(byte) => write!(text, "\\x{byte:02x}"),
    };
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

/// A name as it may stand in a message: escaped and at most 80 characters.
pub fn shown(name: &str) -> String {
    let span = Span::new(0, u32::try_from(name.len()).unwrap_or(u32::MAX));
    Source::new(name.as_bytes()).excerpt(span)
}

/// Control characters, and those that turn the direction of writing.
fn is_dangerous(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_line_ends_count_once() {
        let source = Source::new(b"a\nb\r\nc\rd");
        let places: Vec<_> = [0, 2, 5, 7].map(|offset| source.line_column(offset)).into();
        assert_eq!(places, [(1, 1), (2, 1), (3, 1), (4, 1)]);
        assert_eq!(source.line_text(2), b"b");
        assert_eq!(source.line_text(3), b"c");
        assert_eq!(source.line_text(9), b"");
    }

    #[test]
    fn columns_count_characters_and_bad_bytes() {
        let source = Source::new("\u{feff}é♞x".as_bytes());
        assert_eq!(source.line_column(8), (1, 3));
        assert_eq!(Source::new(b"a\xff\xfeb").line_column(3), (1, 4));
    }

    #[test]
    fn a_long_line_is_counted_rightly_everywhere() {
        let text = "a♞".repeat(5000);
        let source = Source::new(text.as_bytes());
        for count in [0, 1, 511, 512, 513, 4999] {
            assert_eq!(source.line_column(4 * count), (1, 2 * count + 1));
            assert_eq!(source.back(4 * 4999, 2 * count), 4 * (4999 - count));
        }
    }

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        let source = Source::new(b"\x1b[31m\xff");
        assert_eq!(source.excerpt(Span::new(0, 6)), "\\u{1b}[31m\\xff");
        let long = vec![b'a'; 1000];
        assert_eq!(Source::new(&long).excerpt(Span::new(0, 1000)).chars().count(), 81);
    }
}
