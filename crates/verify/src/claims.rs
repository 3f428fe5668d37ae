//! The check of claims about every end.

use gambol_reference::State;
use rustc_hash::FxHashMap;

use crate::certificate::{Claim, ClaimEntry, Condition};
use crate::checker::{Checker, JointMoves};
use crate::refusal::{Fault, fault};
use crate::walk::check_each;

/// A claim as the checker reads it.
struct Reading<'c> {
    players: Vec<usize>,
    /// What must hold of every end, and for whom.
    ends: Vec<(usize, &'c Condition)>,
    /// Whether play must come to an end: endless play and stuck players give nothing, which is less than some
    /// player claims to get.
    must_end: bool,
    /// The rank of each entry.
    ranks: FxHashMap<State, u32>,
}

impl Checker<'_> {
    pub(crate) fn check_claim(&mut self, claim: &Claim) -> Result<(), Fault> {
        let reading = Reading {
            players: self.places(&claim.players)?,
            ends: self.conditions(claim)?,
            must_end: claim.ends.iter().any(|condition| condition.at_least.is_some_and(|l| l > 0)),
            ranks: self.table(&claim.entries, |entry| (&entry.state, entry.rank))?,
        };
        let start = self.start.clone();
        if self.game.terminal(&start)? {
            self.check_end(&start, &reading)?;
        } else if !reading.ranks.contains_key(&start) {
            return fault("the state in question is not among the entries");
        }
        check_each(self, &claim.entries, |checker, entry| checker.check_entry(entry, &reading))
    }

    fn conditions<'c>(&self, claim: &'c Claim) -> Result<Vec<(usize, &'c Condition)>, Fault> {
        if claim.ends.is_empty() {
            return fault("it says nothing");
        }
        let mut conditions = Vec::new();
        for condition in &claim.ends {
            let plays = claim.players.contains(&condition.role);
            match (condition.at_least, condition.at_most) {
                (None, None) => return fault("a condition says nothing"),
                (Some(_), None) if plays => {}
                (None, Some(_)) if !plays => {}
                _ => return fault("a bound is given by players who cannot give it"),
            }
            conditions.push((self.place(&condition.role)?, condition));
        }
        Ok(conditions)
    }

    /// An end must fulfil the conditions, whichever of its goals is meant.
    fn check_end(&mut self, state: &State, reading: &Reading<'_>) -> Result<(), Fault> {
        for &(role, condition) in &reading.ends {
            let worth = self.end(state, role)?;
            if condition.at_least.is_some_and(|least| worth.least < least) {
                return fault(format!("an end is worth {} to {}", worth.least, self.roles[role]));
            }
            if condition.at_most.is_some_and(|most| worth.most > most) {
                return fault(format!("an end is worth {} to {}", worth.most, self.roles[role]));
            }
        }
        Ok(())
    }

    fn check_entry(&mut self, entry: &ClaimEntry, reading: &Reading<'_>) -> Result<(), Fault> {
        let state = self.open_state(&entry.state)?;
        let mut choices = self.game.legal(&state)?;
        if entry.reply.len() != reading.players.len() {
            return fault("an entry has not one reply for each player");
        }
        if choices.iter().any(Vec::is_empty) {
            let allowed = !reading.must_end && entry.reply.iter().all(String::is_empty);
            return if allowed { Ok(()) } else { fault("a role has no legal move in an entry") };
        }
        for (&player, reply) in reading.players.iter().zip(&entry.reply) {
            choices[player] = vec![self.legal_move(&choices[player], reply)?];
        }
        for joint in JointMoves::of(&choices, 1) {
            for next in self.followers(&state, &joint)? {
                // Every entry is checked to be no end, so what is listed need not be asked again.
                match reading.ranks.get(&next) {
                    None => self.check_end(&next, reading)?,
                    Some(&rank) if reading.must_end && rank >= entry.rank => {
                        return fault("play can go on without coming nearer to the end");
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }
}
