//! Positions of boards too large to list, against a search that knows nothing of regression.

use gambol_regress::{Automaton, Family, Options, Value, find_policy, read_automaton, read_state};

/// A board of connect four: who has which cell, column by column from below.
#[derive(Clone)]
struct Board {
    height: usize,
    columns: Vec<Vec<char>>,
}

const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

impl Board {
    fn new(width: usize, height: usize) -> Self {
        Self { height, columns: vec![Vec::new(); width] }
    }

    fn stones(&self) -> usize {
        self.columns.iter().map(Vec::len).sum()
    }

    fn mover(&self) -> char {
        if self.stones().is_multiple_of(2) { 'x' } else { 'o' }
    }

    fn open_columns(&self) -> Vec<usize> {
        let is_open = |&column: &usize| self.columns[column].len() < self.height;
        (0..self.columns.len()).filter(is_open).collect()
    }

    fn at(&self, column: i32, row: i32) -> Option<char> {
        let column = self.columns.get(usize::try_from(column).ok()?)?;
        column.get(usize::try_from(row).ok()?).copied()
    }

    /// Whether the topmost stone of a column stands in a line of four.
    fn has_line_through_top(&self, column: usize) -> bool {
        let (x, y) = (column as i32, self.columns[column].len() as i32 - 1);
        let own = self.at(x, y);
        DIRECTIONS.iter().any(|&(right, up)| {
            let next = |sign: i32, n: i32| self.at(x + sign * n * right, y + sign * n * up);
            let run = |sign| (1..4).take_while(|&n| next(sign, n) == own).count();
            run(1) + run(-1) >= 3
        })
    }

    fn with(&self, column: usize) -> Self {
        let mut next = self.clone();
        next.columns[column].push(self.mover());
        next
    }

    /// What the game is worth to the one who moves: 1, 0 or -1; by alpha and beta.
    fn worth(&self, mut alpha: i32, beta: i32) -> i32 {
        let open = self.open_columns();
        if open.is_empty() {
            return 0;
        }
        for column in open {
            let next = self.with(column);
            let worth = match next.has_line_through_top(column) {
                true => 1,
                false => -next.worth(-beta, -alpha),
            };
            if worth >= beta {
                return worth;
            }
            alpha = alpha.max(worth);
        }
        alpha
    }

    /// The position as a state of the automaton.
    fn text(&self) -> String {
        let mut text = if self.mover() == 'x' { "X-moves" } else { "O-moves" }.to_string();
        for (column, letter) in ('a'..='z').take(self.columns.len()).enumerate() {
            for row in 0..self.height {
                let stone = self.columns[column].get(row);
                let stone = stone.map_or("empty".to_string(), char::to_string);
                text += &format!(" {letter}{}={stone}", row + 1);
            }
        }
        text
    }
}

/// A position with so many stones and no line, by chance.
fn position(width: usize, height: usize, stones: usize, seed: &mut u64) -> Board {
    let mut board = Board::new(width, height);
    while board.stones() < stones {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let open = board.open_columns();
        let column = open[(*seed >> 33) as usize % open.len()];
        let next = board.with(column);
        board = if next.has_line_through_top(column) { Board::new(width, height) } else { next };
    }
    board
}

fn connect_four(width: usize, height: usize) -> Automaton {
    let family = Family::named("connect", &[width, height, 4]).expect("a family");
    read_automaton(&family.text()).expect("a family is well-formed")
}

/// What a value is worth to the first player.
fn to_first(automaton: &Automaton, value: Value) -> i64 {
    automaton.outcomes[value.outcome].rewards.iter().copied().next().expect("there are players")
}

#[test]
fn sampled_positions_of_large_boards_are_worth_what_a_search_says() {
    let mut seed = 1;
    let mut worths = Vec::new();
    for (width, height, stones) in [(5, 5, 14), (6, 5, 20), (6, 6, 26), (7, 6, 32)] {
        let mut automaton = connect_four(width, height);
        for number in 0..10 {
            let board = position(width, height, stones + number % 4, &mut seed);
            let worth = i64::from(board.worth(-1, 1));
            let expected = if board.mover() == 'x' { worth } else { -worth };
            let (node, state) = read_state(&automaton, &board.text()).expect("it is a state");
            (automaton.start_node, automaton.start) = (node, state);
            let options = Options { only_start: true, ..Options::default() };
            let found = find_policy(&automaton, &options, &mut |_| ()).expect("it can be solved");
            let value = found.policy.start_value().expect("there is no limit");
            assert_eq!(to_first(&automaton, value), expected, "{}", board.text());
            worths.push(expected);
        }
    }
    assert!([-1, 0, 1].iter().all(|worth| worths.contains(worth)), "{worths:?}");
}
