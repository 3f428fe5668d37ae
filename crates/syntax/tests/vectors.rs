//! The test vectors of the shared corpus, where it is at hand: small games, each valid or broken in
//! one way, with the finding and the place that a check must report.

#![expect(clippy::print_stdout, reason = "a test says what it measured")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use gambol_syntax::{
    Case, Diagnosis, Notation, ReadOptions, Rules, Source, check, has_errors, print, read,
    stratification,
};
use serde_json::Value;

/// The vectors of a folder: their description and the path without extension. Empty if the shared
/// corpus is not here.
fn vectors(folder: &str) -> Vec<(Value, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors").join(folder);
    let Ok(entries) = fs::read_dir(&root) else {
        println!("no {}: the shared corpus is not here, nothing is tested", root.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let load = |path: &PathBuf| serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    paths.iter().map(|path| (load(path), path.with_extension(""))).collect()
}

fn options(vector: &Value) -> ReadOptions {
    let syntax = if vector["syntax"] == "hrf" { Notation::Infix } else { Notation::Prefix };
    let case = if vector["options"]["case"] == "fold" { Case::Fold } else { Case::Exact };
    ReadOptions { syntax: Some(syntax), case, ..ReadOptions::default() }
}

/// Everything that reading and the static check find. Cycles through negation count as found: none
/// of the vectors that the ground rules would acquit is tested with this.
fn findings(bytes: &[u8], options: &ReadOptions) -> Vec<Diagnosis> {
    let reading = read(bytes, options);
    let mut diagnoses = reading.diagnoses;
    if let Some(rules) = reading.rules {
        diagnoses.extend(check(&rules));
        let cycles = stratification::negative_cycles(&rules);
        diagnoses.extend(cycles.iter().map(|cycle| cycle.diagnosis(&rules)));
    }
    diagnoses
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// Whether a finding points where the vector says: at the very place, or at one of the lines.
fn points_there(vector: &Value, source: &Source<'_>, diagnosis: &Diagnosis) -> bool {
    let Some(line) = number(&vector["at"]["line"]) else { return true };
    let Some(span) = diagnosis.span else { return false };
    let place = source.line_column(span.start);
    let lines = vector["lines_any"].as_array().into_iter().flatten();
    number(&vector["at"]["column"]).is_some_and(|column| place == (line, column))
        || lines.filter_map(number).any(|line| line == place.0)
}

fn check_folder(folder: &str, extension: &str) {
    let mut failures = Vec::new();
    let mut misplaced = Vec::new();
    let mut tested = 0;
    for (vector, path) in vectors(folder) {
        if !matches!(vector["stage"].as_str(), Some("lex" | "parse" | "static")) {
            continue;
        }
        tested += 1;
        let bytes = fs::read(path.with_extension(extension)).unwrap();
        let found = findings(&bytes, &options(&vector));
        let name = vector["vector"].as_str().unwrap();
        let wanted = vector["category"].as_str().unwrap();
        let named: Vec<&Diagnosis> =
            found.iter().filter(|diagnosis| diagnosis.category.as_str() == wanted).collect();
        let rejected = has_errors(&found) == (vector["expect"] == "reject");
        if named.is_empty() || !rejected {
            failures.push(format!("{name}: wanted {wanted}, found {found:?}"));
        } else if !named
            .iter()
            .any(|diagnosis| points_there(&vector, &Source::new(&bytes), diagnosis))
        {
            misplaced.push(format!("{name}: wanted {}, found {named:?}", vector["at"]));
        }
        assert_no_control_characters(&found);
    }
    println!("{folder}: {tested} tested, {} misplaced", misplaced.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(misplaced.is_empty(), "{}", misplaced.join("\n"));
}

fn assert_no_control_characters(found: &[Diagnosis]) {
    for diagnosis in found {
        assert!(!diagnosis.message.contains(char::is_control), "{diagnosis:?}");
        assert!(diagnosis.message.chars().count() < 300, "{diagnosis:?}");
    }
}

#[test]
fn every_broken_prefix_text_is_diagnosed_at_its_place() {
    check_folder("invalid", "kif");
}

#[test]
fn every_broken_infix_text_is_diagnosed_at_its_place() {
    check_folder("infix_invalid", "hrf");
}

fn read_valid(path: &Path, options: &ReadOptions) -> Rules {
    let reading = read(&fs::read(path).unwrap(), options);
    let rules = reading.rules.unwrap_or_else(|| panic!("{path:?}: {:?}", reading.diagnoses));
    let errors: Vec<Diagnosis> = check(&rules).into_iter().filter(Diagnosis::is_error).collect();
    assert!(errors.is_empty(), "{path:?}: {errors:?}");
    rules
}

#[test]
fn every_valid_game_is_read_without_error() {
    for (vector, path) in vectors("valid") {
        let path = path.with_extension("kif");
        let rules = read_valid(&path, &options(&vector));
        let cycles = stratification::negative_cycles(&rules);
        assert!(cycles.is_empty() || vector["may_reject_as"] == "static.unstratified", "{path:?}");
        assert_round_trips(&rules);
        let found = findings(&fs::read(&path).unwrap(), &options(&vector));
        for warning in vector["warnings"].as_array().into_iter().flatten() {
            let given = found.iter().any(|diagnosis| warning == diagnosis.category.as_str());
            assert!(given, "{path:?} lacks {warning}");
        }
    }
}

#[test]
fn infix_and_prefix_are_the_same_game() {
    for (vector, path) in vectors("infix") {
        let infix = read_valid(&path.with_extension("hrf"), &options(&vector));
        let prefix_options = ReadOptions { syntax: None, ..options(&vector) };
        let prefix = read_valid(&path.with_extension("kif"), &prefix_options);
        assert_eq!(renamed(&infix), renamed(&prefix), "{path:?}");
        assert_round_trips(&infix);
        let bytes = fs::read(path.with_extension("hrf")).unwrap();
        assert_eq!(Notation::of(&bytes), Notation::Infix, "{path:?}");
    }
}

/// The rules as text without comments and line ends, the variables of each clause numbered.
fn renamed(rules: &Rules) -> String {
    let text = print::to_prefix(rules);
    let code = text.lines().map(|line| line.split(';').next().unwrap_or_default().trim());
    number_variables(&code.collect::<Vec<_>>().join(" "))
}

/// Replaces variables by numbers in the order in which they first occur, anew in each top-level
/// form.
fn number_variables(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    let mut names: Vec<String> = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            names.clear();
        }
        if character == '?' {
            let mut name = String::new();
            while let Some(next) = characters.next_if(|next| !next.is_whitespace() && *next != ')')
            {
                name.push(next);
            }
            let known = names.iter().position(|known| *known == name);
            let index = known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            out.push_str(&format!("?{index}"));
        } else if character != ' ' || !(out.is_empty() || out.ends_with(' ')) {
            out.push(character);
        }
    }
    out
}

fn assert_round_trips(rules: &Rules) {
    let prefix = print::to_prefix(rules);
    let infix = print::to_infix(rules);
    let back = |text: &str, notation| {
        let options = ReadOptions { syntax: Some(notation), ..ReadOptions::default() };
        let reading = read(text.as_bytes(), &options);
        reading.rules.unwrap_or_else(|| panic!("{text}\n{:?}", reading.diagnoses))
    };
    assert_eq!(print::to_prefix(&back(&prefix, Notation::Prefix)), prefix, "not idempotent");
    assert_eq!(print::to_infix(&back(&infix, Notation::Infix)), infix, "not idempotent");
    if !infix.contains("is written")
        && !prefix.contains("(or)")
        && !prefix.contains("(or (true p))")
    {
        assert_eq!(renamed(&back(&infix, Notation::Infix)), renamed(rules));
    }
}

#[test]
fn large_texts_are_read_and_checked_in_time() {
    for (vector, path) in vectors("generated") {
        let text = expand(&vector);
        let start = Instant::now();
        let found = findings(text.as_bytes(), &options(&vector));
        let seconds = start.elapsed().as_secs_f64();
        let errors: Vec<&str> =
            found.iter().filter(|d| d.is_error()).map(|d| d.category.as_str()).collect();
        let expected = vector["expect_any"].as_array().unwrap();
        let allowed = |outcome: &str| expected.iter().any(|allowed| allowed == outcome);
        // Whether the ground rules are small enough is not decided here.
        let accepted = errors.is_empty() && (allowed("accept") || allowed("ground.limit"));
        assert!(accepted || errors.iter().any(|error| allowed(error)), "{path:?}: {errors:?}");
        // Tests share the machine with one another; the limit is for a free one.
        assert!(
            seconds < 4.0 * vector["limits"]["seconds"].as_f64().unwrap(),
            "{path:?}: {seconds} s"
        );
        println!("{}: {seconds:.3} s, {errors:?}", vector["vector"]);
    }
}

fn expand(vector: &Value) -> String {
    let mut text = String::new();
    for segment in vector["segments"].as_array().unwrap() {
        let part = segment["text"].as_str().unwrap();
        for index in 0..segment["times"].as_u64().unwrap() {
            if part.contains('{') {
                let next = (index + 1).to_string();
                text.push_str(&part.replace("{i+1}", &next).replace("{i}", &index.to_string()));
            } else {
                text.push_str(part);
            }
        }
    }
    text
}
