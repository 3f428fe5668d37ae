//! Best play in a graph of all states: what the first state is worth, and which successors are taken from there to an
//! end.

use super::successor_graph::{EndSum, Order, SuccessorGraph, Values};
use crate::limits::Meter;
use crate::store_error::Stopped;
use crate::{Bounds, Fraction, Meaning};

/// The value of a game with a line of best play.
pub(crate) struct BestPlay {
    /// For each role.
    pub(crate) values: Vec<Bounds>,
    pub(crate) meaning: Meaning,
    /// For each state of the line which of its successors is taken.
    pub(crate) taken: Vec<usize>,
}

/// In which sweep it was seen that a role can force an end; 0 if it was not.
type Seen = Vec<u16>;

impl SuccessorGraph<'_> {
    /// What the first state is worth, with best play to an end. None if there is more to say than the graph does: the
    /// only role gets nothing, there are more than two, or two do not share out the same in every end.
    pub(crate) fn best_play(
        &self,
        values: &Values,
        meter: &Meter,
    ) -> Result<Option<BestPlay>, Stopped> {
        let first = values.of(0);
        let bounds = self.bounds(first);
        let exact: Option<Vec<Fraction>> = bounds.iter().map(|bounds| bounds.value()).collect();
        let (meaning, taken) = match exact.as_deref() {
            Some([value]) if *value > Fraction::ZERO => {
                (Meaning::Best, self.first_end(first).map(|end| self.way_to(end)))
            }
            Some([one, other]) if self.shares_out(*one, *other) => {
                let role = usize::from(other > one);
                (Meaning::Opposed, self.forced_line(role, values, meter)?)
            }
            _ => return Ok(None),
        };
        Ok(taken.map(|taken| BestPlay { values: bounds, meaning, taken }))
    }

    /// Whether these are something, and add up to what all ends do.
    fn shares_out(&self, one: Fraction, other: Fraction) -> bool {
        let sum = one.plus(other).filter(|sum| *sum > Fraction::ZERO);
        matches!(self.sum, EndSum::Always(known) if sum == Some(known.into()))
    }

    /// Both keep what they have from the first state on, and a role that can force an end does.
    fn forced_line(
        &self,
        role: usize,
        values: &Values,
        meter: &Meter,
    ) -> Result<Option<Vec<usize>>, Stopped> {
        let seen = match self.returning {
            true => self.forced(role, values, meter)?,
            // Every play comes to an end.
            false => Some(Seen::new()),
        };
        let Some(seen) = seen else { return Ok(None) };
        let (mut state, mut taken) = (0, Vec::new());
        loop {
            let (kind, successors) = self.state(state);
            let Some(chooser) = kind.chooser.map(usize::from) else { return Ok(Some(taken)) };
            let own = |state: u32| self.ranks.of_role(chooser, values.of(state));
            let mut kept =
                successors.iter().enumerate().filter(|&(_, next)| own(next) == own(state));
            let best = match self.returning {
                false => kept.next(),
                true if chooser == role => kept
                    .filter(|&(_, next)| seen[next as usize] > 0)
                    .min_by_key(|&(_, next)| when(&seen, next)),
                // Who is forced puts it off.
                true => kept.max_by_key(|&(_, next)| when(&seen, next)),
            };
            let Some((number, next)) = best else { return Ok(None) };
            taken.push(number);
            state = next;
        }
    }

    /// When it is seen of each state that a role can force an end worth at least as much as the first state; sweeps
    /// stop as soon as that is seen of the first state. None if that takes too many.
    fn forced(&self, role: usize, values: &Values, meter: &Meter) -> Result<Option<Seen>, Stopped> {
        let own = |state: u32| self.ranks.of_role(role, values.of(state));
        let wanted = own(0);
        meter.check(self.bytes + 4 * self.len())?;
        let (mut seen, mut order) = (vec![0; self.len()], Order::Backward);
        for sweep in 1..u16::MAX {
            meter.check_time()?;
            self.for_each(order, |state, kind, successors| {
                if seen[state as usize] > 0 || own(state) < wanted {
                    return Ok(());
                }
                let mut known = successors.iter().map(|next| seen[next as usize] > 0);
                let forced = match kind.chooser {
                    None => true,
                    Some(chooser) if usize::from(chooser) == role => known.any(|known| known),
                    Some(_) => known.all(|known| known),
                };
                if forced {
                    seen[state as usize] = sweep;
                }
                Ok(())
            })?;
            if seen[0] > 0 {
                return Ok(Some(seen));
            }
            order = order.other();
        }
        Ok(None)
    }
}

/// Of two states the one of which it was seen earlier comes first. Odd sweeps go backward.
fn when(seen: &Seen, state: u32) -> (u16, u32) {
    let sweep = seen[state as usize];
    (sweep, if sweep % 2 == 1 { u32::MAX - state } else { state })
}
