//! Boards are found from structure: what the games that come with the program look like, and that
//! spelling does not matter.

use gambol_board::{BoardStyle, Boards, Chessman, Edges, Ink, Lattice, Look, Shape, draw, svg};
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
fn games_without_a_grid_have_rows_of_places() {
    for name in
        ["prisoners-dilemma", "water-jugs", "hanoi", "wolf-goat-cabbage", "buttons-and-lights"]
    {
        let sizes = sizes(name);
        assert!(!sizes.is_empty() && sizes.iter().all(|&(_, rows)| rows == 1), "{name}");
    }
}

#[test]
fn boards_of_different_sizes_stay_apart() {
    let mut found = sizes("domineering-eight-boards");
    assert_eq!(found.len(), 8);
    found.dedup();
    assert_eq!(found.len(), 8, "no two are alike");
}

#[test]
fn lamps_are_there_in_the_dark() {
    assert_eq!(sizes("multiple-buttons-and-lights"), [(3, 3)]);
    assert_eq!(sizes("four-lamps"), [(4, 1)]);
    let (rules, net) = game("multiple-buttons-and-lights");
    assert_eq!(Boards::find(&net, &rules).looks[0].shape, Shape::Lamp);
}

#[test]
fn things_lie_where_they_are() {
    let (rules, net) = game("hanoi");
    let boards = Boards::find(&net, &rules);
    assert_eq!(boards.boards[0].columns, ["left", "middle", "right"]);
    let (rules, net) = game("wolf-goat-cabbage");
    let boards = Boards::find(&net, &rules);
    assert_eq!(boards.boards[0].columns, ["near", "far"]);
}

#[test]
fn a_bridge_is_one_more_place() {
    assert_eq!(sizes("joint-tic-tac-toe"), [(3, 3), (3, 3), (1, 1)]);
}

fn lattices(name: &str) -> Vec<(Lattice, bool)> {
    let (rules, net) = game(name);
    let boards = Boards::find(&net, &rules).boards;
    boards.iter().map(|board| (board.lattice, board.chequered)).collect()
}

#[test]
fn neighbours_tell_hexagons_from_squares_and_diagonals_make_chequers() {
    assert_eq!(lattices("hex"), [(Lattice::Hexagons { rightwards: true }, false)]);
    assert_eq!(lattices("peg-solitaire"), [(Lattice::Hexagons { rightwards: true }, false)]);
    assert_eq!(lattices("dots-and-boxes"), [(Lattice::Dots, false)]);
    for name in ["tic-tac-toe", "connect-four", "reversi", "lights-out", "eight-puzzle"] {
        assert_eq!(lattices(name), [(Lattice::Squares, false)], "{name}");
    }
    for name in ["breakthrough", "minichess", "knights-tour", "wolf-and-sheep", "eight-queens"] {
        assert_eq!(lattices(name), [(Lattice::Squares, true)], "{name}");
    }
}

