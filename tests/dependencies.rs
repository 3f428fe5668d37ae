//! Only what is used is depended on, each dependency has its reason in `docs/dependencies.md`, and every licence is
//! one of those that `deny.toml` allows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What cargo knows of all packages that are built on this machine, without asking the network.
fn metadata() -> Value {
    let version = Command::new("rustc").arg("-vV").output().expect("there is a compiler");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("it has a host");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", host])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

fn packages(metadata: &Value) -> &[Value] {
    metadata["packages"].as_array().expect("a list")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn is_ours(package: &Value) -> bool {
    package["source"].is_null()
}

/// The licences of `deny.toml`.
fn allowed() -> BTreeSet<String> {
    let deny: toml::Table = fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap();
    let allowed = deny["licenses"]["allow"].as_array().unwrap();
    allowed.iter().map(|licence| licence.as_str().unwrap().to_string()).collect()
}

/// Whether an expression can be fulfilled: `AND` over `OR`, as in `(MIT OR Apache-2.0) AND Unicode-3.0`. An older way
/// to write `OR` is `/`.
fn is_fulfilled(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let one = |name: &str| {
        let name = name.trim().trim_matches(['(', ')']);
        allowed.contains(name.split(" WITH ").next().unwrap_or(name))
    };
    let either = |names: &str| names.replace('/', " OR ").split(" OR ").any(one);
    !expression.is_empty() && expression.split(" AND ").all(either)
}

#[test]
fn expressions_of_licences_are_understood() {
    let allowed: BTreeSet<String> = ["MIT", "Zlib"].map(String::from).into();
    for (expression, fulfilled) in [
        ("MIT", true),
        ("GPL-3.0-only", false),
        ("GPL-3.0-only OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("MIT AND Zlib", true),
        ("MIT AND GPL-2.0-only", false),
        ("(MIT OR Apache-2.0) AND GPL-2.0-only", false),
        ("(MIT OR Apache-2.0) AND Zlib", true),
        ("", false),
    ] {
        assert_eq!(is_fulfilled(expression, &allowed), fulfilled, "{expression}");
    }
}

#[test]
fn every_licence_is_allowed() {
    let (metadata, allowed) = (metadata(), allowed());
    let strange: Vec<String> = packages(&metadata)
        .iter()
        .filter(|package| !is_fulfilled(text(package, "license"), &allowed))
        .map(|package| format!("{}: {}", text(package, "name"), package["license"]))
        .collect();
    assert!(strange.is_empty(), "{strange:?}");
    assert!(packages(&metadata).len() > 100);
}

/// All sources under a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Whether a package names a dependency in its sources.
fn names(package: &Value, dependency: &str, is_dev: bool) -> bool {
    let folder =
        Path::new(text(package, "manifest_path")).parent().expect("a folder").to_path_buf();
    let folders: &[&str] = if is_dev { &["src", "tests", "benches", "examples"] } else { &["src"] };
    let mut files = Vec::new();
    folders.iter().for_each(|name| sources(&folder.join(name), &mut files));
    let name = dependency.replace('-', "_");
    let (path, derived) = (format!("{name}::"), format!("use {name}"));
    files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .any(|text| text.contains(&path) || text.contains(&derived))
}

#[test]
fn every_dependency_is_used_and_has_its_reason() {
    let metadata = metadata();
    let table = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
    let listed: BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|names| names.split('`').skip(1).step_by(2))
        .collect();
    let mut declared = BTreeSet::new();
    for package in packages(&metadata).iter().filter(|package| is_ours(package)) {
        for dependency in package["dependencies"].as_array().expect("a list") {
            let name = text(dependency, "name");
            let (by, is_dev) = (text(package, "name"), dependency["kind"] == "dev");
            assert!(names(package, name, is_dev), "{by} does not use {name}");
            if !name.starts_with("gambol") {
                declared.insert(name.to_string());
            }
        }
    }
    let listed: BTreeSet<String> = listed.into_iter().map(String::from).collect();
    assert_eq!(listed, declared, "docs/dependencies.md and the manifests differ");
}

#[test]
fn the_workspace_names_no_dependency_that_no_crate_uses() {
    let manifest: toml::Table =
        fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let metadata = metadata();
    let used: BTreeSet<&str> = packages(&metadata)
        .iter()
        .filter(|package| is_ours(package))
        .flat_map(|package| package["dependencies"].as_array().expect("a list"))
        .map(|dependency| text(dependency, "name"))
        .collect();
    let named = manifest["workspace"]["dependencies"].as_table().unwrap().keys();
    let unused: Vec<&String> = named.filter(|name| !used.contains(name.as_str())).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
