//! Mistakes that leave a text valid, each in a game of a few lines, and what is suspected.

use gambol_lint::{Examination, Finding, examine};
use gambol_syntax::Severity;

const GAME: &str = "(role left) (role right) (opponent left right) (opponent right left)
(succ 0 1) (succ 1 2) (succ 2 3)
(init (count 0)) (init (turn left))
(<= (legal ?who (add ?steps)) (true (turn ?who)) (size ?steps))
(<= (legal ?who wait) (opponent ?who ?other) (true (turn ?other)))
(size 1) (size 2)
(plus 0 1 1) (plus 0 2 2) (plus 1 1 2) (plus 1 2 3) (plus 2 1 3) (plus 2 2 4)
(<= (next (count ?more)) (true (count ?now)) (does ?who (add ?steps)) (plus ?now ?steps ?more))
(<= (next (turn ?other)) (true (turn ?who)) (opponent ?who ?other))
(<= done (true (count 3))) (<= done (true (count 4)))
(<= terminal done)
(worth left 60) (worth right 40)
(<= (goal ?who ?points) (true (turn ?who)) (worth ?who ?points))
(<= (goal ?who 10) (opponent ?who ?other) (true (turn ?other)))";

/// What is found once `old` is replaced by `new`, notes apart.
fn found(old: &str, new: &str) -> Vec<Finding> {
    found_by(old, new, &Examination::default())
}

fn found_by(old: &str, new: &str, examination: &Examination) -> Vec<Finding> {
    assert!(old.is_empty() || GAME.contains(old), "{old}");
    let text = GAME.replacen(old, new, 1);
    let mut findings = examine(text.as_bytes(), examination);
    findings.retain(|finding| finding.severity != Severity::Note);
    findings
}

/// One finding of this kind, in the line of the change, with this advice.
fn check(old: &str, new: &str, category: &str, hint: &str) {
    let findings = found(old, new);
    let [finding] = findings.as_slice() else { panic!("{new}: {findings:?}") };
    assert_eq!(
        (finding.category, finding.hint.as_deref().unwrap_or_default()),
        (category, hint),
        "{new}"
    );
}

#[test]
fn the_game_itself_has_nothing_odd() {
    assert_eq!(found("", ""), []);
}

#[test]
fn goal_values_that_variables_bring_are_looked_at() {
    let (old, new) = ("(worth right 40)", "(worth right 400)");
    let unplayed = Examination { play: Some(0), ..Examination::default() };
    let findings = found_by(old, new, &unplayed);
    assert!(
        matches!(findings.as_slice(), [one] if one.category == "static.goal-value"),
        "{findings:?}"
    );
    // Where play meets the value it says in which state, and that is enough.
    let findings = found(old, new);
    assert!(
        matches!(findings.as_slice(), [one] if one.category == "play.goal-value"),
        "{findings:?}"
    );
}

#[test]
fn a_game_that_is_over_before_the_first_move_is_odd() {
    check("(<= terminal done)", "(<= terminal (not done))", "warn.always-terminal", "");
}

#[test]
fn a_constant_with_the_name_of_a_variable_was_meant_to_be_one() {
    check(
        "(<= (legal ?who (add ?steps)) (true (turn ?who)) (size ?steps))",
        "(<= (legal ?who (add steps)) (true (turn ?who)) (size ?steps))",
        "warn.odd-constant",
        "did you mean the variable ?steps?",
    );
    check(
        "(true (turn ?who)) (size ?steps))",
        "(true (turn ?who)) (size steps))",
        "static.unsafe",
        "did you mean ?steps where steps stands?",
    );
    check(
        "(true (turn ?who)) (opponent ?who ?other))\n(<= done",
        "(true (turn ?who)) (opponent ?who ?other) (distinct who ?other))\n(<= done",
        "warn.odd-constant",
        "did you mean the variable ?who?",
    );
}

#[test]
fn a_sum_that_is_wrong_is_odd() {
    check("(plus 1 2 3)", "(plus 1 2 4)", "warn.odd-fact", "did you mean (plus 1 2 3)?");
}

#[test]
fn what_nothing_begins_is_named() {
    check("(init (count 0))", "", "warn.never-true", "is (init (count ?now)) missing?");
}

#[test]
fn moves_asked_for_by_legal_are_looked_at() {
    check(
        "(<= terminal done)",
        "(<= terminal done) (<= waiting (legal left wiat)) (<= terminal waiting)",
        "warn.never-legal",
        "did you mean wait?",
    );
}

#[test]
fn a_word_cut_short_is_known() {
    check("(true (count 3))", "(true (counter 3))", "warn.never-true", "did you mean count?");
}

/// Rules for cases that this game does not have, and a list that says something twice, are nothing to warn of.
#[test]
fn rules_for_other_boards_are_no_mistakes() {
    let generic = "(kind left man) (<= done (kind ?who king) (true (turn ?who))) (<= terminal (kind ?who king) done)";
    assert_eq!(found("(<= terminal done)", &format!("(<= terminal done) {generic}")), []);
    let twice =
        "(<= listed (true (count 1))) (<= listed (true (count 1))) (<= terminal listed done)";
    assert_eq!(found("(<= terminal done)", &format!("(<= terminal done) {twice}")), []);
    assert_eq!(found("(size 1)", "(size 1) (<= (done) (true (count 3)) (true (turn left)))"), []);
}
