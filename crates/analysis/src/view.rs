//! Views that latch: goals, legal moves, and the atoms that rules derive from the state.

use gambol_net::{Gate, GateId, Net};

use crate::induction::Induction;
use crate::latch::gate_latches;
use crate::sample::Sample;
use crate::verdict::Verdict;

/// A view that keeps a value for good. Proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewLatch {
    /// The atom as GDL text.
    pub view: String,
    /// The value it keeps.
    pub holds: bool,
    /// Proved or unknown; refuted ones are not listed.
    pub verdict: Verdict,
}

/// Views that are looked at.
const MOST_VIEWS: usize = 2_000;

/// The views that no step of the sample changes back.
pub(crate) fn view_latches(
    net: &Net,
    sample: &Sample,
    induction: &mut Induction<'_>,
) -> Vec<ViewLatch> {
    let mut views = named_gates(net);
    views.truncate(MOST_VIEWS);
    let mut gates: Vec<GateId> = views.iter().map(|(gate, _)| *gate).collect();
    gates.sort_unstable();
    gates.dedup();
    let latches = gate_latches(net, sample, induction, &gates);
    let mut found = Vec::new();
    for (gate, view) in views {
        let first = latches.partition_point(|latch| latch.gate < gate);
        let of_gate = latches[first..].iter().take_while(|latch| latch.gate == gate);
        for latch in of_gate.filter(|latch| !latch.verdict.is_refuted()) {
            let verdict = latch.verdict.clone();
            found.push(ViewLatch { view: view.clone(), holds: latch.holds, verdict });
        }
    }
    found
}

/// Goals, legality and views of the state; not those that are just a fluent.
fn named_gates(net: &Net) -> Vec<(GateId, String)> {
    let goal = |goal: &gambol_net::GoalGate| {
        (goal.gate, format!("(goal {} {})", net.roles[goal.role], goal.value))
    };
    let mut named: Vec<(GateId, String)> = net.goals.iter().map(goal).collect();
    named.extend(net.views.iter().map(|view| (view.gate, net.names.atom_text(&view.atom))));
    named.extend(net.legal.iter_ids().map(|(action, &gate)| {
        let action = &net.moves[action];
        (gate, format!("(legal {} {})", net.roles[action.role], action.name))
    }));
    named.retain(|(gate, _)| !net.reads_moves(*gate) && is_computed(net, *gate));
    named
}

fn is_computed(net: &Net, gate: GateId) -> bool {
    matches!(net.gate(gate), Gate::And(_) | Gate::Or(_) | Gate::Not(_))
}
