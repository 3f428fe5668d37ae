//! Why play comes to an end, and with a goal: read off the rules, for all states at once.

use std::time::Duration;

use gambol_analysis::{Answer, Budget, Encoding};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, RoleId};
use rustc_hash::FxHashMap;

use super::latched::Latched;
use crate::Limits;
use crate::alpha_beta::ternary::{Possible, constant, possible_given};

/// Effort for a question about all states.
const EFFORT: u64 = 20_000;
/// The most time for it.
const LONGEST: Duration = Duration::from_secs(2);

/// Whether there is a player every move of whom changes a fluent that never changes back. Then no play
/// is longer than there are fluents.
pub(crate) fn always_ends(net: &Net, lines: &Latched) -> bool {
    net.roles.ids().any(|role| {
        net.moves_of(role).map(MoveId::new).all(|action| spends(net, lines, role, action))
    })
}

/// Whether a move, where it is legal, changes a fluent for good.
fn spends(net: &Net, lines: &Latched, role: RoleId, action: MoveId) -> bool {
    let given = required(net, net.legal[action]);
    let own = net.moves_of(role);
    let done = |other: MoveId, legal: Possible| match other == action {
        true => constant(true),
        false if own.contains(&other.number()) => constant(false),
        false => Possible { can_be_false: u64::MAX, ..legal },
    };
    let values = possible_given(net, &given, done);
    let changes = |fluent: FluentId| {
        let (now, next) = (values[net.fluent_gate(fluent)], values[net.next[fluent]]);
        let falls = now.can_be_false == 0 && next.can_be_true == 0 && lines.stays_false[fluent];
        let rises = now.can_be_true == 0 && next.can_be_false == 0 && lines.stays_true[fluent];
        falls || rises
    };
    net.fluents.ids().any(changes)
}

/// What must hold of gates for a gate to be true, as far as it is a conjunction.
fn required(net: &Net, gate: GateId) -> FxHashMap<GateId, bool> {
    let mut required = FxHashMap::default();
    let mut open = vec![(gate, true)];
    while let Some((gate, holds)) = open.pop() {
        if required.insert(gate, holds).is_some() {
            continue;
        }
        match net.gate(gate) {
            Gate::Not(input) => open.push((input, !holds)),
            Gate::And(inputs) if holds => open.extend(inputs.iter().map(|&input| (input, true))),
            Gate::Or(inputs) if !holds => open.extend(inputs.iter().map(|&input| (input, false))),
            _ => {}
        }
    }
    required
}

/// What the rules say of all ends, whatever the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ends {
    /// Every end has a goal for each role.
    pub(crate) have_goals: bool,
    /// The goals of two roles always add up to this.
    pub(crate) sum: Option<u32>,
}

impl Ends {
    /// Asks about all states at once.
    pub(crate) fn of(net: &Net, limits: &Limits) -> Self {
        let time = limits.time.map_or(LONGEST, |time| time.min(LONGEST));
        let budget = Budget { time: Some(time), stop: limits.stop.clone() };
        let mut encoding = Encoding::new(net, &budget);
        let state = encoding.state();
        let over = encoding.gate(state, net.terminal);
        let have_goals = net.roles.ids().all(|role| {
            let mut without = vec![over];
            for goal in net.goals.iter().filter(|goal| goal.role == role) {
                without.push(!encoding.gate(state, goal.gate));
            }
            encoding.solve(&without, EFFORT) == Answer::NoModel
        });
        let mut sum = None;
        if net.roles.len() == 2 && have_goals {
            let of_role = |role| net.goals.iter().filter(move |goal| goal.role == role);
            let [one, other] = [0, 1].map(RoleId::new);
            let least = of_role(one).map(|goal| goal.value).min();
            let most = of_role(other).map(|goal| goal.value).max();
            sum = least.zip(most).map(|(least, most)| least + most).filter(|&sum| {
                let pairs = of_role(one).flat_map(|goal| of_role(other).map(move |g| (goal, g)));
                let mut odd = pairs.filter(|(goal, other)| goal.value + other.value != sum);
                odd.all(|(goal, other)| {
                    let both = [goal, other].map(|goal| encoding.gate(state, goal.gate));
                    encoding.solve(&[over, both[0], both[1]], EFFORT) == Answer::NoModel
                })
            });
        }
        Self { have_goals, sum }
    }
}
