//! Is this text a game? Every stage that can say no is asked, in order.

use std::time::{Duration, Instant};

use gambol_ground::{Extent, GroundError, GroundGame, Limits, instantiate_with_extent};
use gambol_reference::{
    Budget, Fault, GroundTerm, Interpreter, ReferenceError, WellFormed, WellFormedOptions,
    well_formed,
};
use gambol_syntax::stratification::negative_cycles;
use gambol_syntax::{
    Category, Diagnosis, ReadOptions, Rules, Severity, Span, check, keyword, read, repair,
};

use rustc_hash::FxHashSet;

use crate::blame::blame;
use crate::forgotten::Amiss;
use crate::{forgotten, lint};

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
    /// The other place concerned, where two do not go together.
    pub also: Option<Span>,
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
            also: diagnosis.also,
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
            also: None,
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
            also: None,
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
        findings.extend(odd.iter().map(Finding::from));
        drop_repeated_advice(&mut findings);
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
        Ok((game, extent)) => {
            let played = Played { rules: &rules, game: &game, extent: &extent, examination };
            match examination.play {
                Some(0) => {}
                Some(playouts) => findings.extend(played.thoroughly(playouts)),
                // What is odd about the rules spoils the play as well: one cause, one message.
                None if as_written && !findings.iter().any(spoils_play) => {
                    findings.extend(played.at_a_glance());
                }
                None => {}
            }
        }
    }
    // Where play has met such a value it says in which state.
    if findings.iter().any(|finding| finding.category == Fault::GoalValue.category()) {
        let said = Category::GoalValue.as_str();
        findings.retain(|finding| finding.category != said || finding.is_error());
    }
    findings
}

/// Whether something is odd that may well show in play.
fn spoils_play(finding: &Finding) -> bool {
    let harmless = [Category::DuplicateRule, Category::Extension, Category::EmptyParens];
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

/// Of findings with the same advice about the same place the first says it all, and that names differ in case says
/// least of all.
fn drop_repeated_advice(findings: &mut Vec<Finding>) {
    let is_case = |finding: &Finding| finding.category == Category::CaseDiffers.as_str();
    let overlap = |one: &Finding, other: &Finding| match (one.span, other.span) {
        (Some(one), Some(other)) => one.start < other.end && other.start < one.end,
        _ => false,
    };
    let (cases, others): (Vec<Finding>, Vec<Finding>) = findings.drain(..).partition(is_case);
    for finding in others {
        let said = |it: &Finding| it.hint == finding.hint && overlap(it, &finding);
        if finding.hint.is_none() || !findings.iter().any(said) {
            findings.push(finding);
        }
    }
    let advised = |case: &Finding| {
        findings.iter().any(|finding| finding.hint.is_some() && overlap(finding, case))
    };
    let more: Vec<Finding> = cases.into_iter().filter(|case| !advised(case)).collect();
    findings.extend(more);
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
    WellFormedOptions { states: 100, playouts: 6, seed: 1, max_steps: 200 };
const GLANCE_TIME: Duration = Duration::from_millis(500);

/// A game that is to be played.
struct Played<'a> {
    rules: &'a Rules,
    game: &'a GroundGame,
    extent: &'a Extent,
    examination: &'a Examination,
}

impl Played<'_> {
    /// A few games, for the faults that show at once. That nothing is found says little.
    fn at_a_glance(&self) -> Vec<Finding> {
        let options = WellFormedOptions { seed: self.examination.seed, ..GLANCE };
        let mut interpreter = match self.interpreter(Some(GLANCE_TIME)) {
            Ok(interpreter) => interpreter,
            Err(_) => return Vec::new(),
        };
        if let Some(finding) = self.over_at_once(&mut interpreter) {
            return vec![finding];
        }
        let report = well_formed(&mut interpreter, &options);
        interpreter.set_budget(self.budget(Some(GLANCE_TIME)));
        let forgotten = forgotten::look(self.rules, self.game, &mut interpreter, amiss(&report));
        // What vanishes spoils all else.
        if !forgotten.is_empty() {
            return forgotten.iter().map(Finding::from).collect();
        }
        let mut findings = self.findings(&mut interpreter, &report);
        findings.retain(|finding| finding.category.starts_with("play.") && finding.is_error());
        findings.retain(|finding| finding.category != Fault::Nonterminating.category());
        for finding in &mut findings {
            finding.severity = Severity::Warning;
        }
        findings
    }

    fn thoroughly(&self, playouts: u64) -> Vec<Finding> {
        let seed = self.examination.seed;
        let options = WellFormedOptions { playouts, seed, ..WellFormedOptions::default() };
        let mut interpreter = match self.interpreter(self.examination.limits.time) {
            Ok(interpreter) => interpreter,
            Err(error) => return vec![Finding::from(&error)],
        };
        let report = well_formed(&mut interpreter, &options);
        self.findings(&mut interpreter, &report)
    }

    /// A game that ends before the first move.
    fn over_at_once(&self, interpreter: &mut Interpreter) -> Option<Finding> {
        let start = interpreter.initial().ok()?;
        let over = interpreter.terminal(&start).ok()?;
        let mut ends =
            self.rules.clauses.iter().filter(|clause| clause.head.relation == keyword::TERMINAL);
        let clause = ends.next().filter(|_| over)?;
        let message = "the first state is terminal: the game is over before the first move";
        let span = clause.head.span;
        Some(Finding::from(&Diagnosis::warning(Category::AlwaysTerminal, span, message)))
    }

    fn interpreter(&self, time: Option<Duration>) -> Result<Interpreter, ReferenceError> {
        Interpreter::with_budget(self.rules, self.budget(time))
    }

    fn budget(&self, time: Option<Duration>) -> Budget {
        Budget {
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            stop: self.examination.limits.stop.clone(),
            ..Budget::default()
        }
    }

    fn findings(&self, interpreter: &mut Interpreter, report: &WellFormed) -> Vec<Finding> {
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
        let mut found: Vec<Finding> =
            found.map(|fault| play_finding(self.rules, self.extent, interpreter, fault)).collect();
        found.extend(report.error.iter().map(Finding::from));
        found
    }
}

/// Whether play shows that something is wrong.
fn amiss(report: &WellFormed) -> Amiss {
    let faulty = |finding: &gambol_reference::Finding| {
        matches!(finding.fault, Fault::NoLegalMove | Fault::GoalMissing | Fault::GoalAmbiguous)
    };
    let ended = match report.complete {
        true => report.terminal_states > 0,
        false => report.playouts > report.capped,
    };
    if report.error.is_some() {
        Amiss::Nothing
    } else if report.findings.iter().any(faulty) || !ended {
        Amiss::Surely
    } else if !report.won.contains(&true) {
        Amiss::Perhaps
    } else {
        Amiss::Nothing
    }
}

/// The witness goes into the hint: these moves show it.
fn play_finding(
    rules: &Rules,
    extent: &Extent,
    interpreter: &mut Interpreter,
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
    let blame = blame(rules, extent, interpreter, finding);
    let hint = match blame.hint {
        Some(meant) => format!("{meant} {hint}"),
        None => hint,
    };
    Finding {
        category: finding.fault.category(),
        severity: if finding.fault.is_error() { Severity::Error } else { Severity::Warning },
        span: blame.span,
        message: finding.message(interpreter),
        hint: (finding.fault != Fault::Unwinnable).then_some(hint),
        also: None,
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
