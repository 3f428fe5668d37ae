//! Isomorphism: two nets that are the same but for the names of their propositions.
//!
//! The names are given, so the propositions of one net are known in the other. Gates of both nets are put into
//! classes: two are in one class if they are of one kind and read gates of the same classes. In an order of evaluation
//! one sweep finds them; gates that read one another are refined sweep by sweep, until no class falls apart any more.
//! When each class holds as many gates of either net, the classes are the isomorphism; what the nets say of the game
//! must agree with it.

use gambol_index::IndexVec;
use rustc_hash::FxHashMap;

use crate::{FluentId, Gate, GateId, MoveId, Net, RoleId};

/// Why two nets were not shown to be isomorphic.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotIsomorphic {
    /// A proposition of the first net has none to go with it in the second.
    #[error("{0} has no counterpart")]
    Proposition(String),
    /// There are not as many of these in both nets.
    #[error("the nets do not have the same number of {0}")]
    Count(&'static str),
    /// A gate of one net has no counterpart, or not exactly one.
    #[error("a gate of one net has no counterpart in the other, or several")]
    Gate,
    /// The nets say different things of the game.
    #[error("the nets differ in {0}")]
    Meaning(String),
}

/// Shows that a renaming takes one net to the other: propositions, gates, start, transitions, legality, end, goals and
/// percepts.
pub fn isomorphic(
    one: &Net,
    other: &Net,
    rename: impl Fn(&str) -> String,
) -> Result<(), NotIsomorphic> {
    let images = Propositions::matched(one, other, &rename)?;
    let classes = Classes::of(one, other, &images).paired(one, other, &images)?;
    images.compare(one, other, &classes, &rename)
}

/// For each proposition of the first net its counterpart in the other.
struct Propositions {
    roles: IndexVec<RoleId, RoleId>,
    fluents: IndexVec<FluentId, FluentId>,
    moves: IndexVec<MoveId, MoveId>,
}

impl Propositions {
    fn matched(
        one: &Net,
        other: &Net,
        rename: &impl Fn(&str) -> String,
    ) -> Result<Self, NotIsomorphic> {
        let same = |what, count: bool| if count { Ok(()) } else { Err(NotIsomorphic::Count(what)) };
        same("roles", one.roles.len() == other.roles.len())?;
        same("fluents", one.fluents.len() == other.fluents.len())?;
        same("moves", one.moves.len() == other.moves.len())?;
        let missing = |name: &str| NotIsomorphic::Proposition(name.to_string());
        let roles: FxHashMap<&str, RoleId> =
            other.roles.iter_ids().map(|(id, name)| (&**name, id)).collect();
        let fluents: FxHashMap<&str, FluentId> =
            other.fluents.iter_ids().map(|(id, name)| (&**name, id)).collect();
        let moves: FxHashMap<(RoleId, &str), _> =
            other.moves.iter_ids().map(|(id, action)| ((action.role, &*action.name), id)).collect();
        let role = |name: &str| roles.get(&*rename(name)).copied().ok_or_else(|| missing(name));
        let roles: IndexVec<RoleId, RoleId> =
            one.roles.iter().map(|name| role(name)).collect::<Result<Vec<_>, _>>()?.into();
        let fluent = |name: &str| fluents.get(&*rename(name)).copied().ok_or_else(|| missing(name));
        let fluents = one.fluents.iter().map(|name| fluent(name)).collect::<Result<Vec<_>, _>>()?;
        let action = |action: &crate::Move| {
            let key = (roles[action.role], &*rename(&action.name));
            moves.get(&key).copied().ok_or_else(|| missing(&action.name))
        };
        let moves = one.moves.iter().map(action).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { roles, fluents: fluents.into(), moves: moves.into() })
    }

    /// Whether the nets say the same of the game.
    fn compare(
        &self,
        one: &Net,
        other: &Net,
        classes: &Classes,
        rename: &impl Fn(&str) -> String,
    ) -> Result<(), NotIsomorphic> {
        let same = |this: GateId, that: GateId| classes.one[this] == classes.other[that];
        let differ = |what: &str| Err(NotIsomorphic::Meaning(what.to_string()));
        let mut initial: Vec<FluentId> = one.initial.iter().map(|&id| self.fluents[id]).collect();
        initial.sort_unstable();
        if initial != other.initial {
            return differ("the start");
        }
        for (fluent, &image) in self.fluents.iter_ids() {
            if !same(one.next[fluent], other.next[image]) {
                return differ(&format!("what becomes of {}", one.fluents[fluent]));
            }
        }
        for (action, &image) in self.moves.iter_ids() {
            if !same(one.legal[action], other.legal[image]) {
                return differ(&format!("when {} is legal", one.moves[action].name));
            }
        }
        if !same(one.terminal, other.terminal) {
            return differ("the end");
        }
        let goals: Vec<_> = one
            .goals
            .iter()
            .map(|goal| (self.roles[goal.role], goal.value, classes.one[goal.gate]))
            .collect();
        let others = other.goals.iter();
        let others = others.map(|goal| (goal.role, goal.value, classes.other[goal.gate]));
        if sorted(goals) != sorted(others.collect()) {
            return differ("the goals");
        }
        let percepts = one.percepts.iter().map(|percept| {
            (self.roles[percept.role], rename(&percept.name), classes.one[percept.gate])
        });
        let others = other
            .percepts
            .iter()
            .map(|percept| (percept.role, percept.name.to_string(), classes.other[percept.gate]));
        if sorted(percepts.collect()) != sorted(others.collect()) {
            return differ("the percepts");
        }
        Ok(())
    }
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort_unstable();
    all
}

