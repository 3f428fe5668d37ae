//! A game taken apart within the limits of a run: whatever is met, the best answer so far is given.
//!
//! The work is done beside the thread that waits for it. Each answer replaces the one before: what relations
//! of the rules show, what reading the net shows, what play shows, what is proved. When the time is nearly
//! over, or somebody interrupts, the last one is what there is.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gambol::Game;
use gambol::decompose::{DecomposeOptions, Decomposition, RelationParts, relation_parts};
use gambol::ground::FluentId;

use super::decompose::How;
use crate::outcome::Stop;
use crate::session::Session;
use crate::watch::Watch;

/// What is known of the parts of a game.
pub(crate) enum Answer {
    /// The rules were not grounded in time.
    Relations(RelationParts),
    /// The parts of the net.
    Parts(Box<Found>),
}

/// Parts of the net, what was asked for, and how long it took to make the net.
pub(crate) struct Found {
    pub(crate) decomposition: Arc<Decomposition>,
    pub(crate) options: DecomposeOptions,
    pub(crate) ground: Duration,
    /// The two that are to be explained.
    pub(crate) explained: Option<[FluentId; 2]>,
}

enum Step {
    Better(Box<Found>),
    Done(anyhow::Result<Box<Found>>),
}

/// How often to look whether the run is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// What is kept of `--time` to write the answer in, and at least so much.
const KEPT: f64 = 0.03;
const KEPT_AT_LEAST: Duration = Duration::from_millis(50);
/// How long work that was told to stop may take to finish in good order.
const GRACE: Duration = Duration::from_millis(250);

/// Takes a game apart.
pub(crate) fn answer(
    game: &Arc<Game>,
    how: &How,
    explain: Option<&[String]>,
    session: &Session,
) -> anyhow::Result<Answer> {
    let (sender, receiver) = mpsc::channel();
    let (watch, mine, how) = (session.watch.clone(), Arc::clone(game), how.clone());
    let (seed, explain) = (session.flags.seed, explain.map(<[String]>::to_vec));
    let worker = thread::Builder::new().spawn(move || {
        let found = work(&mine, &how, explain.as_deref(), seed, &watch, &sender);
        // Nobody may be waiting any more.
        let _ = sender.send(Step::Done(found));
    })?;
    Waiting { receiver, worker, watch: &session.watch }.wait(game)
}

fn work(
    game: &Game,
    how: &How,
    explain: Option<&[String]>,
    seed: u64,
    watch: &Watch,
    sender: &Sender<Step>,
) -> anyhow::Result<Box<Found>> {
    let started = Instant::now();
    super::net_within(game, watch)?;
    let ground = started.elapsed();
    let options = how.within(game, seed, watch)?;
    // Before the work: a slip in it must not cost the answer.
    let explained = explain.map(|terms| two_fluents(game, terms)).transpose()?;
    let with = |decomposition| {
        Box::new(Found { decomposition, options: options.clone(), ground, explained })
    };
    let found = super::stage(game.subgames_with(&options, &mut |better| {
        let _ = sender.send(Step::Better(with(Arc::new(better))));
    }))?;
    Ok(with(found))
}

fn two_fluents(game: &Game, terms: &[String]) -> anyhow::Result<[FluentId; 2]> {
    let mut fluents = Vec::new();
    for term in terms {
        fluents.extend(super::state(term, game)?);
    }
    let two: Result<[FluentId; 2], _> = fluents.try_into();
    two.map_err(|_| Stop::Usage("--explain takes two fluents, each as one term".into()).into())
}

struct Waiting<'a> {
    receiver: Receiver<Step>,
    worker: JoinHandle<()>,
    watch: &'a Watch,
}

impl Waiting<'_> {
    fn wait(self, game: &Game) -> anyhow::Result<Answer> {
        let kept = self.watch.time_left().map(|all| all.mul_f64(KEPT).max(KEPT_AT_LEAST));
        let (mut best, mut stopped): (Option<Box<Found>>, Option<Instant>) = (None, None);
        loop {
            match self.receiver.recv_timeout(LOOK_EVERY) {
                Ok(Step::Better(found)) => best = Some(found),
                Ok(Step::Done(Ok(found))) => return Ok(Answer::Parts(found)),
                Ok(Step::Done(Err(error))) => {
                    return self.is_limit(&error).then(|| last(best, game)).ok_or(error);
                }
                Err(RecvTimeoutError::Timeout) => {}
                // It cannot go away without a word unless it panicked.
                Err(RecvTimeoutError::Disconnected) => match self.worker.join() {
                    Err(panic) => resume_unwind(panic),
                    Ok(()) => return Ok(last(best, game)),
                },
            }
            if self.watch.met().is_some() {
                stopped.get_or_insert_with(Instant::now);
            }
            let late = self.watch.time_left().zip(kept).is_some_and(|(left, kept)| left < kept);
            if late || stopped.is_some_and(|since| since.elapsed() > GRACE) {
                return Ok(last(best, game));
            }
        }
    }

    /// Whether the work ended because of a limit.
    fn is_limit(&self, error: &anyhow::Error) -> bool {
        self.watch.met().is_some() || matches!(error.downcast_ref(), Some(Stop::Limit(_)))
    }
}

fn last(best: Option<Box<Found>>, game: &Game) -> Answer {
    best.map_or_else(|| Answer::Relations(relation_parts(game.rules())), Answer::Parts)
}
