//! How much of a busy processor a thread gets.

/// Lets the other threads of the machine go first: on a processor of its own this thread runs as before, beside a
/// busy one it gets about a tenth. Where the system cannot do that for a single thread, nothing changes.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub fn yield_to_others() {
    // SAFETY: the call takes numbers only and touches no memory of ours. On Linux process 0 is the calling
    // thread. If it fails the thread keeps its priority.
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, NICE);
    }
}

/// Lets the other threads of the machine go first, where the system can do that.
#[cfg(not(target_os = "linux"))]
pub fn yield_to_others() {}

/// A weight of 110 beside the usual 1024 in Linux's scheduler.
#[cfg(target_os = "linux")]
const NICE: libc::c_int = 10;
