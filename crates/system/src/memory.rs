//! How much memory a process holds, from the kernel's own account. Elsewhere than on Linux: 0.

use std::fs::{self, File};
use std::io::Read;

/// What this process holds now, in MiB.
pub fn resident_mib() -> f64 {
    resident_bytes() as f64 / f64::from(1 << 20)
}

/// The most this process has held so far, in MiB.
pub fn peak_mib() -> f64 {
    field_mib("/proc/self/status", "VmHWM:")
}

/// What another process holds now, in MiB.
pub fn resident_mib_of(process: u32) -> f64 {
    field_mib(&format!("/proc/{process}/status"), "VmRSS:")
}

/// What this process holds now. Takes no memory itself: the allocator asks.
pub(crate) fn resident_bytes() -> usize {
    let mut text = [0; 128];
    let read = File::open("/proc/self/statm").and_then(|mut file| file.read(&mut text));
    let words = text[..read.unwrap_or(0)].split(|byte| *byte == b' ');
    let digit = |sum: usize, byte: &u8| sum * 10 + usize::from(byte.wrapping_sub(b'0'));
    words.skip(1).take(1).map(|pages| pages.iter().fold(0, digit)).sum::<usize>() * page_bytes()
}

#[cfg(unix)]
#[allow(unsafe_code)]
fn page_bytes() -> usize {
    // SAFETY: sysconf reads a constant of the system and touches no memory of ours.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).unwrap_or(4096)
}

#[cfg(not(unix))]
fn page_bytes() -> usize {
    4096
}

/// Returns freed memory to the system. The allocator of glibc keeps what threads that are gone had taken, for
/// others to use; a server that waits has no use for it.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code)]
    // SAFETY: malloc_trim may be called at any time; it only releases pages that no allocation uses.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Lets every large block go back to the system as soon as it is freed. The allocator of glibc learns to keep large
/// blocks at the end of the arena of the thread that freed them, and [`give_back`] does not reach there.
pub fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[allow(unsafe_code)]
    // SAFETY: mallopt only sets a number of the allocator, for blocks that are taken from now on.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
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
        let seen_from_outside = resident_mib_of(std::process::id());
        assert!((resident_mib() - seen_from_outside).abs() < 0.2 * seen_from_outside);
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn what_threads_freed_goes_back() {
        let before = resident_mib();
        let fill = || (0..100_000).map(|number| vec![number; 50]).collect::<Vec<_>>().len();
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(fill)).collect();
        let count: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        give_back();
        assert_eq!(count, 400_000);
        assert!(resident_mib() < before + 15.0, "{} after {before} MiB", resident_mib());
    }
}
