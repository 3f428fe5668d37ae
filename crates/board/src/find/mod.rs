//! Finding the boards: which fluents lie on one, in which order, and what they look like.

pub(crate) mod coordinates;
mod dots;
mod edges;
mod embedding;
pub(crate) mod family;
mod geometry;
mod laid;
mod looks;
pub(crate) mod order;
mod overlay;
mod plan;
mod row;
pub(crate) mod sample;
mod segments;

use gambol_net::{BaseMarking, Net};
use gambol_syntax::Rules;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::boards::{Board, Boards, Edges, Lattice, Occupant, RestGroup};
use crate::term::Term;
use coordinates::coordinates;
use dots::{fill_boxes, join_lines};
use edges::find_edges;
use family::{Family, families};
use geometry::find_geometry;
use laid::Laid;
use looks::{colour_roles, find_looks, role_inks};
use order::Orders;
use overlay::overlay;
use plan::{Links, planned, turn_plans};
use row::{Question, row};
use sample::{Sample, sample};
use segments::Segments;

impl Boards {
    /// Finds the boards of a game.
    pub fn find(net: &Net, rules: &Rules) -> Self {
        let (orders, sample, families) = (Orders::of(rules), sample(net), families(net));
        let roles: Vec<&str> = net.roles.iter().map(|role| &**role).collect();
        let moves: Vec<Vec<&str>> =
            net.moves.iter().map(|action| Term::read(&action.name).leaves).collect();
        let shared = shared_words(&families);
        let asked = Question {
            orders: &orders,
            sample: &sample,
            roles: &roles,
            moves: &moves,
            shared: &shared,
        };
        let links = Links::of(rules);
        let (mut laid, mut lines, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for family in &families {
            if let Some(segments) = Segments::of(family, &orders) {
                lines.push(segments);
                continue;
            }
            let reading = coordinates(family, &orders, &sample.states)
                .or_else(|| planned(family, &links, &sample.states))
                .or_else(|| row(family, &asked));
            match reading {
                Some(reading) => laid.push(Laid::of(family, reading, &orders)),
                None => rest.push(family),
            }
        }
        let mut boards = Self { role_inks: role_inks(net), ..Self::default() };
        for layers in overlay(net, laid) {
            boards.add(&layers, &orders, &links, &sample.states[0]);
        }
        lines.iter().for_each(|lines| boards.add_segments(lines));
        boards.add_rest(&rest, &roles, &sample.states[0]);
        join_lines(&mut boards);
        fill_boxes(&mut boards);
        turn_plans(&mut boards, net, &sample.states[0]);
        boards.finish(net, &sample);
        boards
    }

    fn finish(&mut self, net: &Net, sample: &Sample) {
        colour_roles(self, net, sample);
        self.looks = find_looks(self, net, sample);
        find_geometry(self, net, sample);
        find_edges(self, net);
    }

    /// Adds the boards of families that share their places.
    fn add<'a>(
        &mut self,
        layers: &[Laid<'_, 'a>],
        orders: &Orders<'a>,
        links: &Links<'_>,
        start: &BaseMarking,
    ) {
        let Some(base) = layers.first() else { return };
        let selected = base.boards(orders);
        let first = self.boards.len();
        let across = base.across(orders);
        for (place, selectors) in selected.iter().enumerate() {
            let mut board = base.empty_board(selectors, first);
            board.plan = base.reading.planned.then(|| links.plan(&base.columns)).flatten();
            board.position = match across {
                Some((columns, rows)) => (place / rows % columns, place % rows),
                None => (place, 0),
            };
            for layer in layers {
                layer.lie(&mut board, selectors, layers.len() > 1, &mut self.labels);
            }
            board.bare = layers.len() == 1 && base.reading.content.is_empty();
            board.usual = usual(&board, start).filter(|_| !board.bare);
            self.note_addresses(base, selectors);
            self.boards.push(board);
        }
    }

    fn note_addresses(&mut self, laid: &Laid<'_, '_>, selectors: &[&str]) {
        let number = self.boards.len();
        for (whole, short, place) in laid.addresses(selectors) {
            self.addresses.entry(whole).or_insert((number, place));
            self.nearby.insert((number, short), place);
        }
    }

