//! The fallback player: legal moves by the plain interpreter, and random games where there is nothing
//! better.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gambol_reference::{Budget, GroundTerm, Interpreter, ReferenceError, State};
use gambol_syntax::Rules;

use gambol_run::mixed;

/// The interpreter with a state.
pub(crate) struct Plain {
    interpreter: Interpreter,
    state: State,
}

impl Plain {
    pub(crate) fn new(rules: &Rules, budget: Budget) -> Result<Self, ReferenceError> {
        let mut interpreter = Interpreter::with_budget(rules, budget)?;
        let state = interpreter.initial()?;
        interpreter.set_budget(Budget::default());
        Ok(Self { interpreter, state })
    }

    pub(crate) fn advance(&mut self, moves: &[String]) -> Result<(), ReferenceError> {
        let joint = self.interpreter.terms_from_text(&moves.join(" "))?;
        self.state = self.interpreter.next(&self.state, &joint)?;
        Ok(())
    }

    /// The legal moves of a role, as they are spelt.
    pub(crate) fn legal(&mut self, role: usize) -> Result<Vec<String>, ReferenceError> {
        let legal: Vec<Vec<GroundTerm>> = self.interpreter.legal(&self.state)?;
        Ok(legal.get(role).map_or_else(Vec::new, |moves| self.interpreter.sorted_texts(moves)))
    }

    /// Makes a step that is not kept, so that what the rules say of every state is worked out before it is needed.
    pub(crate) fn warm_up(&mut self, budget: Budget) -> Result<(), ReferenceError> {
        self.interpreter.set_budget(budget);
        let looked = self.look_ahead();
        self.interpreter.set_budget(Budget::default());
        looked
    }

    fn look_ahead(&mut self) -> Result<(), ReferenceError> {
        let legal = self.interpreter.legal(&self.state)?;
        let joint: Option<Vec<GroundTerm>> = legal.iter().map(|all| all.first().copied()).collect();
        if let Some(joint) = joint {
            let next = self.interpreter.next(&self.state, &joint)?;
            self.interpreter.legal(&next)?;
            self.interpreter.terminal(&next)?;
        }
        Ok(())
    }

    /// A random game that begins with a move of the role: its goal at the end; `None` if the game
    /// did not come to an end in time.
    fn trial(
        &mut self,
        role: usize,
        first: &str,
        draws: &mut Draws,
    ) -> Result<Option<u32>, ReferenceError> {
        let first = self.interpreter.terms_from_text(first)?;
        let (mut state, mut own) = (self.state.clone(), first.first().copied());
        for _ in 0..LONGEST_TRIAL {
            if self.interpreter.terminal(&state)? {
                let goals = self.interpreter.goal_values(&state)?;
                return Ok(Some(goals.get(role).copied().flatten().unwrap_or(0)));
            }
            let legal = self.interpreter.legal(&state)?;
            let mut joint = Vec::with_capacity(legal.len());
            for (place, moves) in legal.iter().enumerate() {
                let given = own.filter(|_| place == role);
                let Some(action) = given.or_else(|| draws.among(moves)) else { return Ok(None) };
                joint.push(action);
            }
            own = None;
            state = self.interpreter.next(&state, &joint)?;
        }
        Ok(None)
    }
}

/// Random games are cut off after so many steps.
const LONGEST_TRIAL: usize = 500;

/// Random choices.
struct Draws {
    seed: u64,
    count: u64,
}

impl Draws {
    fn among(&mut self, moves: &[GroundTerm]) -> Option<GroundTerm> {
        self.count += 1;
        let draw = mixed(self.seed, self.count) as usize;
        moves.get(draw % moves.len().max(1)).copied()
    }
}

/// Random games from each move of a role in turn.
pub(crate) struct Trials<'m> {
    moves: &'m [String],
    /// The games of each move and the sum of their goals.
    seen: Vec<(u32, u64)>,
    next: usize,
    draws: Draws,
}

impl<'m> Trials<'m> {
    pub(crate) fn new(moves: &'m [String], seed: u64) -> Self {
        Self { moves, seen: vec![(0, 0); moves.len()], next: 0, draws: Draws { seed, count: 0 } }
    }

