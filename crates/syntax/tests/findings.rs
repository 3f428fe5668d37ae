//! What is said about small games that are broken in one way, and where.

use gambol_syntax::{Case, Diagnosis, Notation, ReadOptions, Source, check, read, stratification};

/// A game in which nothing is wrong. Each case replaces or adds a line.
const ROLES: &str = "(role left) (role right)";
const START: &str = "(init (lamp off))";
const MOVES: &str = "(<= (legal ?r wait) (role ?r)) (legal left press)";
const STEP: &str = "(<= (next (lamp on)) (does left press))";
const END: &str = "(<= terminal (true (lamp on)))";
const GOALS: &str = "(goal left 100) (goal right 0)";

fn findings(text: &str, notation: Notation) -> Vec<String> {
    let options = ReadOptions { syntax: Some(notation), ..ReadOptions::default() };
    let reading = read(text.as_bytes(), &options);
    let mut found = reading.diagnoses;
    if let Some(rules) = reading.rules {
        found.extend(check(&rules));
        let cycles = stratification::negative_cycles(&rules);
        found.extend(cycles.iter().map(|cycle| cycle.diagnosis(&rules)));
    }
    let source = Source::new(text.as_bytes());
    let show = |finding: &Diagnosis| match finding.span {
        Some(span) => {
            let (line, column) = source.line_column(span.start);
            format!("{}:{line}:{column}", finding.category.as_str())
        }
        None => finding.category.as_str().to_owned(),
    };
    found.iter().map(show).collect()
}

/// The findings about the game with one more line, the seventh.
fn check_line(line: &str, expected: &[&str]) {
    let text = [ROLES, START, MOVES, STEP, END, GOALS, line].join("\n");
    assert_eq!(findings(&text, Notation::Prefix), expected, "{line}");
}

/// The findings about the game without one of its lines.
fn check_without(line: &str, expected: &[&str]) {
    let lines = [ROLES, START, MOVES, STEP, END, GOALS];
    let text = lines.map(|kept| if kept == line { "" } else { kept }).join("\n");
    assert_eq!(findings(&text, Notation::Prefix), expected, "without {line}");
}

#[test]
fn nothing_is_said_about_a_good_game() {
    check_line("", &[]);
}

#[test]
fn a_game_needs_roles_moves_goals_and_an_end() {
    check_without(ROLES, &["static.missing-role"]);
    check_without(START, &[]);
    check_without(MOVES, &["static.missing-legal"]);
    check_without(END, &["static.missing-terminal"]);
    check_without(GOALS, &["static.missing-goal"]);
}

#[test]
fn every_role_needs_a_move_and_a_goal() {
    let text = "(role a)\n(role b)\n(legal a x)\n(goal a 1)\n(<= terminal (true z))";
    let expected = ["static.role-without-legal:2:1", "static.role-without-goal:2:1"];
    assert_eq!(findings(text, Notation::Prefix), expected);
}

#[test]
fn roles_are_constants_stated_as_facts() {
    check_line("(role (player 1))", &["static.role-not-constant:7:7"]);
    check_line(
        "(<= (role left) (true (lamp on)))",
        &["static.role-rule:7:5", "warn.duplicate-role:7:5", "static.init-depends:7:17"],
    );
    check_line("(<= (role left))", &["warn.duplicate-role:7:5"]);
    check_line("(legal middle wait)", &["warn.unknown-role:7:8"]);
}

#[test]
fn game_relations_have_their_arity_and_place() {
    check_line("(init lamp off)", &["static.keyword-arity:7:1"]);
    check_line("(<= (next a) (does press))", &["static.keyword-arity:7:14"]);
    check_line("(true (lamp on))", &["static.reserved-head:7:1"]);
    check_line("(<= (next a) (next b))", &["static.body-keyword:7:14"]);
    check_line("(<= (next a) (base b))", &["warn.body-base-input:7:14"]);
}

#[test]
fn reserved_words_are_no_names() {
    check_line("(init (mode or))", &["static.reserved-word:7:13"]);
    check_line("(<= (next a) (true ( not b)))", &["static.reserved-word:7:22"]);
    check_line("(<= (or (next a) (next b)) (true c))", &["static.reserved-word:7:6"]);
    check_line("(init (next a))", &["static.reserved-word:7:8"]);
    check_line("(<= (sees left (does ?r ?m)) (does ?r ?m))", &[]);
    check_line("(init (phase input))", &["warn.keyword-constant:7:14"]);
}

#[test]
fn connectives_are_the_known_ones_with_their_arity() {
    check_line("(<=terminal (true a))", &["static.unknown-connective:7:2"]);
    check_line("(=> (true a) (next b))", &["static.unknown-connective:7:2"]);
    check_line("(<= (next a) (not (true b) (true c)))", &["static.connective-arity:7:14"]);
    check_line("(<= (next a) (distinct a b c))", &["static.connective-arity:7:14"]);
    check_line("(<= (next a) (not (distinct b c)))", &[]);
}