/// What a gate is, in classes: the same for gates of one class.
#[derive(PartialEq, Eq, Hash)]
enum Signature {
    Constant(bool),
    Fluent(FluentId),
    Does(MoveId),
    And(Vec<Input>),
    Or(Vec<Input>),
    Not(Input),
}

/// A class that is known, or one of the sweep before: that of a gate of the same cycle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Input {
    Known(u32),
    Before(u32),
}

/// The class of each gate of both nets.
#[derive(Clone)]
struct Classes {
    one: IndexVec<GateId, u32>,
    other: IndexVec<GateId, u32>,
    count: usize,
}

impl Classes {
    /// The coarsest classes: gates that what they read does not distinguish.
    fn of(one: &Net, other: &Net, images: &Propositions) -> Self {
        let none = |net: &Net| IndexVec::filled(0, net.gate_count());
        let coarse = Self { one: none(one), other: none(other), count: 0 };
        coarse.refined(one, other, images)
    }

    fn refined(mut self, one: &Net, other: &Net, images: &Propositions) -> Self {
        loop {
            let mut signatures = FxHashMap::default();
            // Propositions of the first net are named by those of the second.
            let fluent = |fluent| images.fluents[fluent];
            let action = |action| images.moves[action];
            let first = swept(one, &self.one, fluent, action, &mut signatures);
            let second = swept(other, &self.other, |id| id, |id| id, &mut signatures);
            let refined = signatures.len() > self.count;
            self = Self { one: first, other: second, count: signatures.len() };
            if !refined || one.cycles.is_empty() && other.cycles.is_empty() {
                return self;
            }
        }
    }

    /// The gates of each class, of either net.
    fn members(&self) -> Vec<[Vec<GateId>; 2]> {
        let mut members = vec![[Vec::new(), Vec::new()]; self.count];
        for (side, gates) in [&self.one, &self.other].into_iter().enumerate() {
            gates.iter_ids().for_each(|(gate, &class)| members[class as usize][side].push(gate));
        }
        members
    }

    /// Makes each class hold as many gates of either net, and one only of those that read one another: where these
    /// cannot be told apart, one is matched with any that fits.
    fn paired(
        mut self,
        one: &Net,
        other: &Net,
        images: &Propositions,
    ) -> Result<Self, NotIsomorphic> {
        loop {
            let members = self.members();
            if members.iter().any(|[one, other]| one.len() != other.len()) {
                return Err(NotIsomorphic::Gate);
            }
            // Gates outside of cycles that read the same are the same: any pairing of them will do.
            let apart = |gates: &[GateId]| gates.len() > 1 && one.cycle_of(gates[0]).is_some();
            let Some([alike, candidates]) = members.iter().find(|[gates, _]| apart(gates)) else {
                return Ok(self);
            };
            let matched = candidates.iter().map(|&candidate| {
                let mut matched = self.clone();
                matched.one[alike[0]] = self.count as u32;
                matched.other[candidate] = self.count as u32;
                matched.refined(one, other, images)
            });
            let fits = |classes: &Self| {
                classes.count > self.count
                    && classes.members().iter().all(|[one, other]| one.len() == other.len())
            };
            self = matched.into_iter().find(fits).ok_or(NotIsomorphic::Gate)?;
        }
    }
}

