//! Whatever bytes come in, no reader panics: rules in both notations, automata, policies, diagrams, checkpoints,
//! certificates, stores, messages. Mutations of well-formed texts, in this process. (Records of matches and databases
//! are read by the program alone, and tried there.)
//!
//! `GAMBOL_CASES=10000000 cargo test --release -p gambol --test readers` tries more than the usual 100,000.

mod mutation;
mod solves;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use gambol::play::{Player, PlayerOptions};
use gambol::regress::{
    DiagramPolicy, Limits, Options, Preferences, diagram_from_bytes, diagram_to_bytes,
    find_policy_saving, policy_from_text, policy_to_text, read_automaton, read_checkpoint,
    regress_in_layers,
};
use gambol::syntax::print::{to_infix, to_prefix};
use gambol::syntax::{Notation, ReadOptions, check, read, repair};
use gambol::{bundled_automaton, bundled_game};

use crate::mutation::{Random, mutated};

/// A file whose last line is the digest of the rest, with that line made right: else no mutation would come past it.
fn resealed(file: &[u8]) -> Vec<u8> {
    let end = file.len().saturating_sub("sum 0123456789abcdef\n".len());
    let (mut content, mut sum) = (file[..end].to_vec(), 0xcbf2_9ce4_8422_2325_u64);
    for byte in &content {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    }
    content.extend_from_slice(format!("sum {sum:016x}\n").as_bytes());
    content
}

/// Reads bytes, and does not care what becomes of them.
pub(crate) type Read = Box<dyn Fn(&[u8])>;

/// A reader, and texts that it accepts.
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    pub(crate) texts: Vec<Vec<u8>>,
    pub(crate) read: Read,
}

fn cases() -> usize {
    std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100_000)
}

fn readers() -> Vec<Reader> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let rules: Vec<Vec<u8>> = ["tic-tac-toe", "nim-2-3-4", "monty-hall", "hex-3x3"]
        .map(|name| bundled_game(name).unwrap().rules().into_owned())
        .into();
    let parsed = |rules: &Vec<u8>| read(rules, &ReadOptions::default()).rules.unwrap();
    let infix = rules.iter().map(|rules| to_infix(&parsed(rules)).into_bytes()).collect();
    let prefix: Vec<Vec<u8>> =
        rules.iter().map(|rules| to_prefix(&parsed(rules)).into_bytes()).collect();
    let message = |rules: &Vec<u8>| format!("(START m x ({}) 0 0)", text(rules)).into_bytes();
    let mut messages: Vec<Vec<u8>> = prefix.iter().map(message).collect();
    messages.extend(
        ["(PLAY m (noop (mark 1 1)))", "(INFO)", "(STOP m nil)", "(ABORT m)"].map(Into::into),
    );
    let source = bundled_automaton("counterexample.autre").unwrap();
    let automaton = read_automaton(&source).unwrap();
    let mut checkpoints = Vec::new();
    let found =
        find_policy_saving(&automaton, &Options::default(), None, &mut |_| (), &mut |write| {
            checkpoints.push(write().into_bytes());
        });
    let policy = policy_to_text(&found.unwrap().policy).into_bytes();
    let checkpoints: Vec<Vec<u8>> = checkpoints.into_iter().step_by(7).collect();
    assert!(!checkpoints.is_empty());
    let diagram: DiagramPolicy = {
        let preferences = Preferences::of(&automaton, false);
        let layers = regress_in_layers(&automaton, &preferences, &Limits::default(), &mut |_| ());
        layers.unwrap().policy()
    };
    let player = silent_player();
    let mut all = vec![
        Reader {
            name: "rules",
            texts: rules,
            read: Box::new(|bytes| read_rules(bytes, Notation::Prefix)),
        },
        Reader {
            name: "infix",
            texts: infix,
            read: Box::new(|bytes| read_rules(bytes, Notation::Infix)),
        },
        Reader {
            name: "automata",
            texts: vec![source.into_bytes()],
            read: Box::new(move |bytes| drop(read_automaton(&text(bytes)))),
        },
        Reader {
            name: "policies",
            texts: vec![policy],
            read: Box::new(move |bytes| {
                drop(policy_from_text(&text(bytes)));
                drop(policy_from_text(&text(&resealed(text(bytes).as_bytes()))));
            }),
        },
        Reader {
            name: "diagrams",
            texts: vec![diagram_to_bytes(&diagram)],
            read: Box::new(|bytes| {
                drop(diagram_from_bytes(bytes));
                drop(diagram_from_bytes(&resealed(bytes)));
            }),
        },
        Reader {
            name: "checkpoints of regressions",
            texts: checkpoints,
            read: Box::new(move |bytes| {
                drop(read_checkpoint(&text(bytes), &automaton, false));
                let resealed = text(&resealed(text(bytes).as_bytes()));
                drop(read_checkpoint(&resealed, &automaton, false));
            }),
        },
        Reader {
            name: "messages",
            texts: messages,
            read: Box::new(move |bytes| drop(player.answer(&text(bytes), Instant::now()))),
        },
    ];
    all.extend(solves::readers());
    all
}

/// A player that takes no match: its messages are read, and nothing is begun.
fn silent_player() -> Player {
    let mut options = PlayerOptions::default();
    options.most_matches = 0;
    Player::new(options)
}

fn read_rules(bytes: &[u8], notation: Notation) {
    let options = ReadOptions { syntax: Some(notation), ..ReadOptions::default() };
    if let Some(rules) = read(bytes, &options).rules {
        drop(check(&rules));
        drop(repair(rules));
    }
}

#[test]
fn no_reader_panics() {
    let readers = readers();
    let each = cases().div_ceil(readers.len());
    let panics = AtomicUsize::new(0);
    for reader in &readers {
        let started = Instant::now();
        let mut random = Random(each as u64);
        reader.texts.iter().for_each(|text| (reader.read)(text));
        for number in 0..each {
            let text = mutated(&reader.texts[number % reader.texts.len()], &mut random);
            if catch_unwind(AssertUnwindSafe(|| (reader.read)(&text))).is_err() {
                panics.fetch_add(1, Ordering::Relaxed);
                let shown = String::from_utf8_lossy(&text);
                let shown: String = shown.chars().take(3000).collect();
                assert!(
                    panics.load(Ordering::Relaxed) < 3,
                    "{}, case {number}: {shown}",
                    reader.name
                );
            }
        }
        println!("{}: {each} in {:.1} s", reader.name, started.elapsed().as_secs_f64());
    }
    assert_eq!(panics.into_inner(), 0);
}
