//! The checker of certificates. It knows the rules only through the plain interpreter, and trusts
//! nothing that a certificate says.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use gambol_reference::{GroundTerm, Interpreter, ReferenceError, State};
use rustc_hash::FxHashMap;

use crate::certificate::{Certificate, Claim, ClaimEntry, Condition, FORMAT};
use crate::fraction::Fraction;
use crate::walk::{VerifyOptions, check_each};

/// Why a certificate is refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Refusal {
    /// Another version of the format.
    #[error("format {0} is not known; this program reads format {FORMAT}")]
    Format(u32),
    /// Something was changed after it was written.
    #[error("the digest does not fit: the certificate was changed or damaged")]
    Digest,
    /// A number, name or list that cannot be.
    #[error("the certificate is malformed: {0}")]
    Malformed(String),
    /// A claim does not hold.
    #[error("claim {claim} does not hold: {reason}")]
    Claim {
        /// Which claim, from 1.
        claim: usize,
        /// Why not.
        reason: String,
    },
    /// The claims hold but do not prove the value.
    #[error("the claims do not prove the value of {0}")]
    Value(String),
    /// The interpreter has no answer.
    #[error("the rules could not be evaluated: {0}")]
    Reference(#[from] ReferenceError),
}

/// No goal is above this, by the definition of the language.
pub const HIGHEST_GOAL: u32 = 100;

/// Checks a certificate against the rules. The interpreter's limits hold for each question, its
/// deadline and its flag for all of them.
pub fn verify(
    game: &Interpreter,
    certificate: &Certificate,
    options: VerifyOptions<'_>,
) -> Result<(), Refusal> {
    if certificate.format != FORMAT {
        return Err(Refusal::Format(certificate.format));
    }
    if certificate.digest != certificate.compute_digest() {
        return Err(Refusal::Digest);
    }
    let done = AtomicU64::new(0);
    let mut checker = Checker::new(game.clone(), certificate, options, &done)?;
    let refused = |claim: usize, fault: Fault| match fault {
        Fault::Reason(reason) => Refusal::Claim { claim: claim + 1, reason },
        Fault::Reference(error) => Refusal::Reference(error),
    };
    let mut proved = Vec::new();
    for (number, claim) in certificate.claims.iter().enumerate() {
        checker.check_claim(claim).map_err(|fault| refused(number, fault))?;
        proved.extend(bounds_of(claim));
    }
    for (number, claim) in certificate.averages.iter().enumerate() {
        let value = checker.check_average(claim).map_err(|fault| refused(number, fault))?;
        proved.push(Bound { role: claim.role.clone(), at_least: claim.at_least, value });
    }
    if !certificate.equilibrium.is_empty() {
        let values = checker.check_equilibrium(&certificate.equilibrium);
        let values = values.map_err(|fault| refused(0, fault))?;
        for (role, value) in checker.roles.iter().zip(values) {
            let bound = |at_least| Bound { role: role.clone(), at_least, value };
            proved.extend([bound(true), bound(false)]);
        }
    }
    check_values(&checker.roles, certificate, &proved)
}

/// What is proved of a role's value.
struct Bound {
    role: String,
    at_least: bool,
    value: Fraction,
}

/// What a claim that holds says about values: players secure what is theirs, and hold down others.
fn bounds_of(claim: &Claim) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for Condition { role, at_least, at_most } in &claim.ends {
        let alone = !claim.players.is_empty() && claim.players.iter().all(|player| player == role);
        if let Some(value) = at_least.filter(|_| alone) {
            bounds.push(Bound { role: role.clone(), at_least: true, value: value.into() });
        }
        if let Some(value) = at_most.filter(|_| !claim.players.contains(role)) {
            bounds.push(Bound { role: role.clone(), at_least: false, value: value.into() });
        }
    }
    bounds
}

