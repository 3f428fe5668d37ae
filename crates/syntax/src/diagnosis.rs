//! What is wrong with a rulesheet: a category, a place, a sentence, and what to do about it.

use crate::Span;

/// Whether a finding stops the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The text is not a game.
    Error,
    /// The text is a game, though perhaps not the one its author meant.
    Warning,
    /// Something to know about a game that may well be meant as it is.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

macro_rules! categories {
    ($($(#[$meta:meta])* $name:ident = $text:literal;)*) => {
        /// The kind of a finding.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Category {
            $($(#[$meta])* $name,)*
        }

        impl Category {
            /// All categories.
            pub const ALL: &'static [Category] = &[$(Category::$name),*];

            /// The stable name, such as `static.unsafe`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Category::$name => $text,)*
                }
            }
        }
    };
}

categories! {
    /// A token holds bytes that are not UTF-8.
    Encoding = "lex.encoding";
    /// A control character outside a comment.
    Control = "lex.control";
    /// A quoted name.
    String = "lex.string";
    /// A variable without a name.
    Variable = "lex.variable";
    /// A character that the infix notation does not know.
    Character = "lex.character";
    /// There is no clause at all.
    EmptyFile = "syntax.empty-file";
    /// `()`
    EmptyList = "syntax.empty-list";
    /// A list where a name must stand: `((p) a)`.
    ListHead = "syntax.list-head";
    /// A variable where a name must stand: `(?p a)`.
    VariableHead = "syntax.variable-head";
    /// A rule inside something else.
    NestedRule = "syntax.nested-rule";
    /// A variable where a sentence must stand.
    VariableSentence = "syntax.variable-sentence";
    /// A parenthesis that is never closed.
    UnmatchedOpen = "syntax.unmatched-open";
    /// A closing parenthesis too many.
    UnmatchedClose = "syntax.unmatched-close";
    /// A rule without a head.
    ExpectedHead = "syntax.expected-head";
    /// Something else where a term or a condition must stand.
    ExpectedTerm = "syntax.expected-term";
    /// Two arguments without a comma between them.
    ExpectedComma = "syntax.expected-comma";
    /// Two conditions without `&` between them.
    MissingOperator = "syntax.missing-operator";
    /// An operator that joins nothing.
    StrayOperator = "syntax.stray-operator";
    /// The text is too long.
    LimitSize = "limit.size";
    /// Parentheses are nested too deeply.
    LimitDepth = "limit.depth";
    /// Too many arguments or conditions.
    LimitArity = "limit.arity";
    /// A name is too long.
    LimitToken = "limit.token";
    /// Too many roles.
    LimitRoles = "limit.roles";
    /// Too many findings to report.
    LimitFindings = "limit.findings";
    /// A reserved word used as a name.
    ReservedWord = "static.reserved-word";
    /// Something that looks like a connective and is none.
    UnknownConnective = "static.unknown-connective";
    /// `not` or `distinct` with the wrong number of arguments.
    ConnectiveArity = "static.connective-arity";
    /// A game relation with the wrong number of arguments.
    KeywordArity = "static.keyword-arity";
    /// `role` defined by a rule with conditions.
    RoleRule = "static.role-rule";
    /// A role that is not a constant.
    RoleNotConstant = "static.role-not-constant";
    /// `true` or `does` stated or defined.
    ReservedHead = "static.reserved-head";
    /// `init`, `next` or `sees` used as a condition.
    BodyKeyword = "static.body-keyword";
    /// `init`, `base`, `input` or `role` depend on the state or the moves.
    InitDepends = "static.init-depends";
    /// `legal`, `goal` or `terminal` depend on the moves.
    DoesDependence = "static.does-dependence";
    /// No role.
    MissingRole = "static.missing-role";
    /// Nothing is ever legal.
    MissingLegal = "static.missing-legal";
    /// No goal.
    MissingGoal = "static.missing-goal";
    /// The game never ends.
    MissingTerminal = "static.missing-terminal";
    /// A role that no `legal` head can name.
    RoleWithoutLegal = "static.role-without-legal";
    /// A role that no `goal` head can name.
    RoleWithoutGoal = "static.role-without-goal";
    /// A goal value that is not an integer from 0 to 100.
    GoalValue = "static.goal-value";
    /// A relation or function used with two arities.
    ArityMismatch = "static.arity-mismatch";
    /// A variable that no positive condition binds.
    Unsafe = "static.unsafe";
    /// A variable in a fact.
    FactVariable = "static.fact-variable";
    /// A relation that depends on its own negation.
    Unstratified = "static.unstratified";
    /// Recursion whose arguments nothing bounds.
    Recursion = "static.recursion";
    /// A role that is not declared.
    UnknownRole = "warn.unknown-role";
    /// The same role declared twice.
    DuplicateRole = "warn.duplicate-role";
    /// `base` or `input` used as a condition.
    BodyBaseInput = "warn.body-base-input";
    /// A condition on a relation that nothing defines.
    UndefinedRelation = "warn.undefined-relation";
    /// A relation that no condition uses.
    UnusedRelation = "warn.unused-relation";
    /// Two names that differ only in case.
    CaseDiffers = "warn.case";
    /// An extension of the language.
    Extension = "warn.extension";
    /// `(or)` or `(and)`.
    EmptyConnective = "warn.empty-connective";
    /// `(p)` for `p`.
    EmptyParens = "warn.empty-parens";
    /// Negation that is not stratified by relation names.
    PredicateUnstratified = "warn.predicate-unstratified";
    /// A game relation's name used as a constant.
    KeywordConstant = "warn.keyword-constant";
    /// A comment that begins as in the other notation.
    ForeignComment = "warn.foreign-comment";
    /// A variable that occurs once and is spelt almost like another of its rule.
    SingleVariable = "warn.single-variable";
    /// A rule that says what another says.
    DuplicateRule = "warn.duplicate-rule";
    /// A constant that occurs once and is spelt almost like another.
    OddConstant = "warn.odd-constant";
    /// A fact that breaks a row of numbers.
    OddFact = "warn.odd-fact";
    /// Arguments in the wrong order.
    ExchangedArguments = "warn.exchanged-arguments";
    /// A condition that holds in no state.
    NeverTrue = "warn.never-true";
    /// A condition on a move that nobody can ever do.
    NeverLegal = "warn.never-legal";
    /// A fluent or move that no rule asks for, spelt almost like one that rules ask for.
    NeverRead = "warn.never-read";
    /// A rule whose conditions never hold together.
    DeadRule = "warn.dead-rule";
    /// No state is terminal.
    NeverTerminal = "warn.never-terminal";
    /// Every state is terminal.
    AlwaysTerminal = "warn.always-terminal";
    /// A role that never has a legal move.
    RoleNeverMoves = "warn.role-never-moves";
    /// A goal that is the same in every state.
    ConstantGoal = "warn.constant-goal";
    /// A fluent that nothing keeps true from one state to the next.
    MissingFrame = "warn.missing-frame";
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}[{}]: {message}", severity.as_str(), category.as_str())]
pub struct Diagnosis {
    /// Its kind.
    pub category: Category,
    /// Whether it stops the game.
    pub severity: Severity,
    /// Where; nowhere if something is missing.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The other place concerned, where two do not go together.
    pub also: Option<Span>,
}

impl Diagnosis {
    /// An error at a place.
    pub fn error(category: Category, span: Span, message: impl Into<String>) -> Self {
        let severity = Severity::Error;
        Self {
            category,
            severity,
            span: Some(span),
            message: message.into(),
            hint: None,
            also: None,
        }
    }

    /// A warning at a place.
    pub fn warning(category: Category, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(category, span, message) }
    }

    /// A note at a place.
    pub fn note(category: Category, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(category, span, message) }
    }

    /// An error about the whole text.
    pub fn error_of_text(category: Category, message: impl Into<String>) -> Self {
        Self { span: None, ..Self::error(category, Span::default(), message) }
    }

    /// The same with advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with the other place concerned.
    #[must_use]
    pub fn with_also(mut self, also: Span) -> Self {
        self.also = Some(also);
        self
    }

    /// Whether this stops the game.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any of the findings is an error.
