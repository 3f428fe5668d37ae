//! Playouts in which a win at once is taken (decisive moves; Teytaud and Teytaud 2010).

use gambol_index::IndexVec;
use gambol_net::rewrite::decisive;
use gambol_net::{MoveId, Net, RoleId};
use gambol_sim::{Circuit, Evaluator};

use gambol_run::mixed;

/// Games that are looked at to see whether roles take turns, and how far.
const GAMES: u64 = 16;
const LONGEST_GAME: usize = 200;
/// A step of such a game may take so many times the gates of a plain one.
const DEAREST: usize = 4;
/// The net may not become larger.
const MOST_GATES: usize = 400_000;
/// Each move is looked at through the gates, which takes too long if there are more moves times gates.
const MOST_WORK: usize = 20_000_000;

/// The game in which a role that can win at once does so; nothing if roles do not take turns, or if it would take
/// too many gates.
pub(crate) fn decisive_playouts(net: &Net, circuit: &Circuit) -> Option<Circuit> {
    let work = net.moves.len().saturating_mul(net.gate_count());
    if net.roles.len() < 2 || work > MOST_WORK || !takes_turns(net, circuit) {
        return None;
    }
    let net = decisive(net, MOST_GATES)?;
    let decisive = Circuit::compile(&net, &Default::default()).ok()?;
    let cost = |circuit: &Circuit| circuit.gate_counts().per_step();
    (cost(&decisive) <= DEAREST * cost(circuit)).then_some(decisive)
}

/// Whether no two roles had a choice at the same time in some random games.
fn takes_turns(net: &Net, circuit: &Circuit) -> bool {
    let mut evaluator = Evaluator::new(circuit);
    let mut draws = 0;
    for game in 1..=GAMES {
        let mut state = circuit.initial();
        for _ in 0..LONGEST_GAME {
            if evaluator.terminal(&state) {
                break;
            }
            let mut of_role: IndexVec<RoleId, Vec<MoveId>> =
                IndexVec::filled(Vec::new(), net.roles.len());
            for action in evaluator.legal(&state) {
                of_role[net.moves[action].role].push(action);
            }
            if of_role.iter().filter(|own| own.len() > 1).count() > 1 {
                return false;
            }
            let mut draw = |own: &Vec<MoveId>| {
                draws += 1;
                own.get(mixed(game, draws) as usize % own.len().max(1)).copied()
            };
            let joint: Option<Vec<MoveId>> = of_role.iter().map(&mut draw).collect();
            let Some(joint) = joint else { break };
            state = evaluator.next(&state, &joint);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_index::Id;

    fn net_of(rules: &str) -> Net {
        let rules = gambol_syntax::read(rules.as_bytes(), &Default::default()).rules;
        let rules = gambol_syntax::repair(rules.expect("rules")).rules.expect("a game");
        let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("small");
        gambol_net::simplify(&gambol_net::build(&ground).expect("a net"))
    }

    /// In every state of some random games: the winning moves are found by making each of them.
    fn check(rules: &str) {
        let net = net_of(rules);
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let decisive = decisive_playouts(&net, &circuit).expect("roles take turns");
        let (mut plain, mut biased) = (Evaluator::new(&circuit), Evaluator::new(&decisive));
        let best = |role: RoleId| {
            let own = net.goals.iter().filter(|goal| goal.role == role);
            own.map(|goal| goal.value).max()
        };
        let (mut draws, mut won, mut open) = (0, 0, 0);
        for game in 0..40 {
            let mut state = circuit.initial();
            while !plain.terminal(&state) {
                let legal = plain.legal(&state);
                let of_role = |role: RoleId| -> Vec<MoveId> {
                    legal.iter().copied().filter(|&one| net.moves[one].role == role).collect()
                };
                let own: Vec<Vec<MoveId>> = net.roles.ids().map(of_role).collect();
                let chooser = own.iter().position(|own| own.len() > 1).unwrap_or(0);
                let role = RoleId::from_index(chooser);
                let with = |action: MoveId| -> Vec<MoveId> {
                    let first = own.iter().map(|own| own[0]).enumerate();
                    first.map(|(at, one)| if at == chooser { action } else { one }).collect()
                };
                let mut wins = own[chooser].clone();
                wins.retain(|&action| {
                    let next = plain.next(&state, &with(action));
                    plain.terminal(&next) && plain.goals(&next)[role] == best(role)
                });
                let expected = if wins.is_empty() { &own[chooser] } else { &wins };
                let mut found = biased.legal(&state);
                found.retain(|&one| net.moves[one].role == role);
                assert_eq!(&found, expected);
                won += usize::from(!wins.is_empty());
                open += usize::from(wins.is_empty());
                draws += 1;
                let draw = mixed(game, draws) as usize % own[chooser].len();
                state = plain.next(&state, &with(own[chooser][draw]));
            }
        }
        assert!(won > 0 && open > 0, "both kinds of states were seen");
    }

    #[test]
    fn wins_at_once_are_taken_and_nothing_else_is_changed() {
        check(include_str!("../../../../games/tic-tac-toe/rules.kif"));
        check(include_str!("../../../../games/breakthrough-5x5/rules.kif"));
        check(include_str!("../../../../games/connect-four-5x4/rules.kif"));
    }

    #[test]
    fn where_several_choose_at_once_nothing_is_decisive() {
        let net = net_of(include_str!("../../../../games/rock-paper-scissors/rules.kif"));
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        assert!(decisive_playouts(&net, &circuit).is_none());
    }
}
