//! The characters both notations share: white space, comments, and what a name may not hold.

use crate::comments::{Layout, LayoutRecorder};
use crate::diagnosis::Findings;
use crate::source::BYTE_ORDER_MARK;
use crate::{Category, Diagnosis, Span, SyntaxLimits};

/// A reading position in a text, and what was found on the way.
pub(crate) struct Cursor<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) position: usize,
    /// The first byte of the current line.
    pub(crate) line_start: usize,
    comment_sign: u8,
    warned_of_comments: bool,
    layout: LayoutRecorder,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], comment_sign: u8) -> Self {
        let position = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Self {
            bytes,
            position,
            line_start: position,
            comment_sign,
            warned_of_comments: false,
            layout: LayoutRecorder::new(),
        }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    pub(crate) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.position + ahead).copied()
    }

    pub(crate) fn span_from(&self, start: usize) -> Span {
        Span::new(offset(start), offset(self.position))
    }

    /// Moves to the next byte that is neither white space nor comment, and returns it.
    pub(crate) fn skip_blanks(&mut self) -> Option<u8> {
        loop {
            match self.peek()? {
                b'\r' if self.peek_at(1) == Some(b'\n') => self.position += 1,
                b'\n' | b'\r' => {
                    self.position += 1;
                    self.line_start = self.position;
                    self.layout.end_line(offset(self.position));
                }
                byte if is_white(byte) => self.position += 1,
                byte if byte == self.comment_sign => {
                    self.skip_comment(1, self.layout.is_at_line_start())
                }
                byte => {
                    self.layout.write();
                    return Some(byte);
                }
            }
        }
    }

    /// A comment whose sign has so many bytes.
    fn skip_comment(&mut self, sign: usize, alone: bool) {
        let start = self.position;
        self.position = line_end(self.bytes, start);
        let text = &self.bytes[start + sign..self.position];
        self.layout.comment(text, self.span_from(start), alone);
    }

    /// Skips a line that begins as comments do in some other language, and reports the first of a text.
    pub(crate) fn skip_foreign_comment(&mut self, findings: &mut Findings) -> bool {
        let signs: [&[u8]; 4] = [b";", b"%", b"#", b"//"];
        let rest = &self.bytes[self.position..];
        let Some(sign) = signs.into_iter().find(|sign| rest.starts_with(sign)) else {
            return false;
        };
        let start = self.position;
        self.skip_comment(sign.len(), true);
        if !std::mem::replace(&mut self.warned_of_comments, true) {
            let sign = String::from_utf8_lossy(sign);
            let own = char::from(self.comment_sign);
            let message = format!("a comment that begins with {sign}");
            findings.add(
                Diagnosis::warning(Category::ForeignComment, self.span_from(start), message)
                    .with_hint(format!("comments of this notation begin with {own}")),
            );
        }
        true
    }

    pub(crate) fn finish(self) -> Layout {
        self.layout.finish()
    }
}

/// Space, tab, LF, CR, FF, VT.
pub(crate) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The first byte of the line's end, or the end of the text.
pub(crate) fn line_end(bytes: &[u8], start: usize) -> usize {
    let is_end = |&byte: &u8| byte == b'\n' || byte == b'\r';
    bytes[start..].iter().position(is_end).map_or(bytes.len(), |length| start + length)
}

/// Where the sign that closes the one at `open` stands, if it does in the same line and before
/// another that opens: so no byte is looked at twice.
pub(crate) fn closing_sign(bytes: &[u8], open: usize, sign: u8) -> Option<usize> {
    let stops = |&byte: &u8| byte == sign || byte == bytes[open] || matches!(byte, b'\n' | b'\r');
    let found = open + 1 + bytes[open + 1..].iter().position(stops)?;
    (bytes[found] == sign).then_some(found)
}

/// A text offset. Texts longer than 4 GiB never get this far: the size limit is checked first.
pub(crate) fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// Reports what a name may not hold. Each kind of fault is reported once per name.
pub(crate) fn check_word(bytes: &[u8], span: Span, limits: &SyntaxLimits, findings: &mut Findings) {
    let word = &bytes[span.start as usize..span.end as usize];
    if word.len() <= limits.token && word.iter().all(u8::is_ascii_graphic) {
        return;
    }
    report_encoding(word, span, findings);
    report_control(word, span, findings);
    report_length(word, span, limits, findings);
}

fn report_encoding(word: &[u8], span: Span, findings: &mut Findings) {
    let Err(error) = std::str::from_utf8(word) else { return };
    let start = span.start + offset(error.valid_up_to());
    let message = format!("the byte {:#04x} is not UTF-8", word[error.valid_up_to()]);
    findings.add(
        Diagnosis::error(Category::Encoding, Span::new(start, start + 1), message)
            .with_hint("save the text as UTF-8, or use plain letters"),
    );
}

fn report_control(word: &[u8], span: Span, findings: &mut Findings) {
    let mut start = span.start;
    for character in crate::source::characters(word) {
        let length = offset(character.map_or(1, char::len_utf8));
        if let Ok(control) = character
            && control.is_control()
        {
            let message = format!("the control character U+{:04X} in a name", control as u32);
            findings.add(
                Diagnosis::error(Category::Control, Span::new(start, start + length), message)
                    .with_hint("remove it"),
            );
            return;
        }
        start += length;
    }
}

fn report_length(word: &[u8], span: Span, limits: &SyntaxLimits, findings: &mut Findings) {
    if word.len() <= limits.token {
        return;
    }
    let length = crate::source::characters(word).count();
    if length > limits.token {
        let message = format!("a name of {length} characters; at most {} are read", limits.token);
        findings.add(Diagnosis::error(Category::LimitToken, span, message));
    }
}
