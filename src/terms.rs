//! Lists of ground terms as people write them: `(cell 1 1 x)  ( control o )`.

use gambol_syntax::{Diagnosis, ReadOptions, Rules, Term, TermId, print, read_terms};

/// Why a text is no list of ground terms.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TermsError {
    /// The text does not parse.
    #[error("{}; write terms as in \"(cell 1 1 x) (control o)\"", first_message(.0))]
    Syntax(Vec<Diagnosis>),
    /// A variable.
    #[error("?{0} is a variable; a state or move has none")]
    Variable(String),
}

/// Splits a text into terms, each in prefix form with single blanks, in the order of the text.
///
/// ```
/// let options = gambol::syntax::ReadOptions::default();
/// assert_eq!(gambol::terms(" ( cell 1 (p) )noop", &options)?, ["(cell 1 p)", "noop"]);
/// # Ok::<(), gambol::TermsError>(())
/// ```
pub fn terms(text: &str, options: &ReadOptions) -> Result<Vec<String>, TermsError> {
    let (table, terms) = read_terms(text.as_bytes(), options).map_err(TermsError::Syntax)?;
    for &term in &terms {
        refuse_variables(&table, term)?;
    }
    Ok(terms.iter().map(|&term| print::term(&table, term)).collect())
}

fn refuse_variables(table: &Rules, term: TermId) -> Result<(), TermsError> {
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match table.term(term) {
            Term::Variable(name) => {
                return Err(TermsError::Variable(table.symbols.text(name).to_string()));
            }
            Term::Function(_, arguments) => open.extend(arguments),
        }
    }
    Ok(())
}

fn first_message(diagnoses: &[Diagnosis]) -> &str {
    diagnoses.first().map_or("not a list of terms", |diagnosis| &diagnosis.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_syntax::Case;

    fn read(text: &str) -> Result<Vec<String>, TermsError> {
        terms(text, &ReadOptions::default())
    }

    #[test]
    fn blanks_do_not_matter() {
        assert_eq!(read("(a(b 1)c)d").unwrap(), ["(a (b 1) c)", "d"]);
        assert_eq!(read("  ").unwrap(), [""; 0]);
        assert_eq!(read("é (♞ x)").unwrap(), ["é", "(♞ x)"]);
    }

    #[test]
    fn case_is_read_as_in_the_rules() {
        let fold = ReadOptions { case: Case::Fold, ..ReadOptions::default() };
        assert_eq!(terms("(Cell A)", &fold).unwrap(), ["(cell a)"]);
    }

    #[test]
    fn what_is_no_list_of_ground_terms_is_refused() {
        for text in ["(a", "a)", "()", "((a b) c)"] {
            assert!(matches!(read(text), Err(TermsError::Syntax(_))), "{text}");
        }
        assert_eq!(read("(a ?x)"), Err(TermsError::Variable("x".to_string())));
    }
}