/// Whether every value is bounded from both sides.
fn check_values(
    roles: &[String],
    certificate: &Certificate,
    proved: &[Bound],
) -> Result<(), Refusal> {
    if certificate.value.len() != roles.len() {
        return Err(Refusal::Malformed("there is not one value for each role".to_string()));
    }
    for role in roles {
        let refusal = || Refusal::Value(role.clone());
        let value = *certificate.value.get(role).ok_or_else(refusal)?;
        let of_role = |at_least: bool| {
            proved.iter().filter(move |bound| bound.role == *role && bound.at_least == at_least)
        };
        let at_least = value.sign() == 0 || of_role(true).any(|bound| bound.value >= value);
        let at_most =
            value == HIGHEST_GOAL.into() || of_role(false).any(|bound| bound.value <= value);
        if !at_least || !at_most {
            return Err(refusal());
        }
    }
    Ok(())
}

pub(crate) enum Fault {
    Reason(String),
    Reference(ReferenceError),
}

impl From<ReferenceError> for Fault {
    fn from(error: ReferenceError) -> Self {
        Fault::Reference(error)
    }
}

pub(crate) fn fault<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Reason(reason.into()))
}

/// The rules, and what the entries of all claims have in common. Clones know the same states by the
/// same terms.
#[derive(Clone)]
pub(crate) struct Checker<'a> {
    pub(crate) game: Interpreter,
    pub(crate) roles: Vec<String>,
    fluents: Vec<GroundTerm>,
    pub(crate) start: State,
    pub(crate) options: VerifyOptions<'a>,
    /// How many entries are checked.
    pub(crate) done: &'a AtomicU64,
}

impl<'a> Checker<'a> {
    fn new(
        mut game: Interpreter,
        certificate: &Certificate,
        options: VerifyOptions<'a>,
        done: &'a AtomicU64,
    ) -> Result<Self, Refusal> {
        let roles = game.roles().iter().map(|&role| game.text(role)).collect();
        let mut fluents = Vec::with_capacity(certificate.fluents.len());
        for name in &certificate.fluents {
            match game.terms_from_text(name)?.as_slice() {
                &[term] => fluents.push(term),
                _ => return Err(Refusal::Malformed(format!("{name} is not one fluent"))),
            }
        }
        let mut checker = Self { start: game.initial()?, game, roles, fluents, options, done };
        if let Some(at) = &certificate.at {
            checker.start = checker.state(at).ok_or_else(|| {
                Refusal::Malformed("the state names fluents that are not listed".to_string())
            })?;
        }
        Ok(checker)
    }

    fn state(&self, places: &[u32]) -> Option<State> {
        let fluent = |&place: &u32| self.fluents.get(place as usize).copied();
        Some(State::of(places.iter().map(fluent).collect::<Option<Vec<_>>>()?))
    }

    fn check_claim(&mut self, claim: &Claim) -> Result<(), Fault> {
        let players = self.places(&claim.players)?;
        let ends = self.conditions(claim)?;
        let mut known: FxHashMap<State, u32> = FxHashMap::default();
        for entry in &claim.entries {
            let state = self.listed(&entry.state)?;
            if known.insert(state, entry.rank).is_some() {
                return fault("a state occurs twice");
            }
        }
        let start = self.start.clone();
        if self.game.terminal(&start)? {
            self.check_end(&start, &ends)?;
        } else if !known.contains_key(&start) {
            return fault("the state in question is not among the entries");
        }
        check_each(self, &claim.entries, |checker, entry| {
            checker.check_entry(entry, &players, &ends, &known)
        })
    }

    /// The state an entry names.
    pub(crate) fn listed(&self, places: &[u32]) -> Result<State, Fault> {
        match self.state(places) {
            Some(state) => Ok(state),
            None => fault("a state names a fluent that is not listed"),
        }
    }

    /// The state an entry names, which must not be an end.
    pub(crate) fn open_state(&mut self, places: &[u32]) -> Result<State, Fault> {
        let state = self.listed(places)?;
        if self.game.terminal(&state)? { fault("an entry is an end") } else { Ok(state) }
    }

