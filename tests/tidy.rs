//! The house is tidy: the top-level modules of a crate form no cycle, files are named after what they
//! hold, and comments are no wider than a page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Names that say nothing.
const CATCH_ALL: [&str; 9] =
    ["util", "utils", "helper", "helpers", "common", "misc", "manager", "stuff", "tools"];

/// The widest comment, in columns.
const WIDEST: usize = 120;

/// Crates whose modules still form cycles. A crate that is mended leaves the list, and none is added. The classes
/// of the Python module name one another, as their users see them.
const STILL_CYCLIC: [&str; 1] = ["python"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The folders of the crates, by name.
fn crates() -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(root().join("crates")).expect("there are crates");
    let folder = |entry: fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), entry.path().join("src"))
    };
    let mut crates: Vec<(String, PathBuf)> = entries.flatten().map(folder).collect();
    crates.push(("gambol".to_string(), root().join("src")));
    crates.sort();
    crates
}

/// A file without comments, and without its tests, which may use everything.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("it can be read");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let without = |line: &str| line.split("//").next().unwrap_or_default().to_string();
    code.lines().map(without).collect::<Vec<_>>().join("\n")
}

/// The paths that a text names after a prefix such as `crate::`, groups spelt out: the first step of each.
fn first_steps(text: &str, prefix: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = Vec::new();
    for (place, _) in text.match_indices(prefix) {
        let rest = &text[place + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.push(word(rest));
            continue;
        };
        let mut depth = 1;
        let mut start = true;
        for (place, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => start = true,
                _ if start && !letter.is_whitespace() => {
                    found.push(word(&group[place..]));
                    start = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

/// What the root of a crate exports from which module: `pub use module::{Item, …}`.
fn exports(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in root.split(';').filter_map(|text| text.split("use ").nth(1)) {
        let Some(module) =
            modules.iter().find(|module| statement.starts_with(&format!("{module}::")))
        else {
            continue;
        };
        let items = statement.split(|c: char| !c.is_alphanumeric() && c != '_');
        exports.extend(
            items.filter(|item| !item.is_empty()).map(|item| (item.to_string(), module.clone())),
        );
    }
    exports.retain(|item, _| !modules.contains(item));
    exports
}

/// Which top-level module of a crate uses which.
fn uses(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    let mut root = String::new();
    for path in rust_files(source) {
        let inside = path.strip_prefix(source).expect("it lies there");
        let top = inside.components().next().expect("it has a name").as_os_str().to_string_lossy();
        let file = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        match top.trim_end_matches(".rs") {
            "lib" | "main" => root.push_str(&code(&path)),
            _ if file == "tests" || file.ends_with("_tests") || file == "testing" => {}
            top => texts.entry(top.to_string()).or_default().push_str(&code(&path)),
        }
    }
    let modules: BTreeSet<String> = texts.keys().cloned().collect();
    let exports = exports(&root, &modules);
    let module_of = |step: String| {
        if modules.contains(&step) { Some(step) } else { exports.get(&step).cloned() }
    };
    let used = |(module, text): (&String, &String)| {
        let steps = first_steps(text, "crate::").into_iter().filter_map(module_of);
        (module.clone(), steps.filter(|used| used != module).collect())
    };
    texts.iter().map(used).collect()
}

/// The modules that can be reached from themselves.
fn cyclic(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let comes_back = |module: &&String| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = uses[*module].iter().collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(uses.get(next).into_iter().flatten());
            }
        }
        seen.contains(*module)
    };
    uses.keys().filter(comes_back).cloned().collect()
}

#[test]
fn top_level_modules_form_no_cycle() {
    for (name, source) in crates() {
        let cyclic = cyclic(&uses(&source));
        if STILL_CYCLIC.contains(&name.as_str()) {
            assert!(!cyclic.is_empty(), "{name} has no cycle any more: take it off the list");
        } else {
            assert!(cyclic.is_empty(), "modules of {name} use one another: {cyclic:?}");
        }
    }
}

#[test]
fn a_cycle_would_be_seen() {
    let text = "use crate::{a::B, c::{D, E}, F};\ncrate::g::h()";
    assert_eq!(first_steps(text, "crate::"), ["a", "c", "F", "g"]);
    let modules = BTreeSet::from(["a".to_string(), "c".to_string()]);
    let exports = exports("pub use c::{F, x::G};", &modules);
    assert_eq!(exports.get("F").map(String::as_str), Some("c"));
    let of = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<String>>();
    let graph = BTreeMap::from([
        ("a".to_string(), of(&["b"])),
        ("b".to_string(), of(&["c"])),
        ("c".to_string(), of(&["b"])),
    ]);
    assert_eq!(cyclic(&graph), ["b", "c"]);
}

#[test]
fn files_are_named_after_what_they_hold() {
    for path in rust_files(root()) {
        let inside = path.strip_prefix(root()).expect("it lies there");
        for part in inside.components() {
            let part = part.as_os_str().to_string_lossy();
            assert!(
                !CATCH_ALL.contains(&part.trim_end_matches(".rs")),
                "{} names nothing",
                inside.display()
            );
        }
    }
}

#[test]
fn comments_are_no_wider_than_a_page() {
    for path in rust_files(root()) {
        let text = fs::read_to_string(&path).expect("it can be read");
        for (number, line) in
            text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"))
        {
            let place = format!("{}:{}", path.display(), number + 1);
            assert!(line.chars().count() <= WIDEST, "{place}: more than {WIDEST} columns");
        }
    }
}
