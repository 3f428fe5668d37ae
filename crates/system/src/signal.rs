//! The signal that says that the terminal is gone. `nohup` has it ignored, and then it must stay ignored.

/// Whether whoever started this program had hangups ignored.
pub fn hangup_is_ignored() -> bool {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = text.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Hangup is signal 1, which is bit 0.
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

/// Has hangups ignored from now on.
pub fn ignore_hangup() {
    #[cfg(unix)]
    #[allow(unsafe_code)]
    // SAFETY: ignoring a signal installs no code of ours; no other thread sets handlers at this time.
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
    }
}
