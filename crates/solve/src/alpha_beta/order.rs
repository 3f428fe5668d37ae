//! Move ordering: wins in one move, and what the net says about the worth of fluents.

use gambol_sim::Sweep;

use super::frame::Frame;
use super::search_problem::{SearchProblem, Turn};
use super::weights::Weights;
use gambol_index::bits::ones;

/// A role's flips, with the flips of as many states at once as there are lanes for.
struct FlipLanes<'a> {
    sweep: Sweep<'a>,
    /// For each place the lanes of a state there, `parts` words each.
    masks: Vec<u64>,
    at_once: usize,
    /// How many flips the role has.
    count: usize,
    /// How many fluents the game has.
    fluents: usize,
}

pub(crate) struct Order<'a> {
    board: &'a SearchProblem,
    flips: [Option<FlipLanes<'a>>; 2],
}

impl<'a> Order<'a> {
    pub(crate) fn new(board: &'a SearchProblem) -> Self {
        Self { board, flips: [0, 1].map(|role| flip_lanes(board, role)) }
    }

    /// Sorts the open children, the most promising first.
    pub(crate) fn sort<const K: usize>(
        &mut self,
        weights: &Weights,
        state: &[u64; K],
        turn: Turn,
        preferred: Option<u32>,
        frame: &mut Frame<K>,
        words_swept: &mut u64,
    ) {
        if frame.open.len() < 2 {
            return;
        }
        if weights.threats > 0 && frame.children.len() <= 64 {
            self.count_threats(weights.threats, state, turn, frame, words_swept);
        }
        if weights.paths > 0 || weights.lines > 0 {
            let lines = self.board.count_lines(state);
            for &number in &frame.open {
                let child = &mut frame.children[number as usize];
                child.score += self.board.weigh(weights, &lines, turn.mover, state, &child.state);
            }
        }
        let Frame { open, children, .. } = frame;
        open.sort_by_key(|&number| {
            let child = &children[number as usize];
            (preferred != Some(child.action), -child.score)
        });
    }

    /// Counts for each open child the single fluents that would win for the mover.
    fn count_threats<const K: usize>(
        &mut self,
        weight: i64,
        state: &[u64; K],
        turn: Turn,
        frame: &mut Frame<K>,
        words_swept: &mut u64,
    ) {
        let Some(flips) = &mut self.flips[usize::from(turn.mover)] else { return };
        *words_swept += (frame.open.len() * flips.count).div_ceil(64) as u64;
        let parts = flips.sweep.parts();
        let goal = flips.sweep.slots().goals.start * parts;
        for some in frame.open.chunks(flips.at_once) {
            flips.spread(some, state, &frame.varying);
            flips.sweep.goals();
            let words = &flips.sweep.words()[goal..goal + parts];
            for (&number, mask) in some.iter().zip(flips.masks.chunks_exact(parts)) {
                let pairs = words.iter().zip(mask);
                let threats: u32 = pairs.map(|(word, mask)| (word & mask).count_ones()).sum();
                frame.children[number as usize].score += weight * i64::from(threats);
            }
        }
    }
}

impl FlipLanes<'_> {
    /// Puts children into their lanes. What is in the lanes beyond does not matter.
    fn spread(&mut self, children: &[u16], state: &[u64], varying: &[(u32, u64)]) {
        match self.sweep.parts() {
            8 => self.spread_over::<8>(children, state, varying),
            4 => self.spread_over::<4>(children, state, varying),
            2 => self.spread_over::<2>(children, state, varying),
            1 => self.spread_over::<1>(children, state, varying),
            parts => unreachable!("lanes come in powers of two up to 512, not {}", 64 * parts),
        }
    }

    /// Slots of a fixed number of words are written in one piece.
    fn spread_over<const PARTS: usize>(
        &mut self,
        children: &[u16],
        state: &[u64],
        varying: &[(u32, u64)],
    ) {
        let mut places = [0u8; 64];
        let mut all = 0u64;
        for (place, &child) in children.iter().enumerate() {
            places[usize::from(child)] = place as u8;
            all |= 1 << child;
        }
        let first = self.sweep.slots().fluents.start * PARTS;
        let (slots, _) = self.sweep.words_mut()[first..].as_chunks_mut::<PARTS>();
        for (fluent, slot) in slots[..self.fluents].iter_mut().enumerate() {
            *slot = [0u64.wrapping_sub(state[fluent / 64] >> (fluent % 64) & 1); PARTS];
        }
        let (masks, _) = self.masks.as_chunks::<PARTS>();
        for &(fluent, bits) in varying {
            let mut lanes = [0; PARTS];
            for child in ones(bits & all) {
                let mask = &masks[usize::from(places[child])];
                lanes.iter_mut().zip(mask).for_each(|(lanes, mask)| *lanes |= mask);
            }
            slots[fluent as usize] = lanes;
        }
    }
}

