//! Parts in each of which every player chooses freely.
//!
//! What a part becomes depends on the part, the context (what runs by itself) and the moves. Two moves
//! of a role belong to one *class* of a part if they do the same there and their legality asks the same of
//! it. A cut is *free* if every combination of classes, one for each part, is a move: then a player chooses in each part
//! as if the others were not there. A move is legal if each part alone allows it.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, NetBuilder, RoleId, Wire};
use rustc_hash::{FxHashMap, FxHashSet};

use super::copy::copy;
use crate::factored::{Classes, Supports, context};

/// A gate and the value it must have.
pub(super) type Condition = (GateId, bool);

/// Effects of all moves on all fluents are not looked at beyond so many.
const MOST_EFFECTS: usize = 2_000_000;
/// The same for gates that are written for each move.
const MOST_COPIES: usize = 10_000_000;

/// A part of a free cut.
pub(super) struct Part {
    pub(super) fluents: Vec<FluentId>,
    /// For each role one move of each class, and what its legality asks of this part.
    pub(super) classes: Vec<Vec<(MoveId, Vec<Condition>)>>,
}

/// A free cut.
pub(super) struct Cut {
    pub(super) context: Vec<FluentId>,
    pub(super) parts: Vec<Part>,
    /// What the end of the game asks of each part, any of it; last what it asks of the context.
    pub(super) ends: Vec<Vec<Condition>>,
    /// For each role what the legality of all its moves asks of the context.
    pub(super) anytime: Vec<Vec<Condition>>,
    /// What a fluent becomes after a move, whatever the others do.
    pub(super) effects: Effects,
}

/// For each move and fluent a number that stands for what the fluent becomes.
pub(super) struct Effects {
    fluents: usize,
    wires: Vec<Wire>,
    /// What stands for a fluent that stays as it is.
    built: NetBuilder,
}

impl Effects {
    /// Nothing if there is too much to write.
    fn of(net: &Net) -> Option<Self> {
        let fluents = net.fluents.len();
        let steps = net.step_gates().len();
        if net.moves.len().checked_mul(fluents)? > MOST_EFFECTS
            || net.moves.len().checked_mul(steps)? > MOST_COPIES
        {
            return None;
        }
        let mut effects = Self { fluents, wires: Vec::new(), built: NetBuilder::new() };
        for action in net.moves.ids() {
            let role = net.moves[action].role;
            let next = effects.after(net, |other| match net.moves[other].role == role {
                true => Some(other == action),
                false => None,
            });
            effects.wires.extend(next);
        }
        Some(effects)
    }

    /// What all fluents become where it is known of some moves whether they are made.
    fn after(&mut self, net: &Net, done: impl Fn(MoveId) -> Option<bool>) -> Vec<Wire> {
        let wires =
            copy(net, net.next.iter().copied(), &mut self.built, |built, gate| match gate {
                Gate::Fluent(fluent) => built.truth(fluent),
                Gate::Does(action) => match done(action) {
                    Some(value) => built.constant(value),
                    None => built.does(action),
                },
                _ => built.constant(false),
            });
        net.next.iter().map(|gate| wires[gate]).collect()
    }

    fn of_move(&self, action: MoveId, fluent: FluentId) -> Wire {
        self.wires[action.index() * self.fluents + fluent.index()]
    }

    /// How many of some fluents can change in one step at most.
    pub(super) fn most_changes(&mut self, net: &Net, fluents: &[FluentId]) -> usize {
        let legal = |action: &MoveId| net.gate(net.legal[*action]) != Gate::Constant(false);
        let of_role = |role: RoleId| net.moves_of(role).map(MoveId::new).filter(legal);
        let mut at_most = 0;
        let mut touching: FxHashMap<MoveId, usize> = FxHashMap::default();
        for &fluent in fluents {
            let quiet: Vec<Option<MoveId>> =
                net.roles.ids().map(|role| self.commonest(of_role(role), fluent)).collect();
            let stays = self.built.truth(fluent);
            if self.after(net, |action| Some(quiet.contains(&Some(action))))[fluent.index()]
                != stays
            {
                // Nobody need do anything for it to change.
                at_most += 1;
                continue;
            }
            for (role, quiet) in net.roles.ids().zip(quiet) {
                let Some(quiet) = quiet.map(|action| self.of_move(action, fluent)) else {
                    continue;
                };
                for action in of_role(role).filter(|&action| self.of_move(action, fluent) != quiet)
                {
                    *touching.entry(action).or_default() += 1;
                }
            }
        }
        let most = |role| of_role(role).filter_map(|action| touching.get(&action)).max().copied();
        at_most + net.roles.ids().filter_map(most).sum::<usize>()
    }

