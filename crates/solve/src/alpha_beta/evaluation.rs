//! Static evaluation, as circuits: how much each role can still get, and how many single fluents would win at once.
//! how many single fluents would win at once.

use gambol_analysis::{Inhibitors, Literal};
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, Net, NetBuilder, RoleId, Wire};
use gambol_sim::{Circuit, CompileOptions};

/// Larger goal conditions are not copied.
const MOST_GATES: usize = 200_000;
/// More fluents than this are not flipped.
const MOST_FLIPS: usize = 512;
/// The most cubes of an unfolded goal.
const MOST_CUBES: usize = 128;

/// Which goal values are still possible: a circuit whose goal number `g` says whether goal number
/// `g` of the game can still come true.
pub(crate) fn bounds_circuit(
    net: &Net,
    lines: &Inhibitors,
    compile: &CompileOptions,
) -> Option<Circuit> {
    let cone = Cone::of(net, net.goals.iter().map(|goal| goal.gate))?;
    let mut builder = Copy::new(net);
    let rails = builder.two_rails(&cone, lines);
    for (number, goal) in net.goals.iter().enumerate() {
        builder.net.goal(RoleId::new(0), number as u32, rails[&goal.gate].0);
    }
    let informative = net.goals.iter().any(|goal| {
        let always = builder.net.constant(true);
        rails[&goal.gate].0 != always
    });
    if !informative {
        return None;
    }
    Circuit::compile(&builder.net.finish().ok()?, compile).ok()
}

/// Fluents that would win at once if they were true.
pub(crate) struct Flips {
    /// A circuit with one more fluent for each flip: while it is true, so is the flipped fluent,
    /// unless that is dead. Its goal is the role's best.
    pub(crate) circuit: Circuit,
    /// How many flips there are.
    pub(crate) count: usize,
}

pub(crate) fn flips(
    net: &Net,
    lines: &Inhibitors,
    role: RoleId,
    compile: &CompileOptions,
) -> Option<Flips> {
    let best = best_goal(net, role)?;
    let cone = Cone::of(net, [best])?;
    let flipped: Vec<FluentId> = cone.fluents.clone();
    if flipped.is_empty() || flipped.len() > MOST_FLIPS {
        return None;
    }
    let mut builder = Copy::new(net);
    let extra: Vec<FluentId> =
        flipped.iter().map(|fluent| builder.net.fluent(&format!("flip {fluent:?}"))).collect();
    let mut truths = builder.truths();
    for (&fluent, &flip) in flipped.iter().zip(&extra) {
        let dead = builder.dead(fluent, lines);
        let alive = builder.net.not(dead);
        let flip = builder.net.truth(flip);
        let forced = builder.net.and([flip, alive]);
        truths[fluent] = builder.net.or([truths[fluent], forced]);
    }
    let goal = builder.copy(&cone, &truths)[&best];
    builder.net.goal(RoleId::new(0), 1, goal);
    let circuit = Circuit::compile(&builder.net.finish().ok()?, compile).ok()?;
    Some(Flips { circuit, count: flipped.len() })
}

fn best_goal(net: &Net, role: RoleId) -> Option<GateId> {
    let goals = net.goals.iter().filter(|goal| goal.role == role);
    goals.max_by_key(|goal| goal.value).map(|goal| goal.gate)
}

/// For each fluent the number of ways from a role's best goal through the gates to the fluent, not
/// counting those through an inverter.
pub(crate) fn path_counts(net: &Net, role: RoleId) -> IndexVec<FluentId, f64> {
    let mut counts: IndexVec<FluentId, f64> = IndexVec::filled(0.0, net.fluents.len());
    let Some(cone) = best_goal(net, role).and_then(|best| Cone::of(net, [best])) else {
        return counts;
    };
    let mut ways: IndexVec<GateId, f64> = IndexVec::filled(0.0, net.gate_count());
    ways[*cone.gates.last().expect("a cone holds its root")] = 1.0;
    for &gate in cone.gates.iter().rev() {
        match net.gate(gate) {
            Gate::And(inputs) | Gate::Or(inputs) => {
                inputs.iter().for_each(|&input| ways[input] += ways[gate]);
            }
            Gate::Fluent(fluent) => counts[fluent] = ways[gate],
            Gate::Constant(_) | Gate::Does(_) | Gate::Not(_) => {}
        }
    }
    counts
}

