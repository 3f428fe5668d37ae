//! What a text holds beside its rules: comments and blank lines, kept for the printers.

use crate::Span;

/// A comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// Its text after the first comment sign, without the end of line.
    pub text: String,
    /// Where it stands, comment sign included.
    pub span: Span,
    /// Whether nothing stands before it on its line.
    pub alone: bool,
}

/// Comments and paragraphs of a text, both in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// The comments.
    pub comments: Vec<Comment>,
    /// Where paragraphs end: the first byte of each run of blank lines.
    pub blank_lines: Vec<u32>,
    /// The first byte of each line but the first.
    pub lines: Vec<u32>,
}

/// Follows the lines of a text while a lexer runs over it.
#[derive(Debug)]
pub(crate) struct LayoutRecorder {
    layout: Layout,
    /// Line ends since something was written.
    line_ends: u32,
}

impl LayoutRecorder {
    pub(crate) fn new() -> Self {
        Self { layout: Layout::default(), line_ends: 1 }
    }

    /// A line ended before byte `next`.
    pub(crate) fn end_line(&mut self, next: u32) {
        self.line_ends += 1;
        self.layout.lines.push(next);
        if self.line_ends == 2 {
            self.layout.blank_lines.push(next);
        }
    }

    /// Something other than white space was read.
    pub(crate) fn write(&mut self) {
        self.line_ends = 0;
    }

    /// Whether nothing was read of the current line.
    pub(crate) fn is_at_line_start(&self) -> bool {
        self.line_ends > 0
    }

    /// A comment was read: its text behind the comment sign.
    pub(crate) fn comment(&mut self, bytes: &[u8], span: Span, alone: bool) {
        let text = String::from_utf8_lossy(bytes).trim_end().to_owned();
        self.layout.comments.push(Comment { text, span, alone });
        self.write();
    }

    pub(crate) fn finish(self) -> Layout {
        self.layout
    }
}
