//! Two players or more: list all states if that can be done, else search.

use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::MoveId;
use gambol_verify::Fraction;

use crate::alpha_beta::{NotForUs, alpha_beta};
use crate::checkpoint::{Kind, Words, fingerprint};
use crate::circuit_dynamics::CircuitDynamics;
use crate::factored::{factored, hint};
use crate::listing::checkpoint::{ListingKeeper, SavedListing};
use crate::listing::retrograde::{Forced, constant_sum, forced_values, max_n, secured_values};
use crate::listing::store::StateId;
use crate::listing::{Listing, list, list_from};
use crate::mixed::mixed;
use crate::random_walk::{Random, walk};
use crate::solve::{Choice, Task};
use crate::{
    Bounds, Dynamics, Limits, Meaning, Method, NoMatrixValue, Observer, Reading, Solution,
    SolveError, Unfinished, Unobserved, Use,
};

/// What attempts to list all states may cost: a moment before anything else, and longer once other ways
/// have not ended soon.
const LISTING_LOOKS: [Duration; 2] = [Duration::from_millis(150), Duration::from_millis(1500)];

/// What a first search may cost. Some positions that are too many states to list are won in a few moves,
/// and to look for parts would take longer.
const SEARCH_LOOK: Duration = Duration::from_millis(300);
/// Its table, in MiB: a large one costs more than the search.
const SEARCH_LOOK_TABLE: u64 = 64;

/// What a first attempt part by part may cost: sums of games need a moment only.
const PARTS_LOOK: Duration = Duration::from_millis(500);

/// How many random games tell whether players choose at the same time.
const WALKS: usize = 4;

/// The time to solve part by part if there is no limit.
const PARTS: Duration = Duration::from_secs(30);

pub(crate) fn several_roles(
    task: &Task<'_>,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    let started = Instant::now();
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let choice = task.options.choice;
    let was = |kind: Kind| resume.is_some_and(|bytes| kind.is_of(bytes));
    let was_listed = was(Kind::Listing) && matches!(choice, Choice::Auto | Choice::Listing);
    // A few random games do not meet all kinds of states: what was kept knows it better.
    let at_once = was(Kind::Mixtures) || is_simultaneous(task, &mut game);
    if choice == Choice::Auto
        && resume.is_none()
        && task.options.shortcuts.looks != Use::Never
        && let Some(known) = soon_known(task, &mut game, at_once, started, observer)
    {
        return known;
    }
    let may_mix = matches!(choice, Choice::Auto | Choice::Search) || was(Kind::Mixtures);
    if at_once && may_mix && !was_listed {
        return within_bounds(task, &task.options.limits.left(started), resume, observer);
    }
    let may_search = matches!(choice, Choice::Auto | Choice::Search | Choice::ProofNumber);
    if may_search && !was_listed {
        match alpha_beta(task, resume, observer) {
            Ok(solution) => return Ok(solution),
            Err(NotForUs::Checkpoint(bad)) => return Err(bad.into()),
            Err(reason) if choice != Choice::Auto => {
                return Err(SolveError::Method { method: "search", reason: reason.to_string() });
            }
            // The random games did not come to such a state.
            Err(NotForUs::Simultaneous) if resume.is_none() => {
                let limits = task.options.limits.left(started);
                return within_bounds(task, &limits, None, observer);
            }
            Err(_) => {}
        }
    }
    let limits: Limits = task.options.limits.left(started);
    let print = fingerprint(task);
    // If alpha-beta kept it and gave up, the listing begins anew.
    let given_up = |bytes: &&[u8]| may_search && Words::open(bytes, Kind::Table, print).is_ok();
    let resume = resume.filter(|bytes| !given_up(bytes));
    let saved = resume.map(|bytes| SavedListing::read(bytes, print, game.width())).transpose()?;
    let mut keeper = ListingKeeper::new(observer, print, saved.as_ref());
    let listing = list_from(&mut game, task.start, &limits, saved, &mut keeper);
    match listing.map(|listing| of_listing(&listing)) {
        Ok(Err(SolveError::NoMatrixValue(NoMatrixValue::Digits))) => {
            within_bounds(task, &task.options.limits.left(started), None, observer)
        }
        Ok(known) => known,
        Err(unfinished) => Ok(unknown(task, Method::Listing, unfinished)),
    }
}

