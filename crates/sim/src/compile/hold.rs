//! Which fluents keep their value where no move is done.
//!
//! The state of a game that is over must not change while its lane waits. No move is done in such a
//! lane, and most fluents change by moves alone; only the others, step counters for instance, have to
//! be held.

use rustc_hash::FxHashMap;

use crate::compile::reduce::binary::Gates;
use crate::compile::reduce::graph::Input;
use crate::compile::reduce::literal::Literal;

/// Per output, whether the fluent it belongs to has to be held.
pub(crate) fn must_be_held(transition: &Gates, changing: &[u32]) -> Vec<bool> {
    let at_rest = without_moves(transition);
    let held = |(&fluent, output): (&u32, &Literal)| {
        let value = at_rest[output.node() as usize].negate_if(output.is_negated());
        value != transition.inputs.fluent(fluent)
    };
    changing.iter().zip(&transition.outputs).map(held).collect()
}

/// What each node comes to if no move is done: a constant, an input, or a gate.
fn without_moves(gates: &Gates) -> Vec<Literal> {
    let mut value: Vec<Literal> = (0..gates.base()).map(Literal::of).collect();
    for node in 1..gates.base() {
        if let Some(Input::Does(_)) = gates.inputs.input(node) {
            value[node as usize] = Literal::FALSE;
        }
    }
    let mut known: FxHashMap<[Literal; 2], Literal> = FxHashMap::default();
    for (place, gate) in gates.gates.iter().enumerate() {
        let [a, b] = gate.map(|input| value[input.node() as usize].negate_if(input.is_negated()));
        let (a, b) = (a.min(b), a.max(b));
        value.push(if a == Literal::FALSE || a == !b {
            Literal::FALSE
        } else if a == Literal::TRUE || a == b {
            b
        } else {
            *known.entry([a, b]).or_insert(Literal::of(gates.base() + place as u32))
        });
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::reduce::graph::InputCounts;

    #[test]
    fn a_counter_must_be_held_and_a_marked_cell_need_not() {
        let inputs = InputCounts { fluents: 3, moves: 1, variables: 0 };
        let [cell, early, late] = [0, 1, 2].map(|fluent| inputs.fluent(fluent));
        // The cell becomes true by the move; `late` follows `early`.
        let gates = Gates {
            inputs,
            gates: vec![[!cell, !inputs.does(0)]],
            outputs: vec![!Literal::of(5), early],
            variables: vec![],
        };
        let _ = late;
        assert_eq!(must_be_held(&gates, &[0, 2]), [false, true]);
    }
}
