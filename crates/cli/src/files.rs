//! Files are replaced whole or not at all.
//!
//! The content is written beside the file, synced, and renamed over it; then the folder is synced. At every
//! moment the name stands for the old content or the new. What a killed run left beside the file is removed by
//! the next run that writes there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const ENDING: &str = ".part";

/// Replaces a file. Pipes and devices are written to as they are.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if is_special(path) {
        return fs::write(path, content);
    }
    let target = target(path);
    let beside = beside(&target)?;
    let written = write_whole(&beside, &target, content);
    if written.is_err() {
        // It may not even have been made.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A file that is written line by line. What was there before stays until the first flush: a run that comes to
/// nothing costs no earlier one.
#[derive(Debug)]
pub(crate) struct Growing {
    file: File,
    /// The new file and the name it is to have.
    waiting: Option<(PathBuf, PathBuf)>,
}

impl Growing {
    /// Begins a file.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        if is_special(path) {
            return Ok(Self { file: File::create(path)?, waiting: None });
        }
        let target = target(path);
        let beside = beside(&target)?;
        Ok(Self { file: File::create(&beside)?, waiting: Some((beside, target)) })
    }

    /// Goes on with a file after so many bytes.
    pub(crate) fn after(path: &Path, length: u64) -> io::Result<Self> {
        let file = File::options().append(true).open(path)?;
        file.set_len(length)?;
        Ok(Self { file, waiting: None })
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((beside, target)) = &self.waiting else { return Ok(()) };
        fs::rename(beside, target)?;
        sync_folder(target);
        self.waiting = None;
        Ok(())
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.waiting {
            let _ = fs::remove_file(beside);
        }
    }
}

/// Whether the file could be written now; nothing is left behind, and the file stays as it is.
pub(crate) fn try_path(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if is_special(path) {
        return Ok(());
    }
    let target = target(path);
    remove_leavings(&target);
    let beside = beside(&target)?;
    let made = File::create(&beside).and_then(|_| fs::remove_file(&beside));
    // A file that is read-only is not to be replaced, though its folder would allow it.
    made.and_then(|()| match fs::metadata(&target) {
        Ok(found) if found.permissions().readonly() => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"))
        }
        _ => Ok(()),
    })
}

fn write_whole(beside: &Path, target: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(beside)?;
    file.write_all(content)?;
    if let Ok(old) = fs::metadata(target) {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    drop(file);
    fs::rename(beside, target)?;
    sync_folder(target);
    Ok(())
}

/// Makes the new name last. Not every file system can; the content is safe all the same.
fn sync_folder(target: &Path) {
    if let Ok(folder) = File::open(folder_of(target)) {
        let _ = folder.sync_all();
    }
}

/// Whether it is a pipe, a terminal or a device: something that a rename would take away.
pub(crate) fn is_special(path: &Path) -> bool {
    let other = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    other || path.starts_with("/dev") || path.starts_with("/proc")
}

/// Where a link leads: the link itself stays.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A name beside the file that no other process uses.
fn beside(target: &Path) -> io::Result<PathBuf> {
    let mut name = beginning(target)?;
    name.push(std::process::id().to_string());
    name.push(ENDING);
    Ok(target.with_file_name(name))
}

fn beginning(target: &Path) -> io::Result<OsString> {
    let name = target.file_name();
    let name =
        name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file name"))?;
    let mut beginning = OsString::from(".");
    beginning.push(name);
    beginning.push(".");
    Ok(beginning)
}

/// Removes what runs that are no more left beside the file.
fn remove_leavings(target: &Path) {
    let Ok(beginning) = beginning(target) else { return };
    let Some(beginning) = beginning.to_str() else { return };
    for entry in fs::read_dir(folder_of(target)).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process =
            name.to_str().and_then(|name| name.strip_prefix(beginning)?.strip_suffix(ENDING));
        let process = process.and_then(|number| number.parse::<u32>().ok());
        if process.is_some_and(|process| !is_alive(process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes what was left half written in a folder, by whichever machine: its process may have run elsewhere.
pub(crate) fn remove_all_leavings(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let parts = name.to_str().and_then(|name| {
            name.strip_prefix('.')?.strip_suffix(ENDING)?.rsplit_once('.')?.1.parse::<u32>().ok()
        });
        if parts.is_some() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a process runs. Where that cannot be known it is taken to.
fn is_alive(process: u32) -> bool {
    let all = Path::new("/proc/self");
    !all.exists() || Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("answer.json");
        try_path(&path).unwrap();
        assert!(names(folder.path()).is_empty());
        for content in ["long content", "short"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            assert_eq!(names(folder.path()), ["answer.json"]);
        }
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        assert!(try_path(&folder.path().join("nowhere/file")).is_err());
        assert!(try_path(folder.path()).is_err());
        assert!(replace(&folder.path().join("nowhere/file"), b"x").is_err());
        assert!(replace(folder.path(), b"x").is_err());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_was_there_stays_until_a_line_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        fs::write(&path, "old").unwrap();
        drop(Growing::create(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        let mut record = Growing::create(&path).unwrap();
        for (line, so_far) in [("one\n", "one\n"), ("two\n", "one\ntwo\n")] {
            record.write_all(line.as_bytes()).unwrap();
            record.flush().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), so_far);
        }
        let mut record = Growing::after(&path, 4).unwrap();
        record.write_all(b"three\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\nthree\n");
        assert_eq!(names(folder.path()), ["record"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error() {
        assert!(replace(Path::new("/dev/full"), b"x").is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_killed_run_left_is_removed_and_what_a_running_one_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let ours = format!(".cp.{}.part", std::process::id());
        // No process has this number: it is beyond what Linux gives out.
        for name in [".cp.4194305.part", ".other.4194305.part", "cp.part", &ours] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        remove_leavings(&folder.path().join("cp"));
        assert_eq!(names(folder.path()), [&ours[..], ".other.4194305.part", "cp.part"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
