//! Nested lists of words, one top-level form at a time, without recursion.
//!
//! A form's children are a range of `children`. A list that is too deep or never closed is
//! reported and skipped, and reading goes on behind it.

use gambol_index::{IndexVec, define_id};

use super::lexer::{Token, TokenKind};
use crate::diagnosis::Findings;
use crate::{Category, Diagnosis, ReadOptions, Rules, Span, Symbol, keyword};

define_id! {
    /// A form of the current top-level form.
    pub(super) struct FormId;
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FormKind {
    Name(Symbol),
    Variable(Symbol),
    List { first: usize, count: usize },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) kind: FormKind,
    pub(super) span: Span,
}

/// The forms inside one top-level form.
#[derive(Default)]
pub(super) struct Forms {
    rows: IndexVec<FormId, Form>,
    children: Vec<FormId>,
}

impl Forms {
    pub(super) fn get(&self, id: FormId) -> Form {
        self.rows[id]
    }

    pub(super) fn children(&self, id: FormId) -> &[FormId] {
        match self.rows[id].kind {
            FormKind::List { first, count } => &self.children[first..first + count],
            FormKind::Name(_) | FormKind::Variable(_) => &[],
        }
    }
}

struct OpenList {
    span: Span,
    /// How many pending forms belong to the lists around this one.
    first: usize,
}

pub(super) struct FormReader<'a> {
    pub(super) forms: Forms,
    bytes: &'a [u8],
    tokens: &'a [Token],
    options: &'a ReadOptions,
    position: usize,
    open: Vec<OpenList>,
    pending: Vec<FormId>,
    /// Lists inside one that is too deep: counted, not kept.
    too_deep: usize,
    broken: bool,
    restarts: u32,
}

/// How often reading starts again after a list that is never closed. Each time costs a pass over
/// the rest of the text.
const MAX_RESTARTS: u32 = 20;

impl<'a> FormReader<'a> {
    pub(super) fn new(bytes: &'a [u8], tokens: &'a [Token], options: &'a ReadOptions) -> Self {
        Self {
            forms: Forms::default(),
            bytes,
            tokens,
            options,
            position: 0,
            open: Vec::new(),
            pending: Vec::new(),
            too_deep: 0,
            broken: false,
            restarts: 0,
        }
    }

    /// The next complete top-level form, if any.
    pub(super) fn next_form(
        &mut self,
        rules: &mut Rules,
        findings: &mut Findings,
    ) -> Option<FormId> {
        self.clear();
        loop {
            let Some(&token) = self.tokens.get(self.position) else {
                if !self.recover_from_open_list(findings) {
                    return None;
                }
                continue;
            };
            self.position += 1;
            let complete = match token.kind {
                TokenKind::Open => self.open_list(token.span, findings),
                TokenKind::Close => self.close_list(token.span, findings),
                TokenKind::Word => self.word(token.span, rules),
            };
            if complete && self.broken {
                self.clear();
            } else if complete {
                return self.pending.pop();
            }
        }
    }

    fn clear(&mut self) {
        self.forms = Forms::default();
        self.open.clear();
        self.pending.clear();
        self.too_deep = 0;
        self.broken = false;
    }

    fn open_list(&mut self, span: Span, findings: &mut Findings) -> bool {
        let limit = self.options.limits.depth;
        if self.too_deep == 0 && self.open.len() < limit {
            self.open.push(OpenList { span, first: self.pending.len() });
            return false;
        }
        if !self.broken {
            let message = format!("more than {limit} parentheses inside one another");
            findings.add(Diagnosis::error(Category::LimitDepth, span, message));
        }
        self.too_deep += 1;
        self.broken = true;
        false
    }

    fn close_list(&mut self, span: Span, findings: &mut Findings) -> bool {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return false;
        }
        let Some(list) = self.open.pop() else {
            findings.add(
                Diagnosis::error(Category::UnmatchedClose, span, "a closing parenthesis too many")
                    .with_hint("remove it, or open a list before it"),
            );
            return false;
        };
        let first = self.forms.children.len();
        self.forms.children.extend(self.pending.drain(list.first..));
        let count = self.forms.children.len() - first;
        let whole = list.span.to(span);
        let id = self.forms.rows.push(Form { kind: FormKind::List { first, count }, span: whole });
        self.check_length(id, findings);
        self.complete(id)
    }

    /// The limit is on arguments and conditions: the name, or arrow and head, do not count.
    fn check_length(&mut self, id: FormId, findings: &mut Findings) {
        let limit = self.options.limits.arity;
        let children = self.forms.children(id);
        let Some(&first) = children.first() else { return };
        let is_rule = matches!(self.forms.get(first).kind, FormKind::Name(keyword::IF));
        let uncounted = if is_rule { 2 } else { 1 };
        let Some(&extra) = children.get(limit.saturating_add(uncounted)) else { return };
        let (count, what) =
            (children.len() - uncounted, if is_rule { "conditions" } else { "arguments" });
        let message = format!("{count} {what}; at most {limit} are read");
        findings.add(Diagnosis::error(Category::LimitArity, self.forms.get(extra).span, message));
        self.broken = true;
    }

    fn word(&mut self, span: Span, rules: &mut Rules) -> bool {
        if self.too_deep > 0 {
            return false;
        }
        let text = String::from_utf8_lossy(&self.bytes[span.start as usize..span.end as usize]);
        let case = self.options.case;
        let kind = match text.strip_prefix('?') {
            Some(name) => FormKind::Variable(case.variable(&mut rules.symbols, name)),
            None => FormKind::Name(case.name(&mut rules.symbols, &text)),
        };
        if let Some(list) = self.open.last()
            && list.first == self.pending.len()
        {
            rules.note_list_name(list.span.start, span);
        }
        let id = self.forms.rows.push(Form { kind, span });
        self.complete(id)
    }

    fn complete(&mut self, id: FormId) -> bool {
        self.pending.push(id);
        self.open.is_empty()
    }

    /// Reports a list that the text never closes, and starts again at the next line after it that
    /// begins with a parenthesis. Returns whether there is something left to read.
    fn recover_from_open_list(&mut self, findings: &mut Findings) -> bool {
        let Some(outermost) = self.open.first().map(|list| list.span) else { return false };
        findings.add(
            Diagnosis::error(Category::UnmatchedOpen, outermost, "this list is never closed")
                .with_hint("close it, and look for a parenthesis hidden in a comment"),
        );
        self.clear();
        self.restarts += 1;
        self.restarts <= MAX_RESTARTS && self.move_to_line_after(outermost)
    }

    fn move_to_line_after(&mut self, open: Span) -> bool {
        let after = self.tokens.partition_point(|token| token.span.start <= open.start);
        let begins_line = |token: &Token| {
            let before = (token.span.start as usize).checked_sub(1);
            token.kind == TokenKind::Open
                && before.is_some_and(|index| matches!(self.bytes[index], b'\n' | b'\r'))
        };
        let found = self.tokens[after..].iter().position(begins_line);
        self.position = found.map_or(self.tokens.len(), |index| after + index);
        found.is_some()
    }
}
