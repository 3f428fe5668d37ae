//! Moves that are gone for good: latches in whose states a move is never legal.

use gambol_index::Id;
use gambol_net::{GateId, MoveId, Net};
use rustsat::types::Lit;

use crate::Literal;
use crate::columns::Columns;
use crate::encode::{Encoding, NOW};
use crate::sample::Sample;
use crate::solver::Answer;
use gambol_run::Deadline;

/// A latch, and moves that no state with it allows while the game goes on. Proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForbiddenMoves {
    /// What holds for good.
    pub latch: Literal,
    /// What is never legal from then on, but is at some time; sorted.
    pub moves: Vec<MoveId>,
}

/// Moves that are looked at.
const MOST_MOVES: usize = 2_000;
/// Decisions per question.
const EFFORT: u64 = 2_000;

/// What each of these latches forbids.
pub(crate) fn forbidden_moves(
    net: &Net,
    sample: &Sample,
    states: &mut Encoding<'_>,
    latches: &[Literal],
    deadline: &Deadline,
) -> Vec<ForbiddenMoves> {
    if deadline.is_over() || latches.is_empty() {
        return Vec::new();
    }
    let legality = Legality::of(net, sample);
    let mut found = Vec::new();
    for &latch in latches.iter().take_while(|_| !deadline.is_over()) {
        let open = legality.never_with(sample, latch);
        let moves = match sample.complete {
            true => open,
            false => proved(net, states, latch, open),
        };
        if !moves.is_empty() {
            found.push(ForbiddenMoves { latch, moves });
        }
    }
    found
}

/// Which moves are legal in which states of the sample.
struct Legality {
    /// A row for each move that is looked at, and one for termination.
    columns: Columns,
    moves: usize,
}

impl Legality {
    fn of(net: &Net, sample: &Sample) -> Self {
        let mut gates: Vec<GateId> = net.legal.iter().copied().take(MOST_MOVES).collect();
        let moves = gates.len();
        gates.push(net.terminal);
        Self { columns: sample.gate_columns(net, &gates), moves }
    }

    /// The moves that are legal at some time but never in a state with the literal. That nothing is
    /// legal once the game is over goes without saying.
    fn never_with(&self, sample: &Sample, literal: Literal) -> Vec<MoveId> {
        let over = self.columns.row(self.moves);
        let mut going = over.iter().enumerate();
        if going.all(|(word, over)| sample.now.word(literal, word) & !over == 0) {
            return Vec::new();
        }
        let is_forbidden = |action: &MoveId| {
            let legal = self.columns.row(action.index());
            let going = || legal.iter().zip(over).map(|(legal, over)| legal & !over).enumerate();
            going().any(|(_, going)| going != 0)
                && going().all(|(word, going)| going & sample.now.word(literal, word) == 0)
        };
        (0..self.moves).map(MoveId::from_index).filter(is_forbidden).collect()
    }
}

/// The moves that no state with the latch allows. A model rules out all that are legal in it.
fn proved(
    net: &Net,
    states: &mut Encoding<'_>,
    latch: Literal,
    mut open: Vec<MoveId>,
) -> Vec<MoveId> {
    while !open.is_empty() {
        let legal: Vec<Lit> =
            open.iter().map(|&action| states.gate(NOW, net.legal[action])).collect();
        let some = states.fresh();
        states.add(&[&legal[..], &[!some]].concat());
        let (over, closed) = (states.gate(NOW, net.terminal), states.literal(NOW, latch));
        match states.solve(&[some, !over, closed], EFFORT) {
            Answer::NoModel => break,
            Answer::Unknown => open.clear(),
            Answer::Model => {
                let mut value = legal.iter().map(|&legal| states.value(legal));
                open.retain(|_| !value.next().expect("one value per move"));
            }
        }
        states.add(&[!some]);
    }
    open
}
