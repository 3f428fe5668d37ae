//! Latches: a proposition that, once it has a value, keeps it whatever the players do.

use gambol_index::bits;
use gambol_net::{GateId, Net};

use crate::Literal;
use crate::claim::{Claim, Condition};
use crate::columns::first_bit;
use crate::induction::Induction;
use crate::sample::Sample;
use crate::verdict::Verdict;

/// Whether a fluent latches at a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latch {
    /// The fluent and the value it keeps.
    pub literal: Literal,
    /// Whether it does.
    pub verdict: Verdict,
    /// Whether play can bring the value about *and* is without it at some time: the sample holds
    /// states of both kinds. If not, the latch may be a constant.
    pub moves: bool,
}

/// The verdict on a fluent's value.
pub(crate) fn latch(sample: &Sample, induction: &mut Induction<'_>, literal: Literal) -> Latch {
    let moves = sample.varies(literal.fluent);
    let verdict = match losing_step(sample, literal) {
        Some(step) => Verdict::Refuted(sample.path_through(step)),
        None => induction.verdict(sample, &Claim::keeps(literal)),
    };
    Latch { literal, verdict, moves }
}

/// The first step of the sample that loses a value.
fn losing_step(sample: &Sample, literal: Literal) -> Option<usize> {
    (0..sample.before.words()).find_map(|word| {
        let lost = sample.before.word(literal, word) & sample.after.word(literal.negated(), word);
        first_bit(word, lost)
    })
}

/// Whether some step of the sample loses a value.
pub(crate) fn is_lost(sample: &Sample, literal: Literal) -> bool {
    losing_step(sample, literal).is_some()
}

/// A gate that looks at the state only, and whether it latches at a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GateLatch {
    pub(crate) gate: GateId,
    /// The value it keeps.
    pub(crate) holds: bool,
    pub(crate) verdict: Verdict,
}

/// The verdicts on gates, for both values, of those gates that take both values in the sample.
pub(crate) fn gate_latches(
    net: &Net,
    sample: &Sample,
    induction: &mut Induction<'_>,
    gates: &[GateId],
) -> Vec<GateLatch> {
    let columns = sample.gate_columns(net, gates);
    let mut latches = Vec::new();
    for (row, &gate) in gates.iter().enumerate() {
        if columns.ones(row) == 0 || columns.is_full(row) {
            continue;
        }
        let value = |state: u32| bits::is_set(columns.row(row), state as usize);
        for holds in [true, false] {
            let lost =
                |step: &crate::sample::Step| value(step.from) == holds && value(step.to) != holds;
            let verdict = match sample.steps.iter().position(lost) {
                Some(step) => Verdict::Refuted(sample.path_through(step)),
                None => induction.verdict(sample, &Claim::latches(Condition::Gate(gate, holds))),
            };
            latches.push(GateLatch { gate, holds, verdict });
        }
    }
    latches
}
