//! The check: by listing if the game is small enough, otherwise by questions.

use gambol_net::Net;
use gambol_reference::Interpreter;

use crate::by_listing::Listed;
use crate::by_phase::{Scope, stretches};
use crate::by_questions::Questions;
use crate::certificate::{CUT_FORMAT, CUT_KIND, CutCertificate, PLAIN_FORMAT};
use crate::cut::{Cut, Names};
use crate::listing::{Listing, Place, list};
use crate::options::CheckOptions;
use crate::refusal::CutRefusal;
use crate::refutation::Refutation;

/// How a certificate was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    /// So many states were listed with the interpreter.
    Listing(usize),
    /// So many questions were answered with "no".
    Questions(usize),
}

/// A certificate that the rules bear out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// How it was checked.
    pub means: Means,
    /// Parts of the whole game that are played.
    pub parts: usize,
    /// Phases; none if only the whole game is spoken of.
    pub phases: usize,
    /// Whether they are apart.
    pub sound: bool,
    /// Whether moves of one class do the same.
    pub classes_exact: bool,
    /// Whether scores split.
    pub scores_split: bool,
}

/// Checks a certificate. `net` is asked for if the game is too large to be listed.
pub fn check_cut<'n>(
    interpreter: &mut Interpreter,
    net: impl FnOnce() -> Option<&'n Net>,
    certificate: &CutCertificate,
    options: &CheckOptions,
) -> Result<Checked, CutRefusal> {
    let names = well_formed(interpreter, certificate)?;
    let claim = Claim::of(certificate, &names)?;
    let means = match list(interpreter, &names, certificate, options)? {
        Listing::Whole(places) => {
            claim.check_listed(&places)?;
            Means::Listing(places.len())
        }
        Listing::TooLarge => {
            let unknown =
                || CutRefusal::Condition("the game is too large to be listed".to_string());
            let net = net().ok_or_else(unknown)?;
            let questions = Questions::of(net, &claim.cut, certificate, options, None)?;
            Means::Questions(questions.check(&claim.phases)?)
        }
    };
    Ok(Checked::of(&claim, means))
}

/// Checks a certificate by questions, however small the game is, and tells why each has the answer "no".
pub fn check_cut_by_questions(
    interpreter: &Interpreter,
    net: &Net,
    certificate: &CutCertificate,
    options: &CheckOptions,
    witness: &mut dyn FnMut(Refutation),
) -> Result<Checked, CutRefusal> {
    let names = well_formed(interpreter, certificate)?;
    let claim = Claim::of(certificate, &names)?;
    let questions = Questions::of(net, &claim.cut, certificate, options, Some(witness))?;
    let means = Means::Questions(questions.check(&claim.phases)?);
    Ok(Checked::of(&claim, means))
}

/// What a certificate names, if it is one at all.
fn well_formed(
    interpreter: &Interpreter,
    certificate: &CutCertificate,
) -> Result<Names, CutRefusal> {
    let malformed = |what: &str| Err(CutRefusal::Malformed(what.to_string()));
    let (kind, format) = (&certificate.kind, certificate.format);
    if kind != CUT_KIND || ![PLAIN_FORMAT, CUT_FORMAT].contains(&format) {
        return malformed(&format!("kind {kind} of format {format}"));
    }
    if certificate.digest != certificate.compute_digest() {
        return Err(CutRefusal::Digest);
    }
    let claims = certificate.claims();
    let newer = !certificate.phases.is_empty() || !claims.thresholds.is_empty();
    if format == PLAIN_FORMAT && newer {
        return malformed("thresholds and phases are of a later format");
    }
    if claims.is_empty() && certificate.phases.iter().all(|phase| phase.claims().is_empty()) {
        return malformed("it claims nothing");
    }
    let roles = interpreter.roles().iter().map(|&role| interpreter.text(role)).collect();
    Names::of(&claims, roles)
}

/// A certificate with its names looked up.
struct Claim<'c> {
    cut: Cut<'c>,
    phases: Vec<(Scope, Cut<'c>)>,
}

impl<'c> Claim<'c> {
    fn of(certificate: &CutCertificate, names: &'c Names) -> Result<Self, CutRefusal> {
        let cut = Cut::of(&certificate.claims(), names)?;
        let scopes = Scope::all(certificate, names)?;
        let cuts = certificate.phases.iter().map(|phase| Cut::of(&phase.claims(), names));
        let cuts: Vec<Cut<'c>> = cuts.collect::<Result<_, _>>()?;
        Ok(Self { cut, phases: scopes.into_iter().zip(cuts).collect() })
    }

    /// Looks everything up in all states of the game.
    fn check_listed(&self, places: &[Place]) -> Result<(), CutRefusal> {
        let roles = 0..self.cut.names.roles.len();
        let highest = roles.map(|role| places.iter().flat_map(|place| &place.goals[role]).max());
        let highest: Vec<Option<u32>> = highest.map(|value| value.copied()).collect();
        Listed { cut: &self.cut, places, highest: &highest }.check()?;
        if self.phases.is_empty() {
            return Ok(());
        }
        let scopes: Vec<Scope> = self.phases.iter().map(|(scope, _)| scope.clone()).collect();
        let stretches = stretches(places, &scopes)?;
        let mut phases = stretches.iter().zip(&self.phases);
        phases.try_for_each(|(places, (_, cut))| Listed { cut, places, highest: &highest }.check())
    }
}

impl Checked {
    fn of(claim: &Claim<'_>, means: Means) -> Self {
        Self {
            means,
            parts: claim.cut.played().len(),
            phases: claim.phases.len(),
            sound: claim.cut.sound,
            classes_exact: claim.cut.classes_exact,
            scores_split: claim.cut.scores.is_some(),
        }
    }
}
