//! Every rulesheet of the shared corpus, where it is at hand, read as an author and as a player.

#![expect(clippy::print_stdout, reason = "a test says what it measured")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gambol_syntax::{
    Category, Diagnosis, ReadOptions, Rules, check, has_errors, print, read, repair, stratification,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/games")
}

/// Name and text of every rulesheet in the folders, sorted; none if the shared corpus is not here.
fn rulesheets(folders: &[&str]) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in folders {
        let Ok(entries) = fs::read_dir(root().join(folder)) else {
            println!("no {folder}: the shared corpus is not here, nothing is tested");
            continue;
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        let texts =
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "kif"));
        found.extend(texts.map(|path| (path.display().to_string(), fs::read(&path).unwrap())));
    }
    found.sort();
    found
}

const PLAYED: &[&str] = &["base", "dresden", "other", "stanford"];

fn strict_errors(text: &[u8]) -> (Option<Rules>, Vec<Diagnosis>) {
    let reading = read(text, &ReadOptions::default());
    let mut diagnoses = reading.diagnoses;
    diagnoses.extend(reading.rules.iter().flat_map(check));
    diagnoses.retain(Diagnosis::is_error);
    (reading.rules, diagnoses)
}

#[test]
fn the_games_of_the_public_repository_are_valid() {
    for (name, text) in rulesheets(&["base"]) {
        let (rules, errors) = strict_errors(&text);
        assert!(errors.is_empty(), "{name}: {errors:?}");
        assert!(stratification::negative_cycles(&rules.unwrap()).is_empty(), "{name}");
    }
}

#[test]
fn play_refuses_less_than_the_strict_check() {
    let sheets = rulesheets(PLAYED);
    let mut files_by_category: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut refused_by_check, mut refused_in_play) = (0, Vec::new());
    for (name, text) in &sheets {
        let (rules, errors) = strict_errors(text);
        let mut categories: Vec<&str> =
            errors.iter().map(|error| error.category.as_str()).collect();
        categories.sort_unstable();
        categories.dedup();
        categories.iter().for_each(|category| *files_by_category.entry(category).or_default() += 1);
        refused_by_check += usize::from(!errors.is_empty());
        let repaired = rules.map(repair);
        assert!(
            errors.is_empty() <= repaired.as_ref().is_some_and(|repaired| repaired.rules.is_some()),
            "{name} is valid and refused in play"
        );
        match repaired.and_then(|repaired| repaired.rules) {
            Some(rules) => assert_fit_for_play(name, &rules),
            None => refused_in_play.push(name),
        }
    }
    println!("{} rulesheets, strict: {files_by_category:#?}", sheets.len());
    println!("refused in play: {refused_in_play:#?}");
    if sheets.len() == 773 {
        assert_eq!((refused_by_check, refused_in_play.len()), (121, 28));
    }
}

/// What repair promises: a second strict check finds no rule that reads what it must not.
fn assert_fit_for_play(name: &str, rules: &Rules) {
    const MENDED: &[&str] = &[
        "static.unsafe",
        "static.fact-variable",
        "static.init-depends",
        "static.does-dependence",
        "static.keyword-arity",
        "static.body-keyword",
        "static.connective-arity",
    ];
    let left = check(rules);
    let broken = left.iter().find(|finding| MENDED.contains(&finding.category.as_str()));
    assert!(broken.is_none(), "{name}: {broken:?}");
}

#[test]
fn printing_and_reading_again_changes_nothing() {
    for (name, text) in rulesheets(PLAYED) {
        let Some(rules) = read(&text, &ReadOptions::default()).rules else { continue };
        for printer in [print::to_prefix, print::to_infix] {
            let printed = printer(&rules);
            let again = read(printed.as_bytes(), &ReadOptions::default());
            assert!(!has_errors(&again.diagnoses), "{name}: {:?}", again.diagnoses);
            let again = again.rules.unwrap();
            assert_eq!(again.clauses.len(), rules.clauses.len(), "{name}");
            assert_eq!(printer(&again), printed, "{name}");
            assert!(again.layout().comments.len() >= rules.layout().comments.len(), "{name}");
        }
    }
}

#[test]
fn broken_rulesheets_are_noticed() {
    for (name, text) in rulesheets(&["conformance/malformed"]) {
        let reading = read(&text, &ReadOptions::default());
        let mut findings = reading.diagnoses;
        findings.extend(reading.rules.iter().flat_map(check));
        // Stray words between the rules are facts that nothing uses.
        let stray = findings.iter().any(|finding| finding.category == Category::UnusedRelation);
        assert!(has_errors(&findings) || stray, "{name}");
    }
}

/// The reference validator warns of two arities where this check refuses, and refuses equality by
/// `(not (distinct …))` where this check does not.
#[test]
fn the_reference_validator_mostly_agrees() {
    let Ok(table) = fs::read_to_string(root().join("conformance/CONFORMANCE.tsv")) else { return };
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (name, verdict) = (columns[0], columns[3]);
        let (_, mut errors) =
            strict_errors(&fs::read(root().join("conformance").join(name)).unwrap());
        errors.retain(|error| error.category != Category::ArityMismatch);
        if verdict.contains("StaticValidator: accepted") {
            assert!(errors.is_empty(), "{name}: {errors:?}");
        } else if verdict.contains("must be rejected") && !verdict.contains("as written") {
            assert!(!errors.is_empty(), "{name}");
        }
    }
}
