//! Views that latch: goals, legal moves, and the atoms that rules derive from the state.

use gambol_net::{Gate, GateId, MoveId, Net};

use crate::induction::Induction;
use crate::latch::gate_latches;
use crate::sample::Sample;
use crate::verdict::Verdict;

/// A view that keeps a value for good. Proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewLatch {
    /// The atom as GDL text.
    pub view: String,
    /// The move, if the view says that it is legal.
    pub legal: Option<MoveId>,
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
    let mut gates: Vec<GateId> = views.iter().map(|view| view.gate).collect();
    gates.sort_unstable();
    gates.dedup();
    let latches = gate_latches(net, sample, induction, &gates);
    let mut found = Vec::new();
    for View { gate, view, legal } in views {
        let first = latches.partition_point(|latch| latch.gate < gate);
        let of_gate = latches[first..].iter().take_while(|latch| latch.gate == gate);
        for latch in of_gate.filter(|latch| !latch.verdict.is_refuted()) {
            let (view, verdict) = (view.clone(), latch.verdict.clone());
            found.push(ViewLatch { view, legal, holds: latch.holds, verdict });
        }
    }
    found
}

struct View {
    gate: GateId,
    view: String,
    legal: Option<MoveId>,
}

/// Goals, termination, legality and views of the state; not those that are just a fluent.
fn named_gates(net: &Net) -> Vec<View> {
    let view = |gate, view| View { gate, view, legal: None };
    let mut named = vec![view(net.terminal, "terminal".to_string())];
    named.extend(
        net.goals
            .iter()
            .map(|goal| view(goal.gate, format!("(goal {} {})", net.roles[goal.role], goal.value))),
    );
    named.extend(net.legal.iter_ids().map(|(number, &gate)| {
        let action = &net.moves[number];
        let text = format!("(legal {} {})", net.roles[action.role], action.name);
        View { legal: Some(number), ..view(gate, text) }
    }));
    named.extend(net.views.iter().map(|named| view(named.gate, net.names.atom_text(&named.atom))));
    named.retain(|view| !net.reads_moves(view.gate) && is_computed_or_legal(net, view));
    named
}

/// That a fluent keeps a value is said of the fluent; of a move it is worth saying again.
fn is_computed_or_legal(net: &Net, view: &View) -> bool {
    is_computed(net, view.gate)
        || view.legal.is_some() && matches!(net.gate(view.gate), Gate::Fluent(_))
}

fn is_computed(net: &Net, gate: GateId) -> bool {
    matches!(net.gate(gate), Gate::And(_) | Gate::Or(_) | Gate::Not(_))
}
