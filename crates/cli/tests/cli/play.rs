//! A person plays, through a pipe.

use crate::program::{gambol, json, succeeds};

/// What the program shows to somebody who types these lines.
fn typed(arguments: &[&str], lines: &str) -> String {
    let output = gambol().args(arguments).write_stdin(lines).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

const AGAINST_THE_FIRST: [&str; 6] =
    ["play", "tic-tac-toe", "--as", "xplayer", "--against", "legal"];

#[test]
fn a_game_is_played_to_its_end_by_numbers_and_beginnings_of_moves() {
    let said = typed(&AGAINST_THE_FIRST, "put 3 1\n(put 3 2)\nPUT 3 3\n");
    assert!(said.contains("1 (put 1 1)"), "{said}");
    assert!(said.contains("the game is over"), "{said}");
    assert!(said.contains("xplayer: 100") && said.contains("oplayer: 0"), "{said}");
    let by_number = typed(&AGAINST_THE_FIRST, "9\n");
    assert!(by_number.contains("xplayer: (put 3 3)"), "{by_number}");
}

#[test]
fn the_board_is_drawn() {
    let said = typed(&AGAINST_THE_FIRST, "put 2 2\nquit\n");
    assert!(said.lines().filter(|line| line.contains('x')).count() > 1, "{said}");
}

#[test]
fn what_is_not_clear_is_asked_and_what_is_no_move_is_said() {
    let said = typed(&AGAINST_THE_FIRST, "put 1\nput 9\nhelp\nquit\n");
    assert!(said.contains("which one? (put 1 1) (put 1 2) (put 1 3)"), "{said}");
    assert!(said.contains("no legal move begins with put 9"), "{said}");
    assert!(said.contains("undo"), "{said}");
}

#[test]
fn moves_can_be_taken_back() {
    let said = typed(&AGAINST_THE_FIRST, "undo\nput 1 1\nundo\nmoves\nquit\n");
    assert!(said.contains("nothing to take back"), "{said}");
    let after = said.rsplit("xplayer> ").nth(1).unwrap();
    assert!(after.contains("1 (put 1 1)"), "the first square is free again: {after}");
}

#[test]
fn a_hint_says_why() {
    // The search ends as soon as it has a proof, so a patient clock costs nothing.
    let arguments = [&AGAINST_THE_FIRST[..], &["--clock", "60"]].concat();
    let said = typed(&arguments, "put 3 1\nput 3 2\nhint\nquit\n");
    assert!(said.contains("hint: (put 3 3) (proved"), "{said}");
}

#[test]
fn a_hint_says_how_the_game_is_expected_to_go_on() {
    let arguments = ["play", "connect-four", "--as", "red", "--against", "legal", "--clock", "0.5"];
    let said = typed(&arguments, "hint\nquit\n");
    let expected = said.lines().find_map(|line| line.strip_prefix("expected: "));
    assert!(expected.is_some_and(|line| line.matches("(drop").count() > 1), "{said}");
}

#[test]
fn a_match_is_saved_resumed_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let path = path.to_str().unwrap();
    typed(&[&AGAINST_THE_FIRST[..], &["--save", path]].concat(), "put 3 1\n");
    let replayed = succeeds(&["replay", "tic-tac-toe", path]);
    assert!(replayed.contains("1 broken off"), "{replayed}");
    let resumed = [&AGAINST_THE_FIRST[..], &["--resume", path]].concat();
    let said = typed(&resumed, "put 3 2\nput 3 3\n");
    assert!(said.contains("xplayer: 100"), "{said}");
    let (report, code) = json(gambol().args(["replay", "tic-tac-toe", path, "--json"]));
    assert_eq!((code, &report["unfinished"]), (0, &0.into()), "{report}");
}

#[test]
fn others_may_not_be_there_to_play() {
    let output = gambol().args(["play", "tic-tac-toe", "--as", "nobody"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("xplayer, oplayer"));
}

#[test]
fn chance_is_uniform_and_the_cards_of_the_others_are_hidden() {
    let mut own = std::collections::BTreeSet::new();
    for seed in 13..=20 {
        let seed = seed.to_string();
        let arguments = ["play", "kuhn-poker", "--seed", &seed, "--against", "legal"];
        let said = typed(&arguments, "quit\n");
        assert!(!said.contains("give") && !said.contains("proved"), "{said}");
        assert!(said.contains("you do not know which of these are true: (hand bob"), "{said}");
        let card = said.split("you saw (card ").nth(1).and_then(|rest| rest.split(')').next());
        own.insert(card.unwrap_or_default().to_string());
        assert_eq!(said, typed(&arguments, "quit\n"), "the same seed deals the same cards");
    }
    assert_eq!(own.len(), 3, "each card is dealt: {own:?}");
}

#[test]
fn the_guest_does_not_see_the_car() {
    let said = typed(&["play", "monty-hall", "--seed", "3"], "point 1\nquit\n");
    assert!(said.contains("you saw (goat"), "{said}");
    assert!(said.contains("(car 1) (car") && !said.contains("(car 1)\n"), "{said}");
}

#[test]
fn what_is_seen_in_steps_without_a_choice_is_told() {
    let said = typed(&["play", "kuhn-poker", "--seed", "3", "--against", "legal"], "pass\nquit\n");
    assert!(said.contains("you saw (said ann pass)"), "{said}");
    assert!(said.contains("you saw (said bob"), "{said}");
}

#[test]
fn boards_of_different_sizes_are_drawn_one_by_one() {
    let said = typed(&["play", "domineering-eight-boards", "--against", "legal"], "quit\n");
    assert_eq!(said.lines().filter(|line| line.starts_with("covered ")).count(), 8, "{said}");
    assert!(said.starts_with("You are upright; flat is legal. Type help for help."), "{said}");
}
