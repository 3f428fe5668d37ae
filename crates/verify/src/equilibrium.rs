//! The check of equilibria.
//!
//! In every entry one role at most has a choice, each of its moves leads to an end or to an entry of lower rank, and
//! none of them gives it more than the one that is made. So the entries are closed under all moves, play ends whatever
//! is done, and no role gains by another move in any state that can come up. Where play ends, to gain by other moves in
//! several states one must gain by the last of them alone: the strategies are a subgame-perfect equilibrium.

use gambol_reference::State;
use rustc_hash::FxHashMap;

use crate::certificate::EquilibriumEntry;
use crate::checker::Checker;
use crate::refusal::{Fault, fault};
use crate::walk::check_each;

type Known<'c> = FxHashMap<State, &'c EquilibriumEntry>;

impl Checker<'_> {
    /// What each role gets from the state in question.
    pub(crate) fn check_equilibrium(
        &mut self,
        entries: &[EquilibriumEntry],
    ) -> Result<Vec<u32>, Fault> {
        let roles = self.roles.len();
        if entries.iter().any(|e| e.values.len() != roles || e.reply.len() != roles) {
            return fault("an entry has not one move and one value for each role");
        }
        let known = self.table(entries, |entry| (&entry.state, entry))?;
        check_each(self, entries, |checker, entry| checker.check_choice(entry, &known))?;
        let start = self.start.clone();
        match known.get(&start) {
            Some(entry) => Ok(entry.values.clone()),
            None if self.game.terminal(&start)? => self.goals_of_end(&start),
            None => fault("the state in question is not among the entries"),
        }
    }

    fn check_choice(&mut self, entry: &EquilibriumEntry, known: &Known<'_>) -> Result<(), Fault> {
        let state = self.open_state(&entry.state)?;
        let choices = self.game.legal(&state)?;
        if choices.iter().any(Vec::is_empty) {
            return fault("a role has no legal move in an entry");
        }
        let mut choosers = (0..choices.len()).filter(|&role| choices[role].len() > 1);
        let chooser = choosers.next();
        if choosers.next().is_some() {
            return fault("two players choose at the same time");
        }
        let mut reply = Vec::new();
        for (moves, name) in choices.iter().zip(&entry.reply) {
            reply.push(self.legal_move(moves, name)?);
        }
        let mut joint = vec![reply.clone()];
        if let Some(chooser) = chooser {
            joint.extend(choices[chooser].iter().map(|&term| {
                reply[chooser] = term;
                reply.clone()
            }));
        }
        let next = self.followers(&state, &joint)?;
        if self.outcome(&next[0], entry.rank, known)? != entry.values {
            return fault("an entry is not worth what its move leads to");
        }
        let Some(chooser) = chooser else { return Ok(()) };
        for other in &next[1..] {
            if self.outcome(other, entry.rank, known)?[chooser] > entry.values[chooser] {
                return fault(format!("{} would do better by another move", self.roles[chooser]));
            }
        }
        Ok(())
    }

    /// What each role gets from a state on, by its goals or its entry.
    fn outcome(&mut self, state: &State, rank: u32, known: &Known<'_>) -> Result<Vec<u32>, Fault> {
        match known.get(state) {
            None => self.goals_of_end(state),
            Some(entry) if entry.rank >= rank => {
                fault("play can go on without coming nearer to the end")
            }
            Some(entry) => Ok(entry.values.clone()),
        }
    }

    /// The goals of an end, which must be clear: what the one to move prefers must not depend on how they are read.
    fn goals_of_end(&mut self, state: &State) -> Result<Vec<u32>, Fault> {
        let mut goals = Vec::new();
        for role in 0..self.roles.len() {
            let worth = self.end(state, role)?;
            if worth.least != worth.most {
                let name = &self.roles[role];
                return fault(format!("an end is without exactly one goal for {name}"));
            }
            goals.push(worth.least);
        }
        Ok(goals)
    }
}
