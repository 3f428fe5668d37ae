//! The ways to run a circuit's gates, one beside the other.

use gambol::sim::{Code, Tally, Width};
use gambol::{EngineKind, Game, StageError};

use crate::simulation::{Amount, Plan, play};

/// A way to run the gates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    code: Code,
    width: Width,
}

/// How fast a way was.
#[derive(Debug)]
pub(crate) struct Speed {
    /// What ran.
    pub(crate) code: &'static str,
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
    /// In the best slice.
    pub(crate) playouts_per_second: f64,
    pub(crate) steps_per_second: f64,
    /// As a multiple of the first way, slice by slice: the median.
    pub(crate) of_first: f64,
    /// What the games of the best slice came to.
    pub(crate) tally: Tally,
}

impl Way {
    /// At the width that suits it.
    pub(crate) fn of(code: Code) -> Self {
        Self { code, width: Width::Auto }
    }

    /// All that this processor has; first the table with 256 lanes, with which others are compared.
    pub(crate) fn all() -> Vec<Self> {
        let mut ways: Vec<Way> = [Width::W256, Width::W64, Width::W512]
            .map(|width| Way { code: Code::Table, width })
            .to_vec();
        for code in [Code::Avx2, Code::Avx512, Code::Neon].into_iter().filter(|c| c.is_available())
        {
            ways.extend([Width::W256, Width::W512].map(|width| Way { code, width }));
        }
        ways
    }
}

/// With several ways, each runs so often.
const SLICES: usize = 5;

/// Runs every way for so many seconds: in slices, if there are several.
pub(crate) fn in_turn(
    game: &Game,
    ways: &[Way],
    plan: &Plan,
    seconds: f64,
) -> Result<Vec<Speed>, StageError> {
    let slices = if ways.len() > 1 { SLICES } else { 1 };
    let amount = Amount::Seconds(seconds / slices as f64);
    let mut speeds: Vec<Speed> = Vec::new();
    let mut ratios = vec![Vec::new(); ways.len()];
    for slice in 0..slices {
        let mut first = None;
        for (place, &Way { code, width }) in ways.iter().enumerate() {
            let speed = run(game, &Plan { amount, code, width, ..plan.clone() })?;
            let first = *first.get_or_insert(speed.playouts_per_second);
            ratios[place].push(speed.playouts_per_second / first);
            if slice == 0 {
                speeds.push(speed);
            } else if speed.playouts_per_second > speeds[place].playouts_per_second {
                speeds[place] = speed;
            }
        }
    }
    for (speed, mut ratios) in speeds.iter_mut().zip(ratios) {
        ratios.sort_by(f64::total_cmp);
        speed.of_first = ratios[slices / 2];
    }
    Ok(speeds)
}

fn run(game: &Game, plan: &Plan) -> Result<Speed, StageError> {
    let tally = play(game, EngineKind::Circuit, plan)?;
    // What one thread had of a processor, on average.
    let seconds = (tally.thread_seconds / tally.threads.max(1) as f64).max(1e-9);
    Ok(Speed {
        code: tally.engine,
        lanes: tally.lanes,
        threads: tally.threads,
        playouts_per_second: tally.playouts as f64 / seconds,
        steps_per_second: tally.steps as f64 / seconds,
        of_first: 1.0,
        tally,
    })
}
