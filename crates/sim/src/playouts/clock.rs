//! Processor time of the calling thread, which other programs on the machine do not change.
#![allow(unsafe_code)]

/// Seconds of processor time that this thread has used, if the system tells.
#[cfg(unix)]
pub(crate) fn thread_seconds() -> Option<f64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `time`, which is valid for the whole call.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    (result == 0).then_some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

/// Seconds of processor time that this thread has used, if the system tells.
#[cfg(not(unix))]
pub(crate) fn thread_seconds() -> Option<f64> {
    None
}