/// A role's best goal unfolded into cubes of fluents that must be true, as far as there are few:
/// for each fluent the cubes it is in.
pub(crate) fn cube_masks(net: &Net, role: RoleId) -> IndexVec<FluentId, u128> {
    let mut masks: IndexVec<FluentId, u128> = IndexVec::filled(0, net.fluents.len());
    let cubes = best_goal(net, role)
        .and_then(|best| Cone::of(net, [best]))
        .and_then(|cone| unfold(net, &cone));
    for (number, cube) in cubes.unwrap_or_default().into_iter().enumerate() {
        cube.into_iter().for_each(|fluent| masks[fluent] |= 1 << number);
    }
    masks
}

type Cubes = Vec<Vec<FluentId>>;

fn unfold(net: &Net, cone: &Cone) -> Option<Cubes> {
    let mut known: std::collections::BTreeMap<GateId, Cubes> = std::collections::BTreeMap::new();
    for &gate in &cone.gates {
        let cubes = match net.gate(gate) {
            Gate::Constant(false) => vec![],
            // What must not be is left out: the cubes only weigh moves.
            Gate::Constant(true) | Gate::Not(_) => vec![vec![]],
            Gate::Does(_) => return None,
            Gate::Fluent(fluent) => vec![vec![fluent]],
            Gate::Or(inputs) => inputs.iter().flat_map(|input| known[input].clone()).collect(),
            Gate::And(inputs) => {
                inputs.iter().try_fold(vec![vec![]], |all, input| product(&all, &known[input]))?
            }
        };
        if cubes.len() > 4 * MOST_CUBES {
            return None;
        }
        known.insert(gate, cubes);
    }
    let mut cubes = known.remove(cone.gates.last()?)?;
    cubes.sort_unstable();
    cubes.dedup();
    (cubes.len() <= MOST_CUBES).then_some(cubes)
}

fn product(one: &Cubes, other: &Cubes) -> Option<Cubes> {
    if one.len() * other.len() > 4 * MOST_CUBES {
        return None;
    }
    let mut all = Vec::new();
    for left in one {
        for right in other {
            let mut cube = [left.as_slice(), right].concat();
            cube.sort_unstable();
            cube.dedup();
            all.push(cube);
        }
    }
    Some(all)
}

/// The gates that some gates depend on, in evaluation order.
struct Cone {
    gates: Vec<GateId>,
    fluents: Vec<FluentId>,
}

impl Cone {
    /// `None` if it is large, recursive or depends on moves.
    fn of(net: &Net, roots: impl IntoIterator<Item = GateId>) -> Option<Self> {
        let mut seen: IndexVec<GateId, bool> = IndexVec::filled(false, net.gate_count());
        let mut open: Vec<GateId> = roots.into_iter().collect();
        let mut gates = Vec::new();
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut seen[gate], true) {
                continue;
            }
            gates.push(gate);
            match net.gate(gate) {
                Gate::Does(_) => return None,
                _ if net.cycle_of(gate).is_some() || gates.len() > MOST_GATES => return None,
                Gate::And(inputs) | Gate::Or(inputs) => open.extend(inputs),
                Gate::Not(input) => open.push(input),
                Gate::Constant(_) | Gate::Fluent(_) => {}
            }
        }
        gates.sort_unstable();
        let fluents = gates.iter().filter_map(|&gate| match net.gate(gate) {
            Gate::Fluent(fluent) => Some(fluent),
            _ => None,
        });
        Some(Self { fluents: fluents.collect(), gates })
    }
}

type Wires = std::collections::BTreeMap<GateId, Wire>;
/// For each gate a wire that says whether it can become true, and one whether false.
type Rails = std::collections::BTreeMap<GateId, (Wire, Wire)>;

/// A net with the fluents of another, and gates copied from it.
struct Copy<'a> {
    source: &'a Net,
    net: NetBuilder,
}

impl<'a> Copy<'a> {
    fn new(source: &'a Net) -> Self {
        let mut net = NetBuilder::new();
        let role = net.role("any");
        for name in source.fluents.iter() {
            net.fluent(name);
        }
        let wait = net.action(role, "wait");
        let always = net.constant(true);
        net.legal(wait, always);
        Self { source, net }
    }

