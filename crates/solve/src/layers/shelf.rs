//! Where files go: a shelf keeps bytes under names. `cli` has one that is a folder; this one is in memory.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Files by name. What is put there is there whole or not at all, also after a crash.
pub trait Shelf: Send + Sync {
    /// Keeps bytes under a name, in place of what was there.
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Some of the bytes under a name; fewer if the file ends before.
    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Vec<u8>>;
    /// All names, in order.
    fn names(&self) -> io::Result<Vec<String>>;
    /// Forgets a name.
    fn remove(&self, name: &str) -> io::Result<()>;
}

/// A shelf in memory.
#[derive(Default, Debug)]
pub struct MemoryShelf {
    files: Mutex<BTreeMap<String, Arc<[u8]>>>,
}

impl MemoryShelf {
    /// An empty shelf.
    pub fn new() -> Self {
        Self::default()
    }

    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<String, Arc<[u8]>>) -> T) -> T {
        // Files are replaced in one step, so a thread that panicked left nothing half done.
        work(&mut self.files.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shelf for MemoryShelf {
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.with(|files| files.insert(name.to_string(), bytes.into()));
        Ok(())
    }

    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Vec<u8>> {
        let file = self.with(|files| files.get(name).cloned());
        let file = file.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let [start, end] = [range.start, range.end].map(|at| (at as usize).min(file.len()));
        Ok(file[start..end.max(start)].to_vec())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.with(|files| files.keys().cloned().collect()))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.with(|files| files.remove(name));
        Ok(())
    }
}
