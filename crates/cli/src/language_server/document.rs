//! A text that an editor has open: its lines as the protocol counts them, its rules, its names.

use gambol::Finding;
use gambol::syntax::{Occurrence, ReadOptions, Rules, Span, occurrences, read};
use serde_json::{Value, json};

use super::wire::Refusal;

/// A text with what is known about it.
pub(super) struct Document {
    pub(super) address: String,
    pub(super) text: String,
    pub(super) options: ReadOptions,
    /// None while it does not parse.
    pub(super) rules: Option<Rules>,
    /// Where names stand, in the order of the text.
    pub(super) names: Vec<Occurrence>,
    /// What the last check has found.
    pub(super) findings: Vec<Finding>,
    /// The first byte of each line.
    lines: Vec<usize>,
}

impl Document {
    pub(super) fn new(address: String, text: String, options: &ReadOptions) -> Self {
        let rules = read(text.as_bytes(), options).rules;
        let names = rules.as_ref().map_or(Vec::new(), |it| occurrences(it, text.as_bytes()));
        let lines = line_starts(&text);
        let options = options.clone();
        Self { address, text, options, rules, names, findings: Vec::new(), lines }
    }

    /// The byte at the position that a question names. Columns count units of UTF-16.
    pub(super) fn offset(&self, parameters: &Value) -> Result<usize, Refusal> {
        let position = &parameters["position"];
        let number = |key: &str| position[key].as_u64().ok_or_else(Refusal::invalid);
        Ok(self.byte_at(number("line")?, number("character")?))
    }

    pub(super) fn byte_at(&self, line: u64, column: u64) -> usize {
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        let Some(&start) = self.lines.get(line) else { return self.text.len() };
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        let mut units = 0;
        let behind = self.text[start..end].char_indices().find(|(_, letter)| {
            let here = units >= column || *letter == '\n' || *letter == '\r';
            units += letter.len_utf16() as u64;
            here
        });
        behind.map_or(end, |(byte, _)| start + byte)
    }

    fn position(&self, byte: usize) -> Value {
        let mut byte = byte.min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.lines.partition_point(|&start| start <= byte) - 1;
        let column = self.text[self.lines[line]..byte].encode_utf16().count();
        json!({ "line": line, "character": column })
    }

    pub(super) fn range(&self, span: Span) -> Value {
        json!({ "start": self.position(span.start as usize), "end": self.position(span.end as usize) })
    }

    /// The whole text.
    pub(super) fn whole(&self) -> Value {
        json!({ "start": self.position(0), "end": self.position(self.text.len()) })
    }

    /// A place of the text.
    pub(super) fn written(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The name at a byte, or right before it.
    pub(super) fn name_at(&self, byte: usize) -> Option<&Occurrence> {
        let holds =
            |it: &&Occurrence| it.span.start as usize <= byte && byte <= it.span.end as usize;
        self.names.iter().filter(holds).max_by_key(|it| it.span.start)
    }

    /// All places of what stands at one of them.
    pub(super) fn same<'a>(&'a self, one: &'a Occurrence) -> impl Iterator<Item = &'a Occurrence> {
        self.names.iter().filter(move |other| one.key() == other.key())
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends_line = |&(place, &byte): &(usize, &u8)| {
        byte == b'\n' || (byte == b'\r' && bytes.get(place + 1) != Some(&b'\n'))
    };
    let behind = bytes.iter().enumerate().filter(ends_line).map(|(place, _)| place + 1);
    std::iter::once(0).chain(behind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_units_of_utf_16() {
        let text = "; 𝄞é\r\n(role r)\n";
        let document = Document::new(String::new(), text.to_string(), &ReadOptions::default());
        let bytes: Vec<usize> = (0..7).map(|column| document.byte_at(0, column)).collect();
        assert_eq!(bytes, [0, 1, 2, 6, 6, 8, 8]);
        let role = text.find("role").unwrap();
        assert_eq!(document.byte_at(1, 1), role);
        assert_eq!(document.position(role), json!({ "line": 1, "character": 1 }));
        assert_eq!(document.position(6), json!({ "line": 0, "character": 4 }));
        assert_eq!(document.byte_at(99, 0), text.len());
    }
}
