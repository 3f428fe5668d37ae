//! Certificates from solutions: the strategies that prove the values, followed through all replies.

mod listing;

use std::time::Duration;

use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net};
use gambol_sim::Circuit;
use gambol_verify::{
    AverageClaim, Certificate, Claim, ClaimEntry, Condition, EquilibriumEntry, FORMAT, Fraction,
    HIGHEST_GOAL, Sense,
};
use rustc_hash::FxHashMap;

use self::listing::{averages, equilibrium};
use crate::alpha_beta::Replies;
use crate::circuit_dynamics::CircuitDynamics;
use crate::factored::{PartReplies, hint};
use crate::limits::Meter;
use crate::listing::retrograde::{Forced, forced_values};
use crate::listing::store::{StateId, Store};
use crate::listing::strategy_size::strategy_sizes;
use crate::listing::{Listing, list};
use crate::problem::{Task, chance_role, start_of};
use crate::{Dynamics, Limits, Looks, Meaning, Method, Reading, Solution, SolveOptions};
use gambol_index::bits::ones_of_row;

/// Why there is no certificate.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoCertificate {
    /// The values are not exact.
    #[error("the game is not solved, so there is nothing to certify")]
    Unsolved,
    /// The values are not fractions that can be written down.
    #[error("the value is known within bounds only; no certificate says that")]
    Within,
    /// Values of this kind are not certified.
    #[error(
        "the values are what players can force where play may go on for ever, or the game is too \
         large to be listed; no certificate says that"
    )]
    Kind,
    /// A role moves at random.
    #[error("the values are averages over chance; no certificate says that")]
    Chance,
    /// Ranks cannot be given.
    #[error("the strategies found can go round in circles; no certificate says that they end")]
    Circle,
    /// It would be too long, or take too long.
    #[error("the proof has more than {most} states, or the limits were met; it was not written")]
    TooLarge {
        /// The most states a claim may have.
        most: usize,
    },
}

/// The most entries of a claim.
const MOST_ENTRIES: usize = 2_000_000;
/// States that are listed to find a strategy.
const LISTED: u64 = 256;
/// The time to list them in.
const LISTING: Duration = Duration::from_secs(3);
/// The time to take a game apart that was solved as a whole.
const PARTS: Duration = Duration::from_secs(5);

/// What a certificate says, in one sense and so in one of three ways.
struct Proof {
    sense: Sense,
    claims: Vec<Claim>,
    averages: Vec<AverageClaim>,
    equilibrium: Vec<EquilibriumEntry>,
}

/// Writes down why the values of a solution hold.
pub fn certify(
    net: &Net,
    circuit: &Circuit,
    options: &SolveOptions,
    solution: &Solution,
) -> Result<Certificate, NoCertificate> {
    let values: Option<Vec<Fraction>> =
        solution.values.iter().map(|bounds| bounds.value()).collect();
    let values = values.ok_or(match solution.is_settled() {
        true => NoCertificate::Within,
        false => NoCertificate::Unsolved,
    })?;
    if chance_role(net).is_some() {
        return Err(NoCertificate::Chance);
    }
    let whole = |value: &Fraction| value.whole().and_then(|whole| u32::try_from(whole).ok());
    let goals: Option<Vec<u32>> = values.iter().map(whole).collect();
    let start = start_of(net, circuit, options).map_err(|_| NoCertificate::Unsolved)?;
    let task = Task { net, circuit, start: &start, options };
    let mut writer = Writer {
        task: &task,
        game: CircuitDynamics::new(net, circuit),
        meter: Meter::start(&options.limits),
        reuse: true,
    };
    let mut proof = Proof {
        sense: Sense::Forced,
        claims: Vec::new(),
        averages: Vec::new(),
        equilibrium: Vec::new(),
    };
    match (solution.meaning, &goals) {
        (Meaning::Best, Some(goals)) => proof.claims = writer.one_role(goals[0], solution)?,
        (Meaning::Opposed | Meaning::Secured | Meaning::Equilibrium { .. }, goals) => {
            match (writer.list(), goals) {
                (Some(listing), _) if !listing.is_alternating() => {
                    proof.sense = Sense::Mixed;
                    proof.averages = averages(net, &listing)?;
                }
                (Some(listing), _) if solution.meaning != Meaning::Opposed => {
                    proof.sense = Sense::Equilibrium;
                    proof.equilibrium = equilibrium(net, &listing).ok_or(NoCertificate::Kind)?;
                }
                (listing, Some(goals))
                    if goals.len() == 2 && solution.meaning == Meaning::Opposed =>
                {
                    let by_parts = match &listing {
                        Some(_) => None,
                        None => writer.by_parts(goals, solution.method),
                    };
                    proof.claims = match by_parts {
                        Some(claims) => claims,
                        None => writer.two_roles(goals, listing)?,
                    };
                }
                _ => return Err(NoCertificate::Kind),
            }
        }
        _ => return Err(NoCertificate::Kind),
    }
    let names = net.roles.iter().map(ToString::to_string);
    let mut certificate = Certificate {
        format: FORMAT,
        sense: Some(proof.sense),
        fluents: net.fluents.iter().map(ToString::to_string).collect(),
        at: options.at.as_ref().map(|_| fluents_of(&start)),
        value: names.zip(values).collect(),
        claims: proof.claims,
        averages: proof.averages,
        equilibrium: proof.equilibrium,
        digest: String::new(),
    };
    certificate.digest = certificate.compute_digest();
    Ok(certificate)
}