    /// A move that does to a fluent what most moves do.
    fn commonest(&self, moves: impl Iterator<Item = MoveId>, fluent: FluentId) -> Option<MoveId> {
        let mut counts: Vec<(Wire, MoveId, usize)> = Vec::new();
        for action in moves {
            let wire = self.of_move(action, fluent);
            match counts.iter_mut().find(|(known, ..)| *known == wire) {
                Some((.., count)) => *count += 1,
                None => counts.push((wire, action, 1)),
            }
        }
        let most = counts
            .into_iter()
            .max_by_key(|&(_, action, count)| (count, u32::MAX - action.number()));
        most.map(|(_, action, _)| action)
    }
}

/// A free cut with more than one part; nothing if there is none, or if the end of the game is up to several parts together.
pub(super) fn cut(net: &Net, supports: &Supports) -> Option<Cut> {
    let runs_alone = context(net, supports);
    let legality: IndexVec<MoveId, Vec<Condition>> =
        net.legal.iter().map(|&gate| conjuncts(net, (gate, true))).collect::<Vec<_>>().into();
    let ends: Vec<Condition> =
        conjuncts(net, (net.terminal, false)).into_iter().map(|(g, holds)| (g, !holds)).collect();
    let mut classes = Classes::new(net.fluents.len());
    let played = |gate: GateId| supports.fluents(gate).filter(|&fluent| !runs_alone[fluent]);
    let mut join = |first: Option<FluentId>, gate: GateId| {
        let mut first = first;
        for fluent in played(gate) {
            classes.join(*first.get_or_insert(fluent), fluent);
        }
    };
    for fluent in net.fluents.ids().filter(|&fluent| !runs_alone[fluent]) {
        join(Some(fluent), net.next[fluent]);
    }
    legality.iter().flatten().chain(&ends).for_each(|&(gate, _)| join(None, gate));
    let is_played = |fluent: FluentId| !runs_alone[fluent];
    if groups(net, &mut classes, is_played).len() < 2 {
        return None;
    }
    let effects = Effects::of(net)?;
    let groups = loop {
        let groups = groups(net, &mut classes, is_played);
        if groups.len() < 2 {
            return None;
        }
        let chosen = Chosen::of(net, supports, &effects, &legality, &groups);
        let tied = chosen.tied_pairs();
        if tied.is_empty() {
            if !chosen.is_free() {
                return None;
            }
            break groups;
        }
        tied.into_iter().for_each(|(one, other)| classes.join(groups[one][0], groups[other][0]));
    };
    let place = |gate: GateId| {
        let first = played(gate).next();
        first.map_or(groups.len(), |fluent| of_fluent(&groups, fluent))
    };
    let mut ends_of = vec![Vec::new(); groups.len() + 1];
    ends.into_iter().for_each(|end| ends_of[place(end.0)].push(end));
    let owned = |action: MoveId, wanted: usize| -> Vec<Condition> {
        legality[action].iter().copied().filter(|&(gate, _)| place(gate) == wanted).collect()
    };
    let chosen = Chosen::of(net, supports, &effects, &legality, &groups);
    let part = |number: usize| {
        let firsts = chosen.numbers.iter().map(|moves| {
            let mut seen = FxHashSet::default();
            let new = moves.iter().filter(|(_, classes)| seen.insert(classes[number]));
            new.map(|&(action, _)| (action, owned(action, number))).collect()
        });
        Part { fluents: groups[number].clone(), classes: firsts.collect() }
    };
    let anytime = chosen
        .numbers
        .iter()
        .map(|moves| moves.first().map_or(Vec::new(), |&(action, _)| owned(action, groups.len())));
    Some(Cut {
        context: net.fluents.ids().filter(|&fluent| runs_alone[fluent]).collect(),
        parts: (0..groups.len()).map(part).collect(),
        ends: ends_of,
        anytime: anytime.collect(),
        effects,
    })
}

