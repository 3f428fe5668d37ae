//! Who wins a sum of games: by Grundy values or by canonical forms.

use gambol_combinatorial::TooLarge;
use gambol_net::{MoveId, Net};

use super::impartial::Impartial;
use super::partizan::Partizan;
use super::quotient::Quotient;
use super::sum::{Sum, SumPart};
use crate::limits::Meter;
use crate::{Bounds, Dynamics, Meaning, Method, Solution};

/// A theory that decides a sum.
enum Theory {
    Impartial(Impartial),
    Partizan(Box<Partizan>),
}

/// Says in every state of a sum who wins.
pub(super) struct Judge {
    theory: Theory,
    /// What both roles get if who is to move in the first step, or in the second, has no move.
    ends: [[u32; 2]; 2],
    misere: bool,
    /// For each part and block how much can follow, as the logarithm of the number of ways to play on.
    sizes: Vec<Vec<f64>>,
}

impl Judge {
    /// `None` if the game is no sum, or none that is understood.
    pub(super) fn of(net: &Net, quotient: &mut Quotient<'_>, meter: &Meter) -> Option<Self> {
        let sum = Sum::of(net, quotient)?;
        let theory = match Impartial::of(&sum) {
            Some(impartial) => Theory::Impartial(impartial),
            None => Theory::Partizan(Box::new(Partizan::of(&sum, meter)?)),
        };
        let sizes = sum.parts.iter().map(ways_to_play).collect();
        Some(Self { theory, ends: sum.ends, misere: sum.misere, sizes })
    }

    /// How much is left to play.
    pub(super) fn size(&self, row: &[u64]) -> f64 {
        self.sizes.iter().zip(row).map(|(sizes, &block)| sizes[block as usize]).sum()
    }

    /// Whether who is to move wins; a row is the blocks of the parts and a step.
    pub(super) fn mover_wins(&mut self, row: &[u64]) -> Result<bool, TooLarge> {
        let step = step_of(row);
        match &mut self.theory {
            Theory::Impartial(impartial) => Ok(impartial.mover_wins(row)),
            Theory::Partizan(partizan) => partizan.mover_wins(row, step),
        }
    }

    /// What both roles get.
    pub(super) fn values(&mut self, row: &[u64]) -> Result<[u32; 2], TooLarge> {
        // Whose turn it is at the end: the loser's, who is stuck, or in misère play the winner's.
        let stuck = self.mover_wins(row)? == self.misere;
        let step = step_of(row);
        Ok(self.ends[if stuck { step } else { 1 - step }])
    }
}

/// For each block the logarithm of the number of ways to play on, either player or none to move.
fn ways_to_play(part: &SumPart) -> Vec<f64> {
    let mut sizes: Vec<f64> = vec![0.0; part.order.len()];
    for &block in &part.order {
        let next = part.options.iter().flat_map(|options| options.of_block(block));
        let ways: f64 = next.map(|&next| sizes[next as usize].exp()).sum();
        sizes[block as usize] = ways.ln_1p();
    }
    sizes
}

fn step_of(row: &[u64]) -> usize {
    row.last().map_or(0, |&step| step as usize)
}

/// Solves a game if it is a sum that is understood.
pub(super) fn sum(net: &Net, quotient: &mut Quotient<'_>, meter: &Meter) -> Option<Solution> {
    let mut judge = Judge::of(net, quotient, meter)?;
    let start = quotient.start.clone();
    let values = judge.values(&start).ok()?;
    let line = line(quotient, &mut judge).ok()?;
    let (nodes, notes) = match &mut judge.theory {
        Theory::Impartial(impartial) => (line.len() as u64, vec![impartial.note(&start)]),
        Theory::Partizan(partizan) => (partizan.nodes(), partizan.notes(&start).ok()?),
    };
    Some(Solution {
        values: values.map(Bounds::exact).to_vec(),
        meaning: Meaning::Opposed,
        nodes,
        line,
        shortest: false,
        method: Method::Factored,
        states: quotient.parts.iter().map(|part| part.len() as u64).sum(),
        unfinished: None,
        notes,
    })
}

/// The winner plays to win, the loser takes the first move there is.
fn line(quotient: &mut Quotient<'_>, judge: &mut Judge) -> Result<Vec<Vec<MoveId>>, TooLarge> {
    let mut line = Vec::new();
    let mut row = quotient.start.clone();
    loop {
        let looks = quotient.look(&row);
        if looks.joint_count(0) == 0 {
            return Ok(line);
        }
        let mut joint = Vec::new();
        (0..looks.joint_count(0)).for_each(|number| looks.joint_move(0, number, &mut joint));
        let rows: Vec<u64> = (0..looks.joint_count(0)).flat_map(|_| row.iter().copied()).collect();
        let next = quotient.step(&rows, &joint);
        let mut good = 0;
        if judge.mover_wins(&row)? {
            for (number, next) in next.chunks_exact(row.len()).enumerate() {
                if !judge.mover_wins(next)? {
                    good = number;
                    break;
                }
            }
        }
        row = next[good * row.len()..(good + 1) * row.len()].to_vec();
        line.push(joint[2 * good..2 * good + 2].iter().map(|&m| MoveId::new(m)).collect());
    }
}
