//! The lines of a file, one after the other, each with its number.

use super::PolicyFileError;

/// What is left of a file.
pub(crate) struct Lines<'a> {
    pub(crate) rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, number: 0 }
    }

    pub(crate) fn damaged(&self, expected: &'static str) -> PolicyFileError {
        PolicyFileError::Damaged { line: self.number, expected }
    }

    pub(crate) fn next(&mut self, expected: &'static str) -> Result<&'a str, PolicyFileError> {
        self.number += 1;
        if self.rest.is_empty() {
            return Err(self.damaged(expected));
        }
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
        let line = std::str::from_utf8(&self.rest[..end]).map_err(|_| self.damaged(expected))?;
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        Ok(line.strip_suffix('\r').unwrap_or(line))
    }

    /// What follows a word.
    pub(crate) fn field(&mut self, name: &'static str) -> Result<&'a str, PolicyFileError> {
        let line = self.next(name)?;
        let rest = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(' '));
        rest.ok_or(self.damaged(name))
    }

    /// The number that follows a word.
    pub(crate) fn count(&mut self, name: &'static str) -> Result<usize, PolicyFileError> {
        let field = self.field(name)?;
        field.parse().map_err(|_| self.damaged("a number"))
    }

    /// This many lines, unparsed.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<String, PolicyFileError> {
        let mut text = String::new();
        for _ in 0..self.count(name)? {
            text += self.next("another line")?;
            text.push('\n');
        }
        Ok(text)
    }
}
