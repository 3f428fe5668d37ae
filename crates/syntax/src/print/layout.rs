//! Where comments and blank lines go when clauses are printed anew.

use crate::{Comment, Rules};

/// The comments of a text, handed out clause by clause.
pub(super) struct CommentQueue<'a> {
    rules: &'a Rules,
    comments: &'a [Comment],
    sign: char,
    next: usize,
    next_blank: usize,
}

/// The comments inside a clause.
#[derive(Default)]
pub(super) struct ClauseComments {
    /// On lines of their own, before the condition of this number.
    before: Vec<(usize, String)>,
    /// Behind the head (0) or behind the condition of this number less one.
    behind: Vec<(usize, String)>,
    /// Behind the last condition.
    after: Vec<String>,
}

impl ClauseComments {
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.behind.is_empty()
    }

    pub(super) fn print_before(&self, condition: usize, text: &mut String) {
        for (_, comment) in at_place(&self.before, condition) {
            text.push_str("\n    ");
            text.push_str(comment);
        }
    }

    pub(super) fn print_behind(&self, piece: usize, text: &mut String) {
        for (_, comment) in at_place(&self.behind, piece) {
            text.push(' ');
            text.push_str(comment);
        }
    }
}

/// The comments of one place. They are in the order of the text, hence of their places.
fn at_place(comments: &[(usize, String)], wanted: usize) -> &[(usize, String)] {
    let first = comments.partition_point(|&(place, _)| place < wanted);
    let end = comments.partition_point(|&(place, _)| place <= wanted);
    &comments[first..end]
}

impl<'a> CommentQueue<'a> {
    pub(super) fn new(rules: &'a Rules, sign: char) -> Self {
        Self { rules, comments: &rules.layout().comments, sign, next: 0, next_blank: 0 }
    }

    /// Whether two clauses are facts on one line with nothing between them.
    pub(super) fn are_together(&self, first: usize, second: usize) -> bool {
        let [first, second] = [first, second].map(|clause| &self.rules.clauses[clause]);
        let between = first.span.end..second.span.start;
        let lines = &self.rules.layout().lines;
        let next_line = lines.partition_point(|&start| start <= between.start);
        let past = self.comments.partition_point(|comment| comment.span.start < between.start);
        let next_comment = self.comments.get(past);
        first.body.is_empty()
            && second.body.is_empty()
            && first.span.end <= second.span.start
            && lines.get(next_line).is_none_or(|&start| start > second.span.end)
            && next_comment.is_none_or(|comment| comment.span.start >= between.end)
    }

    /// Prints what stands before a clause, and sorts what stands inside it.
    pub(super) fn before_clause(&mut self, clause: usize, text: &mut String) -> ClauseComments {
        let span = self.rules.clauses[clause].span;
        self.print_lines_before(span.start, text);
        let mut comments = ClauseComments::default();
        let mut leading = Vec::new();
        while let Some(comment) = self.comments.get(self.next).filter(|c| c.span.start < span.end) {
            self.next += 1;
            let written = written(comment, self.sign);
            match place(self.rules, clause, comment) {
                Place::Leading => leading.push(written),
                Place::Before(condition) => comments.before.push((condition, written)),
                Place::Behind(piece) => comments.behind.push((piece, written)),
                Place::After => comments.after.push(written),
            }
        }
        self.blank_line(span.start, text);
        leading.iter().for_each(|comment| print_line(comment, text));
        comments
    }

    /// Prints what stands behind a clause, and ends its line.
    pub(super) fn after_clause(
        &mut self,
        clause: usize,
        comments: ClauseComments,
        text: &mut String,
    ) {
        let end = self.rules.clauses[clause].span.end;
        let next_start =
            self.rules.clauses.get(clause + 1).map_or(u32::MAX, |next| next.span.start);
        let mut after = comments.after;
        if let Some(comment) = self.comments.get(self.next)
            && !comment.alone
            && (end..next_start).contains(&comment.span.start)
        {
            self.next += 1;
            after.push(written(comment, self.sign));
        }
        self.skip_blank_lines(end);
        let mut after = after.iter();
        if let Some(first) = after.next() {
            text.push(' ');
            text.push_str(first);
        }
        text.push('\n');
        after.for_each(|comment| print_line(comment, text));
    }

    /// Prints what stands behind the last clause.
    pub(super) fn finish(&mut self, text: &mut String) {
        self.print_lines_before(u32::MAX, text);
    }

    fn print_lines_before(&mut self, start: u32, text: &mut String) {
        while let Some(comment) = self.comments.get(self.next).filter(|c| c.span.start < start) {
            self.next += 1;
            self.blank_line(comment.span.start, text);
            print_line(&written(comment, self.sign), text);
        }
    }

    /// Prints a blank line if there was one before `start` and something is printed already.
    fn blank_line(&mut self, start: u32, text: &mut String) {
        if self.skip_blank_lines(start) && !text.is_empty() {
            text.push('\n');
        }
    }

    fn skip_blank_lines(&mut self, start: u32) -> bool {
        let before = self.next_blank;
        let blank_lines = &self.rules.layout().blank_lines;
        while blank_lines.get(self.next_blank).is_some_and(|&line| line <= start) {
            self.next_blank += 1;
        }
        self.next_blank > before
    }
}

enum Place {
    Leading,
    Before(usize),
    Behind(usize),
    After,
}

/// The place of a comment that stands inside a clause.
fn place(rules: &Rules, clause: usize, comment: &Comment) -> Place {
    let clause = &rules.clauses[clause];
    let start = comment.span.start;
    if clause.body.is_empty() || start < clause.head.span.end {
        return Place::Leading;
    }
    let begun = clause.body.partition_point(|&literal| rules.literal_span(literal).start < start);
    let inside =
        begun.checked_sub(1).filter(|&last| rules.literal_span(clause.body[last]).end > start);
    match inside {
        Some(condition) => Place::Before(condition),
        None if begun == clause.body.len() => Place::After,
        None if comment.alone => Place::Before(begun),
        None => Place::Behind(begun),
    }
}

/// The comment with the signs of the notation it is printed in.
fn written(comment: &Comment, sign: char) -> String {
    let rest = comment.text.trim_start_matches([';', '%']);
    let signs = comment.text.len() - rest.len();
    let mut text: String = std::iter::repeat_n(sign, signs + 1).collect();
    text.push_str(rest);
    text
}

fn print_line(line: &str, text: &mut String) {
    text.push_str(line);
    text.push('\n');
}