/// Who replies what in a state: a move for the player.
trait Strategy {
    /// The move; `None` if there is none that keeps the promise. The fewer states that are not
    /// listed come up, the shorter the certificate.
    fn reply(&mut self, state: &[u64], looks: &Looks, listed: &Store) -> Option<u32>;
}

/// A plan, state by state.
struct Plan(FxHashMap<Vec<u64>, u32>);

impl Strategy for Plan {
    fn reply(&mut self, state: &[u64], _: &Looks, _: &Store) -> Option<u32> {
        self.0.get(state).copied()
    }
}

/// A role's way to what it can force, in a listed game.
struct Listed<'a> {
    listing: &'a Listing,
    forced: Forced,
    sizes: Vec<f64>,
    role: usize,
}

impl Strategy for Listed<'_> {
    fn reply(&mut self, state: &[u64], _: &Looks, listed: &Store) -> Option<u32> {
        let store = &self.listing.store;
        let id = store.find(state)?;
        let rank = &self.forced.rank;
        let successors = self.listing.successors(id).iter().enumerate();
        let nearer = successors.filter(|(_, next)| rank[next.index()] < rank[id.index()]);
        let costs = nearer.map(|(number, &next)| {
            let known = self.listing.over(next) || listed.find(store.row(next)).is_some();
            (if known { 0.0 } else { self.sizes[next.index()] }, number)
        });
        let (_, number) = costs.min_by(|one, other| one.0.total_cmp(&other.0))?;
        self.listing.joint_move(id, number).get(self.role).copied()
    }
}

impl<const K: usize> Strategy for (usize, Replies<'_, K>) {
    fn reply(&mut self, state: &[u64], looks: &Looks, listed: &Store) -> Option<u32> {
        match looks.moves(0, self.0) {
            [only] => Some(*only),
            _ => self.1.reply(state, looks, listed),
        }
    }
}

impl Strategy for (usize, &mut PartReplies<'_>) {
    fn reply(&mut self, state: &[u64], looks: &Looks, listed: &Store) -> Option<u32> {
        self.1.reply(self.0, state, looks, listed)
    }
}

struct Writer<'a> {
    task: &'a Task<'a>,
    game: CircuitDynamics<'a>,
    meter: Meter,
    /// Whether strategies are told what is listed.
    reuse: bool,
}

impl<'a> Writer<'a> {
    fn one_role(&mut self, value: u32, solution: &Solution) -> Result<Vec<Claim>, NoCertificate> {
        let mut plan = FxHashMap::default();
        let mut state = self.task.start.to_vec();
        for joint in &solution.line {
            plan.insert(state.clone(), joint[0].number());
            state = self.game.step(&state, &[joint[0].number()]);
        }
        let role = self.role(0);
        let at_least = Condition { role: role.clone(), at_least: Some(value), at_most: None };
        let way = self.claim(Some(0), vec![at_least], &mut Plan(plan))?;
        let mut claims = vec![way];
        if value < HIGHEST_GOAL {
            let at_most = Condition { role, at_least: None, at_most: Some(value) };
            claims.push(self.claim(None, vec![at_most], &mut Plan(FxHashMap::default()))?);
        }
        Ok(claims)
    }

