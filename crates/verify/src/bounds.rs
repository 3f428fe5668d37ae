//! What claims that hold say about values, and when that is a proof in some sense.

use crate::accepted::{AcceptedValue, Ground};
use crate::certificate::{AverageClaim, Claim, HIGHEST_GOAL, Sense};
use crate::fraction::Fraction;
use crate::refusal::Refusal;

/// What is proved of a role's value, by whose strategy.
pub(crate) struct Bound {
    role: String,
    at_least: bool,
    value: Fraction,
    players: Vec<String>,
    /// What the players themselves get while they follow that strategy, as far as it is claimed.
    meanwhile: Vec<(String, Fraction)>,
}

impl Bound {
    pub(crate) fn of_claim(claim: &Claim) -> Vec<Bound> {
        let lower = claim.ends.iter().filter_map(|c| Some((c.role.clone(), c.at_least?.into())));
        let meanwhile: Vec<(String, Fraction)> = lower.collect();
        let bound = |role: &str, at_least, value| Bound {
            role: role.to_string(),
            at_least,
            value,
            players: claim.players.clone(),
            meanwhile: meanwhile.clone(),
        };
        let mut bounds = Vec::new();
        for condition in &claim.ends {
            let alone = claim.players == [condition.role.as_str()];
            if let Some(value) = condition.at_least.filter(|_| alone) {
                bounds.push(bound(&condition.role, true, value.into()));
            }
            if let Some(value) = condition.at_most {
                bounds.push(bound(&condition.role, false, value.into()));
            }
        }
        bounds
    }

    pub(crate) fn of_average(claim: &AverageClaim, value: Fraction) -> Bound {
        Bound {
            role: claim.role.clone(),
            at_least: claim.at_least,
            value,
            players: claim.players.clone(),
            meanwhile: Vec::new(),
        }
    }

    fn ground(&self) -> Ground {
        if self.players.is_empty() {
            Ground::AllPlay
        } else {
            Ground::Players(self.players.clone())
        }
    }

    /// Whether all who hold the role down get their own values while they do so.
    fn costs_nothing(&self, asked: &[(String, Fraction)]) -> bool {
        let gets = |player: &str, value: Fraction| {
            let mut known = self.meanwhile.iter();
            value.sign() == 0 || known.any(|(role, least)| role == player && *least >= value)
        };
        let mut players = asked.iter().filter(|(role, _)| self.players.contains(role));
        players.all(|(role, value)| gets(role, *value))
    }
}

/// The value of a role, if it is bounded from both sides in this sense.
pub(crate) fn proved_value(
    role: &str,
    sense: Sense,
    asked: &[(String, Fraction)],
    bounds: &[Bound],
) -> Result<AcceptedValue, Refusal> {
    let value = asked.iter().find(|(known, _)| known == role).map_or(Fraction::ZERO, |(_, v)| *v);
    let mut of_role = bounds.iter().filter(|bound| bound.role == role);
    let least = of_role.clone().find(|bound| bound.at_least && bound.value >= value);
    let most = of_role.find(|bound| {
        let fits = sense != Sense::Forced || bound.costs_nothing(asked);
        !bound.at_least && bound.value <= value && fits
    });
    let trivial = |is: bool| is.then_some(Ground::Trivial);
    let at_least = least.map(Bound::ground).or(trivial(value.sign() == 0));
    let at_most = most.map(Bound::ground).or(trivial(value == HIGHEST_GOAL.into()));
    let role = role.to_string();
    match (at_least, at_most) {
        (Some(at_least), Some(at_most)) => {
            Ok(AcceptedValue { role, value, sense, at_least, at_most })
        }
        _ => Err(Refusal::Value { role, value, sense }),
    }
}
