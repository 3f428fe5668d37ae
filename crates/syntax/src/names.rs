//! Where names stand: every occurrence of a relation, a fluent, a move, a constant or a variable.

use crate::{Atom, Literal, Rules, Span, Symbol, Term, TermId, keyword};

/// What a name names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameKind {
    /// A relation.
    Relation,
    /// A fluent, a move, a role, another function or a constant.
    Function,
    /// A variable, which its clause alone knows.
    Variable,
}

/// A name at a place of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The name; of a variable without question mark.
    pub name: Symbol,
    /// What it names.
    pub kind: NameKind,
    /// Where it stands; of a variable with its question mark.
    pub span: Span,
    /// The clause it stands in.
    pub clause: usize,
    /// Whether it is said here what the name means: in the head of a rule, in what `init`, `next`,
    /// `base`, `legal`, `input` or `role` speak of, or where a variable stands first.
    pub defines: bool,
}

impl Occurrence {
    /// What it stands for: equal for all places of one thing, and for no others.
    pub fn key(&self) -> (NameKind, Symbol, Option<usize>) {
        (self.kind, self.name, (self.kind == NameKind::Variable).then_some(self.clause))
    }
}

/// All occurrences in the order of the text, which is needed to find where names end.
pub fn occurrences(rules: &Rules, text: &[u8]) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for (clause, rule) in rules.clauses.iter().enumerate() {
        let mut finder = Finder { rules, text, clause, found: Vec::new() };
        finder.atom(&rule.head, true);
        for condition in rules.conditions(&rule.body) {
            match rules.literal(condition.literal) {
                Literal::Atom(atom) => finder.atom(atom, false),
                Literal::Distinct(one, other) => finder.terms(&[*one, *other], None),
                _ => {}
            }
        }
        found.extend(finder.found);
    }
    found.sort_by_key(|occurrence| occurrence.span.start);
    found
}

struct Finder<'a> {
    rules: &'a Rules,
    text: &'a [u8],
    clause: usize,
    found: Vec<Occurrence>,
}

impl Finder<'_> {
    fn atom(&mut self, atom: &Atom, head: bool) {
        self.add(atom.relation, NameKind::Relation, atom.span, head);
        let place = match atom.relation {
            keyword::INIT | keyword::NEXT | keyword::BASE | keyword::ROLE => 0,
            keyword::LEGAL | keyword::INPUT => 1,
            _ => usize::MAX,
        };
        let provided = atom.arguments.get(place).copied().filter(|_| head);
        self.terms(&atom.arguments, provided);
    }

    fn terms(&mut self, terms: &[TermId], provided: Option<TermId>) {
        for term in self.rules.subterms_of(terms) {
            let span = self.rules.term_span(term);
            match self.rules.term(term) {
                Term::Function(name, _) => {
                    self.add(name, NameKind::Function, span, provided == Some(term));
                }
                Term::Variable(name) => {
                    let known = |it: &Occurrence| it.kind == NameKind::Variable && it.name == name;
                    let first = !self.found.iter().any(known);
                    self.found.push(Occurrence {
                        name,
                        kind: NameKind::Variable,
                        span,
                        clause: self.clause,
                        defines: first,
                    });
                }
            }
        }
    }

    fn add(&mut self, name: Symbol, kind: NameKind, whole: Span, defines: bool) {
        let mut span = self.rules.name_span(whole);
        // In infix the name comes first, and the whole ends with its arguments.
        let written = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        if let Some(end) =
            written.iter().position(|&byte| byte == b'(' || byte.is_ascii_whitespace())
        {
            span.end = span.start + u32::try_from(end).unwrap_or(0);
        }
        if span.start < span.end {
            self.found.push(Occurrence { name, kind, span, clause: self.clause, defines });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read};

    fn listed(text: &str) -> Vec<String> {
        let rules = read(text.as_bytes(), &ReadOptions::default()).rules.expect("it parses");
        let shown = |it: Occurrence| {
            let word = &text[it.span.start as usize..it.span.end as usize];
            let mark = if it.defines { "!" } else { "" };
            format!("{word}{mark}@{}", it.span.start)
        };
        occurrences(&rules, text.as_bytes()).into_iter().map(shown).collect()
    }

    #[test]
    fn names_are_found_in_both_notations() {
        let prefix = "(role r) (<= (next (at ?x)) (true (at ?x)) (not (wall ?x)))";
        let expected = [
            "role!@1", "r!@6", "next!@14", "at!@20", "?x!@23", "true@29", "at@35", "?x@38",
            "wall@49", "?x@54",
        ];
        assert_eq!(listed(prefix), expected);
        let infix = "role(r)\nnext(at(X)) :- true(at(X)) & ~wall(X) & distinct(X,b)";
        let words: Vec<String> =
            listed(infix).iter().map(|it| it.split('@').next().unwrap().to_string()).collect();
        let expected =
            ["role!", "r!", "next!", "at!", "X!", "true", "at", "X", "wall", "X", "X", "b"];
        assert_eq!(words, expected);
    }
}
