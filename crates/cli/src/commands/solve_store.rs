//! `gambol solve --strong --store`: every state of a game in files, by one process or by many.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use gambol::Game;
use gambol::solve::layers::{
    Alone, Answers, Exchange, LayeredGame, Plan, Setting, Shelf, Stopped, forget, remove_leavings,
    solution, solve_with,
};
use gambol::solve::{Limits, Seen, Solution, SolveOptions, StrongClass, check_seen};
use gambol_cluster::{GreetingError, Hosts, Job, Team, Watcher, connect, work_together};
use serde::Serialize;

use crate::folder_shelf::FolderShelf;
use crate::layer_progress::LayerProgress;
use crate::lost_peers::LostPeers;
use crate::outcome::Stop;
use crate::session::Session;

/// How long processes wait for one another to come.
const WAIT: Duration = Duration::from_secs(120);
/// What all processes must know, if it is set.
const SECRET: &str = "GAMBOL_SECRET";

/// Where states are kept, and who works.
pub(super) struct Place<'a> {
    pub(super) folder: &'a Path,
    /// The list of hosts, and which of them this is.
    pub(super) hosts: Option<(&'a Path, usize)>,
}

/// What a store holds when it is done.
#[derive(Serialize)]
pub(super) struct StoreView {
    pub(super) folder: PathBuf,
    pub(super) layers: usize,
    pub(super) states: u64,
    /// How many of them files hold; the others are symmetric to these.
    pub(super) stored: u64,
    pub(super) successors: u64,
    pub(super) bits: u32,
    pub(super) workers: usize,
}

/// Lists and solves what the store does not yet hold. What each role gets, how many states are worth what, and what
/// the store holds; or why it stopped.
pub(super) fn run(
    place: &Place<'_>,
    game: &Game,
    options: &SolveOptions,
    session: &mut Session,
) -> anyhow::Result<(Solution, Vec<StrongClass>, StoreView)> {
    let hosts = place.hosts.map(|(list, process)| hosts(list, process, session)).transpose()?;
    let shelf = FolderShelf::make(place.folder)?;
    let process = hosts.as_ref().map_or(0, |hosts| hosts.process);
    session.hold(&place.folder.join(format!("{process}.mark")))?;
    let work = Work::new(game, shelf, options, process, session)?;
    let plan = match &hosts {
        None => work.alone(),
        Some(hosts) => work.with_others(hosts),
    };
    let plan = plan?.ok_or_else(|| anyhow!(NO_STORE))?;
    let (net, circuit) = (super::net_of(game, session)?, super::stage(game.circuit())?);
    let answers = Answers::new(&plan, &*work.shelf)?;
    let start = work.layered()?.start().to_vec();
    let found = solution(&answers, net, circuit, &start)?;
    let found = found.ok_or_else(|| anyhow!("the store lacks what was just written to it"))?;
    let view = StoreView {
        folder: place.folder.to_path_buf(),
        layers: answers.progress().0,
        states: answers.states(),
        stored: answers.stored(),
        successors: answers.successors(),
        bits: plan.bits(),
        workers: work.threads * hosts.map_or(1, |hosts| hosts.addresses.len()),
    };
    Ok((found, answers.classes()?, view))
}

const NO_STORE: &str = "this game has no store: its states have no short code";

/// The list of hosts: an address in each line that is neither empty nor a comment.
fn hosts(list: &Path, process: usize, session: &Session) -> anyhow::Result<Hosts> {
    let text = std::fs::read_to_string(list)
        .with_context(|| format!("cannot read the list of hosts {}", list.display()))?;
    let lines = text.lines().map(str::trim);
    let addresses: Vec<String> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_string)
        .collect();
    if process >= addresses.len() {
        let error = GreetingError::NoSuchProcess(process, addresses.len());
        return Err(Stop::Usage(error.to_string()).into());
    }
    let secret = std::env::var(SECRET).unwrap_or_default();
    Ok(Hosts { addresses, process, threads: session.threads(), secret, wait: WAIT })
}

/// The least that layers are given, in MiB: with less there would be no end of passes.
const LEAST_FOR_LAYERS: u64 = 8;

/// How much of the memory is left for layers: the program is there already, and is stopped somewhat below the limit.
fn for_layers(mib: u64) -> u64 {
    let taken = gambol_system::resident_mib() as u64;
    (mib / 10 * 9).saturating_sub(taken).max(LEAST_FOR_LAYERS)
}

/// All that the workers of this process share.
struct Work {
    game: Game,
    shelf: Arc<FolderShelf>,
    options: SolveOptions,
    seen: Seen,
    /// What each worker may cost.
    limits: Limits,
    threads: usize,
    process: usize,
    progress: Arc<LayerProgress>,
    watcher: Arc<dyn Watcher>,
}

impl Work {
    fn new(
        game: &Game,
        shelf: FolderShelf,
        options: &SolveOptions,
        process: usize,
        session: &Session,
    ) -> anyhow::Result<Self> {
        let (net, circuit) = (super::stage(game.net())?, super::stage(game.circuit())?);
        let threads = session.threads();
        let mut limits = options.limits.clone();
        limits.memory_mib = for_layers(limits.memory_mib) / threads as u64;
        Ok(Self {
            seen: check_seen(net, circuit, options)?,
            game: game.clone(),
            shelf: Arc::new(shelf),
            options: options.clone(),
            limits,
            threads,
            process,
            progress: Arc::new(LayerProgress::new(session, process == 0)),
            watcher: Arc::new(LostPeers::new(session)),
        })
    }

