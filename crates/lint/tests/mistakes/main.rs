//! Typical mistakes of authors: a bundled game, something changed in it, and what the check must say.
//!
//! A mistake is found if a finding that the game itself does not have points into the rule that was
//! changed, or into one that the list names. A suggestion is right if it is what stood there before.

mod fresh;
mod more;

use std::path::{Path, PathBuf};

use gambol_lint::{Examination, Finding, examine};
use gambol_syntax::{Severity, Source};

fn games() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")
}

/// In a game the text `old` is replaced by `new`, once. `meant` is the word a suggestion must hold;
/// empty if there is nothing to suggest. `at` is a text of the rule to be named; empty: the changed one.
struct Mistake {
    game: &'static str,
    old: &'static str,
    new: &'static str,
    meant: &'static str,
    at: &'static str,
}

const fn slip(
    game: &'static str,
    old: &'static str,
    new: &'static str,
    meant: &'static str,
) -> Mistake {
    Mistake { game, old, new, meant, at: "" }
}

const fn gap(
    game: &'static str,
    old: &'static str,
    new: &'static str,
    at: &'static str,
) -> Mistake {
    Mistake { game, old, new, meant: "", at }
}

const MISTAKES: &[Mistake] = &[
    // Fluents, where they are read.
    slip("tic-tac-toe", "(true (cell ?x1 ?y1 ?m))", "(true (cel ?x1 ?y1 ?m))", "cell"),
    slip("tic-tac-toe", "(<= open (true (cell", "(<= open (true (clel", "cell"),
    slip("connect-four", "(true (turn ?player)) (column", "(true (trun ?player)) (column", "turn"),
    slip("hanoi", "(smaller ?d ?e) (true (on ?d", "(smaller ?d ?e) (true (onn ?d", "on"),
    slip("wolf-goat-cabbage", "(true (crossings 10))", "(true (crossing 10))", "crossings"),
    slip("monty-hall", "(true (car ?d)) (true (choice", "(true (car ?d)) (true (choise", "choice"),
    slip("nim", "(<= more (true (left ?h ?n))", "(<= more (true (lefft ?h ?n))", "left"),
    // Fluents, where they are set.
    slip("tic-tac-toe", "(init (turn xplayer))", "(init (tunr xplayer))", "turn"),
    slip("wolf-goat-cabbage", "(next (crossings ?n))", "(next (crosings ?n))", "crossings"),
    slip("hanoi", "(next (moves ?n)) (true", "(next (movs ?n)) (true", "moves"),
    slip("buttons-and-lights", "(next (clock ?m))", "(next (clokc ?m))", "clock"),
    slip("connect-four", "(next (turn ?other))", "(next (turns ?other))", "turn"),
    // Moves.
    slip(
        "tic-tac-toe",
        "(taken ?x ?y) (does ?player (put",
        "(taken ?x ?y) (does ?player (putt",
        "put",
    ),
    slip("connect-four", "(does ?player (drop ?x))", "(does ?player (dorp ?x))", "drop"),
    slip("nim", "(touched ?h) (does ?player (leave", "(touched ?h) (does ?player (leaves", "leave"),
    slip("hanoi", "(carried ?d) (does mover (carry", "(carried ?d) (does mover (cary", "carry"),
    slip(
        "breakthrough",
        "(<= (leaves ?x ?y) (does ?side (move",
        "(<= (leaves ?x ?y) (does ?side (moev",
        "move",
    ),
    slip("monty-hall", "(legal guest switch)", "(legal guest swich)", "switch"),
    slip("monty-hall", "(does guest switch)\n", "(does guest swithc)\n", "switch"),
    slip("pig", "(<= held (does ?p hold))", "(<= held (does ?p hodl))", "hold"),
    slip(
        "wolf-goat-cabbage",
        "(<= (crosses ?c) (does ferryman (ferry",
        "(<= (crosses ?c) (does ferryman (fery",
        "ferry",
    ),
    // Constants.
    slip("tic-tac-toe", "(distinct ?m empty)", "(distinct ?m emtpy)", "empty"),
    slip(
        "tic-tac-toe",
        "(<= (legal ?player (put ?x ?y)) (true (turn ?player)) (true (cell ?x ?y empty)))",
        "(<= (legal ?player (put ?x ?y)) (true (turn ?player)) (true (cell ?x ?y empy)))",
        "empty",
    ),
    slip("tic-tac-toe", "(init (turn xplayer))", "(init (turn xplayr))", "xplayer"),
    slip("breakthrough", "(init (turn white))", "(init (turn whit))", "white"),
    slip("breakthrough", "(home black 8)", "(home blakc 8)", "black"),
    slip("wolf-goat-cabbage", "(true (at ?thing near))", "(true (at ?thing naer))", "near"),
    slip(
        "wolf-goat-cabbage",
        "(<= waiting (true (at ?thing near)))",
        "(<= waiting (true (at ?thing neer)))",
        "near",
    ),
    slip("hanoi", "(distinct ?p right)", "(distinct ?p rihgt)", "right"),
    slip(
        "buttons-and-lights",
        "allLit (true (lit first)) (true (lit second))",
        "allLit (true (lit first)) (true (lit secnod))",
        "second",
    ),
    slip(
        "connect-four",
        "(<= (step rising ?x ?y ?x2 ?y2)",
        "(<= (step rising ?x ?y ?x2 ?yy2)",
        "y2",
    ),
    // Relations.
    slip("tic-tac-toe", "(<= decided (wins ?player))", "(<= decided (winns ?player))", "wins"),
    slip("tic-tac-toe", "(not (taken ?x ?y))", "(not (takne ?x ?y))", "taken"),
    slip("tic-tac-toe", "(<= terminal (not open))", "(<= terminal (not opne))", "open"),
    slip("connect-four", "(landing ?x ?y))\n", "(lnading ?x ?y))\n", "landing"),
    slip("nim", "(less ?a ?b) (succ ?b ?c)", "(less ?a ?b) (suc ?b ?c)", "succ"),
    slip("hanoi", "(not (barred ?d ?q))", "(not (bared ?d ?q))", "barred"),
    slip("breakthrough", "(<= terminal (wins ?side))", "(<= terminal (win ?side))", "wins"),
    slip("pig", "(<= (adds ?p ?n) (does", "(<= (addds ?p ?n) (does", "adds"),
    slip("wolf-goat-cabbage", "(<= eaten\n", "(<= eatne\n", "eaten"),
    // Words of the language.
    slip("tic-tac-toe", "(<= (legal ?player wait)", "(<= (leagl ?player wait)", "legal"),
    slip("nim", "(<= terminal (not more))", "(<= termnial (not more))", "terminal"),
    slip("hanoi", "(<= (next (moves", "(<= (nxet (moves", "next"),
    slip("tic-tac-toe", "(<= (goal ?player 50)", "(<= (gaol ?player 50)", "goal"),
    slip("connect-four", "(init (turn red))", "(inti (turn red))", "init"),
    slip(
        "wolf-goat-cabbage",
        "(legal ferryman (ferry nothing))",
        "(legal feryman (ferry nothing))",
        "ferryman",
    ),
    slip("tic-tac-toe", "(<= (goal ?player 100) (wins", "(<= (gaol ?player 100) (wins", "goal"),
    // Variables.
    slip(
        "tic-tac-toe",
        "(next (cell ?x ?y ?m)) (does ?player (put ?x ?y)) (marks ?player ?m)",
        "(next (cell ?x ?y ?m)) (does ?player (put ?x ?y)) (marks ?plyer ?m)",
        "player",
    ),
    slip(
        "tic-tac-toe",
        "(<= (goal ?player 0) (opponent ?player ?other) (wins ?other))",
        "(<= (goal ?player 0) (opponent ?player ?other) (wins ?ohter))",
        "other",
    ),
    slip(
        "connect-four",
        "(<= (next (cell ?x ?y ?colour)) (true (cell ?x ?y ?colour)))",
        "(<= (next (cell ?x ?y ?colour)) (true (cell ?x ?y ?color)))",
        "color",
    ),
    slip("wolf-goat-cabbage", "(true (at ?prey ?bank))", "(true (at ?prye ?bank))", "prey"),
    slip(
        "nim",
        "(<= (legal ?player wait) (opponent ?player ?mover) (true (turn ?mover)))",
        "(<= (legal ?player wait) (opponent ?player ?mover) (true (turn ?moover)))",
        "mover",
    ),
    // Rules that are missing.
    gap(
        "tic-tac-toe",
        "(<= (next (cell ?x ?y ?m)) (true (cell ?x ?y ?m)) (distinct ?m empty))",
        "",
        "(next (cell ?x ?y ?m))",
    ),
    gap(
        "tic-tac-toe",
        "(<= (next (cell ?x ?y empty)) (true (cell ?x ?y empty)) (not (taken ?x ?y)))",
        "",
        "(cell ?x ?y empty)",
    ),
    gap(
        "tic-tac-toe",
        "(<= (legal ?player wait) (opponent ?player ?mover) (true (turn ?mover)))",
        "",
        "(<= (legal ?player (put",
    ),
    gap("buttons-and-lights", "(init (clock 1))", "", "(clock"),
    gap("hanoi", "(<= (next (moves ?n)) (true (moves ?m)) (succ ?m ?n))", "", "(true (moves 20))"),
    gap("tic-tac-toe", "(<= (goal ?player 50) (role ?player) (not decided))", "", "(goal ?player"),
    gap("nim", "(<= (goal ?player 0) (true (turn ?player)) (not more))", "", "(goal ?player"),
    // The shape of rules.
    gap("tic-tac-toe", "(<= decided (wins ?player))", "(<= decided (wins ?player)", ""),
    gap("tic-tac-toe", "(<= decided (wins ?player))", "(<= decided (wins ?player)))", ""),
    gap("nim", "(<= (touched ?h) (does", "(<= (touched ?h ?m ?k) (does", "(touched"),
    gap("hanoi", "(barred ?d ?p)", "(barred ?d)", ""),
    gap(
        "connect-four",
        "(<= (legal ?player (drop ?x)) (true (turn ?player)) (column ?x)",
        "(<= (legal ?player (drop ?x)) (true (turn ?player))",
        "",
    ),
    gap(
        "tic-tac-toe",
        "(<= (goal ?player 50) (role ?player) (not",
        "(<= (goal ?player 50) (not",
        "",
    ),
    gap(
        "wolf-goat-cabbage",
        "(<= (next (at boat ?to)) (true (at boat ?from))",
        "(<= (next (at boat ?to)) (true (at ?from boat))",
        "",
    ),
    gap(
        "breakthrough",
        "(<= (arrived ?side) (far ?side ?y)",
        "(<= (arrived ?side) (far ?y ?side)",
        "",
    ),
    gap(
        "connect-four",
        "(<= (occupied ?x ?y) (true (cell ?x ?y ?colour)))",
        "(<= (occupied ?x ?y) (cell ?x ?y ?colour))",
        "",
    ),
    gap(
        "tic-tac-toe",
        "(<= (next (turn ?other)) (true (turn ?player))",
        "(<= (next (turn ?other)) (next (turn ?player))",
        "",
    ),
    gap("hanoi", "(<= (goal mover 0) unfinished)", "(<= (goal mover low) unfinished)", ""),
    gap(
        "nim",
        "(<= (less ?a ?b) (succ ?a ?b))",
        "(<= (less ?a ?b) (succ ?a ?b))\n(<= (less ?m ?n) (succ ?m ?n))",
        "(<= (less ?m ?n) (succ ?m ?n))",
    ),
    gap(
        "tic-tac-toe",
        "(<= (legal ?player (put ?x ?y)) (true (turn ?player))",
        "(<= (legal ?player (put ?x ?y)) (does ?player wait)",
        "",
    ),
];

