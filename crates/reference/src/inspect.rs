//! The checks that concern one state, and one step from a state to the next.

use rustc_hash::FxHashSet;

use crate::{Fault, Finding, GroundTerm, Interpreter, ReferenceError, State};

/// A state as the checks see it.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    pub(crate) terminal: bool,
    /// For each role its legal moves; empty lists in terminal states.
    pub(crate) legal: Vec<Vec<GroundTerm>>,
    /// For each role its goal value, if it has exactly one.
    pub(crate) goals: Vec<Option<u32>>,
}

impl Position {
    /// Whether every role can move.
    pub(crate) fn can_go_on(&self) -> bool {
        !self.terminal && self.legal.iter().all(|moves| !moves.is_empty())
    }
}

/// Checks states and collects what it finds: each fault once per role, the first time it is met.
#[derive(Debug)]
pub(crate) struct Inspector {
    base: Option<FxHashSet<GroundTerm>>,
    input: Option<Vec<FxHashSet<GroundTerm>>>,
    /// The role that the referee plays; its goal does not matter.
    random: Option<usize>,
    met: FxHashSet<(Fault, Option<usize>)>,
    pub(crate) won: Vec<bool>,
    pub(crate) findings: Vec<Finding>,
}

/// The joint moves that led to a state; asked for only when there is something to report.
pub(crate) type Witness<'a> = &'a dyn Fn() -> Vec<Vec<GroundTerm>>;

impl Inspector {
    pub(crate) fn new(game: &mut Interpreter) -> Result<Self, ReferenceError> {
        let base = game.base()?.map(|fluents| fluents.into_iter().collect());
        let input = game.input()?;
        let input =
            input.map(|roles| roles.into_iter().map(|moves| moves.into_iter().collect()).collect());
        Ok(Self {
            base,
            input,
            random: game.roles().iter().position(|&role| game.text(role) == "random"),
            met: FxHashSet::default(),
            won: vec![false; game.roles().len()],
            findings: Vec::new(),
        })
    }

    /// Checks one state.
    pub(crate) fn inspect(
        &mut self,
        game: &mut Interpreter,
        state: &State,
        witness: Witness<'_>,
    ) -> Result<Position, ReferenceError> {
        self.check_base(state, witness);
        let terminal = game.terminal(state)?;
        let goals = self.check_goals(game, state, terminal, witness)?;
        let mut legal = vec![Vec::new(); game.roles().len()];
        if !terminal {
            legal = game.legal(state)?;
            self.check_legal(&legal, witness);
        }
        Ok(Position { terminal, legal, goals })
    }

    /// Checks one step. The witness leads to the later state.
    pub(crate) fn inspect_step(&mut self, from: &Position, to: &Position, witness: Witness<'_>) {
        for role in self.scored_roles() {
            if let (Some(before), Some(after)) = (from.goals[role], to.goals[role])
                && after < before
            {
                self.report(Fault::GoalFalls, Some(role), None, witness);
            }
        }
    }

    /// To be called when every play was seen.
    pub(crate) fn inspect_winnability(&mut self) {
        for role in self.scored_roles() {
            if !self.won[role] {
                self.report(Fault::Unwinnable, Some(role), None, &Vec::new);
            }
        }
    }

    fn scored_roles(&self) -> Vec<usize> {
        (0..self.won.len()).filter(|&role| Some(role) != self.random).collect()
    }

    fn check_base(&mut self, state: &State, witness: Witness<'_>) {
        let Some(base) = &self.base else { return };
        let undeclared = state.fluents().iter().find(|fluent| !base.contains(fluent));
        if let Some(&fluent) = undeclared {
            self.report(Fault::BaseMissing, None, Some(fluent), witness);
        }
    }

    fn check_legal(&mut self, legal: &[Vec<GroundTerm>], witness: Witness<'_>) {
        for (role, moves) in legal.iter().enumerate() {
            if moves.is_empty() {
                self.report(Fault::NoLegalMove, Some(role), None, witness);
            }
            let Some(input) = &self.input else { continue };
            let undeclared = moves.iter().find(|action| !input[role].contains(action));
            if let Some(&action) = undeclared {
                self.report(Fault::InputMissing, Some(role), Some(action), witness);
            }
        }
    }

    fn check_goals(
        &mut self,
        game: &mut Interpreter,
        state: &State,
        terminal: bool,
        witness: Witness<'_>,
    ) -> Result<Vec<Option<u32>>, ReferenceError> {
        let goals = game.goals(state)?;
        let values = game.goal_values(state)?;
        for role in self.scored_roles() {
            let in_range = |&value: &GroundTerm| game.number(value).is_some_and(|n| n <= 100);
            if let Some(&value) = goals[role].iter().find(|value| !in_range(value)) {
                self.report(Fault::GoalValue, Some(role), Some(value), witness);
            }
            match goals[role].len() {
                0 if terminal => self.report(Fault::GoalMissing, Some(role), None, witness),
                0 | 1 => {}
                _ if terminal => self.report(Fault::GoalAmbiguous, Some(role), None, witness),
                _ => {}
            }
            self.won[role] |= terminal && values[role] == Some(100);
        }
        Ok(values)
    }

    /// Notes a finding unless the same was noted before.
    pub(crate) fn report(
        &mut self,
        fault: Fault,
        role: Option<usize>,
        subject: Option<GroundTerm>,
        witness: Witness<'_>,
    ) {
        if self.met.insert((fault, role)) {
            self.findings.push(Finding { fault, role, subject, witness: witness() });
        }
    }
}