fn flip_lanes(board: &SearchProblem, role: usize) -> Option<FlipLanes<'_>> {
    let flips = board.flips[role].as_ref()?;
    let sweep = board.flip_sweep(flips);
    let parts = sweep.parts();
    let at_once = 64 * parts / flips.count;
    let mut masks = vec![0; at_once * parts];
    for lane in 0..at_once * flips.count {
        masks[lane / flips.count * parts + lane / 64] |= 1 << (lane % 64);
    }
    (at_once > 0).then_some(FlipLanes {
        sweep,
        masks,
        at_once,
        count: flips.count,
        fluents: board.fluents,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gambol_analysis::Inhibitors;
    use gambol_index::Id;
    use gambol_net::{FluentId, RoleId};
    use gambol_run::Random;
    use gambol_sim::{Circuit, Code, CompileOptions, Evaluator, State};

    use super::*;
    use crate::Dynamics;
    use crate::alpha_beta::engine::Engine;
    use crate::alpha_beta::evaluation::Flips;
    use crate::alpha_beta::root_turn;
    use crate::alpha_beta::search_problem::Stake;
    use crate::alpha_beta::table::Table;
    use crate::circuit_dynamics::CircuitDynamics;
    use crate::limits::Meter;
    use crate::problem::{SolveOptions, Task};
    use crate::random_walk::walk;

    /// Two lines of three squares that share one. Who fills a line wins.
    const LINES: &str = "(role a) (role b) (init (turn a)) (square 1) (square 2) (square 3)
        (square 4) (square 5) (line 1 2 3) (line 3 4 5)
        (<= (legal ?r (take ?s)) (true (turn ?r)) (square ?s) (not (taken ?s)))
        (<= (legal a wait) (true (turn b))) (<= (legal b wait) (true (turn a)))
        (<= (taken ?s) (true (has ?r ?s)))
        (<= (next (has ?r ?s)) (does ?r (take ?s)))
        (<= (next (has ?r ?s)) (true (has ?r ?s)))
        (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
        (<= (won ?r) (role ?r) (line ?x ?y ?z)
            (true (has ?r ?x)) (true (has ?r ?y)) (true (has ?r ?z)))
        (<= open (square ?s) (not (taken ?s)))
        (<= terminal (won ?r)) (<= terminal (not open))
        (<= (goal a 100) (won a)) (<= (goal a 0) (won b))
        (<= (goal b 100) (won b)) (<= (goal b 0) (won a))
        (<= (goal ?r 50) (role ?r) (not (won a)) (not (won b)))";

    #[test]
    fn threats_are_counted_alike_in_any_number_of_lanes() {
        let rules = gambol_syntax::read(LINES.as_bytes(), &Default::default()).rules;
        let ground = gambol_ground::instantiate(&rules.expect("rules"), &Default::default());
        let net = gambol_net::build(&ground.expect("ground")).expect("a net");
        for code in [Code::Table, Code::Avx2, Code::Avx512, Code::Neon, Code::Auto] {
            if !code.is_available() {
                continue;
            }
            let mut compile = CompileOptions::default();
            compile.code = code;
            let circuit = Circuit::compile(&net, &compile).expect("a circuit");
            let start = circuit.initial().words().to_vec();
            let options = SolveOptions::default();
            let task = Task { net: &net, circuit: &circuit, start: &start, options: &options };
            assert!(threats_that_are_right(&task) > 50, "{code:?}");
        }
    }

    /// Compares with the circuit of flips asked about one state and one flip at a time; how many threats there are.
    fn threats_that_are_right(task: &Task<'_>) -> i64 {
        let lines = Inhibitors::everywhere(task.net);
        let board = SearchProblem::of(task, Stake::Role(0), None, &lines).expect("two roles");
        let meter = Meter::start(&task.options.limits);
        let table = Arc::new(Table::<1>::within(1 << 10));
        let mut engine = Engine::new(&board, task.circuit, table, meter);
        let mut game = CircuitDynamics::new(task.net, task.circuit);
        let (mut order, mut frame, mut met) = (Order::new(&board), Frame::default(), 0);
        let mut random = Random::new(5);
        let games: Vec<_> = (0..20).map(|_| walk(&mut game, task.start, &mut random)).collect();
        for state in games.concat() {
            let looks = game.look(&state);
            if looks.over(0) {
                continue;
            }
            let (turn, moves) = root_turn(&looks).expect("turns alternate");
            engine.children(&[state[0]], turn, &moves, &mut frame).expect("clear ends");
            frame.open = (0..frame.children.len() as u16).collect();
            order.count_threats(1, &[state[0]], turn, &mut frame, &mut 0);
            let flips = board.flips[usize::from(turn.mover)].as_ref().expect("few squares");
            for child in &frame.children {
                assert_eq!(child.score, threats(flips, child.state[0], board.fluents));
                met += child.score;
            }
        }
        met
    }

    fn threats(flips: &Flips, state: u64, fluents: usize) -> i64 {
        let mut evaluator = Evaluator::new(&flips.circuit);
        let mut wins = |flip: usize| {
            let mut flipped = State::empty(fluents + flips.count);
            flipped.words_mut()[0] = state;
            flipped.set(FluentId::from_index(fluents + flip));
            evaluator.goals(&flipped)[RoleId::new(0)] == Some(1)
        };
        (0..flips.count).filter(|&flip| wins(flip)).count() as i64
    }
}
