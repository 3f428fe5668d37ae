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

/// The rules for a piece wait for the move of that piece, and the move for the piece.
#[test]
fn a_piece_that_the_board_does_not_have_is_named_and_not_its_move() {
    let game = "(role walker) (succ 1 2) (succ 2 3) (succ 3 4)
(init (cell 1 ww)) (init (cell 3 stone))
(<= (legal walker (walk ?x ?y)) (true (cell ?x w)) (succ ?x ?y))
(legal walker rest)
(<= (next (cell ?y w)) (does walker (walk ?x ?y)))
(<= (next (cell ?x w)) (true (cell ?x w)) (does walker rest))
(<= (next (cell ?x stone)) (true (cell ?x stone)))
(init (step 1)) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= terminal (true (step 4)))
(<= (goal walker 100) (true (cell 4 w))) (<= (goal walker 0) (not (true (cell 4 w))))";
    let found = examine(game.as_bytes(), &Examination::default());
    let named: Vec<&Finding> =
        found.iter().filter(|finding| finding.category == "warn.never-true").collect();
    assert!(
        named.iter().any(|finding| finding.message.starts_with("(cell ?x w) is never true")
            || finding.hint.as_deref() == Some("is (init (cell ?x w)) missing?")),
        "{found:#?}"
    );
    assert!(found.iter().all(|finding| !finding.message.starts_with("does")), "{found:#?}");
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

#[test]
fn arguments_in_the_wrong_order_are_named() {
    let board = "(row up) (row mid) (row low) (hue red) (hue blue)
        (<= (legal ?who (paint ?r ?h)) (true (turn ?who)) (row ?r) (hue ?h))
        (<= (next (painted ?r ?h)) (does ?who (paint ?r ?h)))
        (<= (next (painted ?r ?h)) (true (painted ?r ?h)))
        (<= done (true (painted up red)) (true (painted low red)))";
    let with = |board: &str| found("(<= terminal done)", &format!("(<= terminal done) {board}"));
    assert_eq!(with(board), []);
    let findings = with(&board.replacen(
        "(<= (next (painted ?r ?h)) (true",
        "(<= (next (painted ?h ?r)) (true",
        1,
    ));
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.category, "warn.exchanged-arguments");
    assert_eq!(finding.hint.as_deref(), Some("did you mean (painted ?r ?h)?"));
    // Who is near whom may be told both ways.
    let both = "(near up mid) (near mid low) (<= (near ?a ?b) (near ?b ?a))
        (<= done (near up ?r) (near ?r up) (true (count 3)))";
    assert_eq!(with(both), []);
}

#[test]
fn the_arity_that_is_written_less_often_is_odd() {
    let findings = found("(succ 0 1)", "(succ 0)");
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    let text = GAME.replacen("(succ 0 1)", "(succ 0)", 1);
    let at = |span: gambol_syntax::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(finding.span.map(at), Some("(succ 0)"));
    assert_eq!(finding.also.map(at), Some("(succ 1 2)"));
}

#[test]
fn two_places_of_one_mistake_are_both_shown() {
    let twice = "(size 1) (size 2)\n(size 2)";
    let findings = found("(size 1) (size 2)", twice);
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(finding.category, "warn.duplicate-rule");
    let text = GAME.replacen("(size 1) (size 2)", twice, 1);
    let line = |span: gambol_syntax::Span| text[..span.start as usize].matches('\n').count();
    assert_eq!(finding.span.map(line), finding.also.map(|span| line(span) + 1));
}

#[test]
fn a_role_that_can_have_all_values_but_the_best_lacks_a_rule() {
    let goals = "(<= (goal ?who ?points) (true (turn ?who)) (worth ?who ?points))
(<= (goal ?who 10) (opponent ?who ?other) (true (turn ?other)))";
    let own = "(<= (goal ?who 50) (role ?who) (not (true (count 3))) (not (true (count 4))))
        (<= (goal left 100) (true (count 3))) (<= (goal left 0) (true (count 4)))
        (<= (goal right 0) (true (count 3)))";
    let complete = format!("{own} (<= (goal right 100) (true (count 4)))");
    assert_eq!(found(goals, &complete), []);
    let categories: Vec<_> =
        found(goals, own).iter().map(|it| (it.category, it.hint.clone())).collect();
    let hint = "is a rule missing? (<= (goal right 100) …)".to_owned();
    assert!(categories.contains(&("warn.constant-goal", Some(hint))), "{categories:?}");
}

#[test]
fn a_relation_asked_for_as_a_fluent_is_one_error() {
    let (old, new) = (
        "(<= terminal done)",
        "(<= terminal done)
        (<= (able ?who ?n) (role ?who) (true (size ?n)))
        (<= (input ?who (add ?n)) (able ?who ?n)) (<= (input ?who wait) (able ?who ?n))",
    );
    check(old, new, "static.init-depends", "ask for it without true");
}

#[test]
fn the_step_of_a_row_written_backwards_is_odd() {
    let row = "(upto 1 2) (upto 2 3) (upto 3 4) (upto 4 5) (upto 6 5)
        (<= done (upto ?a ?b) (upto ?b ?c) (true (count ?c)))";
    let findings = found("(<= terminal done)", &format!("(<= terminal done) {row}"));
    assert!(
        findings.iter().any(|it| it.hint.as_deref() == Some("did you mean (upto 5 6)?")),
        "{findings:?}"
    );
}
