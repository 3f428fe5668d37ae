//! Constants, and functions inside fluents and moves, that occur once and are spelt almost like one that stands in the
//! same place elsewhere.

use gambol_syntax::{
    Category, Diagnosis, Literal, Rules, Symbol, Term, TermId, closest, edit_distance, is_slip,
    keyword, shown,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::notes::{Notes, Shape, did_you_mean};

/// The place of an argument: the name it is an argument of, its arity, and which argument.
type Place = (Symbol, usize, usize);

/// Any place: `distinct` compares terms of all places.
const ANY: Place = (keyword::DISTINCT, 2, 0);
/// Every place where a role stands.
const ROLE: Place = (keyword::ROLE, 1, 0);

/// With more pairs of names they are not compared.
const MOST_PAIRS: usize = 500_000;

#[derive(Default)]
struct Uses {
    count: usize,
    places: FxHashSet<Place>,
    first: Option<(usize, TermId)>,
}

pub(crate) fn look(rules: &Rules, notes: &mut Notes) {
    let uses = collect(rules);
    let mut single: Vec<(&Shape, &Uses)> = uses.iter().filter(|(_, it)| it.count == 1).collect();
    if single.len().saturating_mul(uses.len()) > MOST_PAIRS {
        return;
    }
    single.sort_by_key(|(_, it)| it.first);
    for (&(name, arity), it) in single {
        let Some((clause, term)) = it.first else { continue };
        let span = rules.name_span(rules.term_span(term));
        if notes.points_into(span) {
            continue;
        }
        let compared = it.places.contains(&ANY);
        let text = rules.symbols.text(name);
        // A slip of a single letter in a long name needs no further evidence, nor does a letter exchanged with a
        // digit: `1n0`.
        let numbered = |name: &str| name.contains(|letter: char| letter.is_ascii_digit());
        let plain = |other: &str| {
            let exchanged = text.len() == other.len() && text.len() > 2 && numbered(text) && {
                let sorted = |name: &str| {
                    let mut letters = name.as_bytes().to_vec();
                    letters.sort_unstable();
                    letters
                };
                sorted(text) == sorted(other)
            };
            (other.len() > 3 || exchanged) && edit_distance(text, other) == 1
        };
        let fits = |other: &Symbol, of: &Uses| {
            let same_parent = |place: &Place| of.places.iter().any(|it| it.0 == place.0);
            let stands_alike = of.places.contains(&ANY)
                || of.places.contains(&ROLE)
                || it.places.iter().any(same_parent);
            compared
                || of.count > 1 && (stands_alike || plain(rules.symbols.text(*other)))
                || of.count == 1 && of.first < it.first && plain(rules.symbols.text(*other))
        };
        let mut others: Vec<&str> = uses
            .iter()
            .filter(|&(&(other, parts), uses)| {
                other != name && parts == arity && fits(&other, uses)
            })
            .map(|(&(other, _), _)| rules.symbols.text(other))
            .filter(|other| is_slip(text, other) && edit_distance(text, other) == 1)
            .collect();
        others.sort_unstable();
        if let Some(meant) = closest(text, others) {
            let kind = if arity == 0 { "constant" } else { "function" };
            let message = format!("the {kind} {} occurs nowhere else", shown(text));
            let finding = Diagnosis::warning(Category::OddConstant, span, message);
            notes.odd.push(text.to_owned());
            notes.add(clause, finding.with_hint(did_you_mean(meant)));
        }
    }
}

fn collect(rules: &Rules) -> FxHashMap<Shape, Uses> {
    let mut uses: FxHashMap<Shape, Uses> = FxHashMap::default();
    for (index, clause) in rules.clauses.iter().enumerate() {
        let head = &clause.head;
        collect_arguments(rules, index, head.relation, &head.arguments, &mut uses);
        for condition in rules.conditions(&clause.body) {
            match rules.literal(condition.literal) {
                Literal::Atom(atom) => {
                    collect_arguments(rules, index, atom.relation, &atom.arguments, &mut uses);
                }
                Literal::Distinct(left, right) => {
                    collect_arguments(rules, index, keyword::DISTINCT, &[*left, *right], &mut uses);
                }
                _ => {}
            }
        }
    }
    uses
}

fn collect_arguments(
    rules: &Rules,
    clause: usize,
    relation: Symbol,
    arguments: &[TermId],
    uses: &mut FxHashMap<Shape, Uses>,
) {
    let mut open: Vec<(Symbol, usize, usize, TermId)> = Vec::new();
    let with_places = |name: Symbol, terms: &[TermId]| -> Vec<(Symbol, usize, usize, TermId)> {
        let arity = terms.len();
        terms.iter().enumerate().map(|(place, &term)| (name, arity, place, term)).collect()
    };
    open.extend(with_places(relation, arguments));
    while let Some((parent, arity, place, term)) = open.pop() {
        let Term::Function(name, parts) = rules.term(term) else { continue };
        open.extend(with_places(name, parts));
        let Some(place) = normal((parent, arity, place)) else { continue };
        let of_name = uses.entry((name, parts.len())).or_default();
        of_name.count += 1;
        of_name.places.insert(place);
        of_name.first.get_or_insert((clause, term));
    }
}

/// Places that mean the same are one; fluents and moves without arguments are looked at as such.
fn normal((parent, arity, place): Place) -> Option<Place> {
    match (parent, place) {
        (keyword::DISTINCT, _) => Some(ANY),
        (keyword::TRUE | keyword::NEXT | keyword::INIT | keyword::BASE, _) => None,
        (keyword::ROLE, _) => Some(ROLE),
        (keyword::DOES | keyword::LEGAL | keyword::INPUT | keyword::SEES | keyword::GOAL, 0) => {
            Some(ROLE)
        }
        (keyword::DOES | keyword::LEGAL | keyword::INPUT | keyword::SEES | keyword::GOAL, _) => {
            None
        }
        _ => Some((parent, arity, place)),
    }
}
