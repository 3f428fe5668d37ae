//! The page "Write a game" says what is true.

use gambol_lint::{Examination, Finding, examine, explanations};
use gambol_syntax::{ReadOptions, Source, print, read};

const PAGE: &str = include_str!("../../../docs/writing-games.md");

/// The blocks of code of a kind.
fn blocks(kind: &str) -> Vec<&'static str> {
    let begin = format!("```{kind}\n");
    let after = PAGE.split(begin.as_str()).skip(1);
    after.map(|rest| rest.split("```").next().unwrap_or("")).collect()
}

fn findings(text: &str, play: u64) -> Vec<Finding> {
    examine(text.as_bytes(), &Examination { play: Some(play), ..Examination::default() })
}

#[test]
fn the_game_is_right_in_both_notations() {
    let (prefix, infix) = (blocks("kif game")[0], blocks("hrf game")[0]);
    for text in [prefix, infix] {
        assert_eq!(findings(text, 100), []);
    }
    let rules = |text: &str| read(text.as_bytes(), &ReadOptions::default()).rules.unwrap();
    assert_eq!(print::to_infix(&rules(prefix)), print::to_infix(&rules(infix)));
}

#[test]
fn the_mistake_is_found_where_the_page_says() {
    let wrong = blocks("kif wrong warn.never-true")[0];
    let right = "(<= (home ?player) (true (at ?player 5)))\n";
    let text = blocks("kif game")[0].replace(right, wrong);
    let found = findings(&text, 0);
    assert_eq!(found.len(), 1, "{found:?}");
    let place = Source::new(text.as_bytes()).line_column(found[0].span.unwrap().start);
    let shown = blocks("text")[0];
    assert!(shown.contains(&format!("race.kif:{}:{}\n", place.0, place.1)), "{place:?}");
    assert!(shown.contains(&found[0].message) && shown.contains(found[0].category));
    assert!(shown.contains(found[0].hint.as_deref().unwrap()));
}

#[test]
fn the_small_examples_parse() {
    for block in blocks("kif") {
        assert!(read(block.as_bytes(), &ReadOptions::default()).rules.is_some(), "{block}");
    }
}

#[test]
fn every_code_is_listed() {
    for (code, _) in explanations() {
        assert!(PAGE.contains(&format!("`{code}`")), "{code} is missing");
    }
}
