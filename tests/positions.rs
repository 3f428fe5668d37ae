//! Positions as values: what they say, what they refuse, and that they answer as the interpreter does.

use std::collections::HashSet;

use gambol::{EngineKind, Game, Position, PositionError, bundled_games};

fn tic_tac_toe() -> Game {
    Game::bundled("tic-tac-toe").unwrap()
}

#[test]
fn the_same_state_by_two_ways_is_one_position() {
    let start = tic_tac_toe().start().unwrap();
    let line = |squares: [&str; 3]| {
        let play = |position: Position, (step, square): (usize, &str)| {
            let square = format!("(put {square})");
            let moves = if step % 2 == 0 { [&*square, "wait"] } else { ["wait", &*square] };
            position.play(moves).unwrap()
        };
        squares.into_iter().enumerate().fold(start.clone(), play)
    };
    let positions = HashSet::from([line(["1 1", "2 2", "3 3"]), line(["3 3", "2 2", "1 1"])]);
    assert_eq!(positions.len(), 1);
    assert_ne!(tic_tac_toe().start().unwrap(), start, "another game");
}

#[test]
fn a_position_is_written_and_read_back() {
    for bundled in bundled_games() {
        let game = Game::bundled(bundled.name()).unwrap();
        let start = game.start().unwrap();
        assert_eq!(game.state(&start.to_string()).unwrap(), start, "{}", bundled.name());
    }
}

#[test]
fn moves_are_typed_and_can_be_played() {
    let start = tic_tac_toe().start().unwrap();
    let put = start.legal("xplayer").unwrap().remove(4);
    assert_eq!((put.to_string().as_str(), put.role()), ("(put 2 2)", "xplayer"));
    let wait = start.legal("oplayer").unwrap().remove(0);
    let next = start.play([&put, &wait]).unwrap();
    assert!(next.holds("( cell 2 2 x )").unwrap());
    assert_eq!(next.legal("oplayer").unwrap().len(), 8);
}

#[test]
fn what_is_wrong_is_said_by_name() {
    let game = tic_tac_toe();
    let start = game.start().unwrap();
    let message = |error: PositionError| error.to_string();
    let state = |text| message(game.state(text).unwrap_err());
    assert_eq!(
        state("(cell 1 1 X)"),
        "(cell 1 1 X) is no fluent of this game; did you mean (cell 1 1 o)?"
    );
    assert!(state("(cell 1 1").contains("write terms as in"), "{}", state("(cell 1 1"));
    let legal = message(start.legal("white").unwrap_err());
    assert_eq!(legal, "white is no role of this game; the roles are xplayer, oplayer");
    let play = |moves: &[&str]| message(start.play(moves).unwrap_err());
    assert_eq!(
        play(&["(put 2 2)", "(put 1 1)"]),
        "(put 1 1) is not legal for oplayer here; it has wait"
    );
    assert_eq!(
        play(&["(put 2 2)"]),
        "1 moves for 2 roles; give one per role, in the order of the rules"
    );
}

#[test]
fn nothing_is_played_after_the_end() {
    let game = tic_tac_toe();
    let over = game.state(
        "(cell 1 1 x) (cell 1 2 x) (cell 1 3 x) (cell 2 1 o) (cell 2 2 o) (cell 2 3 empty) \
         (cell 3 1 empty) (cell 3 2 empty) (cell 3 3 empty) (turn oplayer)",
    );
    let over = over.unwrap();
    assert!(over.is_terminal());
    assert_eq!(over.goals(), [Some(100), Some(0)]);
    assert!(matches!(over.play(["wait", "(put 2 3)"]), Err(PositionError::Over)));
    assert!(matches!(game.agent("oplayer").choose(&over), Err(PositionError::Over)));
}

/// The first legal moves, step by step, on positions and on the interpreter.
#[test]
fn positions_answer_as_the_interpreter() {
    for bundled in bundled_games() {
        let game = Game::bundled(bundled.name()).unwrap();
        let mut judge = game.engine(EngineKind::Reference).unwrap();
        let mut position = game.start().unwrap();
        for _ in 0..8 {
            let context = format!("{} in {position}", bundled.name());
            let state = position.fluents().iter().map(ToString::to_string).collect();
            assert_eq!(position.is_terminal(), judge.terminal(&state).unwrap(), "{context}");
            assert_eq!(position.goals(), judge.goals(&state).unwrap(), "{context}");
            let legal = judge.legal(&state).unwrap();
            for (role, legal) in game.roles().unwrap().into_iter().zip(&legal) {
                let found: Vec<String> =
                    position.legal(role).unwrap().iter().map(ToString::to_string).collect();
                assert_eq!(&found, legal, "{context}");
            }
            if position.is_terminal() || legal.iter().any(Vec::is_empty) {
                break;
            }
            let joint: Vec<&String> = legal.iter().map(|moves| &moves[0]).collect();
            position = position.play(joint).unwrap();
        }
    }
}

#[test]
fn an_agent_repeats_itself_and_answers_for_its_game_only() {
    let game = tic_tac_toe();
    let start = game.start().unwrap();
    let choose = || game.agent("xplayer").playouts(500).seed(3).choose(&start).unwrap();
    assert_eq!(choose(), choose());
    let other = tic_tac_toe();
    let error = other.agent("xplayer").choose(&start).unwrap_err();
    assert!(matches!(error, PositionError::OtherGame), "{error}");
}
