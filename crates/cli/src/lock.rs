//! One run at a time on a checkpoint, a database or the record of a match.
//!
//! `FILE.lock` holds the number of the process that uses `FILE`, and is locked by it. The kernel releases the
//! lock when the process ends, however it ends, so a lock file that nobody holds is taken over. A child that was
//! being started when its parent was killed has the lock for a moment longer; that moment is waited for.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// How long a lock may outlive the process that took it: until its children are started or have ended.
const LEFT_BEHIND: Duration = Duration::from_secs(2);

/// The lock files of this run, for when it is ended without ceremony.
static HELD: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the lock files of this run. The locks themselves go with the process.
pub(crate) fn remove_all() {
    // Whoever holds this right now removes its own.
    let Ok(held) = HELD.try_lock() else { return };
    held.iter().for_each(|path| _ = fs::remove_file(path));
}

fn held_files() -> MutexGuard<'static, Vec<PathBuf>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Held as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock of a file, or says who has it.
    pub(crate) fn take(target: &Path) -> anyhow::Result<Self> {
        let mut name = target.as_os_str().to_owned();
        name.push(".lock");
        let (path, started) = (PathBuf::from(name), Instant::now());
        loop {
            let options =
                OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
            let mut file = options.with_context(|| format!("cannot write {}", path.display()))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let holder = holder(&mut file);
                    if is_alive(&holder) || started.elapsed() > LEFT_BEHIND {
                        bail!(held(target, &holder));
                    }
                    sleep(Duration::from_millis(10));
                    continue;
                }
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("cannot lock {}", path.display()));
                }
            }
            // Whoever had it before may have removed the file between our opening and our locking it.
            if is_at(&file, &path) {
                held_files().push(path.clone());
                // From here on the file goes when the lock does, also if the disk is full.
                let mut lock = Self { path, file };
                let signed = sign(&mut lock.file);
                signed.with_context(|| format!("cannot write {}", lock.path.display()))?;
                return Ok(lock);
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked: who opens it later makes a new one.
        let _ = fs::remove_file(&self.path);
        held_files().retain(|path| *path != self.path);
    }
}

fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

/// The number of the process that took the lock; empty while it is being written.
fn holder(file: &mut File) -> String {
    let mut holder = String::new();
    let _ = file.take(20).read_to_string(&mut holder);
    holder.trim().to_string()
}

/// Whether a process may still run; only where there is `/proc` can it be told that one does not.
fn is_alive(number: &str) -> bool {
    let processes = Path::new("/proc");
    number.is_empty() || !processes.join("self").exists() || processes.join(number).exists()
}

fn held(target: &Path, holder: &str) -> String {
    let holder = match holder {
        "" => "another process".to_string(),
        number => format!("process {number}"),
    };
    format!("{} is in use by {holder}; wait for it, or choose another file", target.display())
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(named)) => identity(ours) == identity(named),
        _ => false,
    }
}

/// Where an open file cannot be removed it is still there.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_one_hears_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let first = Lock::take(&path).unwrap();
        let refused = Lock::take(&path).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(first);
        assert!(!folder.path().join("checkpoint.lock").exists());
        drop(Lock::take(&path).unwrap());
    }

    #[test]
    fn a_lock_file_that_nobody_holds_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        fs::write(folder.path().join("checkpoint.lock"), "4194305\n").unwrap();
        drop(Lock::take(&path).unwrap());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_lock_that_outlives_its_process_for_a_moment_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let child = File::create(folder.path().join("checkpoint.lock")).unwrap();
        child.lock().unwrap();
        fs::write(folder.path().join("checkpoint.lock"), "4194305\n").unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                sleep(Duration::from_millis(50));
                drop(child);
            });
            drop(Lock::take(&path).unwrap());
        });
    }

    #[test]
    fn of_many_at_once_one_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let holding = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        if let Ok(lock) = Lock::take(&path) {
                            let others = holding.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                            assert_eq!(others, 0);
                            holding.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
    }
}
