//! What a listed game is worth, and a line of best play.

use gambol_index::Id;
use gambol_net::MoveId;
use gambol_verify::Fraction;

use super::Listing;
use super::retrograde::{Forced, constant_sum, forced_values, max_n, secured_values};
use super::store::StateId;
use crate::matrix_game::NoMatrixValue;
use crate::{Bounds, Meaning, Method, Reading, Solution, Unfinished};

/// The values of a game whose states are all listed.
pub(crate) fn of_listing(listing: &Listing) -> Result<Solution, NoMatrixValue> {
    if listing.is_alternating() { Ok(in_turn(listing)) } else { at_once(listing) }
}

fn in_turn(listing: &Listing) -> Solution {
    let forced: Vec<Forced> =
        (0..listing.roles).map(|role| forced_values(listing, role, Reading::Least)).collect();
    // Who can force no end is sure of nothing.
    let surely = |forced: &Forced| forced.values[0].unwrap_or(0);
    let at_start: Vec<u32> = forced.iter().map(surely).collect();
    if let [best] = at_start[..]
        && listing.has_clear_ends()
    {
        let values = vec![Bounds::exact(best)];
        let mut solution = solution(listing, values, Meaning::Best, forced_line(listing, &forced));
        // Ends that are fewer steps away have a lower rank.
        solution.shortest = best > 0;
        return solution;
    }
    if let (Some(sum), [one, other]) = (constant_sum(listing), &at_start[..])
        && one + other == sum
    {
        let values = [*one, *other].map(Bounds::exact).to_vec();
        return solution(listing, values, Meaning::Opposed, forced_line(listing, &forced));
    }
    if let Some(equilibrium) = max_n(listing) {
        let start = StateId::new(0);
        let values = equilibrium.values(start).iter().map(|&value| Bounds::exact(value)).collect();
        let meaning = Meaning::Equilibrium { unique: equilibrium.is_unique(start) };
        let line = line(listing, |state, role| {
            let worth = |next: StateId| equilibrium.values(next)[role];
            let own = equilibrium.values(state)[role];
            listing.successors(state).iter().position(|&next| worth(next) == own)
        });
        return solution(listing, values, meaning, line);
    }
    let hoped: Vec<u32> = match listing.has_clear_ends() {
        true => at_start.clone(),
        false => (0..listing.roles)
            .map(|role| surely(&forced_values(listing, role, Reading::Most)))
            .collect(),
    };
    let values = at_start.iter().zip(&hoped);
    let values = values.map(|(&least, &most)| Bounds::between(least, most)).collect();
    let mut solution = solution(listing, values, Meaning::Secured, Vec::new());
    solution.notes.push(
        "play can go on for ever, come to a halt before the end, or end without exactly one goal: \
         each value is what the player can force an end with, 0 if it can force none"
            .to_string(),
    );
    solution
}

/// Simultaneous moves.
fn at_once(listing: &Listing) -> Result<Solution, NoMatrixValue> {
    let clear = listing.has_clear_ends();
    let mut values: Vec<Bounds> = Vec::new();
    for role in 0..listing.roles {
        let least = secured_values(listing, role, Reading::Least)?[0];
        let most = match clear {
            true => least,
            false => secured_values(listing, role, Reading::Most)?[0],
        };
        values.push(Bounds { least, most });
    }
    let sum = constant_sum(listing).map(Fraction::from);
    let total = match values.as_slice() {
        [one, other] => one.least.plus(other.least),
        _ => None,
    };
    let meaning = if sum.is_some() && sum == total { Meaning::Opposed } else { Meaning::Secured };
    Ok(solution(listing, values, meaning, Vec::new()))
}

fn solution(
    listing: &Listing,
    values: Vec<Bounds>,
    meaning: Meaning,
    line: Vec<Vec<MoveId>>,
) -> Solution {
    let exact = values.iter().all(|bounds| bounds.value().is_some());
    Solution {
        values,
        meaning,
        line,
        shortest: false,
        method: Method::Listing,
        nodes: listing.len() as u64,
        states: listing.len() as u64,
        unfinished: (!exact).then_some(Unfinished::Readings),
        notes: Vec::new(),
    }
}

/// Both sides move to states of equal value that are nearer to the end.
fn forced_line(listing: &Listing, forced: &[Forced]) -> Vec<Vec<MoveId>> {
    line(listing, |state, role| {
        let Forced { values, rank } = &forced[role];
        let equal = listing.successors(state).iter().enumerate();
        let equal = equal.filter(|(_, next)| values[next.index()] == values[state.index()]);
        equal.min_by_key(|(_, next)| rank[next.index()]).map(|(number, _)| number)
    })
}

/// A line of play in which the chooser's joint move is given by its number.
fn line(listing: &Listing, choose: impl Fn(StateId, usize) -> Option<usize>) -> Vec<Vec<MoveId>> {
    let mut line = Vec::new();
    let mut state = StateId::new(0);
    while !listing.over(state) && line.len() <= listing.len() {
        let chooser = listing.choosers(state).next();
        let Some(number) = chooser.map_or(Some(0), |role| choose(state, role)) else { break };
        let Some(&next) = listing.successors(state).get(number) else { break };
        line.push(listing.joint_move(state, number).into_iter().map(MoveId::new).collect());
        state = next;
    }
    line
}