/// Whether `base` and `input` stay in a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declarations {
    Kept,
    LeftOut,
}

/// What the check says of a text: the findings that the game itself does not have.
struct Answer {
    text: String,
    new: Vec<Finding>,
}

fn answer(mistake: &Mistake, declarations: Declarations) -> Answer {
    let path = games().join(mistake.game).join("rules.kif");
    let mut text = std::fs::read_to_string(path).expect("a bundled game");
    if declarations == Declarations::LeftOut {
        let declares = |line: &&str| {
            let head = line.strip_prefix("(<= ").unwrap_or(line);
            head.starts_with("(base ") || head.starts_with("(input ")
        };
        text =
            text.lines().filter(|line| !declares(line)).map(|line| format!("{line}\n")).collect();
    }
    assert!(text.contains(mistake.old), "{}: {}", mistake.game, mistake.old);
    let changed = text.replacen(mistake.old, mistake.new, 1);
    let before = examine(text.as_bytes(), &Examination::default());
    let mut new = examine(changed.as_bytes(), &Examination::default());
    new.retain(|it| {
        !before.iter().any(|old| (old.category, &old.message) == (it.category, &it.message))
    });
    Answer { text: changed, new }
}

/// The lines of the rule around a place: from one line that begins with a parenthesis to the next.
fn rule_around(text: &str, place: usize) -> std::ops::RangeInclusive<u32> {
    let begins = |line: &str| line.starts_with('(');
    let lines: Vec<&str> = text.lines().collect();
    let line = text[..place].matches('\n').count();
    let first = (0..=line).rev().find(|&number| begins(lines[number])).unwrap_or(0);
    let after = (line + 1..lines.len()).find(|&number| begins(lines[number]));
    let last = after.map_or(lines.len(), |number| number - 1);
    u32::try_from(first + 1).unwrap()..=u32::try_from(last.max(first) + 1).unwrap()
}

