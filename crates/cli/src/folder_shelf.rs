//! A folder as a shelf: files are replaced whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Context;
use gambol::solve::layers::Shelf;

use crate::files;

/// A folder whose files are those of a store.
#[derive(Clone, Debug)]
pub(crate) struct FolderShelf {
    folder: PathBuf,
}

impl FolderShelf {
    /// A folder that is there.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let found = fs::metadata(folder).and_then(|found| match found.is_dir() {
            true => Ok(()),
            false => Err(io::Error::from(io::ErrorKind::NotADirectory)),
        });
        found.with_context(|| format!("cannot read the store {}", folder.display()))?;
        Ok(Self { folder: folder.to_path_buf() })
    }

    /// A folder that is made if it is not there.
    pub(crate) fn make(folder: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the store {}", folder.display()))?;
        Self::open(folder)
    }

    /// Removes what runs that were killed left half written. Nobody else may work in the folder.
    pub(crate) fn remove_half_written(&self) {
        files::remove_all_leavings(&self.folder);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Shelf for FolderShelf {
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        files::replace(&self.path(name), bytes)
    }

    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.path(name))?;
        file.seek(SeekFrom::Start(range.start))?;
        let mut bytes = Vec::new();
        file.take(range.end.saturating_sub(range.start)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            // Names that are no text are not ours.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }
}
