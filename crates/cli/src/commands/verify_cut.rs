//! `gambol verify` of a certificate of parts.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use gambol::Game;
use gambol::verify_cuts::{
    CUT_KIND, CheckOptions, Checked, CutCertificate, CutRefusal, Means, Refutation, check_cut,
    check_cut_by_questions,
};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::outcome::Outcome;
use crate::session::Session;

/// What tells one kind of certificate from another.
#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

#[derive(Serialize)]
struct Report {
    kind: &'static str,
    accepted: bool,
    /// Whether no limit cut the check short.
    finished: bool,
    reason: Option<String>,
    /// What it is borne out by: a listing of all states, or answers of a solver.
    means: Option<&'static str>,
    /// How many states, or questions.
    count: usize,
    parts: usize,
    /// Stretches of play with parts of their own.
    phases: usize,
    sound: bool,
    classes_exact: bool,
    scores_split: bool,
    /// How many refutations were written, if any were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    refutations: Option<usize>,
    seconds: f64,
}

/// Writes each refutation as two files of a folder, a formula and its proof.
struct Folder<'f> {
    path: &'f Path,
    written: usize,
    failed: Option<io::Error>,
}

impl Folder<'_> {
    fn keep(&mut self, refutation: &Refutation) {
        let files = [("cnf", refutation.dimacs()), ("drat", refutation.drat())];
        for (ending, text) in files {
            if self.failed.is_some() {
                return;
            }
            let path = self.path.join(format!("{:04}.{ending}", self.written + 1));
            self.failed = files::replace(&path, text.as_bytes()).err();
        }
        self.written += usize::from(self.failed.is_none());
    }
}

/// Checks a certificate of parts; `None` if the text is of another kind.
pub(crate) fn run(
    game: &Game,
    text: &[u8],
    refutations: Option<&Path>,
    session: &mut Session,
) -> anyhow::Result<Option<Outcome>> {
    let kind = serde_json::from_slice::<Kind>(text).ok().and_then(|certificate| certificate.kind);
    if kind.as_deref() != Some(CUT_KIND) {
        return Ok(None);
    }
    let started = Instant::now();
    let mut interpreter = super::stage(game.interpreter())?;
    let options = CheckOptions { stop: Some(session.watch.flag()), ..CheckOptions::default() };
    let mut folder = refutations.map(|path| Folder { path, written: 0, failed: None });
    if let Some(folder) = &mut folder {
        let made = fs::create_dir_all(folder.path);
        made.with_context(|| format!("cannot write {}", folder.path.display()))?;
    }
    let checked = match (serde_json::from_slice::<CutCertificate>(text), &mut folder) {
        (Ok(certificate), None) => {
            check_cut(&mut interpreter, || game.net().ok(), &certificate, &options)
        }
        (Ok(certificate), Some(folder)) => {
            let net = super::stage(game.net())?;
            let mut keep = |refutation: Refutation| folder.keep(&refutation);
            check_cut_by_questions(&interpreter, net, &certificate, &options, &mut keep)
        }
        (Err(error), _) => Err(CutRefusal::Malformed(error.to_string())),
    };
    let finished = session.watch.met().is_none();
    let mut report = Report::of(&checked, finished, started.elapsed().as_secs_f64());
    if let Some(folder) = folder {
        report.refutations = Some(folder.written);
        if let Some(error) = folder.failed {
            session.not_written(&folder.path.display().to_string(), &error);
        }
    }
    if session.flags.json {
        session.json(&report)?;
    } else {
        report.show(session)?;
    }
    Ok(Some(session.outcome(report.accepted)))
}

impl Report {
    fn of(checked: &Result<Checked, CutRefusal>, finished: bool, seconds: f64) -> Self {
        let accepted = checked.as_ref().ok().filter(|_| finished);
        let (means, count) = match accepted.map(|accepted| accepted.means) {
            Some(Means::Listing(states)) => (Some("listing"), states),
            Some(Means::Questions(questions)) => (Some("questions"), questions),
            None => (None, 0),
        };
        Self {
            kind: CUT_KIND,
            accepted: accepted.is_some(),
            finished,
            reason: checked.as_ref().err().map(ToString::to_string),
            means,
            count,
            parts: accepted.map_or(0, |accepted| accepted.parts),
            phases: accepted.map_or(0, |accepted| accepted.phases),
            sound: accepted.is_some_and(|accepted| accepted.sound),
            classes_exact: accepted.is_some_and(|accepted| accepted.classes_exact),
            scores_split: accepted.is_some_and(|accepted| accepted.scores_split),
            refutations: None,
            seconds,
        }
    }

    fn show(&self, session: &mut Session) -> anyhow::Result<()> {
        if !self.accepted {
            let what = if self.finished { "refused" } else { "open" };
            let reason = self.reason.as_deref().unwrap_or("not everything was checked");
            writeln!(session.out, "{what}: {reason}")?;
            return Ok(());
        }
        let of = if self.means == Some("listing") { "states listed" } else { "questions answered" };
        writeln!(
            session.out,
            "accepted: {} parts that are played; {} {of}",
            self.parts, self.count
        )?;
        let claims = [
            (self.sound, "no part affects another"),
            (self.classes_exact, "moves of one class have the same effect"),
            (self.scores_split, "the parts decide the scores one by one"),
        ];
        for (_, claim) in claims.iter().filter(|(claimed, _)| *claimed) {
            writeln!(session.out, "  {claim}")?;
        }
        if self.phases > 0 {
            writeln!(
                session.out,
                "  play goes through {} phases, as they are taken apart",
                self.phases
            )?;
        }
        if let Some(count) = self.refutations {
            writeln!(session.out, "  {count} refutations written")?;
        }
        Ok(())
    }
}
