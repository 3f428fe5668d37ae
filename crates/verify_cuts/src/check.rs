//! The check: by listing if the game is small enough, otherwise by questions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gambol_net::Net;
use gambol_reference::{Interpreter, ReferenceError};

use crate::by_listing::Listed;
use crate::by_questions::Questions;
use crate::certificate::{CUT_FORMAT, CUT_KIND, CutCertificate};
use crate::cut::Cut;
use crate::listing::{Listing, list};

/// How to check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Games with more states than this are not listed.
    pub most_states: usize,
    /// Ends the check early.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { most_states: 4_000, stop: None }
    }
}

impl CheckOptions {
    pub(crate) fn is_over(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

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

/// Why a certificate is not accepted.
#[derive(thiserror::Error, Debug)]
pub enum CutRefusal {
    /// It is not what it should be.
    #[error("the certificate is malformed: {0}")]
    Malformed(String),
    /// It was changed or damaged.
    #[error("the digest does not fit: the certificate was changed or damaged")]
    Digest,
    /// A condition does not hold, or could not be shown to.
    #[error("{0}")]
    Condition(String),
    /// The rules cannot be read.
    #[error(transparent)]
    Rules(#[from] ReferenceError),
    /// It was told to stop, or a solver gave up.
    #[error("not everything was checked")]
    Stopped,
}

/// Checks a certificate. `net` is asked for if the game is too large to be listed.
pub fn check_cut<'n>(
    interpreter: &mut Interpreter,
    net: impl FnOnce() -> Option<&'n Net>,
    certificate: &CutCertificate,
    options: &CheckOptions,
) -> Result<Checked, CutRefusal> {
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
    let cut = Cut::of(certificate, &roles)?;
    let means = match list(interpreter, &cut, certificate, options)? {
        Listing::Whole(places) => {
            Listed { cut: &cut, places: &places }.check(certificate)?;
            Means::Listing(places.len())
        }
        Listing::TooLarge => {
            let unknown =
                || CutRefusal::Condition("the game is too large to be listed".to_string());
            let net = net().ok_or_else(unknown)?;
            Means::Questions(Questions::of(net, &cut, certificate, options)?.check(certificate)?)
        }
    };
    Ok(Checked {
        means,
        parts: cut.played().len(),
        sound: certificate.sound,
        classes_exact: certificate.classes_exact,
        scores_split: certificate.scores.is_some(),
    })
}
