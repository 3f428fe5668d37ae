//! Games with domains so large that the short cuts are taken by default: boards on which pieces move
//! and all others stay, and numbers that are compared.

use std::fmt::Write;

use gambol_ground::Shortcuts;
use gambol_net::When;

use crate::settings::Setting;
use crate::tape::Tape;

/// A board or a comparison of numbers of moderate size.
pub(crate) fn moderate(tape: &mut Tape) -> String {
    if tape.one_in(2) {
        let count = 5 + tape.below(20);
        numbers(tape, count, COMPARISONS)
    } else {
        let side = 3 + tape.below(3);
        board(tape, side)
    }
}

/// A board or a comparison of numbers so large that the default thresholds are passed.
pub(crate) fn large(tape: &mut Tape) -> String {
    if tape.one_in(2) {
        let count = 200 + tape.below(101);
        // What ties three numbers to one another has as many instances as there are triples.
        numbers(tape, count, &COMPARISONS[..COMPARISONS.len() - 1])
    } else {
        let side = 7 + tape.below(2);
        board(tape, side)
    }
}

/// The defaults, families and demand alone, and everything with thresholds at nothing. Rules that are
/// never split are too much here.
pub(crate) fn settings() -> Vec<Setting> {
    let with = |name: &str, set: fn(&mut Shortcuts)| {
        let mut shortcuts = Shortcuts::default();
        set(&mut shortcuts);
        Setting::of(name, shortcuts)
    };
    vec![
        with("default", |_| {}),
        with("no families", |it| it.families = When::Never),
        with("families", |it| it.families = When::Always),
        with("demand", |it| it.demand = When::Always),
        with("split and families", |it| {
            it.split = When::Always;
            it.families = When::Always;
        }),
        Setting::of("eager", Shortcuts::eager()),
    ]
}

/// What may tie a square that stays to the move that is made.
const TIES: &[&str] = &[
    "(distinct (f ?x ?y) (f ?x1 ?y1))",
    "(distinct (f ?x ?y) (f ?x2 ?y2))",
    "(distinct ?x ?x1)",
    "(distinct ?y ?y2)",
    "(not (near ?x ?x1))",
    "(or (distinct ?x ?x2) (distinct ?y ?y2))",
    "(or (not (near ?x ?x1)) (not (near ?y ?y1)))",
    "(not (and (near ?x ?x1) (near ?y ?y2)))",
    "(distinct (f ?x ?x1) (f ?y2 ?y))",
    "(near ?y ?y1)",
];

fn board(tape: &mut Tape, side: usize) -> String {
    let mut out = String::from("(role a) (role b)\n(legal b rest)\n");
    for index in 1..=side {
        let _ = write!(out, "(idx {index}) ");
        let _ = writeln!(out, "(near {index} {index}) (near {index} {})", index % side + 1);
    }
    for _ in 0..2 + tape.below(6) {
        let (x, y) = (1 + tape.below(side), 1 + tape.below(side));
        let _ = writeln!(out, "(init (at {x} {y}))");
    }
    let from = tape.pick(&["(true (at ?x1 ?y1))", "(idx ?x1) (idx ?y1)"]);
    let to = tape.pick(&["(idx ?x2) (idx ?y2)", "(near ?x1 ?x2) (idx ?y2)"]);
    let _ = writeln!(out, "(<= (legal a (mv ?x1 ?y1 ?x2 ?y2)) {from} {to})");
    for _ in 0..1 + tape.below(2) {
        let does = "(does a (mv ?x1 ?y1 ?x2 ?y2))";
        let ties: Vec<&str> = (0..1 + tape.below(3)).map(|_| tape.pick(TIES)).collect();
        let _ = writeln!(out, "(<= (next (at ?x ?y)) (true (at ?x ?y)) {does} {})", ties.join(" "));
    }
    out.push_str("(<= (next (at ?x2 ?y2)) (does ?p (mv ?x1 ?y1 ?x2 ?y2)))\n");
    let ties: Vec<&str> = (0..1 + tape.below(2)).map(|_| tape.pick(TIES)).collect();
    let squares = "(true (at ?x ?y)) (true (at ?x1 ?y1)) (true (at ?x2 ?y2))";
    let _ = writeln!(out, "(<= (lonely ?x ?y) {squares} {})", ties.join(" "));
    out.push_str("(<= (goal a 100) (lonely ?x ?y))\n(<= (goal a 0) (not (lonely 1 1)))\n");
    out.push_str("(<= terminal (not (true (at 1 1))) (not (true (at 2 2))))\n");
    out
}

/// What may be asked of three numbers that three players hold.
const COMPARISONS: &[&str] = &[
    "(gt ?x ?y)",
    "(not (gt ?x ?z))",
    "(or (not (gt ?x ?y)) (not (gt ?x ?z)))",
    "(or (gt ?y ?x) (distinct ?x ?z))",
    "(distinct ?p ?q)",
    "(distinct (f ?p ?x) (f ?q ?y))",
    "(not (and (gt ?y ?x) (gt ?z ?x)))",
    "(distinct (f ?x ?y) (f ?z ?z))",
];

fn numbers(tape: &mut Tape, count: usize, comparisons: &[&'static str]) -> String {
    let roles = ["a", "b", "c"];
    let mut out = String::new();
    for role in roles {
        let _ = write!(out, "(role {role}) (init (has {role} {})) ", tape.below(count));
    }
    for number in 0..count {
        let _ = write!(out, "(num {number}) ");
        if number > 0 {
            let _ = write!(out, "(succ {} {number}) ", number - 1);
        }
    }
    out.push_str("\n(<= (gt ?x ?y) (succ ?y ?x)) (<= (gt ?x ?z) (succ ?y ?x) (gt ?y ?z))\n");
    out.push_str("(<= (legal ?r (take ?x)) (role ?r) (num ?x))\n");
    out.push_str("(<= (next (has ?r ?x)) (does ?r (take ?x)))\n");
    let held = "(true (has ?p ?x)) (true (has ?q ?y)) (true (has ?s ?z))";
    for goal in [100, 50] {
        let asked: Vec<&str> = (0..1 + tape.below(3)).map(|_| tape.pick(comparisons)).collect();
        let _ = writeln!(
            out,
            "(<= (goal ?p {goal}) {held} (distinct ?p ?s) (distinct ?q ?s) {})",
            asked.join(" ")
        );
    }
    out.push_str("(<= terminal (true (has a 0)))\n");
    out
}
