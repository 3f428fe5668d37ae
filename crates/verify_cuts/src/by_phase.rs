//! Phases in a listing: which states belong to which, and whether what is passed stays passed.

use crate::certificate::CutCertificate;
use crate::condition::Condition;
use crate::cut::Names;
use crate::listing::Place;
use crate::refusal::CutRefusal;

/// What tells the states of a phase from others.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) begins: Option<Condition<usize>>,
    /// What the next phase begins with.
    pub(crate) ends: Option<Condition<usize>>,
    /// Values that fluents have in all its states.
    pub(crate) facts: Vec<(usize, bool)>,
}

impl Scope {
    /// The phases of a certificate, in their order.
    pub(crate) fn all(
        certificate: &CutCertificate,
        names: &Names,
    ) -> Result<Vec<Self>, CutRefusal> {
        let malformed = |what: &str| CutRefusal::Malformed(what.to_string());
        let phases = &certificate.phases;
        if phases.iter().enumerate().any(|(place, phase)| (place == 0) != phase.begins.is_none()) {
            return Err(malformed("just the first phase begins with the game"));
        }
        let mut scopes: Vec<Self> = Vec::new();
        for phase in phases {
            let begins = phase.begins.as_ref().map(|begins| names.condition(begins)).transpose()?;
            if let Some(before) = scopes.last_mut() {
                before.ends.clone_from(&begins);
            }
            let number = |name: &String| names.fluents.iter().position(|fluent| fluent == name);
            let fact = |(name, holds): &(String, bool)| {
                let number = number(name).ok_or_else(|| malformed(&format!("{name} is no fluent")));
                Ok((number?, *holds))
            };
            let facts: Result<Vec<(usize, bool)>, CutRefusal> =
                phase.facts.iter().map(fact).collect();
            scopes.push(Self { begins, ends: None, facts: facts? });
        }
        Ok(scopes)
    }
}

/// The states of each phase, with the steps that do not leave it.
pub(crate) fn stretches(places: &[Place], scopes: &[Scope]) -> Result<Vec<Vec<Place>>, CutRefusal> {
    let phases: Vec<usize> =
        places.iter().map(|place| phase_of(place, scopes)).collect::<Result<_, _>>()?;
    let refused = |what: &str| Err(CutRefusal::Condition(what.to_string()));
    if phases[0] != 0 {
        return refused("a crossing point is passed at the start");
    }
    let mut stretches: Vec<Vec<Place>> = vec![Vec::new(); scopes.len()];
    let mut numbers = Vec::with_capacity(places.len());
    for (place, &phase) in places.iter().zip(&phases) {
        if place.steps.iter().any(|(_, after)| phases[*after] < phase) {
            return refused("what was passed is open again");
        }
        if place.steps.iter().any(|(_, after)| phases[*after] > phase + 1) {
            return refused("a phase is skipped");
        }
        numbers.push(stretches[phase].len());
        stretches[phase].push(place.clone());
    }
    for (phase, stretch) in stretches.iter_mut().enumerate() {
        for place in stretch {
            place.steps.retain(|(_, after)| phases[*after] == phase);
            place.steps.iter_mut().for_each(|(_, after)| *after = numbers[*after]);
        }
    }
    Ok(stretches)
}

/// How many crossing points are passed in a state: those up to the last of them.
fn phase_of(place: &Place, scopes: &[Scope]) -> Result<usize, CutRefusal> {
    let passed = |scope: &Scope| {
        scope.begins.as_ref().is_none_or(|begins| begins.holds(&|&fluent| place.state[fluent]))
    };
    let phase = scopes.iter().filter(|scope| passed(scope)).count() - 1;
    if !scopes[..=phase].iter().all(passed) {
        return Err(CutRefusal::Condition("crossing points do not come in order".to_string()));
    }
    let differs = |&(fluent, holds): &(usize, bool)| place.state[fluent] != holds;
    match scopes[phase].facts.iter().any(differs) {
        true => Err(CutRefusal::Condition("what holds in a phase does not".to_string())),
        false => Ok(phase),
    }
}
