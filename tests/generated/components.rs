//! What games are made of: lamps, squares, heaps and walkers, each with its moves, what becomes of it,
//! and conditions that can be asked of it.
//!
//! A component says when a move of it is possible (`can`) and what it does when it is made (`acts`); how
//! moves of components become moves of roles is up to the game.

use std::fmt::Write;

use crate::tape::Tape;

/// A component in words.
pub(crate) struct Component {
    /// Its facts and rules.
    pub(crate) text: String,
    /// Conditions without variables, true of some of its states.
    pub(crate) conditions: Vec<String>,
}

/// What a component needs to know about the game.
pub(crate) struct Place<'a> {
    /// The number of the component.
    pub(crate) number: usize,
    pub(crate) roles: usize,
    /// A further condition on one of its moves, and one on one of its effects; empty if there is none.
    pub(crate) lock: &'a str,
    pub(crate) leak: &'a str,
}

pub(crate) fn component(tape: &mut Tape, place: &Place<'_>) -> Component {
    match tape.below(4) {
        0 => lamps(tape, place),
        1 => squares(tape, place),
        2 => heap(tape, place),
        _ => walker(tape, place),
    }
}

/// Lamps that are lit for good, switched, switched with their neighbours, or fade.
fn lamps(tape: &mut Tape, place: &Place<'_>) -> Component {
    let Place { number: c, lock, leak, .. } = *place;
    let count = 1 + tape.below(3);
    let mut text = String::new();
    for lamp in 0..count {
        let _ = writeln!(text, "(lamp {c} {lamp})");
        if tape.one_in(4) {
            let _ = writeln!(text, "(init (lit {c} {lamp}))");
        }
    }
    let dark = tape.pick(&[
        "",
        "(not (true (lit {c} ?x)))",
        "(or (not (true (lit {c} ?x))) (true (lit {c} 0)))",
    ]);
    let dark = dark.replace("{c}", &c.to_string());
    let _ =
        writeln!(text, "(<= (can {c} ?r (press {c} ?x)) (role ?r) (lamp {c} ?x) {dark} {lock})");
    let _ = writeln!(text, "(<= (hit {c} ?x) (acts ?r (press {c} ?x)))");
    match tape.below(4) {
        0 => drop(writeln!(
            text,
            "(<= (next (lit {c} ?x)) (hit {c} ?x) {leak})\n(<= (next (lit {c} ?x)) (true (lit {c} ?x)))"
        )),
        1 => drop(writeln!(
            text,
            "(<= (next (lit {c} ?x)) (hit {c} ?x) (not (true (lit {c} ?x))) {leak})
(<= (next (lit {c} ?x)) (true (lit {c} ?x)) (not (hit {c} ?x)))"
        )),
        2 => drop(writeln!(
            text,
            "(<= (turned {c} ?x) (hit {c} ?x))
(<= (turned {c} ?y) (hit {c} ?x) (lamp {c} ?y) (distinct (q ?x 0) (q ?y 0)) {leak})
(<= (next (lit {c} ?x)) (true (lit {c} ?x)) (not (turned {c} ?x)))
(<= (next (lit {c} ?x)) (turned {c} ?x) (not (true (lit {c} ?x))))"
        )),
        _ => drop(writeln!(
            text,
            "(<= (next (lit {c} ?x)) (hit {c} ?x) {leak})
(<= (some-hit {c}) (hit {c} ?x))
(<= (next (lit {c} ?x)) (true (lit {c} ?x)) (not (some-hit {c})))"
        )),
    }
    let _ = writeln!(text, "(<= (dark {c}) (lamp {c} ?x) (not (true (lit {c} ?x))))");
    let mut conditions: Vec<String> =
        (0..count).map(|lamp| format!("(true (lit {c} {lamp}))")).collect();
    conditions.push(format!("(not (dark {c}))"));
    Component { text, conditions }
}

