//! The solution of a game in words and as data.

use std::collections::BTreeMap;
use std::fmt;

use gambol_net::{MoveId, Net};
use gambol_solve::{Bounds, Fraction, Meaning, Solution as Found};
use serde::Serialize;

use super::witness::joint_moves;

/// A solution as data. Roles are the keys of its maps.
#[derive(Serialize, Debug)]
pub struct Solution<'a> {
    value: BTreeMap<&'a str, Option<Number>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fractions: BTreeMap<&'a str, String>,
    bounds: BTreeMap<&'a str, [Number; 2]>,
    meaning: &'static str,
    line: Vec<Vec<&'a str>>,
    optimal: bool,
    shortest: bool,
    method: &'static str,
    nodes: u64,
    states: u64,
    basis: &'static str,
    notes: &'a [String],
}

/// A value as JSON has it: whole numbers as such, others as near as a floating-point number comes.
#[derive(Serialize, Clone, Copy, PartialEq, Debug)]
#[serde(untagged)]
pub enum Number {
    /// A whole number.
    Whole(i64),
    /// Any other.
    Real(f64),
}

impl From<Fraction> for Number {
    fn from(value: Fraction) -> Self {
        match value.whole().and_then(|whole| i64::try_from(whole).ok()) {
            Some(whole) => Self::Whole(whole),
            None => Self::Real(value.as_f64()),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => whole.fmt(out),
            Self::Real(real) => real.fmt(out),
        }
    }
}

impl<'a> Solution<'a> {
    /// The same in names.
    pub fn of(net: &'a Net, solution: &'a Found) -> Self {
        let by_role = || net.roles.iter().map(|role| &**role).zip(&solution.values);
        let broken = by_role().filter_map(|(role, bounds)| {
            let value = bounds.value().filter(|value| value.whole().is_none())?;
            Some((role, value.to_string()))
        });
        let both = |bounds: &Bounds| [bounds.least.into(), bounds.most.into()];
        let name = |&action: &MoveId| &*net.moves[action].name;
        let joint = |joint: &Vec<MoveId>| joint.iter().map(name).collect();
        Self {
            value: by_role().map(|(role, bounds)| (role, value(bounds))).collect(),
            fractions: broken.collect(),
            bounds: by_role().map(|(role, bounds)| (role, both(bounds))).collect(),
            meaning: meaning(solution.meaning),
            line: solution.line.iter().map(joint).collect(),
            optimal: solution.is_settled(),
            shortest: solution.shortest,
            method: solution.method.as_str(),
            nodes: solution.nodes,
            states: solution.states,
            basis: "proved",
            notes: &solution.notes,
        }
    }
}

/// The value, or the middle of bounds that nearly touch.
fn value(bounds: &Bounds) -> Option<Number> {
    match bounds.value() {
        Some(value) => Some(value.into()),
        None if bounds.is_settled() => {
            Some(Number::Real((bounds.least.as_f64() + bounds.most.as_f64()) / 2.0))
        }
        None => None,
    }
}

fn meaning(meaning: Meaning) -> &'static str {
    match meaning {
        Meaning::Best => "best",
        Meaning::Opposed => "opposed",
        Meaning::Equilibrium { unique: true } => "equilibrium",
        Meaning::Equilibrium { unique: false } => "one-equilibrium",
        Meaning::Secured => "secured",
    }
}

/// A value, or what is known of it: `50`, `between 0 and 33.333334`.
pub fn value_in_words(bounds: &Bounds) -> String {
    match bounds.value() {
        Some(value) => value.to_string(),
        None if bounds.is_settled() => {
            let [least, most] = [bounds.least, bounds.most].map(Fraction::as_f64);
            format!("{least:.10} to {most:.10}")
        }
        None => {
            let [least, most] = [rounded(bounds.least, false), rounded(bounds.most, true)];
            format!("between {least} and {most}")
        }
    }
}

/// A bound with six decimals, rounded to the side on which it stays one; whole numbers as such.
fn rounded(bound: Fraction, up: bool) -> String {
    if bound.whole().is_some() {
        return bound.to_string();
    }
    let millionths = bound.as_f64() * 1e6;
    let millionths = if up { millionths.ceil() } else { millionths.floor() };
    format!("{:.6}", millionths / 1e6)
}

/// Best play in words, one text for each step.
pub fn line_in_words(net: &Net, solution: &Found) -> Vec<String> {
    joint_moves(net, &solution.line)
}
