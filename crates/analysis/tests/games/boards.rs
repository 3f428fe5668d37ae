//! Boards that only fill up, and boards on which pieces move.

use gambol_analysis::{Literal, Shape, ShapeOptions, Verdict, shape};
use gambol_net::{FluentId, Net};

use crate::truth::net_of_game;

/// The shape of a game without its inhibitors between pairs, which take longest.
fn shape_of(game: &str, seconds: u64) -> (Net, Shape) {
    let net = net_of_game(game);
    let mut options = ShapeOptions::default();
    options.inhibitors = false;
    options.budget.time = Some(std::time::Duration::from_secs(seconds));
    let shape = shape(&net, &options);
    (net, shape)
}

/// The fluents that say that something lies on a place of the board.
fn pieces(net: &Net) -> Vec<FluentId> {
    let lies = |name: &str| name.starts_with("(cell ") && !name.ends_with(" empty)");
    net.fluents.ids().filter(|&fluent| lies(&net.fluents[fluent])).collect()
}

#[test]
fn what_is_put_on_a_board_that_fills_up_stays() {
    for game in ["tic-tac-toe", "connect-four", "hex"] {
        let (net, shape) = shape_of(game, 60);
        let latches: Vec<Literal> = shape.proved_latches().collect();
        let pieces = pieces(&net);
        assert!(!pieces.is_empty(), "{game} has a board");
        for piece in pieces {
            assert!(latches.contains(&Literal::is(piece)), "{game}: {}", net.fluents[piece]);
        }
    }
}

#[test]
fn a_square_of_chess_is_no_latch() {
    let (net, shape) = shape_of("minichess", 5);
    let pieces = pieces(&net);
    let on_squares = shape
        .latches
        .iter()
        .filter(|latch| latch.literal.holds && pieces.contains(&latch.literal.fluent));
    let verdicts: Vec<&Verdict> = on_squares.map(|latch| &latch.verdict).collect();
    assert!(verdicts.iter().all(|verdict| !verdict.is_proved()));
    let refuted = verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Refuted(_)));
    assert!(2 * refuted.count() > verdicts.len(), "most pieces are seen to move");
}
