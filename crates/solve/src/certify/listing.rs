//! Certificates of listed games in which players choose at the same time, or play each for its own
//! goal.

use gambol_index::Id;
use gambol_net::{MoveId, Net};
use gambol_verify::{AverageClaim, AverageEntry, EquilibriumEntry, Fraction};

use crate::certify::fluents_of;
use crate::listing::Listing;
use crate::listing::retrograde::{max_n, secured_mixtures};
use crate::listing::store::StateId;
use crate::{NoCertificate, Reading};

/// For each role that it gets its value on average, and that the others can hold it to that.
pub(crate) fn averages(net: &Net, listing: &Listing) -> Result<Vec<AverageClaim>, NoCertificate> {
    let ranks = ranks(listing).ok_or(NoCertificate::Kind)?;
    let stuck = |state| !listing.over(state) && listing.successors(state).is_empty();
    if listing.states().any(stuck) {
        return Err(NoCertificate::Kind);
    }
    let names: Vec<String> = net.roles.iter().map(ToString::to_string).collect();
    let mut claims = Vec::new();
    for (role, name) in names.iter().enumerate() {
        let (mut least, mut most) = (Vec::new(), Vec::new());
        let told = secured_mixtures(listing, role, Reading::Least, |state, solution| {
            let entry = |mixture| AverageEntry {
                state: fluents_of(listing.store.row(state)),
                rank: ranks[state.index()],
                value: solution.value,
                mixture,
            };
            let own = listing.moves(state, role).iter().map(|&action| vec![action]);
            least.push(entry(mixture(net, own, &solution.rows)));
            let others = others(listing, state, role).into_iter();
            most.push(entry(mixture(net, others, &solution.columns)));
        });
        told.map_err(|_| NoCertificate::Kind)?;
        let rest = names.iter().filter(|other| *other != name).cloned().collect();
        for (players, at_least, entries) in [(vec![name.clone()], true, least), (rest, false, most)]
        {
            claims.push(AverageClaim { players, role: name.clone(), at_least, entries });
        }
    }
    Ok(claims)
}

/// The joint moves of all but one role, the last role's move changing fastest.
fn others(listing: &Listing, state: StateId, role: usize) -> Vec<Vec<u32>> {
    let mut joint: Vec<Vec<u32>> = vec![Vec::new()];
    for other in (0..listing.roles).filter(|&other| other != role) {
        let longer = |so_far: &Vec<u32>| {
            let moves = listing.moves(state, other).iter();
            moves.map(|&action| [&so_far[..], &[action]].concat()).collect::<Vec<_>>()
        };
        joint = joint.iter().flat_map(longer).collect();
    }
    joint
}

fn mixture(
    net: &Net,
    moves: impl Iterator<Item = Vec<u32>>,
    shares: &[Fraction],
) -> Vec<(Vec<String>, Fraction)> {
    let name = |&action: &u32| net.moves[MoveId::new(action)].name.to_string();
    let taken = moves.zip(shares).filter(|(_, share)| share.sign() > 0);
    taken.map(|(moves, &share)| (moves.iter().map(name).collect(), share)).collect()
}

/// What each role gets in every state, and the joint move that leads there.
pub(crate) fn equilibrium(net: &Net, listing: &Listing) -> Option<Vec<EquilibriumEntry>> {
    let (found, ranks) = (max_n(listing)?, ranks(listing)?);
    let open = listing.states().filter(|&state| !listing.over(state));
    let entry = |state: StateId| {
        let values = found.values(state);
        let same = |next: &StateId| found.values(*next) == values;
        let number = listing.successors(state).iter().position(same)?;
        let moves = listing.joint_move(state, number);
        let name = |&action: &u32| net.moves[MoveId::new(action)].name.to_string();
        Some(EquilibriumEntry {
            state: fluents_of(listing.store.row(state)),
            rank: ranks[state.index()],
            reply: moves.iter().map(name).collect(),
            values: values.to_vec(),
        })
    };
    open.map(entry).collect()
}

/// The longest way to the end from each state; `None` if play can go on for ever.
fn ranks(listing: &Listing) -> Option<Vec<u32>> {
    let mut ranks = vec![0; listing.len()];
    for state in listing.backwards()? {
        let below = listing.successors(state).iter().map(|next| ranks[next.index()] + 1).max();
        ranks[state.index()] = below.unwrap_or(0);
    }
    Some(ranks)
}
