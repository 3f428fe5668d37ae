//! The check of claims about averages.

use gambol_reference::{GroundTerm, State};
use rustc_hash::FxHashMap;

use crate::certificate::{AverageClaim, AverageEntry};
use crate::checker::{Checker, JointMoves};
use crate::fraction::Fraction;
use crate::refusal::{Fault, fault};
use crate::walk::check_each;

/// A claim as the checker reads it.
struct Reading {
    players: Vec<usize>,
    role: usize,
    at_least: bool,
    /// The rank and the value of each entry.
    known: FxHashMap<State, (u32, Fraction)>,
}

/// Moves of the players, and how often they are taken.
type Mixture = Vec<(Vec<GroundTerm>, Fraction)>;

impl Checker<'_> {
    /// What a claim proves of the average: the value of the state in question.
    pub(crate) fn check_average(&mut self, claim: &AverageClaim) -> Result<Fraction, Fault> {
        let (players, role) = (self.places(&claim.players)?, self.place(&claim.role)?);
        let mixes_itself = players == [role];
        let others_mix = !players.contains(&role) && players.len() + 1 == self.roles.len();
        if !(claim.at_least && mixes_itself || !claim.at_least && others_mix) {
            return fault("a bound is given by players who cannot give it");
        }
        let known = self.table(&claim.entries, |e| (&e.state, (e.rank, e.value)))?;
        let reading = Reading { players, role, at_least: claim.at_least, known };
        check_each(self, &claim.entries, |checker, entry| {
            checker.check_average_at(entry, &reading)
        })?;
        let start = self.start.clone();
        if self.game.terminal(&start)? {
            return self.end_on_one_side(&start, &reading);
        }
        match reading.known.get(&start) {
            Some(&(_, value)) => Ok(value),
            None => fault("the state in question is not among the entries"),
        }
    }

    fn check_average_at(&mut self, entry: &AverageEntry, reading: &Reading) -> Result<(), Fault> {
        let state = self.open_state(&entry.state)?;
        // Play that never ends is worth nothing. Values that are never below that and never fall on average
        // bound it from above, however long it takes.
        if !reading.at_least && entry.value.sign() < 0 {
            return fault("an upper bound is below every goal");
        }
        let choices = self.game.legal(&state)?;
        if choices.iter().any(Vec::is_empty) {
            let allowed = !reading.at_least && entry.mixture.is_empty();
            return if allowed { Ok(()) } else { fault("a role has no legal move in an entry") };
        }
        let mixture = self.mixture(entry, &reading.players, &choices)?;
        let mut free = choices;
        reading.players.iter().for_each(|&player| free[player].truncate(1));
        let with = |joint: &[GroundTerm], moves: &[GroundTerm]| {
            let mut joint = joint.to_vec();
            reading.players.iter().zip(moves).for_each(|(&player, &term)| joint[player] = term);
            joint
        };
        for joint in JointMoves::of(&free, mixture.len()) {
            let rows = joint.iter().flat_map(|j| mixture.iter().map(|(moves, _)| with(j, moves)));
            let rows: Vec<Vec<GroundTerm>> = rows.collect();
            for row in self.followers(&state, &rows)?.chunks(mixture.len()) {
                self.check_row(entry, row, &mixture, reading)?;
            }
        }
        Ok(())
    }

    /// Whether the mixture is good enough against one choice of the others: what follows, move by move.
    fn check_row(
        &mut self,
        entry: &AverageEntry,
        row: &[State],
        mixture: &Mixture,
        reading: &Reading,
    ) -> Result<(), Fault> {
        let mut average = Fraction::ZERO;
        for (next, (_, share)) in row.iter().zip(mixture) {
            let worth = self.worth_on_average(next, entry.rank, reading)?;
            let more = worth.times(*share).and_then(|part| average.plus(part));
            average = more.ok_or_else(too_many_digits)?;
        }
        let kept = if reading.at_least { average >= entry.value } else { average <= entry.value };
        if kept { Ok(()) } else { fault("the average is not what an entry says") }
    }

    /// The moves of a mixture as terms; they must be legal, and the shares must make one whole.
    fn mixture(
        &mut self,
        entry: &AverageEntry,
        players: &[usize],
        choices: &[Vec<GroundTerm>],
    ) -> Result<Mixture, Fault> {
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
            whole = whole.plus(*share).ok_or_else(too_many_digits)?;
            mixture.push((moves, *share));
        }
        if whole == Fraction::ONE {
            Ok(mixture)
        } else {
            fault("the shares of a mixture do not make one whole")
        }
    }

    fn worth_on_average(
        &mut self,
        state: &State,
        rank: u32,
        reading: &Reading,
    ) -> Result<Fraction, Fault> {
        match reading.known.get(state) {
            None => self.end_on_one_side(state, reading),
            Some(&(next, _)) if reading.at_least && next >= rank => {
                fault("play can go on without coming nearer to the end")
            }
            Some(&(_, value)) => Ok(value),
        }
    }

    /// What an end is worth, by the reading of its goals that is against the claim.
    fn end_on_one_side(&mut self, state: &State, reading: &Reading) -> Result<Fraction, Fault> {
        let worth = self.end(state, reading.role)?;
        Ok(Fraction::from(if reading.at_least { worth.least } else { worth.most }))
    }
}

fn too_many_digits() -> Fault {
    Fault::Reason("too many digits".to_string())
}