/// The conditions that must all be fulfilled for one to be, as far as it is a conjunction.
fn conjuncts(net: &Net, condition: Condition) -> Vec<Condition> {
    let (mut open, mut found) = (vec![condition], Vec::new());
    while let Some((gate, holds)) = open.pop() {
        match net.gate(gate) {
            Gate::Constant(value) if value == holds => {}
            Gate::Not(input) => open.push((input, !holds)),
            Gate::And(inputs) if holds => open.extend(inputs.iter().map(|&input| (input, true))),
            Gate::Or(inputs) if !holds => open.extend(inputs.iter().map(|&input| (input, false))),
            _ => found.push((gate, holds)),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn groups(net: &Net, classes: &mut Classes, of: impl Fn(FluentId) -> bool) -> Vec<Vec<FluentId>> {
    let mut members: IndexVec<FluentId, Vec<FluentId>> =
        IndexVec::filled(Vec::new(), net.fluents.len());
    for fluent in net.fluents.ids().filter(|&fluent| of(fluent)) {
        members[classes.root(fluent)].push(fluent);
    }
    members.into_vec().into_iter().filter(|members| !members.is_empty()).collect()
}

fn of_fluent(groups: &[Vec<FluentId>], fluent: FluentId) -> usize {
    let found = groups.iter().position(|group| group.binary_search(&fluent).is_ok());
    found.unwrap_or(groups.len())
}

/// For each role its moves, each with its class in every part, and last what it asks of the context.
struct Chosen {
    numbers: Vec<Vec<(MoveId, Vec<u32>)>>,
}

impl Chosen {
    fn of(
        net: &Net,
        supports: &Supports,
        effects: &Effects,
        legality: &IndexVec<MoveId, Vec<Condition>>,
        groups: &[Vec<FluentId>],
    ) -> Self {
        let mut place_of: IndexVec<FluentId, usize> =
            IndexVec::filled(groups.len(), net.fluents.len());
        for (place, group) in groups.iter().enumerate() {
            group.iter().for_each(|&fluent| place_of[fluent] = place);
        }
        let place = |gate: GateId| supports.fluents(gate).map(|fluent| place_of[fluent]).min();
        let of_role = |role: RoleId| {
            let moves = net.moves_of(role).map(MoveId::new);
            let moves =
                moves.filter(|&action| net.gate(net.legal[action]) != Gate::Constant(false));
            let mut known: FxHashMap<(usize, Vec<Wire>, Vec<Condition>), u32> =
                FxHashMap::default();
            let mut class = |action: MoveId, number: usize| {
                let wires = groups.get(number).into_iter().flatten();
                let wires = wires.map(|&fluent| effects.of_move(action, fluent)).collect();
                let asked = legality[action].iter().copied();
                let asked =
                    asked.filter(|&(gate, _)| place(gate).unwrap_or(groups.len()) == number);
                let next = known.len() as u32;
                *known.entry((number, wires, asked.collect())).or_insert(next)
            };
            moves
                .map(|action| (action, (0..=groups.len()).map(|n| class(action, n)).collect()))
                .collect()
        };
        Self { numbers: net.roles.ids().map(of_role).collect() }
    }

    /// Parts in which some role cannot choose the one without regard to the other.
    fn tied_pairs(&self) -> Vec<(usize, usize)> {
        let parts = self.numbers.iter().flatten().next().map_or(0, |(_, row)| row.len() - 1);
        let pairs = (0..parts).flat_map(|other| (0..other).map(move |one| (one, other)));
        pairs.filter(|&(one, other)| !self.is_product(&[one, other])).collect()
    }

    fn is_free(&self) -> bool {
        let all: Vec<usize> =
            (0..self.numbers.iter().flatten().next().map_or(0, |(_, row)| row.len())).collect();
        let context = all.len().saturating_sub(1);
        self.is_product(&all) && self.numbers.iter().all(|moves| distinct(moves, &[context]) == 1)
    }

    /// Whether each role has a move for every combination of classes of some parts.
    fn is_product(&self, parts: &[usize]) -> bool {
        self.numbers.iter().all(|moves| {
            let each = parts.iter().map(|&part| distinct(moves, &[part]));
            distinct(moves, parts) == each.fold(1, usize::saturating_mul)
        })
    }
}

fn distinct(moves: &[(MoveId, Vec<u32>)], parts: &[usize]) -> usize {
    let row = |(_, row): &(MoveId, Vec<u32>)| parts.iter().map(|&p| row[p]).collect::<Vec<u32>>();
    moves.iter().map(row).collect::<FxHashSet<_>>().len()
}
