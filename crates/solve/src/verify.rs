//! The checker of certificates. It knows the rules only through the plain interpreter, and trusts
//! nothing that a certificate says.

use std::collections::BTreeMap;

use gambol_reference::{GroundTerm, Interpreter, ReferenceError, State};
use rustc_hash::FxHashMap;

use crate::certificate::{Certificate, Claim, ClaimEntry, Condition, FORMAT};

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
const HIGHEST_GOAL: u32 = 100;

/// Checks a certificate against the rules.
pub fn verify(game: &mut Interpreter, certificate: &Certificate) -> Result<(), Refusal> {
    if certificate.format != FORMAT {
        return Err(Refusal::Format(certificate.format));
    }
    if certificate.digest != certificate.compute_digest() {
        return Err(Refusal::Digest);
    }
    let mut checker = Checker::new(game, certificate)?;
    for (number, claim) in certificate.claims.iter().enumerate() {
        checker.check_claim(claim).map_err(|fault| match fault {
            Fault::Reason(reason) => Refusal::Claim { claim: number + 1, reason },
            Fault::Reference(error) => Refusal::Reference(error),
        })?;
    }
    check_values(&checker.roles, certificate)
}

/// Whether the claims bound every value from both sides.
fn check_values(roles: &[String], certificate: &Certificate) -> Result<(), Refusal> {
    if certificate.value.len() != roles.len() {
        return Err(Refusal::Malformed("there is not one value for each role".to_string()));
    }
    for role in roles {
        let refusal = || Refusal::Value(role.clone());
        let value = *certificate.value.get(role).ok_or_else(refusal)?;
        let of_role = |condition: &&Condition| condition.role == *role;
        let secured = |claim: &&Claim| claim.players.iter().all(|player| player == role);
        let held = |claim: &&Claim| !claim.players.contains(role);
        let claims = certificate.claims.iter();
        let least = claims.clone().filter(secured).filter(|claim| !claim.players.is_empty());
        let least = least.flat_map(|claim| claim.ends.iter().filter(of_role));
        let most = claims.filter(held).flat_map(|claim| claim.ends.iter().filter(of_role));
        let at_least =
            value == 0 || least.filter_map(|end| end.at_least).any(|least| least >= value);
        let at_most =
            value >= HIGHEST_GOAL || most.filter_map(|end| end.at_most).any(|most| most <= value);
        if !at_least || !at_most {
            return Err(refusal());
        }
    }
    Ok(())
}

enum Fault {
    Reason(String),
    Reference(ReferenceError),
}

impl From<ReferenceError> for Fault {
    fn from(error: ReferenceError) -> Self {
        Fault::Reference(error)
    }
}

fn fault<T>(reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Reason(reason.into()))
}

struct Checker<'a> {
    game: &'a mut Interpreter,
    roles: Vec<String>,
    fluents: Vec<GroundTerm>,
    start: State,
}

impl<'a> Checker<'a> {
    fn new(game: &'a mut Interpreter, certificate: &Certificate) -> Result<Self, Refusal> {
        let roles = game.roles().iter().map(|&role| game.text(role)).collect();
        let mut fluents = Vec::with_capacity(certificate.fluents.len());
        for name in &certificate.fluents {
            match game.terms_from_text(name)?.as_slice() {
                &[term] => fluents.push(term),
                _ => return Err(Refusal::Malformed(format!("{name} is not one fluent"))),
            }
        }
        let mut checker = Self { start: game.initial()?, game, roles, fluents };
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
        let players = self.players(claim)?;
        let ends = self.conditions(claim)?;
        let mut known: FxHashMap<State, u32> = FxHashMap::default();
        for entry in &claim.entries {
            let Some(state) = self.state(&entry.state) else {
                return fault("a state names a fluent that is not listed");
            };
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
        for entry in &claim.entries {
            self.check_entry(entry, &players, &ends, &known)?;
        }
        Ok(())
    }

    fn players(&self, claim: &Claim) -> Result<Vec<usize>, Fault> {
        let place = |player: &String| self.roles.iter().position(|role| role == player);
        let players: Option<Vec<usize>> = claim.players.iter().map(place).collect();
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

    fn check_end(
        &mut self,
        state: &State,
        ends: &BTreeMap<usize, Vec<&Condition>>,
    ) -> Result<(), Fault> {
        let goals = self.game.goal_values(state)?;
        for (&role, conditions) in ends {
            let Some(goal) = goals[role] else {
                return fault(format!(
                    "an end is without exactly one goal for {}",
                    self.roles[role]
                ));
            };
            if !conditions.iter().all(|condition| condition.admits(goal)) {
                return fault(format!("an end is worth {goal} to {}", self.roles[role]));
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
        let Some(state) = self.state(&entry.state) else {
            return fault("a state names a fluent that is not listed");
        };
        if self.game.terminal(&state)? {
            return fault("an entry is an end");
        }
        let mut choices = self.game.legal(&state)?;
        if entry.reply.len() != players.len() {
            return fault("an entry has not one reply for each player");
        }
        for (&player, reply) in players.iter().zip(&entry.reply) {
            let named =
                choices[player].iter().copied().find(|&term| self.game.text(term) == *reply);
            match named {
                Some(term) => choices[player] = vec![term],
                None => return fault(format!("{reply} is not legal for {}", self.roles[player])),
            }
        }
        if choices.iter().any(Vec::is_empty) {
            return fault("a role has no legal move in an entry");
        }
        for joint in joint_moves(&choices) {
            let next = self.game.next(&state, &joint)?;
            if self.game.terminal(&next)? {
                self.check_end(&next, ends)?;
                continue;
            }
            match known.get(&next) {
                None => return fault("play can leave the entries"),
                Some(&rank) if !players.is_empty() && rank >= entry.rank => {
                    return fault("play can go on without coming nearer to the end");
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// All combinations of one move per role.
fn joint_moves(choices: &[Vec<GroundTerm>]) -> Vec<Vec<GroundTerm>> {
    let mut joint: Vec<Vec<GroundTerm>> = vec![Vec::new()];
    for moves in choices {
        joint = joint
            .iter()
            .flat_map(|so_far| moves.iter().map(move |&term| [so_far.as_slice(), &[term]].concat()))
            .collect();
    }
    joint
}
