//! A net in which conditions on the state are written in one way: by their least sets.
//!
//! A gate of ANDs and ORs holds if all propositions of one of some sets hold; sets that contain others
//! say nothing. What is left, the *least sets*, does not depend on how the rules came to the condition,
//! be it step by step, by halves, or by recursion. So a symmetry of a game that its rules hide is one of the net, and
//! conditions that have come to ask for the same can be seen to be the same.

use gambol_index::IndexVec;
use gambol_net::{Gate, GateId, Net, NetBuilder, Wire};

/// Conditions with more sets stay as they are.
const MOST_SETS: usize = 512;
/// More sets than these are not even looked at.
const MOST_CANDIDATES: usize = 1 << 14;
/// Larger nets stay as they are.
const MOST_GATES: usize = 50_000;
/// Rounds in which recursive conditions must settle.
const MOST_ROUNDS: usize = 64;
/// The net may grow so many times.
const MOST_GROWTH: usize = 6;

/// The net with its conditions unfolded; `None` if that would make it much larger.
pub(crate) fn unfolded(net: &Net) -> Option<Net> {
    let of_moves = |cycle: &std::ops::Range<u32>| cycle.start >= net.state_gates().end;
    if net.gate_count() > MOST_GATES || net.cycles.iter().any(of_moves) {
        return None;
    }
    let unfolding = Unfolding::of(net)?;
    let new = unfolding.rebuild();
    (edges(&new) <= MOST_GROWTH * edges(net)).then_some(new)
}

fn edges(net: &Net) -> usize {
    net.gate_ids().map(|gate| 1 + inputs_of(net, gate).len()).sum()
}

fn inputs_of(net: &Net, gate: GateId) -> &[GateId] {
    match net.gate(gate) {
        Gate::And(inputs) | Gate::Or(inputs) => inputs,
        _ => &[],
    }
}

/// Gates that together suffice, sorted; with a word that tells at once that most sets are no subsets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Least {
    gates: Vec<GateId>,
    mark: u64,
}

impl Least {
    fn of(mut gates: Vec<GateId>) -> Self {
        gates.sort_unstable();
        gates.dedup();
        let mark = gates.iter().fold(0, |mark, gate| mark | 1 << (gate.number() % 64));
        Self { gates, mark }
    }

    fn is_within(&self, other: &Self) -> bool {
        let found = |gate: &GateId| other.gates.binary_search(gate).is_ok();
        self.mark & !other.mark == 0 && self.gates.iter().all(found)
    }
}

/// Only the sets that contain no other, in one order.
fn least(mut sets: Vec<Least>) -> Vec<Least> {
    sets.sort_unstable_by(|one, other| {
        (one.gates.len(), &one.gates).cmp(&(other.gates.len(), &other.gates))
    });
    sets.dedup();
    let mut kept: Vec<Least> = Vec::new();
    for set in sets {
        if !kept.iter().any(|smaller| smaller.is_within(&set)) {
            kept.push(set);
        }
    }
    kept
}

struct Unfolding<'a> {
    net: &'a Net,
    /// Gates that somebody asks for by themselves.
    asked: IndexVec<GateId, bool>,
    /// The least sets of AND and OR gates that look at the state only.
    sets: IndexVec<GateId, Option<Vec<Least>>>,
    /// How large a gate is, written out.
    size: IndexVec<GateId, usize>,
}

impl<'a> Unfolding<'a> {
    fn of(net: &'a Net) -> Option<Self> {
        let count = net.gate_count();
        let mut unfolding = Self {
            net,
            asked: asked(net),
            sets: IndexVec::filled(None, count),
            size: IndexVec::filled(1, count),
        };
        for gate in net.state_gates().map(GateId::new) {
            match net.cycle_of(gate).map(|cycle| net.cycles[cycle].clone()) {
                Some(cycle) if cycle.start == gate.number() => unfolding.settle(cycle)?,
                Some(_) => {}
                None => unfolding.add(gate),
            }
        }
        Some(unfolding)
    }

    fn add(&mut self, gate: GateId) {
        let inputs = inputs_of(self.net, gate);
        let size = inputs.iter().map(|&input| self.size[input]).sum::<usize>() + 1;
        self.size[gate] = if self.asked[gate] { 1 } else { size.min(MOST_SETS) };
        let most = MOST_SETS.min(2 * size + 16);
        self.sets[gate] = self.combined(gate).filter(|sets| sets.len() <= most);
    }

