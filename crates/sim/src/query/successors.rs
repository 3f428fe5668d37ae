//! The successors of many states, one joint move each, without allocation.
//!
//! A search asks for one joint move in each of many states; lane `i` makes the `i`-th. The buffers are kept from one
//! batch to the next.
//!
//! A search asks for one joint move in each of many states; lane `i` makes the `i`-th. The buffers are
//! kept from one batch of questions to the next, so that asking costs no memory.

use gambol_index::{Id, bits};
use gambol_net::MoveId;

use crate::query::rows::words_for;
use crate::{Circuit, State, Sweep};

/// What is to be found out of the successors, beside their termination.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// The states; those in which the game is over are read in any case.
    pub states: bool,
    /// The legal moves in them.
    pub legal: bool,
}

/// The successors of many states under one joint move each. Owns its memory: one per thread.
pub struct Successors<'a> {
    circuit: &'a Circuit,
    sweep: Sweep<'a>,
    /// The states that were asked about, row after row.
    rows: Vec<u64>,
    /// What is done in them: one move per role for each.
    moves: Vec<MoveId>,
    states: Vec<u64>,
    /// One bit per answer.
    terminal: Vec<u64>,
    /// For each successor that is terminal, every role's goal; zero elsewhere.
    goals: Vec<u32>,
    /// For each successor, whether every role has one goal there if it is terminal.
    clear_goals: Vec<bool>,
    legal_rows: Vec<u64>,
    /// The legal moves of successor `i` are `legal[first_legal[i]..first_legal[i + 1]]`.
    legal: Vec<MoveId>,
    first_legal: Vec<u32>,
}

impl<'a> Successors<'a> {
    /// For a game.
    pub fn new(circuit: &'a Circuit) -> Self {
        Self {
            circuit,
            sweep: Sweep::new(circuit),
            rows: Vec::new(),
            moves: Vec::new(),
            states: Vec::new(),
            terminal: Vec::new(),
            goals: Vec::new(),
            clear_goals: Vec::new(),
            legal_rows: Vec::new(),
            legal: Vec::new(),
            first_legal: Vec::new(),
        }
    }

    /// How many words a state takes here.
    pub fn width(&self) -> usize {
        words_for(self.circuit.fluent_count())
    }

    /// How many states are looked at in one sweep.
    pub fn lanes(&self) -> usize {
        64 * self.sweep.parts()
    }

