//! What is wrong with an automaton file is said with its place.

use gambol_regress::read_automaton;

const GOOD: &str = "autre 1\nplayers A B\nvar v lo hi\noutcome W A=1 B=-1\nnode x A\ngoal g W\n\
                    start x v=lo\nfrom x\n  move end to g when v=lo\n  else\n  move up to x set v=lo\n";

fn check(from: &str, to: &str, expected: &str) {
    let text = GOOD.replacen(from, to, 1);
    assert_ne!(text, GOOD, "the change applies");
    let error = read_automaton(&text).expect_err("it is wrong now");
    assert_eq!(error.0[0].to_string(), expected);
}

#[test]
fn the_good_file_is_good() {
    let automaton = read_automaton(GOOD).expect("it is good");
    assert_eq!(automaton.transitions.len(), 2);
}

#[test]
fn unknown_names() {
    check("to g", "to h", "line 9, column 15: no node is called `h`");
    check("when v=lo", "when w=lo", "line 9, column 22: no variable is called `w`");
    check("when v=lo", "when v=mid", "line 9, column 24: `v` cannot be `mid`; it is one of lo, hi");
    check("node x A", "node x C", "line 5, column 8: no player is called `C`");
    check("goal g W", "goal g V", "line 6, column 8: no outcome is called `V`");
    check("from x", "from z", "line 8, column 6: no node is called `z`");
}

#[test]
fn names_that_are_declared_twice() {
    check("players A B", "players A A", "line 2, column 11: player `A` is declared twice");
    check(
        "var v lo hi",
        "var v lo hi\nvar v lo hi",
        "line 4, column 5: variable `v` is declared twice",
    );
    check("node x A", "node x A\nnode x A", "line 6, column 6: node `x` is declared twice");
    check("goal g W", "goal g W\ngoal g W", "line 7, column 6: node `g` is declared twice");
    check(
        "outcome W A=1 B=-1",
        "outcome W A=1 B=-1\noutcome W A=0 B=0",
        "line 5, column 9: outcome `W` is declared twice",
    );
}

#[test]
fn empty_conditions() {
    check("when v=lo", "when v=lo v=hi", "line 9, column 22: no state satisfies this condition");
    check("when v=lo", "when", "line 9, column 17: a condition must follow: v=a, v!=a or v in a,b");
}

#[test]
fn missing_and_double_parts() {
    check("start x v=lo", "start x", "line 7, column 1: `v` has no value at the start");
    check(
        "start x v=lo\n",
        "",
        "line 10, column 1: there is no `start` line with every variable set",
    );
    check("A=1 B=-1", "A=1", "line 4, column 1: no reward for `B`");
    check("A=1", "A=much", "line 4, column 13: `much` is not a whole number");
    check("var v lo hi", "var v lo lo", "line 3, column 10: `v` has the value `lo` twice");
    check("node x A", "node x A\nnode x B", "line 6, column 6: node `x` is declared twice");
    check("set v=lo", "set v=lo v=hi", "line 11, column 25: this variable is set twice");
}

#[test]
fn lines_that_do_not_belong() {
    check(
        "autre 1",
        "autre 2",
        "line 1, column 7: this program reads version 1 of the format, not `2`",
    );
    check(
        "players",
        "plyers",
        "line 2, column 1: a line cannot begin with this; it begins with one of name, players, var, outcome, endless, node, goal, start, never, fact, from, move, else",
    );
    check("from x", "from g", "line 8, column 6: nothing leads on from a goal");
    check(
        "v=lo\nfrom",
        "\"v=lo\nfrom",
        "line 7, column 9: the quoted name has no end on this line",
    );
    check("when v=lo", "when v!lo", "line 9, column 23: a lone `!`; write v!=a");
}

#[test]
fn nothing_at_all() {
    let error = read_automaton("# only a comment\n").expect_err("there is nothing in it");
    assert!(error.to_string().contains("autre 1"));
}

#[test]
fn damaged_files_are_refused_without_panic() {
    for cut in 0..GOOD.len() {
        let _ = read_automaton(&GOOD[..cut]);
        let _ = read_automaton(&GOOD[cut..]);
        let _ = read_automaton(&format!("{}={}", &GOOD[..cut], &GOOD[cut..]));
        let _ = read_automaton(&format!("{} {}", &GOOD[..cut], &GOOD[cut..]));
    }
}
