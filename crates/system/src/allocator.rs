//! The allocator of the system, with a limit that large pieces cannot leap over.
//!
//! Somebody looks now and then at what the process holds. Between two looks small pieces add little, but one
//! table that doubles can add as much as there was. So pieces of [`LARGE`] bytes and more are asked about before
//! they are taken: if they would lead beyond the limit the process is told to end.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use crate::memory::resident_bytes;

const LARGE: usize = 256 << 10;

/// `#[global_allocator] static ALLOCATOR: Limited = Limited;`
#[derive(Clone, Copy, Debug, Default)]
pub struct Limited;

static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// What was held at the last look.
static HELD: AtomicUsize = AtomicUsize::new(0);
/// What large pieces took since.
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static ENDING: AtomicBool = AtomicBool::new(false);
static BEYOND: OnceLock<fn()> = OnceLock::new();

/// Sets the limit; `beyond` ends the process, and is called before the piece is taken that would lead beyond it.
/// What it allocates itself is not limited.
pub fn limit_memory(bytes: usize, beyond: fn()) {
    if BEYOND.set(beyond).is_ok() {
        LIMIT.store(bytes, Relaxed);
    }
}

/// What the process holds now, in bytes; from here on large pieces are counted anew.
pub fn look_at_memory() -> usize {
    TAKEN.store(0, Relaxed);
    let held = resident_bytes();
    HELD.store(held, Relaxed);
    held
}

/// Asks about a piece.
fn ask(bytes: usize) {
    let limit = LIMIT.load(Relaxed);
    if bytes < LARGE || limit == usize::MAX || ENDING.load(Relaxed) {
        return;
    }
    let taken = TAKEN.fetch_add(bytes, Relaxed).saturating_add(bytes);
    if HELD.load(Relaxed).saturating_add(taken) <= limit {
        return;
    }
    // Much of it may have been freed since.
    if look_at_memory().saturating_add(bytes) > limit
        && !ENDING.swap(true, Relaxed)
        && let Some(beyond) = BEYOND.get()
    {
        beyond();
    }
}

// SAFETY: everything is handed on to the allocator of the system as it comes. `ask` neither unwinds nor allocates:
// it reads a file into an array and looks at atomics. `beyond` is called at most once, and what it allocates comes
// back here without asking again.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ask(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ask(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        unsafe { System.dealloc(piece, layout) }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // Pieces that are large already grow where they are, or are moved without a copy.
        ask(bytes.saturating_sub(layout.size()));
        unsafe { System.realloc(piece, layout, bytes) }
    }
}
