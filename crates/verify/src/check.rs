//! The check of a certificate as a whole.

use std::sync::atomic::AtomicU64;

use gambol_reference::Interpreter;

use crate::accepted::{Accepted, AcceptedValue, Ground};
use crate::bounds::{Bound, proved_value};
use crate::certificate::{Certificate, FORMAT, FORMAT_WITHOUT_SENSE, HIGHEST_GOAL, Sense};
use crate::checker::Checker;
use crate::fraction::Fraction;
use crate::options::VerifyOptions;
use crate::refusal::Refusal;

/// Checks a certificate against the rules, and says what it proves. The interpreter's limits hold for each
/// question, its deadline and its flag for all of them.
pub fn verify(
    game: &Interpreter,
    certificate: &Certificate,
    options: VerifyOptions<'_>,
) -> Result<Accepted, Refusal> {
    if ![FORMAT_WITHOUT_SENSE, FORMAT].contains(&certificate.format) {
        return Err(Refusal::Format(certificate.format));
    }
    if certificate.digest != certificate.compute_digest() {
        return Err(Refusal::Digest);
    }
    let senses = senses(certificate)?;
    let done = AtomicU64::new(0);
    let mut checker = Checker::new(game.clone(), certificate, options, &done)?;
    let asked = asked_values(&checker.roles, certificate)?;
    let values = match senses[0] {
        Sense::Equilibrium => equilibrium(&mut checker, certificate, &asked),
        Sense::Forced | Sense::Secured => {
            let bounds = claims(&mut checker, certificate)?;
            by_bounds(senses, &asked, &bounds)
        }
        Sense::Mixed => {
            let bounds = averages(&mut checker, certificate)?;
            by_bounds(senses, &asked, &bounds)
        }
    }?;

    Ok(Accepted {
        state: checker.game.sorted_texts(checker.start.fluents()),
        is_initial: checker.is_initial,
        values,
        entries: certificate.entries(),
    })
}

/// The senses in which the values may hold, the strongest first. Each kind of proof has its own.
fn senses(certificate: &Certificate) -> Result<&'static [Sense], Refusal> {
    let mixes = |reason: &str| Err(Refusal::Senses(reason.to_string()));
    let lists = [
        certificate.claims.is_empty(),
        certificate.averages.is_empty(),
        certificate.equilibrium.is_empty(),
    ];
    let of_lists: &[Sense] = match lists {
        [true, true, true] | [false, true, true] => &[Sense::Forced, Sense::Secured],
        [true, false, true] => &[Sense::Mixed],
        [true, true, false] => &[Sense::Equilibrium],
        _ => return mixes("there are proofs of more than one kind"),
    };
    match (certificate.format, certificate.sense) {
        (FORMAT_WITHOUT_SENSE, None) => Ok(of_lists),
        (FORMAT, None) => Err(Refusal::malformed("the sense of the values is not given")),
        (FORMAT_WITHOUT_SENSE, Some(_)) => {
            Err(Refusal::malformed("this format does not name the sense of the values"))
        }
        // If the state in question is an end, an equilibrium has no entries.
        (FORMAT, Some(Sense::Equilibrium)) if lists == [true; 3] => Ok(&[Sense::Equilibrium]),
        (FORMAT, Some(sense)) => match of_lists.iter().position(|&known| known == sense) {
            Some(place) => Ok(&of_lists[place..=place]),
            None => {
                mixes(&format!("the values are said to be {sense}, the proof is of another kind"))
            }
        },
        (format, _) => Err(Refusal::Format(format)),
    }
}

/// What each role is said to get.
fn asked_values(
    roles: &[String],
    certificate: &Certificate,
) -> Result<Vec<(String, Fraction)>, Refusal> {
    let given = |role: &String| Some((role.clone(), *certificate.value.get(role)?));
    let asked: Option<Vec<(String, Fraction)>> = roles.iter().map(given).collect();
    let asked = asked.filter(|asked| asked.len() == certificate.value.len());
    let asked = asked.ok_or_else(|| Refusal::malformed("there is not one value for each role"))?;
    let possible = Fraction::ZERO..=Fraction::from(HIGHEST_GOAL);
    match asked.iter().find(|(_, value)| !possible.contains(value)) {
        Some((role, value)) => Err(Refusal::malformed(format!("{role} cannot get {value}"))),
        None => Ok(asked),
    }
}

fn claims(checker: &mut Checker<'_>, certificate: &Certificate) -> Result<Vec<Bound>, Refusal> {
    let mut bounds = Vec::new();
    for (number, claim) in certificate.claims.iter().enumerate() {
        checker.check_claim(claim).map_err(|fault| Refusal::of(number, fault))?;
        bounds.extend(Bound::of_claim(claim));
    }
    Ok(bounds)
}

fn averages(checker: &mut Checker<'_>, certificate: &Certificate) -> Result<Vec<Bound>, Refusal> {
    let mut bounds = Vec::new();
    for (number, claim) in certificate.averages.iter().enumerate() {
        let value = checker.check_average(claim).map_err(|fault| Refusal::of(number, fault))?;
        bounds.push(Bound::of_average(claim, value));
    }
    Ok(bounds)
}

/// The values in the first sense in which the bounds prove all of them.
fn by_bounds(
    senses: &[Sense],
    asked: &[(String, Fraction)],
    bounds: &[Bound],
) -> Result<Vec<AcceptedValue>, Refusal> {
    let mut refusal = Refusal::malformed("there is no proof");
    for &sense in senses {
        let proved: Result<Vec<AcceptedValue>, Refusal> =
            asked.iter().map(|(role, _)| proved_value(role, sense, asked, bounds)).collect();
        match proved {
            Ok(values) => return Ok(values),
            Err(reason) => refusal = reason,
        }
    }
    Err(refusal)
}

fn equilibrium(
    checker: &mut Checker<'_>,
    certificate: &Certificate,
    asked: &[(String, Fraction)],
) -> Result<Vec<AcceptedValue>, Refusal> {
    let proved = checker.check_equilibrium(&certificate.equilibrium);
    let proved = proved.map_err(|fault| Refusal::of(0, fault))?;
    let sense = Sense::Equilibrium;
    let mut values = Vec::new();
    for ((role, value), proved) in asked.iter().cloned().zip(proved) {
        if value != Fraction::from(proved) {
            return Err(Refusal::Value { role, value, sense });
        }
        let by_all = || Ground::Players(checker.roles.clone());
        values.push(AcceptedValue { role, value, sense, at_least: by_all(), at_most: by_all() });
    }
    Ok(values)
}