    fn layered(&self) -> anyhow::Result<LayeredGame<'_>> {
        let (net, circuit) = (super::stage(self.game.net())?, super::stage(self.game.circuit())?);
        Ok(LayeredGame::seen(net, circuit, &self.options, self.seen)?.returning())
    }

    /// By the threads of this process.
    fn alone(&self) -> anyhow::Result<Option<Plan>> {
        let mut game = self.layered()?;
        self.shelf.remove_half_written();
        if let Some(plan) = game.plan_on(&*self.shelf)? {
            remove_leavings(&*self.shelf, &plan)?;
        }
        let plan = solve_with(&mut game, &*self.shelf, &mut |_, plan| match self.threads {
            1 => self.job(plan)(&mut Alone),
            threads => work_together(Team::Threads(threads), self.job(plan), &self.watcher),
        });
        plan.map_err(stopped)
    }

    /// By this process among others. The first one makes the plan; all begin anew when it has no room for a state.
    fn with_others(&self, hosts: &Hosts) -> anyhow::Result<Option<Plan>> {
        let mut game = self.layered()?;
        let own_flag = Arc::default();
        let stop = self.limits.stop.as_ref().unwrap_or(&own_flag);
        loop {
            let own = match self.process {
                0 => self.first_plan(&mut game)?,
                _ => None,
            };
            let mut connected = connect(hosts, stop).map_err(not_together)?;
            let bytes = connected.share_plan(own.as_deref()).map_err(not_together)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let plan = self.taken(&game, &bytes);
            let agreed = connected.agree_on_plan(plan.is_ok()).map_err(not_together);
            let plan = plan?;
            agreed?;
            match work_together(Team::Processes(connected), self.job(&plan), &self.watcher) {
                Ok(()) => return Ok(Some(plan)),
                Err(uncoded @ Stopped::Uncoded { .. }) => {
                    if self.process == 0 {
                        game.learn(&uncoded);
                        forget(&*self.shelf)?;
                    }
                }
                Err(reason) => return Err(stopped(reason)),
            }
        }
    }

    /// The plan of process 0, if it is one for this game and lies in this folder.
    fn taken(&self, game: &LayeredGame<'_>, bytes: &[u8]) -> anyhow::Result<Plan> {
        let plan = game.check(Plan::from_bytes(bytes, "the plan of process 0")?)?;
        if Plan::on(&*self.shelf).ok().is_none_or(|found| found.digest() != plan.digest()) {
            bail!("process 0 has another store: all processes must see the same folder");
        }
        Ok(plan)
    }

    /// The plan of the store, or a new one; none if this is no game for layers.
    fn first_plan(&self, game: &mut LayeredGame<'_>) -> anyhow::Result<Option<Vec<u8>>> {
        self.shelf.remove_half_written();
        let plan = match game.plan_on(&*self.shelf)? {
            Some(plan) => plan,
            None => match game.new_plan() {
                Some(plan) => plan,
                None => return Ok(None),
            },
        };
        plan.put(&*self.shelf)?;
        remove_leavings(&*self.shelf, &plan)?;
        Ok(Some(plan.to_bytes()))
    }

    /// What each worker does.
    fn job(&self, plan: &Plan) -> Arc<Job> {
        let (game, plan, shelf) = (self.game.clone(), plan.clone(), Arc::clone(&self.shelf));
        let (options, limits) = (self.options.clone(), self.limits.clone());
        let (process, threads, seen) = (self.process, self.threads, self.seen);
        let progress = Arc::clone(&self.progress);
        let started = Instant::now();
        Arc::new(move |exchange: &mut dyn Exchange| {
            // The circuit was made before there were workers.
            let (Ok(net), Ok(circuit)) = (game.net(), game.circuit()) else {
                return Err(Stopped::Unfit("the game has no circuit"));
            };
            let layered = LayeredGame::seen(net, circuit, &options, seen)
                .map_err(|_| Stopped::Unfit("the game has no states to list"))?;
            let marks = exchange.index().is_multiple_of(threads);
            let left = limits.time.map(|time| time.saturating_sub(started.elapsed()));
            let limits = Limits { time: left, ..limits.clone() };
            let shelf: &dyn Shelf = &*shelf;
            let setting = Setting { plan: &plan, shelf, limits: &limits, process, marks };
            layered.work(setting, exchange, &mut |done| {
                if marks {
                    progress.tell(&done);
                }
            })
        })
    }
}

/// A limit ends with 3: what is finished is kept. Everything else cannot be helped.
fn stopped(reason: Stopped) -> anyhow::Error {
    match reason {
        Stopped::Limit(limit) => {
            let kept =
                "the store keeps all finished layers, and the same command goes on from them";
            Stop::Limit(format!("{limit}; {kept}")).into()
        }
        other => other.into(),
    }
}

/// Who does not come may come later; everything else cannot be helped.
fn not_together(error: GreetingError) -> anyhow::Error {
    match error {
        GreetingError::Absent(..) | GreetingError::Gone(..) => Stop::Lost(error.to_string()).into(),
        GreetingError::Stopped => Stop::Limit(error.to_string()).into(),
        other => other.into(),
    }
}
