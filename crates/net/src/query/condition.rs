//! A condition on states that stands by itself: literals, conjunctions and disjunctions, without the gates
//! of a net.

use crate::{FluentId, Gate, GateId, Net, State};

/// What must hold in a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// A fluent has this value.
    Is(FluentId, bool),
    /// All of these hold.
    All(Vec<Condition>),
    /// One of these holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// What a gate says of the state, in at most so many literals. `None` if it takes more, looks at moves, is
    /// recursive or is a constant.
    pub fn of_gate(net: &Net, gate: GateId, most: usize) -> Option<Self> {
        let mut left = most;
        Self::spelt_out(net, gate, true, &mut left)
    }

    fn spelt_out(net: &Net, gate: GateId, holds: bool, left: &mut usize) -> Option<Self> {
        if net.cycle_of(gate).is_some() {
            return None;
        }
        match net.gate(gate) {
            Gate::Fluent(fluent) => {
                *left = left.checked_sub(1)?;
                Some(Self::Is(fluent, holds))
            }
            Gate::Not(input) => Self::spelt_out(net, input, !holds, left),
            Gate::And(inputs) => Self::junction(net, inputs, holds, holds, left),
            Gate::Or(inputs) => Self::junction(net, inputs, !holds, holds, left),
            Gate::Constant(_) | Gate::Does(_) => None,
        }
    }

    fn junction(
        net: &Net,
        inputs: &[GateId],
        all: bool,
        holds: bool,
        left: &mut usize,
    ) -> Option<Self> {
        let inputs = inputs.iter().map(|&input| Self::spelt_out(net, input, holds, left));
        let inputs: Vec<Self> = inputs.collect::<Option<_>>()?;
        Some(if all { Self::All(inputs) } else { Self::Any(inputs) })
    }

    /// The opposite.
    pub fn negated(&self) -> Self {
        let negated = |parts: &Vec<Self>| parts.iter().map(Self::negated).collect();
        match self {
            Self::Is(fluent, holds) => Self::Is(*fluent, !holds),
            Self::All(parts) => Self::Any(negated(parts)),
            Self::Any(parts) => Self::All(negated(parts)),
        }
    }

    /// Its value by those of its literals; `junction` is told whether all of some values are asked for, or any.
    pub fn fold<T>(
        &self,
        literal: &mut impl FnMut(FluentId, bool) -> T,
        junction: &mut impl FnMut(bool, Vec<T>) -> T,
    ) -> T {
        match self {
            Self::Is(fluent, holds) => literal(*fluent, *holds),
            Self::All(parts) | Self::Any(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(part.fold(literal, junction));
                }
                junction(matches!(self, Self::All(_)), values)
            }
        }
    }

    /// Whether it holds in a state.
    pub fn holds(&self, state: &State) -> bool {
        match self {
            Self::Is(fluent, holds) => state.holds(*fluent) == *holds,
            Self::All(parts) => parts.iter().all(|part| part.holds(state)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(state)),
        }
    }

    /// The fluents it looks at, in the order of its literals.
    pub fn fluents(&self) -> Vec<FluentId> {
        match self {
            Self::Is(fluent, _) => vec![*fluent],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::fluents).collect(),
        }
    }

    /// How many literals it has.
    pub fn size(&self) -> usize {
        match self {
            Self::Is(..) => 1,
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::size).sum(),
        }
    }

    /// The same about other fluents.
    #[must_use]
    pub fn renumbered(&self, number: &impl Fn(FluentId) -> FluentId) -> Self {
        let all = |parts: &Vec<Self>| parts.iter().map(|part| part.renumbered(number)).collect();
        match self {
            Self::Is(fluent, holds) => Self::Is(number(*fluent), *holds),
            Self::All(parts) => Self::All(all(parts)),
            Self::Any(parts) => Self::Any(all(parts)),
        }
    }

    /// As it would be written in rules.
    pub fn text(&self, net: &Net) -> String {
        self.fold(
            &mut |fluent, holds| match holds {
                true => net.fluents[fluent].to_string(),
                false => format!("(not {})", net.fluents[fluent]),
            },
            &mut |all, parts| match parts.as_slice() {
                [only] => only.clone(),
                _ => format!("({} {})", if all { "and" } else { "or" }, parts.join(" ")),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetBuilder;

    #[test]
    fn a_gate_is_spelt_out_with_its_inverters_moved_to_the_fluents() {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        let (lit, locked) = (net.fluent("lit"), net.fluent("locked"));
        let press = net.action(player, "press");
        let (lit_now, locked_now) = (net.truth(lit), net.truth(locked));
        let both = net.and([lit_now, locked_now]);
        let free = net.not(both);
        net.legal(press, free);
        let net = net.finish().unwrap();
        let found = Condition::of_gate(&net, net.legal[press], 8).unwrap();
        assert_eq!(found.text(&net), "(or (not lit) (not locked))");
        assert_eq!(found.negated().text(&net), "(and lit locked)");
        assert!(found.holds(&State::of(&net, &[lit])));
        assert!(!found.holds(&State::of(&net, &[lit, locked])));
        assert_eq!(Condition::of_gate(&net, net.legal[press], 1), None);
    }
}
