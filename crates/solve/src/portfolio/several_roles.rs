//! Two players or more: listing, search, factored solving and mixed strategies alternate in rounds.
//!
//! First a short listing, and sums of boards by their theory; then a short search; between that and the long search the
//! game is tried phase by phase and part by part, and the listing continues. Cheap attempts come before expensive ones,
//! and each method keeps its work from round to round.
//!
//! First a short listing, and sums of boards by their theory; then a short search; between that and the long search
//! the game is looked at part by part, and the listing goes on. What is cheap to try comes before what may take long,
//! and each method goes on where its last round ended.

use std::time::Instant;

use gambol_verify::HIGHEST_GOAL;

use crate::alpha_beta::{NotForUs, alpha_beta};
use crate::checkpoint::{Kind, Words, fingerprint};
use crate::circuit_dynamics::CircuitDynamics;
use crate::factored::{factored, hint, sum_of_boards};
use crate::facts::ends_have_goals;
use crate::limits::Meter;
use crate::listing::checkpoint::{ListingKeeper, SavedListing};
use crate::listing::values::of_listing;
use crate::listing::{Listing, list_from};
use crate::observer::Stage;
use crate::problem::{Choice, Task, proof_budget};
use gambol_run::Random;

use super::phased::phased;
use crate::random_walk::walk;
use crate::rounds::{Found, nobody};
use crate::simultaneous::mixed;
use crate::{
    Bounds, Dynamics, Limits, Meaning, Method, NoMatrixValue, Observer, Solution, SolveError,
    Unfinished, Use,
};

/// What the states of a listing may take in its first two rounds, in MiB. On the bundled games a MiB of
/// states costs about as much as a thousand nodes of a search, whose first round has at most 120,000.
const LISTING_ROUNDS_MIB: [u64; 2] = [8, 64];
/// The second round where players choose at the same time: a listing is exact, and mixtures cost more
/// than a search.
const SIMULTANEOUS_MIB: u64 = 512;
/// The second round takes at most this part of the memory, which the search needs too.
const LISTING_SHARE: u64 = 4;

/// The part of the memory for the states of a product, and the share of the time if there is a limit.
const PARTS_MEMORY: u64 = 4;
const PARTS_TIME: f64 = 0.25;

/// How many random games tell whether players choose at the same time.
const WALKS: usize = 4;

pub(super) fn several_roles(
    task: &Task<'_>,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    let mut game = CircuitDynamics::new(task.net, task.circuit);
    let was = |kind: Kind| resume.is_some_and(|bytes| kind.is_of(bytes));
    // A few random games do not meet all kinds of states: what was kept knows it better.
    let at_once = was(Kind::Mixtures) || is_simultaneous(task, &mut game);
    let by_turns =
        task.options.choice == Choice::Auto && task.options.shortcuts.looks != Use::Never;
    if by_turns && resume.is_none() {
        return Rounds::new(task, game, at_once).run(observer);
    }
    one_method(task, game, at_once, resume, observer)
}

/// The methods that have had a round.
struct Rounds<'a> {
    task: &'a Task<'a>,
    started: Instant,
    game: CircuitDynamics<'a>,
    listing: Listing,
    /// Whether all states are listed, and their values are too long to be told.
    too_many_digits: bool,
    tried_parts: bool,
    /// Whether players can choose at the same time, as far as it is known.
    at_once: bool,
}

impl<'a> Rounds<'a> {
    fn new(task: &'a Task<'a>, game: CircuitDynamics<'a>, at_once: bool) -> Self {
        Self {
            listing: Listing::begun(&game, task.start),
            task,
            started: Instant::now(),
            game,
            too_many_digits: false,
            tried_parts: false,
            at_once,
        }
    }

    fn run(mut self, observer: &mut dyn Observer) -> Found {
        if let Some(found) = self.list(LISTING_ROUNDS_MIB[0], observer) {
            return found;
        }
        let (task, left) = (self.task, self.left());
        if task.options.factoring
            && let Some(solution) = sum_of_boards(task, &left, observer)
        {
            return Ok(solution);
        }
        if !self.at_once {
            match alpha_beta(task, None, observer, &mut |observer| self.others(observer)) {
                Ok(found) => return found,
                // The random games did not come to such a state.
                Err(NotForUs::Simultaneous) => self.at_once = true,
                Err(_) => {}
            }
        }
        if let Some(found) = self.others(observer) {
            return found;
        }
        if self.at_once || self.too_many_digits {
            return within_bounds(self.task, &self.left(), None, observer);
        }
        self.list_to_the_limits(observer)
    }

    fn left(&self) -> Limits {
        self.task.options.limits.left(self.started)
    }

    /// Lists states up to this many MiB of them; the value of the game if these are all.
    fn list(&mut self, mib: u64, observer: &mut dyn Observer) -> Option<Found> {
        if self.too_many_digits {
            return None;
        }
        let limits = self.left();
        let limits = Limits { memory_mib: limits.memory_mib.min(mib), ..limits };
        let mut stage = Stage { observer, name: "listing" };
        let mut keeper = ListingKeeper::new(&mut stage, 0, None);
        self.listing.complete(&mut self.game, &Meter::start(&limits), &mut keeper).ok()?;
        let known = of_listing(&self.listing);
        self.too_many_digits = matches!(known, Err(NoMatrixValue::Digits));
        (!self.too_many_digits).then(|| known.map_err(SolveError::from))
    }