impl Answer {
    /// Whether a finding points at the rule.
    fn names_rule(&self, mistake: &Mistake) -> bool {
        let wanted = if mistake.at.is_empty() { mistake.new.trim() } else { mistake.at };
        let places: Vec<usize> = self.text.match_indices(wanted).map(|(place, _)| place).collect();
        self.new.iter().filter_map(|finding| finding.span).any(|span| {
            let (line, _) = Source::new(self.text.as_bytes()).line_column(span.start);
            places.iter().any(|&place| rule_around(&self.text, place).contains(&line))
        })
    }

    fn suggests(&self, mistake: &Mistake) -> bool {
        let hints = self.new.iter().filter_map(|finding| finding.hint.as_deref());
        let words = |hint: &str| -> Vec<String> {
            hint.split(|letter: char| !letter.is_alphanumeric()).map(str::to_owned).collect()
        };
        hints.map(words).any(|words| words.iter().any(|word| word == mistake.meant))
    }
}

#[test]
fn typical_mistakes_are_named_with_their_rule() {
    check(MISTAKES, Declarations::Kept);
}

#[test]
fn mistakes_in_games_of_other_kinds_are_named_with_their_rule() {
    check(more::MORE_MISTAKES, Declarations::Kept);
}

#[test]
fn mistakes_that_nobody_had_in_mind_are_named_with_their_rule() {
    check(fresh::FRESH_MISTAKES, Declarations::Kept);
    check(fresh::FRESH_MISTAKES, Declarations::LeftOut);
}

