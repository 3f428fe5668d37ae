//! Subgoals and victory conditions, read off the goal circuit.
//!
//! A gate with one of its values is a *victory condition* if that alone gives some role its highest
//! score, whatever the rest of the state is. It is a *subgoal* if it leads some of the way: it makes
//! a score above the lowest certain or the lowest impossible without barring the highest, or its
//! opposite bars the highest. Only the smallest such conditions count: gates that read one are passed
//! over.

use gambol_index::Id;
use gambol_net::{FluentId, Gate, GateId, Net, Readers, RoleId};

use crate::evaluate::lanes::{LANES, holds};
use crate::evaluate::ternary::{Fixed, Ternary};

/// A condition on the state that matters to the score.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Condition {
    /// The fluents it reads, sorted.
    pub(crate) fluents: Vec<FluentId>,
}

/// The smallest conditions found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Conditions {
    pub(crate) victories: Vec<Condition>,
    pub(crate) subgoals: Vec<Condition>,
}

/// The lowest and the highest goal of a role, and all its goals.
struct Stakes {
    lowest: GateId,
    highest: GateId,
    above: Vec<GateId>,
}

/// More gates than this are not examined.
const MOST_GATES: usize = 60_000;

/// Finds the conditions, given what is known of fluents. What reads only fluents that never change
/// (`fixed`) is no condition.
pub(crate) fn conditions(
    net: &Net,
    known: &dyn Fn(FluentId) -> Option<bool>,
    fixed: &dyn Fn(FluentId) -> bool,
) -> Conditions {
    let stakes: Vec<Stakes> = net.roles.ids().filter_map(|role| stakes(net, role)).collect();
    let outputs: Vec<GateId> = net.goals.iter().map(|goal| goal.gate).collect();
    let mut ternary = Ternary::new(net, outputs.iter().copied(), known);
    if stakes.is_empty() || ternary.gates().len() > MOST_GATES {
        return Conditions::default();
    }
    let signs = Signs::of(net, &outputs);
    let examined = examine(net, &mut ternary, &stakes, &signs);
    select(net, &stakes, &examined, known, fixed)
}

fn stakes(net: &Net, role: RoleId) -> Option<Stakes> {
    let goals: Vec<GateId> =
        net.goals.iter().filter(|goal| goal.role == role).map(|goal| goal.gate).collect();
    let ([lowest, above @ ..], [.., highest]) = (goals.as_slice(), goals.as_slice()) else {
        return None;
    };
    (!above.is_empty()).then(|| Stakes {
        lowest: *lowest,
        highest: *highest,
        above: above.to_vec(),
    })
}

/// With which values gates are used on the way to the goals.
struct Signs {
    positive: Vec<bool>,
    negative: Vec<bool>,
}

impl Signs {
    fn of(net: &Net, outputs: &[GateId]) -> Self {
        let mut signs = Self {
            positive: vec![false; net.gate_count()],
            negative: vec![false; net.gate_count()],
        };
        let mut open: Vec<(GateId, bool)> = outputs.iter().map(|&gate| (gate, true)).collect();
        while let Some((gate, sign)) = open.pop() {
            let marks = if sign { &mut signs.positive } else { &mut signs.negative };
            if std::mem::replace(&mut marks[gate.index()], true) {
                continue;
            }
            let sign = sign != matches!(net.gate(gate), Gate::Not(_));
            open.extend(net.inputs_of(gate).iter().map(|&input| (input, sign)));
        }
        signs
    }

    fn has(&self, gate: GateId, sign: bool) -> bool {
        if sign { self.positive[gate.index()] } else { self.negative[gate.index()] }
    }
}

/// What a gate with a value does for each role.
struct Examined {
    gate: GateId,
    victory: Vec<bool>,
    subgoal: Vec<bool>,
}

