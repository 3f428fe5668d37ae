//! Atoms and terms of the infix notation, without recursion.

use super::{Broken, Reader, TokenKind};
use crate::{Atom, Category, Diagnosis, Span, Symbol, TermId};

/// An application being read.
struct OpenTerm {
    name: Symbol,
    name_span: Span,
    open_span: Span,
    /// How many finished terms belong to the applications around this one.
    first: usize,
}

impl Reader<'_> {
    /// Reads `name` or `name(term, …)`. The current token is the name.
    pub(super) fn atom(&mut self) -> Result<Atom, Broken> {
        let (relation, span) = self.name();
        if self.peek() != TokenKind::Open {
            return Ok(Atom { relation, arguments: Vec::new(), span });
        }
        let mut open = vec![self.open_term(relation, span)];
        let mut ready: Vec<TermId> = Vec::new();
        loop {
            self.term(&mut open, &mut ready)?;
            if let Some(span) = self.behind_term(&mut open, &mut ready)? {
                return Ok(Atom { relation, arguments: ready, span });
            }
        }
    }

    fn name(&mut self) -> (Symbol, Span) {
        let span = self.span();
        let text = self.text(span).to_owned();
        self.position += 1;
        (self.options.case.variable(&mut self.rules.symbols, &text), span)
    }

    fn open_term(&mut self, name: Symbol, name_span: Span) -> OpenTerm {
        let open_span = self.span();
        self.position += 1;
        OpenTerm { name, name_span, open_span, first: 0 }
    }

    /// Reads up to the end of a variable or constant, opening applications on the way.
    fn term(&mut self, open: &mut Vec<OpenTerm>, ready: &mut Vec<TermId>) -> Result<(), Broken> {
        loop {
            match self.peek() {
                TokenKind::Name => {
                    let (name, span) = self.name();
                    if self.peek() != TokenKind::Open {
                        ready.push(self.rules.add_function(name, &[], span));
                        return Ok(());
                    }
                    self.check_depth(open.len())?;
                    let mut application = self.open_term(name, span);
                    application.first = ready.len();
                    open.push(application);
                }
                TokenKind::Variable | TokenKind::Anonymous => {
                    ready.push(self.variable()?);
                    return Ok(());
                }
                TokenKind::Close if self.is_empty_list(open, ready) => return Ok(()),
                _ => return Err(self.no_term(open)),
            }
        }
    }

    /// Whether the current parenthesis closes an application right where it opened.
    fn is_empty_list(&self, open: &[OpenTerm], ready: &[TermId]) -> bool {
        let after_open =
            self.tokens[..self.position].last().is_some_and(|token| token.kind == TokenKind::Open);
        after_open && open.last().is_some_and(|list| list.first == ready.len())
    }

    pub(super) fn variable(&mut self) -> Result<TermId, Broken> {
        let span = self.span();
        if self.peek_second() == TokenKind::Open {
            let message = "a variable cannot be applied to arguments";
            self.findings.add(
                Diagnosis::error(Category::VariableHead, span, message)
                    .with_hint("names of relations and functions begin with a small letter"),
            );
            return Err(Broken);
        }
        if self.peek() == TokenKind::Anonymous {
            self.position += 1;
            self.anonymous += 1;
            // No variable of this notation begins like this, so the name is new.
            let name = self.rules.symbols.intern(&format!("_{}", self.anonymous));
            return Ok(self.rules.add_variable(name, span));
        }
        let (name, span) = self.name();
        Ok(self.rules.add_variable(name, span))
    }

    /// Closes applications up to a comma. Returns where the outermost one stands if it is closed.
    fn behind_term(
        &mut self,
        open: &mut Vec<OpenTerm>,
        ready: &mut Vec<TermId>,
    ) -> Result<Option<Span>, Broken> {
        loop {
            match self.peek() {
                TokenKind::Comma => {
                    self.position += 1;
                    self.check_arity(open, ready)?;
                    return Ok(None);
                }
                TokenKind::Close => {
                    let Some(list) = open.pop() else { return Err(Broken) };
                    let span = list.name_span.to(self.span());
                    self.position += 1;
                    if list.first == ready.len() {
                        self.note_empty_parens(list.name, span);
                    }
                    if open.is_empty() {
                        return Ok(Some(span));
                    }
                    let term = self.rules.add_function(list.name, &ready[list.first..], span);
                    ready.truncate(list.first);
                    ready.push(term);
                }
                _ => return Err(self.no_comma(open)),
            }
        }
    }

    fn check_arity(&mut self, open: &[OpenTerm], ready: &[TermId]) -> Result<(), Broken> {
        let limit = self.options.limits.arity;
        let count = open.last().map_or(0, |list| ready.len() - list.first);
        if count < limit {
            return Ok(());
        }
        let message = format!("more than {limit} arguments");
        self.findings.add(Diagnosis::error(Category::LimitArity, self.span(), message));
        Err(Broken)
    }

    pub(super) fn check_depth(&mut self, depth: usize) -> Result<(), Broken> {
        let limit = self.options.limits.depth;
        if depth < limit {
            return Ok(());
        }
        let message = format!("more than {limit} parentheses or signs inside one another");
        self.findings.add(Diagnosis::error(Category::LimitDepth, self.span(), message));
        Err(Broken)
    }

    fn note_empty_parens(&mut self, name: Symbol, span: Span) {
        let text = crate::source::shown(self.rules.symbols.text(name));
        let message = format!("{text}() is read as {text}");
        self.findings.add(Diagnosis::note(Category::EmptyParens, span, message));
    }

    /// Something else where a term must stand.
    fn no_term(&mut self, open: &[OpenTerm]) -> Broken {
        match self.peek() {
            TokenKind::Bad => Broken,
            TokenKind::Comma | TokenKind::Close | TokenKind::Open | TokenKind::Not => {
                let span = self.span();
                self.findings.add(
                    Diagnosis::error(Category::ExpectedTerm, span, "an argument is missing here")
                        .with_hint("arguments are terms with commas between them"),
                );
                Broken
            }
            _ => self.never_closed(open),
        }
    }

    /// Something else where a comma or a parenthesis must stand.
    fn no_comma(&mut self, open: &[OpenTerm]) -> Broken {
        let span = self.span();
        match self.peek() {
            TokenKind::Bad => {}
            TokenKind::And | TokenKind::Or | TokenKind::Not => self.findings.add(
                Diagnosis::error(Category::StrayOperator, span, "an operator among arguments")
                    .with_hint("is an & missing before this parenthesis, or a ) behind it?"),
            ),
            TokenKind::Name | TokenKind::Variable | TokenKind::Anonymous | TokenKind::Open
                if !self.is_at_margin() =>
            {
                self.findings.add(Diagnosis::error(
                    Category::ExpectedComma,
                    span,
                    "a comma is missing before this argument",
                ));
            }
            _ => return self.never_closed(open),
        }
        Broken
    }

    fn never_closed(&mut self, open: &[OpenTerm]) -> Broken {
        if let Some(list) = open.last() {
            self.findings.add(
                Diagnosis::error(
                    Category::UnmatchedOpen,
                    list.open_span,
                    "this parenthesis is never closed",
                )
                .with_hint("close it behind the last argument"),
            );
        }
        Broken
    }
}
