//! Jobs: long work in a thread of its own, which tells what it does and can be stopped.
//!
//! A page that begins a job listens to its events. When nobody listens any more, or nobody ever began to, the job
//! is stopped: its page is gone.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use axum::response::sse::{Event, KeepAlive, Sse};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;

use crate::lock::lock;
use crate::refusal::Refusal;

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// In the beginning, no oftener than this.
const SOONEST: Duration = Duration::from_millis(3);
/// How many reports of progress are kept for those who listen later.
const KEPT: usize = 4000;

/// A job that nobody has listened to for so long is stopped.
const UNHEARD: Duration = Duration::from_secs(3);
/// A job that was stopped so long ago has lost its place, whether it has noticed or not.
const STOPPED: Duration = Duration::from_secs(2);

/// What a job has to tell.
#[derive(Clone, Debug)]
struct Told {
    event: &'static str,
    data: Value,
}

/// Work that runs, or ran.
pub(crate) struct Job {
    stop: Arc<AtomicBool>,
    started: Instant,
    told: Mutex<Vec<Told>>,
    over: AtomicBool,
    listeners: AtomicUsize,
    /// When the last listener left, or the job began.
    unheard_since: Mutex<Instant>,
    stopped_at: OnceLock<Instant>,
    news: watch::Sender<usize>,
}

impl Job {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            stop: Arc::new(AtomicBool::new(false)),
            started: Instant::now(),
            told: Mutex::default(),
            over: AtomicBool::new(false),
            listeners: AtomicUsize::new(0),
            unheard_since: Mutex::new(Instant::now()),
            stopped_at: OnceLock::new(),
            news: watch::Sender::new(0),
        })
    }

    /// The flag that ends it.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    pub(crate) fn stop(&self) {
        self.stopped_at.get_or_init(Instant::now);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Stops it if nobody listens.
    pub(crate) fn stop_if_unheard(&self) {
        let since = *lock(&self.unheard_since);
        if self.listeners.load(Ordering::Relaxed) == 0 && since.elapsed() > UNHEARD {
            self.stop();
        }
    }

    /// Whether it holds one of the places for jobs.
    pub(crate) fn holds_place(&self) -> bool {
        let given_up = self.stopped_at.get().is_some_and(|at| at.elapsed() > STOPPED);
        !self.is_over() && !given_up
    }

    /// Whether it is over, and nobody has listened to it for so long. What it found may be large.
    pub(crate) fn is_forgotten(&self, after: Duration) -> bool {
        let unheard = self.listeners.load(Ordering::Relaxed) == 0;
        self.is_over() && unheard && lock(&self.unheard_since).elapsed() >= after
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    fn tell(&self, event: &'static str, data: Value) {
        let mut told = lock(&self.told);
        told.push(Told { event, data });
        let count = told.len();
        drop(told);
        self.news.send_replace(count);
    }

    /// Runs the work in a thread; what it returns is the last that is told.
    pub(crate) fn run<T: Serialize>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Job>) -> Result<T, Refusal> + Send + 'static,
    ) {
        let job = Arc::clone(self);
        std::thread::spawn(move || {
            // A fault in one job must not take the others with it.
            let result = catch_unwind(AssertUnwindSafe(|| work(&job)));
            let (event, data) = match result {
                Ok(Ok(result)) => ("result", serde_json::to_value(result).unwrap_or_default()),
                Ok(Err(refusal)) => ("refused", Value::String(refusal.to_string())),
                Err(_) => {
                    ("refused", Value::String("this should not happen: the work broke off".into()))
                }
            };
            job.over.store(true, Ordering::Relaxed);
            job.tell(event, data);
        });
    }

    /// Everything told so far and from now on, to the end.
    pub(crate) fn listen(
        self: Arc<Self>,
    ) -> Sse<impl futures_core::Stream<Item = Result<Event, Infallible>>> {
        let (sender, receiver) = mpsc::channel(64);
        tokio::spawn(async move {
            self.listeners.fetch_add(1, Ordering::Relaxed);
            let heard = self.forward(&sender).await;
            *lock(&self.unheard_since) = Instant::now();
            let last = self.listeners.fetch_sub(1, Ordering::Relaxed) == 1;
            if !heard && last {
                self.stop();
            }
        });
        Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default())
    }

    /// Passes on what is told; whether the listener stayed to the end.
    async fn forward(&self, sender: &mpsc::Sender<Result<Event, Infallible>>) -> bool {
        let mut news = self.news.subscribe();
        let mut next = 0;
        loop {
            let over = self.is_over();
            let fresh: Vec<Told> = lock(&self.told).iter().skip(next).cloned().collect();
            next += fresh.len();
            let ended = fresh.iter().any(|told| told.event != "progress");
            for told in fresh {
                let event = Event::default().event(told.event).data(told.data.to_string());
                if sender.send(Ok(event)).await.is_err() {
                    return false;
                }
            }
            if ended || over && next >= lock(&self.told).len() {
                return true;
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() { return true },
                () = sender.closed() => return false,
            }
        }
    }
}

/// Tells progress, not too often.
pub(crate) struct Telling<'a> {
    job: &'a Job,
    last: Option<Instant>,
    count: usize,
}

impl<'a> Telling<'a> {
    pub(crate) fn of(job: &'a Job) -> Self {
        Self { job, last: None, count: 0 }
    }

    /// Tells how far the work is, unless that was just done. Long runs are told less often, and the beginning more
    /// often: on a logarithmic scale it is as long as the rest.
    pub(crate) fn progress(&mut self, data: impl FnOnce() -> Value) {
        let seconds = self.job.seconds();
        let usual = TELL_EVERY.max(Duration::from_secs_f64(seconds / 200.0));
        let wait = usual.min(SOONEST.max(Duration::from_secs_f64(seconds / 20.0)));
        if self.count < KEPT && self.last.is_none_or(|last| last.elapsed() >= wait) {
            self.last = Some(Instant::now());
            self.count += 1;
            self.job.tell("progress", data());
        }
    }

    /// Tells something that must not be left out.
    pub(crate) fn say(&mut self, data: Value) {
        self.job.tell("progress", data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_forgotten_when_it_is_over_and_nobody_listens() {
        let job = Job::new();
        assert!(!job.is_forgotten(Duration::ZERO), "it has not begun");
        job.run(|_| Ok("found"));
        while !job.is_over() {
            std::thread::yield_now();
        }
        assert!(job.is_forgotten(Duration::ZERO));
        assert!(!job.is_forgotten(Duration::from_secs(60)), "a page may still come");
        job.listeners.fetch_add(1, Ordering::Relaxed);
        assert!(!job.is_forgotten(Duration::ZERO), "somebody listens");
    }
}
