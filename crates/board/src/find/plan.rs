//! Places that facts join one by one: `(road a b)`, `(next north a b)`. They lie as their graph does.

use gambol_net::{BaseMarking, Net};
use gambol_syntax::{Rules, Symbol, Term};
use rustc_hash::FxHashMap;

use crate::boards::{Boards, Plan};
use crate::find::coordinates::{FULL, Reading};
use crate::find::embedding::{Relation, embed};
use crate::find::family::Family;

const FEWEST: usize = 5;
const MOST: usize = 150;
/// Relations with more links for each place tell no neighbours.
const MOST_LINKS: usize = 3;
/// Positions are kept in so many parts of a step.
pub(crate) const PARTS: f64 = 100.0;

/// The facts about two or three constants.
pub(crate) struct Links<'a> {
    facts: Vec<(Symbol, Vec<&'a str>)>,
}

impl<'a> Links<'a> {
    pub(crate) fn of(rules: &'a Rules) -> Self {
        let constant = |&term: &gambol_syntax::TermId| match rules.term(term) {
            Term::Function(name, []) => Some(rules.symbols.text(name)),
            _ => None,
        };
        let facts = rules.clauses.iter().filter(|clause| {
            clause.body.is_empty()
                && !clause.head.relation.is_game_relation()
                && (2..=3).contains(&clause.head.arguments.len())
        });
        let facts = facts.filter_map(|clause| {
            let names: Option<Vec<&str>> = clause.head.arguments.iter().map(constant).collect();
            Some((clause.head.relation, names?))
        });
        Self { facts: facts.collect() }
    }

    /// How these names are joined, relation by relation: a third argument that is none of them tells which relation.
    fn between(&self, names: &[&str]) -> Vec<Relation> {
        let number: FxHashMap<&str, usize> =
            names.iter().enumerate().map(|(at, &name)| (name, at)).collect();
        let mut relations: Vec<((Symbol, Option<&str>), Relation)> = Vec::new();
        for (relation, arguments) in &self.facts {
            let joined: Vec<usize> =
                arguments.iter().filter_map(|name| number.get(name).copied()).collect();
            let &[from, to] = joined.as_slice() else { continue };
            let other = arguments.iter().copied().find(|name| !number.contains_key(name));
            if from == to {
                continue;
            }
            let key = (*relation, other);
            match relations.iter_mut().find(|(known, _)| *known == key) {
                Some((_, links)) => links.push((from, to)),
                None => relations.push((key, vec![(from, to)])),
            }
        }
        let near = |(_, links): &(_, Relation)| links.len() <= MOST_LINKS * names.len();
        relations.into_iter().filter(near).map(|(_, links)| links).collect()
    }

    /// Where the names lie, if they are joined to more than a row or a ring.
    pub(crate) fn plan(&self, names: &[&str]) -> Option<Plan> {
        if !(FEWEST..=MOST).contains(&names.len()) {
            return None;
        }
        let relations = self.between(names);
        let mut lines: Vec<(usize, usize)> = relations
            .iter()
            .flatten()
            .map(|&(one, other)| (one.min(other), one.max(other)))
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let degree =
            |place: usize| lines.iter().filter(|line| line.0 == place || line.1 == place).count();
        if !(0..names.len()).any(|place| degree(place) > 2) {
            return None;
        }
        let (points, lattice) = embed(names.len(), &relations)?;
        let whole = |value: f64| (value * PARTS).round() as i32;
        let places = points.iter().map(|point| (whole(point.0), whole(point.1))).collect();
        Some(Plan { places, lines, lattice })
    }
}

/// A leaf that tells a place of a graph, if each place holds one thing at a time.
pub(crate) fn planned(
    family: &Family<'_>,
    links: &Links<'_>,
    states: &[BaseMarking],
) -> Option<Reading> {
    (0..family.arity.min(3)).find_map(|place| {
        let fill = family.determined_by(&[place], states)?;
        links.plan(&family.domain(place))?;
        Some(Reading {
            column: place,
            row: None,
            selectors: Vec::new(),
            content: (0..family.arity).filter(|&other| other != place).collect(),
            full: fill.mean >= FULL,
            planned: true,
            score: 0.0,
        })
    })
}

/// Turns each plan so that what the first role has at the start lies at the bottom.
pub(crate) fn turn_plans(boards: &mut Boards, net: &Net, start: &BaseMarking) {
    let Some(first) = net.roles.iter().next() else { return };
    let owned: Vec<bool> =
        boards.labels.iter().map(|label| label.split(' ').any(|word| *word == **first)).collect();
    for board in &mut boards.boards {
        let Some(plan) = &mut board.plan else { continue };
        let own: Vec<usize> = (0..board.places.len())
            .filter(|&place| {
                let things = board.places[place].iter().flatten();
                things.into_iter().any(|one| owned[one.label] && start.holds(one.fluent))
            })
            .collect();
        if !own.is_empty() {
            plan.turn(&own);
        }
    }
}

impl Plan {
    /// Turns these places to the bottom; a lattice keeps its axes.
    fn turn(&mut self, places: &[usize]) {
        let middle = |some: &[usize]| {
            let sum = some.iter().fold((0.0, 0.0), |sum: (f64, f64), &place| {
                let (x, y) = self.places[place];
                (sum.0 + f64::from(x), sum.1 + f64::from(y))
            });
            (sum.0 / some.len() as f64, sum.1 / some.len() as f64)
        };
        let all: Vec<usize> = (0..self.places.len()).collect();
        let (from, to) = (middle(places), middle(&all));
        let (x, y) = (to.0 - from.0, to.1 - from.1);
        if x.hypot(y) < PARTS / 4.0 {
            return;
        }
        let mut angle = 90.0 - y.atan2(x).to_degrees();
        if self.lattice {
            angle = (angle / 15.0).round() * 15.0;
        }
        let (sine, cosine) = angle.to_radians().sin_cos();
        for place in &mut self.places {
            let (x, y) = (f64::from(place.0), f64::from(place.1));
            let whole = |value: f64| value.round() as i32;
            *place = (whole(x * cosine - y * sine), whole(x * sine + y * cosine));
        }
    }
}
