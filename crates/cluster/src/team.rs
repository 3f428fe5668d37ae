//! A team of workers: the threads of this process, and those of the others if there are any.

use std::any::Any;
use std::sync::{Arc, Mutex, Once, PoisonError};

use gambol_solve::layers::{Exchange, Stopped};
use timely::WorkerConfig;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::{AllocatorBuilder, Config, Hooks};
use timely::execute::execute_from;

use crate::fabric::Fabric;
use crate::greeting::Connected;
use crate::watcher::Watcher;

/// How the workers of a process are put together.
pub enum Team {
    /// So many threads.
    Threads(usize),
    /// This process among others.
    Processes(Connected),
}

/// What a worker does, given its place among the others.
pub type Job = dyn Fn(&mut dyn Exchange) -> Result<(), Stopped> + Send + Sync;

/// What timely's own threads say when a connection breaks.
const BROKEN: &str = "timely communication error";

/// Does the work of all workers of this process. If workers stop for different reasons, one of them is told.
pub fn work_together(team: Team, job: Arc<Job>, watcher: &Arc<dyn Watcher>) -> Result<(), Stopped> {
    let failed = |_| Stopped::Unfit("the workers of this process could not be started");
    let (builders, roads) = build(team, watcher).map_err(failed)?;
    let watcher = watcher.clone();
    let guards = execute_from(builders, roads, WorkerConfig::default(), move |worker| {
        job(&mut Fabric::new(worker, watcher.clone()))
    });
    let mut ended = Ok(());
    for result in guards.map_err(failed)?.join() {
        // Who only heard that another one stopped does not know why.
        let untold = matches!(ended, Ok(()) | Err(Stopped::Elsewhere(_)));
        if let Err(stopped) =
            result.unwrap_or_else(|_| Err(Stopped::Elsewhere("it panicked".to_string())))
            && untold
        {
            ended = Err(stopped);
        }
    }
    ended
}

type Roads = Box<dyn Any + Send>;

fn build(team: Team, watcher: &Arc<dyn Watcher>) -> Result<(Vec<AllocatorBuilder>, Roads), String> {
    match team {
        Team::Threads(threads) => Config::Process(threads.max(1)).try_build(),
        Team::Processes(connected) => {
            notice_losses(watcher);
            let (hosts, hooks) = (connected.hosts, Hooks::default());
            let (refill, spill) = (hooks.refill.clone(), hooks.spill.clone());
            let inner = ProcessBuilder::new_typed_vector(hosts.threads, refill, spill);
            let (process, threads) = (hosts.process, hosts.threads);
            let built = initialize_networking_from_sockets(
                inner,
                connected.sockets,
                process,
                threads,
                hooks,
            );
            let (builders, guard) = built.map_err(|error| error.to_string())?;
            Ok((builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard)))
        }
    }
}

/// Who is told when a connection breaks.
static LOSSES: Mutex<Option<Arc<dyn Watcher>>> = Mutex::new(None);

/// Timely has no other way to say that a connection broke than to panic, in a thread of its own.
fn notice_losses(watcher: &Arc<dyn Watcher>) {
    static ONCE: Once = Once::new();
    *LOSSES.lock().unwrap_or_else(PoisonError::into_inner) = Some(watcher.clone());
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let text = panic.payload_as_str().unwrap_or_default();
            if text.starts_with(BROKEN) {
                let watcher = LOSSES.lock().unwrap_or_else(PoisonError::into_inner).clone();
                if let Some(watcher) = watcher {
                    watcher.lost(text.trim_start_matches(BROKEN).trim_start_matches(": "));
                }
            }
            before(panic);
        }));
    });
}
