//! Questions about games: each kind is asked, and its answer is what is known of the game.

use std::collections::BTreeSet;

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
