//! Two players or more: list all states if that can be done, else search.

use std::time::{Duration, Instant};

use crate::alpha_beta::{NotForUs, alpha_beta};
use crate::checkpoint::{Kind, Words, fingerprint};
use crate::circuit_dynamics::CircuitDynamics;
use crate::factored::{factored, hint};
use crate::listing::checkpoint::{ListingKeeper, SavedListing};
use crate::listing::values::of_listing;
use crate::listing::{list, list_from};
use crate::problem::{Choice, Task};
use crate::random_walk::{Random, walk};
use crate::simultaneous::mixed;
use crate::{
    Bounds, Dynamics, Limits, Meaning, Method, NoMatrixValue, Observer, Solution, SolveError,
    Unfinished, Unobserved, Use,
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
        Ok(Err(NoMatrixValue::Digits)) => {
            within_bounds(task, &task.options.limits.left(started), None, observer)
        }
        Ok(known) => Ok(known?),
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
        Err(NoMatrixValue::Digits) => None,
        known => Some(known.map_err(SolveError::from)),
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