    /// All states, if there are few enough, and one goal for each role at each end.
    fn list(&mut self) -> Option<Listing> {
        let limits = Limits { memory_mib: LISTED, ..self.task.options.limits.clone() };
        let listing = list(&mut self.game, self.task.start, &limits.within(LISTING)).ok()?;
        listing.has_clear_ends().then_some(listing)
    }

    fn two_roles(
        &mut self,
        values: &[u32],
        listing: Option<Listing>,
    ) -> Result<Vec<Claim>, NoCertificate> {
        match listing {
            Some(listing) => {
                let mut claims = Vec::new();
                for role in claimants(values) {
                    let forced = forced_values(&listing, role, Reading::Least);
                    let sizes = strategy_sizes(&listing, &forced, role);
                    let mut strategy = Listed { listing: &listing, forced, sizes, role };
                    claims.push(self.secured(role, values, &mut strategy)?);
                }
                Ok(claims)
            }
            None => match self.task.start.len() {
                1 => self.searched::<1>(values),
                2 => self.searched::<2>(values),
                3..=4 => self.searched::<4>(values),
                5..=8 => self.searched::<8>(values),
                9..=16 => self.searched::<16>(values),
                _ => Err(NoCertificate::Kind),
            },
        }
    }

    /// The claims of a game that falls into parts: boards that do not matter are answered alike, so
    /// they are short. What was solved in another way is looked at for a moment only.
    fn by_parts(&mut self, values: &[u32], method: Method) -> Option<Vec<Claim>> {
        let (task, limits) = (self.task, &self.task.options.limits);
        let hint = hint(task);
        let mut parts = match method {
            Method::Factored => PartReplies::of(task, &hint, limits),
            _ => PartReplies::of_parts(task, &hint, &limits.within(PARTS)),
        }?;
        // Ends with several goals are read otherwise by the search.
        if !claimants(values).all(|role| parts.secures(role, values[role])) {
            return None;
        }
        let claim = |role| self.secured(role, values, &mut (role, &mut parts)).ok();
        claimants(values).map(claim).collect()
    }

    fn searched<const K: usize>(&mut self, values: &[u32]) -> Result<Vec<Claim>, NoCertificate> {
        let board = crate::alpha_beta::board_of(self.task).map_err(|_| NoCertificate::Kind)?;
        let mut claims = Vec::new();
        for role in claimants(values) {
            let replies = Replies::<K>::new(self.task, &board, role, values[0]);
            claims.push(self.secured(role, values, &mut (role, replies))?);
        }
        Ok(claims)
    }

    /// A role secures its value, and holds the other to what is left.
    fn secured(
        &mut self,
        role: usize,
        values: &[u32],
        strategy: &mut dyn Strategy,
    ) -> Result<Claim, NoCertificate> {
        let other = 1 - role;
        let own = Condition { role: self.role(role), at_least: Some(values[role]), at_most: None };
        let others =
            Condition { role: self.role(other), at_least: None, at_most: Some(values[other]) };
        self.claim(Some(role), vec![own, others], strategy)
    }

    fn role(&self, role: usize) -> String {
        self.task.net.roles.iter().nth(role).map_or(String::new(), ToString::to_string)
    }

