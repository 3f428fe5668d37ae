//! The checker of claims about averages and of equilibria.

use gambol_reference::{GroundTerm, State};
use rustc_hash::FxHashMap;

use crate::certificate::{AverageClaim, AverageEntry, EquilibriumEntry};
use crate::check::{Checker, Fault, fault, joint_moves};
use crate::fraction::Fraction;
use crate::walk::check_each;

impl Checker<'_> {
    /// What a claim proves of the average: the value of the state in question.
    pub(crate) fn check_average(&mut self, claim: &AverageClaim) -> Result<Fraction, Fault> {
        let players = self.places(&claim.players)?;
        let Some(role) = self.roles.iter().position(|name| *name == claim.role) else {
            return fault(format!("{} is not a role", claim.role));
        };
        let mixes_itself = players == [role];
        let others_mix = !players.contains(&role) && players.len() + 1 == self.roles.len();
        if !(claim.at_least && mixes_itself || !claim.at_least && others_mix) {
            return fault("a bound is given by players who cannot give it");
        }
        let mut known: FxHashMap<State, (u32, Fraction)> = FxHashMap::default();
        for entry in &claim.entries {
            let state = self.listed(&entry.state)?;
            if known.insert(state, (entry.rank, entry.value)).is_some() {
                return fault("a state occurs twice");
            }
        }
        check_each(self, &claim.entries, |checker, entry| {
            checker.check_mixture(entry, &players, (role, claim.at_least), &known)
        })?;
        let start = self.start.clone();
        if self.game.terminal(&start)? {
            return self.goal(&start, role);
        }
        match known.get(&start) {
            Some(&(_, value)) => Ok(value),
            None => fault("the state in question is not among the entries"),
        }
    }

    fn check_mixture(
        &mut self,
        entry: &AverageEntry,
        players: &[usize],
        (role, at_least): (usize, bool),
        known: &FxHashMap<State, (u32, Fraction)>,
    ) -> Result<(), Fault> {
        let state = self.open_state(&entry.state)?;
        let choices = self.game.legal(&state)?;
        if choices.iter().any(Vec::is_empty) {
            return fault("a role has no legal move in an entry");
        }
        let mixture = self.mixture(entry, players, &choices)?;
        let free: Vec<Vec<GroundTerm>> = (0..choices.len())
            .map(|other| {
                if players.contains(&other) {
                    vec![choices[other][0]]
                } else {
                    choices[other].clone()
                }
            })
            .collect();
        let mixed = |joint: &Vec<GroundTerm>| {
            let mut rows = Vec::new();
            for (moves, _) in &mixture {
                let mut joint = joint.clone();
                players.iter().zip(moves).for_each(|(&player, &term)| joint[player] = term);
                rows.push(joint);
            }
            rows
        };
        let joint: Vec<Vec<GroundTerm>> = joint_moves(&free).iter().flat_map(mixed).collect();
        for row in self.followers(&state, &joint)?.chunks(mixture.len()) {
            let mut average = Fraction::ZERO;
            for (next, (_, share)) in row.iter().zip(&mixture) {
                let worth = self.worth(next, role, entry.rank, known)?;
                let more = worth.times(*share).and_then(|part| average.plus(part));
                average = more.ok_or_else(|| Fault::Reason("too many digits".to_string()))?;
            }
            let kept = if at_least { average >= entry.value } else { average <= entry.value };
            if !kept {
                return fault("the average is not what an entry says");
            }
        }
        Ok(())
    }

    /// The moves of a mixture as terms; they must be legal, and the shares must make one whole.
    fn mixture(
        &mut self,
        entry: &AverageEntry,
        players: &[usize],
        choices: &[Vec<GroundTerm>],
    ) -> Result<Vec<(Vec<GroundTerm>, Fraction)>, Fault> {
        let mut whole = Fraction::ZERO;
        let mut mixture = Vec::new();
        for (names, share) in &entry.mixture {
            if names.len() != players.len() || share.sign() < 0 {
                return fault("a mixture is malformed");
            }
            let mut moves = Vec::new();
            for (&player, name) in players.iter().zip(names) {
                moves.push(self.legal_move(&choices[player], name)?);
            }
            whole = whole.plus(*share).ok_or(Fault::Reason("too many digits".to_string()))?;
            mixture.push((moves, *share));
        }
        match whole == Fraction::ONE {
            true => Ok(mixture),
            false => fault("the shares of a mixture do not make one whole"),
        }
    }

    fn worth(
        &mut self,
        state: &State,
        role: usize,
        rank: u32,
        known: &FxHashMap<State, (u32, Fraction)>,
    ) -> Result<Fraction, Fault> {
        match known.get(state) {
            None if self.game.terminal(state)? => self.goal(state, role),
            None => fault("play can leave the entries"),
            Some(&(next, _)) if next >= rank => {
                fault("play can go on without coming nearer to the end")
            }
            Some(&(_, value)) => Ok(value),
        }
    }

    fn goal(&mut self, state: &State, role: usize) -> Result<Fraction, Fault> {
        match self.game.goal_values(state)?[role] {
            Some(goal) => Ok(Fraction::from(goal)),
            None => fault(format!("an end is without exactly one goal for {}", self.roles[role])),
        }
    }

    /// What each role gets in an equilibrium from the state in question.
    pub(crate) fn check_equilibrium(
        &mut self,
        entries: &[EquilibriumEntry],
    ) -> Result<Vec<Fraction>, Fault> {
        let mut known: FxHashMap<State, &EquilibriumEntry> = FxHashMap::default();
        for entry in entries {
            let state = self.listed(&entry.state)?;
            if entry.values.len() != self.roles.len() || entry.reply.len() != self.roles.len() {
                return fault("an entry has not one move and one value for each role");
            }
            if known.insert(state, entry).is_some() {
                return fault("a state occurs twice");
            }
        }
        check_each(self, entries, |checker, entry| checker.check_choice(entry, &known))?;
        let start = self.start.clone();
        self.outcome(&start, u32::MAX, &known)
    }

    fn check_choice(
        &mut self,
        entry: &EquilibriumEntry,
        known: &FxHashMap<State, &EquilibriumEntry>,
    ) -> Result<(), Fault> {
        let state = self.open_state(&entry.state)?;
        let choices = self.game.legal(&state)?;
        let mut reply = Vec::new();
        for (moves, name) in choices.iter().zip(&entry.reply) {
            reply.push(self.legal_move(moves, name)?);
        }
        let values: Vec<Fraction> = entry.values.iter().map(|&value| value.into()).collect();
        let mut joint = vec![reply.clone()];
        let mut choosers = (0..choices.len()).filter(|&role| choices[role].len() > 1);
        let chooser = choosers.next();
        if choosers.next().is_some() {
            return fault("two players choose at the same time");
        }
        if let Some(chooser) = chooser {
            joint.extend(choices[chooser].iter().map(|&term| {
                reply[chooser] = term;
                reply.clone()
            }));
        }
        let next = self.followers(&state, &joint)?;
        if self.outcome(&next[0], entry.rank, known)? != values {
            return fault("an entry is not worth what its move leads to");
        }
        let Some(chooser) = chooser else { return Ok(()) };
        for other in &next[1..] {
            if self.outcome(other, entry.rank, known)?[chooser] > values[chooser] {
                return fault(format!("{} would do better by another move", self.roles[chooser]));
            }
        }
        Ok(())
    }

    /// What each role gets from a state on, by its goals or its entry.
    fn outcome(
        &mut self,
        state: &State,
        rank: u32,
        known: &FxHashMap<State, &EquilibriumEntry>,
    ) -> Result<Vec<Fraction>, Fault> {
        match known.get(state) {
            None if self.game.terminal(state)? => {
                (0..self.roles.len()).map(|role| self.goal(state, role)).collect()
            }
            None => fault("play can leave the entries"),
            Some(entry) if entry.rank >= rank => {
                fault("play can go on without coming nearer to the end")
            }
            Some(entry) => Ok(entry.values.iter().map(|&value| value.into()).collect()),
        }
    }
}
