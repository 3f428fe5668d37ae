//! What an author of rules uses: check, fmt, new, show, and what the program tells of itself.

use std::fs;

use crate::program::{fails, gambol, json, succeeds};

#[test]
fn a_new_game_is_right_and_can_be_played() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["race", "race.hrf"] {
        gambol().current_dir(&directory).args(["new", name]).assert().success();
        let file = if name == "race" { "race.kif" } else { name };
        let mut check = gambol();
        check.current_dir(&directory).args(["check", file, "--play", "100", "--json"]);
        let (report, code) = json(&mut check);
        assert_eq!((code, &report["warnings"]), (0, &serde_json::json!([])), "{report}");
        let said =
            gambol().current_dir(&directory).args(["fmt", "--check", file]).output().unwrap();
        assert!(said.status.success(), "{file} is not in its usual form");
        fails(4, gambol().current_dir(&directory).args(["new", name]));
    }
}

#[test]
fn fmt_writes_files_anew_and_says_which_it_would() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("game.kif");
    fs::write(&path, "(role  r)   (succ 1 2)\n(<= (p ?x)  (succ ?x ?y))\n").unwrap();
    let name = path.to_str().unwrap();
    let said = fails(1, gambol().args(["fmt", "--check", name]));
    assert!(String::from_utf8(said.stdout).unwrap().contains("game.kif"));
    succeeds(&["fmt", "--write", name]);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "(role r) (succ 1 2)\n(<= (p ?x) (succ ?x ?y))\n"
    );
    succeeds(&["fmt", "--check", name]);
    fails(2, gambol().args(["fmt", "--write", "nim"]));
}

#[test]
fn show_prints_the_rules_with_a_description() {
    let shown = succeeds(&["show", "nim"]);
    assert!(shown.starts_with("; nim: ") && shown.contains("(role first)"), "{shown}");
    assert!(succeeds(&["check", "nim"]).contains("valid"));
}

#[test]
fn codes_are_explained() {
    let told = succeeds(&["check", "--explain", "warn.never-true"]);
    assert!(told.contains("(true (lmap on))") && told.contains("(role r)"), "{told}");
    assert!(succeeds(&["check", "--explain", "all"]).lines().count() > 80);
    assert_eq!(succeeds(&["check", "--explain", "never-true"]), told);
    let said = fails(2, gambol().args(["check", "--explain", "warn.nevertrue"]));
    assert!(String::from_utf8(said.stderr).unwrap().contains("did you mean warn.never-true?"));
}

#[test]
fn a_misspelt_fluent_is_a_warning_with_a_suggestion() {
    let rules = succeeds(&["show", "nim"])
        .replace("(true (left ?h ?n)) (less", "(true (letf ?h ?n)) (less");
    let (report, code) = json(gambol().args(["check", "-", "--json"]).write_stdin(rules));
    assert_eq!(code, 0);
    let warnings = report["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{report}");
    assert_eq!(warnings[0]["category"], "warn.never-true");
    assert_eq!(warnings[0]["hint"], "did you mean left?");
}

#[test]
fn what_may_be_meant_so_is_a_note() {
    let rules = succeeds(&["show", "nim"]) + "(<= (many ?h) (true (left ?h 7)))\n";
    let (report, code) = json(gambol().args(["check", "-", "--json"]).write_stdin(rules.clone()));
    assert_eq!((code, &report["warnings"]), (0, &serde_json::json!([])), "{report}");
    assert_eq!(report["notes"][0]["category"], "warn.unused-relation");
    let told = gambol().args(["check", "-"]).write_stdin(rules).output().unwrap();
    assert!(
        String::from_utf8(told.stdout).unwrap().contains("valid (0 errors, 0 warnings, 1 note)")
    );
}

/// A game of one role as textbooks print it: the role left out, and an end that reads the move.
const PRINTED: &str = "; pasted, with a comment of the other notation
role(white)
base(s)
input(white,a)
input(white,b)
legal(a)
legal(b)
p :- does(white,a) & true(s)
q :- ~p
r :- q
r :- does(white,b)
next(s) :- r
goal(white,100) :- true(s)
goal(white,0) :- ~true(s)
terminal :- q
";

#[test]
fn listings_of_textbooks_run_with_a_warning_that_teaches() {
    fails(1, gambol().args(["check", "-"]).write_stdin(PRINTED));
    let (report, code) =
        json(gambol().args(["check", "-", "--lenient", "--json"]).write_stdin(PRINTED));
    assert_eq!(code, 0, "{report}");
    let hints: Vec<&str> = report["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["hint"].as_str())
        .collect();
    assert!(hints.iter().any(|hint| hint.contains("white is put in")), "{hints:?}");
    assert!(hints.iter().any(|hint| hint.contains("let next make a fluent true")), "{hints:?}");
    assert!(hints.iter().any(|hint| hint.contains("begin with %")), "{hints:?}");
    let (step, code) =
        json(gambol().args(["step", "-", "--moves", "a", "--json"]).write_stdin(PRINTED));
    assert_eq!((code, &step["next"]), (0, &serde_json::json!(["s"])), "{step}");
    assert_eq!(step["legal"]["white"], serde_json::json!(["a", "b"]));
    let (net, code) = json(gambol().args(["net", "-", "--json"]).write_stdin(PRINTED));
    assert!(code == 0 && net["transitions"] == 1, "{net}");
}

#[test]
fn help_is_short_and_has_examples() {
    let help = succeeds(&["check", "-h"]);
    assert!(help.contains("Examples:") && help.contains("--explain"), "{help}");
    assert!(!help.contains("--threads") && help.lines().count() < 30, "{help}");
    assert!(succeeds(&["--help"]).contains("--threads"));
}

#[test]
fn completions_and_the_manual_come_from_the_program() {
    for shell in ["bash", "zsh", "fish"] {
        let script = succeeds(&["completions", shell]);
        for word in ["tic-tac-toe", "decompose", "lenient"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    let page = succeeds(&["man"]);
    assert!(page.starts_with(".TH GAMBOL 1") && page.contains(".SS check"), "{page}");
    assert!(!page.lines().any(|line| line.starts_with("'")));
}

#[test]
fn the_completion_of_bash_runs() {
    let script = succeeds(&["completions", "bash"]);
    let line = "COMP_WORDS=(gambol solve tic-t); COMP_CWORD=2; _gambol; echo \"${COMPREPLY[@]}\"";
    let bash =
        std::process::Command::new("bash").args(["-c", &format!("{script}\n{line}")]).output();
    let Ok(output) = bash else { return };
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("tic-tac-toe"), "{said} {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_grammar_for_editors_knows_the_words_of_the_language() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/gdl.tmLanguage.json");
    let text = fs::read_to_string(path).unwrap();
    let grammar: serde_json::Value = serde_json::from_str(&text).unwrap();
    let patterns = grammar["patterns"].as_array().unwrap();
    let known: Vec<&str> = patterns.iter().filter_map(|it| it["match"].as_str()).collect();
    for word in [
        "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input",
        "sees", "<=", "not", "or", "and", "distinct",
    ] {
        assert!(known.iter().any(|it| it.split(['(', ')', '|']).any(|one| one == word)), "{word}");
    }
}
