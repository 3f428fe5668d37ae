//! What the server holds: the games that were opened and the jobs that run.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use gambol::Game;
use gambol::analysis::Literal;
use gambol::board::Boards;
use gambol::decompose::{Decomposition, part_colours};
use gambol::ground::FluentId;
use gambol::net::{BaseMarking, Net, PartColours};
use gambol::regress::Policy;
use gambol_system::give_back;
use rustc_hash::FxHashSet;

use crate::ServeOptions;
use crate::job::Job;
use crate::lock::lock;
use crate::refusal::Refusal;
use crate::table::Table;

/// Less memory than this is not worth the trouble of giving back, in MiB.
const WORTH_WHILE: f64 = 16.0;
/// What a job found is kept so long for a page that lost its connection.
const FORGOTTEN: Duration = Duration::from_secs(60);
/// The part of the memory that open games may hold while nothing runs.
const SHARE_OF_GAMES: f64 = 0.5;

/// A game that was opened, and what has been found out about it.
pub(crate) struct Opened {
    pub(crate) title: String,
    pub(crate) game: Game,
    pub(crate) boards: OnceLock<Boards>,
    parts: Mutex<Option<Arc<ShownParts>>>,
    pub(crate) policy: Mutex<Option<Arc<Policy>>>,
    /// Games with hidden information that are being played; the newest stands last.
    pub(crate) tables: Mutex<Vec<Table>>,
}

/// What a game was taken apart into, in the colours of every view.
pub(crate) struct ShownParts {
    pub(crate) found: Arc<Decomposition>,
    pub(crate) colours: PartColours,
}

/// Games and jobs, by number.
pub(crate) struct Workshop {
    pub(crate) options: ServeOptions,
    /// The one used last stands last.
    games: Mutex<Vec<(u64, Arc<Opened>)>>,
    jobs: Mutex<Vec<(u64, Arc<Job>)>>,
    /// Flags of work that is no job: loading, the engine's moves.
    flags: Mutex<Vec<Weak<StopWhenDropped>>>,
    numbers: AtomicU64,
}

impl Opened {
    pub(crate) fn new(title: String, game: Game) -> Self {
        Self {
            title,
            game,
            boards: OnceLock::new(),
            parts: Mutex::default(),
            policy: Mutex::default(),
            tables: Mutex::default(),
        }
    }

    /// The net; it was built when the game was opened.
    pub(crate) fn net(&self) -> Result<&Net, Refusal> {
        self.game.net().map_err(|error| Refusal::Beyond(error.to_string()))
    }

    pub(crate) fn circuit(&self) -> Result<&gambol::sim::Circuit, Refusal> {
        self.game.circuit().map_err(|error| Refusal::Beyond(error.to_string()))
    }

    pub(crate) fn boards(&self) -> Result<&Boards, Refusal> {
        let net = self.net()?;
        Ok(self.boards.get_or_init(|| Boards::find(net, self.game.rules())))
    }

    /// The parts that were shown last, in their colours.
    pub(crate) fn parts(&self) -> Option<Arc<ShownParts>> {
        lock(&self.parts).clone()
    }

    pub(crate) fn keep_colours(&self, net: &Net, found: Arc<Decomposition>) {
        let colours = part_colours(net, &found);
        *lock(&self.parts) = Some(Arc::new(ShownParts { found, colours }));
    }

    /// The fluents whose value in this state is proved to last.
    pub(crate) fn latched(&self, net: &Net, state: &BaseMarking) -> FxHashSet<FluentId> {
        let Some(shape) = self.game.known_structure() else { return FxHashSet::default() };
        let lasting: FxHashSet<Literal> = shape.proved_latches().collect();
        let lasts =
            |&fluent: &FluentId| lasting.contains(&Literal { fluent, holds: state.holds(fluent) });
        net.fluents.ids().filter(lasts).collect()
    }

    /// A state given by the numbers of its fluents; the start if none is given.
    pub(crate) fn state(&self, fluents: Option<&[u32]>) -> Result<BaseMarking, Refusal> {
        let net = self.net()?;
        let Some(fluents) = fluents else { return Ok(BaseMarking::initial(net)) };
        let known = |&number: &u32| (number as usize) < net.fluents.len();
        if !fluents.iter().all(known) {
            return Err(Refusal::Senseless("there is no such fluent in this game".to_string()));
        }
        let fluents: Vec<FluentId> = fluents.iter().map(|&number| FluentId::new(number)).collect();
        Ok(BaseMarking::of(net, &fluents))
    }
}