    /// Gates that read one another: from nothing, until nothing is added.
    fn settle(&mut self, cycle: std::ops::Range<u32>) -> Option<()> {
        for gate in cycle.clone().map(GateId::new) {
            self.sets[gate] = Some(Vec::new());
            self.size[gate] = MOST_SETS;
            // Inside a cycle nothing is taken as it stands.
            self.asked[gate] = false;
        }
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for gate in cycle.clone().map(GateId::new) {
                let sets = self.combined(gate).filter(|sets| sets.len() <= MOST_SETS)?;
                changed |= self.sets[gate].as_ref() != Some(&sets);
                self.sets[gate] = Some(sets);
            }
            if !changed {
                return Some(());
            }
        }
        None
    }

    /// The sets of a gate as its readers see it.
    fn seen(&self, gate: GateId) -> Vec<Least> {
        match &self.sets[gate] {
            Some(sets) if !self.asked[gate] => sets.clone(),
            _ if self.net.gate(gate) == Gate::Constant(false) => Vec::new(),
            _ if self.net.gate(gate) == Gate::Constant(true) => vec![Least::of(Vec::new())],
            _ => vec![Least::of(vec![gate])],
        }
    }

    fn combined(&self, gate: GateId) -> Option<Vec<Least>> {
        match self.net.gate(gate) {
            Gate::Or(inputs) => {
                let all: Vec<Least> = inputs.iter().flat_map(|&input| self.seen(input)).collect();
                (all.len() <= MOST_CANDIDATES).then(|| least(all))
            }
            Gate::And(inputs) => {
                let mut all = vec![Least::of(Vec::new())];
                for &input in inputs {
                    all = product(&all, &self.seen(input))?;
                }
                Some(all)
            }
            _ => None,
        }
    }

    /// The gates that are needed, written anew.
    fn rebuild(&self) -> Net {
        let net = self.net;
        let mut builder = NetBuilder::new();
        net.roles.iter().for_each(|role| _ = builder.role(role));
        net.fluents.iter().for_each(|fluent| _ = builder.fluent(fluent));
        net.moves.iter().for_each(|action| _ = builder.action(action.role, &action.name));
        net.initial.iter().for_each(|&fluent| builder.initial(fluent));
        let wires = self.wires(&mut builder);
        net.fluents.ids().for_each(|fluent| builder.next(fluent, wires[net.next[fluent]]));
        net.moves.ids().for_each(|action| builder.legal(action, wires[net.legal[action]]));
        builder.terminal(wires[net.terminal]);
        net.goals.iter().for_each(|goal| builder.goal(goal.role, goal.value, wires[goal.gate]));
        builder.finish().expect("a net without cycles can be put in order")
    }

    fn wires(&self, builder: &mut NetBuilder) -> IndexVec<GateId, Wire> {
        let wanted = self.wanted();
        let mut wires = IndexVec::filled(builder.constant(false), self.net.gate_count());
        for gate in self.net.gate_ids().filter(|&gate| wanted[gate]) {
            wires[gate] = match (self.net.gate(gate), &self.sets[gate]) {
                (_, Some(sets)) => {
                    let all: Vec<Wire> = sets
                        .iter()
                        .map(|set| builder.and(set.gates.iter().map(|&gate| wires[gate])))
                        .collect();
                    builder.or(all)
                }
                (Gate::Constant(value), None) => builder.constant(value),
                (Gate::Fluent(fluent), None) => builder.truth(fluent),
                (Gate::Does(action), None) => builder.does(action),
                (Gate::Not(input), None) => builder.not(wires[input]),
                (Gate::And(inputs), None) => builder.and(inputs.iter().map(|&gate| wires[gate])),
                (Gate::Or(inputs), None) => builder.or(inputs.iter().map(|&gate| wires[gate])),
            };
        }
        wires
    }

    /// The gates that are asked for and those that these are written with.
    fn wanted(&self) -> IndexVec<GateId, bool> {
        let net = self.net;
        let mut wanted = IndexVec::filled(false, net.gate_count());
        roots(net).chain(net.next.iter().copied()).for_each(|root| wanted[root] = true);
        for gate in net.gate_ids().rev() {
            if !wanted[gate] {
                continue;
            }
            match (&self.sets[gate], net.gate(gate)) {
                (Some(sets), _) => {
                    sets.iter().flat_map(|set| &set.gates).for_each(|&input| wanted[input] = true);
                }
                (None, Gate::Not(input)) => wanted[input] = true,
                (None, _) => {
                    inputs_of(net, gate).iter().for_each(|&input| wanted[input] = true);
                }
            }
        }
        wanted
    }
}