pub fn has_errors(diagnoses: &[Diagnosis]) -> bool {
    diagnoses.iter().any(Diagnosis::is_error)
}

/// Findings as they are made, up to a number of each kind: hostile text must not fill the memory
/// with them, and many of one kind must not hide another.
#[derive(Debug)]
pub(crate) struct Findings {
    list: Vec<Diagnosis>,
    limit: usize,
    /// By the number of the category.
    counts: Vec<usize>,
}

impl Findings {
    pub(crate) fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, counts: vec![0; Category::ALL.len()] }
    }

    pub(crate) fn add(&mut self, diagnosis: Diagnosis) {
        let (category, severity) = (diagnosis.category, diagnosis.severity);
        let count = &mut self.counts[category as usize];
        *count += 1;
        if *count <= self.limit {
            self.list.push(diagnosis);
        } else if *count == self.limit + 1 {
            let message =
                format!("no more than {} of {} are listed", self.limit, category.as_str());
            let note = Diagnosis::error_of_text(Category::LimitFindings, message);
            self.list.push(Diagnosis { severity, ..note });
        }
    }

    pub(crate) fn extend(&mut self, diagnoses: impl IntoIterator<Item = Diagnosis>) {
        diagnoses.into_iter().for_each(|diagnosis| self.add(diagnosis));
    }

    pub(crate) fn has_errors(&self) -> bool {
        has_errors(&self.list)
    }

    /// In the order of the text; those about the whole text come last.
    pub(crate) fn into_sorted(mut self) -> Vec<Diagnosis> {
        sort(&mut self.list);
        self.list
    }
}

/// Sorts by place; findings about the whole text come last.
fn sort(diagnoses: &mut [Diagnosis]) {
    diagnoses.sort_by_key(|diagnosis| {
        let span = diagnosis.span.unwrap_or(Span::new(u32::MAX, u32::MAX));
        (span.start, diagnosis.category)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn category_names_are_distinct() {
        let mut names: Vec<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Category::ALL.len());
    }

    #[test]
    fn findings_stop_at_their_limit() {
        let mut findings = Findings::new(2);
        for start in 0..5 {
            let span = Span::new(start, start + 1);
            findings.add(Diagnosis::error(Category::Control, span, "a control character"));
        }
        let list = findings.into_sorted();
        assert_eq!(list.len(), 3);
        assert_eq!(list[2].category, Category::LimitFindings);
    }

    #[test]
    fn many_warnings_hide_no_error() {
        let mut findings = Findings::new(1);
        for _ in 0..3 {
            findings.add(Diagnosis::warning(Category::EmptyParens, Span::default(), "odd"));
        }
        assert!(!findings.has_errors());
        findings.add(Diagnosis::error(Category::Control, Span::default(), "wrong"));
        assert!(findings.has_errors());
    }
}
