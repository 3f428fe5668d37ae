//! Questions about games: each kind is asked, and its answer is what is known of the game.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gambol::quiz::{Answer, Kind, QuizError, QuizOptions, quiz};
use gambol::{Game, scramble};

fn options(questions: usize, kinds: &[Kind]) -> QuizOptions {
    QuizOptions { questions, kinds: kinds.to_vec(), ..QuizOptions::default() }
}

#[test]
fn tic_tac_toe_has_questions_of_every_kind() {
    let game = Game::bundled("tic-tac-toe").unwrap();
    let questions = quiz(&game, "tic-tac-toe", &options(70, &Kind::ALL)).unwrap();
    let kinds: BTreeSet<Kind> = questions.iter().map(|question| question.kind).collect();
    assert_eq!(kinds, BTreeSet::from(Kind::ALL));
    assert!(questions.is_sorted_by_key(|question| question.difficulty));
    assert_eq!(questions, quiz(&game, "tic-tac-toe", &options(70, &Kind::ALL)).unwrap());
    let features = &questions[0].features;
    assert_eq!(
        (features.players, features.dynamics, features.states),
        (2, "sequential", Some(5478))
    );
    assert_eq!((features.fluents, features.moves), (29, 20));
}

#[test]
fn who_stops_a_quiz_gets_what_was_asked_by_then() {
    let game = Game::bundled("tic-tac-toe").unwrap();
    let stopped_after = |wait: Duration| {
        let stop = Arc::new(AtomicBool::new(false));
        let options =
            QuizOptions { stop: Some(Arc::clone(&stop)), ..options(usize::MAX, &[Kind::Legal]) };
        std::thread::spawn(move || {
            std::thread::sleep(wait);
            stop.store(true, Ordering::Relaxed);
        });
        quiz(&game, "tic-tac-toe", &options)
    };
    assert!(matches!(stopped_after(Duration::ZERO), Err(QuizError::Stopped) | Ok(_)));
    // A busy machine may need longer for the first question.
    let some = [100, 1_000, 10_000]
        .map(Duration::from_millis)
        .into_iter()
        .find_map(|wait| stopped_after(wait).ok());
    let questions = some.expect("there are questions");
    assert!(!questions.is_empty() && questions.is_sorted_by_key(|question| question.difficulty));
}

#[test]
fn the_best_moves_are_those_that_keep_the_value() {
    let game = Game::bundled("nim-2-3-4").unwrap();
    for question in quiz(&game, "nim-2-3-4", &options(20, &[Kind::Best])).unwrap() {
        let position = game.state(&question.state.join(" ")).unwrap();
        let role = question.role.expect("somebody is asked");
        let Answer::Terms(best) = question.answer else { panic!("moves are asked for") };
        let legal: BTreeSet<String> =
            position.legal(&role).unwrap().iter().map(ToString::to_string).collect();
        assert!(best.iter().all(|name| legal.contains(name)) && best.len() < legal.len());
        let place = game.roles().unwrap().iter().position(|&one| one == role).unwrap();
        let worth = |name: &str| {
            let mut joint = ["wait", "wait"];
            joint[place] = name;
            let next = position.play(joint).unwrap();
            let mut solving = gambol::solve::SolveOptions::default();
            solving.at = Some(next.fluent_ids());
            game.solve(&solving).unwrap().values[place].value().unwrap()
        };
        let most = legal.iter().map(|name| worth(name)).max().unwrap();
        let keep: BTreeSet<&String> = legal.iter().filter(|name| worth(name) == most).collect();
        assert_eq!(best.iter().collect::<BTreeSet<_>>(), keep);
    }
}

#[test]
fn a_latch_that_has_fallen_stays_down() {
    let game = Game::bundled("tic-tac-toe").unwrap();
    for question in quiz(&game, "tic-tac-toe", &options(30, &[Kind::Latches])).unwrap() {
        let Answer::Terms(fallen) = question.answer else { panic!("latches are asked for") };
        let marked = question
            .state
            .iter()
            .filter(|name| name.starts_with("(cell") && !name.ends_with("empty)"));
        for mark in marked {
            assert!(fallen.contains(mark), "{mark} stays");
        }
    }
}

