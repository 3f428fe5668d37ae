//! A part of a free cut as a game of its own.

use gambol_index::IndexVec;
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, NetBuilder, RoleId, Wire};
use rustc_hash::FxHashMap;

use super::copy::copy;
use super::cut::{Condition, Cut};
use super::outcome::{Outcomes, Place, Test};

/// What a part is played for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// Nothing: the first role's goal is the number of the kind it ends in.
    Kinds,
    /// A role gets 1 if the part comes to some kinds (bits) within some steps, if there is a limit, and 0 if not; or the other way round.
    /// The other roles get what it does not.
    Reach { kinds: u32, role: RoleId, wanted: bool, limit: Option<usize> },
}

/// A part as a net; the context for the number after the last part.
pub(super) fn local_net(
    net: &Net,
    cut: &Cut,
    outcomes: &Outcomes,
    number: usize,
    purpose: Purpose,
) -> Option<Net> {
    let mut local = Local::new(net, cut, number);
    local.transitions(net, cut, outcomes, number);
    let part_over = local.over(&outcomes.places[number]);
    let over = match outcomes.places.len() - 1 == number {
        true => part_over,
        false => {
            let context_over = local.over(&outcomes.places[outcomes.places.len() - 1]);
            local.built.or([part_over, context_over])
        }
    };
    local.goals(net, &outcomes.places[number], purpose, over);
    Some(gambol_net::simplify(&local.built.finish().ok()?))
}

struct Local {
    built: NetBuilder,
    fluents: IndexVec<FluentId, Option<FluentId>>,
    /// The moves of the part, by the moves that stand for their classes.
    moves: FxHashMap<MoveId, MoveId>,
    wires: FxHashMap<GateId, Wire>,
}

impl Local {
    fn new(net: &Net, cut: &Cut, number: usize) -> Self {
        let mut built = NetBuilder::new();
        net.roles.iter().for_each(|name| _ = built.role(name));
        let mut fluents = IndexVec::filled(None, net.fluents.len());
        let own = cut.parts.get(number).map_or(&[][..], |part| &part.fluents);
        for &fluent in own.iter().chain(&cut.context) {
            let new = built.fluent(&net.fluents[fluent]);
            fluents[fluent] = Some(new);
            if net.initial.binary_search(&fluent).is_ok() {
                built.initial(new);
            }
        }
        Self { built, fluents, moves: FxHashMap::default(), wires: FxHashMap::default() }
    }

    fn transitions(&mut self, net: &Net, cut: &Cut, outcomes: &Outcomes, number: usize) {
        let mut legality: Vec<(MoveId, Vec<Condition>)> = Vec::new();
        for (place, role) in net.roles.ids().enumerate() {
            let Some(part) = cut.parts.get(number) else {
                // In the context by itself there is nothing to do.
                legality.push((self.built.action(role, "wait"), Vec::new()));
                continue;
            };
            for (action, asked) in &part.classes[place] {
                let new = self.built.action(role, &net.moves[*action].name);
                self.moves.insert(*action, new);
                legality.push((new, [&asked[..], &cut.anytime[place]].concat()));
            }
        }
        let context = &outcomes.places[outcomes.places.len() - 1];
        let tests = outcomes.places[number].tests.iter().chain(&context.tests);
        let read = tests.flat_map(|test| &test.conditions);
        let read = read.chain(legality.iter().flat_map(|(_, asked)| asked)).map(|&(gate, _)| gate);
        let own = net.fluents.ids().filter(|&fluent| self.fluents[fluent].is_some());
        let gates: Vec<GateId> = read.chain(own.map(|fluent| net.next[fluent])).collect();
        let (fluents, moves) = (&self.fluents, &self.moves);
        self.wires = copy(net, gates, &mut self.built, |built, gate| match gate {
            Gate::Fluent(fluent) => match fluents[fluent] {
                Some(new) => built.truth(new),
                None => built.constant(false),
            },
            Gate::Does(action) => match moves.get(&action) {
                Some(&new) => built.does(new),
                None => built.constant(false),
            },
            _ => built.constant(false),
        });
        for (fluent, new) in self.fluents.iter_ids() {
            if let Some(new) = *new {
                self.built.next(new, self.wires[&net.next[fluent]]);
            }
        }
        for (action, asked) in legality {
            let when = self.test(&Test { any: false, conditions: asked });
            self.built.legal(action, when);
        }
    }

