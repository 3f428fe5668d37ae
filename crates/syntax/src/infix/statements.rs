//! Facts, rules and conditions of the infix notation, without recursion.

use super::{Broken, Reader, TokenKind};
use crate::{Category, Clause, Diagnosis, Literal, LiteralId, Span, keyword};

/// A group of conditions being read: the whole body, or what stands in parentheses.
#[derive(Default)]
struct Group {
    /// The parenthesis; the body has none.
    open: Option<Span>,
    /// The alternatives before the last `|`.
    alternatives: Vec<LiteralId>,
    /// The conditions of the current alternative.
    conditions: Vec<LiteralId>,
    /// Negation signs before the next condition.
    negations: Vec<Span>,
}

impl Reader<'_> {
    pub(super) fn read_statements(&mut self) {
        while self.peek() != TokenKind::End {
            let start = self.position;
            self.anonymous = 0;
            match self.statement() {
                Ok(clause) => self.rules.clauses.extend(clause),
                Err(Broken) => self.recover(start),
            }
        }
    }

    /// Moves behind the next full stop, or to the next line that may begin a statement.
    fn recover(&mut self, start: usize) {
        let indent = self.tokens[start].indent;
        self.position = self.position.max(start + 1);
        while let Some(token) = self.tokens.get(self.position) {
            let begins = token.begins_line
                && token.indent <= indent
                && matches!(token.kind, TokenKind::Name | TokenKind::Variable | TokenKind::Open);
            if begins {
                return;
            }
            self.position += 1;
            if token.kind == TokenKind::Stop {
                return;
            }
        }
    }

    /// One statement with its full stop, or `None` if only a stray sign stands here.
    fn statement(&mut self) -> Result<Option<Clause>, Broken> {
        match self.peek() {
            TokenKind::Name => self.clause().map(Some),
            TokenKind::Close => {
                self.report_extra_close();
                Ok(None)
            }
            _ => Err(self.no_head()),
        }
    }

    fn clause(&mut self) -> Result<Clause, Broken> {
        let head = self.atom()?;
        while self.peek() == TokenKind::Close {
            self.report_extra_close();
        }
        let mut body = Vec::new();
        if self.peek() == TokenKind::Arrow {
            self.position += 1;
            body = self.body()?;
        }
        let conditions = body.iter().map(|&literal| self.rules.literal_span(literal));
        let span = conditions.fold(head.span, Span::to);
        if self.peek() == TokenKind::Stop {
            self.position += 1;
        }
        Ok(Clause { head, body, span })
    }

    fn report_extra_close(&mut self) {
        let span = self.span();
        self.position += 1;
        self.findings.add(
            Diagnosis::error(Category::UnmatchedClose, span, "a closing parenthesis too many")
                .with_hint("remove it, or open one before it"),
        );
    }

    fn no_head(&mut self) -> Broken {
        let span = self.span();
        let head = |message| Diagnosis::error(Category::ExpectedHead, span, message);
        let diagnosis = match self.peek() {
            TokenKind::Bad => return Broken,
            TokenKind::Variable | TokenKind::Anonymous => {
                return self.no_sentence();
            }
            TokenKind::Arrow => head("a rule without a head").with_hint("write head :- conditions"),
            TokenKind::Open => head("a statement cannot begin with a parenthesis")
                .with_hint("is this prefix notation? The text was taken for infix notation"),
            TokenKind::Not => {
                head("a negation cannot be stated").with_hint("is an & missing before it?")
            }
            _ => Diagnosis::error(Category::StrayOperator, span, "nothing stands before this sign"),
        };
        self.findings.add(diagnosis);
        Broken
    }

    /// A variable where a sentence must stand.
    fn no_sentence(&mut self) -> Broken {
        let span = self.span();
        match self.peek_second() {
            TokenKind::Open => _ = self.variable(),
            TokenKind::Bad => {}
            _ => self.findings.add(
                Diagnosis::error(Category::VariableSentence, span, "a variable is no sentence")
                    .with_hint("names of relations begin with a small letter"),
            ),
        }
        Broken
    }

    /// The conditions behind an arrow.
    fn body(&mut self) -> Result<Vec<LiteralId>, Broken> {
        let mut groups = vec![Group::default()];
        let mut depth = 0;
        loop {
            let condition = self.operand(&mut groups, &mut depth)?;
            self.add_condition(&mut groups, condition, &mut depth)?;
            if self.behind_condition(&mut groups, &mut depth)? {
                break;
            }
        }
        let Some(mut whole) = groups.pop() else { return Err(Broken) };
        if whole.alternatives.is_empty() {
            return Ok(whole.conditions);
        }
        self.end_alternative(&mut whole);
        Ok(vec![self.join(Literal::Or(whole.alternatives))])
    }

    /// Reads up to the end of an atom, past negation signs and opening parentheses.
    fn operand(&mut self, groups: &mut Vec<Group>, depth: &mut usize) -> Result<LiteralId, Broken> {
        loop {
            let span = self.span();
            let word = self.peek() == TokenKind::Name && self.is_not_as_a_word();
            match if word { TokenKind::Not } else { self.peek() } {
                TokenKind::Name => return self.simple_literal(),
                TokenKind::Variable | TokenKind::Anonymous => return Err(self.no_sentence()),
                TokenKind::Bad => return Err(Broken),
                sign @ (TokenKind::Not | TokenKind::Open) => {
                    self.check_depth(*depth)?;
                    *depth += 1;
                    let Some(group) = groups.last_mut() else { return Err(Broken) };
                    if sign == TokenKind::Not {
                        group.negations.push(span);
                    } else {
                        groups.push(Group { open: Some(span), ..Group::default() });
                    }
                    self.position += 1;
                }
                _ => {
                    let message = "a condition is missing here";
                    self.findings.add(Diagnosis::error(Category::ExpectedTerm, span, message));
                    return Err(Broken);
                }
            }
        }
    }

    /// `not p(X)` for `~p(X)`: reported, and read as it is meant.
    fn is_not_as_a_word(&mut self) -> bool {
        let found = self.text(self.span()) == "not" && self.peek_second() == TokenKind::Name;
        if found {
            self.findings.add(
                Diagnosis::error(Category::ConnectiveArity, self.span(), "not as a word")
                    .with_hint("negation is written ~ in the infix notation"),
            );
        }
        found
    }

    fn simple_literal(&mut self) -> Result<LiteralId, Broken> {
        let atom = self.atom()?;
        let span = atom.span;
        let literal = match (atom.relation, atom.arguments.as_slice()) {
            (keyword::DISTINCT, &[left, right]) => Literal::Distinct(left, right),
            _ => Literal::Atom(atom),
        };
        Ok(self.rules.add_literal(literal, span))
    }

    /// Adds a finished condition, negated as often as the signs before it say.
    fn add_condition(
        &mut self,
        groups: &mut [Group],
        mut condition: LiteralId,
        depth: &mut usize,
    ) -> Result<(), Broken> {
        let Some(group) = groups.last_mut() else { return Err(Broken) };
        *depth -= group.negations.len();
        while let Some(sign) = group.negations.pop() {
            let span = sign.to(self.rules.literal_span(condition));
            condition = self.rules.add_literal(Literal::Not(condition), span);
        }
        group.conditions.push(condition);
        let limit = self.options.limits.arity;
        if group.conditions.len() > limit || group.alternatives.len() > limit {
            let message = format!("more than {limit} conditions");
            self.findings.add(Diagnosis::error(Category::LimitArity, self.span(), message));
            return Err(Broken);
        }
        Ok(())
    }

    /// Reads what stands behind a condition. Returns whether the body ends here.
    fn behind_condition(
        &mut self,
        groups: &mut Vec<Group>,
        depth: &mut usize,
    ) -> Result<bool, Broken> {
        loop {
            match self.peek() {
                TokenKind::And => {
                    self.position += 1;
                    return Ok(false);
                }
                TokenKind::Or => {
                    self.position += 1;
                    if let Some(group) = groups.last_mut() {
                        self.end_alternative(group);
                    }
                    return Ok(false);
                }
                TokenKind::Close if groups.len() > 1 => self.close_group(groups, depth)?,
                TokenKind::Close => self.report_extra_close(),
                TokenKind::Comma => {
                    self.report_operator(Category::StrayOperator, "a comma between conditions");
                    self.position += 1;
                    return Ok(false);
                }
                _ if self.is_forgotten_and(groups) => {
                    let message = "no operator between two conditions";
                    self.report_operator(Category::MissingOperator, message);
                    return Ok(false);
                }
                TokenKind::Bad => return Err(Broken),
                TokenKind::Arrow => {
                    let message = "a second arrow in one rule";
                    self.report_operator(Category::StrayOperator, message);
                    return Err(Broken);
                }
                _ => return self.end_body(groups),
            }
        }
    }

    fn report_operator(&mut self, category: Category, message: &str) {
        let span = self.span();
        let hint = "conditions are joined with &, alternatives with |";
        self.findings.add(Diagnosis::error(category, span, message).with_hint(hint));
    }

    /// Whether the next token must be another condition: it cannot begin a statement.
    fn is_forgotten_and(&self, groups: &[Group]) -> bool {
        let in_group = groups.len() > 1 && !self.is_at_margin();
        match self.peek() {
            TokenKind::Not => true,
            TokenKind::Open => !self.is_at_margin(),
            TokenKind::Name => {
                in_group || matches!(self.text(self.span()), "true" | "does" | "distinct")
            }
            TokenKind::Variable | TokenKind::Anonymous => in_group,
            _ => false,
        }
    }

    fn end_body(&mut self, groups: &[Group]) -> Result<bool, Broken> {
        let Some(open) = groups.last().and_then(|group| group.open) else { return Ok(true) };
        let message = "this parenthesis is never closed";
        self.findings.add(Diagnosis::error(Category::UnmatchedOpen, open, message));
        Err(Broken)
    }

    /// The parenthesised group becomes a condition of the group around it.
    fn close_group(&mut self, groups: &mut Vec<Group>, depth: &mut usize) -> Result<(), Broken> {
        self.position += 1;
        *depth -= 1;
        let Some(mut group) = groups.pop() else { return Err(Broken) };
        self.end_alternative(&mut group);
        let condition = match group.alternatives.as_slice() {
            &[only] => only,
            _ => self.join(Literal::Or(group.alternatives)),
        };
        self.add_condition(groups, condition, depth)
    }

    /// The conditions since the last `|` become one alternative.
    fn end_alternative(&mut self, group: &mut Group) {
        let conditions = std::mem::take(&mut group.conditions);
        let alternative = match conditions.as_slice() {
            &[only] => only,
            _ => self.join(Literal::And(conditions)),
        };
        group.alternatives.push(alternative);
    }

    fn join(&mut self, literal: Literal) -> LiteralId {
        let parts = match &literal {
            Literal::Or(parts) | Literal::And(parts) => parts.as_slice(),
            _ => &[],
        };
        let spans = parts.iter().map(|&part| self.rules.literal_span(part));
        let span = spans.reduce(Span::to).unwrap_or_default();
        self.rules.add_literal(literal, span)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Notation, ReadOptions, has_errors, print, read};

    fn options() -> ReadOptions {
        ReadOptions { syntax: Some(Notation::Infix), ..ReadOptions::default() }
    }

    fn in_prefix(text: &str) -> String {
        let reading = read(text.as_bytes(), &options());
        print::to_prefix(&reading.rules.unwrap_or_else(|| panic!("{:?}", reading.diagnoses)))
    }

    fn errors(text: &str) -> Vec<(&'static str, u32)> {
        let reading = read(text.as_bytes(), &options());
        assert!(has_errors(&reading.diagnoses) && reading.rules.is_none());
        let place = |span: Option<crate::Span>| span.map_or(u32::MAX, |span| span.start);
        reading.diagnoses.iter().map(|d| (d.category.as_str(), place(d.span))).collect()
    }

    #[test]
    fn and_binds_tighter_than_or() {
        let text = "p :- a & b | c";
        assert_eq!(in_prefix(text), "(<= p (or (and a b) c))\n");
        assert_eq!(in_prefix("p :- a & (b | ~c)"), "(<= p\n    a\n    (or b (not c)))\n");
        assert_eq!(in_prefix("p :- ~(a & b)"), "(<= p (not (and a b)))\n");
    }

    #[test]
    fn statements_need_no_full_stops() {
        assert_eq!(in_prefix("p q(a) r :- p\ns."), "p (q a)\n(<= r p)\ns\n");
        assert_eq!(in_prefix("p. q(2.5).r"), "p (q 2.5) r\n");
    }

    #[test]
    fn each_underscore_is_another_variable() {
        assert_eq!(in_prefix("p :- q(_,_,X)"), "(<= p (q ?_1 ?_2 ?X))\n");
    }

    #[test]
    fn a_forgotten_and_is_noticed() {
        assert_eq!(errors("next(q) :- does(r,go)\n  true(p)"), [("syntax.missing-operator", 24)]);
        assert_eq!(errors("p :- a ~b"), [("syntax.missing-operator", 7)]);
        assert_eq!(errors("p :- a, b"), [("syntax.stray-operator", 6)]);
        assert_eq!(errors("p :- b (c | d)"), [("syntax.stray-operator", 10)]);
    }

    #[test]
    fn reading_goes_on_behind_an_error() {
        let text = "p(1,,2)\nr) :- (a\ns :- \n:- t\nX\nz.\n(u v)\nw :- X(a) & b\n";
        let found: Vec<&str> = errors(text).into_iter().map(|(category, _)| category).collect();
        assert_eq!(
            found,
            [
                "syntax.expected-term",
                "syntax.unmatched-close",
                "syntax.unmatched-open",
                "syntax.expected-term",
                "syntax.variable-sentence",
                "syntax.expected-head",
                "syntax.variable-head",
            ]
        );
    }

    #[test]
    fn depth_is_limited() {
        assert_eq!(errors(&format!("p :- {}", "(".repeat(100_000)))[0].0, "limit.depth");
        assert_eq!(errors(&format!("p :- {}q", "~".repeat(100_000))), [("limit.depth", 1005)]);
        assert_eq!(errors(&format!("p({}", "f(".repeat(100_000)))[0].0, "limit.depth");
    }

    #[test]
    fn foreign_signs_are_refused() {
        for (text, at) in
            [("p :- a & \\+ b", 9), ("p :- X = a", 7), ("p([1,2])", 2), ("p :- a$b", 6)]
        {
            assert_eq!(errors(text), [("lex.character", at)], "{text}");
        }
        assert_eq!(errors("p(\"a b\")"), [("lex.string", 2)]);
    }
}
