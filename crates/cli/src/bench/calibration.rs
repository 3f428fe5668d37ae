//! Hand-written playouts of two games, one at a time on bitboards: a yardstick for the machine.
//!
//! Speeds of different machines, or of one machine on a busy and on a quiet day, compare only
//! after division by what these loops reach beside them.

use gambol_run::Random;
use std::time::{Duration, Instant};

/// A loop's speed, and the answers that show that it plays the right game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calibration {
    /// Random games finished per second.
    pub(crate) playouts_per_second: f64,
    /// Moves per game.
    pub(crate) mean_length: f64,
    /// The part of the games that the first player wins.
    pub(crate) first_wins: f64,
}

/// Tic-tac-toe on two 9-bit boards.
pub(crate) fn tic_tac_toe(time: Duration, seed: u64) -> Calibration {
    measure(time, seed, tic_tac_toe_playout)
}

/// Connect four, eight columns by six rows, on two 56-bit boards.
pub(crate) fn connect_four_8x6(time: Duration, seed: u64) -> Calibration {
    measure(time, seed, connect_four_playout)
}

/// How a game ended.
struct End {
    moves: u32,
    first_wins: bool,
}

fn measure(time: Duration, seed: u64, playout: fn(&mut Random) -> End) -> Calibration {
    const BATCH: u32 = 4096;
    let mut random = Random::new(seed);
    let (mut games, mut moves, mut wins) = (0u64, 0u64, 0u64);
    let (started, processor) = (Instant::now(), processor_seconds());
    while started.elapsed() < time {
        for _ in 0..BATCH {
            let end = playout(&mut random);
            moves += u64::from(end.moves);
            wins += u64::from(end.first_wins);
        }
        games += u64::from(BATCH);
    }
    let elapsed = started.elapsed().as_secs_f64();
    let seconds =
        processor_seconds().zip(processor).map_or(elapsed, |(after, before)| after - before);
    let games = games as f64;
    Calibration {
        playouts_per_second: games / seconds.max(1e-9),
        mean_length: moves as f64 / games,
        first_wins: wins as f64 / games,
    }
}

/// What this thread has had of a processor, where the kernel says so. On a busy machine that is
/// less than the time that has passed.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

fn tic_tac_toe_playout(random: &mut Random) -> End {
    const ALL: usize = 0o777;
    let (mut mover, mut other) = (0, 0);
    for moves in 1..=9 {
        let empty = ALL & !(mover | other);
        mover |= usize::from(NTH_BIT[empty][random.below(10 - moves as usize)]);
        if HAS_LINE[mover] {
            return End { moves, first_wins: moves % 2 == 1 };
        }
        (mover, other) = (other, mover);
    }
    End { moves: 9, first_wins: false }
}

/// `NTH_BIT[board][n]` is the `n`-th bit of a board, alone.
static NTH_BIT: [[u16; 9]; 512] = {
    let mut table = [[0; 9]; 512];
    let mut board = 0;
    while board < 512 {
        let (mut rest, mut n) = (board, 0);
        while rest != 0 {
            table[board][n] = (rest & rest.wrapping_neg()) as u16;
            rest &= rest - 1;
            n += 1;
        }
        board += 1;
    }
    table
};

/// Whether the marks on a board make a line.
static HAS_LINE: [bool; 512] = {
    const LINES: [usize; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
    let mut table = [false; 512];
    let mut board = 0;
    while board < 512 {
        let mut line = 0;
        while line < LINES.len() {
            table[board] |= board & LINES[line] == LINES[line];
            line += 1;
        }
        board += 1;
    }
    table
};

/// Bits of a column: six cells and one that stays empty, so that lines do not run on.
const COLUMN: u32 = 7;
const COLUMNS: usize = 8;
const ROWS: u8 = 6;

fn connect_four_playout(random: &mut Random) -> End {
    let (mut mover, mut other) = (0u64, 0u64);
    let mut heights = [0u8; COLUMNS];
    let mut open = 0xff;
    for moves in 1..=48 {
        let choice = NTH_BIT[open][random.below(open.count_ones() as usize)];
        let column = choice.trailing_zeros();
        let height = &mut heights[column as usize];
        mover |= 1 << (column * COLUMN + u32::from(*height));
        *height += 1;
        if *height == ROWS {
            open &= !usize::from(choice);
        }
        if has_four(mover) {
            return End { moves, first_wins: moves % 2 == 1 };
        }
        (mover, other) = (other, mover);
    }
    End { moves: 48, first_wins: false }
}

fn has_four(board: u64) -> bool {
    [1, COLUMN - 1, COLUMN, COLUMN + 1]
        .into_iter()
        .map(|step| (step, board & (board >> step)))
        .fold(0, |found, (step, pairs)| found | (pairs & (pairs >> (2 * step))))
        != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_tic_tac_toe_has_its_known_averages() {
        let run = tic_tac_toe(Duration::from_millis(200), 1);
        // By counting: 7.626 moves, and the first player wins 58.5 % of the random games.
        assert!((run.mean_length - 7.626).abs() < 0.02, "{run:?}");
        assert!((run.first_wins - 0.585).abs() < 0.005, "{run:?}");
    }

    #[test]
    fn random_connect_four_favours_the_first_player() {
        let run = connect_four_8x6(Duration::from_millis(200), 1);
        assert!((0.5..0.62).contains(&run.first_wins), "{run:?}");
        assert!((18.0..26.0).contains(&run.mean_length), "{run:?}");
    }

    #[test]
    fn four_in_a_row_is_seen_in_every_direction_and_not_across_the_edge() {
        for step in [1, 6, 7, 8] {
            assert!(has_four((0..4).map(|i| 1u64 << (3 + i * step)).sum()));
            assert!(!has_four((0..3).map(|i| 1u64 << (3 + i * step)).sum()));
        }
        assert!(!has_four(0b11 << 4 | 0b11 << 7));
    }
}