/// Squares on which each role leaves its mark, in a row or a ring.
fn squares(tape: &mut Tape, place: &Place<'_>) -> Component {
    let Place { number: c, roles, lock, leak } = *place;
    let count = 2 + tape.below(2);
    let mut text = String::new();
    for square in 0..count {
        let _ = writeln!(text, "(square (p {c} {square}))\n(init (has (p {c} {square}) b))");
        if square > 0 {
            let _ = writeln!(text, "(beside (p {c} {}) (p {c} {square}))", square - 1);
        }
    }
    if tape.one_in(2) {
        let _ = writeln!(text, "(beside (p {c} {}) (p {c} 0))", count - 1);
    }
    let _ = writeln!(
        text,
        "(<= (can {c} ?r (set (p {c} ?i))) (role ?r) (true (has (p {c} ?i) b)) {lock})
(<= (taken ?s) (acts ?r (set ?s)) (square ?s))
(<= (next (has (p {c} ?i) ?r)) (acts ?r (set (p {c} ?i))) {leak})
(<= (next (has (p {c} ?i) ?v)) (true (has (p {c} ?i) ?v)) (distinct ?v b))"
    );
    let _ = match tape.below(2) {
        0 => writeln!(
            text,
            "(<= (next (has (p {c} ?i) b)) (true (has (p {c} ?i) b)) (not (taken (p {c} ?i))))"
        ),
        // Two who move at once leave what neither of them has taken.
        _ => writeln!(
            text,
            "(<= (next (has (p {c} ?i) b)) (true (has (p {c} ?i) b)) (acts ?r (set ?s)) (distinct (p {c} ?i) ?s) (not (taken (p {c} ?i))))
(<= (some-set) (acts ?r (set ?s)))
(<= (next (has (p {c} ?i) b)) (true (has (p {c} ?i) b)) (not (some-set)))"
        ),
    };
    // A chain from the first square on, by recursion.
    let _ = writeln!(
        text,
        "(<= (chain {c} ?r (p {c} 0)) (role ?r) (true (has (p {c} 0) ?r)))
(<= (chain {c} ?r ?t) (chain {c} ?r ?s) (beside ?s ?t) (true (has ?t ?r)))
(<= (pair {c} ?r) (beside ?s ?t) (true (has ?s ?r)) (true (has ?t ?r)) (role ?r) (square (p {c} ?i)) (distinct ?s (p x ?i)))
(<= (open {c}) (true (has (p {c} ?i) b)))"
    );
    let role = tape.below(roles);
    let conditions = vec![
        format!("(chain {c} r{role} (p {c} {}))", count - 1),
        format!("(pair {c} r{})", (role + 1) % roles),
        format!("(true (has (p {c} 0) r{role}))"),
        format!("(open {c})"),
        format!("(true (has (p {c} 1) b))"),
    ];
    Component { text, conditions }
}

/// A heap that gets smaller, or is filled again.
fn heap(tape: &mut Tape, place: &Place<'_>) -> Component {
    let Place { number: c, lock, leak, .. } = *place;
    let size = 1 + tape.below(4);
    let mut text = String::new();
    let _ = writeln!(text, "(init (heap {c} {size}))");
    for from in 1..=size {
        for less in 1..=from.min(1 + tape.below(3)) {
            let _ = writeln!(text, "(fall {c} {from} {less} {})", from - less);
        }
    }
    if tape.one_in(4) {
        let _ = writeln!(text, "(fall {c} 0 1 {size})");
    }
    let _ = writeln!(
        text,
        "(<= (can {c} ?r (take {c} ?k)) (role ?r) (true (heap {c} ?n)) (fall {c} ?n ?k ?m) {lock})
(<= (drawn {c}) (acts ?r (take {c} ?k)))
(<= (next (heap {c} ?m)) (acts ?r (take {c} ?k)) (true (heap {c} ?n)) (fall {c} ?n ?k ?m) {leak})
(<= (next (heap {c} ?n)) (true (heap {c} ?n)) (not (drawn {c})))"
    );
    let mut conditions: Vec<String> =
        [0, size / 2, size].map(|n| format!("(true (heap {c} {n}))")).to_vec();
    conditions.dedup();
    Component { text, conditions }
}

/// A walker on a small graph; where it can still come is found by recursion.
fn walker(tape: &mut Tape, place: &Place<'_>) -> Component {
    let Place { number: c, lock, leak, .. } = *place;
    let nodes = 2 + tape.below(4);
    let falls = tape.one_in(2);
    let mut text = String::new();
    let _ = writeln!(text, "(init (at {c} 0))");
    for node in 0..nodes {
        for _ in 0..1 + tape.below(2) {
            let to = match falls {
                true => node + tape.below(nodes - node),
                false => tape.below(nodes),
            };
            if to != node || tape.one_in(3) {
                let _ = writeln!(text, "(edge {c} {node} {to})");
            }
        }
    }
    let _ = writeln!(text, "(edge {c} 0 {})", nodes - 1);
    let _ = writeln!(
        text,
        "(<= (can {c} ?r (go {c} ?y)) (role ?r) (true (at {c} ?x)) (edge {c} ?x ?y) {lock})
(<= (went {c}) (acts ?r (go {c} ?y)))
(<= (next (at {c} ?y)) (acts ?r (go {c} ?y)) {leak})
(<= (next (at {c} ?x)) (true (at {c} ?x)) (not (went {c})))
(<= (ahead {c} ?x) (true (at {c} ?x)))
(<= (ahead {c} ?y) (ahead {c} ?x) (edge {c} ?x ?y))"
    );
    let one = tape.below(nodes);
    let conditions = vec![
        format!("(true (at {c} {one}))"),
        format!("(true (at {c} {}))", nodes - 1),
        format!("(ahead {c} {one})"),
        format!("(not (ahead {c} {}))", tape.below(nodes)),
    ];
    Component { text, conditions }
}
