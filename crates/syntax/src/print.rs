//! Rules to text, in either notation.
//!
//! Facts that share a line stay on it as far as it is wide enough; a rule with several conditions has a line for
//! each. Comments and paragraphs are kept: a comment stays with the clause or condition it precedes or follows.
//! Printing what was printed changes nothing.

mod infix;
mod layout;
mod prefix;

use crate::{LiteralId, Rules, Symbol, Term, TermId};
use layout::{ClauseComments, CommentQueue};

/// The rules in prefix notation.
pub fn to_prefix(rules: &Rules) -> String {
    print(rules, &mut prefix::Prefix { rules })
}

/// The rules in infix notation.
///
/// Names that the infix notation cannot spell (a constant that begins with a capital letter, say)
/// are changed, and a comment at the top says how. `(or)` and `(and)` are written as conditions
/// that never and always hold, and one of a single condition as that condition.
pub fn to_infix(rules: &Rules) -> String {
    let mut style = infix::Infix::new(rules);
    let renamed = style.renamed();
    renamed + &print(rules, &mut style)
}

/// A term in prefix notation, on one line.
pub fn term(rules: &Rules, term: TermId) -> String {
    let mut text = String::new();
    prefix::Prefix { rules }.run(vec![Step::Term(term)], &mut text);
    text
}

/// A literal in prefix notation, on one line.
pub fn literal(rules: &Rules, literal: LiteralId) -> String {
    let mut text = String::new();
    Style::literal(&prefix::Prefix { rules }, literal, &mut text);
    text
}

/// The signs around the parts of a rule.
struct Signs {
    comment: char,
    open: &'static str,
    /// Behind the head.
    arrow: &'static str,
    /// Behind each condition but the last.
    joint: &'static str,
    close: &'static str,
}

/// What is still to be written, last first: printing does without recursion.
enum Step {
    Literal(LiteralId),
    Term(TermId),
    Text(&'static str),
}

/// A disjunction or conjunction: what stands before it and behind each part but the last, and its parts.
type Junction<'r> = (&'static str, &'static str, &'r [LiteralId]);

/// A notation.
trait Style {
    fn rules(&self) -> &Rules;
    fn signs(&self) -> Signs;
    /// Called before a clause is printed.
    fn begin_clause(&mut self, _clause: usize) {}
    fn variable(&self, name: Symbol, text: &mut String);
    /// An atom or a function term.
    fn application(
        &self,
        name: Symbol,
        arguments: &[TermId],
        text: &mut String,
        steps: &mut Vec<Step>,
    );
    fn open_literal(&self, literal: LiteralId, text: &mut String, steps: &mut Vec<Step>);
    /// The literal as a junction that can be broken into lines; `None` if it is none.
    fn junction(&self, literal: LiteralId) -> Option<Junction<'_>>;

    fn run(&self, mut steps: Vec<Step>, text: &mut String) {
        while let Some(step) = steps.pop() {
            match step {
                Step::Text(sign) => text.push_str(sign),
                Step::Literal(literal) => self.open_literal(literal, text, &mut steps),
                Step::Term(term) => match self.rules().term(term) {
                    Term::Variable(name) => self.variable(name, text),
                    Term::Function(name, arguments) => {
                        self.application(name, arguments, text, &mut steps);
                    }
                },
            }
        }
    }

    fn head(&self, clause: usize, text: &mut String) {
        let head = &self.rules().clauses[clause].head;
        let mut steps = Vec::new();
        self.application(head.relation, &head.arguments, text, &mut steps);
        self.run(steps, text);
    }

    /// A condition on one line.
    fn literal(&self, literal: LiteralId, text: &mut String) {
        self.run(vec![Step::Literal(literal)], text);
    }

    /// A condition that is too long for a line: its parts, one per line.
    fn broken_literal(&self, literal: LiteralId, indent: usize, text: &mut String) -> bool {
        let Some((open, sign, parts)) = self.junction(literal) else { return false };
        text.push_str(open);
        for (index, &part) in parts.iter().enumerate() {
            if index > 0 {
                text.push_str(sign);
                text.push('\n');
                push_blanks(indent + open.len(), text);
            }
            self.literal(part, text);
        }
        text.push(')');
        true
    }
}

const INDENT: usize = 4;
const WIDTH: usize = 100;

fn print(rules: &Rules, style: &mut dyn Style) -> String {
    let mut text = String::new();
    let mut queue = CommentQueue::new(rules, style.signs().comment);
    for index in 0..rules.clauses.len() {
        let joined = index > 0 && queue.are_together(index - 1, index);
        let end = text.len();
        let comments = queue.before_clause(index, &mut text);
        style.begin_clause(index);
        print_clause(rules, index, style, &comments, &mut text);
        if joined
            && end > 0
            && line_length(&text[..end - 1]) + 1 + text[end..].chars().count() < WIDTH
        {
            text.replace_range(end - 1..end, " ");
        }
        queue.after_clause(index, comments, &mut text);
    }
    queue.finish(&mut text);
    text
}

