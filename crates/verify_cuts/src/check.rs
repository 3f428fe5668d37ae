//! The check: by listing if the game is small enough, otherwise by questions.

use gambol_net::Net;
use gambol_reference::Interpreter;

use crate::by_listing::Listed;
use crate::by_questions::Questions;
use crate::certificate::{CUT_FORMAT, CUT_KIND, CutCertificate};
use crate::cut::Cut;
use crate::listing::{Listing, list};
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
    /// Parts that are played.
    pub parts: usize,
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
    let cut = well_formed(interpreter, certificate)?;
    let means = match list(interpreter, &cut, certificate, options)? {
        Listing::Whole(places) => {
            Listed { cut: &cut, places: &places }.check(certificate)?;
            Means::Listing(places.len())
        }
        Listing::TooLarge => {
            let unknown =
                || CutRefusal::Condition("the game is too large to be listed".to_string());
            let net = net().ok_or_else(unknown)?;
            let questions = Questions::of(net, &cut, certificate, options, None)?;
            Means::Questions(questions.check(certificate)?)
        }
    };
    Ok(Checked::of(&cut, certificate, means))
}

/// Checks a certificate by questions, however small the game is, and tells why each has the answer "no".
pub fn check_cut_by_questions(
    interpreter: &Interpreter,
    net: &Net,
    certificate: &CutCertificate,
    options: &CheckOptions,
    witness: &mut dyn FnMut(Refutation),
) -> Result<Checked, CutRefusal> {
    let cut = well_formed(interpreter, certificate)?;
    let questions = Questions::of(net, &cut, certificate, options, Some(witness))?;
    let means = Means::Questions(questions.check(certificate)?);
    Ok(Checked::of(&cut, certificate, means))
}

/// The cut that a certificate is about.
fn well_formed(interpreter: &Interpreter, certificate: &CutCertificate) -> Result<Cut, CutRefusal> {
    if certificate.kind != CUT_KIND || certificate.format != CUT_FORMAT {
        let what = format!("kind {} of format {}", certificate.kind, certificate.format);
        return Err(CutRefusal::Malformed(what));
    }
    if certificate.digest != certificate.compute_digest() {
        return Err(CutRefusal::Digest);
    }
    if !certificate.sound && !certificate.classes_exact && certificate.scores.is_none() {
        return Err(CutRefusal::Malformed("it claims nothing".to_string()));
    }
    let roles: Vec<String> =
        interpreter.roles().iter().map(|&role| interpreter.text(role)).collect();
    Cut::of(certificate, &roles)
}

impl Checked {
    fn of(cut: &Cut, certificate: &CutCertificate, means: Means) -> Self {
        Self {
            means,
            parts: cut.played().len(),
            sound: certificate.sound,
            classes_exact: certificate.classes_exact,
            scores_split: certificate.scores.is_some(),
        }
    }
}
