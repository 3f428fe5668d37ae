//! Text to rules: the entrance to both readers.

use rustc_hash::FxHashSet;

use crate::diagnosis::Findings;
use crate::{
    Category, Diagnosis, Notation, ReadOptions, Rules, Span, Symbol, SyntaxLimits, Term, TermId,
    infix, keyword, prefix,
};

/// What was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The rules, unless the text does not parse.
    pub rules: Option<Rules>,
    /// Everything that was found, in the order of the text.
    pub diagnoses: Vec<Diagnosis>,
}

/// Reads a rulesheet and reports all lexical and syntactic errors at once.
pub fn read(source: &[u8], options: &ReadOptions) -> Reading {
    let mut findings = Findings::new(options.limits.findings);
    if let Some(refusal) = refuse(source, &options.limits) {
        return Reading { rules: None, diagnoses: vec![refusal] };
    }
    let rules = match options.syntax.unwrap_or_else(|| Notation::of(source)) {
        Notation::Prefix => prefix::read(source, options, &mut findings),
        Notation::Infix => infix::read(source, options, &mut findings),
    };
    if rules.clauses.is_empty() && !findings.has_errors() {
        findings.add(Diagnosis::error_of_text(Category::EmptyFile, "the text holds no rules"));
    }
    check_roles(&rules, options.limits.roles, &mut findings);
    let rules = (!findings.has_errors()).then_some(rules);
    Reading { rules, diagnoses: findings.into_sorted() }
}

/// Reads terms in prefix notation, such as `(cell 1 1 x) (control o)`: the terms, and the table
/// they live in.
pub fn read_terms(
    source: &[u8],
    options: &ReadOptions,
) -> Result<(Rules, Vec<TermId>), Vec<Diagnosis>> {
    if let Some(refusal) = refuse(source, &options.limits) {
        return Err(vec![refusal]);
    }
    let mut findings = Findings::new(options.limits.findings);
    let terms = prefix::read_terms(source, options, &mut findings);
    if findings.has_errors() { Err(findings.into_sorted()) } else { Ok(terms) }
}

/// Text that is not worth looking at more closely.
fn refuse(source: &[u8], limits: &SyntaxLimits) -> Option<Diagnosis> {
    if source.len() > limits.size {
        let message = format!("{} bytes; at most {} are read", source.len(), limits.size);
        return Some(Diagnosis::error_of_text(Category::LimitSize, message));
    }
    if source.starts_with(b"\xFF\xFE") || source.starts_with(b"\xFE\xFF") {
        let diagnosis =
            Diagnosis::error(Category::Encoding, Span::new(0, 2), "the text is in UTF-16");
        return Some(diagnosis.with_hint("save it as UTF-8"));
    }
    None
}

fn check_roles(rules: &Rules, limit: usize, findings: &mut Findings) {
    let mut seen: FxHashSet<Symbol> = FxHashSet::default();
    for clause in &rules.clauses {
        let Some(role) = role_of(rules, clause.head.relation, &clause.head.arguments) else {
            continue;
        };
        if seen.insert(role) && seen.len() > limit {
            let message = format!("more than {limit} roles");
            findings.add(Diagnosis::error(Category::LimitRoles, clause.head.span, message));
            return;
        }
    }
}

fn role_of(rules: &Rules, relation: Symbol, arguments: &[TermId]) -> Option<Symbol> {
    match (relation, arguments) {
        (keyword::ROLE, &[role]) => match rules.term(role) {
            Term::Function(name, []) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Literal};

    fn categories(text: &str) -> Vec<&'static str> {
        let reading = read(text.as_bytes(), &ReadOptions::default());
        assert_eq!(reading.rules.is_some(), !crate::has_errors(&reading.diagnoses));
        reading.diagnoses.iter().map(|diagnosis| diagnosis.category.as_str()).collect()
    }

    #[test]
    fn a_rule_has_a_head_and_conditions() {
        let text = "(<= (next (at ?x)) (NOT (true q)) (or (does r ?x) (distinct ?x a)))";
        let rules = read(text.as_bytes(), &ReadOptions::default()).rules.unwrap();
        let clause = &rules.clauses[0];
        assert_eq!(clause.head.relation, keyword::NEXT);
        let Literal::Not(negated) = rules.literal(clause.body[0]) else { panic!("not") };
        assert!(
            matches!(rules.literal(*negated), Literal::Atom(atom) if atom.relation == keyword::TRUE)
        );
        let Literal::Or(parts) = rules.literal(clause.body[1]) else { panic!("or") };
        assert!(matches!(rules.literal(parts[1]), Literal::Distinct(..)));
    }

    #[test]
    fn every_error_of_a_text_is_reported() {
        let text =
            "(p ()) ?x ((q)) (?p a) (<= a (<= b c)) (<=) ) (role \"r s\") (p ?)\n(unclosed\n(p)";
        assert_eq!(
            categories(text),
            [
                "syntax.empty-list",
                "syntax.variable-sentence",
                "syntax.list-head",
                "syntax.variable-head",
                "syntax.nested-rule",
                "syntax.expected-head",
                "syntax.unmatched-close",
                "lex.string",
                "lex.variable",
                "syntax.unmatched-open",
                "warn.empty-parens",
            ]
        );
    }

    #[test]
    fn an_empty_text_is_no_game() {
        assert_eq!(categories(" ; nothing\n"), ["syntax.empty-file"]);
    }

    #[test]
    fn names_keep_their_case_unless_folded() {
        let text = b"(ROLE White) (p white)";
        let exact = read(text, &ReadOptions::default()).rules.unwrap();
        assert_eq!(exact.clauses[0].head.relation, keyword::ROLE);
        assert!(exact.symbols.find("White").is_some());
        let options = ReadOptions { case: Case::Fold, ..ReadOptions::default() };
        let folded = read(text, &options).rules.unwrap();
        assert!(folded.symbols.find("White").is_none());
    }

    #[test]
    fn deep_text_is_refused_and_the_rest_is_still_read() {
        let text = format!("(p {}x{}) ()", "(f ".repeat(100_000), ")".repeat(100_000));
        assert_eq!(categories(&text), ["limit.depth", "syntax.empty-list"]);
    }

    #[test]
    fn large_texts_lists_and_names_are_refused() {
        assert_eq!(categories(&" ".repeat((4 << 20) + 1)), ["limit.size"]);
        assert_eq!(categories(&format!("(p{})", " x".repeat(1001))), ["limit.arity"]);
        assert_eq!(categories(&format!("(p {})", "x".repeat(1025))), ["limit.token"]);
        let roles: String = (0..65).map(|role| format!("(role r{role})")).collect();
        assert_eq!(categories(&roles), ["limit.roles"]);
    }

    #[test]
    fn terms_are_read_one_after_another() {
        let options = ReadOptions::default();
        let (rules, terms) = read_terms(b"(cell 1 (s ?x)) noop", &options).unwrap();
        assert_eq!(terms.len(), 2);
        assert!(matches!(rules.term(terms[0]), Term::Function(_, [_, _])));
        assert!(read_terms(b"(cell", &options).is_err());
    }
}
