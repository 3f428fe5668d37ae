//! Relaxed reachability, what can still come true: for up to 64 states at once, which values each
//! fluent can take from here on, whatever is done.
//!
//! The values possible now are those of the state; what can follow from possible values is possible
//! too. That goes on until nothing is added. Too much may be called possible, never too little.

use gambol_analysis::Latches;
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, GateId, MoveId, Net, Ternary, Value, possible_after, possible_values};

/// The values each gate can take from some states on, lane by lane.
pub(crate) fn prospects(
    net: &Net,
    latches: &Latches,
    states: &[u64],
    width: usize,
) -> IndexVec<GateId, Ternary<u64>> {
    let mut fluents: IndexVec<FluentId, Ternary<u64>> =
        net.fluents.ids().map(|fluent| now(states, width, fluent)).collect::<Vec<_>>().into();
    loop {
        let values = possible_values(net, |fluent| fluents[fluent]);
        let mut grown = false;
        for fluent in net.fluents.ids() {
            let (before, next) = (fluents[fluent], values[net.next[fluent]]);
            let mut joined = before;
            if !latches.stays_false[fluent] {
                joined.can_be_true |= next.can_be_true;
            }
            if !latches.stays_true[fluent] {
                joined.can_be_false |= next.can_be_false;
            }
            grown |= joined != before;
            fluents[fluent] = joined;
        }
        if !grown {
            return values;
        }
    }
}

fn now(states: &[u64], width: usize, fluent: FluentId) -> Ternary<u64> {
    let bit = |state: &[u64]| state[fluent.index() / 64] >> (fluent.index() % 64) & 1;
    let lanes = states.chunks_exact(width).enumerate();
    let can_be_true = lanes.fold(0, |lanes, (lane, state)| lanes | bit(state) << lane);
    Ternary { can_be_true, can_be_false: !can_be_true }
}

/// For each of some fluents the moves that can make it what it is not, as far as the rules show by
/// themselves.
pub(crate) fn moves_that_turn(net: &Net, fluents: &[(FluentId, bool)]) -> Vec<Vec<MoveId>> {
    let mut turned: IndexVec<FluentId, Ternary<u64>> =
        IndexVec::filled(Ternary::UNKNOWN, net.fluents.len());
    for &(fluent, wished) in fluents {
        turned[fluent] = Ternary::constant(!wished);
    }
    let mut found = vec![Vec::new(); fluents.len()];
    for first in (0..net.moves.len()).step_by(64) {
        let done = |action: MoveId, _| match action.index().checked_sub(first) {
            Some(lane) if lane < 64 => {
                Ternary { can_be_true: 1 << lane, can_be_false: !(1 << lane) }
            }
            _ => Ternary::constant(false),
        };
        let values = possible_after(net, |fluent| turned[fluent], done);
        for (&(fluent, wished), moves) in fluents.iter().zip(&mut found) {
            let next = values[net.next[fluent]];
            let turns = if wished { next.can_be_true } else { next.can_be_false };
            let lanes = (0..64.min(net.moves.len() - first)).filter(|lane| turns >> lane & 1 == 1);
            moves.extend(lanes.map(|lane| MoveId::from_index(first + lane)));
        }
    }
    found
}
