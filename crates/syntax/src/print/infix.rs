//! The infix notation, without recursion.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Junction, Signs, Step, Style};
use crate::infix::is_constant;
use crate::source::shown;
use crate::{Literal, LiteralId, Rules, Symbol, Term, TermId, keyword};

pub(super) struct Infix<'a> {
    rules: &'a Rules,
    /// Names that are spelt otherwise here.
    names: FxHashMap<Symbol, String>,
    /// In the order in which they first occur.
    renamed: Vec<Symbol>,
    clause: usize,
    /// The variables of the current clause.
    variables: FxHashMap<Symbol, String>,
}

impl<'a> Infix<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        let mut infix = Self {
            rules,
            names: FxHashMap::default(),
            renamed: Vec::new(),
            clause: 0,
            variables: FxHashMap::default(),
        };
        infix.choose_names();
        infix
    }

    /// Comments that say how names were changed.
    pub(super) fn renamed(&self) -> String {
        let line = |&name: &Symbol| {
            format!("% {} is written {}\n", shown(self.rules.symbols.text(name)), self.names[&name])
        };
        self.renamed.iter().map(line).collect()
    }

    fn choose_names(&mut self) {
        let used = names(self.rules);
        let mut spellings = Spellings::default();
        let mut foreign = Vec::new();
        for name in used {
            let text = self.rules.symbols.text(name);
            if is_constant(text) {
                spellings.taken.insert(text.to_owned());
            } else {
                foreign.push(name);
            }
        }
        for name in foreign {
            let spelling = spell_constant(self.rules.symbols.text(name));
            self.names.insert(name, spellings.take(spelling));
            self.renamed.push(name);
        }
    }

    fn name(&self, name: Symbol) -> &str {
        self.names.get(&name).map_or_else(|| self.rules.symbols.text(name), String::as_str)
    }
}

impl Style for Infix<'_> {
    fn rules(&self) -> &Rules {
        self.rules
    }

    fn variable(&self, name: Symbol, text: &mut String) {
        text.push_str(self.variables.get(&name).map_or("_", String::as_str));
    }

    fn open_literal(&self, literal: LiteralId, text: &mut String, steps: &mut Vec<Step>) {
        match self.rules.literal(literal) {
            Literal::Atom(atom) => self.application(atom.relation, &atom.arguments, text, steps),
            Literal::Distinct(left, right) => {
                text.push_str("distinct(");
                list([*left, *right].map(Step::Term), ",", steps);
            }
            Literal::Not(part) => {
                text.push('~');
                steps.push(Step::Literal(*part));
            }
            Literal::Or(parts) if parts.is_empty() => text.push_str("distinct(none,none)"),
            Literal::And(parts) if parts.is_empty() => text.push_str("~distinct(none,none)"),
            Literal::Or(parts) | Literal::And(parts) if parts.len() == 1 => {
                steps.push(Step::Literal(parts[0]));
            }
            Literal::Or(parts) => {
                text.push('(');
                list(parts.iter().map(|&part| Step::Literal(part)), " | ", steps);
            }
            Literal::And(parts) => {
                text.push('(');
                list(parts.iter().map(|&part| Step::Literal(part)), " & ", steps);
            }
        }
    }

    fn application(
        &self,
        name: Symbol,
        arguments: &[TermId],
        text: &mut String,
        steps: &mut Vec<Step>,
    ) {
        text.push_str(self.name(name));
        if !arguments.is_empty() {
            text.push('(');
            list(arguments.iter().map(|&argument| Step::Term(argument)), ",", steps);
        }
    }

    /// A rule needs a full stop if what follows would be taken for one of its conditions.
    fn signs(&self) -> Signs {
        let next = self.rules.clauses.get(self.clause + 1).map(|clause| clause.head.relation);
        let ambiguous = matches!(next, Some(keyword::TRUE | keyword::DOES | keyword::DISTINCT));
        let close = if ambiguous { "." } else { "" };
        Signs { comment: '%', open: "", arrow: " :-", joint: " &", close }
    }

    /// Variables that differ only where the infix notation makes no difference are numbered.
    fn begin_clause(&mut self, clause: usize) {
        self.clause = clause;
        self.variables.clear();
        let occurrences = variable_occurrences(self.rules, clause);
        let mut counts: FxHashMap<Symbol, usize> = FxHashMap::default();
        occurrences.iter().for_each(|&name| *counts.entry(name).or_default() += 1);
        let mut spellings = Spellings::default();
        for name in occurrences {
            let text = self.rules.symbols.text(name);
            let anonymous = text.starts_with('_') && counts[&name] == 1;
            if !anonymous && !self.variables.contains_key(&name) {
                self.variables.insert(name, spellings.take(spell_variable(text)));
            }
        }
    }

    fn junction(&self, literal: LiteralId) -> Option<Junction<'_>> {
        match self.rules.literal(literal) {
            Literal::Or(parts) => Some(("(", " |", parts)),
            Literal::And(parts) => Some(("(", " &", parts)),
            _ => None,
        }
    }
}

