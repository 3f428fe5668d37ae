//! Long work: the interpreter's lock is released, and Ctrl-C ends it.
//!
//! The work runs on a thread of its own. The thread that called waits, and asks the interpreter now and then whether a
//! signal has come; if its handler raises, the work is told to stop, and the exception goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::{PyResult, Python};

/// How long the caller waits between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// The flag that ends the work, as the library's limits take it.
pub(crate) type Stop = Arc<AtomicBool>;

/// Does the work, unless it is interrupted.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Stop) -> T + Send,
) -> PyResult<T> {
    let stop = Stop::default();
    py.detach(|| {
        thread::scope(|scope| {
            let (done, finished) = sync_channel(1);
            let flag = stop.clone();
            let worker = scope.spawn(move || {
                let answer = work(flag);
                // Nobody listens any more after a signal.
                let _ = done.send(());
                answer
            });
            let signal = loop {
                match finished.recv_timeout(LOOK) {
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(signal) = Python::attach(|py| py.check_signals()) {
                            break Some(signal);
                        }
                    }
                    // A worker that panics hangs up.
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break None,
                }
            };
            if signal.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
            let answer = worker.join();
            match (signal, answer) {
                (Some(signal), _) => Err(signal),
                (None, Ok(answer)) => Ok(answer),
                (None, Err(_)) => Err(PyRuntimeError::new_err("Gambol failed; please report it")),
            }
        })
    })
}
