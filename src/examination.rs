//! Is this text a game? Every stage that can say no is asked, in order.

use std::time::Instant;

use gambol_ground::{GroundError, Limits, instantiate};
use gambol_reference::{
    Budget, Fault, GroundTerm, Interpreter, ReferenceError, WellFormedOptions, well_formed,
};
use gambol_syntax::stratification::negative_cycles;
use gambol_syntax::{Diagnosis, ReadOptions, Rules, Severity, Span, check, read, repair};

/// How closely to look.
#[derive(Clone, Debug, Default)]
pub struct Examination {
    /// How to read the text.
    pub read: ReadOptions,
    /// As play does it: what can be repaired is only warned about.
    pub lenient: bool,
    /// What grounding may cost.
    pub limits: Limits,
    /// Also play so many random games; small games are searched through instead.
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
/// let findings = gambol::examine(b"(role r) (legal r ?move)", &gambol::Examination::default());
/// assert!(findings.iter().any(|finding| finding.category == "static.fact-variable"));
/// ```
pub fn examine(text: &[u8], examination: &Examination) -> Vec<Finding> {
    let (rules, diagnoses) = readings(text, examination);
    let mut findings: Vec<Finding> = diagnoses.iter().map(Finding::from).collect();
    let Some(rules) = rules.filter(|_| is_game(&findings)) else { return findings };
    if let Err(error) = instantiate(&rules, &examination.limits) {
        findings.extend(grounding_findings(&rules, &error));
    } else if let Some(playouts) = examination.play {
        findings.extend(play_findings(&rules, playouts, examination));
    }
    findings
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

fn play_findings(rules: &Rules, playouts: u64, examination: &Examination) -> Vec<Finding> {
    let limits = &examination.limits;
    let budget = Budget {
        deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
        stop: limits.stop.clone(),
        ..Budget::default()
    };
    let options =
        WellFormedOptions { playouts, seed: examination.seed, ..WellFormedOptions::default() };
    match Interpreter::with_budget(rules, budget) {
        Ok(mut interpreter) => {
            let report = well_formed(&mut interpreter, &options);
            let found = report.findings.iter().map(|fault| play_finding(&interpreter, fault));
            found.chain(report.error.iter().map(Finding::from)).collect()
        }
        Err(error) => vec![Finding::from(&error)],
    }
}

/// The witness goes into the hint: these moves show it.
fn play_finding(interpreter: &Interpreter, finding: &gambol_reference::Finding) -> Finding {
    const SHOWN: usize = 20;
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
        span: None,
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
