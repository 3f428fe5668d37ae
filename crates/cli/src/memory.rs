//! How much memory a process holds, from the kernel's own account. Elsewhere than on Linux: 0.

use std::fs;

/// What this process holds now, in MiB.
pub(crate) fn resident_mib() -> f64 {
    field_mib("/proc/self/status", "VmRSS:")
}

/// The most this process has held so far, in MiB.
pub(crate) fn peak_mib() -> f64 {
    field_mib("/proc/self/status", "VmHWM:")
}

/// What another process holds now, in MiB.
pub(crate) fn resident_mib_of(process: u32) -> f64 {
    field_mib(&format!("/proc/{process}/status"), "VmRSS:")
}

fn field_mib(path: &str, field: &str) -> f64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|kilobytes| kilobytes.parse::<f64>().ok())
        .map_or(0.0, |kilobytes| kilobytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_running_program_holds_memory() {
        assert!(resident_mib() > 0.1);
        assert!(peak_mib() >= resident_mib() * 0.5);
        assert!(resident_mib_of(std::process::id()) > 0.1);
    }
}
