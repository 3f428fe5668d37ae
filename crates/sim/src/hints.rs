//! Hints about memory. They change the speed, never the contents.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// Asks for the memory behind a reference, so that it is near when it is read.
#[inline(always)]
pub fn fetch<T>(wanted: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the address is that of a valid reference, and a prefetch neither reads nor faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(wanted).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = wanted;
}

/// Says that a large piece of memory, not yet written to, will be read here and there: large pages
/// make that cheaper.
pub fn expect_scattered_reads<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    {
        const LARGE: usize = 2 << 20;
        let (start, bytes) = (memory.as_mut_ptr(), size_of_val(memory));
        let skipped = start.addr().wrapping_neg() % LARGE;
        if let Some(rest) = bytes.checked_sub(skipped).filter(|&rest| rest >= LARGE) {
            // SAFETY: the range lies inside the memory that is lent to us, and the advice is about the
            // size of its pages only. A refusal changes nothing.
            unsafe {
                let first = start.cast::<u8>().add(skipped);
                libc::madvise(first.cast(), rest / LARGE * LARGE, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}