/// Prints a clause without the comment behind it.
fn print_clause(
    rules: &Rules,
    index: usize,
    style: &dyn Style,
    comments: &ClauseComments,
    text: &mut String,
) {
    let clause = &rules.clauses[index];
    let signs = style.signs();
    let Some((&last, others)) = clause.body.split_last() else {
        style.head(index, text);
        return;
    };
    text.push_str(signs.open);
    style.head(index, text);
    text.push_str(signs.arrow);
    if others.is_empty() && comments.is_empty() && print_on_line(style, last, text) {
        text.push_str(signs.close);
        return;
    }
    comments.print_behind(0, text);
    for (position, &literal) in clause.body.iter().enumerate() {
        comments.print_before(position, text);
        text.push('\n');
        push_blanks(INDENT, text);
        print_literal(style, literal, text);
        if position < others.len() {
            text.push_str(signs.joint);
            comments.print_behind(position + 1, text);
        }
    }
    text.push_str(signs.close);
}

/// Prints the only condition of a rule behind its head if the line is long enough.
fn print_on_line(style: &dyn Style, literal: LiteralId, text: &mut String) -> bool {
    let before = text.len();
    let line_start = text.rfind('\n').map_or(0, |end| end + 1);
    text.push(' ');
    style.literal(literal, text);
    let fits = text[line_start..].chars().count() < WIDTH;
    if !fits {
        text.truncate(before);
    }
    fits
}

fn print_literal(style: &dyn Style, literal: LiteralId, text: &mut String) {
    let before = text.len();
    style.literal(literal, text);
    if text[before..].chars().count() + INDENT > WIDTH {
        let flat = text.split_off(before);
        if !style.broken_literal(literal, INDENT, text) {
            text.push_str(&flat);
        }
    }
}

/// The length of the last line.
fn line_length(text: &str) -> usize {
    text[text.rfind('\n').map_or(0, |end| end + 1)..].chars().count()
}

fn push_blanks(count: usize, text: &mut String) {
    text.extend(std::iter::repeat_n(' ', count));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Notation, ReadOptions, read};

    fn rules(text: &str, notation: Notation) -> Rules {
        let options = ReadOptions { syntax: Some(notation), ..ReadOptions::default() };
        let reading = read(text.as_bytes(), &options);
        reading.rules.unwrap_or_else(|| panic!("{text}\n{:?}", reading.diagnoses))
    }

    fn check_prefix(text: &str, expected: &str) {
        let printed = to_prefix(&rules(text, Notation::Prefix));
        assert_eq!(printed, expected);
        assert_eq!(to_prefix(&rules(&printed, Notation::Prefix)), expected, "not idempotent");
    }

    #[test]
    fn rules_have_a_line_for_each_condition() {
        check_prefix(
            "(ROLE r)(<= (next (at ?x)) (does r ?x) (not (true (at ?x))) )(<= terminal (p))",
            "(role r)\n(<= (next (at ?x))\n    (does r ?x)\n    (not (true (at ?x))))\n(<= terminal p)\n",
        );
    }

    #[test]
    fn comments_stay_where_they_belong() {
        check_prefix(
            ";; heading\n\n\n; about r\n(role r);who\n(<= a ; behind the head\n  ; before b\n  b;behind b\n  c ; behind c\n) ; behind\n; the end",
            ";; heading\n\n; about r\n(role r) ;who\n(<= a ; behind the head\n    ; before b\n    b ;behind b\n    c) ; behind c\n; behind\n; the end\n",
        );
    }

    #[test]
    fn facts_of_a_line_stay_together() {
        check_prefix(
            "(succ 1 2)  (succ 2 3)\n(succ 3 4) ; four\n(p)(q) ; both\n(<= a b) (r)\n\n(s) ; one\n(t)",
            "(succ 1 2) (succ 2 3)\n(succ 3 4) ; four\np q ; both\n(<= a b)\nr\n\ns ; one\nt\n",
        );
        let many: Vec<String> = (0..40).map(|number| format!("(index {number})")).collect();
        let printed = to_prefix(&rules(&many.join(" "), Notation::Prefix));
        assert!(printed.lines().all(|line| line.len() < WIDTH), "{printed}");
        assert!(printed.lines().count() < 8, "{printed}");
        assert_eq!(to_prefix(&rules(&printed, Notation::Prefix)), printed);
    }

    #[test]
    fn long_alternatives_are_broken() {
        let branch = |letter: &str| format!("(true (cell {} ?x))", letter.repeat(40));
        let text = format!("(<= a (true (at ?x)) (or {} {}))", branch("a"), branch("b"));
        let expected = format!(
            "(<= a\n    (true (at ?x))\n    (or {}\n        {}))\n",
            branch("a"),
            branch("b")
        );
        check_prefix(&text, &expected);
    }

    #[test]
    fn infix_is_written_as_in_the_textbook() {
        let text = "(role White) ; he\n(<= (legal ?p (m ?p ?_)) (true (q ?p ?_)) (not (or (true b) (true c))))";
        let printed = to_infix(&rules(text, Notation::Prefix));
        assert_eq!(
            printed,
            "% White is written white\nrole(white) % he\nlegal(P,m(P,V_)) :-\n    true(q(P,V_)) &\n    ~(true(b) | true(c))\n"
        );
        let again = to_infix(&rules(&printed, Notation::Infix));
        assert_eq!(again, printed);
    }

    #[test]
    fn variables_that_differ_only_in_case_stay_different() {
        let printed = to_infix(&rules("(<= (p ?x) (q ?x ?X))", Notation::Prefix));
        assert_eq!(printed, "p(X) :- q(X,X2)\n");
    }
}
