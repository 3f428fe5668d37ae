//! Clocks and rhythms: exactly-one groups whose next member is known whatever the players do.

use gambol_index::Id;
use gambol_net::FluentId;

use crate::Literal;
use crate::claim::Claim;
use crate::induction::Induction;
use crate::sample::Sample;

/// A group of which exactly one is true and whose next member depends on the present one alone.
/// Proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The members in the order of time, the first one that of the start.
    pub members: Vec<FluentId>,
    /// Which member the last one is followed by; none if the game is over by then.
    pub back_to: Option<FluentId>,
}

/// The clock that a group is, if it is one.
pub(crate) fn clock(
    sample: &Sample,
    induction: &mut Induction<'_>,
    group: &[FluentId],
) -> Option<Clock> {
    let mut at = *group.iter().find(|&&member| sample.states[0].holds(member))?;
    let mut members = vec![at];
    loop {
        let Some(next) = follower(sample, group, at) else {
            return (members.len() > 1).then_some(Clock { members, back_to: None });
        };
        let claim = Claim::excludes(Literal::is(at), Literal::is_not(next));
        if next == at || !induction.holds(&claim) {
            return None;
        }
        if members.contains(&next) {
            return Some(Clock { members, back_to: Some(next) });
        }
        members.push(next);
        at = next;
    }
}

/// The member that follows in the sample.
fn follower(sample: &Sample, group: &[FluentId], member: FluentId) -> Option<FluentId> {
    let row = sample.before.row(member.index());
    let step =
        row.iter().enumerate().find_map(|(word, &bits)| crate::columns::first_bit(word, bits))?;
    let after = &sample.states[sample.steps[step].to as usize];
    group.iter().copied().find(|&member| after.holds(member))
}