    fn truths(&mut self) -> IndexVec<FluentId, Wire> {
        let ids: Vec<FluentId> = self.source.fluents.ids().collect();
        ids.into_iter().map(|fluent| self.net.truth(fluent)).collect::<Vec<_>>().into()
    }

    /// A wire that is true if the fluent, being false, stays false for good.
    fn dead(&mut self, fluent: FluentId, lines: &Inhibitors) -> Wire {
        if lines.latches.stays_false[fluent] {
            return self.net.constant(true);
        }
        let killers: Vec<Wire> = lines.killers[fluent]
            .iter()
            .map(|&Literal { fluent, holds }| {
                let truth = self.net.truth(fluent);
                if holds { truth } else { self.net.not(truth) }
            })
            .collect();
        self.net.or(killers)
    }

    fn copy(&mut self, cone: &Cone, truths: &IndexVec<FluentId, Wire>) -> Wires {
        let mut wires = Wires::new();
        for &gate in &cone.gates {
            let wire = match self.source.gate(gate) {
                Gate::Constant(value) => self.net.constant(value),
                Gate::Fluent(fluent) => truths[fluent],
                Gate::Not(input) => self.net.not(wires[&input]),
                Gate::And(inputs) => self.net.and(inputs.iter().map(|input| wires[input])),
                Gate::Or(inputs) => self.net.or(inputs.iter().map(|input| wires[input])),
                Gate::Does(_) => unreachable!("a cone has no moves"),
            };
            wires.insert(gate, wire);
        }
        wires
    }

    fn two_rails(&mut self, cone: &Cone, lines: &Inhibitors) -> Rails {
        let mut rails = Rails::new();
        for &gate in &cone.gates {
            let rail = match self.source.gate(gate) {
                Gate::Constant(value) => (self.net.constant(value), self.net.constant(!value)),
                Gate::Fluent(fluent) => self.rails_of(fluent, lines),
                Gate::Not(input) => (rails[&input].1, rails[&input].0),
                Gate::And(inputs) => (
                    self.net.and(inputs.iter().map(|input| rails[input].0)),
                    self.net.or(inputs.iter().map(|input| rails[input].1)),
                ),
                Gate::Or(inputs) => (
                    self.net.or(inputs.iter().map(|input| rails[input].0)),
                    self.net.and(inputs.iter().map(|input| rails[input].1)),
                ),
                Gate::Does(_) => unreachable!("a cone has no moves"),
            };
            rails.insert(gate, rail);
        }
        rails
    }

    fn rails_of(&mut self, fluent: FluentId, lines: &Inhibitors) -> (Wire, Wire) {
        let truth = self.net.truth(fluent);
        let dead = self.dead(fluent, lines);
        let alive = self.net.not(dead);
        let can_be_true = self.net.or([truth, alive]);
        let can_be_false = match lines.latches.stays_true[fluent] {
            true => self.net.not(truth),
            false => self.net.constant(true),
        };
        (can_be_true, can_be_false)
    }
}

/// For each fluent number the cubes of a role that die when it takes the value that kills one of
/// their fluents.
pub(crate) struct KilledCubes {
    /// When the fluent is true.
    pub(crate) when_true: IndexVec<FluentId, u128>,
    /// When it is false; only those that matter.
    pub(crate) when_false: Vec<(FluentId, u128)>,
}

pub(crate) fn killed_cubes(lines: &Inhibitors, cubes: &IndexVec<FluentId, u128>) -> KilledCubes {
    let mut when_true: IndexVec<FluentId, u128> = IndexVec::filled(0, cubes.len());
    let mut when_false: IndexVec<FluentId, u128> = IndexVec::filled(0, cubes.len());
    for fluent in (0..cubes.len()).map(FluentId::from_index) {
        for &Literal { fluent: killer, holds } in &lines.killers[fluent] {
            let side = if holds { &mut when_true } else { &mut when_false };
            side[killer] |= cubes[fluent];
        }
    }
    let ids = (0..cubes.len()).map(FluentId::from_index);
    let when_false = ids.filter(|&id| when_false[id] != 0).map(|id| (id, when_false[id])).collect();
    KilledCubes { when_true, when_false }
}
