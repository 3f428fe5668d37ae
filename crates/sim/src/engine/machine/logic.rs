//! Logic functions of up to three values: what one instruction computes, or a few.

use smallvec::SmallVec;

/// A truth table over three inputs: bit `4a + 2b + c` is the result for inputs `a`, `b`, `c`.
pub(crate) type TruthTable = u8;

/// The tables of the inputs themselves.
pub(crate) const A: TruthTable = 0xf0;
pub(crate) const B: TruthTable = 0xcc;
pub(crate) const C: TruthTable = 0xaa;

/// `target` becomes the function of the inputs that the table gives. With fewer than three inputs
/// the table does not depend on the missing ones. Values below a program's first temporary are
/// slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Logic {
    pub(crate) target: u32,
    pub(crate) inputs: SmallVec<[u32; 3]>,
    pub(crate) table: TruthTable,
}

impl Logic {
    pub(crate) fn new(target: u32, inputs: &[u32], table: TruthTable) -> Self {
        Self { target, inputs: SmallVec::from_slice(inputs), table }
    }

    /// The table if the inputs came in another order: new input `i` is old input `order[i]`.
    pub(crate) fn reordered(&self, order: [usize; 3]) -> TruthTable {
        let mut table = 0;
        for row in 0..8u8 {
            let mut old_row = 0;
            for (new, &old) in order.iter().enumerate() {
                old_row |= (row >> (2 - new) & 1) << (2 - old);
            }
            table |= (self.table >> old_row & 1) << row;
        }
        table
    }
}

/// Whether a table depends on an input.
pub(crate) fn depends_on(table: TruthTable, input: usize) -> bool {
    let (mask, shift) = [(A, 4), (B, 2), (C, 1)][input];
    (table & mask) >> shift != table & !mask
}

/// Moves the inputs of a table to other places: input `i` goes to place `places[i]`.
pub(crate) fn moved(table: TruthTable, places: &[usize]) -> TruthTable {
    let mut result = 0;
    for row in 0..8u8 {
        let mut old_row = 0;
        for (old, &new) in places.iter().enumerate() {
            old_row |= (row >> (2 - new) & 1) << (2 - old);
        }
        result |= (table >> old_row & 1) << row;
    }
    result
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use gambol_run::Random;

    /// Functions that read and write the slots 2 to 19 and temporaries from 20 on, as far as they are
    /// written. Those of three inputs have one of the tables given.
    pub(crate) fn random_logic(seed: u64, count: usize, tables: &[TruthTable]) -> Vec<Logic> {
        let mut random = Random::new(seed);
        let mut below = |bound: usize| random.below(bound);
        let mut written = 20;
        let mut logic = Vec::new();
        while logic.len() < count {
            // A function reads different values; late ones more often, as in circuits.
            let first = if below(2) == 0 { 0 } else { written - 20 };
            let mut inputs = [(); 3].map(|()| (first + below(written - first)) as u32).to_vec();
            inputs.dedup();
            let table = match inputs[..] {
                [a, b, c] if a != c && a != b && b != c => tables[below(tables.len())],
                [_, _, ..] => [A & B, A | B, A ^ B, A & !B, !A & B][below(5)],
                _ => continue,
            };
            if !tables.contains(&table) {
                inputs.truncate(2);
            }
            let target = if below(3) == 0 { 2 + below(18) } else { written };
            written = written.max(target + 1);
            logic.push(Logic::new(target as u32, &inputs, table));
        }
        logic
    }

    /// The values after a list of functions, from random ones before.
    pub(crate) fn apply(logic: &[Logic], seed: u64) -> Vec<u64> {
        let mut random = Random::new(seed ^ 99);
        let values = logic.iter().flat_map(|logic| logic.inputs.iter().chain([&logic.target]));
        let count = values.max().map_or(0, |&last| last as usize + 1).max(20);
        let mut values = vec![0; count];
        values[1] = !0;
        values[2..20].fill_with(|| random.word());
        for Logic { target, inputs, table } in logic {
            let input = |place: usize| inputs.get(place).map_or(0, |&input| values[input as usize]);
            let (a, b, c) = (input(0), input(1), input(2));
            let row = |bit: u32| {
                let row = 4 * (a >> bit & 1) + 2 * (b >> bit & 1) + (c >> bit & 1);
                u64::from(table >> row & 1) << bit
            };
            values[*target as usize] = (0..64).map(row).sum();
        }
        values
    }

    #[test]
    fn reordering_inputs_keeps_the_function() {
        // a and not b, or c.
        let logic = Logic::new(0, &[10, 20, 30], (A & !B) | C);
        // The new first input is the old third, and so on.
        assert_eq!(logic.reordered([2, 0, 1]), (B & !C) | A);
    }

    #[test]
    fn a_table_knows_what_it_depends_on() {
        let table = (A & B) | (A & !B);
        assert!(depends_on(table, 0) && !depends_on(table, 1) && !depends_on(table, 2));
        assert_eq!(moved(A & !B, &[2, 0]), C & !A);
    }
}
