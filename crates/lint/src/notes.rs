//! The findings as they are made, and what they explain.

use gambol_syntax::{Category, Clause, Diagnosis, Rules, Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many findings of a kind are listed.
const MOST: usize = 20;

/// A function of fluents or moves: its name and the number of its arguments.
pub(crate) type Shape = (Symbol, usize);

#[derive(Default)]
pub(crate) struct Notes {
    list: Vec<Diagnosis>,
    counts: FxHashMap<Category, usize>,
    /// Clauses with a finding that explains why they do not do what they should.
    pub(crate) clauses: FxHashSet<usize>,
    /// Fluents and moves of which a finding says why they are missing.
    pub(crate) explained: FxHashSet<Shape>,
    /// Conditions that never hold, because rules that define them do not apply.
    pub(crate) unmet: FxHashSet<usize>,
    /// Whether some name looks misspelt: then much else may follow from it.
    pub(crate) suspicious: bool,
    /// Constants that look misspelt.
    pub(crate) odd: Vec<String>,
}

impl Notes {
    /// No findings yet, but for those of the strict check, which explain much.
    pub(crate) fn beside(rules: &Rules, known: &[Diagnosis]) -> Self {
        let mut notes = Self::default();
        for finding in known {
            let misspelt = match finding.category {
                Category::UndefinedRelation | Category::UnknownRole | Category::CaseDiffers => true,
                Category::UnusedRelation => finding.hint.is_some(),
                _ => false,
            };
            let Some(span) = finding.span.filter(|_| misspelt) else { continue };
            let holds =
                |clause: &Clause| clause.span.start <= span.start && span.end <= clause.span.end;
            notes.clauses.extend(rules.clauses.iter().position(holds));
            notes.suspicious |= finding.hint.is_some();
        }
        notes
    }

    /// A finding about a clause.
    pub(crate) fn add(&mut self, clause: usize, diagnosis: Diagnosis) {
        self.clauses.insert(clause);
        self.suspicious |= diagnosis.hint.is_some();
        self.add_aside(diagnosis);
    }

    /// A finding that explains nothing else.
    pub(crate) fn add_aside(&mut self, diagnosis: Diagnosis) {
        let count = self.counts.entry(diagnosis.category).or_default();
        *count += 1;
        if *count <= MOST {
            self.list.push(diagnosis);
        }
    }

    /// Whether a finding points at this place, or at a part of it.
    pub(crate) fn points_into(&self, span: Span) -> bool {
        let inside = |place: Span| span.start <= place.start && place.end <= span.end;
        self.list.iter().any(|diagnosis| diagnosis.span.is_some_and(inside))
    }

    /// What is left without advice beside a name that looks misspelt most likely follows from it, and so does
    /// advice to write that name.
    fn drop_consequences(&mut self) {
        if !self.suspicious {
            return;
        }
        let advice: Vec<String> = self.odd.iter().map(|name| did_you_mean(name)).collect();
        let vague = |finding: &Diagnosis| {
            finding.hint.is_none()
                && matches!(
                    finding.category,
                    Category::NeverTrue
                        | Category::NeverLegal
                        | Category::DeadRule
                        | Category::ConstantGoal
                        | Category::RoleNeverMoves
                )
        };
        self.list.retain(|finding| {
            !vague(finding) && !finding.hint.as_ref().is_some_and(|hint| advice.contains(hint))
        });
    }

    pub(crate) fn into_diagnoses(mut self) -> Vec<Diagnosis> {
        self.drop_consequences();
        self.list.sort_by_key(|diagnosis| diagnosis.span.map_or(u32::MAX, |span| span.start));
        self.list
    }
}

/// The usual advice.
pub(crate) fn did_you_mean(name: &str) -> String {
    format!("did you mean {}?", gambol_syntax::shown(name))
}