    /// Plays one more game; says whether there is time, and reason, for another.
    pub(crate) fn go_on(
        &mut self,
        plain: &mut Plain,
        role: usize,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> bool {
        if self.moves.len() < 2 || Instant::now() >= deadline || stop.load(Ordering::Relaxed) {
            return false;
        }
        let place = self.next % self.moves.len();
        self.next += 1;
        plain.interpreter.set_budget(Budget { deadline: Some(deadline), ..Budget::default() });
        let goal = plain.trial(role, &self.moves[place], &mut self.draws);
        plain.interpreter.set_budget(Budget::default());
        match goal {
            Ok(Some(goal)) => {
                self.seen[place].0 += 1;
                self.seen[place].1 += u64::from(goal);
                true
            }
            Ok(None) => true,
            Err(_) => false,
        }
    }

    /// The move with the best mean, once every move had its turn.
    pub(crate) fn best(&self) -> Option<String> {
        if self.next < self.moves.len() {
            return None;
        }
        let mean = |place: &usize| match self.seen[*place] {
            (0, _) => 0.0,
            (games, sum) => sum as f64 / f64::from(games),
        };
        let best = (0..self.moves.len()).max_by(|one, other| mean(one).total_cmp(&mean(other)))?;
        Some(self.moves[best].clone())
    }
}

/// A second interpreter that follows a match only when it has to.
#[derive(Default)]
pub(crate) struct Second {
    plain: Option<Plain>,
    /// How many joint moves were made.
    made: usize,
}

impl Second {
    /// The legal moves of a role after these joint moves, if the budget allows it.
    pub(crate) fn legal(
        &mut self,
        rules: &Rules,
        role: usize,
        moves: &[Vec<String>],
        budget: Budget,
    ) -> Option<Vec<String>> {
        if self.plain.is_none() {
            self.plain = Plain::new(rules, budget.clone()).ok();
        }
        let plain = self.plain.as_mut()?;
        plain.interpreter.set_budget(budget);
        while let Some(joint) = moves.get(self.made) {
            plain.advance(joint).ok()?;
            self.made += 1;
        }
        plain.legal(role).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn rules() -> Rules {
        let text = include_str!("../../../../games/tic-tac-toe/rules.kif");
        gambol_syntax::read(text.as_bytes(), &Default::default()).rules.expect("rules")
    }

    /// First player's turn, with a line to complete.
    const STEPS: [[&str; 2]; 4] = [
        ["(put 1 1)", "wait"],
        ["wait", "(put 2 1)"],
        ["(put 1 2)", "wait"],
        ["wait", "(put 2 2)"],
    ];

    fn steps() -> Vec<Vec<String>> {
        STEPS.iter().map(|joint| joint.map(str::to_string).to_vec()).collect()
    }

    #[test]
    fn random_games_complete_a_line() {
        let mut plain = Plain::new(&rules(), Budget::default()).expect("a game");
        steps().iter().for_each(|joint| plain.advance(joint).expect("legal"));
        let legal = plain.legal(0).expect("moves");
        let mut trials = Trials::new(&legal, 1);
        assert_eq!(trials.best(), None);
        let (deadline, stop) = (Instant::now() + Duration::from_secs(60), AtomicBool::new(false));
        for _ in 0..40 * legal.len() {
            assert!(trials.go_on(&mut plain, 0, deadline, &stop));
        }
        assert_eq!(trials.best().as_deref(), Some("(put 1 3)"));
        assert!(!trials.go_on(&mut plain, 0, Instant::now(), &stop));
    }

    #[test]
    fn a_second_interpreter_catches_up_when_it_is_needed() {
        let (mut second, rules, steps) = (Second::default(), rules(), steps());
        let none = Budget { deadline: Some(Instant::now()), ..Budget::default() };
        assert_eq!(second.legal(&rules, 0, &steps, none), None);
        let legal = second.legal(&rules, 0, &steps, Budget::default());
        assert_eq!(legal.map(|legal| legal.len()), Some(5));
        let legal = second.legal(&rules, 1, &steps, Budget::default());
        assert_eq!(legal, Some(vec!["wait".to_string()]));
    }
}