    /// All states that come up when the player follows the strategy.
    fn claim(
        &mut self,
        player: Option<usize>,
        ends: Vec<Condition>,
        strategy: &mut dyn Strategy,
    ) -> Result<Claim, NoCertificate> {
        let too_large = NoCertificate::TooLarge { most: MOST_ENTRIES };
        let mut store = Store::new(self.game.width());
        let nothing = Store::new(self.game.width());
        let mut followers: Vec<Vec<StateId>> = Vec::new();
        let mut replies: Vec<Option<u32>> = Vec::new();
        if !self.game.look(self.task.start).over(0) {
            store.insert(self.task.start);
        }
        let mut done = 0;
        while done < store.len() {
            if store.len() > MOST_ENTRIES || self.meter.check_time().is_err() {
                return Err(too_large);
            }
            let state = store.row(StateId::from_index(done)).to_vec();
            let looks = self.game.look(&state);
            let reply = match player {
                None => None,
                Some(_) => {
                    let listed = if self.reuse { &store } else { &nothing };
                    let reply = strategy.reply(&state, &looks, listed);
                    Some(reply.ok_or_else(|| self.no_reply())?)
                }
            };
            let next = self.successors(&state, &looks, player.zip(reply));
            followers.push(next.iter().map(|row| store.insert(row).0).collect());
            replies.push(reply);
            done += 1;
        }
        let ranks = match player {
            Some(_) => ranks(&followers),
            None => Some(vec![0; done]),
        };
        let Some(ranks) = ranks else {
            // States that come up again are left alone in a second attempt.
            return match std::mem::replace(&mut self.reuse, false) {
                true => self.claim(player, ends, strategy),
                false => Err(NoCertificate::Circle),
            };
        };
        let name = |action: u32| self.task.net.moves[MoveId::new(action)].name.to_string();
        let entries = (0..done).map(|number| ClaimEntry {
            state: fluents_of(store.row(StateId::from_index(number))),
            rank: ranks[number],
            reply: replies[number].map(name).into_iter().collect(),
        });
        Ok(Claim {
            players: player.map(|role| self.role(role)).into_iter().collect(),
            ends,
            entries: entries.collect(),
        })
    }

    /// Why a strategy knows no reply: it had no time to find one, or there is none.
    fn no_reply(&self) -> NoCertificate {
        match self.meter.check_time() {
            Ok(()) => NoCertificate::Unsolved,
            Err(_) => NoCertificate::TooLarge { most: MOST_ENTRIES },
        }
    }

    /// The states that can follow and are no ends.
    fn successors(
        &mut self,
        state: &[u64],
        looks: &Looks,
        reply: Option<(usize, u32)>,
    ) -> Vec<Vec<u64>> {
        let (mut rows, mut joint) = (Vec::new(), Vec::new());
        for number in 0..looks.joint_count(0) {
            let mut moves = Vec::new();
            looks.joint_move(0, number, &mut moves);
            if reply.is_none_or(|(role, action)| moves[role] == action) {
                rows.extend_from_slice(state);
                joint.extend(moves);
            }
        }
        let next = self.game.step(&rows, &joint);
        let looks = self.game.look(&next);
        let rows = next.chunks_exact(self.game.width()).enumerate();
        rows.filter(|(place, _)| !looks.over(*place)).map(|(_, row)| row.to_vec()).collect()
    }
}

/// The roles that have something to show: that it gets at least 0 and the other at most 100 needs no
/// strategy.
fn claimants(values: &[u32]) -> impl Iterator<Item = usize> {
    (0..2).filter(move |&role| values[role] > 0 || values[1 - role] < HIGHEST_GOAL)
}

/// For each state the longest way to the end; `None` if there is a way round in a circle.
fn ranks(followers: &[Vec<StateId>]) -> Option<Vec<u32>> {
    let mut ranks = vec![None; followers.len()];
    let mut open = vec![false; followers.len()];
    let mut path: Vec<usize> = (0..followers.len().min(1)).collect();
    while let Some(&state) = path.last() {
        if ranks[state].is_some() {
            path.pop();
            continue;
        }
        let waiting = followers[state].iter().map(|next| next.index());
        let waiting: Vec<usize> = waiting.filter(|&next| ranks[next].is_none()).collect();
        if waiting.is_empty() {
            let below = followers[state].iter().filter_map(|next| ranks[next.index()]).max();
            ranks[state] = Some(below.map_or(0, |below: u32| below + 1));
            path.pop();
        } else if std::mem::replace(&mut open[state], true) {
            return None;
        } else {
            path.extend(waiting);
        }
    }
    ranks.into_iter().collect()
}

/// The fluents that are true, as numbers.
pub(crate) fn fluents_of(state: &[u64]) -> Vec<u32> {
    ones_of_row(state).map(|place| FluentId::from_index(place).number()).collect()
}