/// Stones of a role that touch are of one chain, and chains know their places: nothing reads a stone beside a stone.
const CHAINS: &str = "(role red) (role blue) (init (turn red)) (init (step 1))
    (column a) (column b) (column c) (column d) (right a b) (right b c) (right c d)
    (line 1) (line 2) (line 3) (line 4) (after 1 2) (after 2 3) (after 3 4)
    (upto 1 2) (upto 2 3) (upto 3 4) (upto 4 5) (upto 5 6) (upto 6 7) (upto 7 8) (upto 8 9)
    (<= (legal ?r (put ?x ?y)) (true (turn ?r)) (column ?x) (line ?y) (not (taken ?x ?y)))
    (<= (legal red wait) (true (turn blue))) (<= (legal blue wait) (true (turn red)))
    (<= (taken ?x ?y) (true (stone ?x ?y ?r)))
    (<= (next (turn red)) (true (turn blue))) (<= (next (turn blue)) (true (turn red)))
    (<= (next (step ?n)) (true (step ?m)) (upto ?m ?n))
    (<= (next (stone ?x ?y ?r)) (does ?r (put ?x ?y)))
    (<= (next (stone ?x ?y ?r)) (true (stone ?x ?y ?r)))
    (<= (next (owner ?k ?r)) (true (step ?k)) (true (turn ?r)))
    (<= (next (owner ?k ?r)) (true (owner ?k ?r)))
    (<= (next (chain ?k ?x ?y)) (does ?r (put ?x ?y)) (true (step ?k)))
    (<= (next (chain ?k ?x ?y)) (joins ?old) (true (chain ?old ?x ?y)) (true (step ?k)))
    (<= (next (chain ?k ?x ?y)) (true (chain ?k ?x ?y)) (not (joins ?k)))
    (<= (joins ?k) (does ?r (put ?x ?y)) (true (owner ?k ?r)) (true (chain ?k ?u ?v)) (near ?x ?y ?u ?v))
    (<= (near ?x ?y ?x ?v) (column ?x) (or (after ?y ?v) (after ?v ?y)))
    (<= (near ?x ?y ?u ?y) (line ?y) (or (right ?x ?u) (right ?u ?x)))
    (<= (near ?x ?y ?u ?v) (right ?x ?u) (after ?v ?y))
    (<= (near ?x ?y ?u ?v) (right ?u ?x) (after ?y ?v))
    (<= (wins red) (true (owner ?k red)) (true (chain ?k a ?y)) (true (chain ?k d ?v)))
    (<= (wins blue) (true (owner ?k blue)) (true (chain ?k ?x 1)) (true (chain ?k ?u 4)))
    (<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (role ?r) (not (wins ?r)))
    (<= terminal (wins ?r)) (<= terminal (true (step 9)))";

#[test]
fn neighbours_may_be_told_by_fluents_beside_the_board() {
    let (rules, net) = parse(CHAINS.as_bytes());
    let boards = Boards::find(&net, &rules).boards;
    let board = &boards[0];
    assert_eq!(board.lattice, Lattice::Hexagons { rightwards: true });
    assert_eq!(board.edges, Edges { across: Some(0), upwards: Some(1) });
}

#[test]
fn edges_belong_to_those_who_connect_them() {
    let edges = |name: &str, (rules, net): (Rules, Net)| {
        let boards = Boards::find(&net, &rules);
        let picture = svg(&boards, &BaseMarking::initial(&net), &BoardStyle::default());
        (name.to_owned(), boards.boards[0].edges, picture.matches("class=\"edge\"").count())
    };
    let red_across = Edges { across: Some(0), upwards: Some(1) };
    // Three outer sides at two of the corners, two at the others and along the edges.
    assert_eq!(edges("hex", game("hex")), ("hex".to_owned(), red_across, 4 * 10 - 2));
    assert_eq!(edges("hex", scrambled("hex")).1, red_across);
    assert_eq!(edges("peg-solitaire", game("peg-solitaire")).1, Edges::default());
    assert_eq!(edges("tic-tac-toe", game("tic-tac-toe")).2, 0);
}

#[test]
fn things_on_a_heap_have_their_names_in_full() {
    let (rules, net) = game("wolf-goat-cabbage");
    let boards = Boards::find(&net, &rules);
    let picture = svg(&boards, &BaseMarking::initial(&net), &BoardStyle::default());
    for name in ["wolf", "goat", "cabbage", "boat"] {
        assert!(picture.contains(&format!(">{name}</text>")), "{name}");
    }
}

/// What a label of a game looks like.
fn look(name: &str, label: &str) -> Look {
    let (rules, net) = game(name);
    let boards = Boards::find(&net, &rules);
    let at = boards.labels.iter().position(|one| one == label).expect("there is such a label");
    boards.looks[at].clone()
}

#[test]
fn things_keep_the_colour_of_their_name() {
    assert_eq!(look("connect-four", "red"), Look { shape: Shape::Disc, ink: Ink::Red });
    assert_eq!(look("connect-four", "yellow"), Look { shape: Shape::Disc, ink: Ink::Yellow });
    assert_eq!(look("reversi", "black"), Look { shape: Shape::Disc, ink: Ink::Black });
    assert_eq!(look("breakthrough", "white"), Look { shape: Shape::Man, ink: Ink::White });
    let queen = Look { shape: Shape::Chess(Chessman::Queen), ink: Ink::Black };
    assert_eq!(look("minichess", "bq"), queen);
    assert_eq!(look("tic-tac-toe", "x").shape, Shape::Cross);
    assert_eq!(look("eight-puzzle", "hole").shape, Shape::Nothing);
    assert_ne!(look("blocker", "plank"), look("blocker", "stone"));
}