#[test]
fn scrambled_games_have_the_same_questions_in_other_words() {
    let game = Game::bundled("nim").unwrap();
    let other = scramble(&game, 3).unwrap();
    let kinds = [Kind::Terminal, Kind::Next];
    for question in quiz(&game, "nim", &options(10, &kinds)).unwrap() {
        let translated: Vec<String> =
            question.state.iter().map(|term| other.translate(term)).collect();
        let image = other.game.state(&translated.join(" ")).unwrap();
        match question.answer {
            Answer::Truth(over) => assert_eq!(image.is_terminal(), over),
            Answer::Terms(next) => {
                let mut position = image;
                for joint in &question.moves {
                    position =
                        position.play(joint.iter().map(|name| other.translate(name))).unwrap();
                }
                let next: BTreeSet<String> =
                    next.iter().map(|term| other.translate(term)).collect();
                let there = position.fluents().into_iter().map(str::to_string).collect();
                assert_eq!(next, there);
            }
            _ => panic!("nothing else was asked"),
        }
    }
}

#[test]
fn what_cannot_be_asked_is_said() {
    let poker = Game::bundled("kuhn-poker").unwrap();
    let refused = quiz(&poker, "kuhn-poker", &QuizOptions::default());
    assert!(matches!(refused, Err(QuizError::HiddenInformation)));
    // At the same time nobody has a best move.
    let game = Game::bundled("rock-paper-scissors").unwrap();
    let refused = quiz(&game, "rock-paper-scissors", &options(3, &[Kind::Best]));
    assert!(matches!(refused, Err(QuizError::NothingToAsk(_))));
    assert!("colour".parse::<Kind>().is_err());
}

#[test]
fn kinds_that_a_game_does_not_have_are_left_out() {
    for name in ["rock-paper-scissors", "prisoners-dilemma", "goofspiel", "pursuit"] {
        let game = Game::bundled(name).unwrap();
        let questions = quiz(&game, name, &options(20, &Kind::ALL)).unwrap();
        let kinds: BTreeSet<Kind> = questions.iter().map(|question| question.kind).collect();
        assert!(kinds.contains(&Kind::Legal) && !kinds.contains(&Kind::Best), "{name}");
    }
}

#[test]
fn no_latch_is_left_out() {
    // Whether both lamps burn is remembered for ever; each lamp can be switched off again.
    let rules = "
        (role you) (init (round 1)) (next-round 1 2) (next-round 2 3) (next-round 3 4) (next-round 4 5)
        (legal you (switch a)) (legal you (switch b)) (legal you nothing)
        (<= (next (lit ?x)) (true (lit ?x)) (not (does you (switch ?x))))
        (<= (next (lit ?x)) (does you (switch ?x)) (not (true (lit ?x))))
        (<= (next seen) (true (lit a)) (true (lit b)))
        (<= (next seen) (true seen))
        (<= (next (round ?n)) (true (round ?m)) (next-round ?m ?n))
        (<= terminal (true (round 5)))
        (<= (goal you 100) (true seen)) (<= (goal you 0) (not (true seen)))";
    let game = Game::read(rules.as_bytes(), &Default::default()).unwrap();
    for question in quiz(&game, "lamps", &options(40, &[Kind::Latches])).unwrap() {
        let Answer::Terms(fallen) = question.answer else { panic!("latches are asked for") };
        let mut expected = BTreeSet::new();
        for name in &question.state {
            match name.as_str() {
                "seen" => drop(expected.insert("seen".to_string())),
                "(round 5)" => drop(expected.insert(name.clone())),
                _ => {}
            }
        }
        if !question.state.contains(&"(round 1)".to_string()) {
            expected.insert("(not (round 1))".to_string());
        }
        assert_eq!(fallen.into_iter().collect::<BTreeSet<_>>(), expected, "{:?}", question.state);
    }
}