fn examine(
    net: &Net,
    ternary: &mut Ternary<'_>,
    stakes: &[Stakes],
    signs: &Signs,
) -> Vec<Examined> {
    let examined = |gate: &GateId| {
        matches!(net.gate(*gate), Gate::Fluent(_) | Gate::And(_) | Gate::Or(_))
            && net.cycle_of(*gate).is_none()
    };
    let gates: Vec<GateId> = ternary.gates().iter().copied().filter(examined).collect();
    let mut found = Vec::new();
    for chunk in gates.chunks(LANES / 2) {
        let trials: Vec<Fixed> = chunk
            .iter()
            .flat_map(|&gate| [true, false].map(|value| Fixed { gate, value }))
            .collect();
        ternary.run(&trials);
        for (place, &gate) in chunk.iter().enumerate() {
            for value in [true, false].into_iter().filter(|&value| signs.has(gate, value)) {
                let (with, without) = match value {
                    true => (2 * place, 2 * place + 1),
                    false => (2 * place + 1, 2 * place),
                };
                found.push(judge(ternary, stakes, gate, with, without));
            }
        }
    }
    found
}

fn judge(
    ternary: &Ternary<'_>,
    stakes: &[Stakes],
    gate: GateId,
    with: usize,
    without: usize,
) -> Examined {
    let victory = stakes.iter().map(|role| holds(ternary.must(role.highest), with)).collect();
    let subgoal = |role: &Stakes| {
        let needed = !holds(ternary.may(role.highest), without);
        let gains = role.above.iter().any(|goal| holds(ternary.must(*goal), with))
            || !holds(ternary.may(role.lowest), with);
        needed || gains && holds(ternary.may(role.highest), with)
    };
    Examined { gate, victory, subgoal: stakes.iter().map(subgoal).collect() }
}

/// Passes over the gates that read a condition already found.
fn select(
    net: &Net,
    stakes: &[Stakes],
    examined: &[Examined],
    known: &dyn Fn(FluentId) -> Option<bool>,
    fixed: &dyn Fn(FluentId) -> bool,
) -> Conditions {
    let readers = Readers::of(net);
    let (mut past_victory, mut past_subgoal) =
        (vec![false; net.gate_count()], vec![false; net.gate_count()]);
    let mut found = Conditions::default();
    let mut has_subgoal = vec![false; stakes.len()];
    for one in examined {
        let (wins, leads) = (one.victory.contains(&true), one.subgoal.contains(&true));
        if past_victory[one.gate.index()] || !wins && (!leads || past_subgoal[one.gate.index()]) {
            continue;
        }
        let condition = condition(net, one.gate, known);
        if condition.fluents.iter().all(|&fluent| fixed(fluent)) {
            continue;
        }
        if wins {
            found.victories.push(condition);
            spread(&readers, one.gate, &mut past_victory);
            spread(&readers, one.gate, &mut past_subgoal);
        } else {
            found.subgoals.push(condition);
            one.subgoal.iter().zip(&mut has_subgoal).for_each(|(&is, has)| *has |= is);
            spread(&readers, one.gate, &mut past_subgoal);
        }
    }
    // Where some role has none, they do not tell what the parts are worth.
    if has_subgoal.contains(&false) {
        found.subgoals.clear();
    }
    found
}

fn spread(readers: &Readers, gate: GateId, marks: &mut [bool]) {
    let mut open = vec![gate];
    while let Some(gate) = open.pop() {
        if !std::mem::replace(&mut marks[gate.index()], true) {
            open.extend(readers.of_gate(gate));
        }
    }
}

fn condition(net: &Net, gate: GateId, known: &dyn Fn(FluentId) -> Option<bool>) -> Condition {
    let reached = crate::evaluate::lanes::cone(net, [gate]);
    let fluents = net
        .fluents
        .ids()
        .filter(|&fluent| reached[net.fluent_gate(fluent).index()] && known(fluent).is_none());
    Condition { fluents: fluents.collect() }
}