/// Men of which only the colour is known are told apart by their words, not by colours of others.
#[test]
fn men_that_look_alike_keep_their_colour() {
    let path = format!("{}/../../games/minichess/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let mut text = std::fs::read_to_string(path).expect("bundled games are there");
    for (old, new) in [
        ("wr", "white_lance"),
        ("wn", "white_silver"),
        ("br", "black_lance"),
        ("bn", "black_silver"),
    ] {
        for end in [" ", ")"] {
            text = text.replace(&format!(" {old}{end}"), &format!(" {new}{end}"));
        }
    }
    let (rules, net) = parse(text.as_bytes());
    let boards = Boards::find(&net, &rules);
    let look = |name: &str| {
        let label = boards.labels.iter().position(|label| label.ends_with(name));
        boards.looks[label.expect("it lies on the board")].clone()
    };
    for (name, ink) in [
        ("lance", Ink::White),
        ("silver", Ink::White),
        ("lance", Ink::Black),
        ("silver", Ink::Black),
    ] {
        let side = if ink == Ink::White { "white" } else { "black" };
        assert_eq!(look(&format!("{side}_{name}")).ink, ink);
    }
    assert_ne!(look("white_lance"), look("white_silver"));
}

#[test]
fn clicks_are_a_source_and_a_target_a_column_or_a_lamp() {
    let path = |name: &str, action: &str| {
        let (rules, net) = game(name);
        let boards = Boards::find(&net, &rules);
        let mut engine = gambol_net::NetEngine::new(&net);
        let start = engine.initial();
        let legal = engine.legal(&start);
        let joint: Vec<_> = net
            .roles
            .ids()
            .map(|role| {
                let own = || legal.iter().copied().filter(|&one| net.moves[one].role == role);
                own().find(|&one| &*net.moves[one].name == action).or(own().next()).expect("a move")
            })
            .collect();
        let next = engine.next(&start, &joint);
        let path = boards.path(action, Some((&start, &next)));
        path.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(path("breakthrough", "(move 1 2 1 3)"), [1, 1]);
    assert_eq!(path("connect-four", "(drop 3)"), [6]);
    assert_eq!(path("lights-out", "(press 2 2)"), [1]);
    assert_eq!(path("double-breakthrough", "(move left 1 2 1 3)"), [1, 1]);
    assert_eq!(path("joint-tic-tac-toe", "(two (at left 1 1) (at right 2 2))"), [1, 1]);
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

/// The rules with every word that is no keyword spelt in a way that says nothing.
fn scrambled(name: &str) -> (Rules, Net) {
    let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("bundled games are there");
    let keywords = [
        "role", "init", "next", "true", "does", "legal", "goal", "terminal", "base", "input",
        "not", "or", "distinct",
    ];
    let mut out = String::new();
    let mut known: Vec<String> = Vec::new();
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or(""));
    for word in lines.flat_map(|line| line.split_inclusive(['(', ')', ' ']).chain(["\n"])) {
        let name = word.trim_end_matches(['(', ')', ' ', '\n']);
        let plain =
            name.is_empty() || name.starts_with('?') || name.parse::<u32>().is_ok() || name == "<=";
        if plain || keywords.contains(&name) {
            out += word;
            continue;
        }
        let at = known.iter().position(|one| one == name).unwrap_or_else(|| {
            known.push(name.to_string());
            known.len() - 1
        });
        out += &format!("zq{at}{}", &word[name.len()..]);
    }
    parse(out.as_bytes())
}

#[test]
fn scrambled_words_change_shapes_and_nothing_else() {
    for name in [
        "tic-tac-toe",
        "connect-four",
        "hex",
        "minichess",
        "dots-and-boxes",
        "domineering-eight-boards",
    ] {
        let ((rules, net), (other_rules, other_net)) = (game(name), scrambled(name));
        let (plain, other) = (Boards::find(&net, &rules), Boards::find(&other_net, &other_rules));
        let shape = |boards: &Boards| -> Vec<(usize, usize, Lattice, bool)> {
            let all = boards.boards.iter();
            all.map(|one| (one.columns.len(), one.rows.len(), one.lattice, one.chequered)).collect()
        };
        assert_eq!(shape(&plain), shape(&other), "{name}");
        let colours: Vec<Ink> = other.looks.iter().map(|look| look.ink).collect();
        assert!(!other.labels.is_empty() && !colours.is_empty());
    }
}

/// Lines around two boxes by two, given by their ends, in words that mean nothing.
const LINES_BY_THEIR_ENDS: &str = "
    (role ka) (role mo) (step u v) (step v w) (dot u) (dot v) (dot w)
    (<= (pair ?a ?b ?a ?c) (dot ?a) (step ?b ?c))
    (<= (pair ?b ?a ?c ?a) (dot ?a) (step ?b ?c))
    (init (turn ka))
    (<= (legal ?r (nim ?a ?b ?c ?d)) (true (turn ?r)) (pair ?a ?b ?c ?d) (not (true (zet ?a ?b ?c ?d))))
    (<= (legal ka pass) (true (turn mo))) (<= (legal mo pass) (true (turn ka)))
    (<= (next (zet ?a ?b ?c ?d)) (does ?r (nim ?a ?b ?c ?d)))
    (<= (next (zet ?a ?b ?c ?d)) (true (zet ?a ?b ?c ?d)))
    (<= (next (turn mo)) (true (turn ka))) (<= (next (turn ka)) (true (turn mo)))
    (<= (next (hut ?a ?b ?r)) (does ?r (nim ?a ?b ?c ?b)) (step ?a ?c) (step ?b ?d) (true (zet ?a ?d ?c ?d)))
    (<= (next (hut ?a ?b ?r)) (true (hut ?a ?b ?r)))
    (<= open (pair ?a ?b ?c ?d) (not (true (zet ?a ?b ?c ?d))))
    (<= terminal (not open)) (<= (goal ?r 50) (role ?r))";

#[test]
fn lines_that_are_given_by_their_ends_lie_between_dots() {
    let (rules, net) = parse(LINES_BY_THEIR_ENDS.as_bytes());
    let boards = Boards::find(&net, &rules);
    let [board] = boards.boards.as_slice() else { panic!("one board: {:?}", boards.boards) };
    assert_eq!((board.lattice, board.columns.len(), board.rows.len()), (Lattice::Dots, 5, 5));
    // Twelve lines, and four boxes in the same picture.
    assert_eq!(board.places.iter().flatten().count(), 16);
    assert_eq!(boards.path("(nim u v v v)", None), [vec![(0, 11)]]);
}

/// Places that facts join along three axes, as on the board of Chinese checkers; the token wanders.
fn wandering(facts: &str) -> String {
    let steps = ["pi", "ro", "su"].map(|way| {
        format!(
            "(<= (legal ka (go ?b)) (true (at ?a)) ({way} ?a ?b)) \
             (<= (legal ka (go ?a)) (true (at ?b)) ({way} ?a ?b))"
        )
    });
    format!(
        "(role ka) (init (at a)) {facts} {} (<= (next (at ?b)) (does ka (go ?b))) \
         (<= terminal (true (at g))) (<= (goal ka 100) (true (at g))) (<= (goal ka 0) (not (true (at g))))",
        steps.join(" ")
    )
}

#[test]
fn places_that_facts_join_lie_as_their_graph_does() {
    let facts = "(pi a b) (pi c d) (pi d e) (pi f g) (ro a c) (ro b d) (ro d f) (ro e g) \
                 (su a d) (su b e) (su c f) (su d g)";
    let (rules, net) = parse(wandering(facts).as_bytes());
    let boards = Boards::find(&net, &rules);
    let plan = boards.boards[0].plan.as_ref().expect("the places have a plan");
    assert!(plan.lattice && plan.lines.len() == 12);
    for &(from, to) in &plan.lines {
        let (one, other) = (plan.places[from], plan.places[to]);
        let length = f64::from(one.0 - other.0).hypot(f64::from(one.1 - other.1));
        assert!((90.0..110.0).contains(&length), "neighbours are one step apart: {length}");
    }
    let start = BaseMarking::initial(&net);
    assert!(svg(&boards, &start, &BoardStyle::default()).contains("class=\"link\""));
    // Every other place is shown by its name.
    let text = draw(&net, &boards, &start);
    assert!(["b", "c", "d", "e", "f", "g"].iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn places_in_a_row_or_a_ring_have_no_plan() {
    let ring = "(pi a b) (pi b c) (pi c d) (pi d e) (pi e f) (pi f g) (ro g a) (su a b)";
    let (rules, net) = parse(wandering(ring).as_bytes());
    assert!(Boards::find(&net, &rules).boards.iter().all(|board| board.plan.is_none()));
}

/// Where roles are numbers and pieces have colours, a role has the colour of its pieces.
#[test]
fn roles_without_a_colour_have_that_of_their_pieces() {
    let game = |first: &str, second: &str| {
        let text = format!(
            "(role player1) (role player2) (opponent player1 player2) (opponent player2 player1)
            (succ 1 2) (succ 2 3) (index 1) (index 2) (index 3) (init (turn player1))
            (uses player1 {first}) (uses player2 {second})
            (<= (init (cell ?x ?y empty)) (index ?x) (index ?y))
            (<= (legal ?p (put ?x ?y)) (true (turn ?p)) (true (cell ?x ?y empty)))
            (<= (legal ?p wait) (opponent ?p ?o) (true (turn ?o)))
            (<= (next (cell ?x ?y ?c)) (does ?p (put ?x ?y)) (uses ?p ?c))
            (<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)) (does ?p (put ?a ?b))
                (or (distinct ?a ?x) (distinct ?b ?y)))
            (<= (next (turn ?o)) (true (turn ?p)) (opponent ?p ?o))
            (<= open (true (cell ?x ?y empty))) (<= terminal (not open))
            (<= (line ?c) (true (cell ?x 1 ?c)) (true (cell ?x 2 ?c)) (true (cell ?x 3 ?c)) (succ ?n ?x))
            (<= (goal ?p 100) (uses ?p ?c) (line ?c)) (<= (goal ?p 50) (uses ?p ?c) (not (line ?c)))"
        );
        let (rules, net) = parse(text.as_bytes());
        Boards::find(&net, &rules).role_inks
    };
    assert_eq!(game("yellow", "blue"), [Ink::Yellow, Ink::Blue]);
    assert_eq!(game("redDisc", "stone"), [Ink::Red, Ink::Blue]);
    // What no role alone brings about takes its colour from both.
    assert!(!game("blue", "blue").contains(&Ink::Blue));
}

/// The last square of a full board leaves no choice, and tells nothing about whose mark it is.
#[test]
fn marks_of_no_known_word_have_the_colours_of_their_roles() {
    let (rules, net) = scrambled("tic-tac-toe");
    let boards = Boards::find(&net, &rules);
    let marks = boards.looks.iter().filter(|look| look.shape != Shape::Nothing);
    let mut inks: Vec<&str> = marks.map(|look| look.ink.name()).collect();
    let mut roles: Vec<&str> = boards.role_inks.iter().map(|ink| ink.name()).collect();
    inks.sort_unstable();
    roles.sort_unstable();
    assert_eq!(inks, roles);
}

#[test]
fn boards_that_wrap_lie_in_lines_of_one_length() {
    let (rules, net) = game("domineering-four-boards");
    let boards = Boards::find(&net, &rules);
    let picture = svg(&boards, &BaseMarking::initial(&net), &BoardStyle::default());
    let size = |name: &str| -> f64 {
        let (_, rest) = picture.split_once(&format!(" {name}=\"")).expect("it has a size");
        rest.split_once('"').expect("it ends").0.parse().expect("a number")
    };
    let (width, height) = (size("width"), size("height"));
    assert!((0.8..1.25).contains(&(width / height)), "{width} by {height}");
}
