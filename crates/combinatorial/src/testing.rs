//! Games for tests: random forms, boards of dominoes.

use rustc_hash::FxHashMap;

use crate::canonical_form::{FormId, Forms};
use crate::players::{LEFT, RIGHT};

/// A small generator of random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

pub(crate) fn table() -> Forms {
    Forms::new(|_| true)
}

pub(crate) fn game(forms: &mut Forms, left: &[FormId], right: &[FormId]) -> FormId {
    forms.form([left.to_vec(), right.to_vec()]).expect("it is small")
}

pub(crate) fn plus(forms: &mut Forms, one: FormId, other: FormId) -> FormId {
    forms.plus(one, other).expect("it is small")
}

/// Some forms, each made of those before.
pub(crate) fn random_forms(forms: &mut Forms, random: &mut Random) -> Vec<FormId> {
    let mut found = vec![game(forms, &[], &[])];
    for _ in 0..8 {
        let mut pick = |_| (0..random.below(3)).map(|_| found[random.below(found.len())]).collect();
        let options = [LEFT, RIGHT].map(&mut pick);
        found.push(forms.form(options).expect("it is small"));
    }
    found
}

/// Dominoes on free squares, numbered row by row: Left lays them upright, Right flat.
fn domineering(
    forms: &mut Forms,
    (width, free): (usize, u64),
    known: &mut FxHashMap<u64, FormId>,
) -> FormId {
    if let Some(&form) = known.get(&free) {
        return form;
    }
    let mut options: [Vec<FormId>; 2] = Default::default();
    for square in 0..64 - width {
        let flat = (square + 1) % width != 0;
        for (player, domino) in [(LEFT, 1 | 1 << width), (RIGHT, 0b11)] {
            let domino: u64 = domino << square;
            if free & domino == domino && (player == LEFT || flat) {
                options[player].push(domineering(forms, (width, free & !domino), known));
            }
        }
    }
    let form = forms.form(options).expect("it is small");
    known.insert(free, form);
    form
}

pub(crate) fn board(forms: &mut Forms, width: usize, height: usize) -> FormId {
    domineering(forms, (width, (1 << (width * height)) - 1), &mut FxHashMap::default())
}
