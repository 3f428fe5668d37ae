//! From the rules of a match to something that can be searched, in a thread of its own.
//!
//! A match does not wait for it: until it is done, and for ever if it cannot be done, the plain
//! interpreter answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gambol_ground::{Limits, instantiate};
use gambol_reference::Interpreter;
use gambol_syntax::{ReadOptions, Rules, read, repair};
use gambol_system::give_back;

use crate::agent::prepared::Prepared;

/// What has become of the work.
#[derive(Clone, Debug)]
enum Progress {
    Working,
    Done(Arc<Prepared>),
    Failed,
}

/// Whether anything has become of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ready {
    NotYet,
    Known,
}

/// Work on the rules of one game.
#[derive(Debug)]
pub(crate) struct Preparation {
    pub(crate) text: String,
    pub(crate) rules: Rules,
    /// The roles, as they are spelt, in the order of the rules.
    roles: Vec<String>,
    progress: Mutex<Progress>,
    changed: Condvar,
    /// Raised when the game can be searched: what was begun to do without is not needed any more.
    pub(crate) done: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    /// So long own play is learnt from, and what was learnt is judged.
    lesson: Duration,
    /// Raised when that is over.
    taught: AtomicBool,
}

/// Grounding that takes longer is given up.
const LONGEST: Duration = Duration::from_secs(600);
const MOST_MEMORY_MIB: u64 = 4096;
/// Looking for structure that takes longer is given up.
const LONGEST_STUDY: Duration = Duration::from_secs(20);
/// Learning gets half of the start clock within these bounds.
const SHORTEST_LESSON: Duration = Duration::from_secs(3);
const LONGEST_LESSON: Duration = Duration::from_secs(30);

impl Preparation {
    /// Reads the rules and begins to work on them; `None` if they are no game. What takes time has about as much as
    /// this clock gives.
    pub(crate) fn begin(text: &str, clock: Duration) -> Option<Arc<Self>> {
        let rules = repair(read(text.as_bytes(), &ReadOptions::default()).rules?).rules?;
        let roles = Interpreter::new(&rules).map(|interpreter| role_names(&interpreter)).ok()?;
        let preparation = Arc::new(Self {
            text: text.to_string(),
            rules,
            roles,
            progress: Mutex::new(Progress::Working),
            changed: Condvar::new(),
            done: Arc::new(AtomicBool::new(false)),
            stop: Arc::new(AtomicBool::new(false)),
            lesson: (clock / 2).clamp(SHORTEST_LESSON, LONGEST_LESSON),
            taught: AtomicBool::new(false),
        });
        let working = Arc::clone(&preparation);
        thread::spawn(move || {
            working.work();
            drop(working);
            give_back();
        });
        Some(preparation)
    }

    /// How many roles there are.
    pub(crate) fn role_count(&self) -> usize {
        self.roles.len()
    }

    /// The place of a role.
    pub(crate) fn role_place(&self, name: &str) -> Option<usize> {
        self.roles.iter().position(|role| role == name)
    }

    fn work(&self) {
        let progress = match self.prepare() {
            Some(prepared) => Progress::Done(Arc::new(prepared)),
            None => Progress::Failed,
        };
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress.clone();
        self.done.store(matches!(progress, Progress::Done(_)), Ordering::Relaxed);
        self.changed.notify_all();
        if let Progress::Done(prepared) = progress {
            prepared.study(LONGEST_STUDY, &self.stop);
            prepared.learn(self.lesson, &self.stop);
        }
        self.taught.store(true, Ordering::Relaxed);
    }

    fn prepare(&self) -> Option<Prepared> {
        let limits = Limits {
            time: Some(LONGEST),
            memory_mib: Some(MOST_MEMORY_MIB),
            stop: Some(Arc::clone(&self.stop)),
            ..Limits::default()
        };
        let ground = instantiate(&self.rules, &limits).ok()?;
        let net = gambol_net::simplify(&gambol_net::build(&ground).ok()?);
        let prepared = Prepared::new(net).ok()?;
        prepared.warm_up();
        Some(prepared)
    }

    /// Whether the work is done.
    pub(crate) fn look(&self) -> Ready {
        match &*self.progress.lock().unwrap_or_else(PoisonError::into_inner) {
            Progress::Working => Ready::NotYet,
            Progress::Done(_) | Progress::Failed => Ready::Known,
        }
    }

    /// The game, if it is ready by the deadline.
    pub(crate) fn wait(&self, deadline: Instant) -> Option<Arc<Prepared>> {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*progress {
                Progress::Done(prepared) => return Some(Arc::clone(prepared)),
                Progress::Failed => return None,
                Progress::Working => {}
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let waited = self.changed.wait_timeout(progress, left);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether own play has yet to teach something that may change the search from the ground up.
    pub(crate) fn is_being_taught(&self) -> bool {
        self.role_count() == 2 && !self.taught.load(Ordering::Relaxed)
    }

    /// Nobody needs it any more.
    pub(crate) fn cancel(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn role_names(interpreter: &Interpreter) -> Vec<String> {
    interpreter.roles().iter().map(|&role| interpreter.text(role)).collect()
}