impl Workshop {
    pub(crate) fn new(options: ServeOptions) -> Self {
        Self {
            options,
            games: Mutex::default(),
            jobs: Mutex::default(),
            flags: Mutex::default(),
            numbers: AtomicU64::new(1),
        }
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Keeps a game; the one not used for longest makes room.
    pub(crate) fn keep(&self, game: Opened) -> u64 {
        let (number, mut games) = (self.number(), lock(&self.games));
        games.push((number, Arc::new(game)));
        if games.len() > self.options.most_games {
            games.remove(0);
        }
        number
    }

    pub(crate) fn game(&self, number: u64) -> Result<Arc<Opened>, Refusal> {
        let mut games = lock(&self.games);
        let place = games.iter().position(|(known, _)| *known == number);
        let place = place.ok_or_else(|| {
            Refusal::Missing("this game is no longer open here; open it again".to_string())
        })?;
        let opened = games.remove(place);
        games.push(opened.clone());
        Ok(opened.1)
    }

    /// Begins a job, unless too many run.
    pub(crate) fn begin(&self, job: Arc<Job>) -> Result<u64, Refusal> {
        let mut jobs = lock(&self.jobs);
        let running = |counts: fn(&Job) -> bool| jobs.iter().filter(|(_, job)| counts(job)).count();
        let most = self.options.most_jobs;
        // Work that does not notice that it was stopped keeps nobody waiting, but it cannot pile up either.
        if running(Job::holds_place) >= most || running(|job| !job.is_over()) >= 2 * most {
            return Err(Refusal::Busy);
        }
        // Finished jobs are kept for a while: a page may still be reading their end.
        let over = jobs.iter().filter(|(_, job)| job.is_over()).count();
        if over > 4 * self.options.most_jobs
            && let Some(oldest) = jobs.iter().position(|(_, job)| job.is_over())
        {
            jobs.remove(oldest);
        }
        let number = self.number();
        jobs.push((number, job));
        Ok(number)
    }

    pub(crate) fn job(&self, number: u64) -> Result<Arc<Job>, Refusal> {
        let jobs = lock(&self.jobs);
        let found = jobs.iter().find(|(known, _)| *known == number).map(|(_, job)| Arc::clone(job));
        found.ok_or_else(|| Refusal::Missing("there is no such job".to_string()))
    }

    /// A flag for work that ends with its request: it is set when the guard is dropped.
    pub(crate) fn flag(&self) -> Result<Arc<StopWhenDropped>, Refusal> {
        let mut flags = lock(&self.flags);
        flags.retain(|guard| guard.strong_count() > 0);
        if flags.len() >= 2 * self.options.most_jobs {
            return Err(Refusal::Busy);
        }
        let guard = Arc::new(StopWhenDropped(Arc::new(AtomicBool::new(false))));
        flags.push(Arc::downgrade(&guard));
        Ok(guard)
    }

    /// Stops what nobody listens to, and all work if the program holds too much memory.
    pub(crate) fn look_around(&self) {
        let mut jobs = lock(&self.jobs);
        jobs.retain(|(_, job)| !job.is_forgotten(FORGOTTEN));
        jobs.iter().for_each(|(_, job)| job.stop_if_unheard());
        drop(jobs);
        if (self.options.memory_used)() > self.options.memory_mib as f64 {
            self.stop_everything();
        }
    }

    /// While nothing runs, returns to the system what is no longer needed. If much is still held, games that were
    /// not used for longest are closed.
    pub(crate) fn give_back(&self, held: &mut f64) {
        let working = lock(&self.flags).iter().any(|flag| flag.strong_count() > 0)
            || lock(&self.jobs).iter().any(|(_, job)| !job.is_over());
        let used = (self.options.memory_used)();
        if working || used < *held + WORTH_WHILE {
            return;
        }
        give_back();
        let most = self.options.memory_mib as f64 * SHARE_OF_GAMES;
        while (self.options.memory_used)() > most && self.close_oldest() {
            give_back();
        }
        *held = (self.options.memory_used)();
    }

    /// Closes the game that was not used for longest, unless it is the only one.
    fn close_oldest(&self) -> bool {
        let mut games = lock(&self.games);
        let several = games.len() > 1;
        if several {
            games.remove(0);
        }
        several
    }

    /// Closes a game.
    pub(crate) fn close(&self, number: u64) -> Result<(), Refusal> {
        let closed = self.game(number)?;
        lock(&self.games).retain(|(known, _)| *known != number);
        drop(closed);
        give_back();
        Ok(())
    }

    pub(crate) fn stop_everything(&self) {
        lock(&self.jobs).iter().for_each(|(_, job)| job.stop());
        let guards: Vec<_> = lock(&self.flags).iter().filter_map(Weak::upgrade).collect();
        guards.iter().for_each(|guard| guard.0.store(true, Ordering::Relaxed));
    }
}

/// Sets its flag when the request that made it is gone.
pub(crate) struct StopWhenDropped(pub(crate) Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