#[test]
fn extensions_are_warned_about() {
    check_line("(<= (next a) (and (true b) (true c)))", &["warn.extension:7:14"]);
    check_line("(<= (next a) (or (true b) (or (true c))))", &["warn.extension:7:27"]);
    check_line("(<= (next a) (not (or (true b) (true c))))", &["warn.extension:7:19"]);
    check_line("(<= (next a) (or))", &["warn.empty-connective:7:14"]);
    check_line("(<= (next (a)) (true b))", &["warn.empty-parens:7:11"]);
}

#[test]
fn only_next_reads_the_moves_and_nothing_before_the_game_reads_the_state() {
    check_line("(<= (legal left a) (does right b))", &["static.does-dependence:7:20"]);
    check_line(
        "(<= busy (does left wait)) (<= (goal left 3) busy)",
        &["static.does-dependence:7:46"],
    );
    check_line("(<= (init a) (true b))", &["static.init-depends:7:14"]);
    check_line("(<= lit (true b)) (<= (input left a) (not lit))", &["static.init-depends:7:43"]);
}

#[test]
fn goal_values_are_numbers_up_to_a_hundred() {
    check_line("(goal left 101)", &["static.goal-value:7:12"]);
    check_line("(goal left +5)", &["static.goal-value:7:12"]);
    check_line("(goal left (s 1))", &["static.goal-value:7:12"]);
    check_line("(goal left 99999999999999999999)", &["static.goal-value:7:12"]);
    check_line("(goal left 007)", &[]);
}

#[test]
fn names_have_one_arity() {
    check_line("(near 1 2) (<= (next a) (near 1))", &["static.arity-mismatch:7:25"]);
    check_line("(init (cell 1)) (init (cell 1 2))", &["static.arity-mismatch:7:23"]);
    check_line("(init cell) (init (cell 1))", &[]);
}

#[test]
fn variables_are_bound() {
    check_line("(init (cell ?x))", &["static.fact-variable:7:13"]);
    check_line("(<= (next (cell ?x)) (true (lamp on)))", &["static.unsafe:7:17"]);
    check_line("(<= (next a) (not (true (cell ?x))))", &["static.unsafe:7:31"]);
    check_line("(<= (next a) (distinct ?x b))", &["static.unsafe:7:24"]);
    check_line("(<= (next (at ?x)) (or (true (p ?x)) (true (q ?x))))", &[]);
}

#[test]
fn relations_are_defined_and_used() {
    check_line("(<= (next a) lamp)", &["warn.undefined-relation:7:14"]);
    check_line("(spare 1)", &["warn.unused-relation:7:1"]);
    check_line("(init (Lamp on))", &["warn.case:7:8"]);
}

#[test]
fn nothing_depends_on_its_own_negation() {
    check_line(
        "(<= a (not b)) (<= b (not a)) (<= (next c) a)",
        &[
            "warn.predicate-unstratified:7:12",
            "static.unstratified:7:12",
            "static.unstratified:7:27",
        ],
    );
    check_line("(<= (goal left 5) (not (goal left 6)))", &["warn.predicate-unstratified:7:24"]);
}

#[test]
fn places_count_characters_in_every_kind_of_line() {
    let text = "\u{feff}(role é) ; ♞\r(legal é go)\r\n\t()\n(terminal";
    assert_eq!(
        findings(text, Notation::Prefix),
        ["syntax.empty-list:3:2", "syntax.unmatched-open:4:1"]
    );
    let text = b"(role r) ; \xff\n(init caf\xe9 a\x07b)";
    let reading = read(text, &ReadOptions::default());
    let source = Source::new(text);
    let places: Vec<_> =
        reading.diagnoses.iter().map(|d| source.line_column(d.span.unwrap().start)).collect();
    assert_eq!(places, [(2, 10), (2, 13)]);
}

#[test]
fn infix_text_is_checked_in_its_own_places() {
    let game = "role(r)\nlegal(r,go)\ngoal(r,100)\nterminal :- true(q)\n";
    let check_infix = |line: &str, expected: &[&str]| {
        assert_eq!(findings(&format!("{game}{line}"), Notation::Infix), expected, "{line}");
    };
    check_infix("next(at(Y)) :- does(r,X)", &["static.unsafe:5:9"]);
    check_infix("p :- not(q)", &["warn.unused-relation:5:1", "static.reserved-word:5:6"]);
    check_infix("percept(r,light)\nsees(r,light) :- does(r,go)", &[]);
    check_infix("next(q) :- true(p) | distinct(a,b)", &[]);
}

#[test]
fn folding_makes_names_equal() {
    let text = b"(role White) (legal WHITE go) (goal white 1) (<= terminal (true A) (true a))";
    let options = ReadOptions { case: Case::Fold, ..ReadOptions::default() };
    let folded = check(&read(text, &options).rules.unwrap());
    assert!(folded.is_empty(), "{folded:?}");
    let exact = check(&read(text, &ReadOptions::default()).rules.unwrap());
    assert!(exact.iter().any(|finding| finding.is_error()));
}