/// Plans the parts of a list with a sign between them, and the closing parenthesis.
fn list(
    parts: impl IntoIterator<Item = Step, IntoIter: DoubleEndedIterator>,
    sign: &'static str,
    steps: &mut Vec<Step>,
) {
    steps.push(Step::Text(")"));
    for (index, part) in parts.into_iter().rev().enumerate() {
        if index > 0 {
            steps.push(Step::Text(sign));
        }
        steps.push(part);
    }
}

/// The names of relations and functions, each once, in the order of the text.
fn names(rules: &Rules) -> Vec<Symbol> {
    let mut seen = FxHashSet::default();
    let mut names = Vec::new();
    let mut see = |name: Symbol| {
        if seen.insert(name) {
            names.push(name);
        }
    };
    for clause in &rules.clauses {
        see(clause.head.relation);
        let mut terms = clause.head.arguments.clone();
        for condition in rules.conditions(&clause.body) {
            match rules.literal(condition.literal) {
                Literal::Atom(atom) => {
                    see(atom.relation);
                    terms.extend(&atom.arguments);
                }
                Literal::Distinct(left, right) => terms.extend([*left, *right]),
                _ => {}
            }
        }
        for term in rules.subterms_of(&terms) {
            if let Term::Function(name, _) = rules.term(term) {
                see(name);
            }
        }
    }
    names
}

fn variable_occurrences(rules: &Rules, clause: usize) -> Vec<Symbol> {
    let clause = &rules.clauses[clause];
    let mut terms = clause.head.arguments.clone();
    for condition in rules.conditions(&clause.body) {
        match rules.literal(condition.literal) {
            Literal::Atom(atom) => terms.extend(&atom.arguments),
            Literal::Distinct(left, right) => terms.extend([*left, *right]),
            _ => {}
        }
    }
    rules.variables_of(&terms).map(|(name, _)| name).collect()
}

/// The nearest spelling that the infix notation reads as a constant.
fn spell_constant(name: &str) -> String {
    let mut text = spell(name);
    if let Some(first) = text.chars().next().filter(|first| first.is_uppercase()) {
        text = first.to_lowercase().chain(text.chars().skip(1)).collect();
    }
    if is_constant(&text) { text } else { format!("x{text}") }
}

/// The nearest spelling that the infix notation reads as a variable.
fn spell_variable(name: &str) -> String {
    let text = spell(name);
    let mut letters = text.chars();
    let capital: String =
        letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    if capital.starts_with(char::is_uppercase) {
        capital + letters.as_str()
    } else {
        format!("V{text}")
    }
}

/// Other characters become `_`; a full stop too, where it would end a statement.
fn spell(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let spell = |(index, &character): (usize, &char)| match character {
        '.' if characters.get(index + 1).is_some_and(|next| next.is_alphanumeric()) => '.',
        '_' | '+' | '-' | '*' | '/' => character,
        _ if character.is_alphanumeric() => character,
        _ => '_',
    };
    characters.iter().enumerate().map(spell).collect()
}

/// Spellings in use. Each is given out once; the next taker gets it with a number.
#[derive(Default)]
struct Spellings {
    taken: FxHashSet<String>,
    numbers: FxHashMap<String, u32>,
}

impl Spellings {
    fn take(&mut self, spelling: String) -> String {
        let number = self.numbers.entry(spelling.clone()).or_insert(1);
        let mut candidate = spelling.clone();
        while !self.taken.insert(candidate.clone()) {
            *number += 1;
            candidate = format!("{spelling}{number}");
        }
        candidate
    }
}