    fn test(&mut self, test: &Test) -> Wire {
        let mut wires = Vec::new();
        for &(gate, holds) in &test.conditions {
            let wire = self.wires[&gate];
            wires.push(if holds { wire } else { self.built.not(wire) });
        }
        if test.any { self.built.or(wires) } else { self.built.and(wires) }
    }

    fn over(&mut self, place: &Place) -> Wire {
        match place.end {
            Some(end) => self.test(&place.tests[end]),
            None => self.built.constant(false),
        }
    }

    /// Whether a place is in one of some kinds, said as shortly as possible: what is left of a short
    /// condition in the course of play is seen best.
    fn any_kind(&mut self, place: &Place, kinds: u32) -> Wire {
        let mut tests = Vec::new();
        for test in &place.tests {
            let holds = self.test(test);
            tests.push([self.built.not(holds), holds]);
        }
        let answers: Vec<(&Vec<bool>, bool)> = place
            .kinds
            .iter()
            .enumerate()
            .flat_map(|(kind, answers)| {
                answers.iter().map(move |one| (one, kinds >> kind & 1 == 1))
            })
            .collect();
        let literals = || (0..tests.len()).flat_map(|test| [(test, false), (test, true)]);
        let pairs = || literals().flat_map(|one| literals().map(move |other| (one, other)));
        let holds = |answer: &[bool], (test, yes): (usize, bool)| answer[test] == yes;
        let wire = |(test, yes): (usize, bool)| tests[test][usize::from(yes)];
        let singles = literals().map(|one| (one, one));
        for (one, other) in singles.chain(pairs()) {
            let says = |both: bool| {
                answers.iter().all(|&(answer, there)| {
                    let [first, second] = [one, other].map(|literal| holds(answer, literal));
                    there == if both { first && second } else { first || second }
                })
            };
            if says(true) {
                return self.built.and([wire(one), wire(other)]);
            }
            if says(false) {
                return self.built.or([wire(one), wire(other)]);
            }
        }
        let told = |answer: &Vec<bool>| -> Vec<Wire> {
            answer.iter().enumerate().map(|(test, &yes)| wire((test, yes))).collect()
        };
        let ways: Vec<Vec<Wire>> =
            answers.iter().filter(|(_, there)| *there).map(|(answer, _)| told(answer)).collect();
        let ways: Vec<Wire> = ways.into_iter().map(|way| self.built.and(way)).collect();
        self.built.or(ways)
    }

    fn goals(&mut self, net: &Net, place: &Place, purpose: Purpose, over: Wire) {
        match purpose {
            Purpose::Kinds => {
                for kind in 0..place.kinds.len() {
                    let there = self.any_kind(place, 1 << kind);
                    self.built.goal(RoleId::new(0), kind as u32, there);
                }
                self.built.terminal(over);
            }
            Purpose::Reach { kinds, role, wanted, limit } => {
                let there = self.any_kind(place, kinds);
                let away = self.built.not(there);
                for other in net.roles.ids() {
                    let yes = u32::from(wanted == (other == role));
                    self.built.goal(other, yes, there);
                    self.built.goal(other, 1 - yes, away);
                }
                let late = limit.map(|limit| self.steps(limit));
                let there = (kinds & !place.ends != 0).then_some(there);
                let ways: Vec<Wire> = [over].into_iter().chain(there).chain(late).collect();
                let terminal = self.built.or(ways);
                self.built.terminal(terminal);
            }
        }
    }

    /// A counter of steps; whether it has run out.
    fn steps(&mut self, limit: usize) -> Wire {
        let first = self.built.fluent("step 0");
        self.built.initial(first);
        let mut now = self.built.truth(first);
        for step in 1..=limit {
            let fluent = self.built.fluent(&format!("step {step}"));
            self.built.next(fluent, now);
            now = self.built.truth(fluent);
        }
        now
    }
}

/// Whether two nets are the same but for names.
pub(super) fn same_shape(one: &Net, other: &Net) -> bool {
    let goals = |net: &Net| -> Vec<(RoleId, u32, GateId)> {
        net.goals.iter().map(|goal| (goal.role, goal.value, goal.gate)).collect()
    };
    let players = |net: &Net| -> Vec<RoleId> { net.moves.iter().map(|one| one.role).collect() };
    one.gate_count() == other.gate_count()
        && one.cycles == other.cycles
        && one.gate_ids().all(|gate| one.gate(gate) == other.gate(gate))
        && one.initial == other.initial
        && one.next == other.next
        && one.legal == other.legal
        && one.terminal == other.terminal
        && goals(one) == goals(other)
        && players(one) == players(other)
}