/// What is found in a moment by one way or another, then what is found part by part in a share of the time.
fn soon_known(
    task: &Task<'_>,
    game: &mut CircuitDynamics<'_>,
    at_once: bool,
    started: Instant,
    observer: &mut dyn Observer,
) -> Option<Result<Solution, SolveError>> {
    let left = || task.options.limits.left(started);
    let [moment, longer] = LISTING_LOOKS;
    if let Some(known) = listed(task, game, &left().within(moment)) {
        return Some(known);
    }
    if !at_once && let Some(solution) = soon_solved(task, &left()) {
        return Some(Ok(solution));
    }
    let parts = task.options.factoring.then(|| hint(task));
    let mut by_parts = |limits: &Limits| {
        let solution = factored(task, parts.as_ref()?, limits, observer);
        solution.ok().map(Ok)
    };
    by_parts(&left().within(PARTS_LOOK))
        .or_else(|| listed(task, game, &left().within(longer)))
        .or_else(|| by_parts(&left().within(left().time.map_or(PARTS, |time| time.mul_f64(0.25)))))
}

/// What all states say, if they can be listed.
fn listed(
    task: &Task<'_>,
    game: &mut CircuitDynamics<'_>,
    limits: &Limits,
) -> Option<Result<Solution, SolveError>> {
    match of_listing(&list(game, task.start, limits).ok()?) {
        Err(SolveError::NoMatrixValue(NoMatrixValue::Digits)) => None,
        known => Some(known),
    }
}

/// What a short search finds, if it comes to an end.
fn soon_solved(task: &Task<'_>, limits: &Limits) -> Option<Solution> {
    let mut options = task.options.clone();
    options.limits = limits.within(SEARCH_LOOK);
    options.limits.memory_mib = options.limits.memory_mib.min(SEARCH_LOOK_TABLE);
    let solution = alpha_beta(&Task { options: &options, ..*task }, None, &mut Unobserved).ok()?;
    solution.unfinished.is_none().then_some(solution)
}

/// The value in mixed strategies, within bounds.
fn within_bounds(
    task: &Task<'_>,
    limits: &Limits,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    match mixed(task, limits, resume, observer)? {
        Ok(solution) => Ok(solution),
        Err(unfinished) => Ok(unknown(task, Method::Mixed, unfinished)),
    }
}

/// Whether several players can choose in a state that comes up in a few random games.
fn is_simultaneous(task: &Task<'_>, game: &mut CircuitDynamics<'_>) -> bool {
    let mut random = Random(task.options.seed);
    (0..WALKS).any(|_| {
        let states = walk(game, task.start, &mut random).concat();
        let looks = game.look(&states);
        let chooses = |state: usize, role: usize| looks.moves(state, role).len() > 1;
        let choosers = |state| (0..looks.roles()).filter(|&role| chooses(state, role)).count();
        (0..looks.len()).any(|state| choosers(state) > 1)
    })
}

/// Nothing is known but that nobody gets more than its greatest goal.
fn unknown(task: &Task<'_>, method: Method, unfinished: Unfinished) -> Solution {
    let range = |role| {
        let values = task.net.goals.iter().filter(move |goal| goal.role == role);
        // Play need not come to an end, so even the least goal is not for sure.
        Bounds::between(0, values.map(|goal| goal.value).max().unwrap_or(0))
    };
    Solution {
        values: task.net.roles.ids().map(range).collect(),
        meaning: Meaning::Secured,
        line: Vec::new(),
        shortest: false,
        method,
        nodes: 0,
        states: 0,
        unfinished: Some(unfinished),
        notes: Vec::new(),
    }
}

/// The values of a game whose states are all listed.
pub(crate) fn of_listing(listing: &Listing) -> Result<Solution, SolveError> {
    if listing.is_alternating() { Ok(in_turn(listing)) } else { at_once(listing) }
}

fn in_turn(listing: &Listing) -> Solution {
    let forced: Vec<Forced> =
        (0..listing.roles).map(|role| forced_values(listing, role, Reading::Least)).collect();
    // Who can force no end is sure of nothing.
    let surely = |forced: &Forced| forced.values[0].unwrap_or(0);
    let at_start: Vec<u32> = forced.iter().map(surely).collect();
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
fn at_once(listing: &Listing) -> Result<Solution, SolveError> {
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