fn check(mistakes: &[Mistake], declarations: Declarations) {
    let (mut named, mut typos, mut suggested, mut messages) = (0, 0, 0, 0);
    let mut report = String::new();
    for mistake in mistakes {
        let answer = answer(mistake, declarations);
        let found = answer.names_rule(mistake);
        named += usize::from(found);
        messages += answer.new.len();
        let right = mistake.meant.is_empty() || answer.suggests(mistake);
        if !mistake.meant.is_empty() {
            typos += 1;
            suggested += usize::from(right);
        }
        if !found || !right || answer.new.len() > 2 {
            let said: Vec<String> = answer
                .new
                .iter()
                .map(|it| {
                    let (line, _) = it.span.map_or((0, 0), |span| {
                        Source::new(answer.text.as_bytes()).line_column(span.start)
                    });
                    format!("\n    {line}: [{}] {} ({:?})", it.category, it.message, it.hint)
                })
                .collect();
            report += &format!(
                "\n{}: {} -> {}: rule {found}, suggestion {right}{}",
                mistake.game,
                mistake.old,
                mistake.new,
                said.concat()
            );
        }
    }
    let all = mistakes.len();
    assert!(named * 100 >= all * 95, "{named} of {all} name the rule{report}");
    assert!(suggested * 100 >= typos * 80, "{suggested} of {typos} suggestions are right{report}");
    assert!(messages * 2 <= all * 3, "{messages} messages for {all} mistakes");
}

