//! Reading the vectors.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// One vector: its texts (two if it exists in both syntaxes) and what is expected.
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) texts: Vec<Vec<u8>>,
    pub(crate) json: Value,
}

/// All vectors of a folder, sorted by name; none if the corpus is not at hand.
pub(crate) fn vectors(folder: &str) -> Vec<Vector> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors").join(folder);
    let Ok(entries) = fs::read_dir(&root) else {
        println!("no shared corpus at {}: nothing to compare", root.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    paths.iter().map(read_vector).collect()
}

fn read_vector(path: &PathBuf) -> Vector {
    let json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let texts = match json["segments"].as_array() {
        Some(segments) => vec![generate(segments)],
        None => ["hrf", "kif"]
            .iter()
            .filter_map(|ending| fs::read(path.with_extension(ending)).ok())
            .collect(),
    };
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    assert!(!texts.is_empty(), "{name} has no text");
    Vector { name, texts, json }
}

/// Writes each segment's text as often as it says, with its counter put in.
fn generate(segments: &[Value]) -> Vec<u8> {
    let mut text = String::new();
    for segment in segments {
        let pattern = segment["text"].as_str().unwrap();
        for number in 0..segment["times"].as_u64().unwrap() {
            let filled = pattern
                .replace("{i+1}", &(number + 1).to_string())
                .replace("{i}", &number.to_string());
            text.push_str(&filled);
        }
    }
    text.into_bytes()
}
