//! The rulesheets below a directory.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::digest::digest;

/// A rulesheet and its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sheet {
    /// The path below the directory, without its ending, with `/` between the parts.
    pub(crate) id: String,
    /// Where it is.
    pub(crate) path: PathBuf,
}

impl Sheet {
    /// The digest of the rulesheet as it is now; empty if it cannot be read.
    pub(crate) fn digest(&self) -> String {
        fs::read(&self.path).map_or(String::new(), |text| format!("{:016x}", digest(&text)))
    }
}

/// All files ending in `.kif` or `.hrf` below `root`, sorted by id.
pub(crate) fn rulesheets(root: &Path) -> anyhow::Result<Vec<Sheet>> {
    let mut sheets = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let shown = folder.display().to_string();
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {shown}"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {shown}"))?;
            let path = entry.path();
            // Links are not followed: they could lead back up.
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "kif" || ending == "hrf") {
                sheets.push(Sheet { id: id_of(root, &path), path });
            }
        }
    }
    sheets.sort();
    keep_ids_apart(&mut sheets);
    Ok(sheets)
}

fn id_of(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// The same game in both syntaxes keeps its endings in the ids.
fn keep_ids_apart(sheets: &mut [Sheet]) {
    for later in 1..sheets.len() {
        if sheets[later].id == sheets[later - 1].id {
            sheets[later].id.push_str(".kif");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_paths_without_endings() {
        assert_eq!(id_of(Path::new("/a"), Path::new("/a/b/c.kif")), "b/c");
        assert_eq!(id_of(Path::new("/a"), Path::new("/a/b.2.kif")), "b.2");
    }
}