/// A slip of the hand in a word: two letters exchanged, one left out, one doubled, or one changed.
fn mistyped(word: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let place = 1 + random.below(letters.len() - 1);
    match random.below(4) {
        0 => letters.swap(place - 1, place),
        1 => _ = letters.remove(place),
        2 => letters.insert(place, letters[place]),
        _ => letters[place] = char::from(b'a' + u8::try_from(random.below(26)).unwrap()),
    }
    letters.into_iter().collect()
}

/// A small generator: the same slips in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// Where words of at least three letters stand that are no numbers, outside comments.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = &line[..line.find(';').unwrap_or(line.len())];
        for word in code.split(|letter: char| " ()?\t\r\n".contains(letter)) {
            if word.len() > 2 && word.chars().all(|letter| letter.is_ascii_alphabetic()) {
                let place = start + (word.as_ptr() as usize - line.as_ptr() as usize);
                found.push((place, word));
            }
        }
        start += line.len();
    }
    found
}

/// Slips of the hand anywhere: `GAMBOL_CASES` says how many, and lists those that are not found.
#[test]
fn slips_of_the_hand_are_found_in_most_places() {
    let listed = std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = listed.unwrap_or(150);
    let names = [
        "tic-tac-toe",
        "connect-four",
        "nim",
        "hanoi",
        "breakthrough-4x4",
        "monty-hall",
        "wolf-goat-cabbage",
        "pig",
        "blocker",
        "chomp",
        "kuhn-poker",
        "lights-out-3x3",
        "water-jugs",
    ];
    let mut random = Random(7);
    let (mut named, mut suggested, mut tried) = (0, 0, 0);
    while tried < cases {
        let game = names[random.below(names.len())];
        let text = std::fs::read_to_string(games().join(game).join("rules.kif")).unwrap();
        let places = words(&text);
        let (place, word) = places[random.below(places.len())];
        let typo = mistyped(word, &mut random);
        if text.contains(&typo) {
            continue;
        }
        tried += 1;
        let changed = format!("{}{typo}{}", &text[..place], &text[place + word.len()..]);
        let rule = rule_around(&changed, place);
        let findings = examine(changed.as_bytes(), &Examination::default());
        let new: Vec<&Finding> =
            findings.iter().filter(|it| it.severity != Severity::Note).collect();
        let here = new
            .iter()
            .filter_map(|it| it.span)
            .any(|span| rule.contains(&Source::new(changed.as_bytes()).line_column(span.start).0));
        let right = new.iter().filter_map(|it| it.hint.as_deref()).any(|hint| hint.contains(word));
        named += usize::from(here);
        suggested += usize::from(right);
        if listed.is_some() && (!here || !right) {
            let line = changed.lines().nth(*rule.start() as usize - 1).unwrap_or_default();
            println!("{game}: {word} -> {typo} in {line}: rule {here}, suggestion {right}");
            for it in new {
                println!("    [{}] {} ({:?})", it.category, it.message, it.hint);
            }
        }
    }
    println!("{named} of {tried} named, {suggested} suggested");
    assert!(named * 100 >= tried * 80, "{named} of {tried} slips are found where they are");
    assert!(suggested * 100 >= tried * 75, "{suggested} of {tried} slips get the right suggestion");
}

#[test]
fn bundled_games_have_nothing_odd() {
    for entry in std::fs::read_dir(games()).unwrap() {
        let path = entry.unwrap().path().join("rules.kif");
        let Ok(text) = std::fs::read(&path) else { continue };
        let findings = examine(&text, &Examination { play: Some(0), ..Examination::default() });
        let odd: Vec<&Finding> =
            findings.iter().filter(|finding| finding.severity != Severity::Note).collect();
        assert!(odd.is_empty(), "{}: {odd:?}", path.display());
    }
}
