//! Boards are found from structure: what the games that come with the program look like, and that
//! spelling does not matter.

use gambol_board::{Boards, draw};
use gambol_net::{BaseMarking, Net, build, simplify};
use gambol_syntax::Rules;

fn game(name: &str) -> (Rules, Net) {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read(path).expect("bundled games are there");
    parse(&text)
}

fn parse(text: &[u8]) -> (Rules, Net) {
    let rules = gambol_syntax::read(text, &Default::default()).rules.expect("it parses");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("it grounds");
    let net = simplify(&build(&ground).expect("it makes a net"));
    (rules, net)
}

/// For each board its columns and rows.
fn sizes(name: &str) -> Vec<(usize, usize)> {
    let (rules, net) = game(name);
    let boards = Boards::find(&net, &rules).boards;
    boards.iter().map(|board| (board.columns.len(), board.rows.len())).collect()
}

#[test]
fn games_on_one_board() {
    assert_eq!(sizes("tic-tac-toe"), [(3, 3)]);
    assert_eq!(sizes("connect-four"), [(7, 6)]);
    assert_eq!(sizes("eight-puzzle"), [(3, 3)]);
    assert_eq!(sizes("breakthrough"), [(8, 8)]);
    assert_eq!(sizes("lights-out"), [(5, 5)]);
    assert_eq!(sizes("peg-solitaire"), [(5, 5)]);
}

#[test]
fn a_board_for_each_part() {
    assert_eq!(sizes("double-tic-tac-toe"), [(3, 3), (3, 3)]);
}

#[test]
fn heaps_are_a_strip_and_no_board() {
    assert!(sizes("nim").iter().all(|&(_, rows)| rows == 1));
}

#[test]
fn games_without_a_board() {
    for name in ["prisoners-dilemma", "water-jugs", "goofspiel", "hanoi"] {
        assert!(sizes(name).iter().all(|&(_, rows)| rows == 1), "{name}");
    }
}

#[test]
fn the_start_of_tic_tac_toe_in_letters() {
    let (rules, net) = game("tic-tac-toe");
    let boards = Boards::find(&net, &rules);
    let text = draw(&net, &boards, &BaseMarking::initial(&net));
    assert!(text.contains("3  . . .\n2  . . .\n1  . . .\n   1 2 3\n"), "{text}");
}

#[test]
fn an_order_in_the_rules_sorts_scrambled_coordinates() {
    let text = b"(role r) (after zig ant) (after ant moss)
        (coordinate zig) (coordinate ant) (coordinate moss)
        (<= (init (q ?x ?y u)) (coordinate ?x) (coordinate ?y))
        (<= (legal r (w ?x ?y)) (true (q ?x ?y u)))
        (<= (next (q ?x ?y v)) (does r (w ?x ?y)))
        (<= (next (q ?x ?y v)) (true (q ?x ?y v)))
        (<= (next (q ?x ?y u)) (true (q ?x ?y u)) (not (does r (w ?x ?y))))
        (<= terminal (true (q ant ant v))) (<= (goal r 100) (true (q ant ant v)))";
    let (rules, net) = parse(text);
    let boards = Boards::find(&net, &rules);
    assert_eq!(boards.boards[0].columns, ["zig", "ant", "moss"]);
    assert_eq!(boards.boards[0].rows, ["zig", "ant", "moss"]);
}
