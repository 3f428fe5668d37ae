//! Inhibitors: `p` inhibits `q` if `q` is false in every state after one in which `p` holds.

use gambol_index::Id;
use gambol_net::{FluentId, Net};
use rustsat::types::Lit;

use crate::Literal;
use crate::claim::Claim;
use crate::columns::first_bit;
use crate::encode::{NOW, THEN};
use crate::induction::Induction;
use crate::sample::Sample;
use crate::solver::Answer;
use crate::verdict::Verdict;

/// A fluent that keeps another from being true in the next state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inhibitor {
    /// What must be false.
    pub inhibitor: FluentId,
    /// For this to be true in the next state.
    pub inhibited: FluentId,
    /// Proved or unknown; refuted pairs are not listed.
    pub verdict: Verdict,
}

/// How many inhibited fluents one question is about.
const CHUNK: usize = 16;
/// Decisions per question.
const EFFORT: u64 = 5_000;
/// Pairs in a row that two steps do not prove either, before the others are left alone.
const PATIENCE: usize = 50;
/// Pairs that are looked at.
const MOST: usize = 100_000;

/// The pairs of fluents that no step of the sample breaks, with verdicts. Fluents that do not
/// change in the sample are left out.
pub(crate) fn inhibitors(
    net: &Net,
    sample: &Sample,
    induction: &mut Induction<'_>,
) -> Vec<Inhibitor> {
    let varying: Vec<FluentId> =
        net.fluents.ids().filter(|&fluent| sample.varies(fluent)).collect();
    let mut found: Vec<Inhibitor> = Vec::new();
    for &inhibitor in &varying {
        let survives = |inhibited: &&FluentId| first_step(sample, inhibitor, **inhibited).is_none();
        let open: Vec<FluentId> = varying.iter().filter(survives).copied().collect();
        if found.len() + open.len() > MOST {
            break;
        }
        let proved = proved_by_step(induction, inhibitor, &open);
        for inhibited in open {
            let verdict = match proved.binary_search(&inhibited) {
                Ok(_) => Verdict::Proved(induction.proof(1)),
                Err(_) => Verdict::Unknown,
            };
            found.push(Inhibitor { inhibitor, inhibited, verdict });
        }
    }
    look_deeper(sample, induction, &mut found);
    found
}

/// Tries more than one step on the pairs that are still open, as long as that is of use.
fn look_deeper(sample: &Sample, induction: &mut Induction<'_>, found: &mut [Inhibitor]) {
    let mut missed = 0;
    for pair in found.iter_mut().filter(|pair| pair.verdict == Verdict::Unknown) {
        let claim = Claim::excludes(Literal::is(pair.inhibitor), Literal::is(pair.inhibited));
        pair.verdict = match missed < PATIENCE {
            true => induction.deeper_verdict(sample, &claim),
            false => sample.verdict(),
        };
        missed = if pair.verdict.is_proved() { 0 } else { missed + 1 };
    }
}

/// The first step of the sample from a state with the one to a state with the other.
pub(crate) fn first_step(
    sample: &Sample,
    inhibitor: FluentId,
    inhibited: FluentId,
) -> Option<usize> {
    let before = sample.before.row(inhibitor.index());
    let after = sample.after.row(inhibited.index());
    let both = before.iter().zip(after).enumerate();
    both.into_iter().find_map(|(word, (&before, &after))| first_bit(word, before & after))
}

/// Which of the fluents cannot be true after a step from a state with the inhibitor; sorted.
fn proved_by_step(
    induction: &mut Induction<'_>,
    inhibitor: FluentId,
    inhibited: &[FluentId],
) -> Vec<FluentId> {
    let mut proved = Vec::new();
    for chunk in inhibited.chunks(CHUNK) {
        let mut open = chunk.to_vec();
        while !open.is_empty() && !induction.is_over() {
            let encoding = induction.steps(1);
            let given = encoding.literal(NOW, Literal::is(inhibitor));
            let after: Vec<Lit> =
                open.iter().map(|&fluent| encoding.literal(THEN, Literal::is(fluent))).collect();
            let some = encoding.or(after.clone());
            match encoding.solve(&[given, some], EFFORT) {
                Answer::NoModel => proved.append(&mut open),
                Answer::Model => {
                    let values: Vec<bool> =
                        after.iter().map(|&literal| encoding.solver.value(literal)).collect();
                    let mut value = values.into_iter();
                    open.retain(|_| !value.next().expect("one value per fluent"));
                }
                Answer::Unknown => open.clear(),
            }
        }
    }
    proved.sort_unstable();
    proved
}