/// All unions of a set of one and a set of the other, the least of them.
fn product(one: &[Least], other: &[Least]) -> Option<Vec<Least>> {
    if one.len() * other.len() > MOST_CANDIDATES {
        return None;
    }
    let union = |left: &Least, right: &Least| Least::of([&left.gates[..], &right.gates].concat());
    let unions = one.iter().flat_map(|left| other.iter().map(move |right| union(left, right)));
    Some(least(unions.collect()))
}

fn roots(net: &Net) -> impl Iterator<Item = GateId> {
    let goals = net.goals.iter().map(|goal| goal.gate);
    net.legal.iter().copied().chain([net.terminal]).chain(goals)
}

/// Gates that are roots, or read by an inverter or by a gate that looks at the moves.
fn asked(net: &Net) -> IndexVec<GateId, bool> {
    let mut asked = IndexVec::filled(false, net.gate_count());
    roots(net).chain(net.next.iter().copied()).for_each(|root| asked[root] = true);
    for gate in net.gate_ids() {
        match net.gate(gate) {
            Gate::Not(input) => asked[input] = true,
            Gate::And(inputs) | Gate::Or(inputs) if net.reads_moves(gate) => {
                inputs.iter().for_each(|&input| asked[input] = true);
            }
            _ => {}
        }
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_index::Id;
    use gambol_net::FluentId;
    use gambol_net::{Ternary, possible_after};
    use gambol_run::Random;

    fn bundled(name: &str) -> Net {
        let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let rules = gambol_syntax::read(&text, &Default::default()).rules.expect("they parse");
        let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("they ground");
        gambol_net::simplify(&gambol_net::build(&ground).expect("they make a net"))
    }

    /// Ends, goals, legal moves and what follows, in 64 random states with random moves.
    fn answers(net: &Net, seed: u64) -> Vec<Ternary<u64>> {
        let word = |number: usize, kind: u64| {
            let mut random = Random::new(seed ^ (number as u64) << 20 ^ kind << 60);
            random.word();
            let holds = random.word();
            Ternary { can_be_true: holds, can_be_false: !holds }
        };
        let fluents = |fluent: FluentId| word(fluent.index(), 1);
        let values = possible_after(net, fluents, |action, _| word(action.index(), 2));
        roots(net).chain(net.next.iter().copied()).map(|gate| values[gate]).collect()
    }

    #[test]
    fn the_same_holds_as_before() {
        let names = ["blocker", "tic-tac-toe", "joint-tic-tac-toe", "connect-four-4x4", "nim"];
        for name in names {
            let net = bundled(name);
            let written = unfolded(&net).unwrap();
            for seed in 0..20 {
                assert_eq!(answers(&net, seed), answers(&written, seed), "{name} {seed}");
            }
        }
    }

    /// Planks may be counted from either bank and from either side.
    #[test]
    fn what_recursion_hides_is_symmetric() {
        let net = bundled("blocker");
        assert!(crate::symmetries(&net, 64).is_empty());
        assert_eq!(crate::symmetries(&unfolded(&net).unwrap(), 64).len(), 3);
    }

    /// A chain of three lamps, by recursion from one end: there and back it is the same.
    #[test]
    fn recursion_is_written_out() {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        let lamps: Vec<FluentId> = (0..3).map(|lamp| net.fluent(&lamp.to_string())).collect();
        let action = net.action(player, "wait");
        let always = net.constant(true);
        net.legal(action, always);
        let lit: Vec<Wire> = lamps.iter().map(|&lamp| net.truth(lamp)).collect();
        lamps.iter().zip(&lit).for_each(|(&lamp, &lit)| net.next(lamp, lit));
        let reached: Vec<Wire> = (0..3).map(|_| net.open_or()).collect();
        let first = lit[0];
        let back = net.and([lit[0], reached[1]]);
        net.close_or(reached[0], [first, back]);
        let (there, back) = (net.and([lit[1], reached[0]]), net.and([lit[1], reached[2]]));
        net.close_or(reached[1], [there, back]);
        let there = net.and([lit[2], reached[1]]);
        net.close_or(reached[2], [there]);
        net.terminal(reached[2]);
        net.goal(player, 100, reached[2]);
        let net = net.finish().unwrap();
        assert!(!net.cycles.is_empty());
        let written = unfolded(&net).unwrap();
        assert!(written.cycles.is_empty());
        let Gate::And(inputs) = written.gate(written.terminal) else { panic!("one set") };
        assert_eq!(inputs.len(), 3);
        assert_eq!(crate::symmetries(&written, 9).len(), 5);
    }
}
