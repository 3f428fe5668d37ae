//! Is this text a game? Every stage that can say no is asked, in order.

use std::time::{Duration, Instant};

use gambol_ground::{GroundError, Limits, instantiate_with_extent};
use gambol_reference::{
    Budget, Fault, GroundTerm, Interpreter, ReferenceError, WellFormedOptions, well_formed,
};
use gambol_syntax::stratification::negative_cycles;
use gambol_syntax::{
    Category, Clause, Diagnosis, ReadOptions, Rules, Severity, Span, Term, check, keyword, read,
    repair,
};

use rustc_hash::FxHashSet;

use crate::lint;

/// How closely to look.
#[derive(Clone, Debug, Default)]
pub struct Examination {
    /// How to read the text.
    pub read: ReadOptions,
    /// As play does it: what can be repaired is only warned about.
    pub lenient: bool,
    /// What grounding may cost.
    pub limits: Limits,
    /// Play so many random games, and take their faults for errors; small games are searched through
    /// instead. `None`: a few games, whose faults are warnings.
    pub play: Option<u64>,
    /// Makes the random games repeatable.
    pub seed: u64,
}

/// What one of the stages has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The stable name of its kind, such as `static.unsafe`.
    pub category: &'static str,
    /// Whether it stops the game.
    pub severity: Severity,
    /// Where; nowhere if it is about the whole game.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Finding {
    /// Whether it stops the game.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl From<&Diagnosis> for Finding {
    fn from(diagnosis: &Diagnosis) -> Self {
        Self {
            category: diagnosis.category.as_str(),
            severity: diagnosis.severity,
            span: diagnosis.span,
            message: diagnosis.message.clone(),
            hint: diagnosis.hint.clone(),
        }
    }
}

impl From<&GroundError> for Finding {
    fn from(error: &GroundError) -> Self {
        Self {
            category: error.category(),
            severity: Severity::Error,
            span: error.span(),
            message: error.to_string(),
            hint: None,
        }
    }
}

impl From<&ReferenceError> for Finding {
    fn from(error: &ReferenceError) -> Self {
        Self {
            category: error.category(),
            severity: Severity::Error,
            span: error.span(),
            message: error.to_string(),
            hint: None,
        }
    }
}

/// Everything that is wrong, or odd, about a text. It is a game if none of it is an error.
///
/// Each stage looks only at what the one before let through.
///
/// ```
/// use gambol_lint::{Examination, examine};
/// let findings = examine(b"(role r) (legal r ?move)", &Examination::default());
/// assert!(findings.iter().any(|finding| finding.category == "static.fact-variable"));
/// ```
pub fn examine(text: &[u8], examination: &Examination) -> Vec<Finding> {
    let (rules, diagnoses) = readings(text, examination);
    let mut findings: Vec<Finding> = diagnoses.iter().map(Finding::from).collect();
    say_once(&mut findings);
    let Some(rules) = rules.filter(|_| is_game(&findings)) else { return findings };
    // Repaired rules are not the author's any more, and say much twice.
    let as_written = diagnoses.iter().all(|it| !is_repair(it));
    let grounded = instantiate_with_extent(&rules, &examination.limits);
    if as_written {
        let odd =
            lint(&rules, &diagnoses, grounded.as_ref().ok().map(|(game, extent)| (game, extent)));
        findings.retain(|finding| !is_same_slip(finding, &odd));
        findings.extend(odd.iter().map(Finding::from));
    }
    let by_name = Category::PredicateUnstratified.as_str();
    // What only the names suggest, the ground rules decide.
    if grounded.is_ok() {
        let suspicions = findings.iter_mut().filter(|finding| finding.category == by_name);
        suspicions.for_each(|finding| finding.severity = Severity::Note);
    }
    match grounded {
        Err(error) => {
            let unstratified = matches!(error, GroundError::NotStratified { .. });
            findings.retain(|finding| !unstratified || finding.category != by_name);
            findings.extend(grounding_findings(&rules, &error));
        }
        Ok(_) => match examination.play {
            Some(0) => {}
            Some(playouts) => findings.extend(play_findings(&rules, playouts, examination)),
            // What is odd about the rules spoils the play as well: one cause, one message.
            None if as_written && !findings.iter().any(spoils_play) => {
                findings.extend(glance(&rules, examination));
            }
            None => {}
        },
    }
    findings
}

