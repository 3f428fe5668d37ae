//! Every code is explained, and every example of the page shows its code.

use gambol_lint::{Examination, examine, example_game, explain, explanations};
use gambol_syntax::Category;

#[test]
fn every_code_is_explained() {
    let later = [
        "ground.infinite",
        "ground.limit",
        "play.no-legal-move",
        "play.goal-missing",
        "play.goal-ambiguous",
        "play.goal-value",
        "play.base-missing",
        "play.input-missing",
        "play.nonterminating",
        "warn.play-goal-falls",
        "warn.play-unwinnable",
    ];
    let codes: Vec<&str> =
        Category::ALL.iter().map(|category| category.as_str()).chain(later).collect();
    for code in &codes {
        assert!(explain(code).is_some_and(|text| !text.is_empty()), "{code} is not explained");
    }
    for (code, _) in explanations() {
        assert!(codes.contains(&code), "{code} is no code");
    }
}

#[test]
fn every_example_shows_its_code() {
    let mut wrong = Vec::new();
    for (code, text) in explanations() {
        let Some((_, example)) = text.split_once("```") else { continue };
        let (kind, example) = example.split_once('\n').expect("a line");
        let example = example.split("```").next().expect("a closed block");
        let added = kind.ends_with("added");
        let game = if added { format!("{}{example}", example_game()) } else { example.to_owned() };
        let plays = code.starts_with("play.") || code.starts_with("warn.play");
        let examination = Examination { play: plays.then_some(20), ..Examination::default() };
        let findings = examine(game.as_bytes(), &examination);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.category).collect();
        if !codes.contains(&code) {
            wrong.push(format!("{code}: {codes:?}"));
        }
        let others = codes.iter().any(|it| *it != code && !it.starts_with("play."));
        if added && others && !code.starts_with("warn.play") {
            wrong.push(format!("{code} is not alone: {codes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
