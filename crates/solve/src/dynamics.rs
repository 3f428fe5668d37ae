//! Dynamics: what a solver asks of a game, for many states at a time.
//!
//! States are rows of words, moves are numbers. The circuit of a game answers fastest; tests and
//! parts of games answer from tables.

use gambol_verify::HIGHEST_GOAL;

/// A game as solvers see it.
pub trait Dynamics {
    /// How many players there are.
    fn roles(&self) -> usize;
    /// How many words a state takes.
    fn width(&self) -> usize;
    /// The state at the start.
    fn start(&self) -> Vec<u64>;
    /// Looks at states, given row after row.
    fn look(&mut self, states: &[u64]) -> Looks;
    /// The states after joint moves: for each row of `states` one move per role.
    fn step(&mut self, states: &[u64], joint_moves: &[u32]) -> Vec<u64>;
}

/// What an end is worth to a role: one goal or, where the rules give several goals or none, anything
/// from the worst reading to the best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Payoff {
    /// In the worst reading: the least of several goals, 0 if there is none.
    pub least: u32,
    /// In the best reading: the greatest of several goals, [`HIGHEST_GOAL`] if there is none.
    pub most: u32,
}

impl Payoff {
    /// What the goals that hold in an end are worth.
    pub(crate) fn of(goals: impl Iterator<Item = u32> + Clone) -> Self {
        match (goals.clone().min(), goals.max()) {
            (Some(least), Some(most)) => Self { least, most },
            _ => Self { least: 0, most: HIGHEST_GOAL },
        }
    }

    /// Exactly this.
    pub fn exact(value: u32) -> Self {
        Self { least: value, most: value }
    }

    /// The value, if both readings agree.
    pub fn value(self) -> Option<u32> {
        (self.least == self.most).then_some(self.least)
    }

    /// The value in one reading.
    pub fn read(self, reading: Reading) -> u32 {
        match reading {
            Reading::Least => self.least,
            Reading::Most => self.most,
        }
    }
}

/// How to read ends in which the rules give several goals, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// As bad as possible for the role that is asked about.
    Least,
    /// As good as possible.
    Most,
}

/// What was seen in some states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Looks {
    roles: usize,
    over: Vec<bool>,
    goals: Vec<Payoff>,
    /// The moves of role `r` in state `i` are `moves[first[i * roles + r]..first[i * roles + r + 1]]`.
    first: Vec<u32>,
    moves: Vec<u32>,
}

impl Looks {
    /// No state yet, in a game of this many players.
    pub fn new(roles: usize) -> Self {
        Self { roles, over: Vec::new(), goals: Vec::new(), first: vec![0], moves: Vec::new() }
    }

    /// Adds a state in which the game is over, with the goals of the roles.
    pub fn push_end(&mut self, goals: impl IntoIterator<Item = Payoff>) {
        self.over.push(true);
        self.goals.extend(goals);
        let end = self.moves.len() as u32;
        self.first.extend(std::iter::repeat_n(end, self.roles));
    }

    /// Adds a state in which the game goes on, with the moves of each role.
    pub fn push_open<M: IntoIterator<Item = u32>>(&mut self, moves: impl IntoIterator<Item = M>) {
        self.over.push(false);
        self.goals.extend(std::iter::repeat_n(Payoff::exact(0), self.roles));
        for moves in moves {
            self.moves.extend(moves);
            self.first.push(self.moves.len() as u32);
        }
    }

    /// How many players there are.
    pub fn roles(&self) -> usize {
        self.roles
    }

    /// How many states were looked at.
    pub fn len(&self) -> usize {
        self.over.len()
    }

    /// Whether no state was looked at.
    pub fn is_empty(&self) -> bool {
        self.over.is_empty()
    }

    /// Whether the game is over in a state.
    pub fn over(&self, state: usize) -> bool {
        self.over[state]
    }

    /// What a state in which the game is over is worth, by role.
    pub fn goals(&self, state: usize) -> &[Payoff] {
        &self.goals[state * self.roles..(state + 1) * self.roles]
    }

    /// The moves of a role.
    pub fn moves(&self, state: usize, role: usize) -> &[u32] {
        let cell = state * self.roles + role;
        &self.moves[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    /// How many joint moves a state has; none if it is an end or a role is stuck.
    pub fn joint_count(&self, state: usize) -> usize {
        if self.over[state] {
            return 0;
        }
        let counts = (0..self.roles).map(|role| self.moves(state, role).len());
        counts.fold(1, usize::saturating_mul)
    }

    /// Appends joint move number `number` of a state. The last role's move changes fastest.
    pub fn joint_move(&self, state: usize, number: usize, joint: &mut Vec<u32>) {
        let start = joint.len();
        let mut rest = number;
        for role in (0..self.roles).rev() {
            let moves = self.moves(state, role);
            joint.push(moves[rest % moves.len()]);
            rest /= moves.len();
        }
        joint[start..].reverse();
    }

    /// Appends what was seen in other states.
    pub fn append(&mut self, other: &Looks) {
        let shift = self.moves.len() as u32;
        self.over.extend(&other.over);
        self.goals.extend(&other.goals);
        self.moves.extend(&other.moves);
        self.first.extend(other.first[1..].iter().map(|first| first + shift));
    }
}
