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
}

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
        Self { bytes, line_starts }
    }

    /// The bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Line and column of a byte, both from 1.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_of(offset);
        let start = self.content_start(line);
        let end = (offset as usize).clamp(start, self.bytes.len());
        let column = characters(&self.bytes[start..end]).count();
        (number(line) + 1, number(column) + 1)
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

    /// The text of a place: at most 80 characters, safe to print.
    pub fn excerpt(&self, span: Span) -> String {
        let start = (span.start as usize).min(self.bytes.len());
        let end = (span.end as usize).clamp(start, self.bytes.len());
        let mut text = String::new();
        for (count, character) in characters(&self.bytes[start..end]).enumerate() {
            if count == 80 {
                text.push('…');
                break;
            }
            push_escaped(&mut text, character);
        }
        text
    }

    fn line_of(&self, offset: u32) -> usize {
        self.line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    fn content_start(&self, line: usize) -> usize {
        let start = self.line_starts[line] as usize;
        let marked = line == 0 && self.bytes.starts_with(BYTE_ORDER_MARK);
        if marked { BYTE_ORDER_MARK.len() } else { start }
    }
}

/// The characters of a text; a byte that belongs to none stands for itself as `Err`.
pub(crate) fn characters(bytes: &[u8]) -> impl Iterator<Item = Result<char, u8>> {
    bytes.utf8_chunks().flat_map(|chunk| {
        chunk.valid().chars().map(Ok).chain(chunk.invalid().iter().map(|&byte| Err(byte)))
    })
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
pub(crate) fn shown(name: &str) -> String {
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
    fn an_excerpt_is_short_and_harmless() {
        let source = Source::new(b"\x1b[31m\xff");
        assert_eq!(source.excerpt(Span::new(0, 6)), "\\u{1b}[31m\\xff");
        let long = vec![b'a'; 1000];
        assert_eq!(Source::new(&long).excerpt(Span::new(0, 1000)).chars().count(), 81);
    }
}
