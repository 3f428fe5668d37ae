//! Texts made to waste time or memory: each is read, checked, repaired and printed without trouble.

#![expect(clippy::print_stdout, reason = "a test says what it measured")]

use std::time::{Duration, Instant};

use gambol_syntax::{
    Colour, Notation, ReadOptions, Source, check, print, read, repair, report, stratification,
};

/// Everything this crate can do with a text, within a time that only a quadratic step would exceed.
fn survive(what: &str, notation: Notation, text: &str) {
    assert!(text.len() <= 4 << 20, "{what}: the text would be refused by its size");
    let start = Instant::now();
    let reading =
        read(text.as_bytes(), &ReadOptions { syntax: Some(notation), ..Default::default() });
    let mut findings = reading.diagnoses;
    if let Some(rules) = reading.rules {
        findings.extend(check(&rules));
        stratification::negative_cycles(&rules);
        print::to_prefix(&rules);
        print::to_infix(&rules);
        findings.extend(repair(rules).diagnoses);
    }
    let source = Source::new(text.as_bytes());
    for finding in &findings {
        assert!(report(finding, &source, "text", Colour::Never).len() < 2000);
    }
    let time = start.elapsed();
    println!("{what:?}: {time:?}, {} findings", findings.len());
    assert!(time < Duration::from_secs(20), "{what}: {time:?}");
}

fn numbered(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

#[test]
fn repetitions_in_prefix_notation() {
    for item in [
        "(", ")", "(p)", "()", "?", "p ", "\"", "|", "\"|", ";\n", "\n", "é", "(<=", "(?x a)", "\0",
    ] {
        survive(item, Notation::Prefix, &item.repeat(200_000 / item.len()));
    }
}

#[test]
fn repetitions_in_infix_notation() {
    for item in [
        "(", ")", "p ", "p(", "~", "$", "[", "'", ";", "=", ".", ",", ":-", "a:-b ", "a:-~", "X\n",
        "a:-(b\n", "_", "♞",
    ] {
        survive(item, Notation::Infix, &item.repeat(200_000 / item.len()));
    }
}

#[test]
fn many_faults_of_every_kind() {
    for item in [
        "(p ?x)",
        "(<= p (not p))",
        "(<= (legal ?r a) (does ?r a))",
        "(role (f a))",
        "(true a)",
        "(init (or a))",
        "(base a b)",
        "(<= a (distinct a))",
        "(goal r x)",
        "(<= (p ?x) (p (s ?x)))",
    ] {
        survive(item, Notation::Prefix, &item.repeat(200_000 / item.len()));
    }
    survive("spellings", Notation::Prefix, &numbered(20_000, |n| format!("(P{n} a)(p{n} A)")));
    survive(
        "foreign names",
        Notation::Prefix,
        &numbered(20_000, |n| format!("(p <{n}>)(q >{n}<)")),
    );
}

#[test]
fn wide_recursion() {
    let arguments = |prefix: &str| numbered(900, |n| format!(" ?{prefix}{n}"));
    let recursive = format!("(p{})", arguments("x")).repeat(300);
    let other = format!("(q{})", arguments("y")).repeat(300);
    survive(
        "recursion",
        Notation::Prefix,
        &format!("(<= (p{}) {recursive} {other})", arguments("z")),
    );
}

#[test]
fn deep_alternatives() {
    let parts = numbered(300, |n| format!(" (q ?x{n})"));
    let open = format!("(or (and (p ?y){parts}) ").repeat(400);
    let text = format!("(<= (p (s ?y)) {open}(p ?y){})", ")".repeat(400));
    survive("alternatives", Notation::Prefix, &text);
    let open = format!("(not (and{parts} ").repeat(400);
    let text = format!("(<= (p ?y) {open}(p ?y){})", ")".repeat(800));
    survive("conjunctions", Notation::Prefix, &text);
}

#[test]
fn unification_of_many_large_heads() {
    let rule = |n: usize| format!("(<= (p (f ?x ?y) {n} ?z) (not (p ?z ?x (f ?x {n}))))");
    survive("unification", Notation::Prefix, &numbered(20_000, rule));
    let doubling = |n: usize| format!(" ?x{} (f ?x{n} ?x{n})", n + 1);
    let text = format!("(<= (p{}) (not (p{})))", numbered(300, doubling), numbered(300, doubling));
    survive("doubling", Notation::Prefix, &text);
}

#[test]
fn comments_inside_a_rule() {
    let text = numbered(900, |n| format!("(q{n}){}", ";c\n".repeat(1000)));
    survive("comments", Notation::Prefix, &format!("(<= p {text})"));
}