    /// A family beside the boards is one more place of a board if the same things can lie on it: a bridge.
    fn add_rest(&mut self, rest: &[&Family<'_>], roles: &[&str], start: &BaseMarking) {
        self.add_switches(rest);
        for family in rest.iter().filter(|family| family.arity > 0) {
            if !self.add_single_place(family, start) {
                let of_roles = |leaves: &Vec<&str>| leaves.len() == 1 && roles.contains(&leaves[0]);
                self.rest.push(RestGroup {
                    name: family.function.to_string(),
                    fluents: family.members.iter().map(|(fluent, _)| *fluent).collect(),
                    turn: family.members.iter().all(|(_, leaves)| of_roles(leaves))
                        && family.members.iter().filter(|(fluent, _)| start.holds(*fluent)).count()
                            == 1,
                });
            }
        }
    }

    /// Fluents without arguments are switches: on or off.
    fn add_switches(&mut self, rest: &[&Family<'_>]) {
        let switches: Vec<&&Family<'_>> = rest.iter().filter(|family| family.arity == 0).collect();
        if switches.is_empty() {
            return;
        }
        let names: Vec<String> =
            switches.iter().map(|family| family.function.to_string()).collect();
        self.labels.push("on".to_string());
        let label = self.labels.len() - 1;
        let place =
            |family: &&&Family<'_>| Some(vec![Occupant { fluent: family.members[0].0, label }]);
        self.boards.push(Board {
            name: "switches".to_string(),
            columns: names.clone(),
            rows: vec![String::new()],
            places: switches.iter().map(place).collect(),
            titles: names,
            usual: None,
            family: self.boards.len(),
            position: (0, 0),
            lattice: Lattice::Squares,
            plan: None,
            chequered: false,
            crowded: false,
            bare: true,
            edges: Edges::default(),
        });
    }

    fn add_single_place(&mut self, family: &Family<'_>, start: &BaseMarking) -> bool {
        let label = |leaves: &Vec<&str>| match leaves.as_slice() {
            [leaf] => self.labels.iter().position(|label| label == leaf),
            _ => None,
        };
        let occupants: Option<Vec<Occupant>> = family
            .members
            .iter()
            .map(|(fluent, leaves)| Some(Occupant { fluent: *fluent, label: label(leaves)? }))
            .collect();
        let Some(occupants) = occupants.filter(|some| some.len() > 1) else { return false };
        let held = occupants.iter().find(|one| start.holds(one.fluent));
        let Some(usual) = held.map(|one| one.label) else { return false };
        if !self.boards.iter().any(|board| board.usual == Some(usual)) {
            return false;
        }
        let name = family.function.to_string();
        self.addresses.entry(name.clone()).or_insert((self.boards.len(), 0));
        self.boards.push(Board {
            columns: vec![String::new()],
            rows: vec![String::new()],
            places: vec![Some(occupants)],
            titles: vec![name.clone()],
            usual: Some(usual),
            family: self.boards.len(),
            position: (0, 0),
            lattice: Lattice::Squares,
            plan: None,
            chequered: false,
            crowded: false,
            bare: false,
            edges: Edges::default(),
            name,
        });
        true
    }
}

/// The first words of several families.
fn shared_words<'a>(families: &[Family<'a>]) -> FxHashSet<&'a str> {
    let mut seen = FxHashSet::default();
    families.iter().map(|family| family.function).filter(|word| !seen.insert(*word)).collect()
}

/// What at least two in five places hold at the start, and more of them than hold anything else.
fn usual(board: &Board, start: &BaseMarking) -> Option<usize> {
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for occupant in board.places.iter().flatten().flatten() {
        if start.holds(occupant.fluent) {
            *counts.entry(occupant.label).or_default() += 1;
        }
    }
    let mut counts: Vec<(usize, usize)> =
        counts.into_iter().map(|(label, count)| (count, label)).collect();
    counts.sort_unstable();
    let (most, label) = counts.pop()?;
    let places = board.places.iter().flatten().count();
    let alone = counts.last().is_none_or(|&(next, _)| next < most);
    (alone && 5 * most >= 2 * places && !board.is_row()).then_some(label)
}