    /// Forgets all questions and answers.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.moves.clear();
    }

    /// Asks what a joint move, one move per role, leads to in a state of [`width`](Self::width) words.
    pub fn ask(&mut self, state: &[u64], joint_move: impl IntoIterator<Item = MoveId>) {
        self.rows.extend_from_slice(state);
        self.moves.extend(joint_move);
        debug_assert_eq!(self.moves.len(), self.len() * self.circuit.role_count());
    }

    /// How many questions were asked.
    pub fn len(&self) -> usize {
        self.rows.len() / self.width()
    }

    /// Whether nothing was asked.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Answers all questions.
    pub fn answer(&mut self, wanted: Wanted) {
        let (count, lanes) = (self.len(), self.lanes());
        self.states.clear();
        self.terminal.clear();
        self.goals.clear();
        self.goals.resize(count * self.circuit.role_count(), 0);
        self.clear_goals.clear();
        self.clear_goals.resize(count, true);
        self.legal.clear();
        self.first_legal.clear();
        self.first_legal.push(0);
        for first in (0..count).step_by(lanes) {
            let here = lanes.min(count - first);
            self.step(first, here);
            self.read(first, here, wanted);
        }
    }

    /// The state that was asked about.
    pub fn asked(&self, question: usize) -> &[u64] {
        &self.rows[question * self.width()..][..self.width()]
    }

    /// The state that an answer is about, as words.
    pub fn row(&self, answer: usize) -> &[u64] {
        let width = self.width();
        &self.states[answer * width..][..width]
    }

    /// The state that an answer is about.
    pub fn state(&self, answer: usize) -> State {
        State::from_words(&self.row(answer)[..self.circuit.fluent_count().div_ceil(64)])
    }

    /// Whether the game is over there.
    pub fn terminal(&self, answer: usize) -> bool {
        bits::is_set(&self.terminal, answer)
    }

    /// Every role's goal, if the game is over there; a role with no goal value or several gets nothing.
    pub fn goals(&self, answer: usize) -> &[u32] {
        let roles = self.circuit.role_count();
        &self.goals[answer * roles..][..roles]
    }

    /// Whether every role has exactly one goal, if the game is over there.
    pub fn has_clear_goals(&self, answer: usize) -> bool {
        self.clear_goals[answer]
    }

    /// The legal moves of all roles, sorted.
    pub fn legal(&self, answer: usize) -> &[MoveId] {
        let (first, end) = (self.first_legal[answer], self.first_legal[answer + 1]);
        &self.legal[first as usize..end as usize]
    }

    /// Makes the joint moves of some questions, each in a lane of its own.
    fn step(&mut self, first: usize, count: usize) {
        let (width, roles) = (self.width(), self.circuit.role_count());
        self.sweep.load_states(&self.rows[first * width..(first + count) * width]);
        let moves = &self.moves[first * roles..(first + count) * roles];
        let (parts, does) = (self.sweep.parts(), self.sweep.slots().moves);
        let words = self.sweep.words_mut();
        for (lane, joint_move) in moves.chunks(roles.max(1)).enumerate() {
            for action in joint_move {
                words[(does + action.index()) * parts + lane / 64] |= 1 << (lane % 64);
            }
        }
        self.sweep.transition();
        let words = self.sweep.words_mut();
        for (lane, joint_move) in moves.chunks(roles.max(1)).enumerate() {
            for action in joint_move {
                words[(does + action.index()) * parts + lane / 64] = 0;
            }
        }
        self.sweep.legality();
    }

    fn read(&mut self, first: usize, count: usize, wanted: Wanted) {
        let (parts, slots) = (self.sweep.parts(), self.sweep.slots());
        let words = &self.sweep.words()[slots.terminal * parts..][..count.div_ceil(64)];
        self.terminal.extend_from_slice(words);
        // What the lanes beyond hold is undefined.
        if let Some(last) = self.terminal.last_mut()
            && !count.is_multiple_of(64)
        {
            *last &= (1 << (count % 64)) - 1;
        }
        let ends = self.terminal[first / 64..].iter().any(|&word| word != 0);
        match wanted.states || ends {
            true => self.sweep.read_states(count, &mut self.states),
            false => self.states.resize((first + count) * self.width(), 0),
        }
        if wanted.legal {
            self.read_legal(count);
        }
        if ends {
            self.read_goals(first, count);
        }
    }

    fn read_legal(&mut self, count: usize) {
        self.legal_rows.clear();
        self.sweep.read_legal(count, &mut self.legal_rows);
        for row in self.legal_rows.chunks_exact(self.sweep.legal_width()) {
            self.sweep.append_legal(row, &mut self.legal);
            self.first_legal.push(self.legal.len() as u32);
        }
    }

    fn read_goals(&mut self, first: usize, count: usize) {
        self.sweep.goals();
        let (parts, roles) = (self.sweep.parts(), self.circuit.role_count());
        let slots = self.sweep.slots().goals;
        let words = self.sweep.words();
        let terminal = &self.terminal[first / 64..];
        for lane in (0..count).filter(|&lane| bits::is_set(terminal, lane)) {
            let goals = &mut self.goals[(first + lane) * roles..][..roles];
            let holds = |slot: usize| bits::is_set(&words[slot * parts..], lane);
            for (role, value) in goals.iter_mut().enumerate() {
                let own = self.circuit.goals().iter().zip(slots.clone());
                let mut held = own.filter(|(goal, slot)| goal.role.index() == role && holds(*slot));
                match (held.next(), held.next()) {
                    (Some((goal, _)), None) => *value = goal.value,
                    // Of several values none counts.
                    _ => self.clear_goals[first + lane] = false,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompileOptions, Evaluator};
    use gambol_net::NetBuilder;

    /// A walk of one player over a ring of 70 fields, left or right; two of them end it.
    fn ring() -> Circuit {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        let fields: Vec<_> = (0..70).map(|field| net.fluent(&format!("at {field}"))).collect();
        let (left, right) = (net.action(player, "left"), net.action(player, "right"));
        let (goes_left, goes_right) = (net.does(left), net.does(right));
        let at: Vec<_> = fields.iter().map(|&field| net.truth(field)).collect();
        net.initial(fields[3]);
        for field in 0..70 {
            let from_right = net.and([at[(field + 1) % 70], goes_left]);
            let from_left = net.and([at[(field + 69) % 70], goes_right]);
            let comes = net.or([from_right, from_left]);
            net.next(fields[field], comes);
        }
        let always = net.constant(true);
        let not_at_seven = net.not(at[7]);
        net.legal(left, always);
        net.legal(right, not_at_seven);
        let end = net.or([at[0], at[20]]);
        net.terminal(end);
        net.goal(player, 100, at[20]);
        net.goal(player, 40, at[0]);
        Circuit::compile(&net.finish().expect("a net"), &CompileOptions::default())
            .expect("a circuit")
    }

    #[test]
    fn many_answers_are_those_about_single_states() {
        let circuit = ring();
        let mut evaluator = Evaluator::new(&circuit);
        let mut successors = Successors::new(&circuit);
        for count in [1, 63, 300, 700] {
            successors.clear();
            let asked: Vec<(State, MoveId)> = (0..count)
                .map(|number| {
                    let field = gambol_net::FluentId::from_index(number % 70);
                    (circuit.state_of(&[field]), MoveId::from_index(number / 70 % 2))
                })
                .collect();
            asked.iter().for_each(|(state, action)| successors.ask(state.words(), [*action]));
            successors.answer(Wanted { states: true, legal: true });
            for (answer, (state, action)) in asked.iter().enumerate() {
                let next = evaluator.next(state, &[*action]);
                assert_eq!(successors.state(answer), next);
                assert_eq!(successors.terminal(answer), evaluator.terminal(&next));
                assert_eq!(successors.legal(answer), evaluator.legal(&next));
                let goal = evaluator.goals(&next).into_vec()[0].unwrap_or(0);
                let shown = if successors.terminal(answer) { goal } else { 0 };
                assert_eq!(successors.goals(answer), [shown]);
            }
        }
    }
}