/// Whether something is odd that may well show in play.
fn spoils_play(finding: &Finding) -> bool {
    let harmless = [
        Category::DuplicateRule,
        Category::Extension,
        Category::EmptyParens,
        Category::CaseDiffers,
    ];
    let harmless = harmless.iter().any(|category| category.as_str() == finding.category);
    !harmless && (finding.hint.is_some() || finding.category == Category::DeadRule.as_str())
        || finding.category == Category::NeverTrue.as_str()
        || finding.category == Category::NeverLegal.as_str()
}

/// Whether play has read something in its own way.
fn is_repair(diagnosis: &Diagnosis) -> bool {
    !diagnosis.category.as_str().starts_with("warn.")
}

/// Habits of an author are told once, not wherever they show.
fn say_once(findings: &mut Vec<Finding>) {
    let habits = [Category::KeywordConstant.as_str(), Category::EmptyParens.as_str()];
    let mut told: FxHashSet<String> = FxHashSet::default();
    findings.retain(|finding| {
        if !habits.contains(&finding.category) {
            return true;
        }
        told.insert(finding.message.clone())
    });
}

/// Names that differ in case: said once.
fn is_same_slip(finding: &Finding, odd: &[Diagnosis]) -> bool {
    let overlaps = |one: Span, other: Span| one.start < other.end && other.start < one.end;
    finding.category == Category::CaseDiffers.as_str()
        && odd.iter().any(|it| match (it.span, finding.span) {
            (Some(one), Some(other)) => overlaps(one, other),
            _ => false,
        })
}

/// The ground rules decide whether negation is stratified; the rules show where it is not.
fn grounding_findings(rules: &Rules, error: &GroundError) -> Vec<Finding> {
    let cycles = match error {
        GroundError::NotStratified { .. } => negative_cycles(rules),
        _ => Vec::new(),
    };
    if cycles.is_empty() {
        let span = error.span().map(|span| head_of(rules, span).unwrap_or(span));
        return vec![Finding { span, ..Finding::from(error) }];
    }
    cycles.iter().map(|cycle| Finding::from(&cycle.diagnosis(rules))).collect()
}

/// What grows is the head of a rule, so that is what to point at.
fn head_of(rules: &Rules, rule: Span) -> Option<Span> {
    rules.clauses.iter().find(|clause| clause.span == rule).map(|clause| clause.head.span)
}

/// How many games are played without being asked for, how long, and for how much time.
const GLANCE: WellFormedOptions =
    WellFormedOptions { states: 100, playouts: 4, seed: 1, max_steps: 200 };
const GLANCE_TIME: Duration = Duration::from_millis(500);

/// A few games, for the faults that show at once. That nothing is found says little.
fn glance(rules: &Rules, examination: &Examination) -> Vec<Finding> {
    let options = WellFormedOptions { seed: examination.seed, ..GLANCE };
    let mut findings = played(rules, &options, Some(GLANCE_TIME), examination);
    findings.retain(|finding| finding.category.starts_with("play.") && finding.is_error());
    findings.retain(|finding| finding.category != Fault::Nonterminating.category());
    for finding in &mut findings {
        finding.severity = Severity::Warning;
    }
    findings
}

fn play_findings(rules: &Rules, playouts: u64, examination: &Examination) -> Vec<Finding> {
    let options =
        WellFormedOptions { playouts, seed: examination.seed, ..WellFormedOptions::default() };
    played(rules, &options, examination.limits.time, examination)
}

