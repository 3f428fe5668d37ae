//! Rows of places: heaps with their sizes, pegs with their discs, a track with a token, a row of lamps.

use gambol_net::BaseMarking;
use rustc_hash::FxHashSet;

use crate::find::coordinates::Reading;
use crate::find::family::Family;
use crate::find::order::{Known, Orders};
use crate::find::sample::Sample;
use crate::words::{Word, shape};

/// A row is at most so long.
const LONGEST: usize = 24;
/// Each key has a value in at least this share of the states.
const MOSTLY: f64 = 0.5;

/// What is asked of a family.
pub(crate) struct Question<'q, 'a> {
    pub(crate) orders: &'q Orders<'a>,
    pub(crate) sample: &'q Sample,
    pub(crate) roles: &'q [&'a str],
    /// The leaves of each move.
    pub(crate) moves: &'q [Vec<&'a str>],
    /// First words of fluents of several families.
    pub(crate) shared: &'q FxHashSet<&'a str>,
}

/// How a family that is no board is read as a row.
pub(crate) fn row(family: &Family<'_>, asked: &Question<'_, '_>) -> Option<Reading> {
    match family.arity {
        0 => None,
        1 => single(family, asked),
        _ => table(family, asked),
    }
}

fn reading(column: usize, content: Vec<usize>, full: bool) -> Reading {
    Reading { column, row: None, selectors: Vec::new(), content, full, planned: false, score: 0.0 }
}

/// Lamps, of which several may burn; or a track, on which one thing moves.
fn single(family: &Family<'_>, asked: &Question<'_, '_>) -> Option<Reading> {
    let places = family.domain(0);
    if !(2..=LONGEST).contains(&places.len()) {
        return None;
    }
    let several = family.determined_by(&[], &asked.sample.states).is_none();
    let ordered = asked.orders.sorted(places.clone()).1 == Known::Ordered;
    let track = ordered && places.len() > 2 && !is_a_counter(family, asked.sample);
    let none = |state: &BaseMarking| family.members.iter().all(|(fluent, _)| !state.holds(*fluent));
    // A stage that is now a word, now a term, is no row of lamps.
    let alone = !ordered && !asked.shared.contains(family.function);
    let lamps = several || (alone && asked.sample.states.iter().any(none));
    let of_roles = places.iter().all(|name| asked.roles.contains(name));
    ((lamps || track) && !of_roles).then(|| reading(0, Vec::new(), false))
}

/// Something that the time alone decides.
fn is_a_counter(family: &Family<'_>, sample: &Sample) -> bool {
    let longest = sample.times.iter().copied().max().unwrap_or(0);
    let mut at_time = vec![None; longest + 1];
    let value = |state: usize| {
        family.members.iter().position(|(fluent, _)| sample.states[state].holds(*fluent))
    };
    (0..sample.states.len()).all(|state| {
        *at_time[sample.times[state]].get_or_insert_with(|| value(state)) == value(state)
    })
}

/// Keys with a value each. Numbers and marks lie on their keys; things lie on the value that tells where they are.
fn table(family: &Family<'_>, asked: &Question<'_, '_>) -> Option<Reading> {
    let rank = |&place: &usize| {
        let names = family.domain(place);
        let fill = family.determined_by(&[place], &asked.sample.states)?.mean;
        let ordered = asked.orders.sorted(names.clone()).1 == Known::Ordered;
        // What roles come to own may be nobody's for long.
        let owned = (0..family.arity).any(|other| {
            other != place && family.domain(other).iter().all(|name| asked.roles.contains(name))
        });
        let fits = (2..=LONGEST).contains(&names.len()) && (fill >= MOSTLY || owned);
        fits.then_some((usize::from(ordered), family.arity - place))
    };
    let key = (0..family.arity).filter(|place| rank(place).is_some()).max_by_key(rank)?;
    let content: Vec<usize> = (0..family.arity).filter(|&place| place != key).collect();
    if let [value] = content.as_slice()
        && is_where(family, asked, key, *value)
    {
        return Some(reading(*value, vec![key], false));
    }
    Some(reading(key, content, true))
}

/// Whether the values are places and the keys what lies there.
fn is_where(family: &Family<'_>, asked: &Question<'_, '_>, key: usize, value: usize) -> bool {
    let (keys, values) = (family.domain(key), family.domain(value));
    let ordered = |names: &[&str]| asked.orders.sorted(names.to_vec()).1 == Known::Ordered;
    let says =
        |name: &&str| matches!(shape(name), Some(Word::Lamp | Word::DarkLamp | Word::Nothing));
    let of_roles = keys.iter().all(|name| asked.roles.contains(name));
    let named = |leaves: &Vec<&str>| {
        leaves.iter().any(|leaf| keys.contains(leaf))
            && leaves.iter().any(|leaf| values.contains(leaf))
    };
    !ordered(&values)
        && values.len() > 1
        && !of_roles
        && !values.iter().any(says)
        && (!ordered(&keys) || asked.moves.iter().any(named))
}
