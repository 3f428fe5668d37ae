//! How long this process has computed, from the kernel's own account. Elsewhere than on Linux: nothing.

use std::fs;

/// The kernel counts in hundredths of a second, for programs at least.
const TICKS_PER_SECOND: f64 = 100.0;

/// Seconds of processor time so far, of all threads together.
pub(crate) fn seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name, in parentheses, and may contain anything.
    let rest = text.rsplit_once(')')?.1;
    let mut fields = rest.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn computing_takes_processor_time() {
        let before = seconds().unwrap();
        let mut sum = 0u64;
        while seconds().unwrap() < before + 0.02 {
            sum = sum.wrapping_add(1);
        }
        assert!(sum > 0);
    }
}