/// The classes of one net's gates after one more sweep.
fn swept(
    net: &Net,
    before: &IndexVec<GateId, u32>,
    fluent: impl Fn(FluentId) -> FluentId,
    action: impl Fn(MoveId) -> MoveId,
    signatures: &mut FxHashMap<(Option<u32>, Signature), u32>,
) -> IndexVec<GateId, u32> {
    let mut classes: IndexVec<GateId, u32> = IndexVec::filled(0, net.gate_count());
    for gate in net.gate_ids() {
        let cycle = net.cycle_of(gate);
        let input = |&input: &GateId| match cycle.is_some() && net.cycle_of(input) == cycle {
            true => Input::Before(before[input]),
            false => Input::Known(classes[input]),
        };
        let inputs = |inputs: &[GateId]| {
            let mut inputs: Vec<Input> = inputs.iter().map(input).collect();
            inputs.sort_unstable();
            inputs
        };
        let signature = match net.gate(gate) {
            Gate::Constant(value) => Signature::Constant(value),
            Gate::Fluent(id) => Signature::Fluent(fluent(id)),
            Gate::Does(id) => Signature::Does(action(id)),
            Gate::And(all) => Signature::And(inputs(all)),
            Gate::Or(all) => Signature::Or(inputs(all)),
            Gate::Not(of) => Signature::Not(input(&of)),
        };
        // Classes are only refined.
        let own = cycle.map(|_| before[gate]);
        let next = signatures.len() as u32;
        classes[gate] = *signatures.entry((own, signature)).or_insert(next);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn net_of(rules: &str) -> Net {
        let rules = gambol_syntax::read(rules.as_bytes(), &Default::default()).rules;
        let rules = rules.expect("the rules parse");
        let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("they ground");
        crate::simplify(&crate::build(&ground).expect("they make a net"))
    }

    /// Two lamps and a switch; and what is connected to what, which is recursive over the state.
    const LAMPS: &str = "
        (role r) (init p) (legal r go) (<= (legal r stay) (true q))
        (<= (next p) (true q) (does r go)) (<= (next q) (true p)) (<= (next q) (does r stay))
        (<= (link a b) (true p)) (<= (link b c) (true q)) (<= (link c a) (true p))
        (<= (path ?x ?y) (link ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
        (<= terminal (path a a)) (<= (goal r 100) (path a c)) (<= (goal r 0) (not (path a c)))";

    fn renamed(name: &str) -> String {
        let word = |letter: char| match letter {
            'p' => 'z',
            'q' => 'y',
            other => other,
        };
        name.chars().map(word).collect()
    }

    #[test]
    fn other_names_make_the_same_net_in_another_order() {
        let text = LAMPS.replace("true p", "true z").replace("next p", "next z");
        let text = text.replace("init p", "init z");
        let text = text.replace("true q", "true y").replace("next q", "next y");
        assert_eq!(isomorphic(&net_of(LAMPS), &net_of(&text), renamed), Ok(()));
        assert!(isomorphic(&net_of(LAMPS), &net_of(&text), str::to_string).is_err());
    }

    #[test]
    fn a_game_that_differs_is_told_apart() {
        let same = |name: &str| name.to_string();
        let lamps = net_of(LAMPS);
        assert_eq!(isomorphic(&lamps, &lamps, same), Ok(()));
        for (from, to, what) in [
            ("(init p)", "(init q)", "the start"),
            ("(goal r 100)", "(goal r 99)", "the goals"),
            ("(<= terminal (path a a))", "(<= terminal (path a b))", "the end"),
            ("(legal r go)", "(<= (legal r go) (true p))", "when go is legal"),
        ] {
            let other = net_of(&LAMPS.replace(from, to));
            let found = isomorphic(&lamps, &other, same);
            // Another condition may be another gate, or one that there was for another purpose.
            let differs = Err(NotIsomorphic::Meaning(what.to_string()));
            assert!(found == differs || found == Err(NotIsomorphic::Gate), "{from}: {found:?}");
        }
        let other = net_of(&LAMPS.replace("(<= (next q) (does r stay))", ""));
        assert!(isomorphic(&lamps, &other, same).is_err());
    }
}
