//! Figures that others have published on taking games apart: Hufschmitt, Vittaut and Jouandeau,
//! "Décomposition des jeux pour le General Game Playing" (2018), figures 4, 5 and 7.

/// How many games of 597 were decomposed within so many seconds, with 5,000 playouts (figure 4).
pub(crate) const WITHIN: [(f64, u32); 8] = [
    (1.0, 72),
    (10.0, 307),
    (30.0, 391),
    (60.0, 434),
    (180.0, 491),
    (600.0, 527),
    (1_800.0, 540),
    (3_600.0, 557),
];
/// How many games figure 4 is about.
pub(crate) const GAMES: u32 = 597;

/// Under-decomposed, right and over-decomposed after so many thousand playouts (figure 5).
pub(crate) const BY_PLAYOUTS: [(u32, [u32; 3]); 10] = [
    (1, [9, 521, 26]),
    (2, [5, 525, 26]),
    (3, [4, 527, 25]),
    (4, [2, 529, 25]),
    (5, [2, 529, 25]),
    (6, [2, 529, 25]),
    (7, [2, 530, 24]),
    (8, [2, 532, 22]),
    (9, [1, 533, 22]),
    (10, [1, 533, 22]),
];

/// A game of figure 7.
pub(crate) struct Named {
    /// As it is called there.
    pub(crate) name: &'static str,
    /// The name of its file, in small letters.
    pub(crate) file: &'static str,
    /// The time that is printed there, and its seconds.
    pub(crate) printed: &'static str,
    pub(crate) seconds: f64,
}

const fn named(
    name: &'static str,
    file: &'static str,
    printed: &'static str,
    seconds: f64,
) -> Named {
    Named { name, file, printed, seconds }
}

/// The column "stats" of figure 7.
pub(crate) const NAMED: [Named; 32] = [
    named("Blocker Parallel", "blockerparallel", "≈48min", 2_880.0),
    named("Asteroids", "asteroids", "<2sec", 2.0),
    named("EightPuzzle", "eightpuzzle", "≈3sec", 3.0),
    named("Checkers", "checkers", "≈28min", 1_680.0),
    named("Breakthrough", "breakthrough", "≈14sec", 14.0),
    named("Sheep and wolf", "sheepandwolf", "≈6sec", 6.0),
    named("Tictactoe", "tictactoe", "<1sec", 1.0),
    named("Nineboardtictactoe", "nineboardtictactoe", "<17sec", 17.0),
    named("Tictactoe9", "tictactoex9", "≈11sec", 11.0),
    named("Chomp", "chomp", "<2sec", 2.0),
    named("Multiplehamilton", "multiplehamilton", "<2sec", 2.0),
    named("Multipletictactoe", "multipletictactoe", "≈1sec", 1.0),
    named("Blockerserial", "blockerserial", "≈3sec", 3.0),
    named("Dualrainbow", "dualrainbow", "≈6sec", 6.0),
    named("Asteroidsparallel", "asteroidsparallel", "≈2sec", 2.0),
    named("Dualhamilton", "dualhamilton", "<2sec", 2.0),
    named("Dualhunter", "dualhunter", "<3sec", 3.0),
    named("Asteroidsserial", "asteroidsserial", "<4sec", 4.0),
    named("LightsOnParallel", "lightsonparallel", "<1sec", 1.0),
    named("LightsOnSimul4", "lightsonsimul4", "≈3sec", 3.0),
    named("LightsOnSimultaneous", "lightsonsimultaneous", "≈3sec", 3.0),
    named("Nim3", "nim3", "<2sec", 2.0),
    named("Chinook", "chinook", "≈21sec", 21.0),
    named("Double tictactoe dengji", "double_tictactoe_dengji", "<1sec", 1.0),
    named("SnakeParallel", "snakeparallel", "<7sec", 7.0),
    named("TicTacToeParallel", "tictactoeparallel", "<2sec", 2.0),
    named("Doubletictactoe", "doubletictactoe", "<1sec", 1.0),
    named("TicTacHeaven", "tictacheaven", "≈17sec", 17.0),
    named("TicTacToeSerial", "tictactoeserial", "<1sec", 1.0),
    named("ConnectFourSimultaneous", "connectfoursimultaneous", "<2sec", 2.0),
    named("DualConnect4", "dualconnect4", "<2sec", 2.0),
    named("Jointconnectfour", "jointconnectfour", "<2sec", 2.0),
];