    /// Part by part, and a longer listing before a large product. Once.
    fn others(&mut self, observer: &mut dyn Observer) -> Option<Found> {
        if std::mem::replace(&mut self.tried_parts, true) {
            return None;
        }
        let longer = if self.at_once { SIMULTANEOUS_MIB } else { LISTING_ROUNDS_MIB[1] };
        let longer = longer.min(self.left().memory_mib / LISTING_SHARE);
        let by_phases =
            self.task.options.factoring && self.task.options.shortcuts.phases != Use::Never;
        if by_phases
            && !self.at_once
            && let Ok(solution) = phased(self.task, &self.left(), observer)
        {
            return Some(Ok(solution));
        }
        if self.task.options.factoring {
            let (task, limits) = (self.task, self.left());
            let limits = Limits {
                time: limits.time.map(|time| time.mul_f64(PARTS_TIME)),
                memory_mib: limits.memory_mib / PARTS_MEMORY,
                ..limits
            };
            let mut listed = |observer: &mut dyn Observer| self.list(longer, observer);
            if let Ok(found) = factored(task, &hint(task), &limits, observer, &mut listed) {
                return Some(found);
            }
        }
        self.list(longer, observer)
    }

    fn list_to_the_limits(mut self, observer: &mut dyn Observer) -> Found {
        let mut keeper = ListingKeeper::new(observer, fingerprint(self.task), None);
        let meter = Meter::start(&self.left());
        match self.listing.complete(&mut self.game, &meter, &mut keeper) {
            Ok(()) => of_whole_listing(self.task, &self.listing, &self.left(), observer),
            Err(unfinished) => Ok(unknown(self.task, Method::Listing, unfinished)),
        }
    }
}

/// By the method that is asked for, or from a checkpoint.
fn one_method(
    task: &Task<'_>,
    mut game: CircuitDynamics<'_>,
    at_once: bool,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Found {
    let (started, choice) = (Instant::now(), task.options.choice);
    let was = |kind: Kind| resume.is_some_and(|bytes| kind.is_of(bytes));
    let was_listed = was(Kind::Listing) && matches!(choice, Choice::Auto | Choice::Listing);
    let may_mix = matches!(choice, Choice::Auto | Choice::Search) || was(Kind::Mixtures);
    if at_once && may_mix && !was_listed {
        return within_bounds(task, &task.options.limits.left(started), resume, observer);
    }
    let may_search = matches!(choice, Choice::Auto | Choice::Search | Choice::ProofNumber);
    if may_search && !was_listed {
        match alpha_beta(task, resume, observer, &mut nobody) {
            Ok(found) => return found,
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
    match list_from(&mut game, task.start, &limits, saved, &mut keeper) {
        Ok(listing) => of_whole_listing(task, &listing, &limits.left(started), observer),
        Err(unfinished) => Ok(unknown(task, Method::Listing, unfinished)),
    }
}

/// What a listing says, or bounds if that has too many digits.
fn of_whole_listing(
    task: &Task<'_>,
    listing: &Listing,
    limits: &Limits,
    observer: &mut dyn Observer,
) -> Found {
    match of_listing(listing) {
        Err(NoMatrixValue::Digits) => within_bounds(task, limits, None, observer),
        known => Ok(known?),
    }
}

/// The value in mixed strategies, within bounds.
fn within_bounds(
    task: &Task<'_>,
    limits: &Limits,
    resume: Option<&[u8]>,
    observer: &mut dyn Observer,
) -> Found {
    match mixed(task, limits, resume, observer)? {
        Ok(solution) => Ok(solution),
        Err(unfinished) => Ok(unknown(task, Method::Mixed, unfinished)),
    }
}

/// Whether several players can choose in a state that comes up in a few random games.
fn is_simultaneous(task: &Task<'_>, game: &mut CircuitDynamics<'_>) -> bool {
    let mut random = Random::new(task.options.seed);
    (0..WALKS).any(|_| {
        let states = walk(game, task.start, &mut random).concat();
        let looks = game.look(&states);
        let chooses = |state: usize, role: usize| looks.moves(state, role).len() > 1;
        let choosers = |state| (0..looks.roles()).filter(|&role| chooses(state, role)).count();
        (0..looks.len()).any(|state| choosers(state) > 1)
    })
}

/// Only this is known: no role gets more than its greatest goal, or the best reading of a missing one.
fn unknown(task: &Task<'_>, method: Method, unfinished: Unfinished) -> Solution {
    let scored = ends_have_goals(task.net, &[], &proof_budget(&task.options.limits));
    let range = |role| {
        let values = task.net.goals.iter().filter(move |goal| goal.role == role);
        // Play need not come to an end, so even the least goal is not for sure.
        let most = values.map(|goal| goal.value).max().unwrap_or(0);
        Bounds::between(0, if scored.is_some() { most } else { most.max(HIGHEST_GOAL) })
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