fn played(
    rules: &Rules,
    options: &WellFormedOptions,
    time: Option<Duration>,
    examination: &Examination,
) -> Vec<Finding> {
    let budget = Budget {
        deadline: time.and_then(|time| Instant::now().checked_add(time)),
        stop: examination.limits.stop.clone(),
        ..Budget::default()
    };
    let mut interpreter = match Interpreter::with_budget(rules, budget) {
        Ok(interpreter) => interpreter,
        Err(error) => return vec![Finding::from(&error)],
    };
    let report = well_formed(&mut interpreter, options);
    // Who cannot move, or has no goal, cannot win either.
    let breaks = |fault: Fault| {
        matches!(fault, Fault::NoLegalMove | Fault::GoalMissing | Fault::GoalAmbiguous)
    };
    let broken = report.findings.iter().any(|finding| breaks(finding.fault));
    let told = |finding: &&gambol_reference::Finding| {
        !broken || !matches!(finding.fault, Fault::Unwinnable | Fault::GoalFalls)
    };
    let mut seen = Vec::new();
    let first = |finding: &&gambol_reference::Finding| {
        let new = !seen.contains(&finding.fault);
        seen.push(finding.fault);
        new
    };
    let found = report.findings.iter().filter(told).filter(first);
    let found = found.map(|fault| play_finding(rules, &interpreter, fault));
    found.chain(report.error.iter().map(Finding::from)).collect()
}

/// The rule that a fault of play concerns: the first of its kind that may speak of the role.
fn rule_of(
    rules: &Rules,
    interpreter: &Interpreter,
    finding: &gambol_reference::Finding,
) -> Option<Span> {
    let relation = match finding.fault {
        Fault::NoLegalMove => keyword::LEGAL,
        Fault::GoalMissing | Fault::GoalAmbiguous | Fault::GoalValue => keyword::GOAL,
        Fault::GoalFalls | Fault::Unwinnable => keyword::GOAL,
        Fault::Nonterminating => keyword::TERMINAL,
        Fault::BaseMissing => keyword::BASE,
        Fault::InputMissing => keyword::INPUT,
    };
    let role = finding.role.and_then(|role| interpreter.roles().get(role));
    let role = role.map(|&role| interpreter.text(role));
    let concerns = |clause: &&Clause| {
        let names_role =
            clause.head.arguments.first().is_some_and(|&term| match rules.term(term) {
                Term::Variable(_) => true,
                Term::Function(name, _) => role.as_deref() == Some(rules.symbols.text(name)),
            });
        clause.head.relation == relation && (role.is_none() || names_role)
    };
    rules.clauses.iter().find(concerns).map(|clause| clause.head.span)
}

/// The witness goes into the hint: these moves show it.
fn play_finding(
    rules: &Rules,
    interpreter: &Interpreter,
    finding: &gambol_reference::Finding,
) -> Finding {
    const SHOWN: usize = 10;
    let joint = |moves: &Vec<GroundTerm>| {
        let texts: Vec<String> = moves.iter().map(|&term| interpreter.text(term)).collect();
        format!("[{}]", texts.join(" "))
    };
    let mut witness: Vec<String> = finding.witness.iter().take(SHOWN).map(joint).collect();
    if finding.witness.len() > SHOWN {
        witness.push(format!("and {} more", finding.witness.len() - SHOWN));
    }
    let hint = match witness.as_slice() {
        [] => "seen at the start".to_string(),
        moves => format!("seen after {}", moves.join(" ")),
    };
    Finding {
        category: finding.fault.category(),
        severity: if finding.fault.is_error() { Severity::Error } else { Severity::Warning },
        span: rule_of(rules, interpreter, finding),
        message: finding.message(interpreter),
        hint: (finding.fault != Fault::Unwinnable).then_some(hint),
    }
}

fn is_game(findings: &[Finding]) -> bool {
    !findings.iter().any(Finding::is_error)
}

fn readings(text: &[u8], examination: &Examination) -> (Option<Rules>, Vec<Diagnosis>) {
    let reading = read(text, &examination.read);
    let mut diagnoses = reading.diagnoses;
    let rules = reading.rules.and_then(|rules| {
        if examination.lenient {
            let repaired = repair(rules);
            diagnoses.extend(repaired.diagnoses);
            repaired.rules
        } else {
            diagnoses.extend(check(&rules));
            Some(rules)
        }
    });
    (rules, diagnoses)
}