    /// The legal move with a name.
    pub(crate) fn legal_move(&self, moves: &[GroundTerm], name: &str) -> Result<GroundTerm, Fault> {
        match moves.iter().copied().find(|&term| self.game.text(term) == name) {
            Some(term) => Ok(term),
            None => fault(format!("{name} is not legal")),
        }
    }

    /// The places of some roles.
    pub(crate) fn places(&self, players: &[String]) -> Result<Vec<usize>, Fault> {
        let place = |player: &String| self.roles.iter().position(|role| role == player);
        let players: Option<Vec<usize>> = players.iter().map(place).collect();
        match players {
            Some(players) if players.is_sorted_by(|one, other| one < other) => Ok(players),
            _ => fault("the players are not roles of the game, in order"),
        }
    }

    fn conditions<'c>(
        &self,
        claim: &'c Claim,
    ) -> Result<BTreeMap<usize, Vec<&'c Condition>>, Fault> {
        let mut conditions: BTreeMap<usize, Vec<&Condition>> = BTreeMap::new();
        for condition in &claim.ends {
            match self.roles.iter().position(|role| *role == condition.role) {
                Some(role) => conditions.entry(role).or_default().push(condition),
                None => return fault(format!("{} is not a role", condition.role)),
            }
        }
        Ok(conditions)
    }

    /// An end must fulfil the conditions; a state that is none, and not listed, is a way out.
    fn check_end(
        &mut self,
        state: &State,
        ends: &BTreeMap<usize, Vec<&Condition>>,
    ) -> Result<(), Fault> {
        if !self.game.terminal(state)? {
            return fault("play can leave the entries");
        }
        let goals = self.game.goals(state)?;
        for (&role, conditions) in ends {
            let name = &self.roles[role];
            if goals[role].is_empty() {
                return fault(format!("an end is without a goal for {name}"));
            }
            // Where there are several goals, whichever is meant must be good enough.
            for &term in &goals[role] {
                let goal = self.game.number(term);
                if !goal.is_some_and(|goal| conditions.iter().all(|c| c.admits(goal))) {
                    return fault(format!("an end is worth {} to {name}", self.game.text(term)));
                }
            }
        }
        Ok(())
    }

    fn check_entry(
        &mut self,
        entry: &ClaimEntry,
        players: &[usize],
        ends: &BTreeMap<usize, Vec<&Condition>>,
        known: &FxHashMap<State, u32>,
    ) -> Result<(), Fault> {
        let state = self.open_state(&entry.state)?;
        let mut choices = self.game.legal(&state)?;
        if entry.reply.len() != players.len() {
            return fault("an entry has not one reply for each player");
        }
        for (&player, reply) in players.iter().zip(&entry.reply) {
            choices[player] = vec![self.legal_move(&choices[player], reply)?];
        }
        if choices.iter().any(Vec::is_empty) {
            return fault("a role has no legal move in an entry");
        }
        for next in self.followers(&state, &joint_moves(&choices))? {
            // Every entry is checked to be no end, so what is listed need not be asked again.
            match known.get(&next) {
                None => self.check_end(&next, ends)?,
                Some(&rank) if !players.is_empty() && rank >= entry.rank => {
                    return fault("play can go on without coming nearer to the end");
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// What follows a state, by joint moves. They are all made before anything else is asked: as
    /// long as the state stays the same, what follows from it need not be found again.
    pub(crate) fn followers(
        &mut self,
        state: &State,
        joint: &[Vec<GroundTerm>],
    ) -> Result<Vec<State>, Fault> {
        joint.iter().map(|joint| Ok(self.game.next(state, joint)?)).collect()
    }
}

/// All combinations of one move per role.
pub(crate) fn joint_moves(choices: &[Vec<GroundTerm>]) -> Vec<Vec<GroundTerm>> {
    let mut joint: Vec<Vec<GroundTerm>> = vec![Vec::new()];
    for moves in choices {
        joint = joint
            .iter()
            .flat_map(|so_far| moves.iter().map(move |&term| [so_far.as_slice(), &[term]].concat()))
            .collect();
    }
    joint
}
