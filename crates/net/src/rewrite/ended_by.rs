//! A game that ends earlier: as soon as a condition holds, with goals of its own for that end.

use super::copy::{copy, finish};
use crate::draft::{Draft, Wire};
use crate::net::Kind;
use crate::{Condition, Net, RoleId};

/// What a role gets if a condition holds where the game was ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Paid {
    /// Who.
    pub role: RoleId,
    /// How much.
    pub value: u32,
    /// When.
    pub when: Condition,
}

/// The net of a game that is over as soon as a condition holds. Its ends pay what they paid; where it would have
/// gone on, the goals are those that are given, or as the rules say if none are.
pub fn ended_by(net: &Net, end: &Condition, paid: &[Paid]) -> Net {
    let (mut draft, mut frame) = copy(net, |gate| super::copy::Rewritten::Kept(net.gate(gate)));
    let (over, early) = (frame.terminal, wire(&mut draft, end));
    frame.terminal = draft.junction(Kind::Or, [over, early]);
    if !paid.is_empty() {
        let open = draft.not(over);
        for (_, _, goal) in &mut frame.goals {
            *goal = draft.junction(Kind::And, [*goal, over]);
        }
        for one in paid {
            let when = wire(&mut draft, &one.when);
            let when = draft.junction(Kind::And, [when, open]);
            let same = |goal: &&mut (RoleId, u32, Wire)| (goal.0, goal.1) == (one.role, one.value);
            match frame.goals.iter_mut().find(same) {
                Some(goal) => goal.2 = draft.junction(Kind::Or, [goal.2, when]),
                None => frame.goals.push((one.role, one.value, when)),
            }
        }
        frame.goals.sort_by_key(|&(role, value, _)| (role, value));
    }
    finish((draft, frame))
}

fn wire(draft: &mut Draft, condition: &Condition) -> Wire {
    match condition {
        Condition::Is(fluent, holds) => {
            let wire = draft.fluent(*fluent);
            if *holds { wire } else { draft.not(wire) }
        }
        Condition::All(parts) => {
            let parts: Vec<Wire> = parts.iter().map(|part| wire(draft, part)).collect();
            draft.junction(Kind::And, parts)
        }
        Condition::Any(parts) => {
            let parts: Vec<Wire> = parts.iter().map(|part| wire(draft, part)).collect();
            draft.junction(Kind::Or, parts)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NetBuilder, NetEngine};

    #[test]
    fn a_lamp_game_may_be_ended_by_the_first_lamp_and_paid_for_it() {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        let (one, two) = (net.fluent("one"), net.fluent("two"));
        let press = net.action(player, "press");
        let always = net.constant(true);
        net.legal(press, always);
        let (first, second) = (net.truth(one), net.truth(two));
        net.next(one, always);
        net.next(two, first);
        net.terminal(second);
        net.goal(player, 100, second);
        let net = net.finish().unwrap();
        let end = Condition::Is(one, true);
        let early = ended_by(&net, &end, &[Paid { role: player, value: 30, when: end.clone() }]);
        let mut engine = NetEngine::new(&early);
        let start = engine.initial();
        assert!(!engine.terminal(&start));
        let lit = engine.next(&start, &[press]);
        assert!(engine.terminal(&lit));
        assert_eq!(engine.goals(&lit)[player], Some(30));
        let both = engine.next(&lit, &[press]);
        assert_eq!(engine.goals(&both)[player], Some(100));
    }
}
